//! Random OOX programs, and all their small inputs.
//!
//! A few threads over cells (of a class and a subclass), arrays that may be the same, locks, joins, nested starts, calls, exceptions,
//! specifications, short branches, symbolic integers. Inputs are none but integers, or cells, or arrays; what is read of them is required to
//! be small or written first, so that all inputs that matter can be tried on the machine.

use ir::oox::{Inputs, Object, ObjectShape, Program, Type, Value};
use logic::Prng;
use std::fmt::Write;

/// The values that integer inputs may have.
const SMALL: std::ops::RangeInclusive<i64> = 0..=2;

/// The greatest length of arrays that are inputs; elements are 0 or 1.
pub(super) const MAX_LENGTH: usize = 2;

/// What the inputs of main are, besides two integers.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Integers,
    Cells,
    Arrays,
}

/// A random program: classes, three methods that threads run, and main.
pub(super) fn generate(seed: u64) -> String {
    let mut random = Prng::new(seed);
    let mut text = String::from("interface Bump { int bump(int k); int one() { return 1; } }\n");
    text.push_str("class Cell implements Bump { int val; Cell next; Cell(int v) { this.val := v; }\n");
    let _ = writeln!(text, "int bump(int k) {{ {} }} }}", bump(&mut random));
    text.push_str("class Sub extends Cell { Sub(int v) { super(v); }\n");
    let own = match random.below(3) {
        0 => String::new(),
        1 => format!("int bump(int k) {{ {} }}", bump(&mut random)),
        _ => "int bump(int k) { int r := super.bump(k); return r + 1; }".to_string(),
    };
    let _ =
        writeln!(text, "{own} }}\nclass Main {{\nstatic int twice(int x) {} {{ return 2 * x; }}", random.pick(&SPECS));
    for method in 0..3 {
        let clause = random.pick(&["", "", "exceptional(k == 1)", "requires(k <= 1)", "exceptional(false)"]);
        let _ = writeln!(text, "static void m{method}(Cell a, Cell b, int[] r, int[] q, int k) {clause} {{");
        let mut held: Vec<&str> = Vec::new();
        for index in 0..1 + random.below(3) {
            statement(&mut random, &mut text, method, index, &mut held);
        }
        for cell in held {
            let _ = writeln!(text, "unlock {cell};");
        }
        text.push_str("}\n");
    }
    main(&mut random, &mut text);
    text.push_str("}\n");
    text
}

const SPECS: [&str; 4] = ["", "", "requires(x <= 3)", "ensures(retval >= x)"];

fn bump(random: &mut Prng) -> &'static str {
    random.pick(&[
        "int o := this.val; this.val := o + 1; return o;",
        "lock this; int o := this.val; this.val := o + k; unlock this; return k;",
        "if (k == 1) { throw \"one\"; } this.val := k; return this.one();",
        "this.val := 2; return 0;",
    ])
}

fn main(random: &mut Prng, text: &mut String) {
    let kind = [Kind::Integers, Kind::Cells, Kind::Arrays][random.below(3) as usize];
    let (params, further) = match kind {
        Kind::Integers => ("", String::new()),
        Kind::Cells => {
            let alias = random.pick(&["", " && a != b", " && a == b"]);
            ("Cell a, Cell b, ", format!(" && a != null && b != null{alias}"))
        }
        Kind::Arrays => {
            let alias = random.pick(&["", " && r != q", " && r == q", " && r != null && q != null", " && r != null"]);
            let small = |array| format!("({array} == null || (forall v, i : {array} : 0 <= v && v <= 1))");
            ("int[] r, int[] q, ", format!(" && {} && {}{alias}", small("r"), small("q")))
        }
    };
    let exceptional = random.pick(&["exceptional(false)", "", "exceptional(k > 0)"]);
    let _ = writeln!(
        text,
        "static void main({params}int k, int j) requires(0 <= k && k <= 2 && 0 <= j && j <= 2{further}) {exceptional} {{"
    );
    match kind {
        Kind::Cells => text.push_str("a.val := 0; b.val := 1;\n"),
        _ => {
            let second = random.pick(&["a", "new Cell(1)", "new Sub(1)"]);
            let _ = writeln!(text, "Cell a := new {}(0); Cell b := {second};", random.pick(&["Cell", "Sub"]));
        }
    }
    if kind != Kind::Arrays {
        let _ = writeln!(text, "int[] r := new int[3]; int[] q := {};", random.pick(&["r", "new int[2]", "null"]));
    }
    for _ in 0..1 + random.below(2) {
        let method = random.below(3);
        let (x, y) = (random.pick(&["a", "b"]), random.pick(&["a", "b"]));
        let (first, second) = if random.below(2) == 0 { ("r", "q") } else { ("q", "r") };
        let key = random.pick(&["k", "j", "1"]);
        let _ = writeln!(text, "fork Main.m{method}({x}, {y}, {first}, {second}, {key});");
        if random.below(4) == 0 {
            let mut held = Vec::new();
            let index = 100 + random.below(10_000);
            statement(random, text, 0, index, &mut held);
            for cell in held {
                let _ = writeln!(text, "unlock {cell};");
            }
        }
    }
    if random.below(4) > 0 {
        text.push_str("join;\n");
    }
    let check = match random.below(6) {
        0 => format!("int x := a.val; assert x <= {};", random.below(4)),
        1 => format!("int x := r[k]; assert x <= {};", random.below(3)),
        2 => "int x := a.val; int y := b.val; assert x <= y + 2;".to_string(),
        3 => "int x := r[1]; int y := r[j]; assert x + y < 4;".to_string(),
        4 => "assert exists v, i : r : v == 0 || i == k;".to_string(),
        _ => format!("assert forall v, i : r : v <= {};", 1 + random.below(2)),
    };
    let _ = writeln!(text, "{check}\n}}");
}

fn statement<'a>(random: &mut Prng, text: &mut String, method: u64, index: u64, held: &mut Vec<&'a str>) {
    let cell: &'a str = if random.below(2) == 0 { "a" } else { "b" };
    let array = random.pick(&["r", "r", "q"]);
    let name = format!("t{method}_{index}");
    let value = random.below(3);
    let line = match random.below(30) {
        0 | 1 => format!("{cell}.val := {value};"),
        2 | 3 => format!("int {name} := {cell}.val; {cell}.val := {name} + 1;"),
        4 => format!("{array}[k] := {value};"),
        5 => format!("int {name} := {array}[k]; r[{}] := {name} + 1;", random.pick(&["k", "1"])),
        6 => {
            format!("int {name} := {cell}.val; if ({name} == {value}) {{ r[0] := {name} + 1; }} else {{ r[1] := 1; }}")
        }
        7 | 8 | 16 | 17 if !held.contains(&cell) => {
            // Usually the lock is given back at the end of the method.
            if random.below(4) > 0 {
                held.push(cell);
            }
            format!("lock {cell};")
        }
        9 => format!("int {name} := {cell}.val; assume {name} < 2;"),
        10 => format!("int {name} := {cell}.val; assert {name} < 3;"),
        11 if method == 2 => "fork Main.m0(a, b, r, q, k); join;".to_string(),
        11 if method == 1 => "fork Main.m0(b, a, q, r, 0);".to_string(),
        12 => format!("Cell {name} := {cell}.next; if ({name} != null) {{ {name}.val := 2; }}"),
        13 => "a.next := b;".to_string(),
        14 => format!("int {name} := 4 / (k + {value} - 1); r[1] := {name};"),
        15 => format!("try {{ {array}[k + {value}] := 1; }} catch {{ {cell}.val := 2; }}"),
        18 if held.is_empty() => {
            let (first, second) = if cell == "a" { ("a", "b") } else { ("b", "a") };
            format!("lock {first}; lock {second}; {first}.val := {value}; unlock {second}; unlock {first};")
        }
        19 => format!("int {name} := 0; while ({name} < k) {{ {name} := {name} + 1; {cell}.val := {name}; }}"),
        20 | 21 => format!("int {name} := {cell}.bump(k); {}", random.pick(&["r[0] := 1;", "a.val := 0;", ""])),
        22 => format!("try {{ int {name} := {cell}.bump({value}); }} catch {{ r[1] := 2; }}"),
        23 => format!("int {name} := {value}; if (k > {value}) {{ {name} := k; }} {cell}.val := {name};"),
        24 => format!(
            "bool {name} := k == {value}; if ({name}) {{ ; }} else {{ {name} := k > 1; }} assert {name} || k < 2;"
        ),
        25 => format!("if ({cell} instanceof Sub) {{ Sub {name} := (Sub) {cell}; {name}.val := {value}; }}"),
        26 => format!("Sub {name} := (Sub) {cell}; {name}.val := {value};"),
        27 => format!("Cell[] {name} := new Cell[2]; {name}[0] := a; {name}[1] := b; {name}[k].val := {value};"),
        28 => format!("int {name} := Main.twice(k + {value}); assert {name} != 1;"),
        29 => format!("assert forall v, i : {array} : v <= {value} || i > k;"),
        _ => format!("int {name} := k + {value}; if ({name} > 2) {{ {array}[1] := {name}; }}"),
    };
    let _ = writeln!(text, "{line}");
}

/// All inputs that matter. Of three cells the first two may be parameters; their successors and classes vary if the text asks for them.
/// Programs set values of cells before they read them, so these do not matter.
pub(super) fn all_inputs(program: &Program, text: &str) -> Vec<Inputs> {
    let method = program.method(program.entry);
    let params: Vec<Type> = method.locals[..usize::from(method.n_params)].iter().map(|local| local.ty).collect();
    let heaps = match params[0] {
        ty if ty.is_array() => array_heaps(ty),
        ty if ty.is_reference() => cell_heaps(program, text),
        _ => vec![(Vec::new(), Vec::new())],
    };
    let n_refs = params.iter().filter(|ty| ty.is_reference()).count();
    let mut all = Vec::new();
    for (objects, refs) in heaps {
        let mut rows: Vec<Vec<Value>> = vec![refs];
        for _ in n_refs..params.len() {
            rows =
                rows.iter().flat_map(|row| SMALL.map(move |v| [row.clone(), vec![Value::Int(v)]].concat())).collect();
        }
        all.extend(rows.into_iter().map(|args| Inputs { objects: objects.clone(), args }));
    }
    all
}

/// Objects, and the references to be passed.
type Heap = (Vec<Object>, Vec<Value>);

fn cell_heaps(program: &Program, text: &str) -> Vec<Heap> {
    let class = |name: &str| {
        let place = program.classes.iter().position(|class| class.name == name);
        ir::oox::ClassId(place.expect("every program has these classes") as u32)
    };
    let classes = [class("Cell"), class("Sub")];
    let n_shapes = if text.contains(".next;") { 16 } else { 1 };
    let n_classes = if text.contains(".bump(") || text.contains("Sub)") || text.contains("instanceof") { 4 } else { 1 };
    let mut heaps = Vec::new();
    for (shape, kinds, args) in
        (0..n_shapes).flat_map(|s| (0..n_classes).flat_map(move |k| (0..4).map(move |a| (s, k, a))))
    {
        let cell = |at: u32| Object {
            shape: ObjectShape::Instance(classes[if at < 2 { kinds >> at & 1 } else { 0 }]),
            values: vec![Value::Int(0), Value::Ref(if at < 2 { shape / 4u32.pow(at) % 4 } else { 0 })],
            holder: None,
        };
        heaps.push(((0..3).map(cell).collect(), vec![Value::Ref(1 + (args & 1)), Value::Ref(1 + (args >> 1))]));
    }
    heaps
}

fn array_heaps(ty: Type) -> Vec<Heap> {
    let mut contents: Vec<Vec<Value>> = Vec::new();
    for length in 0..=MAX_LENGTH {
        for bits in 0..1i64 << length {
            contents.push((0..length).map(|at| Value::Int(bits >> at & 1)).collect());
        }
    }
    let array = |values: &Vec<Value>| Object { shape: ObjectShape::Array(ty), values: values.clone(), holder: None };
    let mut heaps: Vec<Heap> = vec![(Vec::new(), vec![Value::Ref(0), Value::Ref(0)])];
    for first in &contents {
        for refs in [[1, 1], [1, 0], [0, 1]] {
            heaps.push((vec![array(first)], refs.map(Value::Ref).to_vec()));
        }
        for second in &contents {
            heaps.push((vec![array(first), array(second)], vec![Value::Ref(1), Value::Ref(2)]));
        }
    }
    heaps
}
