//! Which programs are for who needs no bound of loops? Two threads that go round as often as they like, or a few times, and assert what they have read.
//!
//! There are three shared variables and two values, so that there are few states however often a loop goes round, and who visits states comes to an end. Nothing is there that is refused by who looks at threads one by one.

use super::program::{Awaited, Either, Generated, Piece};
use logic::Prng;

const PLAIN: [&str; 2] = ["x", "y"];
const ATOMIC: [&str; 2] = ["p", "p"];
const LOADS: [&str; 3] = ["relaxed", "acquire", "seq_cst"];
const STORES: [&str; 3] = ["relaxed", "release", "seq_cst"];
const FENCES: [&str; 4] = ["acquire", "release", "acq_rel", "seq_cst"];

/// The program of a seed; its loops go round twice at most, if they are bounded.
pub(super) fn program(seed: u64, is_bounded: bool) -> Generated {
    let mut random = Prng::new(seed ^ 0x10_0b5);
    let mut threads = Vec::new();
    for index in 0..2 {
        let mut body = vec![Piece::Line("int r0 = 0, r1 = 0;".to_string())];
        let n_before = random.below(2);
        body.extend((0..n_before).map(|_| statement(&mut random, 1)));
        let n = 2 + random.below(2);
        let mut inside: Vec<Piece> = (0..n).map(|_| statement(&mut random, 0)).collect();
        if random.below(2) == 0 {
            let (one, other) = (random.below(2), random.below(2));
            inside.push(Piece::Line(format!("assert(!(r0 == {one} && r1 == {other}));")));
        }
        body.push(round(&mut random, inside, index, is_bounded));
        let n_after = random.below(2);
        body.extend((0..n_after).map(|_| statement(&mut random, 1)));
        body.push(Piece::Line(format!("o{index} = r0 | r1 << 2;")));
        threads.push(body);
    }
    let values: Vec<u64> = (0..4).map(|_| random.below(2)).collect();
    let wrong = format!("o0 == {} && o1 == {}", values[0] | values[1] << 2, values[2] | values[3] << 2);
    let finale = vec![Piece::Line(format!("assert(!({wrong}));"))];
    Generated {
        globals: "int o0, o1;\n",
        starts: vec![0, 1],
        prologue: Vec::new(),
        threads,
        joins: true,
        returns: false,
        awaited: Awaited::Nobody,
        either: Either::No,
        finale,
    }
}

/// A loop around statements.
fn round(random: &mut Prng, mut inside: Vec<Piece>, index: usize, is_bounded: bool) -> Piece {
    if is_bounded {
        return Piece::Block(format!("for (int i{index} = 0; i{index} < 2; i{index}++)"), inside);
    }
    match random.below(3) {
        0 => Piece::Block("while (__VERIFIER_nondet_bool())".to_string(), inside),
        1 => {
            inside.push(Piece::Line(format!("if (r{} == {}) break;", random.below(2), random.below(2))));
            Piece::Block("for (;;)".to_string(), inside)
        }
        _ => {
            let until = format!("if (atomic_load(&{}) != 0) break;", random.pick(&ATOMIC));
            inside.push(Piece::Line(until));
            Piece::Block("for (;;)".to_string(), inside)
        }
    }
}

fn statement(random: &mut Prng, depth: u32) -> Piece {
    let line = |text: String| Piece::Line(text);
    let target = random.pick(&["r0", "r1"]).to_string();
    let (plain, atomic, value) = (random.pick(&PLAIN), random.pick(&ATOMIC), random.below(2));
    match random.below(if depth == 0 { 16 } else { 12 }) {
        0..=2 => line(format!("{plain} = {value};")),
        3..=5 => line(format!("{target} = {plain};")),
        6 | 7 => line(format!("atomic_store_explicit(&{atomic}, {value}, memory_order_{});", random.pick(&STORES))),
        8 | 9 => line(format!("{target} = atomic_load_explicit(&{atomic}, memory_order_{});", random.pick(&LOADS))),
        10 => line(format!("atomic_thread_fence(memory_order_{});", random.pick(&FENCES))),
        11 => line(format!("{target} = atomic_exchange_explicit(&{atomic}, {value}, memory_order_acq_rel);")),
        12 | 13 => {
            let inside = vec![statement(random, depth + 1)];
            Piece::Block(format!("if ({target} {} {})", random.pick(&["==", "!="]), random.below(2)), inside)
        }
        _ => {
            let inside = (0..1 + random.below(2)).map(|_| statement(random, depth + 1)).collect();
            Piece::Section("pthread_mutex_lock(&m);".into(), inside, "pthread_mutex_unlock(&m);".into())
        }
    }
}
