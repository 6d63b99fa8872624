//! Which allocations are arrays whose length nobody knows? They become a variable each that holds the whole array.
//!
//! An `Alloc` that runs at most once and whose size is computed makes one object of unknown size. If all accesses that may touch it are to whole cells of one size, and touch nothing
//! else, its contents are a map from addresses, or what counts them (`numbering`), to cells: a global variable of an array sort, beside another that holds the size. Its address is a number that
//! no other object has. An access reads the size, checks that it is inside, and reads or changes the map. Engines that tell the cells of memory apart by their addresses could not name its cells; to
//! a solver, a map with any number of cells is as good as one with few.
//!
//! What a solver knows of addresses stays what C promises: an access is inside if its distance from the first byte is less than the size. A size for which the model of memory has no room is
//! not refused here, as it is elsewhere, so that more executions are looked at, never fewer.
//!
//! What only fills an array with inputs before anybody looks at it is left out (`fills`), and of loops that then only check, all rounds but one.
//!
//! It is no pass for those who ask for races (all cells become one variable) or for leaks, nor where stores wait in buffers: a write of one cell reads and writes the whole array in one step. An object that is freed has size zero from then on.
//!
//! Invariant: accesses of a region are changed all or none.

use super::fills::{Spot, fills};
use super::nullable::{holders, never_null, nullable};
use super::numbering::Number;
use super::promote::made_once;
use super::regions::{place_of, place_of_mut};
use crate::access::bytes_of;
use crate::memory::RegionId;
use crate::model::Model;
use crate::pass::analysis::points_to::{AbstractObject, PointsTo};
use crate::pass::analysis::uses::for_each_var;
use crate::pass::control::uniform_loops::shorten_uniform_loops;
use crate::pass::values::constants::propagate_constants;
use crate::pass::values::dead_code::drop_dead;
use crate::pass::values::set_once::read_what_was_set;
use crate::program::{Edge, EdgeId, Format, Program, Scope, Variable};
use crate::property::{Properties, Property};
use crate::stmt::{AllocSite, CheckKind, Op, Order, Place, Stmt};
use fixedbitset::FixedBitSet;
use logic::{Node, Op as TermOp, Pool, Scalar, Sort, TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// An object that becomes a variable: the only one of its region.
struct Found {
    region: RegionId,
    /// Where it is made.
    site: AllocSite,
    /// The bytes of a cell.
    len: u64,
    /// The number that is its address.
    base: TermId,
    /// Whether it was made and whether it was freed, if it may be: a number of [`life`].
    life: Option<VarId>,
    /// The variables that may hold an address in it.
    holders: FixedBitSet,
}

/// An object that may become one.
struct Candidate {
    region: RegionId,
    site: AllocSite,
    /// The bytes of its cells.
    len: u64,
    /// The addresses that end it.
    freed: Vec<TermId>,
    holders: FixedBitSet,
}

/// Its variables.
struct Array {
    found: Found,
    /// The variables that hold null or its address.
    pointers: FixedBitSet,
    /// By what its cells are told apart, if not by their addresses.
    number: Option<Number>,
    contents: VarId,
    size: VarId,
    /// Whether the size is a number of cells, and whether that has a sign; otherwise it is a number of bytes.
    counts: Option<bool>,
}

/// What a variable says of an object that may be freed. A size of zero says that it cannot be accessed, before and after.
mod life {
    pub(super) const BITS: u32 = 8;
    pub(super) const MADE: u64 = 1;
    pub(super) const FREED: u64 = 2;
}

/// The program with objects of unknown size as variables, and perhaps without what only fills them. Its memory must be split into regions.
pub fn whole_arrays(program: Program, properties: Properties, drops_fills: bool) -> Program {
    let is_told_apart = [Property::Race, Property::MemTrack, Property::MemCleanup];
    if program.model != Model::Sc || is_told_apart.iter().any(|property| properties.has(*property)) {
        return program;
    }
    let (program, found) = with_bases(program);
    if found.is_empty() {
        return program;
    }
    let program = propagate_constants(read_what_was_set(propagate_constants(program, true)), true);
    let (program, filling) = with_arrays(program, found, drops_fills);
    drop_dead(shorten_uniform_loops(program, properties, &filling), properties, true)
}

/// The program in which pointers to such objects are numbers that no other object has, and what there is of them.
fn with_bases(mut program: Program) -> (Program, Vec<Found>) {
    let model = program.data_model;
    let end_of = |object: &crate::memory::Object| (object.base >> model.granule_bits()) + model.granules(object.size);
    let mut next = program.objects.iter().map(end_of).max().unwrap_or(1).max(model.first_promoted());
    let (mut found, mut frees) = (Vec::new(), FxHashMap::default());
    for Candidate { region, site, len, freed, holders } in candidates(&program) {
        let n_granules = model.granules(0);
        if next + n_granules >= model.first_dynamic() {
            break;
        }
        let base = program.pool.bv(model.word_bits(), next << model.granule_bits());
        never_null(&mut program, region, site, base);
        let life = (!freed.is_empty()).then(|| declare(&mut program, "life", Sort::Bv(life::BITS), Scope::Global));
        found.push(Found { region, site, len, base, life, holders });
        frees.extend(freed.into_iter().map(|addr| (addr, found.len() - 1)));
        next += n_granules;
    }
    for index in 0..program.procs.len() {
        let mut edges = std::mem::take(&mut program.procs[index].edges);
        let mut olds = FxHashMap::default();
        for edge in &mut edges {
            for stmt in std::mem::take(&mut edge.stmts) {
                match &stmt.op {
                    Op::Alloc { .. } => with_base(&mut program, &found, stmt, &mut edge.stmts),
                    Op::Free { addr, .. } if let Some(one) = frees.get(addr) => {
                        freed(&mut program, (&found[*one], &mut olds), &stmt, *addr, &mut edge.stmts);
                    }
                    _ => edge.stmts.push(stmt),
                }
            }
        }
        program.procs[index].edges = edges;
    }
    (program, found)
}

/// A statement, and after it that the pointer it makes is the number of its object.
fn with_base(program: &mut Program, found: &[Found], mut stmt: Stmt, into: &mut Vec<Stmt>) {
    let one = found.iter().find(|one| Some(one.site) == stmt.alloc_site());
    let (Some(one), Op::Alloc { dst, .. }) = (one, &mut stmt.op) else {
        into.push(stmt);
        return;
    };
    let pointer = *dst;
    *dst = declare(program, "made", program.pool.var_sort(pointer), Scope::Local);
    let is_base = Stmt { op: Op::Assign { var: pointer, value: one.base }, ..stmt.clone() };
    let is_made = one.life.map(|life| {
        let value = program.pool.bv(life::BITS, life::MADE);
        Stmt { op: Op::Store { place: Place::Var(life), value, order: Order::Plain }, ..stmt.clone() }
    });
    into.extend([Some(stmt), Some(is_base), is_made].into_iter().flatten());
}

/// That it ends, if the address is not null: nothing, where there is none because it would be empty.
fn freed(
    program: &mut Program,
    (one, olds): (&Found, &mut FxHashMap<VarId, VarId>),
    stmt: &Stmt,
    addr: TermId,
    into: &mut Vec<Stmt>,
) {
    let Some(life) = one.life else { return };
    let place = Place::Var(life);
    let dst = *olds.entry(life).or_insert_with(|| declare(program, "life", Sort::Bv(life::BITS), Scope::Local));
    let pool = &mut program.pool;
    let null = pool.bv(program.data_model.word_bits(), 0);
    let [made, freed] = [life::MADE, life::FREED].map(|number| pool.bv(life::BITS, number));
    let old = pool.var(dst);
    let (is_null, is_base) = (pool.eq(addr, null), pool.eq(addr, one.base));
    let (is_made, is_not_freed) = (pool.eq(old, made), pool.ne(old, freed));
    let cond = pool.and(is_base, is_not_freed);
    let cond = pool.or(is_null, cond);
    let ends = pool.and(is_base, is_made);
    let value = pool.ite(ends, freed, old);
    let ops = [
        Op::Load { dst, place, order: Order::Plain },
        Op::Check { cond, kind: CheckKind::Free },
        Op::Store { place, value, order: Order::Plain },
    ];
    into.extend(ops.map(|op| Stmt { op, ..stmt.clone() }));
}

/// The program with a variable for each of these objects, and the edges of the initial thread where one was only filled.
fn with_arrays(mut program: Program, found: Vec<Found>, drops_fills: bool) -> (Program, Vec<EdgeId>) {
    let arrays: FxHashMap<RegionId, Array> =
        found.into_iter().map(|found| (found.region, array(&mut program, found))).collect();
    let is_arbitrary = |region| arrays.get(&region).is_some_and(|array: &Array| !is_zeroed(&program, array.found.site));
    let fills = if drops_fills { fills(&program, is_arbitrary) } else { FxHashSet::default() };
    let mut filling: Vec<EdgeId> = fills.iter().map(|(edge, _)| EdgeId(*edge as u32)).collect();
    filling.sort_unstable();
    for index in 0..program.procs.len() {
        let fills = if index == program.main.index() { fills.clone() } else { FxHashSet::default() };
        let mut edges = std::mem::take(&mut program.procs[index].edges);
        let mut rewriter = Rewriter { program: &mut program, arrays: &arrays, locals: FxHashMap::default(), fills };
        edges.iter_mut().enumerate().for_each(|(index, edge)| rewriter.edge(index, edge));
        program.procs[index].edges = edges;
    }
    (program, filling)
}

/// The variables of an object.
fn array(program: &mut Program, found: Found) -> Array {
    let Found { region, site, len, base, .. } = found;
    let (mut addresses, mut bytes) = (Vec::new(), None);
    for stmt in program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts) {
        match (&stmt.op, place_of(&stmt.op)) {
            (Op::Alloc { size, .. }, _) if stmt.alloc_site() == Some(site) => bytes = Some(*size),
            (_, Some(Place::Mem { addr, region: other, .. })) if *other == region => addresses.push(*addr),
            _ => {}
        }
    }
    let pointers = nullable(program, &found.holders, base);
    let pool = &mut program.pool;
    let distances: Vec<TermId> = addresses.into_iter().map(|addr| distance(pool, (base, &pointers), addr)).collect();
    let number = Number::of_all(pool, &distances, len);
    let counts = number.zip(bytes).and_then(|(number, bytes)| number.count(pool, bytes, len)).map(|(_, signed)| signed);
    let word = Scalar::Bv(program.data_model.word_bits());
    let index = number.map_or(word, Number::sort);
    let contents = declare(program, "contents", Sort::Array(index, Scalar::Bv(8 * len as u32)), Scope::Global);
    let size = declare(program, "size", counts.map_or(word, |_| index).into(), Scope::Global);
    Array { found, pointers, number, contents, size, counts }
}

/// How far behind the first byte an address is, if the pointers in it are not null.
fn distance(pool: &mut Pool, (base, pointers): (TermId, &FixedBitSet), addr: TermId) -> TermId {
    let addr = pool.substitute(addr, &|var| pointers.contains(var.index()).then_some(base));
    pool.sub(addr, base)
}

/// Whether the objects of a site hold zeros at first.
fn is_zeroed(program: &Program, site: AllocSite) -> bool {
    let mut stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    stmts.any(|stmt| stmt.alloc_site() == Some(site) && matches!(stmt.op, Op::Alloc { zeroed: true, .. }))
}

/// A variable that the program did not have.
pub(in crate::pass) fn declare(program: &mut Program, name: &str, sort: Sort, scope: Scope) -> VarId {
    let init = match (scope, sort) {
        (Scope::Global, Sort::Bv(width)) => Some(logic::Value::bv(width, 0)),
        _ => None,
    };
    let variable =
        Variable { scope, init, format: Format::default(), span: crate::source::Span::NOWHERE, is_temporary: true };
    program.declare(name, sort, variable)
}

/// The objects that may become variables: each the only one of its region, made at most once.
fn candidates(program: &Program) -> Vec<Candidate> {
    let stmts = || program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    let is_anywhere =
        |stmt: &Stmt| matches!(place_of(&stmt.op), Some(Place::Mem { region, .. }) if *region == RegionId::ANYWHERE);
    if stmts().any(is_anywhere) {
        return Vec::new();
    }
    let points_to = PointsTo::new(program);
    let once = made_once(program);
    let kind_of = |site: AllocSite| {
        stmts().find_map(|stmt| match stmt.op {
            Op::Alloc { kind, .. } if stmt.alloc_site() == Some(site) => Some(kind),
            _ => None,
        })
    };
    // The addresses that end an object, if they can end nothing else.
    let freed_by = |site: AllocSite| {
        let mut addresses = Vec::new();
        for stmt in stmts() {
            let Op::Free { addr, kind } = &stmt.op else { continue };
            let targets = points_to.of(*addr)?;
            let n_made = targets.iter().filter(|at| points_to.targets[**at] == AbstractObject::Made(site)).count();
            match n_made {
                0 => {}
                _ if n_made == targets.len() && kind_of(site) == Some(*kind) => addresses.push(*addr),
                _ => return None,
            }
        }
        Some(addresses)
    };
    let fits = |id: RegionId| {
        stmts().all(|stmt| match place_of(&stmt.op) {
            Some(Place::Mem { sort, region, .. }) if *region == id => matches!(sort, Scalar::Bv(_) | Scalar::Bool),
            _ => true,
        })
    };
    let is_constant = |term: TermId| program.pool.as_const(term).is_some();
    // An object that is freed, of a size that is known, no cell of which is computed, is better told by its parts.
    let has_parts = |id: RegionId, site: AllocSite| {
        stmts().all(|stmt| match (&stmt.op, place_of(&stmt.op)) {
            (Op::Alloc { size, .. }, _) if stmt.alloc_site() == Some(site) => is_constant(*size),
            (_, Some(Place::Mem { addr, region, .. })) if *region == id => match program.pool.node(*addr) {
                Node::App { op: TermOp::Add, args } => args.iter().any(|arg| is_constant(*arg)),
                Node::App { .. } => false,
                _ => true,
            },
            _ => true,
        })
    };
    let mut found = Vec::new();
    for (index, region) in program.regions.iter().enumerate().skip(1) {
        let id = RegionId(index as u32);
        if let ([site], [], Some(len)) = (&region.sites[..], &region.objects[..], region.cell)
            && region.is_exact
            && once.contains(site)
            && fits(id)
            && let Some(freed) = freed_by(*site)
            && (freed.is_empty() || !has_parts(id, *site))
            && let Some(holders) = holders(program, id, *site)
        {
            found.push(Candidate { region: id, site: *site, len, freed, holders });
        }
    }
    found
}

struct Rewriter<'a> {
    program: &'a mut Program,
    arrays: &'a FxHashMap<RegionId, Array>,
    /// The locals of this procedure that hold the size and the contents of an array.
    locals: FxHashMap<RegionId, (VarId, VarId)>,
    /// Writes of this procedure that change nothing.
    fills: FxHashSet<Spot>,
}

impl Rewriter<'_> {
    fn edge(&mut self, index: usize, edge: &mut Edge) {
        let mut stmts = Vec::with_capacity(edge.stmts.len());
        for (at, stmt) in std::mem::take(&mut edge.stmts).into_iter().enumerate() {
            let is_fill = self.fills.contains(&(index, at));
            self.stmt(stmt, is_fill, &mut stmts);
        }
        edge.stmts = stmts;
    }

    fn stmt(&mut self, mut stmt: Stmt, is_fill: bool, into: &mut Vec<Stmt>) {
        let arrays = self.arrays;
        if let Op::Alloc { size, zeroed, .. } = stmt.op
            && let Some(array) = arrays.values().find(|array| Some(array.found.site) == stmt.alloc_site())
        {
            self.make(array, (size, zeroed), &stmt, into);
            return;
        }
        if let Op::Store { place: Place::Var(var), value, .. } = stmt.op
            && let Some(array) = arrays.values().find(|array| array.found.life == Some(var))
        {
            self.end(array, value, stmt, into);
            return;
        }
        let Some(Place::Mem { addr, sort, region }) = place_of_mut(&mut stmt.op).copied() else {
            into.push(stmt);
            return;
        };
        match arrays.get(&region) {
            Some(array) => self.access(array, (addr, sort, region), &stmt, is_fill, into),
            None => into.push(stmt),
        }
    }

    fn make(&mut self, array: &Array, (bytes, zeroed): (TermId, bool), stmt: &Stmt, into: &mut Vec<Stmt>) {
        let pool = &mut self.program.pool;
        let mut push = |op: Op| into.push(Stmt { op, ..stmt.clone() });
        let counted = array.number.filter(|_| array.counts.is_some());
        let count = counted.and_then(|number| number.count(pool, bytes, array.found.len));
        let value = count.map_or(bytes, |(count, _)| count);
        push(Op::Store { place: Place::Var(array.size), value, order: Order::Plain });
        if zeroed && let Sort::Array(index, _) = pool.var_sort(array.contents) {
            let zero = pool.bv(8 * array.found.len as u32, 0);
            let value = pool.const_array(index, zero);
            push(Op::Store { place: Place::Var(array.contents), value, order: Order::Plain });
        }
    }

    /// Says of the object whether it is made or freed. What is freed has no cells.
    fn end(&mut self, array: &Array, life: TermId, stmt: Stmt, into: &mut Vec<Stmt>) {
        let (size, _) = self.locals(array.found.region, array);
        let pool = &mut self.program.pool;
        let (freed, sort) = (pool.bv(life::BITS, life::FREED), pool.var_sort(size));
        let (is_freed, nothing, old) = (pool.eq(life, freed), pool.constant(logic::Value::zero(sort)), pool.var(size));
        let value = pool.ite(is_freed, nothing, old);
        if value != old {
            let ops = [
                Op::Load { dst: size, place: Place::Var(array.size), order: Order::Plain },
                Op::Store { place: Place::Var(array.size), value, order: Order::Plain },
            ];
            into.extend(ops.map(|op| Stmt { op, ..stmt.clone() }));
        }
        into.push(stmt);
    }

    /// By what the cell at an address is named, and whether it is one of the array's.
    fn cell(&mut self, array: &Array, addr: TermId, size: VarId) -> (TermId, TermId) {
        let pool = &mut self.program.pool;
        let (distance, size) = (distance(pool, (array.found.base, &array.pointers), addr), pool.var(size));
        let at = array.number.map(|number| {
            let at = number.at(pool, distance, array.found.len);
            (number, at.expect("what counts the cells of all accesses counts this one"))
        });
        let is_inside = match (at, array.counts) {
            (Some((number, at)), Some(has_sign)) => number.is_inside(pool, at, (size, has_sign)),
            _ => {
                let len = pool.bv(self.program.data_model.word_bits(), array.found.len);
                let last = pool.sub(size, len);
                let (has_room, is_inside) = (pool.ule(len, size), pool.ule(distance, last));
                pool.and(has_room, is_inside)
            }
        };
        let mut pointers = Vec::new();
        for_each_var(pool, addr, &mut |var| pointers.extend(array.pointers.contains(var.index()).then_some(var)));
        let null = pool.bv(self.program.data_model.word_bits(), 0);
        let is_inside = pointers.into_iter().fold(is_inside, |is_inside, var| {
            let pointer = pool.var(var);
            let is_some = pool.ne(pointer, null);
            pool.and(is_some, is_inside)
        });
        (at.map_or(addr, |(_, at)| at), is_inside)
    }

    fn access(
        &mut self,
        array: &Array,
        (addr, sort, region): (TermId, Scalar, RegionId),
        stmt: &Stmt,
        is_fill: bool,
        into: &mut Vec<Stmt>,
    ) {
        let (size, contents) = self.locals(region, array);
        let (at, is_inside) = self.cell(array, addr, size);
        let pool = &mut self.program.pool;
        let whole = pool.var(contents);
        let cell = pool.select(whole, at);
        let element = from_cell(pool, sort, cell);
        let place = Place::Var(array.contents);
        let mut push = |op: Op| into.push(Stmt { op, ..stmt.clone() });
        push(Op::Load { dst: size, place: Place::Var(array.size), order: Order::Plain });
        push(Op::Check { cond: is_inside, kind: CheckKind::Deref });
        match stmt.op.clone() {
            Op::Load { dst, order, .. } => {
                push(Op::Load { dst: contents, place, order });
                push(Op::Assign { var: dst, value: element });
            }
            // That the cell is inside still has to be.
            Op::Store { .. } if is_fill => {}
            Op::Store { value, order, .. } => {
                let cell = to_cell(pool, sort, value);
                let new = pool.store(whole, at, cell);
                push(Op::Rmw { dst: contents, place, wait: None, owner: None, new, order, failure: None });
            }
            Op::Rmw { dst, wait, owner, new, order, failure, .. } => {
                let mut with_old = |term: TermId| pool.substitute(term, &|var| (var == dst).then_some(element));
                let (wait, owner, value) = (wait.map(&mut with_old), owner.map(&mut with_old), with_old(new));
                let cell = to_cell(pool, sort, value);
                let new = pool.store(whole, at, cell);
                push(Op::Rmw { dst: contents, place, wait, owner, new, order, failure });
                push(Op::Assign { var: dst, value: element });
            }
            _ => unreachable!("nothing else accesses memory"),
        }
    }

    fn locals(&mut self, region: RegionId, array: &Array) -> (VarId, VarId) {
        if let Some(known) = self.locals.get(&region) {
            return *known;
        }
        let sort_of = |program: &Program, var: VarId| program.pool.var_sort(var);
        let (size, contents) = (sort_of(self.program, array.size), sort_of(self.program, array.contents));
        let size = declare(self.program, "size", size, Scope::Local);
        let contents = declare(self.program, "contents", contents, Scope::Local);
        self.locals.insert(region, (size, contents));
        (size, contents)
    }
}

/// What a cell holds, as a value.
fn from_cell(pool: &mut logic::Pool, sort: Scalar, cell: TermId) -> TermId {
    match sort {
        Scalar::Bool => {
            let zero = pool.bv(8, 0);
            pool.ne(cell, zero)
        }
        Scalar::Bv(width) => pool.extract(cell, width - 1, 0),
        Scalar::F32 | Scalar::F64 => unreachable!("floats stay in memory"),
    }
}

/// A value as a cell holds it.
fn to_cell(pool: &mut logic::Pool, sort: Scalar, value: TermId) -> TermId {
    match sort {
        Scalar::Bool => {
            let (zero, one) = (pool.bv(8, 0), pool.bv(8, 1));
            pool.ite(value, one, zero)
        }
        Scalar::Bv(_) => pool.zero_extend(value, 8 * bytes_of(sort) as u32),
        Scalar::F32 | Scalar::F64 => unreachable!("floats stay in memory"),
    }
}
