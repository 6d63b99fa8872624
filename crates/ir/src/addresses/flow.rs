//! Which addresses can reach which variables, and which memory?
//!
//! One set for each variable, without regard to order or calling context, and one for each piece of an abstract object that is accessed in
//! the same way. Reading less than was written reads bytes of an address; words that were written byte by byte are
//! put together again. An access that walks over an object byte by byte is taken to stay in the array where the walk began,
//! unless it begins at something that is no byte; those of the library's copying functions go everywhere.

use super::apart::{self, Access, Kept, Overlap, overlap};
use super::terms::Reader;
use super::value::{Base, Offset, Words};
use super::{Layout, Typed};
use crate::access::{bytes_of, local_written};
use crate::memory::{DataModel, Fill, ObjectId, ObjectKind};
use crate::pass::Webs;
use crate::pass::for_each_used;
use crate::program::Program;
use crate::stmt::{Callee, HavocKind, Op, Place};
use logic::{Scalar, TermId, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Functions of the library that copy or compare whatever the bytes are part of.
const COPIES: [&str; 8] = ["memcpy", "mempcpy", "memmove", "memcmp", "memchr", "realloc", "qsort", "bcmp"];

/// Beyond this many pieces an object is one piece.
const MAX_CELLS: usize = 200;

/// A piece of an object that is written in one way.
struct Cell {
    access: Access,
    words: Words,
}

/// What is known of a program.
pub(super) struct Flow {
    webs: Webs,
    /// By web.
    values: Vec<Words>,
    /// The number of the first statement of each edge, by procedure.
    pub(super) first_stmt: Vec<Vec<usize>>,
    cells: FxHashMap<Base, Vec<Cell>>,
    /// By `ProcId`.
    results: Vec<Words>,
    thread_results: Words,
    /// What accesses have to stay away from, by the number of their statement.
    kept: FxHashMap<usize, Vec<Kept>>,
}

/// A statement: procedure, edge, position.
type At = (usize, usize, usize);

struct Solver<'a> {
    program: &'a Program,
    layout: &'a Layout,
    flow: Flow,
    stmts: Vec<At>,
    /// By web.
    users: Vec<Vec<usize>>,
    readers: FxHashMap<Base, FxHashSet<usize>>,
    calls: Vec<Vec<usize>>,
    joins: Vec<usize>,
    queue: VecDeque<usize>,
    is_queued: Vec<bool>,
    goes_everywhere: Vec<bool>,
    /// Reads that may lead to several objects, and are kept off addresses where they are bytes of these.
    several: FxHashSet<usize>,
}

impl Flow {
    /// Analyses a program whose static addresses are variables.
    pub(super) fn new(program: &Program, layout: &Layout) -> Flow {
        let mut solver = Solver::new(program, layout, FxHashSet::default());
        solver.solve();
        // Where a read may lead is known at the end only.
        let several = solver.of_several();
        if !several.is_empty() {
            solver = Solver::new(program, layout, several);
            solver.solve();
        }
        solver.flow.kept = solver.kept();
        solver.flow
    }

    /// What an access has to stay away from, so that the others read whole words.
    pub(super) fn kept(&self, stmt: usize) -> &[Kept] {
        self.kept.get(&stmt).map_or(&[], Vec::as_slice)
    }

    /// Reads terms of a statement, which writes a variable; if `is_after` they mean what an update has just read.
    pub(super) fn reader<T>(
        &self,
        program: &Program,
        layout: &Layout,
        (stmt, written, is_after): Point,
        read: impl FnOnce(Reader<'_>) -> T,
    ) -> T {
        let word = program.data_model.word_bits();
        read(Reader::new(&program.pool, layout, word, &|var| &self.values[self.webs.of(stmt, var, written, is_after)]))
    }
}

/// Where a term is evaluated: at a statement, which writes a local, and whether after its read.
pub(super) type Point = (usize, Option<VarId>, bool);

impl<'a> Solver<'a> {
    fn new(program: &'a Program, layout: &'a Layout, several: FxHashSet<usize>) -> Solver<'a> {
        let webs = Webs::new(program);
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); webs.count];
        let (mut stmts, mut joins, mut first_stmt) = (Vec::new(), Vec::new(), Vec::new());
        let mut calls = vec![Vec::new(); program.procs.len()];
        for (p, proc) in program.procs.iter().enumerate() {
            first_stmt.push(Vec::new());
            for (e, edge) in proc.edges.iter().enumerate() {
                first_stmt[p].push(stmts.len());
                for (s, stmt) in edge.stmts.iter().enumerate() {
                    let index = stmts.len();
                    stmts.push((p, e, s));
                    let written = local_written(&stmt.op);
                    for_each_used(&program.pool, &stmt.op, &mut |var| {
                        users[webs.of(index, var, written, false)].push(index);
                    });
                    match &stmt.op {
                        Op::Load { place: Place::Var(var), .. } | Op::Rmw { place: Place::Var(var), .. } => {
                            users[var.index()].push(index);
                        }
                        Op::Call { callee: Callee::Proc(proc), .. } => calls[proc.index()].push(index),
                        Op::Call { callee: Callee::Pointer(_), .. } => {
                            calls.iter_mut().for_each(|calls| calls.push(index));
                        }
                        Op::Join { .. } => joins.push(index),
                        _ => {}
                    }
                }
            }
        }
        let goes_everywhere = program
            .procs
            .iter()
            .map(|proc| program.sources.is_model(proc.span) && COPIES.contains(&proc.name.as_str()))
            .collect();
        let flow = Flow {
            values: vec![Words::default(); webs.count],
            webs,
            first_stmt,
            cells: FxHashMap::default(),
            results: vec![Words::default(); program.procs.len()],
            thread_results: Words::number(Offset::exact(0)),
            kept: FxHashMap::default(),
        };
        let (queue, is_queued) = ((0..stmts.len()).collect(), vec![true; stmts.len()]);
        Solver {
            program,
            layout,
            flow,
            stmts,
            users,
            readers: FxHashMap::default(),
            calls,
            joins,
            queue,
            is_queued,
            goes_everywhere,
            several,
        }
    }

    fn solve(&mut self) {
        self.add_initial();
        while let Some(index) = self.queue.pop_front() {
            self.is_queued[index] = false;
            self.visit(index);
        }
    }

    /// The reads that may lead to several objects, in one of which they would read bytes of an address.
    fn of_several(&self) -> FxHashSet<usize> {
        let is_one = |index: &usize| {
            let (Op::Load { place, .. } | Op::Rmw { place, .. }) = self.op(*index) else { return false };
            let Place::Mem { addr, sort, .. } = place else { return false };
            let words = self.words(*index, *addr);
            let is_part = |(base, offset): (Base, Offset)| {
                let access = self.access(base, offset, bytes_of(*sort), false, self.typed(*index));
                let has_address = |cell: &&Cell| cell.words.may_be_address() || !cell.words.parts.is_empty();
                let mut cells = self.flow.cells.get(&base).into_iter().flatten().filter(has_address);
                cells.any(|cell| matches!(overlap(access, cell.access), Overlap::Part))
            };
            words.bases().any(|(base, _)| base != words.bases().next().map_or(base, |(first, _)| first))
                && words.bases().any(is_part)
        };
        (0..self.stmts.len()).filter(is_one).collect()
    }

    fn add_initial(&mut self) {
        for (index, object) in self.program.objects.iter().enumerate() {
            let base = Base::Object(ObjectId(index as u32));
            let mut narrow: Option<Offset> = None;
            for (offset, value) in &object.init {
                let offset = Offset::exact(*offset as i64);
                match self.initial(value) {
                    Some(words) => {
                        let bytes = bytes_of(value.sort().scalar().unwrap_or(Scalar::Bv(8)));
                        self.write(base, offset, (bytes, Typed::Unknown), false, &words);
                    }
                    None => narrow = Some(narrow.map_or(offset, |all| all.join(offset))),
                }
            }
            if let Some(offset) = narrow {
                self.write(base, offset, (1, Typed::Unknown), false, &Words::any_number());
            }
        }
        for (index, variable) in self.program.vars.iter().enumerate() {
            if let Some(value) = &variable.init {
                let words = self.initial(value).unwrap_or_else(Words::any_number);
                self.flow.values[index].join(&words);
            }
        }
    }

    /// What a constant of an initial value is; nothing if it is too narrow to matter.
    fn initial(&self, value: &Value) -> Option<Words> {
        let Value::Bv(bits) = value else { return None };
        if bits.width() != self.program.data_model.word_bits() {
            return None;
        }
        let word = bits.to_u64()?;
        if self.layout.initial.contains(&word) {
            let model = self.program.data_model;
            let slack = 1u64 << (model.granule_bits() - 1);
            for (index, object) in self.program.objects.iter().enumerate() {
                if word.wrapping_sub(object.base.wrapping_sub(slack)) < object.size + 2 * slack {
                    let offset = Offset::exact(word.wrapping_sub(object.base) as i64);
                    return Some(Words::one(Base::Object(ObjectId(index as u32)), offset));
                }
            }
        }
        Some(Words::number(crate::pass::number(value).map_or(Offset::ANY, Offset::exact)))
    }

    fn push(&mut self, index: usize) {
        if !std::mem::replace(&mut self.is_queued[index], true) {
            self.queue.push_back(index);
        }
    }

    fn set(&mut self, web: usize, words: &Words) {
        if self.flow.values[web].join(words) {
            for index in self.users[web].clone() {
                self.push(index);
            }
        }
    }

    fn op(&self, stmt: usize) -> &'a Op {
        let (p, e, s) = self.stmts[stmt];
        &self.program.procs[p].edges[e].stmts[s].op
    }

    /// What a term of a statement can be.
    fn words(&self, stmt: usize, term: TermId) -> Words {
        self.flow.reader(self.program, self.layout, (stmt, local_written(self.op(stmt)), false), |mut reader| {
            reader.words(term)
        })
    }

    fn visit(&mut self, index: usize) {
        let program = self.program;
        let (p, e, s) = self.stmts[index];
        match &program.procs[p].edges[e].stmts[s].op {
            Op::Assign { var, value } => {
                let words = self.words(index, *value);
                self.write_local(index, *var, &words);
            }
            // What was never set can be anything, and both outcomes of every comparison are looked at anyway.
            Op::Havoc { kind: HavocKind::Uninit, .. } => {}
            Op::Havoc { var, .. } => self.write_local(index, *var, &Words::any_number()),
            Op::Load { dst, place, .. } => {
                let words = self.load(place, index);
                self.write_local(index, *dst, &words);
            }
            Op::Store { place, value, .. } => {
                let mut words = self.words(index, *value);
                if Some(p) == program.thread_init.map(|proc| proc.index()) {
                    let constant = program.pool.as_const(*value);
                    words = constant.and_then(|value| self.initial(value)).unwrap_or(words);
                }
                self.store(place, index, &words);
            }
            Op::Rmw { dst, place, new, .. } => {
                let words = self.load(place, index);
                self.write_local(index, *dst, &words);
                let words = self.after(index, *new);
                self.store(place, index, &words);
            }
            Op::Alloc { dst, .. } => {
                let site = program.procs[p].edges[e].stmts[s].site;
                self.write_local(index, *dst, &Words::one(Base::Site(site), Offset::exact(0)));
            }
            Op::Start { dst, callee, args } => {
                self.write_local(index, *dst, &Words::any_number());
                self.pass(index, *callee, args);
            }
            Op::Call { callee, args, result } => {
                let procs = self.pass(index, *callee, args);
                if let Some(result) = result {
                    for proc in procs {
                        let words = self.flow.results[proc].clone();
                        self.write_local(index, *result, &words);
                    }
                }
            }
            Op::Join { result: Some(result), .. } => {
                let words = self.flow.thread_results.clone();
                self.write_local(index, *result, &words);
            }
            Op::Return(Some(value)) => {
                let words = self.words(index, *value);
                if self.flow.results[p].join(&words) {
                    for call in self.calls[p].clone() {
                        self.push(call);
                    }
                    self.end_thread(&words);
                }
            }
            Op::ExitThread(value) => {
                let words = self.words(index, *value);
                self.end_thread(&words);
            }
            _ => {}
        }
    }

    /// What the new value of an update can be.
    fn after(&self, stmt: usize, term: TermId) -> Words {
        self.flow.reader(self.program, self.layout, (stmt, local_written(self.op(stmt)), true), |mut reader| {
            reader.words(term)
        })
    }

    fn write_local(&mut self, stmt: usize, var: VarId, words: &Words) {
        self.set(self.flow.webs.written(stmt, var), words);
    }

    fn end_thread(&mut self, words: &Words) {
        if self.flow.thread_results.join(words) {
            for join in self.joins.clone() {
                self.push(join);
            }
        }
    }

    /// Gives arguments to what is called; yields it.
    fn pass(&mut self, stmt: usize, callee: Callee, args: &[TermId]) -> Vec<usize> {
        let program = self.program;
        let procs = match callee {
            Callee::Proc(proc) => vec![proc.index()],
            Callee::Pointer(pointer) => {
                let words = self.words(stmt, pointer);
                let functions = words.bases().filter_map(|(base, _)| match base {
                    Base::Object(object) => match program.object(object).kind {
                        ObjectKind::Function(proc) => Some(proc.index()),
                        _ => None,
                    },
                    _ => None,
                });
                functions.collect()
            }
        };
        for proc in &procs {
            for (at, arg) in args.iter().enumerate().take(program.procs[*proc].params.len()) {
                let words = self.words(stmt, *arg);
                self.set(self.flow.webs.params[*proc][at], &words);
            }
        }
        procs
    }

    fn load(&mut self, place: &Place, index: usize) -> Words {
        let Place::Mem { addr, sort, .. } = place else {
            let Place::Var(var) = place else { unreachable!("a place is a variable or memory") };
            return self.flow.values[var.index()].clone();
        };
        let bytes = bytes_of(*sort);
        let word = self.program.data_model.word_bytes();
        let everywhere = self.goes_everywhere[self.stmts[index].0];
        let mut words = if bytes == word { Words::default() } else { Words::any_number() };
        let mut is_zero = true;
        let (at, typed) = (self.words(index, *addr), self.typed(index));
        for (base, offset) in at.bases() {
            self.readers.entry(base).or_default().insert(index);
            let access = Access {
                is_one_of_several: self.is_of_several(index, base),
                ..self.access(base, offset, bytes, everywhere, typed)
            };
            // What nobody wrote is zero, or anything, and then both outcomes of every comparison are looked at anyway.
            is_zero &= !matches!(base, Base::Object(object) if self.program.object(object).fill == Fill::Any);
            for cell in self.flow.cells.get(&base).into_iter().flatten() {
                match overlap(access, cell.access) {
                    Overlap::None => {}
                    // Only where addresses are is anything checked.
                    Overlap::Apart(..) => is_zero &= cell.words.numbers().is_none(),
                    Overlap::Same => {
                        words.join(&cell.words);
                    }
                    Overlap::Part => {
                        words.insert(Base::Number, Offset::ANY);
                        let bases = cell.words.bases().map(|(base, _)| base);
                        for base in bases.chain(cell.words.parts.iter().copied()) {
                            if bytes == word && cell.access.bytes < word {
                                words.insert(base, Offset::ANY);
                            } else {
                                words.insert_part(base);
                            }
                        }
                    }
                }
            }
        }
        words.insert(Base::Number, if is_zero { Offset::exact(0) } else { Offset::ANY });
        words
    }

    fn store(&mut self, place: &Place, stmt: usize, words: &Words) {
        let Place::Mem { addr, sort, .. } = place else {
            let Place::Var(var) = place else { unreachable!("a place is a variable or memory") };
            return self.set(var.index(), words);
        };
        let bytes = bytes_of(*sort);
        let (everywhere, typed) = (self.goes_everywhere[self.stmts[stmt].0], self.typed(stmt));
        for (base, offset) in self.words(stmt, *addr).bases() {
            self.write(base, offset, (bytes, typed), everywhere, words);
        }
    }

    /// As what a statement accesses memory.
    fn typed(&self, stmt: usize) -> Typed {
        let (p, e, s) = self.stmts[stmt];
        let site = self.program.procs[p].edges[e].stmts[s].site;
        self.layout.typed.get(&site).copied().unwrap_or_default()
    }

    /// Whether a read of an object may as well lead to another one, and its address shows which.
    fn is_of_several(&self, stmt: usize, base: Base) -> bool {
        matches!(base, Base::Object(_)) && self.several.contains(&stmt)
    }

    /// An access to an object.
    fn access(&self, base: Base, offset: Offset, bytes: u64, goes_everywhere: bool, typed: Typed) -> Access {
        let may_check = self.is_small(base) && !goes_everywhere;
        Access { offset, bytes, goes_everywhere, may_check, typed, is_one_of_several: false }
    }

    /// Whether an address shows how far it is from the start of its object.
    fn is_small(&self, base: Base) -> bool {
        match base {
            Base::Object(_) => true,
            Base::Site(_) => self.program.data_model == DataModel::Lp64,
            Base::Number => false,
        }
    }

    fn write(&mut self, base: Base, offset: Offset, (bytes, typed): (u64, Typed), everywhere: bool, words: &Words) {
        let access = self.access(base, offset, bytes, everywhere, typed);
        let cells = self.flow.cells.entry(base).or_default();
        let is_full = cells.len() >= MAX_CELLS;
        let is_same = |cell: &Cell| cell.access == access || is_full && cell.access.bytes == bytes;
        let is_new = match cells.iter_mut().find(|cell| is_same(cell)) {
            Some(cell) => {
                let joined = Access {
                    offset: cell.access.offset.join(offset),
                    goes_everywhere: cell.access.goes_everywhere || everywhere,
                    may_check: cell.access.may_check && !is_full,
                    typed: if cell.access.typed == typed { typed } else { Typed::Unknown },
                    ..access
                };
                let is_wider = joined != cell.access;
                cell.access = joined;
                cell.words.join(words) || is_wider
            }
            None => {
                cells.push(Cell { access, words: words.clone() });
                true
            }
        };
        if is_new {
            self.wake(base);
        }
    }

    /// What reads the object is looked at again.
    fn wake(&mut self, base: Base) {
        for reader in self.readers.get(&base).cloned().unwrap_or_default() {
            self.push(reader);
        }
    }
    /// What accesses have to stay away from, now that all is known.
    fn kept(&self) -> FxHashMap<usize, Vec<Kept>> {
        let (mut loads, mut stores) = (Vec::new(), Vec::new());
        // Whoever stored it, or nobody: what is there from the start counts, too.
        for (base, cells) in &self.flow.cells {
            let addresses = cells.iter().filter(|cell| cell.words.may_be_address() || !cell.words.parts.is_empty());
            stores.extend(addresses.map(|cell| apart::Stored { by: None, base: *base, access: cell.access }));
        }
        for (index, (proc, ..)) in self.stmts.iter().enumerate() {
            let (Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. }) = self.op(index) else {
                continue;
            };
            let Place::Mem { addr, sort, .. } = place else { continue };
            let (words, everywhere) = (self.words(index, *addr), self.goes_everywhere[*proc]);
            for (base, offset) in words.bases() {
                let access = Access {
                    is_one_of_several: self.is_of_several(index, base),
                    ..self.access(base, offset, bytes_of(*sort), everywhere, self.typed(index))
                };
                let one = apart::Stmt { number: index, base, access, others: words.exact_besides(base, offset) };
                if self.stores_address(index) {
                    let access = Access { is_one_of_several: false, ..access };
                    stores.push(apart::Stored { by: Some(one.clone()), base, access });
                }
                if !matches!(self.op(index), Op::Store { .. }) {
                    loads.push(one);
                }
            }
        }
        apart::kept(&loads, &stores)
    }

    /// Whether the statement may store an address or a part of one.
    fn stores_address(&self, stmt: usize) -> bool {
        let new = match self.op(stmt) {
            Op::Store { value, .. } => self.words(stmt, *value),
            Op::Rmw { new, .. } => self.after(stmt, *new),
            _ => return false,
        };
        // What a thread begins with is written as numbers.
        let is_initial = Some(self.stmts[stmt].0) == self.program.thread_init.map(|proc| proc.index());
        is_initial || new.may_be_address() || !new.parts.is_empty()
    }
}
