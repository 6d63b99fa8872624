//! Functions that call themselves and each other, several times in one body, with locals whose addresses are handed down.
//!
//! How deep they go is an input, so that no constant decides it: calls are not unfolded then, but wait on a stack (`ir::pass`, control/activations). The compiler's program is given the one input that is of interest; in
//! ravel's a program with another input ends at once. Calls stand in statements of their own, so that their order is fixed.

use super::super::subject::{Question, Subject, Unasked};
use super::{PROLOGUE, questions};
use logic::Prng;
use std::fmt::Write;

const HEAD: &str = "#ifdef WANT\nextern int __VERIFIER_nondet_int(void);\n#else\nstatic int __VERIFIER_nondet_int(void) { return 5; }\n#endif\n\
    typedef unsigned u;\nstatic u g, h[4];\n";

/// Functions by their statements; each has a first and a last one that stay.
#[derive(Clone)]
struct Program {
    functions: Vec<Vec<String>>,
    depth: u64,
}

impl Subject for Program {
    fn text(&self) -> String {
        let mut text = format!("{PROLOGUE}{HEAD}");
        for number in 0..self.functions.len() {
            let _ = writeln!(text, "static u f{number}(u n, u a, u *p);");
        }
        for (number, body) in self.functions.iter().enumerate() {
            let _ = writeln!(text, "static u f{number}(u n, u a, u *p)\n{{\n    {}\n}}", body.join("\n    "));
        }
        let _ = write!(
            text,
            "int main(void)\n{{\n    if (__VERIFIER_nondet_int() != 5)\n        return 0;\n    u n = __VERIFIER_nondet_int() == 5 ? {0} : {0};\n    \
             u m = 3, y = f0(n, 5, &m);\n    DONE(((y * 31 + m) * 31 + g) * 31 + h[1]);\n    return 0;\n}}\n",
            self.depth
        );
        text
    }

    fn smaller(&self) -> Vec<Box<dyn Subject>> {
        let mut all: Vec<Box<dyn Subject>> = Vec::new();
        for (number, body) in self.functions.iter().enumerate() {
            for at in (1..body.len() - 1).filter(|at| !body[*at].starts_with("u ")) {
                let mut less = self.clone();
                less.functions[number].remove(at);
                all.push(Box::new(less));
            }
        }
        all
    }

    fn questions(&self, _: u64) -> Result<Vec<Question>, Unasked> {
        questions(&self.text())
    }
}

/// The program of a seed.
pub(in super::super) fn make(seed: u64) -> Box<dyn Subject> {
    let mut random = Prng::new(seed);
    let n_functions = 1 + random.below(3);
    let functions = (0..n_functions).map(|_| body(&mut random, n_functions)).collect();
    Box::new(Program { functions, depth: 2 + random.below(2) })
}

/// An expression without calls.
fn value(random: &mut Prng, names: &[String], depth: u32) -> String {
    if depth > 2 || random.percent(30) {
        let constant = random.below(10).to_string();
        return if random.percent(60) { names[random.index(names.len())].clone() } else { constant };
    }
    let operator = random.pick(&["+", "-", "^", "&", "|", "*"]);
    format!("({} {operator} {})", value(random, names, depth + 1), value(random, names, depth + 1))
}

fn body(random: &mut Prng, n_functions: u64) -> Vec<String> {
    let named = |name: &str| name.to_string();
    let mut names = vec![named("a"), named("g")];
    let effect = random.pick(&["", "g += a & 7; ", "if (p) *p ^= a + 1; "]);
    let mut body = vec![format!("if (n == 0) {{ {effect}return {}; }}", value(random, &names, 0))];
    names.push(named("n"));
    for local in 0..random.below(3) {
        body.push(format!("u v{local} = {};", value(random, &names, 0)));
        names.push(format!("v{local}"));
    }
    let is_lent = random.percent(60);
    if is_lent {
        body.push(format!("u t = {};", value(random, &names, 0)));
    }
    if random.percent(30) {
        body.push(format!("h[a & 3] += {};", value(random, &names, 0)));
        names.push(named("h[n & 3]"));
    }
    for call in 0..1 + random.below(2) {
        let callee = random.below(n_functions);
        let lent = if is_lent && random.percent(70) { "&t" } else { random.pick(&["p", "0"]) };
        let call_of = format!("f{callee}(n - 1, {}, {lent})", value(random, &names, 0));
        body.push(match random.below(4) {
            0 => {
                names.push(format!("c{call}"));
                format!("u c{call} = {call_of};")
            }
            1 => format!("if ({} & 1) a ^= {call_of};", value(random, &names, 0)),
            2 => format!("for (u i = 0; i < {}; i++) a += {call_of} + i;", 1 + random.below(2)),
            _ => format!("{{ u w = {call_of}; if (p) *p += w; else g ^= w; }}"),
        });
        if random.percent(40) {
            body.push(format!("if (a % {} == 1) return {};", 2 + random.below(4), value(random, &names, 0)));
        }
    }
    if is_lent {
        names.push(named("t"));
    }
    body.push(format!("return {};", value(random, &names, 0)));
    body
}
