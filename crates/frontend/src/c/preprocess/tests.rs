//! Tests with the compilers of the system, as far as there are any; what is skipped says so.

use std::process::Command;

use super::*;
use crate::c::check::{check, infer_data_model};
use crate::c::parse::parse;

/// A directory of its own for a test, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Scratch {
        let directory = env::temp_dir().join(format!("frontend-{test}-{}", std::process::id()));
        fs::create_dir(&directory).expect("no other test has a folder of this name");
        Scratch(directory)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The compilers to test with.
fn compilers() -> Vec<String> {
    let (found, missing): (Vec<&str>, Vec<&str>) = ["gcc", "clang"].into_iter().partition(|compiler| {
        Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success())
    });
    for compiler in missing {
        eprintln!("skipped: {compiler} is not installed");
    }
    found.into_iter().map(str::to_string).collect()
}

/// Every header of C11, those that programs with threads use, and a few macros out of them.
const HEADERS: &[&str] = &[
    "assert.h",
    "complex.h",
    "ctype.h",
    "errno.h",
    "fenv.h",
    "float.h",
    "inttypes.h",
    "iso646.h",
    "limits.h",
    "locale.h",
    "math.h",
    "setjmp.h",
    "signal.h",
    "stdalign.h",
    "stdarg.h",
    "stdatomic.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "stdnoreturn.h",
    "string.h",
    "tgmath.h",
    "threads.h",
    "time.h",
    "uchar.h",
    "wchar.h",
    "wctype.h",
    "pthread.h",
    "semaphore.h",
    "unistd.h",
    "fcntl.h",
    "sched.h",
    "poll.h",
    "aio.h",
    "arpa/inet.h",
    "dirent.h",
    "dlfcn.h",
    "err.h",
    "error.h",
    "execinfo.h",
    "ftw.h",
    "getopt.h",
    "glob.h",
    "grp.h",
    "libgen.h",
    "link.h",
    "malloc.h",
    "mqueue.h",
    "net/if.h",
    "netdb.h",
    "netinet/in.h",
    "netinet/tcp.h",
    "pwd.h",
    "regex.h",
    "search.h",
    "spawn.h",
    "strings.h",
    "syslog.h",
    "termios.h",
    "ucontext.h",
    "sys/epoll.h",
    "sys/eventfd.h",
    "sys/file.h",
    "sys/inotify.h",
    "sys/ioctl.h",
    "sys/ipc.h",
    "sys/mman.h",
    "sys/msg.h",
    "sys/param.h",
    "sys/prctl.h",
    "sys/ptrace.h",
    "sys/random.h",
    "sys/resource.h",
    "sys/select.h",
    "sys/sem.h",
    "sys/sendfile.h",
    "sys/shm.h",
    "sys/signalfd.h",
    "sys/socket.h",
    "sys/stat.h",
    "sys/statvfs.h",
    "sys/syscall.h",
    "sys/time.h",
    "sys/timerfd.h",
    "sys/times.h",
    "sys/types.h",
    "sys/uio.h",
    "sys/un.h",
    "sys/utsname.h",
    "sys/wait.h",
    "linux/futex.h",
];

const USES: &str = r#"
int main(void) {
    atomic_int x; atomic_init(&x, 1); atomic_fetch_add(&x, 1); atomic_store_explicit(&x, 2, memory_order_release);
    double complex z = 1.0 + 2.0 * I; double d = sqrt(2.0f); assert(x == 2 && isnan(d));
    va_list arguments; char16_t c = u'x'; struct timespec t = {0}; jmp_buf b; (void)offsetof(struct tm, tm_sec);
    fd_set s; FD_ZERO(&s); int status = 0; if (WIFEXITED(status) && isalpha(c)) return INT64_C(3) != 0;
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cleanup_push(free, 0); pthread_cleanup_pop(1);
    once_flag once = ONCE_FLAG_INIT; thread_local static int local; alignas(16) char aligned; errno = 0; return 0;
}
"#;

#[test]
fn system_headers_parse_and_check_without_a_diagnostic() {
    let scratch = Scratch::new("system-headers");
    let includes: String =
        HEADERS.iter().map(|header| format!("#if __has_include(<{header}>)\n#include <{header}>\n#endif\n")).collect();
    let path = scratch.write("headers.c", &(includes + USES));
    for compiler in compilers() {
        for flags in ["", "-D_GNU_SOURCE", "-D_GNU_SOURCE -O2 -D_FORTIFY_SOURCE=2", "-std=c11 -D_DEFAULT_SOURCE"] {
            let options = PreprocessOptions {
                extra_args: flags.split_whitespace().map(str::to_string).collect(),
                compiler: Some(compiler.clone()),
                ..PreprocessOptions::default()
            };
            let mut sources = Sources::default();
            let preprocessed = preprocess(&mut sources, &path, &options).expect("the headers preprocess");
            let (unit, problems) = parse(&mut sources, "headers.c", &preprocessed.text, &preprocessed.originals);
            let model = infer_data_model(&unit).expect("the headers define size_t");
            let (_, wrong) = check(&unit, model);
            let shown: Vec<String> = problems
                .iter()
                .chain(&wrong)
                .map(|problem| format!("{}: {problem}\n{:?}", sources.place(problem.span), sources.line(problem.span)))
                .collect();
            assert!(shown.is_empty(), "{compiler} {flags}: {}", shown.join("\n"));
            assert!(unit.items.len() > 1000, "{compiler} {flags}: only {} items", unit.items.len());
        }
    }
}

#[test]
fn flags_reach_the_compiler_and_originals_are_read() {
    let scratch = Scratch::new("flags");
    scratch.write("include/a.h", "#define TWICE(x) ((x) + (x))\nint from_header;\n");
    let path = scratch.write("main.c", "#include \"a.h\"\nint y = TWICE(N);\n#warning careful\n");
    for compiler in compilers() {
        let options = PreprocessOptions {
            include_dirs: vec![scratch.0.join("include")],
            defines: vec!["N=7".to_string()],
            compiler: Some(compiler),
            ..PreprocessOptions::default()
        };
        let mut sources = Sources::default();
        let preprocessed = preprocess(&mut sources, &path, &options).expect("it preprocesses");
        assert_eq!(preprocessed.warnings.len(), 1);
        assert_eq!(preprocessed.warnings[0].span.line, 3);
        let (unit, problems) = parse(&mut sources, "main.c", &preprocessed.text, &preprocessed.originals);
        assert!(problems.is_empty());
        let crate::c::ast::ExternalDeclaration::Declaration(second) = &unit.items[1] else { panic!("a declaration") };
        let initializer = second.declarators[0].initializer.as_ref().expect("it has an initialiser");
        assert_eq!(sources.line(initializer.span), Some("int y = TWICE(N);"));
        assert_eq!((initializer.span.column, initializer.span.end_column), (9, 17));
    }
}

#[test]
fn compiler_errors_become_diagnostics_with_their_line() {
    let scratch = Scratch::new("errors");
    let path = scratch.write("main.c", "int x;\n#include \"missing.h\"\n");
    for compiler in compilers() {
        let options = PreprocessOptions { compiler: Some(compiler), ..PreprocessOptions::default() };
        let mut sources = Sources::default();
        let problems = preprocess(&mut sources, &path, &options).expect_err("the header is missing");
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].message.contains("missing.h"), "{problems:?}");
        assert_eq!(problems[0].span.line, 2);
        assert_eq!(sources.line(problems[0].span), Some("#include \"missing.h\""));
    }
}

#[test]
fn a_missing_compiler_or_file_is_named() {
    let scratch = Scratch::new("missing");
    let path = scratch.write("main.c", "int x;\n");
    let options = PreprocessOptions { compiler: Some("no-such-compiler".to_string()), ..PreprocessOptions::default() };
    let problems = preprocess(&mut Sources::default(), &path, &options).expect_err("there is no such compiler");
    assert!(problems[0].message.contains("no-such-compiler"), "{problems:?}");
    assert!(problems[0].note.as_ref().is_some_and(|note| note.contains("install")), "{problems:?}");
    let absent = scratch.0.join("absent.c");
    let problems = preprocess(&mut Sources::default(), &absent, &options).expect_err("there is no such file");
    assert!(problems[0].message.contains("absent.c"), "{problems:?}");
}

#[test]
fn the_32_bit_model_works_or_says_what_to_install() {
    let scratch = Scratch::new("bits");
    let path = scratch.write("main.c", "#include <stdlib.h>\nint long_bytes = __SIZEOF_LONG__;\n");
    for compiler in compilers() {
        let data_model = Some(DataModel::Ilp32);
        let options = PreprocessOptions { compiler: Some(compiler), data_model, ..PreprocessOptions::default() };
        match preprocess(&mut Sources::default(), &path, &options) {
            Ok(preprocessed) => assert!(String::from_utf8_lossy(&preprocessed.text).contains("long_bytes = 4")),
            Err(problems) => assert!(problems[0].message.contains("`-m32` does not work"), "{problems:?}"),
        }
    }
}

#[test]
fn preprocessed_files_are_taken_as_they_are() {
    let scratch = Scratch::new("taken");
    let path = scratch.write("main.i", "# 1 \"x.c\"\nint x; // \u{e9}\n");
    let options = PreprocessOptions { compiler: Some("no-such-compiler".to_string()), ..PreprocessOptions::default() };
    let preprocessed = preprocess(&mut Sources::default(), &path, &options).expect("no compiler is needed");
    assert_eq!(preprocessed.text, "# 1 \"x.c\"\nint x; // \u{e9}\n".as_bytes());
}

#[test]
fn compile_commands_give_the_flags() {
    let scratch = Scratch::new("commands");
    scratch.write("project/inc/a.h", "int from_header = VALUE;\n");
    let path = scratch.write("project/src/main.c", "#include \"a.h\"\n");
    let other = scratch.write("project/src/other.c", "int x;\n");
    scratch.write(
        "compile_commands.json",
        r#"[{"directory": "project", "command": "cc -O2 -Iinc -DVALUE=\"41 + 1\" -c src/main.c -o main.o", "file": "src/main.c"}]"#,
    );
    for compiler in compilers() {
        let options = PreprocessOptions {
            compile_commands: Some(scratch.0.clone()),
            compiler: Some(compiler),
            ..PreprocessOptions::default()
        };
        let preprocessed = preprocess(&mut Sources::default(), &path, &options).expect("the entry's flags are used");
        assert!(String::from_utf8_lossy(&preprocessed.text).contains("from_header = 41 + 1"));
        let problems = preprocess(&mut Sources::default(), &other, &options).expect_err("it has no entry");
        assert!(problems[0].message.contains("no entry"), "{problems:?}");
    }
    scratch.write("compile_commands.json", "{}");
    let options = PreprocessOptions { compile_commands: Some(scratch.0.clone()), ..PreprocessOptions::default() };
    let problems = preprocess(&mut Sources::default(), &path, &options).expect_err("it is no list");
    assert!(problems[0].message.contains("not a list of compile commands"), "{problems:?}");
}

#[test]
fn our_own_headers_are_there_unless_the_program_has_one() {
    let scratch = Scratch::new("headers");
    let file = scratch.write("a.c", "#include \"own.h\"\nRAVEL_TOPIC(pay);\nvoid f(void) { ravel_send(pay, 10); }\n");
    scratch.write("own.h", "#include <ravel/net.h>\n");
    for compiler in compilers() {
        let options = PreprocessOptions { compiler: Some(compiler), ..PreprocessOptions::default() };
        let read = preprocess(&mut Sources::default(), &file, &options).expect("the header is found");
        // Compilers break lines where a macro of a system header begins.
        let text = String::from_utf8_lossy(&read.text).into_owned();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let tokens: String = lines.flat_map(str::split_whitespace).collect();
        assert!(tokens.contains("ravel_topicpay={"), "{text}");
        assert!(tokens.contains("__ravel_net_send(&(pay),(10),\"\")"), "{text}");
    }
    // One of that name in a directory that is given comes first.
    scratch.write("given/ravel/net.h", "#define RAVEL_TOPIC(name) int own_##name\n");
    for compiler in compilers() {
        let include_dirs = vec![scratch.0.join("given")];
        let options = PreprocessOptions { compiler: Some(compiler), include_dirs, ..PreprocessOptions::default() };
        let read = preprocess(&mut Sources::default(), &file, &options).expect("it is there");
        assert!(String::from_utf8_lossy(&read.text).contains("int own_pay"));
    }
}
