//! Which allocations are arrays whose length nobody knows? They become a variable each that holds the whole array.
//!
//! An `Alloc` that runs at most once and whose size is computed makes one object of unknown size. If all accesses that may touch it are to whole cells of one size, and touch nothing
//! else, its contents are a map from addresses to cells: a global variable of an array sort, beside another that holds the size. Its address is a number that no other object has. An access
//! reads the size, checks that it is inside, and reads or changes the map. Engines that tell the cells of memory apart by their addresses could not name its cells; to
//! a solver, a map with any number of cells is as good as one with few.
//!
//! What a solver knows of addresses stays what C promises: an access is inside if its distance from the first byte is less than the size. A size for which the model of memory has no room is
//! not refused here, as it is elsewhere, so that more executions are looked at, never fewer.
//!
//! What only fills an array with inputs before anybody looks at it is left out (`fills`), and of loops that then only check, all rounds but one.
//!
//! It is no pass for those who ask for races (all cells become one variable), for leaks, or for wrong `free`s; an object that may be freed stays as it is.
//!
//! Invariant: accesses of a region are changed all or none.

use super::fills::{Spot, fills};
use super::promote::made_once;
use super::regions::{place_of, place_of_mut};
use crate::access::bytes_of;
use crate::memory::RegionId;
use crate::pass::analysis::points_to::{AbstractObject, PointsTo};
use crate::pass::control::uniform_loops::shorten_uniform_loops;
use crate::program::{Edge, EdgeId, Format, Program, Scope, Variable};
use crate::property::{Properties, Property};
use crate::stmt::{AllocSite, CheckKind, Op, Order, Place, Stmt};
use logic::{Scalar, Sort, TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// An object that becomes a variable.
struct Array {
    /// Where it is made.
    site: AllocSite,
    /// The bytes of a cell.
    len: u64,
    base: TermId,
    contents: VarId,
    size: VarId,
}

/// The program with objects of unknown size as variables, and perhaps without what only fills them. Its memory must be split into regions.
pub fn whole_arrays(program: Program, properties: Properties, drops_fills: bool) -> Program {
    let (program, filling) = with_arrays(program, properties, drops_fills);
    shorten_uniform_loops(program, properties, &filling)
}

/// The program with such variables, and the edges of the initial thread where one was only filled.
fn with_arrays(mut program: Program, properties: Properties, drops_fills: bool) -> (Program, Vec<EdgeId>) {
    let is_told_apart = [Property::Race, Property::MemTrack, Property::MemCleanup, Property::Free];
    if is_told_apart.iter().any(|property| properties.has(*property)) {
        return (program, Vec::new());
    }
    let found = candidates(&program);
    if found.is_empty() {
        return (program, Vec::new());
    }
    let model = program.data_model;
    let end_of = |object: &crate::memory::Object| (object.base >> model.granule_bits()) + model.granules(object.size);
    let mut next = program.objects.iter().map(end_of).max().unwrap_or(1).max(model.first_promoted());
    let mut arrays: FxHashMap<RegionId, Array> = FxHashMap::default();
    for (region, site, len) in found {
        let n_granules = model.granules(0);
        if next + n_granules >= model.first_dynamic() {
            break;
        }
        let word = model.word_bits();
        let base = program.pool.bv(word, next << model.granule_bits());
        next += n_granules;
        let sort = Sort::Array(Scalar::Bv(word), Scalar::Bv(8 * len as u32));
        let contents = declare(&mut program, "contents", sort, Scope::Global);
        let size = declare(&mut program, "size", Sort::Bv(word), Scope::Global);
        arrays.insert(region, Array { site, len, base, contents, size });
    }
    let is_arbitrary = |region| arrays.get(&region).is_some_and(|array: &Array| !is_zeroed(&program, array.site));
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

/// The regions of one object that becomes a variable, the site that makes it, and the bytes of its cells.
fn candidates(program: &Program) -> Vec<(RegionId, AllocSite, u64)> {
    let stmts = || program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    let is_anywhere =
        |stmt: &Stmt| matches!(place_of(&stmt.op), Some(Place::Mem { region, .. }) if *region == RegionId::ANYWHERE);
    if stmts().any(is_anywhere) {
        return Vec::new();
    }
    let points_to = PointsTo::new(program);
    let once = made_once(program);
    let is_freed = |site: AllocSite| {
        stmts().any(|stmt| match &stmt.op {
            Op::Free { addr, .. } => points_to
                .of(*addr)
                .is_none_or(|set| set.iter().any(|at| points_to.targets[*at] == AbstractObject::Made(site))),
            _ => false,
        })
    };
    let fits = |id: RegionId| {
        stmts().all(|stmt| match place_of(&stmt.op) {
            Some(Place::Mem { sort, region, .. }) if *region == id => matches!(sort, Scalar::Bv(_) | Scalar::Bool),
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
            && !is_freed(*site)
        {
            found.push((id, *site, len));
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
        if let Op::Alloc { dst, size, zeroed, .. } = stmt.op
            && let Some(array) = arrays.values().find(|array| Some(array.site) == stmt.alloc_site())
        {
            self.make(array, (dst, size, zeroed), &stmt, into);
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

    fn make(&mut self, array: &Array, (dst, size, zeroed): (VarId, TermId, bool), stmt: &Stmt, into: &mut Vec<Stmt>) {
        let mut push = |op: Op| into.push(Stmt { op, ..stmt.clone() });
        push(Op::Store { place: Place::Var(array.size), value: size, order: Order::Plain });
        if zeroed {
            let pool = &mut self.program.pool;
            let zero = pool.bv(8 * array.len as u32, 0);
            let word = self.program.data_model.word_bits();
            let value = pool.const_array(Scalar::Bv(word), zero);
            push(Op::Store { place: Place::Var(array.contents), value, order: Order::Plain });
        }
        push(Op::Assign { var: dst, value: array.base });
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
        let pool = &mut self.program.pool;
        let word = self.program.data_model.word_bits();
        let bounds = {
            let (size, len) = (pool.var(size), pool.bv(word, bytes_of(sort)));
            let (offset, last) = (pool.sub(addr, array.base), pool.sub(size, len));
            let (has_room, is_inside) = (pool.ule(len, size), pool.ule(offset, last));
            pool.and(has_room, is_inside)
        };
        let whole = pool.var(contents);
        let cell = pool.select(whole, addr);
        let element = from_cell(pool, sort, cell);
        let place = Place::Var(array.contents);
        let mut push = |op: Op| into.push(Stmt { op, ..stmt.clone() });
        push(Op::Load { dst: size, place: Place::Var(array.size), order: Order::Plain });
        push(Op::Check { cond: bounds, kind: CheckKind::Deref });
        match stmt.op.clone() {
            Op::Load { dst, order, .. } => {
                push(Op::Load { dst: contents, place, order });
                push(Op::Assign { var: dst, value: element });
            }
            // That the cell is inside still has to be.
            Op::Store { .. } if is_fill => {}
            Op::Store { value, order, .. } => {
                let cell = to_cell(pool, sort, value);
                let new = pool.store(whole, addr, cell);
                push(Op::Rmw { dst: contents, place, wait: None, owner: None, new, order, failure: None });
            }
            Op::Rmw { dst, wait, owner, new, order, failure, .. } => {
                let mut with_old = |term: TermId| pool.substitute(term, &|var| (var == dst).then_some(element));
                let (wait, owner, value) = (wait.map(&mut with_old), owner.map(&mut with_old), with_old(new));
                let cell = to_cell(pool, sort, value);
                let new = pool.store(whole, addr, cell);
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
