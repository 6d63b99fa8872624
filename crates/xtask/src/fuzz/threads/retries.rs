//! Which programs are for who leaves rounds of loops out? A thread that reads until it has found what it wants, and remembers on the way: what it found last, the time before, how often it
//! has changed. Another one writes a few times. Some of these rounds can be done without, others cannot, and what is asserted tells.

use super::program::{Awaited, Either, Generated, Piece};
use logic::Prng;

const LOADS: [&str; 3] = ["relaxed", "acquire", "seq_cst"];
const STORES: [&str; 3] = ["relaxed", "release", "seq_cst"];

/// The program of a seed.
pub(super) fn program(seed: u64) -> Generated {
    let mut random = Prng::new(seed ^ 0x2e_7217);
    let line = |text: String| Piece::Line(text);
    let mut reader = vec![line("int r0 = 0, r1 = 0, r2 = 0;".to_string())];
    if random.below(2) == 0 {
        let order = random.pick(&LOADS);
        reader.push(line(format!("r0 = atomic_load_explicit(&p, memory_order_{order});")));
    }
    let n_loops = 1 + random.below(8) / 7;
    for _ in 0..n_loops {
        reader.push(retry(&mut random));
    }
    if random.below(2) == 0 {
        reader.push(line("r2 = atomic_load_explicit(&q, memory_order_relaxed);".to_string()));
    }
    reader.push(line("o0 = r0 | r1 << 2 | r2 << 4;".to_string()));
    let mut writer = vec![line("int w = 0;".to_string())];
    for _ in 0..2 + random.below(2) {
        let (place, value, order) = (random.pick(&["p", "p", "p", "q"]), random.below(3), random.pick(&STORES));
        writer.push(line(match random.below(6) {
            0 => format!("w = atomic_fetch_add_explicit(&{place}, 1, memory_order_{order}) & 3;"),
            _ => format!("atomic_store_explicit(&{place}, {value}, memory_order_{order});"),
        }));
    }
    writer.push(line("o1 = w;".to_string()));
    let values = [random.below(3), random.below(3), random.below(3)];
    let parts = ["(o0 & 3)", "(o0 >> 2 & 3)", "(o0 >> 4 & 3)"];
    let n_parts = 1 + random.below(3) as usize;
    let wrong: Vec<String> = (0..n_parts).map(|at| format!("{} == {}", parts[at], values[at])).collect();
    let finale = vec![line(format!("assert(!({}));", wrong.join(" && ")))];
    Generated {
        globals: "int o0, o1;\n",
        starts: vec![0, 1],
        prologue: Vec::new(),
        threads: vec![reader, writer],
        joins: true,
        returns: false,
        awaited: Awaited::Nobody,
        either: Either::No,
        finale,
    }
}

/// A loop that goes round until something was read.
fn retry(random: &mut Prng) -> Piece {
    let (wanted, other, order) = (random.below(3), random.below(3), random.pick(&LOADS));
    let load = |place: &str| format!("atomic_load_explicit(&{place}, memory_order_{order}) & 3");
    let lines = |texts: &[String]| texts.iter().cloned().map(Piece::Line).collect::<Vec<Piece>>();
    let attempt = |weak: &str| {
        format!("atomic_compare_exchange_{weak}_explicit(&p, &r0, {other}, memory_order_seq_cst, memory_order_{order})")
    };
    match random.below(9) {
        0 | 1 => Piece::Block(format!("while (r0 != {wanted})"), lines(&[format!("r0 = {};", load("p"))])),
        2 => Piece::Block(
            format!("while (r0 < {wanted})"),
            lines(&["r1 = r0;".to_string(), format!("r0 = {};", load("p"))]),
        ),
        3 => Piece::Block(
            format!("while (r0 != {wanted})"),
            lines(&["r2 = r0 != r1 ? r2 + 1 & 3 : r2;".into(), "r1 = r0;".into(), format!("r0 = {};", load("p"))]),
        ),
        4 => Piece::Block(
            "for (;;)".to_string(),
            lines(&[
                format!("r1 = {};", load("q")),
                format!("r0 = {};", load("p")),
                "if (r0 == r1) break;".to_string(),
            ]),
        ),
        5 => Piece::Block(format!("while (!{})", attempt("strong")), lines(&["r0 &= 3;".to_string()])),
        6 => Piece::Block(format!("while (!{})", attempt("weak")), lines(&["r1 = r0 & 3;".to_string()])),
        7 => Piece::Block(
            "for (;;)".to_string(),
            vec![
                Piece::Line(format!("r0 = {};", load("p"))),
                Piece::Line(format!("if (r0 == {wanted}) break;")),
                Piece::Block(format!("if (r0 == {other})"), lines(&[format!("r1 = {};", load("q"))])),
            ],
        ),
        _ => Piece::Block(
            format!("while (r0 != {wanted})"),
            vec![
                Piece::Line(format!("r0 = {};", load("p"))),
                Piece::Block(format!("if (r0 != {other})"), lines(&["r1 = r0;".to_string()])),
            ],
        ),
    }
}
