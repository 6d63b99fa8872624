//! Where does an input go in its own procedure? Along copies, edge by edge, until nobody wants them any more.
//!
//! At each location a variable may hold the input plus one of a few constants; what is asked of it there is asked of the input. A variable that is written anew holds it
//! no longer. What goes to globals and to new threads leaves this procedure's order behind and is looked for everywhere.
//!
//! Invariant: whenever an execution comes to a statement with a variable that holds the input plus a constant by way of such copies, the walk has seen
//! the statement with that variable and that constant, or has called the input opaque.

use super::code::{bits_of, mask};
use super::inputs::{At, Comparison, Inputs, Uses, copies, scan};
use ir::{LocId, Op, Stmt};
use logic::{TermId, Value, VarId};
use rustc_hash::FxHashMap;

/// So many constants are told apart for one variable at one place.
const MOST_SHIFTS: usize = 16;

/// What is added to the input, by the variables that hold it.
type Held = FxHashMap<VarId, Vec<u64>>;

/// A condition on nothing but the input, right after it.
pub(super) struct Guard {
    term: TermId,
    held: Held,
}

impl Guard {
    /// Whether it holds for a value.
    pub(super) fn holds(&self, at: &At<'_>, word: u64) -> bool {
        let pool = &at.program.pool;
        let value = |var: VarId| {
            let by = self.held.get(&var).and_then(|shifts| shifts.first()).copied().unwrap_or(0);
            let sort = pool.var_sort(var);
            super::code::value_of(word.wrapping_add(by) & mask(bits_of(sort)), sort)
        };
        pool.evaluate(self.term, &value) == Value::Bool(true)
    }
}

struct Walk<'a> {
    inputs: &'a Inputs,
    at: &'a At<'a>,
    uses: Uses,
    /// Globals and arguments that it is copied to.
    elsewhere: Vec<(VarId, u64)>,
    guards: Vec<Guard>,
}

/// What is asked of the variable that the statement at a position of an edge sets, and the conditions on nothing but its value that come
/// before anything else that could end the execution.
pub(super) fn uses(inputs: &Inputs, at: &At<'_>, position: usize, var: VarId) -> (Uses, Vec<Guard>) {
    let mut walk = Walk { inputs, at, uses: Uses::default(), elsewhere: Vec::new(), guards: Vec::new() };
    let mut held: Held = [(var, vec![0])].into_iter().collect();
    walk.stmts(&at.edge.stmts[position + 1..], &mut held, true);
    walk.beyond(held);
    let Walk { mut uses, elsewhere, guards, .. } = walk;
    inputs.add_everywhere(at.program, elsewhere, &mut uses);
    (uses, guards)
}

impl Walk<'_> {
    /// Follows the variables from the end of the edge.
    fn beyond(&mut self, held: Held) {
        let proc = self.at.program.proc(self.at.proc);
        let out = proc.out_edges();
        let mut reached: FxHashMap<LocId, Held> = FxHashMap::default();
        let mut queue = Vec::new();
        self.enter(self.at.edge.to, held, &mut reached, &mut queue);
        while let Some(loc) = queue.pop() {
            for edge in &out[loc.index()] {
                if self.uses.is_opaque {
                    return;
                }
                let edge = &proc.edges[edge.index()];
                let mut held = reached[&loc].clone();
                self.stmts(&edge.stmts, &mut held, false);
                self.enter(edge.to, held, &mut reached, &mut queue);
            }
        }
    }

    /// Comes to a location with variables that hold the input.
    fn enter(&mut self, loc: LocId, held: Held, reached: &mut FxHashMap<LocId, Held>, queue: &mut Vec<LocId>) {
        let mut is_new = false;
        let known = reached.entry(loc).or_default();
        for (var, shifts) in held.into_iter().filter(|(var, _)| self.at.live.is_live(loc, *var)) {
            let all = known.entry(var).or_default();
            for shift in shifts {
                if !all.contains(&shift) {
                    all.push(shift);
                    is_new = true;
                }
            }
            self.uses.is_opaque |= all.len() > MOST_SHIFTS;
        }
        if is_new {
            queue.push(loc);
        }
    }

    /// Follows some statements in order.
    fn stmts(&mut self, stmts: &[Stmt], held: &mut Held, is_first: bool) {
        let program = self.at.program;
        let mut only_pure = is_first;
        for stmt in stmts {
            let mut copied = Vec::new();
            for (source, copy, by) in copies(program, &stmt.op) {
                let cut = mask(bits_of(program.pool.var_sort(source)));
                let shifts = held.get(&source).into_iter().flatten().map(|shift| shift.wrapping_add(by) & cut);
                copied.extend(shifts.map(|shift| (copy, shift)));
            }
            let is_result = matches!(stmt.op, Op::Return(_) | Op::ExitThread(_)) && !self.inputs.results_matter;
            if copied.is_empty() && !is_result {
                for term in ir::access::terms(&stmt.op) {
                    let is_guard = self.term(term, held) && only_pure && matches!(stmt.op, Op::Assume(_));
                    if is_guard {
                        self.guards.push(Guard { term, held: held.clone() });
                    }
                }
            }
            only_pure &= matches!(stmt.op, Op::Assign { .. } | Op::Assume(_) | Op::Havoc { .. } | Op::Mark(..));
            if let Some(written) = ir::access::local_written(&stmt.op) {
                held.remove(&written);
            }
            for (copy, shift) in copied {
                if matches!(stmt.op, Op::Assign { .. }) {
                    held.entry(copy).or_default().push(shift);
                } else {
                    self.elsewhere.push((copy, shift));
                }
            }
        }
    }

    /// Notes what a term asks; says whether it is about nothing but the input.
    fn term(&mut self, term: TermId, held: &Held) -> bool {
        let pool = &self.at.program.pool;
        let mut is_opaque = false;
        let mut found: Vec<Comparison> = Vec::new();
        scan(pool, term, &mut |var, comparison| {
            if let Some(shifts) = held.get(&var) {
                match comparison {
                    Some(term) => found.extend(shifts.iter().map(|shift| (term, *shift))),
                    None => is_opaque = true,
                }
            }
        });
        self.uses.is_opaque |= is_opaque;
        for comparison in found {
            if !self.uses.comparisons.contains(&comparison) {
                self.uses.comparisons.push(comparison);
            }
        }
        !is_opaque && pool.free_vars(term).ones().all(|index| held.contains_key(&VarId(index as u32)))
    }
}
