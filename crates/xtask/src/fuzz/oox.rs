//! Do the three reductions of the symbolic engine agree, with each other and with running every schedule on every small input?
//!
//! Random programs with a few threads over shared cells, arrays, locks, joins, nested starts, symbolic integers and references; integer
//! inputs are required to be small, so that all of them can be tried on the machine. Every setting must say exactly what the enumeration
//! says: valid (a proof: these programs end), or a violation that the enumeration knows too.

use super::mutate;
use engines::symbolic::OoxVerdict;
use engines::{Run, decide_oox};
use ir::oox::{Inputs, Object, ObjectShape, Program, Type, Value, ViolationKind, enumerate};
use logic::Prng;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

const SETTINGS: [(&str, &[(&str, &str)]); 5] = [
    ("none", &[("por", "none")]),
    ("simple", &[("por", "simple")]),
    ("monotonic", &[("por", "monotonic")]),
    ("monotonic without matching", &[("por", "monotonic"), ("match", "off")]),
    ("random order", &[("order", "mixed")]),
];

/// The values that integer inputs may have.
const SMALL: std::ops::RangeInclusive<i64> = 0..=2;

/// A random program: three methods that threads run, and main.
fn generate(seed: u64) -> String {
    let mut random = Prng::new(seed);
    let mut text = String::from("class Cell { int val; Cell next; Cell(int v) { this.val := v; } }\nclass Main {\n");
    for method in 0..3 {
        let _ = writeln!(text, "static void m{method}(Cell a, Cell b, int[] r, int k) {{");
        let mut held: Vec<&str> = Vec::new();
        let n = 1 + random.below(3);
        for index in 0..n {
            statement(&mut random, &mut text, method, index, &mut held);
        }
        for cell in held {
            let _ = writeln!(text, "unlock {cell};");
        }
        text.push_str("}\n");
    }
    let is_symbolic = random.below(2) == 0;
    let params = if is_symbolic { "Cell a, Cell b, int k, int j" } else { "int k, int j" };
    let alias = ["", " && a != b", " && a == b"][random.below(3) as usize];
    let requires = format!(
        "0 <= k && k <= 2 && 0 <= j && j <= 2{}",
        if is_symbolic { format!(" && a != null && b != null{alias}") } else { String::new() }
    );
    let exceptional = if random.below(2) == 0 { "exceptional(false)" } else { "" };
    let _ = writeln!(text, "static void main({params}) requires({requires}) {exceptional} {{");
    if !is_symbolic {
        let _ = writeln!(text, "Cell a := new Cell(0); Cell b := {};", ["a", "new Cell(1)"][random.below(2) as usize]);
    } else {
        text.push_str("a.val := 0; b.val := 1;\n");
    }
    text.push_str("int[] r := new int[3];\n");
    for _ in 0..1 + random.below(2) {
        let method = random.below(3);
        let (x, y) = (["a", "b"][random.below(2) as usize], ["a", "b"][random.below(2) as usize]);
        let key = ["k", "j", "1"][random.below(3) as usize];
        let _ = writeln!(text, "fork Main.m{method}({x}, {y}, r, {key});");
        if random.below(4) == 0 {
            let mut held = Vec::new();
            let index = 100 + random.below(10_000);
            statement(&mut random, &mut text, 0, index, &mut held);
            for cell in held {
                let _ = writeln!(text, "unlock {cell};");
            }
        }
    }
    if random.below(4) > 0 {
        text.push_str("join;\n");
    }
    let check = match random.below(5) {
        0 => format!("int x := a.val; assert x <= {};", random.below(4)),
        1 => format!("int x := r[k]; assert x <= {};", random.below(3)),
        2 => "int x := a.val; int y := b.val; assert x <= y + 2;".to_string(),
        3 => "int x := r[1]; int y := r[j]; assert x + y < 4;".to_string(),
        _ => format!("assert forall v, i : r : v <= {};", 1 + random.below(2)),
    };
    let _ = writeln!(text, "{check}\n}}\n}}");
    text
}

fn statement(random: &mut Prng, text: &mut String, method: u64, index: u64, held: &mut Vec<&str>) {
    let cell = ["a", "b"][random.below(2) as usize];
    let name = format!("t{method}_{index}");
    let value = random.below(3);
    let line = match random.below(20) {
        0 | 1 => format!("{cell}.val := {value};"),
        2 | 3 => format!("int {name} := {cell}.val; {cell}.val := {name} + 1;"),
        4 => format!("r[k] := {value};"),
        5 => format!("int {name} := r[k]; r[{}] := {name} + 1;", ["k", "1"][random.below(2) as usize]),
        6 => {
            format!("int {name} := {cell}.val; if ({name} == {value}) {{ r[0] := {name} + 1; }} else {{ r[1] := 1; }}")
        }
        7 | 8 | 16 | 17 if !held.contains(&cell) => {
            // Usually the lock is given back at the end of the method.
            if random.below(4) > 0 {
                held.push(if cell == "a" { "a" } else { "b" });
            }
            format!("lock {cell};")
        }
        9 => format!("int {name} := {cell}.val; assume {name} < 2;"),
        10 => format!("int {name} := {cell}.val; assert {name} < 3;"),
        11 if method == 2 => "fork Main.m0(a, b, r, k); join;".to_string(),
        11 if method == 1 => "fork Main.m0(b, a, r, 0);".to_string(),
        12 => format!("Cell {name} := {cell}.next; if ({name} != null) {{ {name}.val := 2; }}"),
        13 => "a.next := b;".to_string(),
        14 => format!("int {name} := 4 / (k + {value} - 1); r[2] := {name};"),
        15 => format!("try {{ r[k + {value}] := 1; }} catch {{ {cell}.val := 2; }}"),
        18 if held.is_empty() => {
            let (first, second) = if cell == "a" { ("a", "b") } else { ("b", "a") };
            format!("lock {first}; lock {second}; {first}.val := {value}; unlock {second}; unlock {first};")
        }
        19 => format!("int {name} := 0; while ({name} < k) {{ {name} := {name} + 1; {cell}.val := {name}; }}"),
        _ => format!("int {name} := k + {value}; if ({name} > 2) {{ r[2] := {name}; }}"),
    };
    let _ = writeln!(text, "{line}");
}

/// All inputs with small integers. Input cells have the shape null or other cells; three cells are enough, as no program follows more.
fn all_inputs(program: &Program) -> Vec<Inputs> {
    let method = program.method(program.entry);
    let params: Vec<Type> = method.locals[..usize::from(method.n_params)].iter().map(|local| local.ty).collect();
    let n_refs = params.iter().filter(|ty| ty.is_reference()).count();
    let mut heaps: Vec<Vec<Object>> = vec![Vec::new()];
    if n_refs > 0 {
        let class = ir::oox::ClassId(0);
        heaps.clear();
        // Three cells; the next of the first two is anything. Programs set values before they read them, so these do not matter.
        for shape in 0..4u32.pow(2) {
            let next = |at: u32| if at < 2 { shape / 4u32.pow(at) % 4 } else { 0 };
            let cell = |at: u32| Object {
                shape: ObjectShape::Instance(class),
                values: vec![Value::Int(0), Value::Ref(next(at))],
                holder: None,
            };
            heaps.push((0..3).map(cell).collect());
        }
    }
    let mut all = Vec::new();
    for heap in heaps {
        let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
        for ty in &params {
            let values: Vec<Value> =
                if ty.is_reference() { (1..=2).map(Value::Ref).collect() } else { SMALL.map(Value::Int).collect() };
            rows = rows.iter().flat_map(|row| values.iter().map(move |v| [row.clone(), vec![*v]].concat())).collect();
        }
        all.extend(rows.into_iter().map(|args| Inputs { objects: heap.clone(), args }));
    }
    all
}

/// `cargo xtask fuzz --oox [--count N] [--seed S] [--show SEED]`, or with `--mutants N [--folder F]` texts that are
/// slightly wrong; true if nothing differs.
pub(crate) fn run(args: &[String]) -> bool {
    let option =
        |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1)?.parse::<u64>().ok());
    if let Some(seed) = option("--show") {
        println!("{}", generate(seed));
        return true;
    }
    if let Some(mutants) = option("--mutants") {
        let folder = args.iter().position(|arg| arg == "--folder").and_then(|at| args.get(at + 1)).map(PathBuf::from);
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/oox");
        return mutate::run(mutants as usize, option("--seed").unwrap_or(1), &folder.unwrap_or(own));
    }
    let (count, first) = (option("--count").unwrap_or(300), option("--seed").unwrap_or(1));
    let started = Instant::now();
    let (mut n_compared, mut n_large, mut n_differ, mut n_invalid, mut n_deadlock) = (0u64, 0u64, 0u64, 0u64, 0u64);
    let mut seed = first;
    while n_compared + n_differ < count {
        let text = generate(seed);
        let loaded = match frontend::oox::read(&[(format!("{seed}.oox"), text.clone())], "Main.main") {
            Ok(loaded) => loaded,
            Err(rejected) => {
                println!("seed {seed} is rejected: {:?}\n{text}", rejected.diagnostics);
                return false;
            }
        };
        let expected = enumerate(&loaded.program, &all_inputs(&loaded.program), 400_000);
        if !expected.is_complete {
            n_large += 1;
            seed += 1;
            continue;
        }
        match compare(&loaded.program, &expected.violations) {
            Ok(()) => n_compared += 1,
            Err(difference) => {
                n_differ += 1;
                println!("seed {seed}: {difference}\nenumeration: {:?}\n{text}", expected.violations);
            }
        }
        n_invalid += u64::from(!expected.violations.is_empty());
        n_deadlock += u64::from(expected.violations.iter().any(|v| v.kind == ViolationKind::Deadlock));
        seed += 1;
    }
    println!(
        "{n_compared} programs agree, {n_differ} differ ({n_invalid} invalid, {n_deadlock} of them with a deadlock; {n_large} too large), {:.1} s",
        started.elapsed().as_secs_f64()
    );
    n_differ == 0
}

/// Whether every setting says what the enumeration says.
fn compare(program: &Program, violations: &[ir::oox::Violation]) -> Result<(), String> {
    for (name, knobs) in SETTINGS {
        let limit = Some(std::time::Duration::from_secs(60));
        let mut run = Run::new(limit, None, std::sync::Arc::default());
        run.knobs = knobs.iter().map(|(knob, value)| (knob.to_string(), value.to_string())).collect();
        run.knobs.insert("depth".to_string(), "2000".to_string());
        let decided = decide_oox(program, &mut run);
        match decided.verdict {
            OoxVerdict::Valid { .. } if violations.is_empty() => {}
            OoxVerdict::Invalid(trace) if violations.contains(&trace.violation) => {}
            verdict => return Err(format!("{name} says {verdict:?}")),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions_agree_with_all_schedules() {
        for seed in 5000..5012 {
            let loaded =
                frontend::oox::read(&[("a.oox".to_string(), generate(seed))], "Main.main").expect("it is valid");
            let expected = enumerate(&loaded.program, &all_inputs(&loaded.program), 200_000);
            if expected.is_complete {
                assert_eq!(compare(&loaded.program, &expected.violations), Ok(()), "seed {seed}");
            }
        }
    }
}
