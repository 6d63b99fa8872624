//! Random C programs with one execution and the corners of C in them, in one thread or several.
//!
//! Structs with bit-fields of all types, packed and not, nested, with unions; static and dynamic initialisers; jumps into loops,
//! blocks and switches; memory functions on whole structs; floats; pointers to functions; recursion. Everything ends: loops
//! count down, and jumps back take from `fuel`. Positions in one array are used in another (`to[p - from]`). Nothing is undefined or left open: calls are statements of their own, the
//! padding of a struct is looked at only where memory functions wrote it last, arithmetic wraps (`-fwrapv`).

use logic::Prng;
use std::fmt::Write;

/// A program: what comes before the functions, and the statements of each.
#[derive(Clone)]
pub(super) struct Program {
    head: String,
    functions: Vec<Vec<String>>,
    tail: String,
}

impl Program {
    pub(super) fn text(&self) -> String {
        let mut text = self.head.clone();
        for index in 0..self.functions.len() {
            let _ = writeln!(text, "static int f{index}(int x0, int x1);");
        }
        let _ = writeln!(text, "static int (*const table[])(int, int) = {{f0, f1}};");
        for (index, statements) in self.functions.iter().enumerate() {
            let _ = writeln!(text, "static int f{index}(int x0, int x1)\n{{\n    {LOCALS}");
            for statement in statements {
                let _ = writeln!(text, "    {statement}");
            }
            text.push_str("    mix(x2); mix(x3); mix(u0); mix(ll);\n    return x0 ^ x2;\n}\n");
        }
        text + &self.tail
    }

    /// The same program with one statement less, in every way.
    pub(super) fn smaller(&self) -> Vec<Program> {
        let mut found = Vec::new();
        for (index, statements) in self.functions.iter().enumerate() {
            for at in 0..statements.len() {
                let mut less = self.clone();
                less.functions[index].remove(at);
                found.push(less);
            }
        }
        found
    }
}

const LOCALS: &str = "int x2 = x0 + 1, x3 = 7, c0 = 2, c1 = 1, c2 = 3; unsigned u0 = x1; long long ll = x0 * 3LL; \
    int a[4] = {1, x1}; (void)a; (void)c0; (void)c1; (void)c2;";

/// Arrays whose positions correspond.
const ARRAYS: [(&str, &str); 4] = [("text", "char"), ("marks", "char"), ("counts", "int"), ("words", "short")];

/// A member of a struct.
#[derive(Clone, Copy)]
enum Field {
    Number(&'static str),
    Bits(&'static str, u64),
    /// An unnamed bit-field.
    Gap(&'static str, u64),
    Numbers(&'static str, u64),
    Struct(usize),
    Union(&'static str, &'static str),
}

struct Generator {
    random: Prng,
    structs: Vec<Vec<Field>>,
    n_labels: u32,
}

/// Who runs the functions, and how they are kept apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Turns {
    /// The first thread runs them all.
    Main,
    /// Each has a thread, which is joined before the next is started.
    Join,
    /// Each has a thread, and the threads hand a semaphore on.
    Semaphore,
    /// Each has a thread with globals of its own.
    Apart,
}

/// A random program.
pub(super) fn generate(seed: u64, turns: Turns) -> Program {
    let mut generator = Generator { random: Prng::new(seed), structs: Vec::new(), n_labels: 0 };
    let storage = if turns == Turns::Apart { "static _Thread_local" } else { "static" };
    let mut head =
        String::from("#include <stdlib.h>\n#include <string.h>\n#include <pthread.h>\n#include <semaphore.h>\n");
    let _ = writeln!(head, "{storage} unsigned long long sum;\n{storage} int fuel = 12;");
    head.push_str("static void mix(unsigned long long x) { sum = (sum ^ x) * 1099511628211ULL + (sum >> 29); }\n");
    head.push_str("static void mix_bytes(const void *p, unsigned long n)\n{\n");
    head.push_str("    for (unsigned long i = 0; i < n; i++)\n        mix(((const unsigned char *)p)[i]);\n}\n");
    head.push_str("static int deep(int n, int x) { return n <= 0 ? x : deep(n - 1, x * 3 + n) - 1; }\n");
    for (name, ty) in ARRAYS {
        let _ = writeln!(head, "{storage} {ty} {name}[8];");
    }
    let _ = writeln!(head, "{storage} char grid[8][8];");
    let n_structs = 1 + generator.random.below(3) as usize;
    for index in 0..n_structs {
        generator.declare_struct(index, &mut head);
    }
    for index in 0..n_structs {
        let init = generator.initialiser(index);
        let other = generator.initialiser(index);
        let _ =
            writeln!(head, "{storage} struct s{index} g{index} = {init}, h{index}, l{index}[2] = {{[1] = {other}}};");
    }
    let n_functions = 2 + generator.random.below(2) as usize;
    let mut functions = Vec::new();
    for index in 0..n_functions {
        let n_statements = 2 + generator.random.below(5);
        functions.push((0..n_statements).map(|_| generator.statement(index)).collect());
    }
    let calls: Vec<String> = (0..n_functions)
        .map(|index| format!("    mix(f{index}({}, {}));\n", generator.constant(), generator.constant()))
        .collect();
    let mut looks = String::new();
    for (name, _) in ARRAYS {
        let _ = writeln!(looks, "    for (int i = 0; i < 8; i++)\n        mix({name}[i]);");
    }
    looks.push_str("    mix_bytes(grid, sizeof grid);\n");
    for index in 0..n_structs {
        for object in [format!("g{index}"), format!("h{index}"), format!("l{index}[1]")] {
            for place in generator.places(index, &object) {
                let _ = writeln!(looks, "    mix((long long)({place}));");
            }
        }
    }
    Program { head, functions, tail: tail(turns, &calls, &looks) }
}

/// Calls the functions, and looks at all globals in the end.
fn tail(turns: Turns, calls: &[String], looks: &str) -> String {
    let n = calls.len();
    let mut text = String::new();
    if turns == Turns::Main {
        return format!("int main(void)\n{{\n{}{looks}    DONE(sum);\n    return 0;\n}}\n", calls.concat());
    }
    let _ = writeln!(text, "static sem_t turn[{}];\nstatic unsigned long long sums[{n}];", n + 1);
    for (index, call) in calls.iter().enumerate() {
        let (before, after) = match turns {
            Turns::Semaphore => {
                (format!("    sem_wait(&turn[{index}]);\n"), format!("    sem_post(&turn[{}]);\n", index + 1))
            }
            Turns::Apart => (String::new(), format!("{looks}    sums[{index}] = sum;\n")),
            Turns::Main | Turns::Join => (String::new(), String::new()),
        };
        let _ = writeln!(text, "static void *run{index}(void *unused)\n{{\n{before}{call}{after}    return 0;\n}}");
    }
    let _ = writeln!(text, "int main(void)\n{{\n    pthread_t t[{n}];");
    let create = |index: usize| format!("    pthread_create(&t[{index}], 0, run{index}, 0);\n");
    let join = |index: usize| format!("    pthread_join(t[{index}], 0);\n");
    if turns == Turns::Join {
        (0..n).for_each(|index| text.push_str(&(create(index) + &join(index))));
    } else {
        let _ = writeln!(text, "    for (int i = 0; i <= {n}; i++)\n        sem_init(&turn[i], 0, 0);");
        (0..n).for_each(|index| text.push_str(&create(index)));
        text.push_str("    sem_post(&turn[0]);\n");
        (0..n).for_each(|index| text.push_str(&join(index)));
    }
    if turns == Turns::Apart {
        let _ = writeln!(text, "    for (int i = 0; i < {n}; i++)\n        mix(sums[i]);");
    } else {
        text.push_str(looks);
    }
    text + "    DONE(sum);\n    return 0;\n}\n"
}

const INTEGERS: [&str; 9] = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long long",
    "unsigned long long",
];

const BIT_TYPES: [(&str, u64); 8] = [
    ("signed char", 8),
    ("unsigned char", 8),
    ("short", 16),
    ("unsigned short", 16),
    ("int", 32),
    ("unsigned", 32),
    ("long long", 64),
    ("unsigned long long", 64),
];

impl Generator {
    fn below(&mut self, n: u64) -> u64 {
        self.random.below(n)
    }

    fn label(&mut self) -> String {
        self.n_labels += 1;
        format!("l_{}", self.n_labels)
    }

    fn declare_struct(&mut self, index: usize, text: &mut String) {
        let mut fields = Vec::new();
        for _ in 0..2 + self.below(4) {
            let (bits, width) = self.random.pick(&BIT_TYPES);
            fields.push(match self.below(10) {
                0..=4 => Field::Bits(bits, 1 + self.below(width)),
                5 => Field::Gap(bits, self.below(width)),
                6 => Field::Numbers(self.random.pick(&INTEGERS), 1 + self.below(3)),
                7 if index > 0 => Field::Struct(self.below(index as u64) as usize),
                8 => Field::Union(self.random.pick(&INTEGERS), self.random.pick(&INTEGERS)),
                9 => Field::Number(self.random.pick(&["float", "double", "_Bool"])),
                _ => Field::Number(self.random.pick(&INTEGERS)),
            });
        }
        // Something must have a name.
        fields.push(Field::Number(self.random.pick(&INTEGERS)));
        let pack = match self.below(5) {
            0 => Some(1 << self.below(3)),
            _ => None,
        };
        if let Some(pack) = pack {
            let _ = writeln!(text, "#pragma pack(push, {pack})");
        }
        let attribute = if self.below(4) == 0 { " __attribute__((packed))" } else { "" };
        let _ = writeln!(text, "struct{attribute} s{index} {{");
        for (at, field) in fields.iter().enumerate() {
            let _ = match field {
                Field::Number(ty) => writeln!(text, "    {ty} m{at};"),
                Field::Bits(ty, width) => writeln!(text, "    {ty} m{at} : {width};"),
                Field::Gap(ty, width) => writeln!(text, "    {ty} : {width};"),
                Field::Numbers(ty, len) => writeln!(text, "    {ty} m{at}[{len}];"),
                Field::Struct(inner) => writeln!(text, "    struct s{inner} m{at};"),
                Field::Union(a, b) => writeln!(text, "    union {{ {a} a; {b} b; }} m{at};"),
            };
        }
        text.push_str("};\n");
        if pack.is_some() {
            text.push_str("#pragma pack(pop)\n");
        }
        self.structs.push(fields);
    }

    /// The numbers in an object of a struct type. Of a union the smaller member may have been written last, so only the first
    /// byte is looked at.
    fn places(&self, index: usize, object: &str) -> Vec<String> {
        let mut found = Vec::new();
        for (at, field) in self.structs[index].iter().enumerate() {
            match field {
                Field::Number(_) | Field::Bits(..) => found.push(format!("{object}.m{at}")),
                Field::Gap(..) => {}
                Field::Numbers(_, len) => found.push(format!("{object}.m{at}[{}]", len - 1)),
                Field::Struct(inner) => found.extend(self.places(*inner, &format!("{object}.m{at}"))),
                Field::Union(..) => found.push(format!("*(unsigned char *)&{object}.m{at}.a")),
            }
        }
        found
    }

    /// The same, without what a number does not fit into exactly.
    fn integers(&self, index: usize, object: &str) -> Vec<String> {
        let fields = &self.structs[index];
        let is_float = |place: &String| {
            let path = &place[object.len()..];
            fields
                .iter()
                .enumerate()
                .any(|(at, field)| matches!(field, Field::Number("float" | "double")) && path == format!(".m{at}"))
        };
        let is_nested = |place: &String| place[1..].matches(".m").count() > 1;
        let found = self.places(index, object);
        found.into_iter().filter(|place| !place.starts_with('*') && !is_nested(place) && !is_float(place)).collect()
    }

    fn initialiser(&mut self, index: usize) -> String {
        let n_fields = self.structs[index].len();
        let is_designated = self.below(3) == 0;
        let mut items = Vec::new();
        for at in 0..n_fields {
            let field = self.structs[index][at];
            let value = match field {
                Field::Gap(..) => continue,
                Field::Number("_Bool") => self.below(2).to_string(),
                Field::Number(_) => self.below(100).to_string(),
                Field::Bits(..) => self.constant(),
                Field::Numbers(..) => format!("{{{}}}", self.below(100)),
                Field::Struct(inner) => self.initialiser(inner),
                Field::Union(..) if self.below(2) == 0 => format!("{{.b = {}}}", self.below(100)),
                Field::Union(..) => format!("{{{}}}", self.below(100)),
            };
            if !is_designated {
                items.push(value);
            } else if self.below(3) > 0 {
                items.push(format!(".m{at} = {value}"));
            }
        }
        if is_designated {
            items.reverse();
        }
        if items.is_empty() { "{0}".to_string() } else { format!("{{{}}}", items.join(", ")) }
    }

    fn constant(&mut self) -> String {
        let near = self.below(40) as i64 - 20;
        match self.below(8) {
            0 => "2147483647".to_string(),
            1 => "(-2147483647 - 1)".to_string(),
            2 => "65535".to_string(),
            3 => "(-129)".to_string(),
            4 => "0x123456789abcdefLL".to_string(),
            _ => format!("({near})"),
        }
    }

    fn operand(&mut self) -> String {
        match self.below(9) {
            0 | 1 => self.constant(),
            2 => "u0".to_string(),
            3 => "ll".to_string(),
            4 => format!("a[{} & 3]", self.random.pick(&["x0", "x2", "c0"])),
            5 | 6 => {
                let index = self.below(self.structs.len() as u64) as usize;
                let object = format!("{}{index}", self.random.pick(&["g", "h"]));
                let places = self.integers(index, &object);
                if places.is_empty() {
                    return "x3".to_string();
                }
                let place = places[self.random.index(places.len())].clone();
                // Compilers have two opinions on the type of wide bit-fields.
                let is_wide = self.structs[index]
                    .iter()
                    .enumerate()
                    .any(|(at, field)| matches!(field, Field::Bits(_, 33..)) && place == format!("{object}.m{at}"));
                if is_wide { format!("((long long){place})") } else { place }
            }
            _ => self.random.pick(&["x0", "x1", "x2", "x3"]).to_string(),
        }
    }

    fn expr(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.operand();
        }
        let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
        match self.below(16) {
            0 => format!("({a} / (({b} & 7) + 1))"),
            1 => format!("({a} % (({b} & 15) + 1))"),
            2 => format!("({a} << ({b} & 7))"),
            3 => format!("({a} >> ({b} & 15))"),
            4 => format!("({a} < {b})"),
            5 => format!("({a} == {b} || {b} > 3)"),
            6 => format!("({a} ? {b} : {})", self.operand()),
            7 => format!("(-{a})"),
            8 => format!("(~{a})"),
            9 => format!("(({}){a})", self.random.pick(&INTEGERS)),
            10 => format!("((long long)((float)(short){a} * (signed char){b} / 4))"),
            11 => format!("((int)((double)(int){a} / (((int){b} & 3) + 1)))"),
            12 => format!("(({a} && {b}) + 1)"),
            _ => format!("({a} {} {b})", self.random.pick(&["+", "-", "*", "&", "|", "^"])),
        }
    }

    fn assignment(&mut self) -> String {
        let value = self.expr(2);
        match self.below(7) {
            0 => format!("a[{} & 3] = {value};", self.random.pick(&["x0", "x1", "c1"])),
            1 => format!("u0 {}= {value};", self.random.pick(&["+", "^", "-", "|"])),
            2 => format!("ll = {value};"),
            3 | 4 => {
                let index = self.below(self.structs.len() as u64) as usize;
                let object = format!("{}{index}", self.random.pick(&["g", "h"]));
                let places = self.integers(index, &object);
                if places.is_empty() {
                    return format!("x2 += {value};");
                }
                let place = places[self.random.index(places.len())].clone();
                match self.below(3) {
                    0 => format!("{place} = {value};"),
                    1 => format!("{place} {}= {value};", self.random.pick(&["+", "*", "^"])),
                    _ => format!("mix({place}{});", self.random.pick(&["++", "--"])),
                }
            }
            _ => format!("{} = {value};", self.random.pick(&["x0", "x1", "x2", "x3"])),
        }
    }

    fn small(&mut self) -> String {
        match self.below(5) {
            0 => format!("mix({});", self.expr(1)),
            _ => self.assignment(),
        }
    }

    fn statement(&mut self, function: usize) -> String {
        let (s, t, r) = (self.small(), self.small(), self.small());
        let (e, f) = (self.expr(1), self.expr(1));
        let (l, m) = (self.label(), self.label());
        let c = self.random.pick(&["c0", "c1", "c2"]).to_string();
        let index = self.below(self.structs.len() as u64);
        let back = |label: &str, cond: &str| format!("if (fuel > 0 && ({cond}) & 1) {{ fuel--; goto {label}; }}");
        match self.below(18) {
            17 => self.across(&e, &f),
            0 => format!("if ({e}) {{ {s} {t} }} else {{ {r} }}"),
            1 => format!("for ({c} = 0; {c} < 3; {c}++) {{ {s} if (({e}) & 1) continue; {t} }}"),
            2 => format!("{c} = 2; if (({e}) & 1) goto {l}; while ({c}-- > 0) {{ {s} {l}: {t} }} {r} {}", back(&l, &f)),
            3 => format!(
                "{c} = 3; goto {l}; for ({c} = 9; {c} > 0; {c}--) {{ {s} if (0) {{ {l}: {t} }} if (({e}) & 2) break; }} {r}"
            ),
            4 => format!(
                "{c} = 2; if (({e}) & 1) goto {l}; do {{ {s} {l}: {t} if (({f}) & 1) continue; {r} }} while ({c}-- > 0);"
            ),
            5 => format!(
                "{c} = 3; switch (({e}) & 3) {{ case 0: {s} while ({c}-- > 0) {{ {t} case 1: {r} if (({f}) & 1) break; default: u0++; }} x3++; }}"
            ),
            6 => format!(
                "{c} = 5; switch (({e}) & 3) {{ case 0: do {{ {s} case 3: {t} case 2: {r} case 1: ll += 2; }} while (({c} -= 2) > 0); }}"
            ),
            7 => format!("if (0) {{ {l}: {s} if (({e}) & 1) goto {m}; {t} }} {r} {} {m}:;", back(&l, &f)),
            8 => format!(
                "{{ int *q = 0; {l}: if (q) {{ mix(*q); goto {m}; }} int w = {e}; q = &w; {s} goto {l}; {m}: mix(w); }}"
            ),
            9 => format!(
                "{{ static void *const where[] = {{&&{l}, &&{m}}}; goto *where[({e}) & 1]; {l}: {s} {m}: {t} }}"
            ),
            10 => format!(
                "x2 = ({{ int t = {e}; if (({f}) & 1) goto {l}; for ({c} = 0; {c} < 2; {c}++) {{ {s} t ^= x0; }} {l}: {m}: t + 1; }});"
            ),
            11 => format!("x3 = deep({} & 3, {e});", self.random.pick(&["x0", "x1", "c0"])),
            12 if function > 1 => format!("x1 = table[({e}) & 1](x2, {f});"),
            12 | 13 => self.whole_struct(index),
            14 => self.local_struct(index as usize, &e),
            15 => format!(
                "{{ union {{ unsigned u; unsigned char c[4]; short s[2]; }} v; v.u = {e}; v.c[1] ^= {f}; mix(v.s[0]); mix(v.u); }}"
            ),
            _ => format!("{s} {t}"),
        }
    }

    /// Memory functions on whole structs; the bytes are looked at while memory functions wrote them last.
    fn whole_struct(&mut self, index: u64) -> String {
        let (byte, at) = (self.below(256), self.below(4));
        let fill = format!("struct s{index} v, w; memset(&v, {byte}, sizeof v); memcpy(&w, &v, sizeof w);");
        match self.below(4) {
            0 => format!(
                "{{ {fill} mix_bytes(&w, sizeof w); ((char *)&w)[{at} % sizeof w]++; mix(memcmp(&v, &w, sizeof v) != 0); }}"
            ),
            1 => format!(
                "{{ {fill} mix(memcmp(&v, &w, sizeof v)); memmove(&v, &l{index}[0], sizeof v); mix_bytes(&v, 1); }}"
            ),
            2 => format!(
                "{{ struct s{index} v[2]; memset(v, 0, sizeof v); memcpy(&v[1], &g{index}, sizeof v[1]); h{index} = v[1]; mix_bytes(&v[0], sizeof v[0]); }}"
            ),
            _ => format!("h{index} = g{index}; l{index}[0] = h{index};"),
        }
    }

    /// Walks through one array, and goes to the same place in another one, a global or one of its own.
    fn across(&mut self, value: &str, position: &str) -> String {
        let (from, ty) = self.random.pick(&ARRAYS);
        let (to, other) = self.random.pick(&ARRAYS);
        let (to, own) = match self.below(4) {
            0 => ("own", format!("{other} own[8] = {{3, 1, 4}}; ")),
            1 => ("own", format!("{other} *own = malloc(8 * sizeof *own); memset(own, 5, 8 * sizeof *own); ")),
            _ => (to, String::new()),
        };
        let free = if own.contains("malloc") { " free(own);" } else { "" };
        let walk = format!(
            "{ty} *p = {from}, *end = {from} + (({position}) & 7); while (p < end) p++; int x = ({position}) & 3;"
        );
        let (across, _) = self.random.pick(&ARRAYS);
        let place = match self.below(6) {
            4 => format!("grid[p - {from}][&{across}[3] - {across}]"),
            5 => format!("grid[({across} + x) - {across}][p - {from}]"),
            0 => format!("{to}[p - {from}]"),
            1 => format!("*({to} + (p - {from}))"),
            2 => format!("*({other} *)((char *){to} + ((char *)p - (char *){from}) / sizeof({ty}) * sizeof({other}))"),
            _ => format!("(p ? {to} + (p - {from}) : {to})[0]"),
        };
        format!("{{ {own}{walk} {place} = {value}; mix({place}); mix({to}[1]); mix((p - {from}) * 1000);{free} }}")
    }

    fn local_struct(&mut self, index: usize, value: &str) -> String {
        let init = self.initialiser(index);
        let places = self.integers(index, "v");
        let set: String = match places.first() {
            Some(place) => format!("{place} = {value};"),
            None => String::new(),
        };
        let mut text = format!("{{ struct s{index} v = {init}; {set}");
        for place in self.places(index, "v") {
            let _ = write!(text, " mix((long long)({place}));");
        }
        text + &format!(" g{index} = v; }}")
    }
}
