//! Which programs does the heap fuzzer try? Two or three threads that make, hand on, use and end objects.
//!
//! The language is as small as it can be and still go wrong in every way that lifetimes can: one type of object (a number and a pointer), two
//! global pointers, two local ones a thread, blocks and functions with a local whose address escapes, a thread-local object, one lock. Each
//! program is a tree, so that it can be printed as C, run by the oracle, and made smaller by taking parts away.

use logic::Prng;
use std::fmt::Write;

/// Where a pointer is read from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum From {
    /// No object.
    Null,
    /// A global pointer, 0 or 1.
    Global(usize),
    /// A pointer of the thread, 0 or 1.
    Local(usize),
    /// The pointer in the object that a pointer of the thread points to.
    Next(usize),
    /// The local object of the innermost block around.
    Block,
    /// The thread's own thread-local object.
    ThreadLocal,
    /// A new object on the heap, all zero.
    New,
}

/// Where a pointer is written to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum To {
    /// A global pointer.
    Global(usize),
    /// A pointer of the thread.
    Local(usize),
    /// The pointer in the object that a pointer of the thread points to.
    Next(usize),
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Piece {
    /// `to = from;`
    Set(To, From),
    /// `free(from);`, of null, a global or a local.
    Free(From),
    /// `to = to ? realloc(to, …) : calloc(…);` of a pointer of the thread.
    Again(usize),
    /// `from->v = number;`
    Write(From, u8),
    /// An error if `from->v` is the number.
    Forbid(From, u8),
    /// What is done only if a pointer is not null.
    If(From, Vec<Piece>),
    /// What is done with the lock held.
    Locked(Vec<Piece>),
    /// A block with a local object.
    Block(Vec<Piece>),
    /// Likewise a function, which is called here; it has pointers of its own.
    Call(Vec<Piece>),
    /// `pthread_exit`.
    Exit,
    /// `return`.
    Return,
}

/// A program: what main does before it starts the threads, while they run, and after it has joined them; and what they do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Program {
    pub(super) before: Vec<Piece>,
    pub(super) threads: Vec<Vec<Piece>>,
    pub(super) beside: Vec<Piece>,
    pub(super) joins: bool,
    pub(super) after: Vec<Piece>,
    /// Whether objects are made and ended through functions of the program.
    pub(super) wraps: bool,
}

/// What the headers would say.
const DECLARATIONS: &str = "typedef unsigned long pthread_t;\ntypedef union { char size[40]; long align; } pthread_mutex_t;\n\
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\nint pthread_join(pthread_t, void **);\n\
    int pthread_mutex_lock(pthread_mutex_t *);\nint pthread_mutex_unlock(pthread_mutex_t *);\nvoid pthread_exit(void *);\n\
    void *calloc(unsigned long, unsigned long);\nvoid *realloc(void *, unsigned long);\nvoid free(void *);\n";

/// How objects are made and ended: by the library, or by functions around it.
const PLAIN: &str = "#define make() calloc(1, sizeof(struct node))\n#define end(p) free(p)\n";
const WRAPPED: &str =
    "struct node *make(void) { return calloc(1, sizeof(struct node)); }\nvoid end(struct node *p) { free(p); }\n";

/// The program of a seed.
pub(super) fn generate(seed: u64) -> Program {
    let mut random = Prng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d);
    let n_threads = if random.percent(80) { 1 + random.index(2) } else { 3 };
    let length = if n_threads == 3 { 2 } else { 3 };
    let resizes = random.percent(8);
    let care = random.pick(&[0, 60, 100, 100]);
    let mut make = Maker { random: &mut random, depth: 0, in_block: false, care, resizes };
    let mut before = vec![Piece::Set(To::Global(0), From::New)];
    if make.random.percent(40) {
        before.extend(make.body(1, true));
    }
    let threads = (0..n_threads).map(|_| make.body(length, true)).collect();
    let beside = if n_threads < 3 { make.body(2, true) } else { Vec::new() };
    let joins = make.random.percent(80);
    let after = if joins { make.body(2, true) } else { Vec::new() };
    let wraps = make.random.percent(50);
    Program { before, threads, beside, joins, after, wraps }
}

struct Maker<'r> {
    random: &'r mut Prng,
    depth: u32,
    in_block: bool,
    /// How much of the program is written with care, of a hundred.
    care: u64,
    /// Whether objects are made anew by `realloc`. That copies byte by byte, and a pointer copied while it changes would be no pointer, so
    /// either that is done or pointers are kept in objects.
    resizes: bool,
}

impl Maker<'_> {
    fn body(&mut self, most: usize, has_locals: bool) -> Vec<Piece> {
        let mut body = Vec::new();
        while body.len() < most {
            if self.depth == 0 && self.random.percent(self.care) {
                body.extend(self.careful());
            } else {
                body.push(self.piece(has_locals));
            }
            if self.random.chance(most as u64) {
                break;
            }
        }
        body
    }

    /// What a careful programmer writes: look at a pointer once, use it if it is there, hand an object on whole.
    fn careful(&mut self) -> Vec<Piece> {
        let (at, global) = (self.random.index(2), self.random.index(2));
        let look = Piece::Set(To::Local(at), From::Global(global));
        let clear = Piece::Set(To::Global(global), From::Null);
        let number = 1 + self.random.below(2) as u8;
        let here = From::Local(at);
        let pieces = match self.random.below(7) {
            0 | 1 => vec![look, Piece::If(here, vec![Piece::Write(here, number)])],
            2 => vec![look, Piece::If(here, vec![Piece::Forbid(here, number)])],
            3 => vec![look, clear, Piece::Free(here)],
            4 => vec![Piece::Free(From::Global(global)), clear],
            5 => vec![
                Piece::Set(To::Local(at), From::New),
                Piece::Write(here, number),
                Piece::Set(To::Global(global), here),
            ],
            _ => vec![Piece::Block(vec![
                Piece::Set(To::Global(global), From::Block),
                Piece::Write(From::Global(global), number),
                clear,
            ])],
        };
        if self.random.percent(60) { vec![Piece::Locked(pieces)] } else { pieces }
    }

    fn inside(&mut self, opens_block: bool, has_locals: bool) -> Vec<Piece> {
        let was_in_block = self.in_block;
        self.depth += 1;
        self.in_block |= opens_block;
        let body = self.body(2, has_locals);
        self.in_block = was_in_block;
        self.depth -= 1;
        body
    }

    fn source(&mut self) -> From {
        match self.random.below(14) {
            0 | 1 => From::Null,
            2..=4 => From::Global(self.random.index(2)),
            5..=7 => From::Local(self.random.index(2)),
            8 if !self.resizes => From::Next(self.random.index(2)),
            9 | 10 if self.in_block => From::Block,
            11 if self.random.chance(2) => From::ThreadLocal,
            _ => From::New,
        }
    }

    fn named(&mut self) -> From {
        let at = self.random.index(2);
        if self.random.percent(50) { From::Global(at) } else { From::Local(at) }
    }

    fn target(&mut self) -> To {
        let at = self.random.index(2);
        match self.random.below(9) {
            0..=3 => To::Global(at),
            8 if !self.resizes => To::Next(at),
            _ => To::Local(at),
        }
    }

    fn piece(&mut self, has_locals: bool) -> Piece {
        let is_deep = self.depth >= 2;
        match self.random.below(24) {
            0..=5 => Piece::Set(self.target(), self.source()),
            6..=8 => Piece::Free(self.named()),
            9..=11 => Piece::Write(self.named(), 1 + self.random.below(2) as u8),
            12 | 13 => Piece::Forbid(self.named(), 1 + self.random.below(2) as u8),
            14 if self.resizes => Piece::Again(self.random.index(2)),
            15 if self.random.chance(2) => Piece::Exit,
            16 if self.random.chance(4) => Piece::Return,
            17..=19 if !is_deep => Piece::If(self.named(), self.inside(false, has_locals)),
            20 if !is_deep => Piece::Locked(self.inside(false, has_locals)),
            21 | 22 if !is_deep => Piece::Block(self.inside(true, has_locals)),
            23 if !is_deep && has_locals => Piece::Call(self.inside(true, true)),
            _ => {
                let at = self.random.index(2);
                Piece::Set(To::Local(at), From::Global(self.random.index(2)))
            }
        }
    }
}

impl Program {
    /// All bodies, main's first.
    fn bodies(&self) -> Vec<&Vec<Piece>> {
        [&self.before, &self.beside, &self.after].into_iter().chain(&self.threads).collect()
    }

    fn bodies_mut(&mut self) -> Vec<&mut Vec<Piece>> {
        [&mut self.before, &mut self.beside, &mut self.after].into_iter().chain(&mut self.threads).collect()
    }

    /// Programs that are one piece smaller.
    pub(super) fn smaller(&self) -> Vec<Program> {
        let mut all = Vec::new();
        for index in 0..self.threads.len() {
            if self.threads.len() > 1 {
                let mut less = self.clone();
                less.threads.remove(index);
                all.push(less);
            }
        }
        for (index, body) in self.bodies().into_iter().enumerate() {
            for small in smaller_bodies(body) {
                let mut less = self.clone();
                *less.bodies_mut()[index] = small;
                all.push(less);
            }
        }
        all
    }

    /// The program as C.
    pub(super) fn text(&self) -> String {
        let mut printer = Printer { text: String::new(), functions: String::new(), n_functions: 0 };
        for (index, body) in self.threads.iter().enumerate() {
            printer.open(&format!("void *f{index}(void *arg)"));
            printer.body(body, 1, "return 0;");
            printer.text.push_str("  return 0;\n}\n");
        }
        printer.open("int main(void)");
        printer.text.push_str("  pthread_t t[3];\n");
        printer.body(&self.before, 1, "return 0;");
        for index in 0..self.threads.len() {
            let _ = writeln!(printer.text, "  pthread_create(&t[{index}], 0, f{index}, 0);");
        }
        printer.body(&self.beside, 1, "return 0;");
        if self.joins {
            for index in 0..self.threads.len() {
                let _ = writeln!(printer.text, "  pthread_join(t[{index}], 0);");
            }
        }
        printer.body(&self.after, 1, "return 0;");
        printer.text.push_str("  return 0;\n}\n");
        format!(
            "{DECLARATIONS}extern void reach_error(void);\nstruct node {{ int v; struct node *n; }};\n\
             struct node *g0, *g1;\n_Thread_local struct node own;\npthread_mutex_t m;\n{}{}{}",
            if self.wraps { WRAPPED } else { PLAIN },
            printer.functions,
            printer.text
        )
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
        if let Piece::If(_, inner) | Piece::Locked(inner) | Piece::Block(inner) | Piece::Call(inner) = piece {
            all.push(with(inner.clone()));
            for small in smaller_bodies(inner) {
                let mut piece = piece.clone();
                if let Piece::If(_, inner) | Piece::Locked(inner) | Piece::Block(inner) | Piece::Call(inner) =
                    &mut piece
                {
                    *inner = small;
                }
                all.push(with(vec![piece]));
            }
        }
    }
    all
}

struct Printer {
    text: String,
    functions: String,
    n_functions: usize,
}

impl Printer {
    fn open(&mut self, head: &str) {
        let _ = writeln!(self.text, "{head} {{\n  struct node *p0 = 0, *p1 = 0;");
    }

    fn body(&mut self, body: &[Piece], depth: usize, leave: &str) {
        for piece in body {
            self.piece(piece, depth, leave);
        }
    }

    fn piece(&mut self, piece: &Piece, depth: usize, leave: &str) {
        let pad = "  ".repeat(depth);
        let line = match piece {
            Piece::Set(to, from) => format!("{} = {};", target(*to), source(*from)),
            Piece::Free(from) => format!("end({});", source(*from)),
            Piece::Again(at) => {
                // What `realloc` makes anew has any value, about which the oracle knows nothing.
                format!("p{at} = p{at} ? realloc(p{at}, sizeof(struct node)) : make();")
            }
            Piece::Write(from, number) => format!("{}->v = {number};", source(*from)),
            Piece::Forbid(from, number) => format!("if ({}->v == {number}) reach_error();", source(*from)),
            Piece::Exit => "pthread_exit(0);".to_string(),
            Piece::Return => leave.to_string(),
            Piece::If(from, inner) => {
                let _ = writeln!(self.text, "{pad}if ({}) {{", source(*from));
                self.body(inner, depth + 1, leave);
                "}".to_string()
            }
            Piece::Locked(inner) => {
                let _ = writeln!(self.text, "{pad}pthread_mutex_lock(&m);");
                self.body(inner, depth, leave);
                "pthread_mutex_unlock(&m);".to_string()
            }
            Piece::Block(inner) => {
                let _ = writeln!(self.text, "{pad}{{ struct node here = {{0}};");
                self.body(inner, depth + 1, leave);
                "}".to_string()
            }
            Piece::Call(inner) => {
                let name = format!("call{}", self.n_functions);
                self.n_functions += 1;
                let outer = std::mem::take(&mut self.text);
                self.open(&format!("void {name}(void)"));
                self.text.push_str("  struct node here = {0};\n");
                self.body(inner, 1, "return;");
                self.text.push_str("}\n");
                let function = std::mem::replace(&mut self.text, outer);
                self.functions.push_str(&function);
                format!("{name}();")
            }
        };
        let _ = writeln!(self.text, "{pad}{line}");
    }
}

fn source(from: From) -> String {
    match from {
        From::Null => "0".to_string(),
        From::Global(at) => format!("g{at}"),
        From::Local(at) => format!("p{at}"),
        From::Next(at) => format!("p{at}->n"),
        From::Block => "&here".to_string(),
        From::ThreadLocal => "&own".to_string(),
        From::New => "make()".to_string(),
    }
}

fn target(to: To) -> String {
    match to {
        To::Global(at) => format!("g{at}"),
        To::Local(at) => format!("p{at}"),
        To::Next(at) => format!("p{at}->n"),
    }
}
