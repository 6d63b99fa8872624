//! Tests of the litmus front end: the cases, what is refused, dependencies, and texts that nobody meant.

use super::{Options, parse};
use ir::litmus::step::{EventKind, Step, Walk};
use ir::litmus::{Test, sc};
use std::path::{Path, PathBuf};

fn cases() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/litmus");
    let mut found = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "litmus") {
                let text = std::fs::read_to_string(&path).expect("it can be read");
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

fn read(text: &str) -> Test {
    match parse("test.litmus", text, &Options::default()) {
        Ok(test) => test,
        Err(rejected) => panic!("{text}\n{:?}", rejected.diagnostics),
    }
}

fn refusal(text: &str) -> (u32, String) {
    match parse("test.litmus", text, &Options::default()) {
        Ok(test) => panic!("{} was read", test.name),
        Err(rejected) => (rejected.diagnostics[0].span.line, rejected.diagnostics[0].message.clone()),
    }
}

#[test]
fn every_case_is_read_and_has_the_states_of_sequential_consistency_that_it_expects() {
    let cases = cases();
    assert!(cases.len() >= 40, "only {} cases", cases.len());
    for (path, text) in cases {
        let test = read(&text);
        // Topics are no memory: sequential consistency by interleaving knows nothing of receives that wait or give nothing.
        if test.dialect.has_messages() {
            continue;
        }
        let expected = text.split("expect[sc]:").nth(1).and_then(|rest| rest.split_whitespace().next());
        let outcomes = sc::final_states(&test, 2, 100_000).expect("cases are small");
        let found =
            if outcomes.states.iter().any(|state| test.condition.holds(state)) { "allowed" } else { "forbidden" };
        assert_eq!(expected, Some(found), "{}", path.display());
        assert!(!outcomes.states.is_empty(), "{} has no execution", path.display());
    }
}

#[test]
fn what_is_not_known_is_refused_by_name_and_place() {
    let check = |text: &str, line: u32, part: &str| {
        let (found_line, message) = refusal(text);
        assert!(message.contains(part) && found_line == line, "{text}\n{found_line}: {message}");
    };
    check("X86 a\n{}\n P0;\n RDTSC;\nexists (x=1)", 4, "`RDTSC` is not supported");
    check("AArch64 a\n{}\n P0 | P1;\n NOP | LDFOO X0,[X1];\n", 4, "`LDFOO` is not supported");
    check("AArch64 a\n{}\n P0;\n LDR Q0,[X1];\n", 4, "`Q0` is not a register");
    check("PPC a\n{}\n P0;\n dcbf r1,r2;\n", 4, "`dcbf` is not supported");
    check("RISCV a\n{}\n P0;\n csrr x1,x2;\n", 4, "`csrr` is not supported");
    check("RISCV a\n{}\n P0;\n bne x1,x0,away;\n", 4, "no label `away`");
    check("C a\n{}\nP0(int *x) {\n  frobnicate(x);\n}\n", 4, "`frobnicate` is not supported");
    check("C a\n{}\nP0(int *x) {\n  x->next = 1;\n}\n", 4, "members of structures");
    check("MIPS a\n{}\n", 1, "`MIPS` are not supported");
    check("X86 a\n{ 2:EAX=1; }\n P0;\n NOP;\n", 2, "no thread P2");
    check("X86 a\n{}\n P0;\n NOP;\nexists (0:FOO=1)", 5, "`FOO` is not a register");
    check("X86 a\n{}\n P0;\n NOP\n", 4, "does not end with `;`");
    check("X86 a\n{}\n P0;\n NOP;\nexists (x=1", 5, "expected `)`");
}

/// The events of a thread whose reads all find `answer`, with their dependencies.
fn events(text: &str, answer: u64) -> Vec<String> {
    let test = read(text);
    let mut walk = Walk::new(&test, 0, 2);
    let mut found = Vec::new();
    loop {
        match walk.step() {
            Step::Event(event) => {
                let kind = match event.kind {
                    EventKind::Read => "R",
                    EventKind::Write => "W",
                    EventKind::Fence => "F",
                };
                let mut text = format!("{kind}{}", event.tags.first().map_or(String::new(), |tag| format!("[{tag}]")));
                for (name, set) in [("addr", event.addr), ("data", event.data), ("ctrl", event.ctrl)] {
                    for index in (0..128).filter(|index| set >> index & 1 == 1) {
                        text.push_str(&format!(" {name}:{index}"));
                    }
                }
                if let Some(read) = event.rmw {
                    text.push_str(&format!(" rmw:{read}"));
                }
                found.push(text);
                if event.kind == EventKind::Read {
                    walk.answer(answer);
                }
            }
            Step::Choose => walk.choose(true),
            _ => return found,
        }
    }
}

#[test]
fn dependencies_follow_registers() {
    let aarch64 = |code: &str| format!("AArch64 a\n{{ 0:X1=x; 0:X3=y; }}\n P0;\n {code}\n");
    assert_eq!(
        events(&aarch64("LDR W0,[X1]; EOR W2,W0,W0; STR W2,[X3,W2,SXTW];"), 0),
        ["R", "W addr:0 data:0"],
        "an xor of a value with itself keeps the dependency"
    );
    assert_eq!(
        events(&aarch64("LDR W0,[X1]; CBZ W0,l; l: STR W9,[X3]; LDR W4,[X3];"), 0),
        ["R", "W ctrl:0", "R ctrl:0"],
        "control lasts to the end"
    );
    assert_eq!(
        events(&aarch64("LDR W0,[X1]; CMP W0,#1; CSEL W4,W5,W6,EQ; STR W4,[X3];"), 1),
        ["R", "W ctrl:0"],
        "what selects a value controls the write of it"
    );
    assert_eq!(
        events(&aarch64("LDXR W0,[X1]; STXR W2,W0,[X1]; STR W2,[X3];"), 1),
        ["R[X]", "W[X] data:0 rmw:0", "W"],
        "the outcome of an exclusive store is free"
    );
    assert_eq!(events(&aarch64("LDADD W4,W0,[X1]; STR W0,[X3];"), 1), ["R[X]", "W[X] data:0 rmw:0", "W data:0"]);
    assert_eq!(events(&aarch64("SWP W4,W0,[X1];"), 1), ["R[X]", "W[X] rmw:0"], "a swap writes what it did not read");
    let riscv = "RISCV a\n{ 0:x1=x; 0:x2=y; }\n P0;\n lr.w x3,0(x1); sc.w x4,x3,0(x1); sw x4,0(x2);\n";
    assert_eq!(events(riscv, 1), ["R[X]", "W[X] data:0 rmw:0", "W data:1"], "the outcome depends on the write");
    let ppc = "PPC a\n{ 0:r1=x; 0:r2=y; }\n P0;\n lwz r3,0(r1); cmpw r3,r3; beq l; l: isync; lwz r4,0(r2);\n";
    assert_eq!(events(ppc, 1), ["R", "F[ISYNC] ctrl:0", "R ctrl:0"]);
    let x86 = "X86 a\n{}\n P0;\n MOV EAX,[x]; XOR EAX,EAX; ADD EAX,$1; MOV [y],EAX;\n";
    assert_eq!(events(x86, 1), ["R", "W data:0"]);
}

#[test]
fn control_of_c_ends_with_the_statement() {
    let c = |body: &str| format!("C a\n{{}}\nP0(int *x, int *y, int *z) {{ {body} }}\n");
    assert_eq!(
        events(&c("int r = READ_ONCE(*x); if (r) { WRITE_ONCE(*y, 1); } WRITE_ONCE(*z, 1);"), 1),
        ["R[Once]", "W[Once] ctrl:0", "W[Once]"]
    );
    assert_eq!(
        events(&c("int r = READ_ONCE(*x); int s = 0; if (r) s = 1; if (s) WRITE_ONCE(*z, 1);"), 1),
        ["R[Once]", "W[Once] ctrl:0"],
        "a local that was assigned under a condition carries it into conditions"
    );
    assert_eq!(
        events(&c("int r = READ_ONCE(*x); int s = 0; if (r) s = 1; WRITE_ONCE(*z, s);"), 1),
        ["R[Once]", "W[Once]"],
        "but not into values"
    );
    assert_eq!(
        events(&c("int r = READ_ONCE(*x); while (r) { WRITE_ONCE(*y, 1); r = 0; } WRITE_ONCE(*z, 1);"), 1),
        ["R[Once]", "W[Once] ctrl:0", "W[Once]"]
    );
    assert_eq!(
        events(&c("int r = xchg(x, 2); WRITE_ONCE(*z, r);"), 1),
        ["F[Mb]", "R[Once]", "W[Once] rmw:1", "F[Mb]", "W[Once] data:1"]
    );
    let failed = read(&c("int r = cmpxchg(x, 0, 1);"));
    let mut walk = Walk::new(&failed, 0, 2);
    assert!(matches!(walk.step(), Step::Choose));
    walk.choose(false);
    let Step::Event(event) = walk.step() else { panic!("a failed exchange reads") };
    assert!(event.is_amo, "a failed exchange is the read of an atomic");
    assert!(walk.answer(7) && matches!(walk.step(), Step::Done));
}

#[test]
fn sizes_that_are_not_declared_follow_the_accesses() {
    let test = read("AArch64 a\n{ x=y; 0:X1=x; }\n P0;\n LDR X2,[X1];\n MOV W0,#1;\n STR W0,[X2];\nexists (y=0)");
    let sizes: Vec<(&str, u8)> = test.locations.iter().map(|l| (l.name.as_str(), l.element_size)).collect();
    assert_eq!(sizes, [("x", 8), ("y", 4)]);
    assert!(!test.is_mixed());
    let test = read("AArch64 a\n{ uint64_t x; 0:X1=x; }\n P0;\n STR W0,[X1,#4];\nexists (x=0)");
    assert!(test.is_mixed());
}

#[test]
fn what_is_computed_is_what_the_architecture_says() {
    let check = |text: &str, expected: &str| {
        let test = read(text);
        let outcomes = sc::final_states(&test, 2, 1000).expect("it is small");
        let states: Vec<String> = outcomes.states.iter().map(|state| test.show_state(state)).collect();
        assert_eq!(states, [expected], "{text}");
    };
    let aarch64 = |code: &str| {
        format!("AArch64 a\n{{ int64_t 0:X0; int64_t 0:X9=-2; 0:X8=x; x=5; }}\n P0;\n {code}\nlocations [0:X0; x;]")
    };
    check(&aarch64("MOV W0,W9;"), "0:X0=4294967294; [x]=5;");
    check(&aarch64("ADD X0,XZR,W9,SXTW #1;"), "0:X0=-4; [x]=5;");
    check(&aarch64("UBFX X0,X9,#1,#4;"), "0:X0=15; [x]=5;");
    check(&aarch64("UBFM X0,X9,#63,#62;"), "0:X0=-4; [x]=5;");
    check(&aarch64("MOVZ X0,#1,LSL #16; MOVK X0,#2;"), "0:X0=65538; [x]=5;");
    check(&aarch64("CMP X9,#0; CSET X0,LT;"), "0:X0=1; [x]=5;");
    check(&aarch64("CMP X9,#0; CSET X0,LO;"), "0:X0=0; [x]=5;");
    check(&aarch64("CMP X9,#-2; CCMP X9,#3,#0,NE; CSET X0,EQ;"), "0:X0=0; [x]=5;");
    check(&aarch64("LDCLR W9,W0,[X8];"), "0:X0=5; [x]=1;");
    check(&aarch64("LDSMAX W9,W0,[X8];"), "0:X0=5; [x]=5;");
    check(&aarch64("LDUMAX W9,W0,[X8];"), "0:X0=5; [x]=-2;");
    check(&aarch64("MOV W0,#5; MOV W1,#7; CAS W0,W1,[X8]; LDR W0,[X8],#4;"), "0:X0=7; [x]=7;");
    check(&aarch64("LDRSB X0,[X8]; STR W9,[X8]; LDRSW X0,[X8];"), "0:X0=-2; [x]=-2;");
    let x86 = |code: &str| format!("X86 a\n{{ x=5; 0:EBX=-1; }}\n P0;\n {code}\nlocations [0:EAX; 0:EBX; x;]");
    check(&x86("MOV EAX,$258; MOV AL,BL;"), "0:EAX=511; 0:EBX=-1; [x]=5;");
    check(&x86("LOCK XADD [x],EBX; SETE AL;"), "0:EAX=0; 0:EBX=5; [x]=4;");
    check(&x86("MOV EAX,$5; LOCK CMPXCHG [x],EBX;"), "0:EAX=5; 0:EBX=-1; [x]=-1;");
    check(&x86("LOCK CMPXCHG [x],EBX; CMOVE EBX,EAX;"), "0:EAX=5; 0:EBX=-1; [x]=5;");
    check(&x86("CMP [x],$6; JL l; MOV EAX,$1; l: DEC [x];"), "0:EAX=0; 0:EBX=-1; [x]=4;");
    check(
        "PPC a\n{ 0:r1=x; x=-1; }\n P0;\n lwz r2,0(r1); cmpwi cr3,r2,0; li r3,1; blt cr3,l; li r3,2; l: subf r4,r3,r2;\nforall (0:r3=0 \\/ 0:r4=0)",
        "0:r3=1; 0:r4=-2;",
    );
    check(
        "RISCV a\n{ 0:x1=x; x=-4; }\n P0;\n lw a0,0(x1); sraiw a1,a0,1; sltu a2,x0,a0; amominu.w a3,a2,(x1);\nlocations [0:a1; 0:a2; 0:a3; x;]",
        "0:x11=-2; 0:x12=1; 0:x13=-4; [x]=1;",
    );
    check(
        "C a\n{ int *p = &x; x = 3; }\nP0(int **p, int *x) { int r0 = **p; int r1 = (r0 << 2) % 5 - !r0; for (int i = 0; i < 2; i++) { *x += i; } }\nlocations [0:r0; 0:r1; x; p;]",
        "0:r0=3; 0:r1=2; [p]=x; [x]=4;",
    );
}

#[test]
fn a_place_that_one_thread_sees_as_plain_is_plain() {
    let test = read(
        "C a\n{}\nP0(atomic_int *x, int *y) { atomic_store(x, 1); }\nP1(atomic_int *x, atomic_int *y) { *y = 1; }\n",
    );
    assert_eq!(test.locations.iter().map(|location| location.is_atomic).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn a_step_along_an_array_of_c_is_an_element() {
    let test = read(
        "C a\n{ atomic_int a[2] = {3, 4}; }\nP0(atomic_int *a) { int r0 = 1; int r1 = atomic_load(a + r0); int r2 = a[r0]; }\nexists (0:r1=4 /\\ 0:r2=4)",
    );
    let outcomes = sc::final_states(&test, 2, 100).expect("it is small");
    assert!(outcomes.states.iter().all(|state| test.condition.holds(state)) && outcomes.states.len() == 1);
}

#[test]
fn states_and_conditions_are_shown_as_they_were_written() {
    let test = read(
        "AArch64 a\n{ int x = y; uint64_t a[2] = {1, 2}; 0:X1=a; }\n P0;\n LDR X2,[X1,#8];\n\
         locations [a;] filter (~x=0) exists (0:X2=2 /\\ (x=y \\/ a[1]=-1))",
    );
    assert_eq!(test.show_condition(), "exists (0:X2=2 /\\ ([x]=y \\/ a[1]=18446744073709551615))");
    let outcomes = sc::final_states(&test, 2, 100).expect("it is small");
    let states: Vec<String> = outcomes.states.iter().map(|state| test.show_state(state)).collect();
    assert_eq!(states, ["0:X2=2; a[0]=1; a[1]=2; [x]=y;"]);
}

#[test]
fn no_text_makes_the_reader_panic() {
    let mut prng = logic::Prng::new(1);
    let mut random = |below: usize| prng.index(below.max(1));
    let words = [
        "(", ")", "{", "}", "[", "]", "|", ";", "(*", "/*", "P0", "exists", "0:", "=", "X1", "-", "#", "é", "\"", "if",
        "int", ",", "~",
    ];
    let cases = cases();
    for _ in 0..500 {
        let (_, text) = &cases[random(cases.len())];
        let mut bytes = text.clone().into_bytes();
        for _ in 0..=random(4) {
            let at = random(bytes.len());
            match random(4) {
                0 => bytes.truncate(at),
                1 => drop(bytes.drain(at..(at + random(12)).min(bytes.len()))),
                2 => drop(bytes.splice(at..at, words[random(words.len())].bytes())),
                _ => bytes[at..].iter_mut().take(1).for_each(|byte| *byte = random(256) as u8),
            }
            if bytes.is_empty() {
                break;
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        if let Ok(test) = parse("test.litmus", &text, &Options::default()) {
            // What is read can also be run and shown.
            let _ = sc::final_states(&test, 1, 50);
            let _ = test.show_condition();
        }
    }
    let deep = format!("X86 a\n{{}}\n P0;\n NOP;\nexists {}", "(".repeat(100_000));
    assert!(parse("deep", &deep, &Options::default()).is_err());
    let deep = format!("C a\n{{}}\nP0(int *x) {{ int r = {}1; }}", "-".repeat(100_000));
    assert!(parse("deep", &deep, &Options::default()).is_err());
}
