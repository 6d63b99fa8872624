//! Which objects can an address be in?
//!
//! Andersen's inclusion-based analysis over the whole program, without regard to order: what flows from a term flows from every
//! variable and address constant in it, so pointer arithmetic, casts and copying pointers byte by byte keep their objects; only what is
//! half a word or less and added to something else is a distance, no pointer. An abstract
//! object is a static object or all objects of one `Alloc` site; its contents are one cell. Calls inlined before give each
//! call its own variables, and scalarising gives each field its own, which is where the precision comes from.
//!
//! An address keeps the object it was computed from: indexing past an object never leads into another one (interp would
//! allow it if the addresses happen to hit, C does not). But where objects have fixed places, a sum may hide one: `a[p - b]` is `p` and a number, the
//! distance of `a` from `b`, as soon as constants are added up. So what is added to a sum by a large constant also leads to the objects that lie there. A word that was read from memory nobody wrote, or a number that was
//! made into a pointer, points nowhere; an input of pointer type points anywhere.
//!
//! Invariant: if an access of a valid execution touches an object, the object is in the set of the access's address.

use super::linear::{linear, number};
use super::uses::for_each_term;
use crate::access::local_written;
use crate::memory::{ObjectId, ObjectKind};
use crate::program::{Format, Program};
use crate::stmt::{AllocSite, Callee, Op, Place, Stmt};
use fixedbitset::FixedBitSet;
use logic::{Node, Op as TermOp, Pool, Sort, TermId, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// An abstract object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum AbstractObject {
    /// A static object.
    Static(ObjectId),
    /// All objects that the statement of this site makes.
    Made(AllocSite),
}

/// The answer for all terms of a program.
pub struct PointsTo {
    /// All abstract objects, in a fixed order.
    pub targets: Vec<AbstractObject>,
    sets: FxHashMap<TermId, FixedBitSet>,
    contents: Vec<FixedBitSet>,
    globals: FixedBitSet,
    passed: FixedBitSet,
}

impl PointsTo {
    /// Analyses a program.
    pub fn new(program: &Program) -> PointsTo {
        let mut solver = Solver::new(program);
        solver.add_program();
        solver.solve();
        solver.finish()
    }

    /// The objects that an address of the program can be in, as indices into `targets`; `None` if it can be anywhere.
    pub fn of(&self, addr: TermId) -> Option<Vec<usize>> {
        let set = self.sets.get(&addr)?;
        if set.contains(0) {
            return None;
        }
        Some(set.ones().map(|bit| bit - 1).collect())
    }

    /// Whether the object's address is only ever in variables of the thread that made it, so that no other thread can use it.
    pub fn stays_in_thread(&self, target: usize) -> bool {
        let bit = target + 1;
        !self.globals.contains(bit) && !self.passed.contains(bit) && !self.contents.iter().any(|set| set.contains(bit))
    }

    /// Whether the address of an object that is not static may be stored in the object.
    pub fn holds_pointers(&self, target: AbstractObject) -> bool {
        let index = self.targets.iter().position(|other| *other == target);
        let is_made = |bit: usize| bit == 0 || matches!(self.targets[bit - 1], AbstractObject::Made(_));
        index.is_none_or(|index| self.contents[index].ones().any(is_made))
    }
}

/// A node of the constraint graph: a variable, an object's contents, or a term.
type NodeId = usize;

/// Bit 0 of every set is "anywhere"; bit `i + 1` is target `i`.
struct Solver<'a> {
    program: &'a Program,
    targets: Vec<AbstractObject>,
    /// (first address, end, bit) of each static object with its surroundings, ascending.
    ranges: Vec<(u64, u64, usize)>,
    sets: Vec<FixedBitSet>,
    flows: Vec<FxHashSet<NodeId>>,
    sums: Vec<Sum>,
    /// By node: the sums that it is part of.
    part_of: Vec<Vec<usize>>,
    loads: Vec<Vec<NodeId>>,
    stores: Vec<Vec<NodeId>>,
    node_of: FxHashMap<TermId, NodeId>,
    queue: Vec<NodeId>,
    first_content: NodeId,
    results: NodeId,
}

/// A sum of nodes, each so many times, and a constant.
struct Sum {
    parts: Vec<(i64, NodeId)>,
    constant: i64,
    node: NodeId,
}

/// In how many ways parts of a sum are taken for addresses; beyond, it can be anywhere.
const MOST_WAYS: usize = 4096;

impl<'a> Solver<'a> {
    fn new(program: &'a Program) -> Solver<'a> {
        let mut targets: Vec<AbstractObject> =
            (0..program.objects.len() as u32).map(|id| AbstractObject::Static(ObjectId(id))).collect();
        let mut sites: Vec<AllocSite> = statements(program).filter_map(Stmt::alloc_site).collect();
        sites.sort_unstable();
        sites.dedup();
        targets.extend(sites.into_iter().map(AbstractObject::Made));
        let half = 1u64 << (program.data_model.granule_bits() - 1);
        let mut ranges: Vec<(u64, u64, usize)> = program
            .objects
            .iter()
            .enumerate()
            .map(|(index, object)| {
                (
                    object.base.saturating_sub(half),
                    object.base.saturating_add(object.size).saturating_add(half),
                    index + 1,
                )
            })
            .collect();
        ranges.sort_unstable();
        let n_vars = program.vars.len();
        let n_nodes = n_vars + targets.len() + 1;
        Solver {
            program,
            ranges,
            sets: vec![FixedBitSet::with_capacity(targets.len() + 1); n_nodes],
            flows: vec![FxHashSet::default(); n_nodes],
            sums: Vec::new(),
            part_of: vec![Vec::new(); n_nodes],
            loads: vec![Vec::new(); n_nodes],
            stores: vec![Vec::new(); n_nodes],
            node_of: FxHashMap::default(),
            queue: Vec::new(),
            first_content: n_vars,
            results: n_vars + targets.len(),
            targets,
        }
    }

    fn add_program(&mut self) {
        let program = self.program;
        for (index, object) in program.objects.iter().enumerate() {
            for (_, value) in &object.init {
                self.add_value(value, self.first_content + index);
            }
        }
        for (index, variable) in program.vars.iter().enumerate() {
            if let Some(value) = &variable.init {
                self.add_value(value, index);
            }
        }
        for proc in &program.procs {
            for stmt in proc.edges.iter().flat_map(|edge| &edge.stmts) {
                self.add_stmt(stmt);
            }
        }
    }

    fn add_stmt(&mut self, stmt: &Stmt) {
        let op = &stmt.op;
        for_each_term(op, &mut |term, _| {
            self.node(term);
        });
        match op {
            Op::Assign { var, value } => {
                let value = self.node(*value);
                self.flow(value, var.index());
            }
            Op::Havoc { var, kind: crate::stmt::HavocKind::Input } if self.is_pointer(*var) => {
                self.insert(var.index(), 0)
            }
            Op::Load { dst, place, .. } => self.read(place, dst.index()),
            Op::Store { place, value, .. } => {
                let value = self.node(*value);
                self.write(place, value);
            }
            Op::Rmw { dst, place, new, .. } => {
                self.read(place, dst.index());
                let new = self.node(*new);
                self.write(place, new);
            }
            Op::Alloc { dst, .. } => {
                let made = stmt.alloc_site().map(AbstractObject::Made);
                let index = self.targets.iter().position(|target| Some(*target) == made);
                self.insert(dst.index(), index.expect("every site is a target") + 1);
            }
            Op::Start { callee, args, .. } | Op::Call { callee, args, .. } => self.pass(op, *callee, args),
            Op::Join { result: Some(result), .. } => self.flow(self.results, result.index()),
            Op::Return(Some(value)) | Op::ExitThread(value) => {
                let value = self.node(*value);
                self.flow(value, self.results);
            }
            _ => {}
        }
    }

    fn is_pointer(&self, var: VarId) -> bool {
        self.program.var(var).format == Format::Pointer
    }

    fn pass(&mut self, op: &Op, callee: Callee, args: &[TermId]) {
        let program = self.program;
        let procs: Vec<usize> = match callee {
            Callee::Proc(proc) => vec![proc.index()],
            Callee::Pointer(_) => (0..program.procs.len()).collect(),
        };
        for proc in procs {
            for (param, arg) in program.procs[proc].params.iter().zip(args) {
                let arg = self.node(*arg);
                self.flow(arg, param.index());
            }
        }
        // Results of calls and of threads share a node: programs with calls are rarely analysed.
        if let (Op::Call { .. }, Some(result)) = (op, local_written(op)) {
            self.flow(self.results, result.index());
        }
    }

    fn read(&mut self, place: &Place, dst: NodeId) {
        match place {
            Place::Var(var) => self.flow(var.index(), dst),
            Place::Mem { addr, .. } => {
                let addr = self.node(*addr);
                self.loads[addr].push(dst);
                self.queue.push(addr);
            }
        }
    }

    fn write(&mut self, place: &Place, value: NodeId) {
        match place {
            Place::Var(var) => self.flow(value, var.index()),
            Place::Mem { addr, .. } => {
                let addr = self.node(*addr);
                self.stores[addr].push(value);
                self.queue.push(addr);
            }
        }
    }

    /// The node of a term: what its variables and constants point to. Truth values point nowhere.
    fn node(&mut self, term: TermId) -> NodeId {
        if let Some(var) = self.program.pool.as_var(term) {
            self.node_of.insert(term, var.index());
            return var.index();
        }
        if let Some(node) = self.node_of.get(&term) {
            return *node;
        }
        let node = self.sets.len();
        self.sets.push(FixedBitSet::with_capacity(self.targets.len() + 1));
        self.flows.push(FxHashSet::default());
        self.part_of.push(Vec::new());
        self.loads.push(Vec::new());
        self.stores.push(Vec::new());
        self.node_of.insert(term, node);
        let Leaves { vars, values, sums } = leaves(&self.program.pool, term);
        for sum in sums {
            self.add_sum(sum, node);
        }
        for value in values {
            self.add_value(&value, node);
        }
        for var in vars {
            self.flow(var.index(), node);
        }
        node
    }

    /// A sum with a constant that may lead from one object to another.
    fn add_sum(&mut self, sum: TermId, node: NodeId) {
        let pool = &self.program.pool;
        let mut parts = Vec::new();
        if pool.sort(sum) != Sort::Bv(self.program.data_model.word_bits()) || !linear(pool, sum, 1, &mut parts) {
            return;
        }
        let (mut constant, mut others) = (0i64, Vec::new());
        for (factor, part) in parts {
            match pool.node(part) {
                Node::Const(value) => {
                    constant = constant.wrapping_add(number(value).unwrap_or(0).wrapping_mul(factor));
                }
                _ => others.push((factor, part)),
            }
        }
        if constant.unsigned_abs() < 1 << (self.program.data_model.granule_bits() - 1) {
            return;
        }
        let parts: Vec<(i64, NodeId)> = others.into_iter().map(|(factor, part)| (factor, self.node(part))).collect();
        for (_, part) in &parts {
            self.part_of[*part].push(self.sums.len());
            self.queue.push(*part);
        }
        self.sums.push(Sum { parts, constant, node });
    }

    /// The objects where a sum leads if some of its parts point into objects that have places, and the others are numbers or cancel each other; `None` if there are very many ways.
    fn reached(&self, sum: &Sum) -> Option<Vec<usize>> {
        // Where the sum is, and how far it may be beyond.
        let mut ways: Vec<(u64, u64)> = vec![(sum.constant as u64, 0)];
        for (factor, part) in &sum.parts {
            let bits = self.sets[*part].ones().filter(|bit| *bit > 0);
            let places: Vec<(u64, u64)> = bits
                .filter_map(|bit| match self.targets[bit - 1] {
                    AbstractObject::Static(object) => Some(self.program.object(object)),
                    AbstractObject::Made(_) => None,
                })
                .map(|object| {
                    let first = if *factor < 0 { object.base.saturating_add(object.size) } else { object.base };
                    (first.wrapping_mul(*factor as u64), object.size.saturating_mul(factor.unsigned_abs()))
                })
                .collect();
            if ways.len() * (places.len() + 1) > MOST_WAYS {
                return None;
            }
            let further: Vec<(u64, u64)> = ways
                .iter()
                .flat_map(|(at, size)| {
                    places.iter().map(move |(first, more)| (at.wrapping_add(*first), size.saturating_add(*more)))
                })
                .collect();
            ways.extend(further);
        }
        let unused = 64 - self.program.data_model.word_bits();
        let mut found: Vec<usize> = Vec::new();
        for (start, size) in ways {
            let start = start << unused >> unused;
            let before = self.ranges.partition_point(|range| range.0 <= start.saturating_add(size));
            found.extend(self.ranges[..before].iter().rev().take_while(|range| range.1 > start).map(|range| range.2));
        }
        Some(found)
    }

    fn add_value(&mut self, value: &Value, node: NodeId) {
        let Value::Bv(word) = value else { return };
        let (true, Some(word)) = (word.width() == self.program.data_model.word_bits(), word.to_u64()) else { return };
        let after = self.ranges.partition_point(|(start, _, _)| *start <= word);
        let found: Vec<usize> = self.ranges[..after].iter().rev().take(2).filter(|r| word < r.1).map(|r| r.2).collect();
        for bit in found {
            self.insert(node, bit);
        }
    }

    fn insert(&mut self, node: NodeId, bit: usize) {
        if !self.sets[node].put(bit) {
            self.queue.push(node);
        }
    }

    fn flow(&mut self, from: NodeId, to: NodeId) {
        if from != to && self.flows[from].insert(to) {
            self.queue.push(from);
        }
    }

    fn solve(&mut self) {
        while let Some(node) = self.queue.pop() {
            if !self.loads[node].is_empty() || !self.stores[node].is_empty() {
                for content in self.contents_of(node) {
                    for dst in self.loads[node].clone() {
                        self.flow(content, dst);
                    }
                    for value in self.stores[node].clone() {
                        self.flow(value, content);
                    }
                }
            }
            let set = self.sets[node].clone();
            for sum in self.part_of[node].clone() {
                let to = self.sums[sum].node;
                match self.reached(&self.sums[sum]) {
                    Some(found) => found.into_iter().for_each(|bit| self.insert(to, bit)),
                    None => self.insert(to, 0),
                }
            }
            let mut next: Vec<NodeId> = self.flows[node].iter().copied().collect();
            next.sort_unstable();
            for to in next {
                if !set.is_subset(&self.sets[to]) {
                    self.sets[to].union_with(&set);
                    self.queue.push(to);
                }
            }
        }
    }

    fn contents_of(&self, addr: NodeId) -> Vec<NodeId> {
        let set = &self.sets[addr];
        if set.contains(0) {
            return (0..self.targets.len()).map(|target| self.first_content + target).collect();
        }
        set.ones().map(|bit| self.first_content + bit - 1).collect()
    }

    fn finish(self) -> PointsTo {
        let program = self.program;
        let n_bits = self.targets.len() + 1;
        let mut globals = FixedBitSet::with_capacity(n_bits);
        for (index, variable) in program.vars.iter().enumerate() {
            if variable.scope == crate::program::Scope::Global {
                globals.union_with(&self.sets[index]);
            }
        }
        let mut passed = self.sets[self.results].clone();
        for stmt in statements(program) {
            if let Op::Start { args, .. } = &stmt.op {
                args.iter().for_each(|arg| passed.union_with(&self.sets[self.node_of[arg]]));
            }
        }
        let contents = (0..self.targets.len()).map(|target| self.sets[self.first_content + target].clone()).collect();
        let sets = self.node_of.iter().map(|(term, node)| (*term, self.sets[*node].clone())).collect();
        PointsTo { targets: self.targets, sets, contents, globals, passed }
    }
}

fn statements(program: &Program) -> impl Iterator<Item = &Stmt> {
    program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts)
}

/// What a term's value comes from.
#[derive(Default)]
struct Leaves {
    /// The variables and constants whose bits can be in it.
    vars: Vec<VarId>,
    values: Vec<Value>,
    /// The largest sums and products in it.
    sums: Vec<TermId>,
}

fn leaves(pool: &Pool, term: TermId) -> Leaves {
    let mut found = Leaves::default();
    let mut seen = FxHashSet::default();
    let mut stack = vec![(term, false)];
    while let Some((term, is_in_sum)) = stack.pop() {
        if pool.sort(term) == Sort::Bool || !seen.insert((term, is_in_sum)) {
            continue;
        }
        let is_sum =
            matches!(pool.node(term), Node::App { op: TermOp::Add | TermOp::Sub | TermOp::Neg | TermOp::Mul, .. });
        if is_sum && !is_in_sum {
            found.sums.push(term);
        }
        match pool.node(term) {
            Node::Const(value) => found.values.push(value.clone()),
            Node::Var(var) => found.vars.push(*var),
            Node::App { op: TermOp::Add, .. } => {
                let (narrow, wide): (Vec<TermId>, Vec<TermId>) =
                    addends(pool, term).into_iter().partition(|addend| is_narrow(pool, *addend));
                // Half a word added to something else is a distance, even if it was read next to pointers.
                let has_more =
                    wide.iter().any(|addend| !matches!(pool.node(*addend), Node::Const(value) if is_small(value)));
                let parts = wide.into_iter().chain(narrow.into_iter().filter(|_| !has_more));
                stack.extend(parts.map(|part| (part, true)));
            }
            Node::App { args, .. } => stack.extend(args.iter().map(|arg| (*arg, is_sum))),
        }
    }
    found.vars.sort_unstable();
    found.vars.dedup();
    found
}

/// The parts of a sum.
fn addends(pool: &Pool, term: TermId) -> Vec<TermId> {
    let (mut found, mut stack) = (Vec::new(), vec![term]);
    while let Some(term) = stack.pop() {
        match pool.node(term) {
            Node::App { op: TermOp::Add, args } => stack.extend(args.iter().copied()),
            _ => found.push(term),
        }
    }
    found
}

/// Whether a term is a narrower one, made wide, perhaps times something small: no address by itself.
fn is_narrow(pool: &Pool, term: TermId) -> bool {
    match pool.node(term) {
        Node::App { op: TermOp::ZeroExtend(_) | TermOp::SignExtend(_), args } => {
            2 * pool.sort(args[0]).width().unwrap_or(u32::MAX / 2) <= pool.sort(term).width().unwrap_or(0)
        }
        Node::App { op: TermOp::Mul, args } => match args[..] {
            [a, b] => {
                let is_factor = |term: TermId| matches!(pool.node(term), Node::Const(value) if is_small(value));
                is_factor(a) && is_narrow(pool, b) || is_factor(b) && is_narrow(pool, a)
            }
            _ => false,
        },
        _ => false,
    }
}

fn is_small(value: &Value) -> bool {
    matches!(value, Value::Bv(bits) if bits.to_u64().is_some_and(|bits| bits < 1 << 16))
}

/// Whether accesses to the static object make sense.
pub(in crate::pass) fn is_data(kind: ObjectKind) -> bool {
    matches!(kind, ObjectKind::Data | ObjectKind::ReadOnly)
}
