//! What is taken for granted about a program beyond its text? Everything that is, for the report.
//!
//! Only what the program gets to is listed: functions that nobody calls are not lowered and assume nothing.

use super::calls::library;
use super::context::Lowering;
use ir::{AllocKind, Diagnostic, Op, Order, Property, Span, Stmt};

/// Mathematical functions that set errno where their argument or result has no number.
const MATH_ERRORS: [&str; 20] = [
    "acos",
    "asin",
    "acosh",
    "atanh",
    "cosh",
    "sinh",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "pow",
    "fmod",
    "remainder",
    "hypot",
    "ldexp",
    "scalbn",
    "sqrt",
];

impl Lowering<'_> {
    /// Refuses names given as pure that are not functions without a meaning.
    pub(super) fn check_assume_pure(&mut self) {
        for name in &self.options.assume_pure {
            let function = self.functions.get(name.as_str()).copied();
            let (problem, note) = match function {
                _ if !self.facts.uses(name) => ("the program does not mention it", "is the name spelled right?"),
                Some(function) if self.is_user_function(function) => {
                    ("it has a body", "functions with a body do what it says")
                }
                None if library::known(name).is_none() => continue,
                _ => ("it is modelled", "library functions with a model do what it says"),
            };
            let message = format!("`{name}` cannot be assumed pure: {problem}");
            self.error(Diagnostic::error(Span::NOWHERE, message).with_note(note));
        }
    }

    /// Takes something for granted.
    pub(super) fn assume(&mut self, what: String) {
        self.assumed.insert(what);
    }

    /// A library function is called that assumes something.
    pub(super) fn note_model(&mut self, name: &str) {
        match name {
            "signal" | "sigaction" => {
                self.assume(
                    "no signal comes from outside; handlers run only where a thread signals itself".to_string(),
                );
            }
            "getopt" | "getopt_long" | "getopt_long_only" => {
                self.assume("the variable POSIXLY_CORRECT is not set".to_string());
            }
            "pthread_cancel" => {
                self.assume("a thread that joins another is not cancelled meanwhile".to_string());
            }
            "open" | "open64" | "creat" | "dup" | "socket" | "accept" | "accept4" | "pipe" | "pipe2" | "eventfd"
            | "epoll_create" | "epoll_create1" | "timerfd_create" | "mkstemp" => {
                self.assume("the three standard files are open when the program starts".to_string());
            }
            "pthread_self" | "thrd_current" | "pthread_create" | "thrd_create" if self.facts.looks_at_handles() => {
                self.assume(
                    "handles of threads are small numbers, in the order in which the threads are made".to_string(),
                );
            }
            "sysconf" => {
                self.assume("the machine has at most 8192 processors and 2^30 pages of memory".to_string());
            }
            "poll" | "select" | "pselect" | "epoll_wait" if self.properties.has(Property::Deadlock) => {
                self.assume(format!("`{name}` without an end of its time finds something"));
            }
            "fcntl" if self.properties.has(Property::Deadlock) => {
                self.assume("a file whose flags are set by `fcntl` does not wait (O_NONBLOCK)".to_string());
            }
            "mmap" => self.assume("files that are mapped are changed by nobody else".to_string()),
            "setlocale" => self.assume("characters and numbers stay those of the C locale".to_string()),
            "alarm" => self.assume("the signal of `alarm` does not come".to_string()),
            "time" | "clock_gettime" | "timespec_get" | "gettimeofday" if self.properties.has(Property::Overflow) => {
                self.assume("it is not before 1970, nor after 2208 (2029 where `long` has 32 bits)".to_string());
            }
            "pthread_equal" | "thrd_equal" => self.note_compared_handles(),
            "pthread_rwlock_rdlock" if self.properties.has(Property::Deadlock) && self.has_waiting_writers() => {
                self.assume("a read lock is given although a writer waits (POSIX leaves it open)".to_string());
                // A read lock does not say who holds it.
                let what = "a writer that waits for readers of a read-write lock can go on as long as another thread can (deadlocks of readers and \
                            writers are found where nobody can go on)";
                self.assume(what.to_string());
            }
            "system_futex" if self.properties.has(Property::Race) => {
                self.assume("calls on futexes order memory like a lock that each of them takes".to_string());
            }
            "pthread_rwlock_unlock"
                if self.properties.has(Property::Misuse) && self.facts.uses("pthread_rwlock_rdlock") =>
            {
                self.assume("a read lock is given back by a thread that holds one".to_string());
            }
            "srand" | "srandom" | "srand48" => {
                self.assume(format!("numbers that follow `{name}` are any, also after the same seed"));
            }
            "rand_r" | "erand48" | "nrand48" | "jrand48" => {
                self.assume(format!("numbers of `{name}` are any, also after the same seed"));
            }
            _ if MATH_ERRORS.contains(&name.trim_end_matches(['f', 'l'])) => {
                self.note_math_errors();
            }
            _ => {}
        }
    }

    /// A mathematical function is called whose error number is not followed.
    pub(super) fn note_math_errors(&mut self) {
        if self.facts.uses("__errno_location") {
            self.assume("mathematical functions leave errno as it is".to_string());
        }
    }

    /// Something is printed or set, and nobody looks whether that went well.
    pub(super) fn note_unseen_output(&mut self) {
        if self.facts.uses("__errno_location") {
            self.assume("printing leaves errno as it is where its result is not used".to_string());
        }
    }

    fn has_waiting_writers(&self) -> bool {
        let waits = ["pthread_rwlock_wrlock", "pthread_rwlock_timedwrlock", "pthread_rwlock_clockwrlock"];
        waits.iter().any(|name| self.facts.uses(name))
    }

    /// Handles of threads are compared, and some thread may have ended by then.
    pub(super) fn note_compared_handles(&mut self) {
        let ends = ["pthread_join", "pthread_detach", "pthread_attr_setdetachstate", "thrd_join", "thrd_detach"];
        if ends.iter().any(|name| self.facts.uses(name)) {
            self.assume("a new thread gets a handle that no thread had before".to_string());
        }
    }

    /// Whether locals live in memory while threads tell each other by relaxed accesses, which order nothing, how far they are. That an object ends is no
    /// access in a race unless `free` ends it.
    fn may_end_too_early(&self) -> bool {
        let stmts = || self.program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
        let is_users = |stmt: &&Stmt| !self.program.sources.is_model(stmt.span);
        let is_relaxed = |stmt: &Stmt| match stmt.op {
            Op::Load { order, .. } | Op::Store { order, .. } | Op::Rmw { order, .. } => order == Order::Relaxed,
            _ => false,
        };
        let makes_local = |stmt: &Stmt| matches!(stmt.op, Op::Alloc { kind: AllocKind::Stack, .. });
        stmts().filter(is_users).any(makes_local) && stmts().filter(is_users).any(is_relaxed)
    }

    /// Puts everything that was assumed into the program.
    pub(super) fn tell_assumptions(&mut self) {
        let mut told = Vec::new();
        if self.facts.compares_handles() {
            self.note_compared_handles();
        }
        if self.properties.has(Property::Race) && self.may_end_too_early() {
            self.assume(
                "a local variable ends after what others did with it before, also where only relaxed accesses say so"
                    .to_string(),
            );
        }
        if !self.taken_to_succeed.is_empty() {
            let names: Vec<&str> = self.taken_to_succeed.iter().map(String::as_str).collect();
            let verb = if names.len() == 1 { "succeeds" } else { "succeed" };
            told.push(format!("{} {verb} (--fallible lets calls fail)", names.join(", ")));
        }
        let pure = |name: &String| format!("`{name}` has no effect and returns any value (--assume-pure)");
        told.extend(self.taken_as_pure.iter().map(pure));
        if !self.stubbed.is_empty() {
            let names: Vec<&str> = self.stubbed.iter().map(String::as_str).collect();
            told.push(format!(
                "{}: any result (a pointer is null or to a new block); may write the object that a pointer argument points to, \
                 and does nothing else (--stub havoc)",
                names.join(", ")
            ));
        }
        for file in &self.options.stubs {
            told.push(format!("what is missing does what `{}` says (--stubs)", file.display()));
        }
        told.extend(self.assumed.iter().cloned());
        self.program.assumptions = told;
    }
}
