//! Which programs are for who makes variables of blocks of memory? One or two blocks whose size is an input, shared by threads that read, write, compare, hand on and free them.

use super::program::{Awaited, Either, Generated, Piece};
use logic::Prng;

/// Cells of three lengths; how many there are has fewer bits than a pointer or as many, and a sign or none.
const GLOBALS: [&str; 4] = [
    "#include <stdlib.h>\ntypedef int cell;\ncell *b, *c;\nint len;\nlong f;\n",
    "#include <stdlib.h>\ntypedef char cell;\ncell *b, *c;\nunsigned len;\nlong f;\n",
    "#include <stdlib.h>\ntypedef long cell;\ncell *b, *c;\nsize_t len;\nlong f;\n",
    "#include <stdlib.h>\ntypedef int cell;\ncell *b, *c;\nunsigned char len;\nlong f;\n",
];

/// The program of a seed.
pub(super) fn program(seed: u64) -> Generated {
    let mut random = Prng::new(seed ^ 0x000b_10c5);
    let n_threads = 1 + random.below(2) as usize;
    let threads = (0..n_threads).map(|_| body(&mut random, 1)).collect();
    let mut finale = body(&mut random, 0);
    if random.percent(30) {
        finale.push(Piece::Line("free(b);".to_string()));
    }
    Generated {
        globals: GLOBALS[random.below(GLOBALS.len() as u64) as usize],
        prologue: prologue(&mut random),
        threads,
        starts: (0..n_threads).collect(),
        joins: random.percent(80),
        returns: false,
        awaited: Awaited::Nobody,
        either: Either::No,
        finale,
    }
}

/// The blocks are made, with zeros in their cells.
fn prologue(random: &mut Prng) -> Vec<Piece> {
    let mut lines = vec!["len = __VERIFIER_nondet_bool() + 1;".to_string()];
    if random.percent(30) {
        lines.push("len = len * 2 - 1;".to_string());
    }
    match random.below(3) {
        0 => {
            lines.push("b = malloc(len * sizeof *b);".to_string());
            lines.push("for (int i = 0; i < len; i++) b[i] = 0;".to_string());
        }
        1 => lines.push("b = calloc(len, sizeof *b);".to_string()),
        _ => {
            lines.push("if (__VERIFIER_nondet_bool()) len = 0;".to_string());
            lines.push("b = len ? calloc(len, sizeof *b) : 0;".to_string());
        }
    }
    match random.below(5) {
        0 => lines.push("c = b;".to_string()),
        1 => lines.push("c = calloc(len + 1, sizeof *c);".to_string()),
        2 => lines.push("c = b + 1;".to_string()),
        _ => {}
    }
    lines.into_iter().map(Piece::Line).collect()
}

fn body(random: &mut Prng, least: u64) -> Vec<Piece> {
    let size = least + random.below(3);
    (0..size).map(|_| statement(random, 0)).collect()
}

fn statement(random: &mut Prng, depth: u32) -> Piece {
    let index = random.pick(&["0", "0", "1", "len - 1", "f", "l", "x"]);
    let block = random.pick(&["b", "b", "b", "c"]);
    let value = random.below(3);
    let guarded = |line: String| Piece::Line(format!("if ({block} && {index} >= 0 && {index} < len) {line}"));
    match random.below(if depth > 0 { 13 } else { 16 }) {
        0 | 1 => guarded(format!("{block}[{index}] = {value};")),
        2 | 3 => guarded(format!("l = {block}[{index}] & 3;")),
        4 => Piece::Line(format!("{block}[{index}] = {value};")),
        5 => Piece::Line(format!("x = {block}[{index}] & 3;")),
        6 => guarded(format!("{{ cell *e = {block} + {index}; *e = *e + 1 & 3; }}")),
        7 => Piece::Line(random.pick(&["if (b == c) x = 1;", "if (b != 0) x = 1;", "if (c) x = 2;"]).to_string()),
        8 => Piece::Line(random.pick(&["c = b;", "f = 0;", "f = 1;", "f = len - 1;", "c = 0;"]).to_string()),
        9 => guarded(format!("assert({block}[{index}] != {value});")),
        10 => Piece::Line(format!("assert(x != {value});")),
        11 => Piece::Line(format!("l = {value};")),
        12 if random.percent(30) => Piece::Line(format!("free({block});")),
        12 => Piece::Line(format!("x = {value};")),
        13 => Piece::Block(
            "for (int i = 0; i < len; i++)".to_string(),
            vec![Piece::Line("if (b) x = x + b[i] & 3;".into())],
        ),
        _ => {
            let inside = vec![statement(random, depth + 1)];
            Piece::Section("pthread_mutex_lock(&m);".to_string(), inside, "pthread_mutex_unlock(&m);".to_string())
        }
    }
}
