//! What does one instruction do to a symbolic state?
//!
//! `step` runs the next instruction of a thread. Asked for a local step, it refuses (`Stop::Visible`) whatever another thread could notice or
//! prevent: touching what others reach, locks, joins, assumptions that are not sure, an exception that would end the execution.
//! Everything that can refuse comes before anything is changed, so that the same step can begin again after a split.

pub(crate) mod eval;
pub(crate) mod join;

use super::state::{Access, Frame, Joined, Obj, Shape, State, Thread, Val};
use super::world::{Stop, World};
use eval::{Eval, dispatch, is_of, read};
use ir::Span;
use ir::oox::{Call, Callee, ClassId, Clause, Expr, MethodId, Op, Place, Rhs, Type, Value, ViolationKind};
use join::join;
use smallvec::SmallVec;
use std::rc::Rc;

/// Arrays of more elements are not made.
const MAX_ELEMENTS: i64 = 1 << 16;

/// Runs instructions.
pub(super) struct Stepper<'w, 'p> {
    pub(super) world: &'w mut World<'p>,
    /// Whether only steps that nobody notices are wanted.
    pub(super) is_local: bool,
    /// Threads that the step started.
    pub(super) started: Vec<u32>,
    /// What the step touched that others reach.
    pub(super) accesses: SmallVec<[Access; 2]>,
    /// Whether short branches are joined.
    pub(super) joins: bool,
    /// The branch that the step joined.
    pub(super) joined: Option<Joined>,
}

/// A place in the heap, looked up.
enum HeapPlace {
    Local(u16),
    Slot {
        object: u32,
        slot: usize,
    },
    /// All elements, each if the index says so.
    Elements {
        array: u32,
        index: Val,
    },
}

impl<'w, 'p> Stepper<'w, 'p> {
    pub(super) fn new(world: &'w mut World<'p>, is_local: bool) -> Stepper<'w, 'p> {
        Stepper { world, is_local, started: Vec::new(), accesses: SmallVec::new(), joins: false, joined: None }
    }

    /// Runs the next instruction of the thread at a position.
    pub(super) fn step(&mut self, state: &mut State, at: usize) -> Result<(), Stop> {
        self.world.arrays_read.clear();
        let result = self.step_or_throw(state, at);
        if !self.is_local {
            let arrays = std::mem::take(&mut self.world.arrays_read);
            self.accesses.extend(arrays.iter().map(|array| Access::Elements { array: *array }));
        }
        result
    }

    fn step_or_throw(&mut self, state: &mut State, at: usize) -> Result<(), Stop> {
        let program = self.world.program;
        let frame = state.top(at).expect("only running threads step");
        let instr = &program.methods[frame.method as usize].code[frame.pc as usize];
        match self.run(state, at, &instr.op, instr.span) {
            Err(Stop::Raise) => self.throw(state, at),
            result => result,
        }
    }

    fn run(&mut self, state: &mut State, at: usize, op: &Op, span: Span) -> Result<(), Stop> {
        match op {
            Op::Skip => {}
            Op::Assign { to, value } => return self.assign(state, at, to, value),
            Op::Call { call, .. } => return self.call(state, at, call, false),
            Op::Fork(call) => return self.call(state, at, call, true),
            Op::Lock(object) | Op::Unlock(object) => {
                let reference = self.object(state, at, object)?;
                self.notice(Some(Access::Lock { object: reference }))?;
                let name = state.threads[at].name;
                state.object_mut(reference).holder = matches!(op, Op::Lock(_)).then_some(name);
            }
            Op::Join => self.notice(Some(Access::Join))?,
            Op::Assert(cond) => {
                self.notice_quantifier(cond)?;
                let val = self.eval(state, at, cond)?;
                self.must_hold(state, val, ViolationKind::Assertion, span)?;
            }
            Op::Assume(cond) => {
                let val = self.eval(state, at, cond)?;
                if self.world.known(state, val) != Some(true) {
                    self.notice(None)?;
                    self.assume(state, val)?;
                }
            }
            Op::Branch { cond, otherwise } => {
                self.notice_quantifier(cond)?;
                let val = self.eval(state, at, cond)?;
                match self.world.decide(state, val) {
                    Ok(true) => {}
                    Ok(false) => {
                        state.top_mut(at).pc = *otherwise;
                        return Ok(());
                    }
                    Err(Stop::Decide(cond)) if self.joins => {
                        self.joined = join(self.world, state, at, cond)?;
                        return Ok(());
                    }
                    Err(stop) => return Err(stop),
                }
            }
            Op::Jump(pc) => {
                state.top_mut(at).pc = *pc;
                return Ok(());
            }
            Op::Return(value) => return self.leave(state, at, value.as_ref()),
            Op::Throw(_) => return Err(Stop::Raise),
        }
        state.top_mut(at).pc += 1;
        Ok(())
    }

    /// Others may notice this.
    fn notice(&mut self, access: Option<Access>) -> Result<(), Stop> {
        if self.is_local {
            return Err(Stop::Visible);
        }
        self.accesses.extend(access);
        Ok(())
    }

    fn notice_quantifier(&self, expr: &Expr) -> Result<(), Stop> {
        if self.is_local && has_quantifier(expr) { Err(Stop::Visible) } else { Ok(()) }
    }

    /// Others may notice that the object is touched, if they reach it.
    fn touch(&mut self, state: &State, at: usize, reference: u32, access: Access) -> Result<(), Stop> {
        if state.is_private(state.object(reference), state.threads[at].name) {
            return Ok(());
        }
        self.notice(Some(access))
    }

    fn eval(&mut self, state: &State, at: usize, expr: &Expr) -> Result<Val, Stop> {
        let frame = state.top(at).expect("only running threads step");
        match expr {
            // Most operands are a local or a constant.
            Expr::Local(local) => Ok(frame.locals[usize::from(*local)]),
            _ => Eval::new(self.world, state, &frame.locals).value(expr),
        }
    }

    /// A reference that is neither lazy nor null.
    fn object(&mut self, state: &State, at: usize, expr: &Expr) -> Result<u32, Stop> {
        match self.eval(state, at, expr)? {
            Val::Lazy(lazy) => Err(Stop::Resolve(lazy)),
            Val::Ref(0) => Err(Stop::Raise),
            Val::Ref(reference) => Ok(reference),
            other => unreachable!("the front end gave a reference a {other:?}"),
        }
    }

    /// The condition holds, or the state is wrong.
    fn must_hold(&mut self, state: &mut State, val: Val, kind: ViolationKind, span: Span) -> Result<(), Stop> {
        match (self.world.known(state, val), val) {
            (Some(true), _) => Ok(()),
            (None, Val::Term(term)) => {
                let negation = self.world.terms.pool.not(term);
                match self.world.is_feasible(state, Some(negation)) {
                    Some(true) => Err(Stop::Violation(kind, span, Some(negation))),
                    Some(false) => Ok(()),
                    None => {
                        // The search has noted that the solver gave up; it goes on where the condition holds.
                        state.assume(term);
                        Ok(())
                    }
                }
            }
            _ => Err(Stop::Violation(kind, span, None)),
        }
    }

    /// Goes on only where the condition holds.
    fn assume(&mut self, state: &mut State, val: Val) -> Result<(), Stop> {
        match (self.world.known(state, val), val) {
            (Some(true), _) => Ok(()),
            (None, Val::Term(term)) => {
                if self.world.is_feasible(state, Some(term)) == Some(false) {
                    return Err(Stop::Assumed);
                }
                self.world.assume(state, term);
                Ok(())
            }
            _ => Err(Stop::Assumed),
        }
    }

    /// Assumes what the entry method requires.
    pub(super) fn assume_clause(&mut self, state: &mut State, clause: &Clause) -> Result<(), Stop> {
        let frame = Rc::clone(state.threads[0].frames.last().expect("main is about to start"));
        let val = Eval::new(self.world, state, &frame.locals).clause(&clause.cond)?;
        self.assume(state, val)
    }

    fn assign(&mut self, state: &mut State, at: usize, to: &Place, value: &Rhs) -> Result<(), Stop> {
        if let Rhs::NewArray { ty, sizes } = value {
            return self.new_array(state, at, to, *ty, sizes);
        }
        let val = match value {
            Rhs::Expr(expr) => {
                self.notice_quantifier(expr)?;
                self.eval(state, at, expr)?
            }
            Rhs::Field { object, slot, ty } => {
                let reference = self.object(state, at, object)?;
                self.touch(state, at, reference, Access::Field { object: reference, slot: *slot, is_write: false })?;
                read(self.world, state, reference, usize::from(*slot), *ty)
            }
            Rhs::Element { array, index } => self.load(state, at, array, index)?,
            Rhs::Cast { ty, value } => match self.eval(state, at, value)? {
                Val::Lazy(lazy) => return Err(Stop::Resolve(lazy)),
                Val::Ref(reference) if reference != 0 && !is_of(self.world, state, reference, *ty)? => {
                    return Err(Stop::Raise);
                }
                val => val,
            },
            Rhs::NewArray { .. } => unreachable!("handled above"),
        };
        let target = self.target(state, at, to)?;
        self.store(state, at, target, val);
        state.top_mut(at).pc += 1;
        Ok(())
    }

    /// An array, and an index that is inside.
    fn inside(&mut self, state: &State, at: usize, array: &Expr, index: &Expr) -> Result<(u32, Val), Stop> {
        let index = self.eval(state, at, index)?;
        let reference = self.object(state, at, array)?;
        let length = Val::Int(state.object(reference).vals.len() as i64);
        let below = self.world.terms.lt(index, Val::Int(0));
        let inside = self.world.terms.lt(index, length);
        let beyond = self.world.terms.not(inside);
        let outside = self.world.terms.or(below, beyond);
        if self.world.decide(state, outside)? {
            return Err(Stop::Raise);
        }
        Ok((reference, index))
    }

    fn load(&mut self, state: &State, at: usize, array: &Expr, index: &Expr) -> Result<Val, Stop> {
        let (reference, index) = self.inside(state, at, array, index)?;
        self.touch(state, at, reference, Access::Element { array: reference, index, is_write: false })?;
        let ty = element_type(state, reference);
        if let Val::Int(index) = index {
            return Ok(read(self.world, state, reference, index as usize, ty));
        }
        let n = state.object(reference).vals.len();
        if ty.is_reference() {
            let slot = self.pin(state, index, n)?;
            return Ok(read(self.world, state, reference, slot, ty));
        }
        let mut val = read(self.world, state, reference, n - 1, ty);
        for slot in (0..n - 1).rev() {
            let is_here = self.world.terms.eq(index, Val::Int(slot as i64));
            let there = read(self.world, state, reference, slot, ty);
            val = self.world.terms.ite(is_here, there, val);
        }
        Ok(val)
    }

    /// Decides which of the first `n` values an index has.
    fn pin(&mut self, state: &State, index: Val, n: usize) -> Result<usize, Stop> {
        for slot in 0..n - 1 {
            let is_here = self.world.terms.eq(index, Val::Int(slot as i64));
            if self.world.decide(state, is_here)? {
                return Ok(slot);
            }
        }
        Ok(n - 1)
    }

    fn target(&mut self, state: &State, at: usize, to: &Place) -> Result<HeapPlace, Stop> {
        match to {
            Place::Local(local) => Ok(HeapPlace::Local(*local)),
            Place::Field { object, slot, .. } => {
                let reference = self.object(state, at, object)?;
                self.touch(state, at, reference, Access::Field { object: reference, slot: *slot, is_write: true })?;
                Ok(HeapPlace::Slot { object: reference, slot: usize::from(*slot) })
            }
            Place::Element { array, index } => {
                let (reference, index) = self.inside(state, at, array, index)?;
                self.touch(state, at, reference, Access::Element { array: reference, index, is_write: true })?;
                let n = state.object(reference).vals.len();
                match index {
                    Val::Int(slot) => Ok(HeapPlace::Slot { object: reference, slot: slot as usize }),
                    _ if element_type(state, reference).is_reference() => {
                        Ok(HeapPlace::Slot { object: reference, slot: self.pin(state, index, n)? })
                    }
                    _ => Ok(HeapPlace::Elements { array: reference, index }),
                }
            }
        }
    }

    fn store(&mut self, state: &mut State, at: usize, target: HeapPlace, val: Val) {
        match target {
            HeapPlace::Local(local) => state.top_mut(at).locals[usize::from(local)] = val,
            HeapPlace::Slot { object, slot } => {
                let stored = state.object_mut(object);
                if stored.vals.len() <= slot {
                    stored.vals.resize(slot + 1, Val::Unset);
                }
                stored.vals[slot] = val;
                if stored.owner.is_none() {
                    state.share(val);
                }
            }
            HeapPlace::Elements { array, index } => {
                let ty = element_type(state, array);
                for slot in 0..state.object(array).vals.len() {
                    let is_here = self.world.terms.eq(index, Val::Int(slot as i64));
                    let old = read(self.world, state, array, slot, ty);
                    let new = self.world.terms.ite(is_here, val, old);
                    state.object_mut(array).vals[slot] = new;
                }
            }
        }
    }

    fn new_array(&mut self, state: &mut State, at: usize, to: &Place, ty: Type, sizes: &[Expr]) -> Result<(), Stop> {
        let mut lengths = Vec::new();
        for size in sizes {
            lengths.push(match self.eval(state, at, size)? {
                Val::Int(length) => length,
                size => self.length(state, size)?,
            });
        }
        if lengths.iter().any(|length| *length < 0) {
            return Err(Stop::Raise);
        }
        let all = lengths.iter().try_fold(1i64, |all, length| all.checked_mul(*length));
        if all.is_none_or(|all| all > MAX_ELEMENTS) {
            return Err(Stop::OutOfRange);
        }
        let target = self.target(state, at, to)?;
        let owner = state.threads[at].name;
        let reference = allocate_array(state, ty, &lengths, owner);
        self.store(state, at, target, Val::Ref(reference));
        state.top_mut(at).pc += 1;
        Ok(())
    }

    /// Decides a size that depends on inputs: negative, or one of the sizes up to the bound.
    fn length(&mut self, state: &State, size: Val) -> Result<i64, Stop> {
        let is_negative = self.world.terms.lt(size, Val::Int(0));
        if self.world.decide(state, is_negative)? {
            return Ok(-1);
        }
        for length in 0..=self.world.max_length as i64 {
            let is_this = self.world.terms.eq(size, Val::Int(length));
            if self.world.decide(state, is_this)? {
                return Ok(length);
            }
        }
        self.world.has_bounded_length = true;
        Err(Stop::Assumed)
    }

    fn call(&mut self, state: &mut State, at: usize, call: &Call, is_fork: bool) -> Result<(), Stop> {
        let program = self.world.program;
        let mut args = Vec::with_capacity(call.args.len() + 1);
        for arg in &call.args {
            args.push(self.eval(state, at, arg)?);
        }
        let n_objects = state.heap.len();
        let method = match call.callee {
            Callee::Method(method) => method.0,
            Callee::New(class, method) => {
                let object = new_object(self.world, class, state.threads[at].name);
                args.insert(0, Val::Ref(state.allocate(object)));
                method.0
            }
            Callee::Virtual(signature) => {
                let receiver = match args[0] {
                    Val::Lazy(lazy) => return Err(Stop::Resolve(lazy)),
                    Val::Ref(0) => return Err(Stop::Raise),
                    Val::Ref(reference) => reference,
                    other => unreachable!("the front end gave a receiver {other:?}"),
                };
                dispatch(self.world, state, receiver, signature)?
            }
        };
        if is_fork && state.threads[at].n_children == u16::MAX {
            return Err(Stop::OutOfRange);
        }
        let frame = new_frame(self.world, method, args);
        if let Some(clause) = &program.methods[method as usize].requires
            && let Err(stop) = self.requires(state, &frame, clause)
        {
            // The step begins again, so its object must not stay.
            state.heap.truncate(n_objects);
            return Err(stop);
        }
        if !is_fork {
            state.thread_mut(at).frames.push(Rc::new(frame));
            return Ok(());
        }
        frame.locals.iter().for_each(|val| state.share(*val));
        state.top_mut(at).pc += 1;
        let parent = state.thread_mut(at);
        let name = self.world.name(parent.name, parent.n_children);
        parent.n_children += 1;
        if let Some(last) = &mut parent.last {
            Rc::make_mut(last).children.push(name);
        }
        let child = Thread {
            name,
            frames: vec![Rc::new(frame)],
            n_children: 0,
            last: None,
            has_run: false,
            is_cut: false,
            diverges: false,
            done: 0,
            paid: 0,
            parent: Some((parent.name, parent.done)),
        };
        let path = &self.world.names[name as usize];
        let position = state.threads.iter().position(|other| self.world.names[other.name as usize] > *path);
        state.threads.insert(position.unwrap_or(state.threads.len()), Rc::new(child));
        self.started.push(name);
        Ok(())
    }

    fn requires(&mut self, state: &mut State, frame: &Frame, clause: &Clause) -> Result<(), Stop> {
        self.notice_quantifier(&clause.cond)?;
        let val = Eval::new(self.world, state, &frame.locals).clause(&clause.cond)?;
        self.must_hold(state, val, ViolationKind::Requires, clause.span)
    }

    fn leave(&mut self, state: &mut State, at: usize, value: Option<&Expr>) -> Result<(), Stop> {
        let mut val = match value {
            Some(value) => {
                self.notice_quantifier(value)?;
                Some(self.eval(state, at, value)?)
            }
            None => None,
        };
        let program = self.world.program;
        let frame = state.top(at).expect("only running threads step");
        let method = &program.methods[frame.method as usize];
        if method.is_constructor {
            val = Some(frame.locals[0]);
        }
        if let Some(clause) = &method.ensures {
            self.notice_quantifier(&clause.cond)?;
            let mut locals = frame.locals.clone();
            if let (Some(retval), Some(val)) = (method.retval, val) {
                locals[usize::from(retval)] = val;
            }
            let holds = Eval::new(self.world, state, &locals).clause(&clause.cond)?;
            self.must_hold(state, holds, ViolationKind::Ensures, clause.span)?;
        }
        let thread = state.thread_mut(at);
        thread.frames.pop();
        let Some(caller) = thread.frames.last_mut() else {
            if let Some(last) = &mut thread.last {
                Rc::make_mut(last).has_ended = true;
            }
            return Ok(());
        };
        let caller = Rc::make_mut(caller);
        let call = &program.methods[caller.method as usize].code[caller.pc as usize];
        if let (Op::Call { to: Some(local), .. }, Some(val)) = (&call.op, val) {
            caller.locals[usize::from(*local)] = val;
        }
        caller.pc += 1;
        Ok(())
    }

    /// An exception: to the innermost handler, past the clauses of the frames that it leaves.
    fn throw(&mut self, state: &mut State, at: usize) -> Result<(), Stop> {
        let program = self.world.program;
        let n = state.threads[at].frames.len();
        let handler = (0..n).rev().find_map(|depth| {
            let frame = &state.threads[at].frames[depth];
            let handler = program.methods[frame.method as usize].code[frame.pc as usize].handler?;
            Some((depth, handler))
        });
        let keeps = handler.map_or(0, |(depth, _)| depth + 1);
        if handler.is_none() {
            self.notice(Some(Access::Everything))?;
        }
        for depth in (keeps..n).rev() {
            let frame = Rc::clone(&state.threads[at].frames[depth]);
            if let Some(clause) = &program.methods[frame.method as usize].exceptional {
                self.notice_quantifier(&clause.cond)?;
                let holds = Eval::new(self.world, state, &frame.locals).clause(&clause.cond)?;
                self.must_hold(state, holds, ViolationKind::Exceptional, clause.span)?;
            }
        }
        if let Some((_, pc)) = handler {
            state.thread_mut(at).frames.truncate(keeps);
            state.top_mut(at).pc = pc;
            return Ok(());
        }
        if at != 0
            && let Some(clause) = &program.method(program.entry).exceptional
        {
            let frame = new_frame(self.world, program.entry.0, state.args.to_vec());
            let holds = Eval::new(self.world, state, &frame.locals).clause(&clause.cond)?;
            self.must_hold(state, holds, ViolationKind::Exceptional, clause.span)?;
        }
        Err(Stop::Crashed)
    }
}

/// Whether an expression reads the elements of an array.
pub(super) fn has_quantifier(expr: &Expr) -> bool {
    match expr {
        Expr::Quantified { .. } => true,
        Expr::Unary(_, a) | Expr::Length(a) | Expr::InstanceOf(a, _) => has_quantifier(a),
        Expr::Binary(_, a, b) => has_quantifier(a) || has_quantifier(b),
        Expr::Int(_) | Expr::Bool(_) | Expr::Float(_) | Expr::Null | Expr::Local(_) => false,
    }
}

/// The concrete default of a type.
pub(super) fn default_of(ty: Type) -> Val {
    match Value::default_of(ty) {
        Value::Int(value) => Val::Int(value),
        Value::Bool(value) => Val::Bool(value),
        Value::Float(bits) => Val::Float(bits),
        Value::Ref(reference) => Val::Ref(reference),
    }
}

/// A frame about to run a method.
pub(super) fn new_frame(world: &World<'_>, method: u32, mut args: Vec<Val>) -> Frame {
    let locals = &world.program.method(MethodId(method)).locals;
    args.extend(locals[args.len().min(locals.len())..].iter().map(|local| default_of(local.ty)));
    Frame { method, pc: 0, locals: args }
}

/// A new object of a class with default fields.
pub(super) fn new_object(world: &World<'_>, class: ClassId, owner: u32) -> Obj {
    let vals = world.program.class(class).fields.iter().map(|field| default_of(field.ty)).collect();
    Obj { shape: Shape::Instance(Rc::new([class])), vals, holder: None, input: None, owner: Some(owner) }
}

fn allocate_array(state: &mut State, ty: Type, lengths: &[i64], owner: u32) -> u32 {
    let (length, rest) = lengths.split_first().expect("an array has a size");
    let vals = if rest.is_empty() {
        vec![default_of(ty.element()); *length as usize]
    } else {
        (0..*length).map(|_| Val::Ref(allocate_array(state, ty.element(), rest, owner))).collect()
    };
    state.allocate(Obj { shape: Shape::Array(ty), vals, holder: None, input: None, owner: Some(owner) })
}

/// The type of an array's elements.
pub(super) fn element_type(state: &State, array: u32) -> Type {
    match state.object(array).shape {
        Shape::Array(ty) => ty.element(),
        Shape::Instance(_) => Type::NULL,
    }
}
