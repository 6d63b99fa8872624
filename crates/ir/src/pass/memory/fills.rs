//! Which writes only fill an array with arbitrary values? What it held before was arbitrary too, so they change nothing.
//!
//! An array that is read from nowhere has cells that nobody has written, and reading one gives any value, which stays. A program that says what its arrays hold by giving each
//! cell an input, in a loop, says the same once more; but who proves something about it has one more loop to understand, and an array that is another one after each round.
//!
//! A write is such a fill if its value is an input that goes nowhere else, a new one each time, and if whatever else touches the array, or starts a thread, comes later: the initial thread
//! does it, and no way leads back.
//!
//! A fill of truth values makes cells zero or one, and is left out too: then more executions are looked at, never fewer.

use super::regions::place_of;
use crate::access::local_written;
use crate::memory::RegionId;
use crate::pass::analysis::graph::reachable_from;
use crate::pass::analysis::liveness::Liveness;
use crate::pass::analysis::uses::{mentions, uses};
use crate::program::{Proc, Program};
use crate::stmt::{Op, Place, Stmt};
use fixedbitset::FixedBitSet;
use logic::{Node, Sort, TermId, VarId};
use rustc_hash::FxHashSet;

/// Where a statement of the initial thread is: its edge, and its place there.
pub(super) type Spot = (usize, usize);

/// The writes of the initial thread that only fill one of these regions, whose objects hold arbitrary values at first.
pub(super) fn fills(program: &Program, is_arbitrary: impl Fn(RegionId) -> bool) -> FxHashSet<Spot> {
    let main = &program.procs[program.main.index()];
    let liveness = Liveness::new(program, main, true);
    let mut fills: Vec<(RegionId, Spot)> = Vec::new();
    for (index, edge) in main.edges.iter().enumerate() {
        for (at, stmt) in edge.stmts.iter().enumerate() {
            if let Op::Store { place: Place::Mem { addr, region, .. }, value, .. } = &stmt.op
                && is_arbitrary(*region)
                && let Some(input) = input_in(program, *value)
                && !mentions(&program.pool, *addr, input)
                && is_for_it_alone(program, main, &liveness, (index, at), input)
            {
                fills.push((*region, (index, at)));
            }
        }
    }
    // What does not come first is no fill, and then others that come behind it are none.
    loop {
        let known: FxHashSet<Spot> = fills.iter().map(|(_, spot)| *spot).collect();
        let before = fills.len();
        fills.retain(|(region, spot)| comes_first(program, *region, *spot, &known));
        if fills.len() == before {
            return known;
        }
    }
}

/// The variable whose value this is, as it is or as a truth value in a byte.
fn input_in(program: &Program, value: TermId) -> Option<VarId> {
    let pool = &program.pool;
    match pool.node(value) {
        Node::App { op: logic::Op::ZeroExtend(_), args } => {
            pool.as_var(args[0]).filter(|var| pool.var_sort(*var) == Sort::Bv(1))
        }
        _ => pool.as_var(value),
    }
}

/// Whether the value is an input of its own each time the write happens, and nothing else: it is got on all ways that lead there, and used for nothing else before it is set
/// again.
fn is_for_it_alone(program: &Program, main: &Proc, liveness: &Liveness, (index, at): Spot, var: VarId) -> bool {
    let edge = &main.edges[index];
    let is_input = |stmt: &Stmt| matches!(stmt.op, Op::Havoc { var: other, .. } if other == var);
    let sets = |stmt: &Stmt| local_written(&stmt.op) == Some(var);
    let uses = |stmt: &Stmt| uses(&program.pool, &stmt.op, var);
    let ends_as_input = |stmts: &[Stmt]| {
        let last = stmts.iter().rposition(sets);
        last.is_some_and(|last| is_input(&stmts[last]) && !stmts[last + 1..].iter().any(uses))
    };
    let (before, after) = (&edge.stmts[..at], &edge.stmts[at + 1..]);
    // Back to where it was got, on all ways.
    let mut seen = FixedBitSet::with_capacity(main.locs.len());
    let mut waiting = Vec::new();
    match before.iter().any(sets) {
        true if !ends_as_input(before) => return false,
        true => {}
        false if before.iter().any(uses) => return false,
        false => waiting.push(edge.from),
    }
    while let Some(loc) = waiting.pop() {
        if loc == main.entry {
            return false;
        }
        if seen.put(loc.index()) {
            continue;
        }
        for edge in main.edges.iter().filter(|edge| edge.to == loc) {
            match edge.stmts.iter().any(sets) {
                true if !ends_as_input(&edge.stmts) => return false,
                true => {}
                false if edge.stmts.iter().any(uses) => return false,
                false => waiting.push(edge.from),
            }
        }
    }
    match after.iter().position(sets) {
        Some(until) => !after[..=until].iter().any(uses),
        None => !after.iter().any(uses) && !liveness.is_live(edge.to, var),
    }
}

/// Whether nothing that leads to this write starts a thread, or touches the region otherwise than by fills.
fn comes_first(program: &Program, region: RegionId, spot: Spot, fills: &FxHashSet<Spot>) -> bool {
    let main = &program.procs[program.main.index()];
    let touches = |op: &Op| matches!(place_of(op), Some(Place::Mem { region: other, .. }) if *other == region);
    let is_other = |(index, at): Spot, op: &Op| {
        matches!(op, Op::Start { .. } | Op::Call { .. }) || touches(op) && !fills.contains(&(index, at))
    };
    let others = main
        .edges
        .iter()
        .enumerate()
        .filter(|(index, edge)| edge.stmts.iter().enumerate().any(|(at, stmt)| is_other((*index, at), &stmt.op)));
    let (edges, starts): (Vec<usize>, Vec<_>) = others.map(|(index, edge)| (index, edge.to)).unzip();
    let later = reachable_from(main, &main.out_edges(), starts);
    !edges.contains(&spot.0) && !later.contains(main.edges[spot.0].from.index())
}

#[cfg(test)]
mod tests {
    use crate::build::Builder;
    use crate::pass::{Options, find_loops, prepare};
    use crate::property::{Properties, Property};
    use crate::stmt::{AllocKind, Op, Order};
    use logic::{Sort, VarId};

    /// What is done beside filling the array round by round.
    #[derive(Clone, Copy, PartialEq)]
    enum Beside {
        Nothing,
        WrittenBefore,
        Zeroed,
        OneInputForAll,
        InputKept,
        Counted,
    }

    /// How many writes of the array and how many loops are left of a program that makes an array of any size, fills it, and looks at one cell.
    fn left(beside: Beside, fills: bool) -> (usize, usize) {
        let mut b = Builder::new();
        let main = b.define("main", |f| {
            let [size, at, array, cell] = ["size", "at", "array", "cell"].map(|name| f.pointer(name));
            let [input, kept, got, rounds] = ["input", "kept", "got", "rounds"].map(|name| f.local(name));
            let (zero, nothing) = (f.word(0), f.int(0));
            [size, at].into_iter().for_each(|var| f.assign(var, zero));
            [kept, rounds].into_iter().for_each(|var| f.assign(var, nothing));
            f.input(size);
            f.input(input);
            let bytes = f.var(size);
            let zeroed = beside == Beside::Zeroed;
            f.then(Op::Alloc { dst: array, size: bytes, kind: AllocKind::Heap, zeroed, copy: 0 });
            if beside == Beside::WrittenBefore {
                let (place, seven) = (f.deref(array), f.int(7));
                f.store_to(place, seven, Order::Plain);
            }
            let is_before = |f: &mut crate::build::Body<'_>, a: VarId, b: VarId| {
                let (a, b) = (f.var(a), f.var(b));
                f.pool().ult(a, b)
            };
            f.repeat(
                |f| is_before(f, at, size),
                |f| {
                    if beside != Beside::OneInputForAll {
                        f.input(input);
                    }
                    let (base, index, four) = (f.var(array), f.var(at), f.word(4));
                    let offset = f.pool().mul(index, four);
                    let addr = f.pool().add(base, offset);
                    f.assign(cell, addr);
                    let (place, value) = (f.deref(cell), f.var(input));
                    f.store_to(place, value, Order::Plain);
                    if beside == Beside::InputKept {
                        f.assign(kept, value);
                    }
                    if beside == Beside::Counted {
                        let more = f.plus(rounds, 1);
                        f.assign(rounds, more);
                    }
                    let next = f.plus(at, 1);
                    f.assign(at, next);
                },
            );
            let place = f.deref(array);
            f.load_from(got, place, Order::Plain);
            let [got, kept, rounds] = [got, kept, rounds].map(|var| f.var(var));
            let is_kept = f.pool().eq(got, kept);
            let is_counted = f.pool().eq(got, rounds);
            let good = f.pool().or(is_kept, is_counted);
            f.check(good);
        });
        let program = b.finish(main);
        let options = Options { arrays: true, fills, blocks: false, ..Options::default() };
        let program = prepare(&program, Properties::of(&[Property::Assertion]), &options).expect("it is prepared");
        let main = &program.procs[program.main.index()];
        let writes = main.edges.iter().flat_map(|edge| &edge.stmts).filter(|stmt| match &stmt.op {
            Op::Rmw { dst, .. } => matches!(program.pool.var_sort(*dst), Sort::Array(..)),
            _ => false,
        });
        (writes.count(), find_loops(&program, main).len())
    }

    #[test]
    fn filling_an_array_with_inputs_is_left_out_and_its_loop_too() {
        assert_eq!(left(Beside::Nothing, false), (1, 1));
        assert_eq!(left(Beside::Nothing, true), (0, 0));
    }

    #[test]
    fn what_says_more_than_that_the_array_holds_anything_stays() {
        assert_eq!(left(Beside::WrittenBefore, true), (2, 1));
        for beside in [Beside::Zeroed, Beside::OneInputForAll, Beside::InputKept] {
            assert_eq!(left(beside, true), (1, 1));
        }
        // The write changes nothing, but the loop counts.
        assert_eq!(left(Beside::Counted, true), (0, 1));
    }
}
