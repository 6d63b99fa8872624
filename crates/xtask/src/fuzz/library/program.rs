//! Which programs does the library fuzzer try? Two or three threads that use what libraries of threads offer, in POSIX's words or in C11's.
//!
//! Every thread has one number `r`, which is what the last call returned or what was read last; two numbers are shared. What a thread takes it gives back, unless it
//! ends before. Nothing undefined is done: a normal mutex or a read-write lock is given back by who has it, a condition is waited for with its mutex.
//! Each program is a tree, so that it can be printed as C, run by the oracle, and made smaller by taking parts away.

use logic::Prng;

/// What a mutex does when its owner takes it again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// It waits for ever.
    Normal,
    Recursive,
    /// It returns an error.
    Checking,
}

/// How something is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum How {
    Wait,
    Try,
    /// Wait until some time.
    Timed,
}

/// What is taken and given back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lock {
    /// A mutex, 0 or 1; the kind of the second is the program's.
    Mutex(usize),
    /// The read-write lock, to read.
    Read,
    /// Likewise, to write.
    Write,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Piece {
    /// A shared number gets a value.
    Set(usize, u8),
    /// A shared number is read into `r`.
    Get(usize),
    /// A shared number is read, and one more is written.
    Add(usize),
    /// An assertion that `r` is not this number.
    Never(i32),
    /// An assertion that a shared number is not this.
    NeverShared(usize, u8),
    /// What is done if `r` is this number.
    If(i32, Vec<Piece>),
    /// What is done twice.
    Twice(Vec<Piece>),
    /// What is done with something taken; nothing if it could not be had.
    With(Lock, How, Vec<Piece>),
    /// Giving back the second mutex for its result, where that is an error and no more.
    Unlock,
    SemWait(How),
    SemPost,
    SemValue,
    Barrier,
    Once,
    /// Waits for the condition, in a section of the first mutex, once or until a shared number is not 0.
    Await(How, bool),
    Signal,
    Broadcast,
    /// Gives the thread's value of the key.
    SetKey(u8),
    GetKey,
    /// `pthread_exit`.
    Exit,
    /// `return`.
    Return,
}

/// How the shared numbers are declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Store {
    Int,
    Volatile,
    Atomic,
    Char,
    Float,
    Double,
    BitField,
    Union,
    Element,
    Pointer,
}

/// How the program is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Style {
    pub(super) is_c11: bool,
    /// Threads are started and joined in loops, by a table of functions.
    pub(super) has_loops: bool,
    /// Bodies of `Twice` are functions that call themselves.
    pub(super) recurses: bool,
    /// Branches are `switch` or `goto`.
    pub(super) jumps: bool,
    pub(super) stores: [Store; 2],
}

/// What main does with a thread that it has started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// Its result is in `r` afterwards.
    Joined,
    Detached,
    Left,
}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Program {
    pub(super) style: Style,
    pub(super) kind: Kind,
    pub(super) semaphore: u8,
    pub(super) barrier: u8,
    /// What is done once.
    pub(super) once: Vec<Piece>,
    /// What the destructor of the key adds its value to; whether the key has one. It may set the key again, once.
    pub(super) destructor: Option<(usize, bool)>,
    pub(super) threads: Vec<Vec<Piece>>,
    /// What main does while they run, and after it has joined them.
    pub(super) beside: Vec<Piece>,
    pub(super) fates: Vec<Fate>,
    pub(super) after: Vec<Piece>,
}

/// The program of a seed.
pub(super) fn generate(seed: u64) -> Program {
    let mut random = Prng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6a09_e667_f3bc_c908);
    let style = Style {
        is_c11: random.percent(35),
        has_loops: random.percent(40),
        recurses: random.percent(30),
        jumps: random.percent(30),
        stores: [store(&mut random), store(&mut random)],
    };
    let kind = match random.below(3) {
        0 => Kind::Normal,
        1 => Kind::Recursive,
        // C11 has no such mutexes.
        _ if style.is_c11 => Kind::Recursive,
        _ => Kind::Checking,
    };
    let n_threads = if random.percent(75) { 2 } else { 1 + 2 * random.index(2) };
    let mut make = Maker {
        topics: Vec::new(),
        kind,
        is_c11: style.is_c11,
        random: &mut random,
        depth: 0,
        inside: Vec::new(),
        in_once: false,
        in_function: false,
    };
    // A program is about two or three things, so that its threads meet.
    make.topics = (0..2 + make.random.index(2)).map(|_| make.random.below(N_TOPICS)).collect();
    let length = if n_threads == 3 { 1 } else { 2 };
    let threads: Vec<Vec<Piece>> = (0..n_threads).map(|_| make.body(length)).collect();
    let beside = if make.random.percent(50) { make.body(2) } else { Vec::new() };
    make.in_once = true;
    let once = make.body(1);
    make.in_once = false;
    let fate = if make.random.percent(80) { Fate::Joined } else { make.random.pick(&[Fate::Detached, Fate::Left]) };
    let fates = vec![fate; n_threads];
    let mut after = if fate == Fate::Joined && make.random.percent(50) { make.body(1) } else { Vec::new() };
    after.push(make.claim());
    let barrier = if make.random.percent(85) { 2 } else { 1 + 2 * make.random.below(2) as u8 };
    let semaphore = make.random.below(3) as u8;
    let destructor = make.random.percent(80).then(|| (make.random.index(2), make.random.percent(25)));
    Program { style, kind, semaphore, barrier, once, destructor, threads, beside, fates, after }
}

fn store(random: &mut Prng) -> Store {
    random.pick(&[
        Store::Int,
        Store::Int,
        Store::Volatile,
        Store::Atomic,
        Store::Char,
        Store::Float,
        Store::Double,
        Store::BitField,
        Store::Union,
        Store::Element,
        Store::Pointer,
    ])
}

const N_TOPICS: u64 = 8;

struct Maker<'r> {
    topics: Vec<u64>,
    kind: Kind,
    is_c11: bool,
    random: &'r mut Prng,
    depth: u32,
    /// What is held around.
    inside: Vec<Lock>,
    /// Whether this is what is done once, which neither ends threads nor waits.
    in_once: bool,
    /// Whether this may be a function of its own, from which one cannot return for the thread.
    in_function: bool,
}

impl Maker<'_> {
    fn body(&mut self, most: usize) -> Vec<Piece> {
        let n = 1 + self.random.index(most);
        (0..n).flat_map(|_| self.pieces()).collect()
    }

    fn inner(&mut self) -> Vec<Piece> {
        self.depth += 1;
        let body = self.body(if self.depth == 1 { 2 } else { 1 });
        self.depth -= 1;
        body
    }

    fn how(&mut self) -> How {
        self.random.pick(&[How::Wait, How::Wait, How::Wait, How::Try, How::Timed])
    }

    /// An assertion.
    fn claim(&mut self) -> Piece {
        Piece::NeverShared(self.random.index(2), 1 + self.random.below(4) as u8)
    }

    fn with(&mut self, lock: Lock) -> Piece {
        let how = self.how();
        self.inside.push(lock);
        let body = self.inner();
        self.inside.pop();
        Piece::With(lock, how, body)
    }

    /// Whether the read-write lock is held around.
    fn reads(&self) -> bool {
        self.inside.iter().any(|lock| matches!(lock, Lock::Read | Lock::Write))
    }

    /// Something about a topic of the program, or about the shared numbers.
    fn pieces(&mut self) -> Vec<Piece> {
        if self.in_once || self.depth >= 2 || self.random.percent(35 + 25 * u64::from(self.depth)) {
            return vec![self.plain()];
        }
        let topic = self.topics[self.random.index(self.topics.len())];
        let act = match topic {
            0 => self.with(Lock::Mutex(0)),
            1 if self.kind != Kind::Normal && !self.is_c11 && self.random.chance(5) => Piece::Unlock,
            1 => self.with(Lock::Mutex(1)),
            2 if !self.reads() => {
                let lock = self.random.pick(&[Lock::Read, Lock::Read, Lock::Write]);
                self.with(lock)
            }
            3 => match self.random.below(5) {
                0 | 1 => Piece::SemPost,
                2 => Piece::SemValue,
                _ => Piece::SemWait(self.how()),
            },
            4 => Piece::Barrier,
            5 => Piece::Once,
            6 if self.inside.is_empty() => match self.random.below(5) {
                0 => Piece::Signal,
                1 => Piece::Broadcast,
                2 => Piece::With(Lock::Mutex(0), How::Wait, vec![Piece::Set(0, 1), Piece::Signal]),
                _ => {
                    let how = self.random.pick(&[How::Wait, How::Wait, How::Timed]);
                    Piece::Await(how, self.random.percent(50))
                }
            },
            7 if self.random.percent(60) => Piece::SetKey(self.random.below(3) as u8),
            7 => Piece::GetKey,
            _ => self.plain(),
        };
        // What a call returned is often looked at.
        match self.random.below(5) {
            0 => {
                let number = self.number();
                vec![act, Piece::If(number, self.inner())]
            }
            1 => vec![act, Piece::Never(self.number())],
            _ => vec![act],
        }
    }

    /// A number that calls return.
    fn number(&mut self) -> i32 {
        self.random.pick(&[0, 0, 1, -1, 2, 1, 16, 35, 110, 4])
    }

    fn plain(&mut self) -> Piece {
        let at = self.random.index(2);
        match self.random.below(if self.in_once { 5 } else { 14 }) {
            0 | 1 => Piece::Set(at, self.random.below(3) as u8),
            2..=4 => Piece::Add(at),
            5 | 6 => Piece::Get(at),
            7 => self.claim(),
            8 => Piece::Never(self.random.below(3) as i32),
            9 | 10 if self.depth < 2 => {
                let number = self.random.below(2) as i32;
                Piece::If(number, self.inner())
            }
            11 if self.depth < 2 && self.inside.is_empty() && !self.in_function => {
                self.in_function = true;
                let body = self.inner();
                self.in_function = false;
                Piece::Twice(body)
            }
            12 if self.random.chance(3) => Piece::Exit,
            13 if self.random.chance(4) && !self.in_function => Piece::Return,
            _ => Piece::Add(at),
        }
    }
}

impl Program {
    /// All bodies.
    fn bodies_mut(&mut self) -> Vec<&mut Vec<Piece>> {
        [&mut self.beside, &mut self.after, &mut self.once].into_iter().chain(&mut self.threads).collect()
    }

    /// Programs that are one piece smaller.
    pub(super) fn smaller(&self) -> Vec<Program> {
        let mut all = Vec::new();
        for index in 0..self.threads.len() {
            if self.threads.len() > 1 {
                let mut less = self.clone();
                less.threads.remove(index);
                less.fates.remove(index);
                all.push(less);
            }
        }
        let n_bodies = self.clone().bodies_mut().len();
        for index in 0..n_bodies {
            let body = self.clone().bodies_mut()[index].clone();
            for small in smaller_bodies(&body) {
                let mut less = self.clone();
                *less.bodies_mut()[index] = small;
                all.push(less);
            }
        }
        let plain = Style {
            is_c11: self.style.is_c11,
            has_loops: false,
            recurses: false,
            jumps: false,
            stores: [Store::Int; 2],
        };
        let simpler = [
            Program { destructor: None, ..self.clone() },
            Program { style: plain, ..self.clone() },
            Program { style: Style { is_c11: false, ..self.style }, ..self.clone() },
            Program { semaphore: 0, ..self.clone() },
        ];
        all.extend(simpler.into_iter().filter(|less| less != self));
        all
    }
}

fn smaller_bodies(body: &[Piece]) -> Vec<Vec<Piece>> {
    let mut all = Vec::new();
    for (index, piece) in body.iter().enumerate() {
        let with = |pieces: Vec<Piece>| {
            let mut less = body.to_vec();
            less.splice(index..=index, pieces);
            less
        };
        all.push(with(Vec::new()));
        if let Piece::If(_, inner) | Piece::Twice(inner) | Piece::With(_, _, inner) = piece {
            all.push(with(inner.clone()));
            for small in smaller_bodies(inner) {
                let mut piece = piece.clone();
                if let Piece::If(_, inner) | Piece::Twice(inner) | Piece::With(_, _, inner) = &mut piece {
                    *inner = small;
                }
                all.push(with(vec![piece]));
            }
        }
    }
    all
}
