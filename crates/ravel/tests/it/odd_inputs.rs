//! Is everything survived? Inputs that are no programs, command lines that make no sense, outputs that nobody reads.

use crate::process::{Scratch, complaint, ravel, run, text};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// The answer must come soon, be exit code 2, and say why.
fn refuses(name: &str, content: &[u8], part: &str) {
    let file = Scratch::new(name, content);
    let started = Instant::now();
    let output = run(&["verify", file.path(), "--time-limit=30s"]);
    let said = text(&output) + &complaint(&output);
    assert_eq!(output.status.code(), Some(2), "{name}: {said}");
    assert!(said.contains(part), "{name} should say `{part}`: {said}");
    assert!(said.lines().all(|line| line.chars().count() < 2000), "{name}: a line is too long");
    assert!(started.elapsed() < Duration::from_secs(25), "{name} took {:?}", started.elapsed());
}

#[test]
fn files_that_are_no_programs() {
    refuses("empty.c", b"", "empty");
    refuses("blank.c", b" \n\t\n", "empty");
    refuses("zeros.c", &[0u8; 4096], "not a text file");
    refuses("garbage.c", b")]}> == int int ;;; ((( \"", "error");
    refuses("garbage.i", b"@@@@ ???? \xff\xfe\xfd int main( {", "error");
    refuses("truncated.i", b"int main(void) { int x = 1; if (x", "error");
    refuses("half_string.i", b"int main(void) { char *s = \"abc", "error");
    refuses("program.py", b"print('hello')", ".c");
    let noise: Vec<u8> = (0..20_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u8 | 1).collect();
    refuses("noise.i", &noise, "error");
}

#[test]
fn deep_nesting() {
    let deep = |open: &str, close: &str| {
        format!("int main(void) {{ int x = {}1{}; return x; }}\n", open.repeat(10_000), close.repeat(10_000))
    };
    for (name, text) in [
        ("parentheses.i", deep("(", ")")),
        ("minus.i", deep("- ", "")),
        ("unclosed.i", deep("(", "")),
        ("braces.i", format!("int main(void) {}{}", "{".repeat(10_000), "}".repeat(10_000))),
        ("brackets.i", format!("int a{};\nint main(void) {{ return 0; }}\n", "[1]".repeat(10_000))),
        ("stars.i", format!("int {}a;\nint main(void) {{ return 0; }}\n", "*".repeat(10_000))),
        (
            "else_if.i",
            format!("int main(void) {{ int x = 1; {} return 0; }}", "if (x) { x = 2; } else ".repeat(10_000) + ";"),
        ),
    ] {
        let file = Scratch::new(name, text.as_bytes());
        let output = run(&["verify", file.path(), "--time-limit=30s"]);
        let said = super::process::text(&output) + &complaint(&output);
        assert!(matches!(output.status.code(), Some(0 | 2 | 3)), "{name}: {:?}: {said:.300}", output.status.code());
    }
}

#[test]
fn a_five_megabyte_source() {
    let mut text = String::from("int total;\n");
    let mut n = 0;
    while text.len() < 5 << 20 {
        text.push_str(&format!("int f{n}(int a) {{ int b = a + {n}; return b * 2; }}\n"));
        n += 1;
    }
    text.push_str("int main(void) { total = f0(1); return 0; }\n");
    let file = Scratch::new("huge.i", text.as_bytes());
    let output = run(&["verify", file.path(), "--time-limit=50s"]);
    let said = super::process::text(&output);
    assert!(matches!(output.status.code(), Some(0 | 3)), "{:?}: {said}", output.status.code());
    let one_line = Scratch::new("one_line.i", format!("int a[] = {{{}}};;;;)", "1,".repeat(2_500_000)).as_bytes());
    let output = run(&["verify", one_line.path(), "--time-limit=50s"]);
    let said = super::process::text(&output);
    assert!(matches!(output.status.code(), Some(2 | 3)), "{:?}: {said:.300}", output.status.code());
    assert!(said.len() < 100_000);
}

#[test]
fn paths_that_lead_nowhere() {
    for (words, part) in [
        (&["verify", "no/such/file.c"][..], "no such file"),
        (&["verify", "examples"][..], "folder"),
        (&["verify", "no_such_task.yml"][..], "no_such_task.yml"),
        (&["verify", "examples/barrier.c", "--prp", "no_such.prp"][..], "no such file"),
        (&["show", "no/such/file.c"][..], "no such file"),
        (&["run", "no/such/file.c"][..], "no such file"),
        (&["bench", "no/such/suite.csv"][..], "no/such/suite.csv"),
        (&["verify"][..], "FILE"),
        (&["dance"][..], "dance"),
        (&["verify", "a.c", "--property", "tidy"][..], "memsafety"),
        (&["verify", "a.c", "--time-limit", "soon"][..], "soon"),
    ] {
        let output = run(words);
        let said = text(&output) + &complaint(&output);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(said.contains(part), "{words:?} should say `{part}`: {said}");
    }
}

#[test]
fn version_and_help() {
    let output = run(&["--version"]);
    let said = text(&output);
    assert!(said.starts_with(&format!("ravel {} (CaDiCaL ", env!("CARGO_PKG_VERSION"))), "{said}");
    assert!(said.contains(", Z3 ") && said.lines().count() == 1, "{said}");
    for command in ["verify", "show", "run", "engines", "bench"] {
        let output = run(&[command, "--help"]);
        assert!(output.status.success() && text(&output).contains("Usage: ravel"), "{command}");
    }
}

#[test]
fn a_closed_pipe_is_no_bug() {
    let mut child = ravel(&["show", "examples/barrier.c"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert!(!complaint(&output).contains("panicked"), "{}", complaint(&output));
}

#[test]
fn colours_only_when_wanted() {
    let plain = run(&["verify", "examples/lost_update.c"]);
    assert!(!text(&plain).contains('\x1b'));
    let colourful = run(&["verify", "examples/lost_update.c", "--color", "always"]);
    assert!(text(&colourful).contains("\x1b["));
}
