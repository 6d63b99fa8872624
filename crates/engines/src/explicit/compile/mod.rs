//! How does a program become code? Every term once, every edge one run of instructions.
//!
//! The input is a prepared program: each procedure is the whole life of a thread. A statement's terms are compiled in the
//! order of the pool, so a shared subterm is computed once. An update becomes a load, the wait, and a store: since an
//! edge runs without interleaving that is the same, and the parts before a wait leave nothing behind if it waits.
//!
//! Invariant: what cannot be compiled becomes a `Refuse` at its place, so that it only matters if it is reached.

pub(crate) mod code;
pub(crate) mod inputs;
pub(crate) mod layout;
pub(crate) mod offsets;
pub(crate) mod sink;
pub(crate) mod terms;
mod tracked;

use code::*;
use inputs::{HavocValues, Inputs, havoc_values};
use ir::pass::{Liveness, Sharing};
use ir::{
    AllocKind, Callee, CheckKind, EdgeId, EdgeRef, LocId, ObjectKind, Op, Order, Place, ProcId, Program, Properties,
    Property, RegionId, Scope, SiteId, Span, Stmt, Why,
};
use layout::{Kept, Layout};
use logic::{Node, Sort, TermId, Value, VarId};
use rustc_hash::FxHashMap;
use sink::{Sunk, sink_inputs};

/// A program as code.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) program: Program,
    pub(crate) properties: Properties,
    pub(crate) layout: Layout,
    pub(crate) ins: Vec<Ins>,
    pub(crate) edges: Vec<EdgeCode>,
    pub(crate) locs: Vec<LocCode>,
    pub(crate) slots: Vec<Slot>,
    /// By `ProcId`; none for those that no thread runs.
    pub(crate) procs: Vec<Option<ProcCode>>,
    pub(crate) rares: Vec<Rare>,
    pub(crate) wides: Vec<Wide>,
    pub(crate) checks: Vec<Check>,
    pub(crate) touches: Vec<Touch>,
    pub(crate) inputs: Vec<Input>,
    pub(crate) allocs: Vec<AllocInfo>,
    pub(crate) frees: Vec<(SiteId, Span)>,
    pub(crate) starts: Vec<StartInfo>,
    pub(crate) refusals: Vec<Refusal>,
    /// The location of a thread that has ended without a result; the next one is with a result.
    pub(crate) ended: Pc,
    /// Bytes of a location in a record.
    pub(crate) pc_bytes: u32,
    /// The procedures that threads run, each with its first location.
    pub(crate) runs: Vec<(ProcId, Pc)>,
    /// How many inputs that belong to an earlier step start each edge.
    pub(crate) sunk: Sunk,
    /// Whether there are atomic sections that are not one edge.
    pub(crate) has_sections: bool,
    /// Whether a thread can wait inside an atomic section, so that states say who holds it.
    pub(crate) keeps_holder: bool,
    /// Whether deadlocks are looked for and some waits tell who alone can end them.
    pub(crate) has_owners: bool,
    /// Which procedures run once, and what threads share.
    pub(crate) sharing: Sharing,
}

/// Compiles a prepared program. Inputs of up to `enumerate` bits are tried with all their values.
pub(crate) fn compile(mut program: Program, properties: Properties, enumerate: u32) -> Result<Code, Why> {
    let sunk = sink_inputs(&mut program);
    let inputs = Inputs::new(&program);
    // What words lead to is found by looking at all bytes.
    let is_whole = properties.has(Property::MemTrack) || properties.has(Property::MemCleanup);
    let layout = Layout::new(&program, is_whole);
    if let Some((span, what)) = &layout.refusal {
        return Err(Why::Unsupported { span: *span, what: format!("{what} in the explicit-state engine") });
    }
    let runs = thread_procs(&program);
    let n_locs: usize = runs.iter().map(|proc| program.proc(*proc).locs.len()).sum();
    let mut code = Code {
        sharing: Sharing::new(&program),
        properties,
        layout,
        ins: Vec::new(),
        edges: Vec::new(),
        locs: Vec::new(),
        slots: Vec::new(),
        procs: vec![None; program.procs.len()],
        rares: Vec::new(),
        wides: Vec::new(),
        checks: Vec::new(),
        touches: Vec::new(),
        inputs: Vec::new(),
        allocs: Vec::new(),
        frees: Vec::new(),
        starts: Vec::new(),
        refusals: Vec::new(),
        ended: n_locs as Pc,
        pc_bytes: if n_locs + 2 <= 1 << 8 { 1 } else { 2 },
        runs: Vec::new(),
        sunk,
        has_sections: false,
        keeps_holder: false,
        has_owners: false,
        program,
    };
    if n_locs + 2 > 1 << 16 {
        return Err(too_large());
    }
    for proc in runs {
        let first = code.locs.len() as Pc;
        code.runs.push((proc, first));
        ProcCompiler::new(&mut code, &inputs, proc, enumerate).run()?;
    }
    for record in [code.pc_bytes, code.pc_bytes + 8] {
        let end = code.edges.len() as u32;
        let slots = code.slots.len() as u32;
        code.locs.push(LocCode {
            proc: 0,
            edges: (end, end),
            slots: (slots, slots),
            record,
            depth: Some(0),
            is_exit: true,
        });
    }
    let is_owned = |ins: &Ins| matches!(ins, Ins::Wait { owner: Some(_), .. } | Ins::Join { .. });
    code.has_owners = properties.has(Property::Deadlock) && code.ins.iter().any(is_owned);
    code.has_sections = code.locs.iter().any(|loc| loc.depth != Some(0));
    code.keeps_holder = code.locs.iter().filter(|loc| loc.depth != Some(0)).any(|loc| {
        let edges = &code.edges[loc.edges.0 as usize..loc.edges.1 as usize];
        let mut ins = edges.iter().flat_map(|edge| &code.ins[edge.start as usize..edge.end as usize]);
        ins.any(|ins| matches!(ins, Ins::Wait { .. } | Ins::Join { .. }))
    });
    Ok(code)
}

fn too_large() -> Why {
    Why::Unsupported { span: Span::NOWHERE, what: "a program of this size in the explicit-state engine".to_string() }
}

/// The procedures that threads run: the first, those that are started by name, and functions if one is started by address.
pub(crate) fn thread_procs(program: &Program) -> Vec<ProcId> {
    let mut runs = vec![program.main];
    let mut next = 0;
    while next < runs.len() {
        for stmt in program.proc(runs[next]).edges.iter().flat_map(|edge| &edge.stmts) {
            let Op::Start { callee, .. } = &stmt.op else { continue };
            let targets: Vec<ProcId> = match callee {
                Callee::Proc(proc) => vec![*proc],
                Callee::Pointer(_) => (program.objects.iter())
                    .filter_map(|object| if let ObjectKind::Function(proc) = object.kind { Some(proc) } else { None })
                    .collect(),
            };
            for target in targets {
                if !runs.contains(&target) {
                    runs.push(target);
                }
            }
        }
        next += 1;
    }
    runs
}

/// How many atomic sections a thread is inside of at each location; `None` where that differs.
fn atomic_depths(proc: &ir::Proc) -> Vec<Option<u8>> {
    let mut depths: Vec<Option<Option<u8>>> = vec![None; proc.locs.len()];
    let out = proc.out_edges();
    let mut queue = vec![proc.entry];
    depths[proc.entry.index()] = Some(Some(0));
    while let Some(loc) = queue.pop() {
        for edge in &out[loc.index()] {
            let edge = &proc.edges[edge.index()];
            let mut depth = depths[loc.index()].expect("queued locations have a depth");
            for stmt in &edge.stmts {
                depth = match (&stmt.op, depth) {
                    (Op::AtomicBegin, Some(depth)) => depth.checked_add(1),
                    (Op::AtomicEnd, Some(depth)) => Some(depth.saturating_sub(1)),
                    _ => depth,
                };
            }
            let merged = match depths[edge.to.index()] {
                None => depth,
                Some(known) if known == depth => continue,
                Some(None) => continue,
                Some(Some(_)) => None,
            };
            depths[edge.to.index()] = Some(merged);
            queue.push(edge.to);
        }
    }
    depths.into_iter().map(|depth| depth.unwrap_or(Some(0))).collect()
}

pub(super) struct ProcCompiler<'c> {
    pub(super) code: &'c mut Code,
    pub(super) inputs: &'c Inputs,
    pub(super) id: ProcId,
    pub(super) first_loc: Pc,
    pub(super) regs: FxHashMap<VarId, Reg>,
    pub(super) constants: FxHashMap<u64, Reg>,
    pub(super) file: Vec<u64>,
    /// Registers of subterms of the statement that is being compiled.
    pub(super) done: FxHashMap<TermId, Reg>,
    /// Scratch registers from here on; one past those in use.
    pub(super) scratch: usize,
    pub(super) enumerate: u32,
}

/// Where an access goes.
#[derive(Clone, Copy)]
enum Spot {
    /// A known place of the fixed part.
    Fixed,
    /// A global that has no value at first, with the byte that says whether it has one.
    Flagged(u32),
    /// The address in a register.
    At(Reg),
}

/// What a compiled term cannot be.
pub(super) struct DoesNotFit(pub(super) Sort);

impl<'c> ProcCompiler<'c> {
    fn new(code: &'c mut Code, inputs: &'c Inputs, id: ProcId, enumerate: u32) -> ProcCompiler<'c> {
        let first_loc = code.locs.len() as Pc;
        ProcCompiler {
            code,
            inputs,
            id,
            first_loc,
            regs: FxHashMap::default(),
            constants: FxHashMap::default(),
            file: vec![0],
            done: FxHashMap::default(),
            scratch: 0,
            enumerate,
        }
    }

    fn run(mut self) -> Result<(), Why> {
        let proc = self.code.program.proc(self.id).clone();
        for stmt in proc.edges.iter().flat_map(|edge| &edge.stmts) {
            let written = ir::access::local_written(&stmt.op);
            for var in ir::access::locals_read(&stmt.op, &self.code.program.pool).into_iter().chain(written) {
                self.add_var(var);
            }
            for term in ir::access::terms(&stmt.op) {
                for subterm in self.code.program.pool.post_order(term) {
                    if let Node::Const(value) = self.code.program.pool.node(subterm)
                        && fits(value.sort())
                    {
                        let word = word_of(value);
                        self.add_constant(word);
                    }
                }
            }
        }
        for var in proc.params.iter().copied() {
            self.add_var(var);
        }
        self.add_constant(0);
        let first_loc = self.first_loc;
        let live = Liveness::new(&self.code.program, &proc, true);
        let depths = atomic_depths(&proc);
        let values = havoc_values(self.inputs, &self.code.program, self.id, &live, self.enumerate);
        let out = proc.out_edges();
        for index in 0..proc.locs.len() {
            let first_slot = self.code.slots.len() as u32;
            let mut record = self.code.pc_bytes;
            let depth = depths[index];
            if depth.is_none() {
                self.code.slots.push(Slot { reg: DEPTH, bytes: 1 });
                record += 1;
            }
            for var in live.at(LocId(index as u32)) {
                let sort = self.code.program.pool.var_sort(*var);
                if *var != self.code.program.self_var && fits(sort) {
                    let slot = Slot { reg: self.regs[var], bytes: bytes_of(sort) as u8 };
                    record += u32::from(slot.bytes);
                    self.code.slots.push(slot);
                }
            }
            let first_edge = self.code.edges.len() as u32;
            for edge_id in &out[index] {
                self.edge(*edge_id, &proc.edges[edge_id.index()], &values)?;
            }
            self.code.locs.push(LocCode {
                proc: self.id.0 as u16,
                edges: (first_edge, self.code.edges.len() as u32),
                slots: (first_slot, self.code.slots.len() as u32),
                record,
                depth,
                is_exit: LocId(index as u32) == proc.exit,
            });
        }
        let mut thread_vars = Vec::new();
        for (var, reg) in &self.regs {
            let variable = self.code.program.var(*var);
            let sort = self.code.program.pool.var_sort(*var);
            if variable.scope == Scope::Thread && *var != self.code.program.self_var && fits(sort) {
                let Some(value) = &variable.init else {
                    let name = self.code.program.pool.var_name(*var);
                    let what =
                        format!("thread variable `{name}` without an initial value in the explicit-state engine");
                    return Err(Why::Unsupported { span: variable.span, what });
                };
                thread_vars.push((*reg, word_of(value)));
            }
        }
        thread_vars.sort_unstable();
        self.code.procs[self.id.index()] = Some(ProcCode {
            entry: first_loc + proc.entry.0,
            params: proc.params.iter().map(|var| self.regs.get(var).copied()).collect(),
            own_handle: self.regs.get(&self.code.program.self_var).copied(),
            file: self.file,
            thread_vars,
        });
        Ok(())
    }

    fn add_var(&mut self, var: VarId) {
        if !self.regs.contains_key(&var) {
            self.regs.insert(var, self.file.len().min(Reg::MAX as usize) as Reg);
            self.file.push(0);
        }
    }

    pub(super) fn add_constant(&mut self, word: u64) {
        if !self.constants.contains_key(&word) {
            self.constants.insert(word, self.file.len().min(Reg::MAX as usize) as Reg);
            self.file.push(word);
        }
    }

    fn edge(&mut self, id: EdgeId, edge: &ir::Edge, values: &HavocValues) -> Result<(), Why> {
        let start = self.code.ins.len() as u32;
        for (position, stmt) in edge.stmts.iter().enumerate() {
            self.done.clear();
            self.scratch = self.first_scratch();
            let before = self.code.ins.len();
            let values = values.get(&(id, position));
            if let Err(DoesNotFit(sort)) = self.stmt(stmt, values) {
                self.code.ins.truncate(before);
                let what = format!("a value of sort {sort} in the explicit-state engine");
                self.refuse(stmt.span, what);
            }
            if self.file.len() > Reg::MAX as usize {
                return Err(too_large());
            }
        }
        self.code.edges.push(EdgeCode {
            start,
            end: self.code.ins.len() as u32,
            to: self.first_loc + edge.to.0,
            edge: EdgeRef { proc: self.id, edge: id },
        });
        Ok(())
    }

    /// Scratch registers follow variables and constants, and every statement uses them anew.
    pub(super) fn first_scratch(&self) -> usize {
        1 + self.regs.len() + self.constants.len()
    }

    pub(super) fn fresh(&mut self) -> Reg {
        let reg = self.scratch;
        self.scratch += 1;
        if self.file.len() < self.scratch {
            self.file.resize(self.scratch, 0);
        }
        reg.min(Reg::MAX as usize) as Reg
    }

    pub(super) fn emit(&mut self, ins: Ins) {
        self.code.ins.push(ins);
    }

    pub(super) fn refuse(&mut self, span: Span, what: String) {
        self.code.refusals.push(Refusal { span, what });
        let refusal = self.code.refusals.len() as u32 - 1;
        self.emit(Ins::Refuse { refusal });
    }

    pub(super) fn var_reg(&self, var: VarId) -> Result<Reg, DoesNotFit> {
        let sort = self.code.program.pool.var_sort(var);
        if fits(sort) { Ok(self.regs[&var]) } else { Err(DoesNotFit(sort)) }
    }

    fn stmt(&mut self, stmt: &Stmt, values: Option<&Values>) -> Result<(), DoesNotFit> {
        match &stmt.op {
            Op::Assign { var, value } => {
                let d = self.var_reg(*var)?;
                self.term_into(*value, d)?;
            }
            Op::Havoc { var, .. } => {
                let d = self.var_reg(*var)?;
                let sort = self.code.program.pool.var_sort(*var);
                let values = values.expect("every havoc was looked at").clone();
                self.code.inputs.push(Input { site: stmt.site, span: stmt.span, sort, values });
                let input = self.code.inputs.len() as u32 - 1;
                self.emit(Ins::Havoc { d, input });
            }
            Op::Assume(cond) => {
                let c = self.term(*cond)?;
                self.emit(Ins::Assume { c });
            }
            Op::Check { cond, kind } => {
                let is_asked = Property::of_check(kind).is_none_or(|property| self.code.properties.has(property));
                if *kind == CheckKind::Overflow && !is_asked {
                    return Ok(());
                }
                let c = self.term(*cond)?;
                self.code.checks.push(Check { kind: kind.clone(), span: stmt.span, site: stmt.site });
                let check = self.code.checks.len() as u32 - 1;
                self.emit(Ins::Check { c, check });
            }
            Op::Load { dst, place, order } => {
                let d = self.var_reg(*dst)?;
                let (touch, spot) = self.place(place, *order, stmt)?;
                self.load(d, touch, spot);
            }
            Op::Store { place, value, order } => {
                let a = self.term(*value)?;
                let (touch, spot) = self.place(place, *order, stmt)?;
                self.store(a, touch, spot);
            }
            Op::Rmw { dst, place, wait, owner, new, order, failure } => {
                let d = self.var_reg(*dst)?;
                let (touch, mut spot) = self.place(place, *order, stmt)?;
                if let Spot::At(addr) = spot {
                    // The address may mention the old value of `dst`, which the load overwrites.
                    let kept = self.fresh();
                    self.emit(Ins::Move { d: kept, a: addr });
                    spot = Spot::At(kept);
                }
                self.load(d, touch, spot);
                self.done.clear();
                if let Some(wait) = wait {
                    let c = self.term(*wait)?;
                    let owner = owner.filter(|_| self.code.properties.has(Property::Deadlock));
                    let owner = owner.map(|owner| self.term(owner)).transpose()?;
                    self.emit(Ins::Wait { c, owner });
                }
                let a = self.term(*new)?;
                self.store(a, touch, spot);
                if let Some(failure) = failure.filter(|_| self.code.properties.has(Property::Race)) {
                    let c = self.term(failure.when)?;
                    self.emit(Ins::Fails { c });
                }
            }
            Op::Alloc { dst, size, kind, zeroed, .. } => {
                let d = self.var_reg(*dst)?;
                let size = self.term(*size)?;
                let region = self.region_made_by(stmt);
                let is_heap = *kind == AllocKind::Heap;
                let info = AllocInfo { is_heap, zeroed: *zeroed, region, span: stmt.span };
                self.code.allocs.push(info);
                let alloc = self.code.allocs.len() as u32 - 1;
                self.emit(Ins::Alloc { d, size, alloc });
            }
            Op::Free { addr, kind } => {
                let addr = self.term(*addr)?;
                self.code.frees.push((stmt.site, stmt.span));
                let free = self.code.frees.len() as u32 - 1;
                self.emit(Ins::Free { addr, is_heap: *kind == AllocKind::Heap, free });
            }
            Op::Start { dst, callee, args } => {
                let d = self.var_reg(*dst)?;
                if let Callee::Proc(proc) = callee
                    && !self.takes(*proc, args)
                {
                    let name = self.code.program.proc(*proc).name.clone();
                    self.refuse(stmt.span, format!("start of {name} with other arguments than it takes"));
                    return Ok(());
                }
                let callee = match callee {
                    Callee::Proc(proc) => Ok(*proc),
                    Callee::Pointer(term) => Err(self.term(*term)?),
                };
                let args = args.iter().map(|arg| self.term(*arg)).collect::<Result<_, _>>()?;
                self.code.starts.push(StartInfo { d, callee, args, span: stmt.span });
                let start = self.code.starts.len() as u32 - 1;
                self.emit(Ins::Start { start });
            }
            Op::Join { thread, result } => {
                let thread = self.term(*thread)?;
                let result = result.map(|var| self.var_reg(var)).transpose()?;
                self.emit(Ins::Join { thread, result });
            }
            Op::AtomicBegin => self.emit(Ins::AtomicBegin),
            Op::AtomicEnd => self.emit(Ins::AtomicEnd),
            Op::Return(value) => {
                let result = value.map(|value| self.result(value)).transpose()?.flatten();
                self.emit(Ins::ExitThread { result, is_return: true });
            }
            Op::ExitThread(value) => {
                let result = self.result(*value)?;
                self.emit(Ins::ExitThread { result, is_return: false });
            }
            Op::ExitProcess { is_abort } => self.emit(Ins::ExitProcess { is_abort: *is_abort }),
            Op::Call { .. } => self.refuse(stmt.span, "a call that was not inlined".to_string()),
            Op::Fence(_) | Op::Mark(..) => {}
        }
        Ok(())
    }

    fn takes(&self, proc: ProcId, args: &[TermId]) -> bool {
        let pool = &self.code.program.pool;
        let params = &self.code.program.proc(proc).params;
        args.len() >= params.len()
            && params.iter().zip(args).all(|(param, arg)| pool.var_sort(*param) == pool.sort(*arg))
    }

    /// The register with the word that a thread ends with; only bit-vectors are words.
    fn result(&mut self, value: TermId) -> Result<Option<Reg>, DoesNotFit> {
        match self.code.program.pool.sort(value) {
            Sort::Bv(_) if self.inputs.results_matter => self.term(value).map(Some),
            _ => Ok(None),
        }
    }

    fn region_made_by(&self, stmt: &Stmt) -> RegionId {
        let site = stmt.alloc_site();
        let found = self.code.program.regions.iter().position(|region| region.sites.iter().any(|of| Some(*of) == site));
        RegionId(found.unwrap_or(0) as u32)
    }

    /// The access, and where it goes.
    fn place(&mut self, place: &Place, order: Order, stmt: &Stmt) -> Result<(u32, Spot), DoesNotFit> {
        let (sort, region) = match place {
            Place::Var(var) => (self.code.program.pool.var_sort(*var), RegionId::ANYWHERE),
            Place::Mem { sort, region, .. } => (Sort::from(*sort), *region),
        };
        if !fits(sort) {
            return Err(DoesNotFit(sort));
        }
        let bytes = bytes_of(sort) as u8;
        let is_update = matches!(stmt.op, Op::Rmw { .. });
        let (is_atomic, is_guarded) = (order.is_atomic(), order == Order::Guarded);
        let mut touch =
            Touch { at: 0, bytes, sort, is_atomic, is_guarded, is_update, region, site: stmt.site, span: stmt.span };
        let spot = match place {
            Place::Var(var) => {
                touch.at = self.code.layout.globals[var];
                self.code.layout.flags.get(var).map_or(Spot::Fixed, |flag| Spot::Flagged(*flag))
            }
            Place::Mem { addr, .. } => match self.known_place(*addr, u64::from(bytes)) {
                Some(at) => {
                    touch.at = at;
                    Spot::Fixed
                }
                None => Spot::At(self.term(*addr)?),
            },
        };
        self.code.touches.push(touch);
        Ok((self.code.touches.len() as u32 - 1, spot))
    }

    fn known_place(&self, addr: TermId, bytes: u64) -> Option<u32> {
        let Some(Value::Bv(addr)) = self.code.program.pool.as_const(addr) else { return None };
        let addr = addr.to_u64()?;
        let object = self.code.layout.find(addr)?;
        let offset = addr - object.base;
        match object.kept {
            Kept::Fixed(_, None) | Kept::Parts(_) if offset + bytes <= object.size => {
                self.code.layout.place_of(object, offset, bytes)
            }
            _ => None,
        }
    }

    fn load(&mut self, d: Reg, touch: u32, spot: Spot) {
        self.emit(match spot {
            Spot::Fixed => Ins::Load { d, touch },
            Spot::Flagged(flag) => Ins::LoadFirst { d, touch, flag },
            Spot::At(addr) => Ins::LoadAt { d, addr, touch },
        });
    }

    fn store(&mut self, a: Reg, touch: u32, spot: Spot) {
        self.emit(match spot {
            Spot::Fixed => Ins::Store { a, touch },
            Spot::Flagged(flag) => Ins::StoreFirst { a, touch, flag },
            Spot::At(addr) => Ins::StoreAt { a, addr, touch },
        });
    }
}
