//! What does one instruction do to the machine?

use super::eval::{Raised, Value, is_of};
use super::interp::{Ended, Event, Machine, Object, ObjectShape, Stepped, Thread, Violation, ViolationKind};
use super::program::{Call, Callee, Expr, LocalId, MethodId, Op, Place, Rhs, Type};
use crate::source::Span;

/// Arrays of more elements are not made: what follows cannot be told.
const MAX_ELEMENTS: i64 = 1 << 24;

/// Why a step did not simply go on.
enum Stop {
    Raised(Raised),
    Ended(Ended),
}

impl From<Raised> for Stop {
    fn from(raised: Raised) -> Stop {
        Stop::Raised(raised)
    }
}

impl From<Ended> for Stop {
    fn from(ended: Ended) -> Stop {
        Stop::Ended(ended)
    }
}

fn violated(kind: ViolationKind, span: Span) -> Stop {
    Stop::Ended(Ended::Violation(Violation { kind, span }))
}

impl Machine<'_> {
    /// Lets a thread run its next instruction.
    pub fn step(&mut self, thread: usize) -> Stepped {
        if !self.is_enabled(thread) {
            return Stepped::Blocked;
        }
        let frame = self.threads[thread].frames.last().expect("an enabled thread has a frame");
        let instr = &self.program.method(frame.method).code[frame.pc as usize];
        let result = match self.run(thread, &instr.op, instr.span) {
            Err(Stop::Raised(Raised::Exception(what))) => self.throw(thread, what),
            result => result,
        };
        match result {
            Ok(()) => Stepped::Done,
            Err(Stop::Ended(ended)) => Stepped::Ended(ended),
            Err(Stop::Raised(_)) => Stepped::Ended(Ended::OutOfRange(instr.span)),
        }
    }

    fn run(&mut self, thread: usize, op: &Op, span: Span) -> Result<(), Stop> {
        match op {
            Op::Skip => {}
            Op::Assign { to, value } => {
                let value = self.rhs(thread, value)?;
                self.store(thread, to, value)?;
            }
            Op::Call { call, .. } => {
                let (method, args) = self.resolve(thread, call)?;
                let frame = self.enter(method, args)?;
                self.threads[thread].frames.push(frame);
                return Ok(());
            }
            Op::Fork(call) => {
                let (method, args) = self.resolve(thread, call)?;
                if self.threads[thread].n_children == u16::MAX {
                    return Err(Stop::Raised(Raised::OutOfRange));
                }
                let frame = self.enter(method, args)?;
                let parent = &mut self.threads[thread];
                let mut name = parent.name.clone();
                name.push(parent.n_children);
                parent.n_children += 1;
                self.advance(thread);
                self.tell(|_| Event::Start(name.clone()));
                let at = self.threads.iter().position(|other| other.name > name).unwrap_or(self.threads.len());
                self.threads.insert(at, Thread { name, frames: vec![frame], n_children: 0 });
                return Ok(());
            }
            Op::Lock(object) => {
                let at = self.object(thread, object, "a lock on null")?;
                self.heap[at].holder = Some(self.threads[thread].name.clone());
                self.tell(|machine| Event::Lock(machine.object_name(at)));
            }
            Op::Unlock(object) => {
                let at = self.object(thread, object, "an unlock of null")?;
                self.heap[at].holder = None;
                self.tell(|machine| Event::Unlock(machine.object_name(at)));
            }
            Op::Join => self.tell(|_| Event::Join),
            Op::Assert(cond) => {
                if !self.eval(thread, cond)?.as_bool() {
                    return Err(violated(ViolationKind::Assertion, span));
                }
            }
            Op::Assume(cond) => {
                if !self.eval(thread, cond)?.as_bool() {
                    return Err(Stop::Ended(Ended::Assumed));
                }
            }
            Op::Branch { cond, otherwise } => {
                if !self.eval(thread, cond)?.as_bool() {
                    self.top(thread).pc = *otherwise;
                    return Ok(());
                }
            }
            Op::Jump(pc) => {
                self.top(thread).pc = *pc;
                return Ok(());
            }
            Op::Return(value) => return self.leave(thread, value.as_ref()),
            Op::Throw(_) => return self.throw(thread, "thrown"),
        }
        self.advance(thread);
        Ok(())
    }

    /// The next instruction of the innermost frame.
    fn advance(&mut self, thread: usize) {
        self.top(thread).pc += 1;
    }

    fn top(&mut self, thread: usize) -> &mut super::interp::Frame {
        self.threads[thread].frames.last_mut().expect("a running thread has a frame")
    }

    fn eval(&self, thread: usize, expr: &Expr) -> Result<Value, Raised> {
        let frame = self.threads[thread].frames.last().expect("a running thread has a frame");
        self.scope(&frame.locals).eval(expr)
    }

    /// The place of an object in the heap.
    fn object(&self, thread: usize, object: &Expr, complaint: &'static str) -> Result<usize, Raised> {
        let reference = self.eval(thread, object)?.as_ref() as usize;
        reference.checked_sub(1).ok_or(Raised::Exception(complaint))
    }

    /// An array and a place in it.
    fn element(&self, thread: usize, array: &Expr, index: &Expr) -> Result<(usize, usize), Raised> {
        let index = self.eval(thread, index)?.as_int();
        let at = self.object(thread, array, "an element of null")?;
        let inside = usize::try_from(index).ok().filter(|index| *index < self.heap[at].values.len());
        Ok((at, inside.ok_or(Raised::Exception("an index outside of the array"))?))
    }

    fn rhs(&mut self, thread: usize, rhs: &Rhs) -> Result<Value, Raised> {
        match rhs {
            Rhs::Expr(expr) => self.eval(thread, expr),
            Rhs::Field { object, slot, .. } => {
                let at = self.object(thread, object, "a field of null")?;
                let value = self.heap[at].values[usize::from(*slot)];
                self.tell(|machine| Event::Read(machine.field_name(at, usize::from(*slot)), machine.show(value)));
                Ok(value)
            }
            Rhs::Element { array, index } => {
                let (at, index) = self.element(thread, array, index)?;
                let value = self.heap[at].values[index];
                self.tell(|machine| Event::Read(machine.field_name(at, index), machine.show(value)));
                Ok(value)
            }
            Rhs::NewArray { ty, sizes } => {
                let sizes: Result<Vec<i64>, Raised> =
                    sizes.iter().map(|size| Ok(self.eval(thread, size)?.as_int())).collect();
                let sizes = sizes?;
                let all = sizes.iter().try_fold(1i64, |all, size| all.checked_mul(*size));
                if sizes.iter().any(|size| *size < 0) {
                    return Err(Raised::Exception("a negative array size"));
                }
                if all.is_none_or(|all| all > MAX_ELEMENTS) {
                    return Err(Raised::OutOfRange);
                }
                Ok(self.allocate_array(*ty, &sizes))
            }
            Rhs::Cast { ty, value } => {
                let value = self.eval(thread, value)?;
                match value.as_ref() {
                    0 => Ok(value),
                    at if is_of(self.program, &self.heap[at as usize - 1], *ty) => Ok(value),
                    _ => Err(Raised::Exception("a cast to a type that the object does not have")),
                }
            }
        }
    }

    fn allocate_array(&mut self, ty: Type, sizes: &[i64]) -> Value {
        let (size, rest) = sizes.split_first().expect("an array has a size");
        let values = if rest.is_empty() {
            vec![Value::default_of(ty.element()); *size as usize]
        } else {
            (0..*size).map(|_| self.allocate_array(ty.element(), rest)).collect()
        };
        self.heap.push(Object { shape: ObjectShape::Array(ty), values, holder: None });
        Value::Ref(self.heap.len() as u32)
    }

    fn store(&mut self, thread: usize, to: &Place, value: Value) -> Result<(), Raised> {
        let (at, slot) = match to {
            Place::Local(local) => {
                self.set(thread, *local, value);
                return Ok(());
            }
            Place::Field { object, slot, .. } => (self.object(thread, object, "a field of null")?, usize::from(*slot)),
            Place::Element { array, index } => self.element(thread, array, index)?,
        };
        let old = std::mem::replace(&mut self.heap[at].values[slot], value);
        self.tell(|machine| Event::Write(machine.field_name(at, slot), machine.show(old), machine.show(value)));
        Ok(())
    }

    fn set(&mut self, thread: usize, local: LocalId, value: Value) {
        let frame = self.top(thread);
        frame.locals[usize::from(local)] = value;
        let method = frame.method;
        self.tell(|machine| {
            let name = &machine.program.method(method).locals[usize::from(local)].name;
            Event::Set(name.clone(), machine.show(value))
        });
    }

    /// The method that a call runs, and its arguments.
    fn resolve(&mut self, thread: usize, call: &Call) -> Result<(MethodId, Vec<Value>), Raised> {
        let args: Result<Vec<Value>, Raised> = call.args.iter().map(|arg| self.eval(thread, arg)).collect();
        let mut args = args?;
        match call.callee {
            Callee::Method(method) => Ok((method, args)),
            Callee::New(class, method) => {
                args.insert(0, self.allocate(class));
                Ok((method, args))
            }
            Callee::Virtual(signature) => {
                let receiver = args[0].as_ref() as usize;
                let at = receiver.checked_sub(1).ok_or(Raised::Exception("a call on null"))?;
                let ObjectShape::Instance(class) = self.heap[at].shape else {
                    unreachable!("arrays have no methods");
                };
                let method = self.program.class(class).runs(signature);
                Ok((method.expect("the front end looked for missing methods"), args))
            }
        }
    }

    /// The frame of a call whose requirement holds.
    fn enter(&self, method: MethodId, args: Vec<Value>) -> Result<super::interp::Frame, Stop> {
        let frame = self.frame(method, args);
        if let Some(clause) = &self.program.method(method).requires
            && !self.clause_holds(clause, &frame.locals)?
        {
            return Err(violated(ViolationKind::Requires, clause.span));
        }
        Ok(frame)
    }

    /// The innermost method ends with a value.
    fn leave(&mut self, thread: usize, value: Option<&Expr>) -> Result<(), Stop> {
        let mut value = value.map(|value| self.eval(thread, value)).transpose()?;
        let program = self.program;
        let frame = self.top(thread);
        let method = program.method(frame.method);
        if let (Some(retval), Some(value)) = (method.retval, value) {
            frame.locals[usize::from(retval)] = value;
        }
        if method.is_constructor {
            value = Some(frame.locals[0]);
        }
        if let Some(clause) = &method.ensures {
            let locals = frame.locals.clone();
            if !self.clause_holds(clause, &locals)? {
                return Err(violated(ViolationKind::Ensures, clause.span));
            }
        }
        self.threads[thread].frames.pop();
        let Some(caller) = self.threads[thread].frames.last() else {
            self.tell(|_| Event::Note("ends".to_string()));
            return Ok(());
        };
        let call = &program.method(caller.method).code[caller.pc as usize];
        if let (Op::Call { to: Some(local), .. }, Some(value)) = (&call.op, value) {
            self.set(thread, *local, value);
        }
        self.advance(thread);
        Ok(())
    }

    /// Finds the handler of an exception, frame by frame.
    fn throw(&mut self, thread: usize, what: &str) -> Result<(), Stop> {
        self.tell(|_| Event::Note(format!("exception: {what}")));
        let program = self.program;
        while let Some(frame) = self.threads[thread].frames.last_mut() {
            let method = program.method(frame.method);
            if let Some(handler) = method.code[frame.pc as usize].handler {
                frame.pc = handler;
                return Ok(());
            }
            if let Some(clause) = &method.exceptional {
                let locals = frame.locals.clone();
                if !self.clause_holds(clause, &locals)? {
                    return Err(violated(ViolationKind::Exceptional, clause.span));
                }
            }
            self.threads[thread].frames.pop();
        }
        if thread != 0
            && let Some(clause) = self.entry_accepts_exceptions()?
        {
            return Err(violated(ViolationKind::Exceptional, clause.span));
        }
        Err(Stop::Ended(Ended::Exception))
    }

    /// Tells an event, if somebody listens.
    fn tell(&mut self, event: impl FnOnce(&Self) -> Event) {
        if let Some(mut events) = self.events.take() {
            events.push(event(self));
            self.events = Some(events);
        }
    }

    /// What an object is called: its class and its number.
    pub fn object_name(&self, at: usize) -> String {
        match self.heap[at].shape {
            ObjectShape::Instance(class) => format!("{}#{}", self.program.class(class).name, at + 1),
            ObjectShape::Array(ty) => format!("{}#{}", self.program.type_name(ty), at + 1),
        }
    }

    /// What a field or element is called.
    pub fn field_name(&self, at: usize, slot: usize) -> String {
        let object = self.object_name(at);
        match self.heap[at].shape {
            ObjectShape::Instance(class) => format!("{object}.{}", self.program.class(class).fields[slot].name),
            ObjectShape::Array(_) => format!("{object}[{slot}]"),
        }
    }

    /// A value for people. Strings and characters show as numbers unless their type is known; see `show_typed`.
    pub fn show(&self, value: Value) -> String {
        match value {
            Value::Int(value) => value.to_string(),
            Value::Bool(value) => value.to_string(),
            Value::Float(bits) => format!("{:?}", f64::from_bits(bits)),
            Value::Ref(0) => "null".to_string(),
            Value::Ref(reference) => self.object_name(reference as usize - 1),
        }
    }

    /// A value of a type for people.
    pub fn show_typed(&self, value: Value, ty: Type) -> String {
        use super::program::Base;
        match (ty.dims, ty.base, value) {
            (0, Base::Char, Value::Int(code)) => match u32::try_from(code).ok().and_then(char::from_u32) {
                Some(c) => format!("{c:?}"),
                None => code.to_string(),
            },
            (0, Base::String, Value::Int(0)) => "null".to_string(),
            (0, Base::String, Value::Int(number)) => match self.program.strings.get(number as usize - 1) {
                Some(text) => format!("{text:?}"),
                None => format!("a string #{number}"),
            },
            _ => self.show(value),
        }
    }
}
