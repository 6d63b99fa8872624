//! What is a symbolic state? A heap and threads like the machine's, values that may be terms, and what is assumed of the inputs.
//!
//! References are always decided: a reference of the input is `Lazy` until somebody looks at it, and then the state is split into one for each
//! thing it can be (null, an input object that is already there, a new one). So shapes are concrete, only numbers and truth values are terms.
//! Cloning is cheap: objects, frames and threads are shared until they change.
//!
//! Invariant: threads are in the order of their names, which do not depend on the schedule.

pub(crate) mod matching;
pub(crate) mod split;

use ir::oox::{ClassId, Type};
use logic::TermId;
use smallvec::SmallVec;
use std::rc::Rc;

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Val {
    /// An integer, character or string number.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A float's bits.
    Float(u64),
    /// 0 is null, k is the object at k - 1.
    Ref(u32),
    /// An integer (64 bits), truth value or float that depends on inputs.
    Term(TermId),
    /// A reference of the input that nobody has looked at.
    Lazy(u32),
    /// A field of an input object that nobody has read or written.
    Unset,
}

/// What an object is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Shape {
    /// An object of one of these classes; several only for input objects.
    Instance(Rc<[ClassId]>),
    /// An array of this type.
    Array(Type),
}

/// An object or array.
#[derive(Clone, Debug)]
pub(super) struct Obj {
    pub(super) shape: Shape,
    pub(super) vals: Vec<Val>,
    /// Who holds its lock.
    pub(super) holder: Option<u32>,
    /// For an object of the input the lazy reference that it was made for; names it on every path.
    pub(super) input: Option<u32>,
    /// The only thread that can reach it.
    pub(super) owner: Option<u32>,
}

/// A running method.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) method: u32,
    pub(super) pc: u32,
    pub(super) locals: Vec<Val>,
}

/// What a step touched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Access {
    /// A field.
    Field { object: u32, slot: u16, is_write: bool },
    /// An element.
    Element { array: u32, index: Val, is_write: bool },
    /// All elements are read.
    Elements { array: u32 },
    /// A lock is taken or given back.
    Lock { object: u32 },
    /// The thread waits for its descendants.
    Join,
    /// It ends the execution.
    Everything,
}

/// What a thread did last, for the reduction; `None` in its place if something that depends on it has happened since.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Last {
    pub(super) accesses: SmallVec<[Access; 2]>,
    /// Threads that were started after it.
    pub(super) children: SmallVec<[u32; 2]>,
    /// Whether the thread ended after it.
    pub(super) has_ended: bool,
}

/// A thread.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    pub(super) name: u32,
    /// Empty if it has ended.
    pub(super) frames: Vec<Rc<Frame>>,
    pub(super) n_children: u16,
    pub(super) last: Option<Rc<Last>>,
    /// Whether it has been scheduled at all.
    pub(super) has_run: bool,
    /// Whether its next local step would be beyond the depth.
    pub(super) is_cut: bool,
    /// Whether it runs local steps for ever.
    pub(super) diverges: bool,
    /// How much its steps cost so far, and how much of it the path has paid.
    pub(super) done: u32,
    pub(super) paid: u32,
    /// Who started it, after how much cost.
    pub(super) parent: Option<(u32, u32)>,
}

/// Who ran, how many instructions; the last first.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) thread: u32,
    pub(super) count: u32,
    /// How many it were instead if the condition does not hold.
    pub(super) unless: Option<(TermId, u32)>,
    pub(super) before: Option<Rc<Ran>>,
}

/// A symbolic state with how it was reached.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) heap: Vec<Rc<Obj>>,
    pub(super) threads: Vec<Rc<Thread>>,
    /// What is assumed of the inputs.
    pub(super) assumed: Rc<Vec<TermId>>,
    /// Values of the inputs for which all of it holds, if they are at hand.
    pub(super) witness: Option<Rc<smt::Assignment>>,
    /// Arguments of the entry method.
    pub(super) args: Rc<Vec<Val>>,
    /// What lazy references turned out to be.
    pub(super) resolved: Rc<Vec<(u32, Val)>>,
    /// How much depth the path has used.
    pub(super) depth: u32,
    pub(super) ran: Option<Rc<Ran>>,
}

impl State {
    /// The position of a thread.
    pub(super) fn thread_at(&self, name: u32) -> usize {
        self.threads.iter().position(|thread| thread.name == name).expect("threads never go away")
    }

    /// The object of a reference that is not null.
    pub(super) fn object(&self, reference: u32) -> &Obj {
        &self.heap[reference as usize - 1]
    }

    pub(super) fn object_mut(&mut self, reference: u32) -> &mut Obj {
        Rc::make_mut(&mut self.heap[reference as usize - 1])
    }

    pub(super) fn thread_mut(&mut self, at: usize) -> &mut Thread {
        Rc::make_mut(&mut self.threads[at])
    }

    /// The innermost frame.
    pub(super) fn top(&self, at: usize) -> Option<&Frame> {
        self.threads[at].frames.last().map(|frame| &**frame)
    }

    pub(super) fn top_mut(&mut self, at: usize) -> &mut Frame {
        let thread = Rc::make_mut(&mut self.threads[at]);
        Rc::make_mut(thread.frames.last_mut().expect("a running thread has a frame"))
    }

    /// A new object; its reference.
    pub(super) fn allocate(&mut self, object: Obj) -> u32 {
        self.heap.push(Rc::new(object));
        self.heap.len() as u32
    }

    /// Assumes a condition of which nobody knows what solves it.
    pub(super) fn assume(&mut self, cond: TermId) {
        Rc::make_mut(&mut self.assumed).push(cond);
        self.witness = None;
    }

    /// Whether nobody but the thread can reach the object.
    pub(super) fn is_private(&self, object: &Obj, thread: u32) -> bool {
        self.threads.len() == 1 || object.owner == Some(thread)
    }

    /// Lets everybody reach what a value reaches.
    pub(super) fn share(&mut self, value: Val) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            let Val::Ref(reference) = value else { continue };
            if reference == 0 || self.object(reference).owner.is_none() {
                continue;
            }
            let object = self.object_mut(reference);
            object.owner = None;
            open.extend(object.vals.iter().copied());
        }
    }

    /// Notes that a thread ran one more instruction.
    pub(super) fn note_run(&mut self, thread: u32) {
        let before = self.ran.take();
        self.ran = Some(Rc::new(match before {
            Some(ran) if ran.thread == thread && ran.unless.is_none() => {
                Ran { thread, count: ran.count + 1, unless: None, before: ran.before.clone() }
            }
            before => Ran { thread, count: 1, unless: None, before },
        }));
    }

    /// Notes what a thread ran behind a joined branch.
    pub(super) fn note_joined(&mut self, thread: u32, joined: Joined) {
        let unless = Some((joined.cond, joined.otherwise));
        self.ran = Some(Rc::new(Ran { thread, count: joined.then, unless, before: self.ran.take() }));
    }

    /// Puts the value of a lazy reference everywhere in its place, and into the slot it came from if nobody has written there.
    pub(super) fn resolve(&mut self, lazy: u32, value: Val, origin: Origin) {
        let is_there = |vals: &[Val]| vals.contains(&Val::Lazy(lazy));
        let put = |vals: &mut Vec<Val>| {
            vals.iter_mut().filter(|val| **val == Val::Lazy(lazy)).for_each(|val| *val = value);
        };
        if let Origin::Slot(input, slot) = origin
            && let Some(place) = self.heap.iter().position(|object| object.input == Some(input))
        {
            let (object, slot) = (place as u32 + 1, slot as usize);
            if matches!(self.object(object).vals.get(slot), None | Some(Val::Unset)) {
                let vals = &mut self.object_mut(object).vals;
                vals.resize(vals.len().max(slot + 1), Val::Unset);
                vals[slot] = value;
            }
        }
        for object in &mut self.heap {
            if is_there(&object.vals) {
                put(&mut Rc::make_mut(object).vals);
            }
        }
        for thread in &mut self.threads {
            if thread.frames.iter().any(|frame| is_there(&frame.locals)) {
                for frame in &mut Rc::make_mut(thread).frames {
                    if is_there(&frame.locals) {
                        put(&mut Rc::make_mut(frame).locals);
                    }
                }
            }
        }
        if is_there(&self.args) {
            put(Rc::make_mut(&mut self.args));
        }
        Rc::make_mut(&mut self.resolved).push((lazy, value));
    }
}

/// What was run behind a joined branch: how many instructions if the condition holds and if not, and what that costs.
#[derive(Clone, Copy)]
pub(super) struct Joined {
    pub(super) cond: TermId,
    pub(super) then: u32,
    pub(super) otherwise: u32,
    pub(super) cost: u32,
}

/// Where an input stands at the start.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Origin {
    /// An argument of the entry method.
    Param(u16),
    /// A field or element of the input object that was made for a lazy reference.
    Slot(u32, u32),
}
