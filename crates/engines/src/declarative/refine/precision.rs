//! What is known from now on? What was learnt, as far as the domain can know it, or else what dependences tell.

use super::Lesson;
use super::dependences::{Reach, conditions, needed, reached_by};
use crate::abstraction::interpolants::atoms;
use crate::declarative::facts::is_own;
use crate::declarative::steps::Steps;
use ir::{ProcId, Scope, Stmt};
use logic::{TermId, VarId};

/// What abstract states know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::declarative) enum Domain {
    /// Values.
    Explicit,
    /// Predicates.
    Predicates,
}

/// How the precision grows.
pub(in crate::declarative) struct Refinement {
    pub(in crate::declarative) domain: Domain,
    /// How far dependences were followed.
    pub(in crate::declarative) reach: Option<Reach>,
}

impl Refinement {
    pub(in crate::declarative) fn new(domain: Domain) -> Refinement {
        Refinement { domain, reach: None }
    }

    /// Whether everything is tracked.
    pub(in crate::declarative) fn is_last(&self) -> bool {
        self.reach == Some(Reach::All)
    }

    /// Knows what was learnt; whether that is more than before. What values taught comes first, then what the model did.
    pub(in crate::declarative) fn take(&self, steps: &mut Steps<'_>, lesson: &Lesson) -> bool {
        let by_values = match self.domain {
            Domain::Explicit => track(steps, lesson.vars.iter().chain(&lesson.shared)),
            Domain::Predicates => {
                let is_more = ask_all(steps, &lesson.predicates);
                track(steps, &lesson.shared) || is_more || ask_all(steps, &lesson.wholes)
            }
        };
        if by_values || !track(steps, &lesson.related) {
            return by_values;
        }
        // What is read there counts by what becomes of it.
        let reached = reached_by(steps.program, &lesson.related);
        match self.domain {
            Domain::Explicit => {
                track(steps, &reached);
            }
            Domain::Predicates => ask_conditions(steps, &|vars| vars.iter().any(|var| reached.contains(var))),
        }
        true
    }

    /// Follows dependences of a check of a procedure one step further; false if there is no further.
    pub(in crate::declarative) fn follow(&mut self, steps: &mut Steps<'_>, proc: ProcId, check: &Stmt) -> bool {
        let reach = match (self.reach, self.domain) {
            (None, Domain::Explicit) => Reach::Values,
            (None, Domain::Predicates) | (Some(Reach::Values), _) => Reach::Branches,
            (Some(Reach::Branches), _) => Reach::All,
            (Some(Reach::All), _) => return false,
        };
        self.reach = Some(reach);
        let program = steps.program;
        if self.domain == Domain::Predicates && reach == Reach::Branches {
            let shared =
                (0..program.vars.len() as u32).map(VarId).filter(|var| program.var(*var).scope == Scope::Global);
            steps.tracked.extend(shared);
            ask_conditions(steps, &|_| true);
        } else {
            steps.tracked.extend(needed(program, proc, check, reach));
        }
        true
    }
}

/// Asks for the conditions of the program over variables of a kind.
fn ask_conditions(steps: &mut Steps<'_>, is_wanted: &dyn Fn(&[VarId]) -> bool) {
    let program = steps.program;
    for (proc, cond) in conditions(program) {
        for atom in atoms(&steps.cells, cond) {
            let vars = steps.cells.vars_in(atom);
            if is_wanted(&vars) && vars.iter().all(|var| is_own(program, proc, *var)) {
                ask(steps, atom);
            }
        }
    }
}

fn track<'v>(steps: &mut Steps<'_>, vars: impl IntoIterator<Item = &'v VarId>) -> bool {
    let before = steps.tracked.len();
    steps.tracked.extend(vars);
    steps.tracked.len() > before
}

fn ask_all<'t>(steps: &mut Steps<'_>, predicates: impl IntoIterator<Item = &'t TermId>) -> bool {
    let before = steps.predicates.len();
    predicates.into_iter().for_each(|predicate| ask(steps, *predicate));
    steps.predicates.len() > before
}

fn ask(steps: &mut Steps<'_>, predicate: TermId) {
    let negation = steps.cells.pool.not(predicate);
    let vars = steps.cells.vars_in(predicate);
    if !steps.predicates.contains(predicate) && !steps.predicates.contains(negation) && !vars.is_empty() {
        steps.predicates.add(predicate, &vars, steps.program);
    }
}
