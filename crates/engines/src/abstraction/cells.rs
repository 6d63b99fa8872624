//! What does an abstract state speak about? Cells: globals, the variables of each thread, bytes of memory, and results of threads.
//!
//! Each cell is a variable of one pool, so that predicates, conditions and updates are plain terms over cells. The pool is a copy
//! of the program's, to which cells are added when somebody first needs them. Threads are told apart by their index, so that
//! the locals of two threads that run the same procedure are different cells. Memory is cut into cells of the size of the accesses
//! where all accesses of a region agree (`Region::is_exact`), and into bytes elsewhere.
//!
//! Invariant: two different cells never share a bit of the state.

use super::control::is_counted;
use ir::{DataModel, Fill, Program, RegionId, Scope, SiteId};
use logic::{Pool, Sort, TermId, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a cell is in the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Cell {
    /// A global variable.
    Global(VarId),
    /// A local or thread variable of a thread.
    Own(u32, VarId),
    /// Bytes of memory: address and length.
    Bytes(u64, u64),
    /// The word that a thread ended with.
    Result(u32),
}

/// All cells that were needed so far, and the pool they live in.
pub struct Cells<'p> {
    /// The program, whose terms are terms of `pool` too.
    pub program: &'p Program,
    /// All terms.
    pub pool: Pool,
    var_of: FxHashMap<Cell, VarId>,
    cell_of: FxHashMap<VarId, Cell>,
    /// The region through which a memory cell was first accessed.
    region_of: FxHashMap<VarId, RegionId>,
    /// All memory cells, in the order of their making.
    memory: Vec<VarId>,
    inputs: FxHashMap<(SiteId, u32, u32), VarId>,
    copies: FxHashMap<(VarId, u32), VarId>,
    origin: FxHashMap<VarId, VarId>,
    vars: FxHashMap<TermId, std::rc::Rc<[VarId]>>,
    /// Whether no access can be anywhere, so that regions tell cells apart.
    has_regions: bool,
    /// Statements whose threads are counted.
    pub counted_sites: FxHashSet<SiteId>,
}

impl<'p> Cells<'p> {
    /// No cells yet.
    pub fn new(program: &'p Program) -> Cells<'p> {
        let stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
        let mut regions = stmts.flat_map(|stmt| stmt.accesses()).filter_map(|access| match access.target {
            ir::access::Target::Mem { region, .. } => Some(region),
            _ => None,
        });
        Cells {
            program,
            pool: program.pool.clone(),
            var_of: FxHashMap::default(),
            cell_of: FxHashMap::default(),
            region_of: FxHashMap::default(),
            memory: Vec::new(),
            inputs: FxHashMap::default(),
            copies: FxHashMap::default(),
            origin: FxHashMap::default(),
            vars: FxHashMap::default(),
            has_regions: !regions.any(|region| region == RegionId::ANYWHERE),
            counted_sites: FxHashSet::default(),
        }
    }

    /// The term with the variables of one thread in place of those of another.
    pub fn rename(&mut self, term: TermId, from: u32, to: u32) -> TermId {
        let vars = self.vars_in(term);
        let mut map: Vec<(VarId, TermId)> = Vec::new();
        for var in vars.iter() {
            if let Some(Cell::Own(thread, own)) = self.cell(*var)
                && thread == from
            {
                let other = self.var(Cell::Own(to, own));
                map.push((*var, self.pool.var(other)));
            }
        }
        if map.is_empty() {
            return term;
        }
        self.pool.substitute(term, &|var| map.iter().find(|(old, _)| *old == var).map(|(_, new)| *new))
    }

    /// Bits of a pointer.
    pub fn word(&self) -> u32 {
        self.program.data_model.word_bits()
    }

    /// Sizes and addresses.
    pub fn model(&self) -> DataModel {
        self.program.data_model
    }

    /// Whether accesses of a region are to whole cells.
    pub fn is_exact(&self, region: RegionId) -> bool {
        self.has_regions && self.program.regions[region.0 as usize].is_exact
    }

    /// The variable that stands for a cell.
    pub fn var(&mut self, cell: Cell) -> VarId {
        if let Some(var) = self.var_of.get(&cell) {
            return *var;
        }
        let var = match cell {
            Cell::Global(var) => var,
            Cell::Own(thread, var) => {
                let name = format!("{}@{thread}", self.pool.var_name(var));
                self.pool.declare(&name, self.pool.var_sort(var))
            }
            Cell::Bytes(addr, len) => self.pool.declare(&format!("[{addr:#x};{len}]"), Sort::Bv(8 * len as u32)),
            Cell::Result(thread) => self.pool.declare(&format!("result@{thread}"), Sort::Bv(self.word())),
        };
        self.var_of.insert(cell, var);
        self.cell_of.insert(var, cell);
        if let Cell::Bytes(..) = cell {
            self.memory.push(var);
        }
        var
    }

    /// The variable of a memory cell that is accessed through a region.
    pub fn memory_var(&mut self, addr: u64, len: u64, region: RegionId) -> VarId {
        let var = self.var(Cell::Bytes(addr, len));
        let known = self.region_of.entry(var).or_insert(region);
        if *known != region {
            *known = RegionId::ANYWHERE;
        }
        var
    }

    /// The memory cells that an access of a region may touch.
    pub fn memory_in(&self, region: RegionId) -> Vec<VarId> {
        let touches = |var: &&VarId| {
            let other = self.region_of.get(var).copied().unwrap_or(RegionId::ANYWHERE);
            region == RegionId::ANYWHERE || other == RegionId::ANYWHERE || other == region
        };
        self.memory.iter().filter(touches).copied().collect()
    }

    /// The memory cells inside a range of addresses.
    pub fn memory_between(&self, base: u64, size: u64) -> Vec<VarId> {
        let is_inside = |var: &&VarId| match self.cell_of.get(var) {
            Some(Cell::Bytes(addr, _)) => *addr >= base && *addr - base < size,
            _ => false,
        };
        self.memory.iter().filter(is_inside).copied().collect()
    }

    /// What a variable of the pool stands for, if it is a cell.
    pub fn cell(&self, var: VarId) -> Option<Cell> {
        self.cell_of.get(&var).copied()
    }

    /// How many cells of memory are known.
    pub fn n_memory(&self) -> usize {
        self.memory.len()
    }

    /// All cells with their variables, in no particular order.
    pub fn all(&self) -> impl Iterator<Item = (VarId, Cell)> + '_ {
        self.cell_of.iter().map(|(var, cell)| (*var, *cell))
    }

    /// The region of a memory cell.
    pub fn region(&self, var: VarId) -> RegionId {
        self.region_of.get(&var).copied().unwrap_or(RegionId::ANYWHERE)
    }

    /// The variable for the `n`-th input of a statement on an edge of a thread.
    pub fn input(&mut self, site: SiteId, thread: u32, n: u32, sort: Sort) -> VarId {
        if let Some(var) = self.inputs.get(&(site, thread, n)) {
            if self.pool.var_sort(*var) == sort {
                return *var;
            }
            return self.pool.declare("input", sort);
        }
        let var = self.pool.declare("input", sort);
        self.inputs.insert((site, thread, n), var);
        var
    }

    /// A copy of a variable for a moment of a path.
    pub fn copy(&mut self, var: VarId, version: u32) -> VarId {
        if let Some(copy) = self.copies.get(&(var, version)) {
            return *copy;
        }
        let copy = self.pool.declare(&format!("{}'{version}", self.pool.var_name(var)), self.pool.var_sort(var));
        self.copies.insert((var, version), copy);
        self.origin.insert(copy, var);
        copy
    }

    /// The variable that a copy was made of.
    pub fn origin(&self, copy: VarId) -> Option<VarId> {
        self.origin.get(&copy).copied()
    }

    /// The variables that occur in a term, remembered.
    pub fn vars_in(&mut self, term: TermId) -> std::rc::Rc<[VarId]> {
        if let Some(vars) = self.vars.get(&term) {
            return vars.clone();
        }
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            match self.pool.node(term) {
                logic::Node::Var(var) => found.push(*var),
                node => open.extend(node.args().iter().copied()),
            }
        }
        found.sort_unstable();
        let vars: std::rc::Rc<[VarId]> = found.into();
        self.vars.insert(term, vars.clone());
        vars
    }

    /// The value of a cell before the first step, or before its thread starts; `None` if it may be any.
    pub fn initial(&mut self, var: VarId) -> Option<TermId> {
        let value = match self.cell_of.get(&var).copied()? {
            Cell::Global(var) => self.program.var(var).init.clone()?,
            Cell::Own(thread, own) if own == self.program.self_var && is_counted(thread) => return None,
            Cell::Own(thread, own) if own == self.program.self_var => Value::bv(self.word(), u64::from(thread) + 1),
            Cell::Own(_, own) => match self.program.var(own).scope {
                Scope::Thread => self.program.var(own).init.clone()?,
                _ => Value::zero(self.pool.var_sort(own)),
            },
            Cell::Bytes(addr, len) => Value::Bv(logic::BitVec::from_bytes_le(8 * len as u32, &self.bytes(addr, len)?)),
            Cell::Result(_) => Value::bv(self.word(), 0),
        };
        Some(self.pool.constant(value.normalised()))
    }

    /// What static memory holds at the start; `None` if a byte may be anything.
    fn bytes(&self, addr: u64, len: u64) -> Option<Vec<u8>> {
        let object =
            self.program.objects.iter().find(|object| addr >= object.base && addr - object.base < object.size)?;
        let offset = addr - object.base;
        let byte = |at: u64| {
            let init = object.init.iter().find_map(|(start, value)| {
                let bytes = ir::interp::to_bytes(value);
                bytes.get(usize::try_from(at.checked_sub(*start)?).ok()?).copied()
            });
            init.or(match object.fill {
                Fill::Zero => Some(0),
                Fill::Any => None,
            })
        };
        (offset..offset + len).map(byte).collect()
    }
}
