//! What does an edge do? Read once more from its statements, for the checker alone.
//!
//! The result is about the variables of the certificate before the step: under which condition the edge is taken, waits or goes wrong, and the
//! new values. Terms are built from the front of the edge to its end, with the current value of each cell at hand. It is short because it may refuse:
//! what certificates of programs with computed addresses would need is not read.

use ir::access::{Access, Target, bytes_of};
use ir::{
    Callee, CellName, CheckKind, EdgeRef, Fill, ObjectKind, Op, Place, ProcId, Program, Properties, Property, SiteId,
    Standing,
};
use logic::{Pool, Scalar, Sort, TermId, Value, VarId};
use rustc_hash::FxHashMap;

/// Why an edge was not read.
pub(super) struct Unreadable(pub(super) String);

/// How control changes.
pub(super) enum Effect {
    Enter,
    Leave,
    Starts(ProcId),
    ThreadEnds,
    ProcessEnds,
}

/// What an edge does.
pub(super) struct Step {
    /// It is taken to its end under this condition.
    pub(super) taken: TermId,
    /// It waits under this condition.
    pub(super) waits: TermId,
    /// Something goes wrong under this condition.
    pub(super) goes_wrong: TermId,
    /// New values.
    pub(super) values: Vec<(VarId, TermId)>,
    pub(super) effects: Vec<Effect>,
    /// What it touches, with the addresses of this thread.
    pub(super) accesses: Vec<Access>,
    /// Inputs that were asked for: the statement, and the variable that stands for the value.
    pub(super) inputs: Vec<(SiteId, VarId)>,
}

/// Reads edges for one thread.
pub(super) struct Reader<'c> {
    pool: &'c mut Pool,
    program: &'c Program,
    own: &'c mut FxHashMap<CellName, VarId>,
    names: &'c mut FxHashMap<VarId, CellName>,
    thread: u32,
    value: FxHashMap<VarId, TermId>,
    so_far: TermId,
    step: Step,
}

impl<'c> Reader<'c> {
    pub(super) fn new(
        pool: &'c mut Pool,
        program: &'c Program,
        own: &'c mut FxHashMap<CellName, VarId>,
        names: &'c mut FxHashMap<VarId, CellName>,
        thread: u32,
    ) -> Reader<'c> {
        let (yes, no) = (pool.bool(true), pool.bool(false));
        let step = Step {
            taken: yes,
            waits: no,
            goes_wrong: no,
            values: Vec::new(),
            effects: Vec::new(),
            accesses: Vec::new(),
            inputs: Vec::new(),
        };
        Reader { pool, program, own, names, thread, value: FxHashMap::default(), so_far: yes, step }
    }

    pub(super) fn read(
        mut self,
        threads: &[Standing],
        edge: EdgeRef,
        properties: Properties,
    ) -> Result<Step, Unreadable> {
        let program = self.program;
        let mut n_threads = threads.len() as u32;
        for stmt in &program.edge(edge).stmts {
            for access in stmt.accesses() {
                let target = match access.target {
                    Target::Mem { addr, bytes, region } => Target::Mem { addr: self.term(addr), bytes, region },
                    other => other,
                };
                self.step.accesses.push(Access { target, ..access });
            }
            match &stmt.op {
                Op::Assign { var, value } => {
                    let value = self.term(*value);
                    self.set_own(*var, value);
                }
                Op::Havoc { var, .. } => {
                    let value = self.anything(stmt.site, program.pool.var_sort(*var));
                    self.set_own(*var, value);
                }
                Op::Assume(cond) => {
                    let cond = self.term(*cond);
                    self.so_far = self.pool.and(self.so_far, cond);
                }
                Op::Check { cond, kind } => self.check(*cond, kind, properties),
                Op::Load { dst, place, .. } => {
                    let value = self.load(place)?;
                    self.set_own(*dst, value);
                }
                Op::Store { place, value, .. } => {
                    let value = self.term(*value);
                    self.store(place, value, properties)?;
                }
                Op::Rmw { dst, place, wait, new, .. } => {
                    let old = self.load(place)?;
                    self.set_own(*dst, old);
                    if let Some(wait) = wait {
                        let wait = self.term(*wait);
                        self.wait(wait);
                    }
                    let new = self.term(*new);
                    self.store(place, new, properties)?;
                }
                Op::Fence(_) | Op::Mark(..) => {}
                Op::Start { dst, callee: Callee::Proc(proc), args } => {
                    self.start(*proc, args, n_threads)?;
                    n_threads += 1;
                    let handle = self.word(u64::from(n_threads));
                    self.set_own(*dst, handle);
                }
                Op::Join { thread, result } => {
                    let handle = self.term(*thread);
                    self.join(handle, *result, threads);
                }
                Op::AtomicBegin => self.step.effects.push(Effect::Enter),
                Op::AtomicEnd => self.step.effects.push(Effect::Leave),
                Op::Return(_) if self.thread == 0 => self.step.effects.push(Effect::ProcessEnds),
                Op::Return(value) => {
                    let value = value.map(|value| self.term(value));
                    self.end(value);
                }
                Op::ExitThread(value) => {
                    let value = self.term(*value);
                    self.end(Some(value));
                }
                Op::ExitProcess { .. } => {
                    self.step.effects.push(Effect::ProcessEnds);
                    break;
                }
                Op::Alloc { .. } | Op::Free { .. } => {
                    return Err(Unreadable("the program makes or ends objects".to_string()));
                }
                Op::Start { callee: Callee::Pointer(_), .. } | Op::Call { .. } => {
                    return Err(Unreadable("the program calls through a pointer".to_string()));
                }
            }
        }
        self.step.taken = self.so_far;
        self.step.values = self.value.into_iter().collect();
        Ok(self.step)
    }

    fn cell(&mut self, name: CellName, sort: Sort) -> VarId {
        if let Some(var) = self.own.get(&name) {
            return *var;
        }
        let var = self.pool.declare("cell", sort);
        self.own.insert(name, var);
        self.names.insert(var, name);
        var
    }

    fn now(&mut self, var: VarId) -> TermId {
        match self.value.get(&var) {
            Some(value) => *value,
            None => self.pool.var(var),
        }
    }

    fn word(&mut self, value: u64) -> TermId {
        self.pool.bv(self.program.data_model.word_bits(), value)
    }

    fn anything(&mut self, site: SiteId, sort: Sort) -> TermId {
        let var = self.pool.declare("anything", sort);
        self.step.inputs.push((site, var));
        self.pool.var(var)
    }

    fn term(&mut self, term: TermId) -> TermId {
        let mut vars = Vec::new();
        self.pool.for_each_free_var(term, &mut |var| vars.push(var));
        let mut now: FxHashMap<VarId, TermId> = FxHashMap::default();
        for var in vars {
            let value = if var == self.program.self_var {
                self.word(u64::from(self.thread) + 1)
            } else {
                let sort = self.program.pool.var_sort(var);
                let cell = self.cell(CellName::Own(self.thread, var), sort);
                self.now(cell)
            };
            now.insert(var, value);
        }
        self.pool.substitute(term, &|var| now.get(&var).copied())
    }

    fn set_own(&mut self, var: VarId, value: TermId) {
        let cell = self.cell(CellName::Own(self.thread, var), self.program.pool.var_sort(var));
        self.value.insert(cell, value);
    }

    /// It is wrong if this does not hold here.
    fn demand(&mut self, cond: TermId) {
        let fails = self.pool.not(cond);
        let wrong = self.pool.and(self.so_far, fails);
        self.step.goes_wrong = self.pool.or(self.step.goes_wrong, wrong);
        self.so_far = self.pool.and(self.so_far, cond);
    }

    fn check(&mut self, cond: TermId, kind: &CheckKind, properties: Properties) {
        let cond = self.term(cond);
        match Property::of_check(kind) {
            Some(Property::Overflow) if !properties.has(Property::Overflow) => {}
            // Nobody asked, and the process just ends.
            Some(property) if !properties.has(property) && !property.is_undefined() => {
                self.so_far = self.pool.and(self.so_far, cond);
            }
            _ => self.demand(cond),
        }
    }

    fn wait(&mut self, cond: TermId) {
        let blocked = self.pool.not(cond);
        let waits = self.pool.and(self.so_far, blocked);
        self.step.waits = self.pool.or(self.step.waits, waits);
        self.so_far = self.pool.and(self.so_far, cond);
    }

    /// The bytes of a memory access with a constant address: how they are cut into cells follows the names in the certificate.
    fn bytes(&mut self, addr: TermId, sort: Scalar, is_write: bool) -> Result<Vec<VarId>, Unreadable> {
        let Some(Value::Bv(addr)) = self.pool.as_const(addr) else {
            return Err(Unreadable("the program has accesses with computed addresses".to_string()));
        };
        let (addr, len) = (addr.as_u64(), bytes_of(sort));
        let object = self.program.objects.iter().find(|object| addr >= object.base && addr - object.base < object.size);
        let is_fine = object.is_some_and(|object| {
            let may = match object.kind {
                ObjectKind::Data => true,
                ObjectKind::ReadOnly => !is_write,
                ObjectKind::Function(_) | ObjectKind::Extern => false,
            };
            may && addr - object.base + len <= object.size
        });
        if !is_fine {
            let never = self.pool.bool(false);
            self.demand(never);
        }
        let inside = |(name, _): &(&CellName, &VarId)| match name {
            CellName::Bytes(start, n) => *start < addr + len && addr < *start + *n,
            _ => false,
        };
        let overlapping: Vec<CellName> = self.own.iter().filter(inside).map(|(name, _)| *name).collect();
        let is_exact = overlapping.iter().all(|name| *name == CellName::Bytes(addr, len));
        let is_bytes = overlapping.iter().all(|name| matches!(name, CellName::Bytes(_, 1)));
        if is_exact {
            return Ok(vec![self.cell(CellName::Bytes(addr, len), Sort::Bv(8 * len as u32))]);
        }
        if !is_bytes {
            return Err(Unreadable("the certificate cuts memory in different ways".to_string()));
        }
        Ok((addr..addr + len).map(|addr| self.cell(CellName::Bytes(addr, 1), Sort::Bv(8))).collect())
    }

    fn load(&mut self, place: &Place) -> Result<TermId, Unreadable> {
        match *place {
            Place::Var(var) => Ok(self.now(var)),
            Place::Mem { addr, sort, .. } => {
                let addr = self.term(addr);
                let cells = self.bytes(addr, sort, false)?;
                let mut bits = self.now(cells[0]);
                for cell in &cells[1..] {
                    let high = self.now(*cell);
                    bits = self.pool.concat(high, bits);
                }
                Ok(match sort {
                    Scalar::Bool => {
                        let zero = self.pool.bv(8, 0);
                        self.pool.ne(bits, zero)
                    }
                    Scalar::Bv(width) if self.pool.sort(bits) != Sort::Bv(width) => {
                        self.pool.extract(bits, width - 1, 0)
                    }
                    Scalar::Bv(_) => bits,
                    Scalar::F32 | Scalar::F64 => self.pool.apply(logic::Op::FloatFromBits, &[bits]),
                })
            }
        }
    }

    fn store(&mut self, place: &Place, value: TermId, _: Properties) -> Result<(), Unreadable> {
        match *place {
            Place::Var(var) => drop(self.value.insert(var, value)),
            Place::Mem { addr, sort, .. } => {
                let addr = self.term(addr);
                let cells = self.bytes(addr, sort, true)?;
                let bits = match sort {
                    Scalar::Bool => {
                        let (zero, one) = (self.pool.bv(8, 0), self.pool.bv(8, 1));
                        self.pool.ite(value, one, zero)
                    }
                    Scalar::Bv(_) => self.pool.zero_extend(value, 8 * bytes_of(sort) as u32),
                    Scalar::F32 | Scalar::F64 => self.pool.apply(logic::Op::FloatToBits, &[value]),
                };
                let width = self.pool.sort(bits).width().expect("bits have a width") / cells.len() as u32;
                for (index, cell) in cells.into_iter().enumerate() {
                    let low = index as u32 * width;
                    let part = self.pool.extract(bits, low + width - 1, low);
                    self.value.insert(cell, part);
                }
            }
        }
        Ok(())
    }

    fn start(&mut self, proc: ProcId, args: &[TermId], index: u32) -> Result<(), Unreadable> {
        let params = &self.program.proc(proc).params;
        if args.len() < params.len() {
            return Err(Unreadable("a thread is started with too few arguments".to_string()));
        }
        for (param, arg) in params.iter().zip(args) {
            let value = self.term(*arg);
            let sort = self.program.pool.var_sort(*param);
            if self.pool.sort(value) != sort {
                return Err(Unreadable("a thread is started with other arguments than it takes".to_string()));
            }
            let cell = self.cell(CellName::Own(index, *param), sort);
            self.value.insert(cell, value);
        }
        self.step.effects.push(Effect::Starts(proc));
        Ok(())
    }

    fn join(&mut self, handle: TermId, result: Option<VarId>, threads: &[Standing]) {
        let word = Sort::Bv(self.program.data_model.word_bits());
        let mut has_ended = self.pool.bool(false);
        let mut value = self.word(0);
        for (index, _) in threads.iter().enumerate().filter(|(_, thread)| thread.has_ended) {
            let own = self.word(index as u64 + 1);
            let is_this = self.pool.eq(handle, own);
            has_ended = self.pool.or(has_ended, is_this);
            let cell = self.cell(CellName::Result(index as u32), word);
            let returned = self.now(cell);
            value = self.pool.ite(is_this, returned, value);
        }
        self.wait(has_ended);
        if let Some(result) = result {
            self.set_own(result, value);
        }
    }

    fn end(&mut self, value: Option<TermId>) {
        let bits = self.program.data_model.word_bits();
        let value = match value {
            Some(value) if matches!(self.pool.sort(value), Sort::Bv(_)) => self.pool.resize(value, false, bits),
            _ => self.word(0),
        };
        let cell = self.cell(CellName::Result(self.thread), Sort::Bv(bits));
        self.value.insert(cell, value);
        self.step.effects.push(Effect::ThreadEnds);
    }
}

/// What static memory holds at the start, if that is known.
pub(super) fn initial_bytes(program: &Program, addr: u64, len: u64) -> Option<Value> {
    let object = program.objects.iter().find(|object| addr >= object.base && addr - object.base < object.size)?;
    let mut bytes = Vec::new();
    for at in addr - object.base..addr - object.base + len {
        let init = object.init.iter().find_map(|(offset, value)| {
            let index = usize::try_from(at.checked_sub(*offset)?).ok()?;
            ir::interp::to_bytes(value).get(index).copied()
        });
        bytes.push(match (init, object.fill) {
            (Some(byte), _) => byte,
            (None, Fill::Zero) => 0,
            (None, Fill::Any) => return None,
        });
    }
    Some(Value::Bv(logic::BitVec::from_bytes_le(8 * len as u32, &bytes)))
}
