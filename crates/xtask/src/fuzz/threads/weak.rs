//! Which programs tell memory models apart? Small ones, made for the purpose.
//!
//! Plain and atomic stores and loads of all orders, fences, some of them passed by, updates, sections, elements whose index was read, and accesses that overlap in
//! part; what each thread read is asserted about at the end. Every eighth is one of those that have nothing to do with it.

use super::program::{Awaited, Either, Generated, Piece, generate};
use logic::Prng;

const PLAIN: [&str; 4] = ["x", "y", "x", "z"];
const ATOMIC: [&str; 2] = ["p", "q"];
const LOADS: [&str; 3] = ["relaxed", "acquire", "seq_cst"];
const STORES: [&str; 4] = ["relaxed", "release", "release", "seq_cst"];
const FENCES: [&str; 5] = ["acquire", "release", "acq_rel", "seq_cst", "seq_cst"];

/// Shapes in which the models differ: what each of two threads does first and last, and what it must not have read.
const SHAPES: [[(&str, &str, &str); 2]; 4] = [
    [("x = 1;", "r1 = y;", "o0 >> 2 == 0"), ("y = 1;", "r1 = x;", "o1 >> 2 == 0")],
    [("x = 1;", "y = 1;", "1"), ("r0 = y;", "r1 = x;", "(o1 & 3) == 1 && o1 >> 2 == 0")],
    [("x = 1;", "y = 2;", "x == 1"), ("y = 1;", "x = 2;", "y == 1")],
    [("x = 1;", "y = 1;", "1"), ("y = 2;", "r1 = x;", "y == 2 && o1 >> 2 == 0")],
];

/// The program of a seed.
pub(super) fn program(seed: u64) -> Generated {
    if seed.is_multiple_of(8) {
        return generate(seed);
    }
    let mut random = Prng::new(seed);
    let shape = random.below(6) as usize;
    let n_threads = 2 + usize::from(shape >= SHAPES.len() && random.below(4) == 0);
    let mut wrong: Vec<String> = Vec::new();
    let mut threads: Vec<Vec<Piece>> = Vec::new();
    // Threads tell what they read by writing it down, or by what they return: the last read is then part of the end.
    let returns = random.below(3) == 0;
    for index in 0..n_threads {
        let mut read = "r1";
        let mut body = vec![Piece::Line("int r0 = 0, r1 = 0;".to_string())];
        if let Some(shape) = SHAPES.get(shape) {
            let (first, last, bad) = shape[index];
            body.push(Piece::Line(first.to_string()));
            body.extend((0..random.below(3)).map(|_| statement(&mut random, 0)));
            match last.strip_prefix("r1 = ").and_then(|last| last.strip_suffix(';')) {
                Some(place) if returns => read = place,
                _ => body.push(Piece::Line(last.to_string())),
            }
            wrong.push(bad.to_string());
        } else {
            let size = if n_threads == 2 { 3 + random.below(2) } else { 2 };
            body.extend((0..size).map(|_| statement(&mut random, 0)));
            wrong.push(format!("(o{index} >> {} & 3) == {}", 2 * random.below(2), random.below(3)));
            if returns {
                read = random.pick(&PLAIN);
            }
        }
        body.push(Piece::Line(match returns {
            true => format!("return (void *)(long)((r0 & 3) | ({read} & 3) << 2);"),
            false => format!("o{index} = (r0 & 3) | (r1 & 3) << 2;"),
        }));
        threads.push(body);
    }
    let returned = (0..n_threads).filter(|_| returns).map(|index| Piece::Line(format!("o{index} = (long)w[{index}];")));
    let assertion = Piece::Line(format!("assert(!({}));", wrong.join(" && ")));
    let finale = returned.chain([assertion]).collect();
    let globals = "union { unsigned short w; unsigned char c[2]; } u;\nint o0, o1, o2;\nvoid *w[8];\n";
    Generated {
        globals,
        starts: (0..n_threads).collect(),
        prologue: Vec::new(),
        threads,
        joins: true,
        returns,
        awaited: Awaited::Nobody,
        either: Either::No,
        finale,
    }
}

fn statement(random: &mut Prng, depth: u32) -> Piece {
    let line = |text: String| Piece::Line(text);
    let target = random.pick(&["r0", "r1"]).to_string();
    let (plain, atomic, value) = (random.pick(&PLAIN), random.pick(&ATOMIC), 1 + random.below(3));
    match random.below(if depth == 0 { 20 } else { 15 }) {
        0..=3 => line(format!("{plain} = {value};")),
        4..=6 => line(format!("{target} = {plain};")),
        7 => line(format!("atomic_store_explicit(&{atomic}, {value}, memory_order_{});", random.pick(&STORES))),
        8 => line(format!("{target} = atomic_load_explicit(&{atomic}, memory_order_{});", random.pick(&LOADS))),
        9 | 10 => line(format!("atomic_thread_fence(memory_order_{});", random.pick(&FENCES))),
        11 => line(match random.below(3) {
            0 => format!("a[{target} & 1] = {value};"),
            1 => format!("a[{}] = {value};", random.below(2)),
            _ => format!("{target} = a[{}];", random.below(2)),
        }),
        12 => line(match random.below(4) {
            0 => "u.w = 0x0102;".to_string(),
            1 => format!("u.c[{}] = {value};", random.below(2)),
            2 => format!("{target} = u.w;"),
            _ => format!("{target} = u.w >> 8;"),
        }),
        13 => line(format!("{target} = atomic_fetch_add_explicit(&{atomic}, 1, memory_order_relaxed);")),
        14 => line(format!("{plain} = {target} + 1 & 3;")),
        15..=17 => {
            let size = 1 + random.below(2);
            let inside = (0..size).map(|_| statement(random, depth + 1)).collect();
            Piece::Block(format!("if ({target} {} {})", random.pick(&["==", "!="]), random.below(2)), inside)
        }
        18 => {
            let inside = vec![statement(random, depth + 1)];
            Piece::Section("__VERIFIER_atomic_begin();".into(), inside, "__VERIFIER_atomic_end();".into())
        }
        _ => {
            let inside = vec![statement(random, depth + 1)];
            Piece::Section("pthread_mutex_lock(&m);".into(), inside, "pthread_mutex_unlock(&m);".into())
        }
    }
}
