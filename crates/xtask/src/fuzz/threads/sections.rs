//! Which programs are for who takes atomic sections as one step? Threads with a few sections each, with branches, nested ones and inputs inside of them, and with calls of `assert` in the middle; some touch what others
//! touch and some do not, so that a reduction may leave out one order of two sections.

use super::program::{Awaited, Either, Generated, Piece};
use logic::Prng;

const SHARED: [&str; 5] = ["x", "y", "z", "a[0]", "a[1]"];

/// The program of a seed.
pub(super) fn program(seed: u64) -> Generated {
    let mut random = Prng::new(seed ^ 0x5ec_7105);
    let n_threads = 2 + random.below(2) as usize;
    let threads = (0..n_threads).map(|_| thread(&mut random)).collect();
    let conds: Vec<String> = (0..1 + random.below(2)).map(|_| condition(&mut random)).collect();
    let finale = vec![Piece::Line(format!("assert({});", conds.join(" || ")))];
    let joins = random.below(3) > 0;
    Generated {
        globals: "",
        starts: (0..n_threads).collect(),
        prologue: Vec::new(),
        threads,
        joins,
        returns: false,
        awaited: Awaited::Nobody,
        either: Either::No,
        finale,
    }
}

fn thread(random: &mut Prng) -> Vec<Piece> {
    // Most sections of a thread are about few of the places.
    let first = random.index(SHARED.len());
    let own = [SHARED[first], SHARED[(first + 1) % SHARED.len()]];
    let n_sections = 1 + random.below(2);
    (0..n_sections).map(|_| section(random, &own)).collect()
}

fn section(random: &mut Prng, own: &[&str]) -> Piece {
    let parts = (0..1 + random.below(3)).map(|_| statement(random, own, 2)).collect();
    Piece::Section("__VERIFIER_atomic_begin();".to_string(), parts, "__VERIFIER_atomic_end();".to_string())
}

fn statement(random: &mut Prng, own: &[&str], depth: u32) -> Piece {
    let place = if random.below(4) == 0 { random.pick(&SHARED) } else { random.pick(own) };
    let other = random.pick(own);
    match random.below(8) {
        0 if depth > 0 => {
            let head = format!("if ({})", condition(random));
            Piece::Block(head, (0..1 + random.below(2)).map(|_| statement(random, own, depth - 1)).collect())
        }
        1 => Piece::Line("l = __VERIFIER_nondet_bool();".to_string()),
        2 => Piece::Line(format!("assert({});", [condition(random), condition(random), "l < 3".into()].join(" || "))),
        3 => Piece::Line(format!("{place} = {} ? {other} : {};", condition(random), random.below(3))),
        4 => Piece::Line(format!("l = {place} == {} && {other} ? l : {other};", random.below(3))),
        5 => Piece::Line(format!("{place} = l ? {} : {other} == 1 ? {} : {place};", random.below(3), random.below(3))),
        _ => Piece::Line(format!("{place} = {};", random.below(3))),
    }
}

fn condition(random: &mut Prng) -> String {
    let (place, value) = (random.pick(&SHARED), random.below(3));
    match random.below(4) {
        0 => format!("{place} != {value}"),
        1 => format!("{place} < {}", value + 1),
        2 => "l".to_string(),
        _ => format!("{place} == {value}"),
    }
}
