//! Is there an execution that satisfies a condition? The two procedures, and the way from weak to full sequential consistency.
//!
//! `theory`: the solver asks the theory during its search. `basic`: the solver finds an assignment, the theory looks at it
//! afterwards, and what it objects to becomes a clause (Yin et al.). Either way the result is weakly sequentially consistent. Then a
//! total order is looked for; if that fails, the order of writes becomes literals and the search goes on. So what is returned has happened
//! in some order of all its events.

use super::encoding::Encoding;
use crate::bmc::unrolled::Unrolled;
use logic::{Node, Pool, TermId, Value};
use memory::order::linearise;
use rustc_hash::FxHashMap;
use smt::{Assignment, Decision, Lit};

/// An execution: values, and all nodes one after the other.
pub(crate) struct Found {
    pub(crate) values: Values,
    pub(crate) order: Vec<u32>,
}

/// What came of a question.
pub(crate) enum Solved {
    /// An execution.
    Found(Box<Found>),
    /// There is none.
    Nothing,
    /// It takes longer than it may.
    Paused,
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    /// Clauses that `basic` added.
    pub(crate) refinements: u64,
    /// Checks of the solver.
    pub(crate) checks: u64,
    /// Whether the order of writes was needed.
    pub(crate) ordered_writes: u64,
    /// Parts that several threads looked at, and clauses that they told each other.
    pub(crate) cubes: u64,
    pub(crate) clauses_told: u64,
}

impl Effort {
    /// The effort of several.
    pub(crate) fn add(&mut self, other: Effort) {
        self.refinements += other.refinements;
        self.checks += other.checks;
        self.ordered_writes += other.ordered_writes;
        self.cubes += other.cubes;
        self.clauses_told += other.clauses_told;
    }
}

/// Looks for an execution that satisfies a condition and these literals, for so many conflicts at a time.
pub(crate) fn solve(
    encoding: &mut Encoding,
    unrolled: &mut Unrolled,
    (goal, cube): (TermId, &[Lit]),
    conflicts: u32,
    effort: &mut Effort,
) -> Result<Solved, smt::Why> {
    loop {
        effort.checks += 1;
        match encoding.bits.decide_within(&unrolled.pool, goal, cube, conflicts) {
            None => return Ok(Solved::Paused),
            Some(Decision::Unsat) => return Ok(Solved::Nothing),
            Some(Decision::Unknown(why)) => return Err(why),
            Some(Decision::Sat) => {}
        }
        let assignment = encoding.bits.assignment(&unrolled.pool);
        let values = Values::new(assignment);
        let (order, clauses) = encoding.judge_assignment();
        if clauses.is_empty() {
            if let Some(order) = linearise(order) {
                return Ok(Solved::Found(Box::new(Found { values, order })));
            }
        } else {
            for clause in clauses {
                let together: Vec<Lit> = clause.into_iter().map(|lit| !lit).collect();
                encoding.forbid(&together);
                effort.refinements += 1;
            }
            continue;
        }
        effort.ordered_writes += 1;
        if !encoding.order_writes(unrolled)? {
            return Err(smt::Why::Incomplete("writes that are ordered could not be put one after the other".into()));
        }
    }
}

/// The values of terms in an assignment, each computed once.
pub(crate) struct Values {
    assignment: Assignment,
    known: FxHashMap<TermId, Value>,
}

impl Values {
    pub(crate) fn new(assignment: Assignment) -> Values {
        Values { assignment, known: FxHashMap::default() }
    }

    /// The value of a term.
    pub(crate) fn of(&mut self, pool: &Pool, term: TermId) -> Value {
        let mut open = vec![term];
        while let Some(at) = open.last().copied() {
            if self.known.contains_key(&at) {
                open.pop();
                continue;
            }
            let value = match pool.node(at) {
                Node::Const(value) => value.clone(),
                Node::Var(var) => self.assignment.value(pool, *var),
                Node::App { op, args } => {
                    let missing: Vec<TermId> =
                        args.iter().copied().filter(|arg| !self.known.contains_key(arg)).collect();
                    if !missing.is_empty() {
                        open.extend(missing);
                        continue;
                    }
                    op.eval(args.iter().map(|arg| self.known[arg].clone()).collect())
                }
            };
            self.known.insert(at, value);
            open.pop();
        }
        self.known[&term].clone()
    }

    /// Whether a formula holds.
    pub(crate) fn holds(&mut self, pool: &Pool, term: TermId) -> bool {
        self.of(pool, term).as_bool()
    }
}
