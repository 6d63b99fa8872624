//! Where do all threads stand? The part of a state that no abstraction forgets.
//!
//! Locations, atomic sections, which threads and which allocated objects there are. Two abstract states are compared only if they
//! agree on all of it.
//!
//! Threads that a loop starts without end cannot all be told apart. They are *counted threads*: for each place (procedure, location, depth) it is known
//! only whether nobody, at most one of them, or any number of them stands there (the counters 0, 1, infinity of Pnueli, Xu and Zuck 2002). A place of
//! a counted place is addressed like a thread, by a number that spells it.
//!
//! Invariant: once a thread has become counted, all that are started later are counted too, so that the numbers of the others are their true ones.

use ir::{AllocKind, LocId, ProcId, Program, RegionId};

/// Numbers from here on are counted places.
pub const COUNTED: u32 = 1 << 31;
/// The counted thread that takes a step.
pub const MOVER: u32 = u32::MAX;
/// Another member at the place where the mover stood.
pub const OTHER: u32 = u32::MAX - 1;

const LOC_BITS: u32 = 20;
const DEPTH_BITS: u32 = 3;

/// Whether a number is a counted place.
pub fn is_counted(thread: u32) -> bool {
    thread >= COUNTED
}

/// Whether places of a procedure have numbers.
pub fn can_be_counted(program: &Program, proc: ProcId) -> bool {
    proc.index() < 255 && program.proc(proc).locs.len() < 1 << LOC_BITS
}

/// The number of a place. Nested atomic sections beyond a few count as a few, which lets others run earlier than they can.
pub fn place(at: &ThreadAt) -> u32 {
    let depth = at.depth.min((1 << DEPTH_BITS) - 1);
    COUNTED | at.proc.0 << (LOC_BITS + DEPTH_BITS) | at.loc.0 << DEPTH_BITS | depth
}

/// Where a thread stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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
    /// Whether threads have become counted.
    pub has_counted: bool,
    /// Counted places where somebody may stand, ascending, and whether it may be more than one.
    pub counted: Vec<(u32, bool)>,
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
    /// A thread starts and is counted.
    Join(ProcId),
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
        Control {
            threads: vec![at_entry(program, program.main)],
            holder: None,
            objects: Vec::new(),
            has_ended: false,
            has_counted: false,
            counted: Vec::new(),
        }
    }

    /// Where a thread, or a counted thread, stands.
    pub fn at(&self, thread: u32) -> ThreadAt {
        if !is_counted(thread) {
            return self.threads[thread as usize];
        }
        let field = |shift: u32, bits: u32| thread >> shift & ((1 << bits) - 1);
        ThreadAt {
            proc: ProcId(field(LOC_BITS + DEPTH_BITS, 31 - LOC_BITS - DEPTH_BITS)),
            loc: LocId(field(DEPTH_BITS, LOC_BITS)),
            depth: field(0, DEPTH_BITS),
            granules: 0,
            has_ended: false,
        }
    }

    /// All threads that have not ended, and counted places.
    pub fn alive(&self) -> impl Iterator<Item = u32> + '_ {
        let named = (0..self.threads.len() as u32).filter(|thread| !self.threads[*thread as usize].has_ended);
        named.chain(self.counted.iter().map(|(place, _)| *place))
    }

    /// Whether somebody may stand at a counted place, and if so, whether it may be more than one.
    pub fn at_place(&self, place: u32) -> Option<bool> {
        self.counted.binary_search_by_key(&place, |(place, _)| *place).ok().map(|index| self.counted[index].1)
    }

    /// Whether all counted threads may be among those of another.
    pub fn counted_are_within(&self, other: &Control) -> bool {
        let mut others = other.counted.iter();
        let mut has_room = |place: u32, many: bool| {
            let found = others.find(|(other, _)| *other >= place);
            found.is_some_and(|(other, allows_many)| *other == place && (*allows_many || !many))
        };
        self.counted.len() <= other.counted.len() && self.counted.iter().all(|(place, many)| has_room(*place, *many))
    }

    fn arrive(&mut self, at: &ThreadAt) {
        let place = place(at);
        self.has_counted = true;
        match self.counted.binary_search_by_key(&place, |(place, _)| *place) {
            Ok(index) => self.counted[index].1 = true,
            Err(index) => self.counted.insert(index, (place, false)),
        }
    }

    /// After a step of a thread to a location.
    pub fn after(&self, program: &Program, thread: u32, to: LocId, changes: &[Change]) -> Control {
        let mut next = self.clone();
        let mut this = self.at(thread);
        if is_counted(thread) {
            // Of many that may be there, as many may be left.
            next.counted.retain(|(place, many)| *place != thread || *many);
        }
        this.loc = to;
        for change in changes {
            match change {
                Change::Begin => this.depth += 1,
                Change::End => this.depth = this.depth.saturating_sub(1),
                Change::Start(proc) => next.threads.push(at_entry(program, *proc)),
                Change::Join(proc) => next.arrive(&at_entry(program, *proc)),
                Change::Make(object, granules) => {
                    next.objects.push(object.clone());
                    this.granules += granules;
                }
                Change::Free(base) => next.objects.retain(|object| object.base != *base),
                Change::EndThread => {
                    this.depth = 0;
                    this.has_ended = true;
                }
                Change::EndProcess => next.has_ended = true,
            }
        }
        let mut number = thread;
        if !is_counted(thread) {
            next.threads[thread as usize] = this;
        } else if !this.has_ended {
            number = place(&this);
            next.arrive(&this);
        }
        next.has_ended |=
            this.has_ended && next.counted.is_empty() && next.threads.iter().all(|thread| thread.has_ended);
        next.holder = (this.depth > 0 && !this.has_ended).then_some(number);
        next
    }
}

fn at_entry(program: &Program, proc: ProcId) -> ThreadAt {
    ThreadAt { proc, loc: program.proc(proc).entry, depth: 0, granules: 0, has_ended: false }
}
