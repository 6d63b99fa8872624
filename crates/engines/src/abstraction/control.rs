//! Where do all threads stand? The part of a state that no abstraction forgets.
//!
//! Locations, atomic sections, which threads and which allocated objects there are. Two abstract states are compared only if they
//! agree on all of it.

use ir::{AllocKind, LocId, ProcId, Program, RegionId};

/// Where a thread stands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ThreadAt {
    /// The procedure that it runs.
    pub proc: ProcId,
    /// The location.
    pub loc: LocId,
    /// How many atomic sections it is in.
    pub depth: u32,
    /// How many granules of addresses it has used.
    pub granules: u64,
    /// Whether it has ended.
    pub has_ended: bool,
}

/// An allocated object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Object {
    /// Its address.
    pub base: u64,
    /// Its size.
    pub size: u64,
    /// Where it lives.
    pub kind: AllocKind,
    /// The region of its allocation, if that is in one.
    pub region: RegionId,
    /// Whether its bytes were zero at first.
    pub is_zeroed: bool,
}

/// Where all threads stand.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Control {
    /// All threads ever started.
    pub threads: Vec<ThreadAt>,
    /// The thread whose last step left it inside an atomic section.
    pub holder: Option<u32>,
    /// Live allocated objects.
    pub objects: Vec<Object>,
    /// Whether the process has ended.
    pub has_ended: bool,
}

/// How a step changes control, in the order in which it happens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// An atomic section begins.
    Begin,
    /// An atomic section ends.
    End,
    /// A thread starts.
    Start(ProcId),
    /// An object is made.
    Make(Object, u64),
    /// The object at an address ends.
    Free(u64),
    /// The running thread ends.
    EndThread,
    /// The process ends.
    EndProcess,
}

impl Control {
    /// The first thread stands at the entry of the main procedure.
    pub fn initial(program: &Program) -> Control {
        Control { threads: vec![at_entry(program, program.main)], holder: None, objects: Vec::new(), has_ended: false }
    }

    /// After a step of a thread to a location.
    pub fn after(&self, program: &Program, thread: u32, to: LocId, changes: &[Change]) -> Control {
        let mut next = self.clone();
        let this = thread as usize;
        next.threads[this].loc = to;
        for change in changes {
            match change {
                Change::Begin => next.threads[this].depth += 1,
                Change::End => next.threads[this].depth = next.threads[this].depth.saturating_sub(1),
                Change::Start(proc) => next.threads.push(at_entry(program, *proc)),
                Change::Make(object, granules) => {
                    next.objects.push(object.clone());
                    next.threads[this].granules += granules;
                }
                Change::Free(base) => next.objects.retain(|object| object.base != *base),
                Change::EndThread => {
                    next.threads[this].depth = 0;
                    next.threads[this].has_ended = true;
                    next.has_ended |= next.threads.iter().all(|thread| thread.has_ended);
                }
                Change::EndProcess => next.has_ended = true,
            }
        }
        if next.threads[this].depth > 0 && !next.threads[this].has_ended {
            next.holder = Some(thread);
        } else if next.holder == Some(thread) {
            next.holder = None;
        }
        next
    }
}

fn at_entry(program: &Program, proc: ProcId) -> ThreadAt {
    ThreadAt { proc, loc: program.proc(proc).entry, depth: 0, granules: 0, has_ended: false }
}
