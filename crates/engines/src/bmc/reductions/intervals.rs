//! Between which numbers is what a read reads? Intervals, found before solving.
//!
//! Every value in an execution comes from writes and inputs before it. So the smallest intervals such that each read covers all values of the writes that it may
//! read, computed from the intervals of what those read, cover everything that happens. They grow from nothing in rounds, in the order of
//! events; what does not settle soon becomes anything. Chains of updates that have an order, counters of threads that are alike above all, get bounds
//! that the solver would have to find by trying.
//!
//! Invariant: intervals are those of signed numbers, and cover the value of each read that happens. A term that depends on a read without
//! values so far has none itself, but only where it cannot be evaluated without that read; truth values are never without one.

use crate::bmc::unrolled::Unrolled;
use logic::{Node, Op, Pool, Sort, TermId, Value, VarId};
use memory::events::{Read, Sources};
use rustc_hash::FxHashMap;

/// The values that a number can have, or 0 and 1 for a truth value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Range {
    /// None so far.
    Nothing,
    Between(i128, i128),
    /// What is not a number of at most 64 bits.
    Anything,
}

/// Rounds after which what still grows becomes anything.
const ROUNDS: usize = 8;
/// Choices of reads at most; beyond, nothing is computed.
const MOST_CHOICES: usize = 60_000;

/// Formulas that hold of all values read in an execution. Sources that are elsewhere by their addresses are left out.
pub(crate) fn rules(unrolled: &mut Unrolled, sources: &mut [Sources]) -> Vec<TermId> {
    if sources.iter().map(|own| own.candidates.len()).sum::<usize>() > MOST_CHOICES {
        return Vec::new();
    }
    let mut ranges = settle(unrolled, sources);
    if leave_out(unrolled, &ranges, sources) {
        ranges = settle(unrolled, sources);
    }
    let pool = &mut unrolled.pool;
    let mut rules = Vec::new();
    // What a read finds matters only if it happens, except where it is waited for: then also why it does not.
    let plain = unrolled.events.reads.iter().zip(&ranges).filter(|(read, _)| read.accepts.is_none());
    for (read, range) in plain {
        let (Sort::Bv(width), Range::Between(low, high)) = (pool.sort(read.value), *range) else { continue };
        if Range::Between(low, high) == whole(Sort::Bv(width)) {
            continue;
        }
        let (least, most) = (pool.bv(width, low as u64), pool.bv(width, high as u64));
        if low < 0 {
            let (too_low, too_high) = (pool.slt(read.value, least), pool.slt(most, read.value));
            rules.extend([pool.not(too_low), pool.not(too_high)]);
        } else {
            // Bits that are zero need no arithmetic.
            let n_bits = 128 - (high as u128).leading_zeros();
            if n_bits < width {
                let above = pool.extract(read.value, width - 1, n_bits);
                let zero = pool.bv(width - n_bits, 0);
                rules.push(pool.eq(above, zero));
            }
            rules.extend([pool.ule(least, read.value), pool.ule(read.value, most)]);
        }
    }
    rules
}

/// Leaves out sources and rivals whose conditions cannot hold; whether there are some.
fn leave_out(unrolled: &Unrolled, ranges: &[Range], sources: &mut [Sources]) -> bool {
    let Unrolled { pool, events, .. } = unrolled;
    let reads = events.reads.iter().zip(ranges).filter(|(read, _)| read.accepts.is_none());
    let of_var: FxHashMap<VarId, Range> =
        reads.filter_map(|(read, range)| Some((pool.as_var(read.value)?, *range))).collect();
    let mut known = FxHashMap::default();
    let mut is_possible = |cond: TermId| evaluate(pool, cond, &of_var, &mut known) != Range::Between(0, 0);
    let mut n_left = 0;
    for own in sources.iter_mut() {
        let before = own.candidates.len() + own.rivals.len();
        own.candidates.retain(|candidate| is_possible(candidate.same));
        own.rivals.retain(|rival| rival.active.is_none_or(&mut is_possible));
        n_left += before - own.candidates.len() - own.rivals.len();
    }
    n_left > 0
}

fn settle(unrolled: &Unrolled, sources: &[Sources]) -> Vec<Range> {
    let Unrolled { pool, events, initial, .. } = unrolled;
    let mut of_var: FxHashMap<VarId, Range> = FxHashMap::default();
    let var_of = |read: &Read| pool.as_var(read.value).filter(|_| read.accepts.is_none());
    of_var.extend(events.reads.iter().filter_map(var_of).map(|var| (var, Range::Nothing)));
    let mut ranges = vec![Range::Nothing; events.reads.len()];
    for round in 0.. {
        let mut has_grown = false;
        let mut known: FxHashMap<TermId, Range> = FxHashMap::default();
        for (index, read) in events.reads.iter().enumerate() {
            let mut range = ranges[index];
            for candidate in &sources[index].candidates {
                let value = candidate.write.map_or(initial[index], |write| events.writes[write as usize].value);
                range = range.or(evaluate(pool, value, &of_var, &mut known));
            }
            if range != ranges[index] {
                has_grown = true;
                range = if round >= ROUNDS { whole(pool.sort(read.value)) } else { range };
                ranges[index] = range;
                of_var.extend(var_of(read).map(|var| (var, range)));
            }
        }
        if !has_grown {
            break;
        }
    }
    ranges
}

fn whole(sort: Sort) -> Range {
    match sort {
        Sort::Bool => Range::Between(0, 1),
        Sort::Bv(width) if width <= 64 => Range::Between(-(1 << (width - 1)), (1 << (width - 1)) - 1),
        _ => Range::Anything,
    }
}

impl Range {
    fn or(self, other: Range) -> Range {
        match (self, other) {
            (Range::Nothing, range) | (range, Range::Nothing) => range,
            (Range::Between(a, b), Range::Between(c, d)) => Range::Between(a.min(c), b.max(d)),
            _ => Range::Anything,
        }
    }
}

/// The range of a term; that of all terms below is remembered for the round.
fn evaluate(
    pool: &Pool,
    term: TermId,
    of_var: &FxHashMap<VarId, Range>,
    known: &mut FxHashMap<TermId, Range>,
) -> Range {
    let mut open = vec![term];
    let mut without: Vec<TermId> = Vec::new();
    while let Some(at) = open.last().copied() {
        if known.contains_key(&at) {
            open.pop();
            continue;
        }
        let sort = pool.sort(at);
        let range = match pool.node(at) {
            Node::Const(value) => constant(value),
            Node::Var(var) => of_var.get(var).copied().unwrap_or(whole(sort)),
            Node::App { op, args } => {
                let n_open = open.len();
                open.extend(args.iter().copied().filter(|arg| !known.contains_key(arg)));
                if open.len() > n_open {
                    continue;
                }
                let args: Vec<(Range, Sort)> = args.iter().map(|arg| (known[arg], pool.sort(*arg))).collect();
                apply(*op, &args, sort)
            }
        };
        let range = if sort == Sort::Bool && range == Range::Nothing { whole(sort) } else { range };
        if range == Range::Nothing {
            without.push(at);
        }
        known.insert(at, range);
        open.pop();
    }
    let range = known[&term];
    // What has no values yet may get some within the same round.
    for term in &without {
        known.remove(term);
    }
    range
}

fn constant(value: &Value) -> Range {
    match value {
        Value::Bool(truth) => Range::Between(i128::from(*truth), i128::from(*truth)),
        Value::Bv(bits) if bits.width() <= 64 => match bits.to_u64() {
            Some(word) => {
                let unused = 64 - bits.width();
                let signed = i128::from(((word << unused) as i64) >> unused);
                Range::Between(signed, signed)
            }
            None => Range::Anything,
        },
        _ => Range::Anything,
    }
}

fn truth(is_sure: bool, is_never: bool) -> Range {
    Range::Between(i128::from(is_sure), i128::from(!is_never))
}

fn apply(op: Op, args: &[(Range, Sort)], sort: Sort) -> Range {
    let all = whole(sort);
    let fit = |low: i128, high: i128| match all {
        Range::Between(least, most) if least <= low && high <= most => Range::Between(low, high),
        _ => all,
    };
    match (op, args) {
        (Op::Ite, [(cond, _), (yes, _), (no, _)]) => match cond {
            Range::Between(1, 1) => *yes,
            Range::Between(0, 0) => *no,
            _ => yes.or(*no),
        },
        (Op::And | Op::Or, _) => {
            let stops = if op == Op::And { Range::Between(0, 0) } else { Range::Between(1, 1) };
            let other = if op == Op::And { Range::Between(1, 1) } else { Range::Between(0, 0) };
            match args.iter().any(|(arg, _)| *arg == stops) {
                true => stops,
                false if args.iter().all(|(arg, _)| *arg == other) => other,
                false => all,
            }
        }
        (Op::Add | Op::Sub | Op::Neg | Op::ZeroExtend(_) | Op::SignExtend(_) | Op::Extract { lo: 0, .. }, _)
            if args.iter().any(|(arg, _)| *arg == Range::Nothing) =>
        {
            Range::Nothing
        }
        (_, [(Range::Between(a, b), _)]) => match op {
            Op::Not => Range::Between(1 - b, 1 - a),
            Op::Neg => fit(-b, -a),
            Op::SignExtend(_) => fit(*a, *b),
            Op::ZeroExtend(_) if *a >= 0 => fit(*a, *b),
            Op::Extract { lo: 0, .. } => fit(*a, *b),
            _ => all,
        },
        (_, [(Range::Between(a, b), _), (Range::Between(c, d), _)]) => {
            let (a, b, c, d) = (*a, *b, *c, *d);
            let are_natural = a >= 0 && c >= 0;
            match op {
                Op::Add => fit(a + c, b + d),
                Op::Sub => fit(a - d, b - c),
                Op::Mul => {
                    let ends = [a * c, a * d, b * c, b * d];
                    fit(ends.into_iter().min().unwrap_or(0), ends.into_iter().max().unwrap_or(0))
                }
                Op::BvAnd if are_natural => fit(0, b.min(d)),
                Op::BvAnd if a >= 0 || c >= 0 => fit(0, if a >= 0 { b } else { d }),
                Op::Urem if are_natural && c > 0 => fit(0, b.min(d - 1)),
                Op::Srem if are_natural && c > 0 => fit(0, b.min(d - 1)),
                Op::Udiv | Op::Sdiv if are_natural && c > 0 => fit(a / d, b / c),
                Op::Eq => truth(a == b && c == d && a == c, b < c || d < a),
                Op::Slt => truth(b < c, a >= d),
                Op::Ult if are_natural => truth(b < c, a >= d),
                _ => all,
            }
        }
        _ => all,
    }
}
