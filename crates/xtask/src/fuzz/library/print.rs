//! How does a program of the library fuzzer look in C? With its own declarations, so that no preprocessor is needed, in the words of POSIX or of C11.

use super::oracle::{EXIT_RESULT, result_of};
use super::program::{Fate, How, Kind, Lock, Piece, Program, Store};
use std::fmt::Write;

/// What the headers would say.
const DECLARATIONS: &str = "\
extern void __assert_fail(const char *, const char *, unsigned, const char *);
static void check(int holds) { if (!holds) __assert_fail(\"holds\", \"program.c\", 1, \"check\"); }
struct timespec { long tv_sec; long tv_nsec; };
typedef unsigned long pthread_t;
typedef union { char size[40]; long align; } pthread_mutex_t;
typedef union { char size[4]; int align; } pthread_mutexattr_t;
typedef union { char size[48]; long align; } pthread_cond_t;
typedef union { char size[56]; long align; } pthread_rwlock_t;
typedef union { char size[32]; long align; } pthread_barrier_t;
typedef union { char size[32]; long align; } sem_t;
typedef unsigned pthread_key_t;
typedef int pthread_once_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_detach(pthread_t);
void pthread_exit(void *);
int pthread_mutexattr_init(pthread_mutexattr_t *);
int pthread_mutexattr_settype(pthread_mutexattr_t *, int);
int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
int pthread_mutex_timedlock(pthread_mutex_t *, const struct timespec *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
int pthread_cond_signal(pthread_cond_t *);
int pthread_cond_broadcast(pthread_cond_t *);
int pthread_rwlock_rdlock(pthread_rwlock_t *);
int pthread_rwlock_tryrdlock(pthread_rwlock_t *);
int pthread_rwlock_timedrdlock(pthread_rwlock_t *, const struct timespec *);
int pthread_rwlock_wrlock(pthread_rwlock_t *);
int pthread_rwlock_trywrlock(pthread_rwlock_t *);
int pthread_rwlock_timedwrlock(pthread_rwlock_t *, const struct timespec *);
int pthread_rwlock_unlock(pthread_rwlock_t *);
int pthread_barrier_init(pthread_barrier_t *, const void *, unsigned);
int pthread_barrier_wait(pthread_barrier_t *);
int sem_init(sem_t *, int, unsigned);
int sem_wait(sem_t *);
int sem_trywait(sem_t *);
int sem_timedwait(sem_t *, const struct timespec *);
int sem_post(sem_t *);
int sem_getvalue(sem_t *, int *);
int pthread_key_create(pthread_key_t *, void (*)(void *));
int pthread_setspecific(pthread_key_t, const void *);
void *pthread_getspecific(pthread_key_t);
int pthread_once(pthread_once_t *, void (*)(void));
typedef unsigned long thrd_t;
typedef union { char size[40]; long align; } mtx_t;
typedef union { char size[48]; long align; } cnd_t;
typedef unsigned tss_t;
typedef struct { int done; } once_flag;
int thrd_create(thrd_t *, int (*)(void *), void *);
int thrd_join(thrd_t, int *);
int thrd_detach(thrd_t);
void thrd_exit(int);
int mtx_init(mtx_t *, int);
int mtx_lock(mtx_t *);
int mtx_trylock(mtx_t *);
int mtx_timedlock(mtx_t *, const struct timespec *);
int mtx_unlock(mtx_t *);
int cnd_init(cnd_t *);
int cnd_wait(cnd_t *, mtx_t *);
int cnd_timedwait(cnd_t *, mtx_t *, const struct timespec *);
int cnd_signal(cnd_t *);
int cnd_broadcast(cnd_t *);
int tss_create(tss_t *, void (*)(void *));
int tss_set(tss_t, void *);
void *tss_get(tss_t);
void call_once(once_flag *, void (*)(void));
";

/// The program as C.
pub(super) fn text(program: &Program) -> String {
    let is_c11 = program.style.is_c11;
    let mut printer = Printer { program, functions: String::new(), n_functions: 0, n_labels: 0 };
    let once = printer.body(&program.once, 1, "r");
    let threads: Vec<String> = program.threads.iter().map(|body| printer.body(body, 1, "r")).collect();
    let (beside, after) = (printer.body(&program.beside, 1, "r"), printer.body(&program.after, 1, "r"));
    let all = [&once, &beside, &after, &printer.functions].map(String::as_str).concat() + &threads.concat();
    let mut text = declarations(program, &all);
    if all.contains("once(") {
        let _ = write!(text, "static void once(void) {{\n  int r = 0;\n{once}}}\n");
    }
    text.push_str(&printer.functions);
    for (index, body) in threads.iter().enumerate() {
        let result = result_of(index + 1);
        let _ = match is_c11 {
            true => write!(text, "static int f{index}(void *arg) {{\n  int r = 0;\n{body}  return {result};\n}}\n"),
            false => write!(
                text,
                "static void *f{index}(void *arg) {{\n  int r = 0;\n{body}  return (void *){result};\n}}\n"
            ),
        };
        // Returning from a thread gives its number, and from main ends the process.
        text = text.replace(
            "@return@",
            &if is_c11 { format!("return {result};") } else { format!("return (void *){result};") },
        );
    }
    text.push_str(&main(program, &all, &beside, &after));
    text.replace("@return@", "return 0;")
}

/// Types, functions and objects; those only that are used.
fn declarations(program: &Program, all: &str) -> String {
    let mut text = String::new();
    for line in DECLARATIONS.lines() {
        let name = line.split('(').next().unwrap_or_default().rsplit([' ', '*']).next().unwrap_or_default();
        let is_call = line.ends_with(");") && !line.starts_with("extern") && !line.starts_with("typedef");
        let is_main = ["_create", "_join", "_detach", "_init", "settype"].iter().any(|ending| name.contains(ending));
        let is_c11 = ["thrd_", "mtx_", "cnd_", "tss_", "call_once"].iter().any(|start| name.starts_with(start));
        let is_posix_main =
            is_main && (is_c11 == program.style.is_c11 || name.contains("barrier") || name.starts_with("sem_"));
        if !is_call || all.contains(&format!("{name}(")) || is_posix_main {
            let _ = writeln!(text, "{line}");
        }
    }
    for (index, store) in program.style.stores.iter().enumerate() {
        let _ = match store {
            Store::Int => writeln!(text, "static int x{index};"),
            Store::Volatile => writeln!(text, "static volatile int x{index};"),
            Store::Atomic => writeln!(text, "static _Atomic int x{index};"),
            Store::Char => writeln!(text, "static unsigned char x{index};"),
            Store::Float => writeln!(text, "static float x{index};"),
            Store::Double => writeln!(text, "static double x{index};"),
            Store::BitField => writeln!(text, "static struct {{ unsigned f : 8; }} x{index};"),
            Store::Union => writeln!(text, "static union {{ int i; unsigned char c[8]; }} x{index};"),
            Store::Element => writeln!(text, "static short x{index}[3];"),
            Store::Pointer => writeln!(text, "static int y{index};\nstatic int *x{index} = &y{index};"),
        };
    }
    let (mutex, condition, key, once) = match program.style.is_c11 {
        true => ("mtx_t", "cnd_t", "tss_t", "once_flag"),
        false => ("pthread_mutex_t", "pthread_cond_t", "pthread_key_t", "pthread_once_t"),
    };
    let _ = writeln!(text, "static {mutex} m0, m1;\nstatic {condition} c;\nstatic {key} k;\nstatic {once} o;");
    text.push_str(
        "static pthread_rwlock_t w;\nstatic sem_t s;\nstatic pthread_barrier_t b;\nstatic struct timespec soon;\n",
    );
    if let (true, Some((at, sets_again))) = (has_key(all), program.destructor) {
        let (x, set) = (shared(program, at), if program.style.is_c11 { "tss_set" } else { "pthread_setspecific" });
        let again =
            if sets_again { format!("  if ((long)value == 2)\n    {set}(k, (void *)1);\n") } else { String::new() };
        let _ = write!(text, "static void destroy(void *value) {{\n  {x} = {x} + (long)value;\n{again}}}\n");
        if sets_again && !all.contains(&format!("{set}(")) {
            let line = DECLARATIONS.lines().find(|line| line.contains(&format!("{set}("))).expect("it is declared");
            text = format!("{line}\n{text}");
        }
    }
    text
}

fn has_key(all: &str) -> bool {
    all.contains("specific(") || all.contains("tss_")
}

/// What main does: initialises, starts, joins.
fn main(program: &Program, all: &str, beside: &str, after: &str) -> String {
    let is_c11 = program.style.is_c11;
    let n = program.threads.len();
    let prefix = if is_c11 { "thrd" } else { "pthread" };
    let mut text = format!("int main(void) {{\n  int r = 0;\n  {prefix}_t t[{n}];\n");
    if is_c11 {
        let kind = if program.kind == Kind::Recursive { 3 } else { 2 };
        let _ = writeln!(text, "  mtx_init(&m0, 2);\n  mtx_init(&m1, {kind});\n  cnd_init(&c);");
    } else if program.kind != Kind::Normal && all.contains("&m1") {
        let kind = if program.kind == Kind::Recursive { 1 } else { 2 };
        text.push_str("  pthread_mutexattr_t attributes;\n  pthread_mutexattr_init(&attributes);\n");
        let _ = writeln!(
            text,
            "  pthread_mutexattr_settype(&attributes, {kind});\n  pthread_mutex_init(&m1, &attributes);"
        );
    }
    if all.contains("sem_") {
        let _ = writeln!(text, "  sem_init(&s, 0, {});", program.semaphore);
    }
    if all.contains("barrier") {
        let _ = writeln!(text, "  pthread_barrier_init(&b, 0, {});", program.barrier);
    }
    if has_key(all) {
        let create = if is_c11 { "tss_create" } else { "pthread_key_create" };
        let _ = writeln!(text, "  {create}(&k, {});", if program.destructor.is_some() { "destroy" } else { "0" });
    }
    let create = |at: &str, function: &str| match is_c11 {
        true => format!("thrd_create(&t[{at}], {function}, 0);\n"),
        false => format!("pthread_create(&t[{at}], 0, {function}, 0);\n"),
    };
    let result = if is_c11 { "int" } else { "void *" };
    if program.style.has_loops {
        let names: Vec<String> = (0..n).map(|index| format!("f{index}")).collect();
        let _ = writeln!(text, "  {result} (*const f[])(void *) = {{{}}};", names.join(", "));
        let _ = write!(text, "  for (int i = 0; i < {n}; i++)\n    {}", create("i", "f[i]"));
    } else {
        (0..n).for_each(|index| text.push_str(&format!("  {}", create(&index.to_string(), &format!("f{index}")))));
    }
    text.push_str(beside);
    let fate = |at: &str, fate: Fate| match fate {
        Fate::Joined => format!("{prefix}_join(t[{at}], &result);\n"),
        Fate::Detached => format!("{prefix}_detach(t[{at}]);\n"),
        Fate::Left => String::new(),
    };
    let is_joined = program.fates.contains(&Fate::Joined);
    if is_joined {
        let _ = writeln!(text, "  {result} result;");
    }
    if program.style.has_loops && is_joined {
        let _ = write!(text, "  for (int i = 0; i < {n}; i++)\n    {}", fate("i", program.fates[0]));
    } else {
        program.fates.iter().enumerate().for_each(|(index, kind)| {
            text.push_str("  ");
            text.push_str(&fate(&index.to_string(), *kind));
        });
    }
    if is_joined {
        text.push_str(if is_c11 { "  r = result;\n" } else { "  r = (long)result;\n" });
    }
    text.push_str(after);
    text + "  return 0;\n}\n"
}

/// A shared number.
fn shared(program: &Program, at: usize) -> String {
    match program.style.stores[at] {
        Store::BitField => format!("x{at}.f"),
        Store::Union => format!("x{at}.i"),
        Store::Element => format!("x{at}[1]"),
        Store::Pointer => format!("*x{at}"),
        _ => format!("x{at}"),
    }
}

struct Printer<'p> {
    program: &'p Program,
    functions: String,
    n_functions: usize,
    n_labels: usize,
}

impl Printer<'_> {
    fn body(&mut self, body: &[Piece], depth: usize, r: &str) -> String {
        body.iter().map(|piece| self.piece(piece, depth, r)).collect()
    }

    /// A piece; `r` is how the thread's number is called here.
    fn piece(&mut self, piece: &Piece, depth: usize, r: &str) -> String {
        let pad = "  ".repeat(depth);
        let x = |at: usize| shared(self.program, at);
        let is_c11 = self.program.style.is_c11;
        let either = |posix: &str, c11: &str| if is_c11 { c11.to_string() } else { posix.to_string() };
        let line = match piece {
            Piece::Set(at, value) => format!("{} = {value};", x(*at)),
            Piece::Get(at) => format!("{r} = {};", x(*at)),
            Piece::Add(at) => format!("{0} = {0} + 1;", x(*at)),
            Piece::Never(number) => format!("check({r} != {number});"),
            Piece::NeverShared(at, value) => format!("check({} != {value});", x(*at)),
            Piece::If(number, inner) => return self.branch(*number, inner, depth, r),
            Piece::Twice(inner) => return self.twice(inner, depth, r),
            Piece::With(lock, how, inner) => {
                let (take, give) = calls(*lock, *how, is_c11);
                let inner = self.body(inner, depth + 1, r);
                return format!("{pad}{r} = {take};\n{pad}if ({r} == 0) {{\n{inner}{pad}  {give};\n{pad}}}\n");
            }
            Piece::Unlock => format!("{r} = pthread_mutex_unlock(&m1);"),
            Piece::SemWait(How::Wait) => format!("{r} = sem_wait(&s);"),
            Piece::SemWait(How::Try) => format!("{r} = sem_trywait(&s);"),
            Piece::SemWait(How::Timed) => format!("{r} = sem_timedwait(&s, &soon);"),
            Piece::SemPost => format!("{r} = sem_post(&s);"),
            Piece::SemValue => format!("sem_getvalue(&s, &{r});"),
            Piece::Barrier => format!("{r} = pthread_barrier_wait(&b);"),
            Piece::Once => either("pthread_once(&o, once);", "call_once(&o, once);"),
            Piece::Await(how, is_loop) => {
                let wait = match how {
                    How::Timed => either("pthread_cond_timedwait(&c, &m0, &soon)", "cnd_timedwait(&c, &m0, &soon)"),
                    How::Wait | How::Try => either("pthread_cond_wait(&c, &m0)", "cnd_wait(&c, &m0)"),
                };
                let head = if *is_loop { format!("while ({} == 0)\n{pad}  ", x(0)) } else { String::new() };
                let (lock, unlock) = calls(Lock::Mutex(0), How::Wait, is_c11);
                format!("{lock};\n{pad}{head}{r} = {wait};\n{pad}{unlock};")
            }
            Piece::Signal => either("pthread_cond_signal(&c);", "cnd_signal(&c);"),
            Piece::Broadcast => either("pthread_cond_broadcast(&c);", "cnd_broadcast(&c);"),
            Piece::SetKey(value) => format!("{r} = {}(k, (void *){value});", either("pthread_setspecific", "tss_set")),
            Piece::GetKey => format!("{r} = (long){}(k);", either("pthread_getspecific", "tss_get")),
            Piece::Exit if is_c11 => format!("thrd_exit({EXIT_RESULT});"),
            Piece::Exit => format!("pthread_exit((void *){EXIT_RESULT});"),
            Piece::Return => "@return@".to_string(),
        };
        format!("{pad}{line}\n")
    }

    /// What is done if `r` is a number: `if`, `switch` or `goto`.
    fn branch(&mut self, number: i32, inner: &[Piece], depth: usize, r: &str) -> String {
        let pad = "  ".repeat(depth);
        let label = self.n_labels;
        self.n_labels += 1;
        let inner = self.body(inner, depth + 1, r);
        match (self.program.style.jumps, label % 2) {
            (true, 0) => format!(
                "{pad}switch ({r}) {{\n{pad}case {number}:\n{inner}{pad}  break;\n{pad}default:\n{pad}  break;\n{pad}}}\n"
            ),
            (true, _) => format!("{pad}if ({r} != {number})\n{pad}  goto over{label};\n{inner}{pad}over{label}:;\n"),
            (false, _) => format!("{pad}if ({r} == {number}) {{\n{inner}{pad}}}\n"),
        }
    }

    /// What is done twice: a loop, or a function that calls itself.
    fn twice(&mut self, inner: &[Piece], depth: usize, r: &str) -> String {
        let pad = "  ".repeat(depth);
        if !self.program.style.recurses {
            let inner = self.body(inner, depth + 1, r);
            return format!("{pad}for (int i{depth} = 0; i{depth} < 2; i{depth}++) {{\n{inner}{pad}}}\n");
        }
        let name = format!("again{}", self.n_functions);
        self.n_functions += 1;
        let inner = self.body(inner, 1, "*r");
        let _ = write!(
            self.functions,
            "static void {name}(int *r, int n) {{\n  if (n == 0)\n    return;\n{inner}  {name}(r, n - 1);\n}}\n"
        );
        format!("{pad}{name}(&{r}, 2);\n")
    }
}

/// How something is taken and given back.
fn calls(lock: Lock, how: How, is_c11: bool) -> (String, String) {
    let (object, word) = match lock {
        Lock::Mutex(mutex) if is_c11 => (format!("m{mutex}"), "mtx_"),
        Lock::Mutex(mutex) => (format!("m{mutex}"), "pthread_mutex_"),
        Lock::Read | Lock::Write => ("w".to_string(), "pthread_rwlock_"),
    };
    let act = match lock {
        Lock::Mutex(_) => "lock",
        Lock::Read => "rdlock",
        Lock::Write => "wrlock",
    };
    let take = match how {
        How::Wait => format!("{word}{act}(&{object})"),
        How::Try => format!("{word}try{act}(&{object})"),
        How::Timed => format!("{word}timed{act}(&{object}, &soon)"),
    };
    (take, format!("{word}unlock(&{object})"))
}
