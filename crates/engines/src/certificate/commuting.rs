//! Do two steps that touch the same commute in the states of a node? For the checker alone.
//!
//! Known as: conditional independence \[Godefroid96].
//!
//! A step of one thread and then one of another may be exchanged where the second one can be taken first, the first one after it, and the values that anybody may still read are the
//! same then. If the second one goes wrong it has to go wrong when it comes first, and if it ends the process it need only be possible then. Steps that wait, start threads or leave a section open are
//! not exchanged.

use super::step::{Effect, Step};
use super::{Checker, Halt};
use ir::pass::Liveness;
use ir::{CellName, CertificateNode, EdgeId, EdgeRef, SiteId};
use logic::{TermId, VarId};
use rustc_hash::FxHashMap;

impl Checker<'_> {
    /// Whether one edge, and then one of another thread, may be exchanged in all states of a node, perhaps for others between the same locations.
    pub(super) fn commute(
        &mut self,
        node: &CertificateNode,
        (mover, first): (u32, EdgeRef),
        (other, second): (u32, EdgeRef),
    ) -> Result<bool, Halt> {
        let one = self.step(node, mover, first)?;
        let two = self.step(node, other, second)?;
        if !self.is_plain(&one) || !self.is_plain(&two) || ends_process(&one) {
            return Ok(false);
        }
        let forth = self.after_both(&one, &two);
        let mut ways = self.pool.bool(false);
        for theirs in self.between_the_same(second) {
            let theirs = self.step_with_inputs_of(&two, node, (other, theirs))?;
            if !self.is_plain(&theirs) || !ends_alike(&theirs, &two) {
                continue;
            }
            if ends_process(&theirs) {
                ways = self.pool.or(ways, theirs.taken);
                continue;
            }
            for ours in self.between_the_same(first) {
                let ours = self.step_with_inputs_of(&one, node, (mover, ours))?;
                if self.is_plain(&ours) && ends_alike(&ours, &one) {
                    let back = self.after_both(&theirs, &ours);
                    let same = self.is_same(&forth, &back, &[(mover, first), (other, second)]);
                    ways = self.pool.or(ways, same);
                }
            }
        }
        let pool = &mut self.pool;
        let none = pool.not(ways);
        let disturbed = pool.and(forth.can, none);
        let ours: FxHashMap<VarId, TermId> = one.values.iter().copied().collect();
        let later = pool.substitute(two.goes_wrong, &|var| ours.get(&var).copied());
        let not_before = pool.not(two.goes_wrong);
        let only_later = pool.and(later, not_before);
        let either = pool.or(disturbed, only_later);
        let here = pool.and(node.formula, one.taken);
        let question = pool.and(here, either);
        self.obligations += 1;
        match self.oracle.is_sat(&self.pool, question) {
            Ok(is_disturbed) => Ok(!is_disturbed),
            Err(why) => Err(Halt::Beyond(why.to_string())),
        }
    }

    /// A step that is given the inputs of another one, where it asks for them at the same statements.
    fn step_with_inputs_of(
        &mut self,
        other: &Step,
        node: &CertificateNode,
        (thread, edge): (u32, EdgeRef),
    ) -> Result<Step, Halt> {
        let mut step = self.step(node, thread, edge)?;
        let mut given: FxHashMap<VarId, TermId> = FxHashMap::default();
        let mut left = other.inputs.clone();
        for (site, input) in &step.inputs {
            let sort = self.pool.var_sort(*input);
            let fits = |(known, var): &(SiteId, VarId)| known == site && self.pool.var_sort(*var) == sort;
            if let Some(at) = left.iter().position(fits) {
                let (_, var) = left.remove(at);
                given.insert(*input, self.pool.var(var));
            }
        }
        let pool = &mut self.pool;
        let mut give = |term: &mut TermId| *term = pool.substitute(*term, &|var| given.get(&var).copied());
        [&mut step.taken, &mut step.waits, &mut step.goes_wrong].into_iter().for_each(&mut give);
        step.values.iter_mut().for_each(|(_, value)| give(value));
        Ok(step)
    }

    /// The edges between the locations of an edge.
    fn between_the_same(&self, edge: EdgeRef) -> Vec<EdgeRef> {
        let own = self.program.edge(edge);
        let edges = self.program.proc(edge.proc).edges.iter().enumerate();
        let alike = edges.filter(|(_, other)| (other.from, other.to) == (own.from, own.to));
        alike.map(|(index, _)| EdgeRef { proc: edge.proc, edge: EdgeId(index as u32) }).collect()
    }

    /// Whether a step only changes values, perhaps inside of a section of its own, and perhaps ends something.
    fn is_plain(&self, step: &Step) -> bool {
        let never_waits = self.pool.as_const(step.waits).is_some_and(|value| !value.as_bool());
        let starts = step.effects.iter().any(|effect| matches!(effect, Effect::Starts(_)));
        never_waits && !starts && !stays_inside(step)
    }

    /// Two steps, one after the other.
    fn after_both(&mut self, first: &Step, then: &Step) -> Both {
        let ours: FxHashMap<VarId, TermId> = first.values.iter().copied().collect();
        let can_then = self.pool.substitute(then.taken, &|var| ours.get(&var).copied());
        let mut values = ours.clone();
        for (var, value) in &then.values {
            let value = self.pool.substitute(*value, &|var| ours.get(&var).copied());
            values.insert(*var, value);
        }
        Both { can: self.pool.and(first.taken, can_then), values }
    }

    /// That steps can be taken, and what anybody may still read is what it is after others.
    fn is_same(&mut self, one: &Both, other: &Both, edges: &[(u32, EdgeRef)]) -> TermId {
        let mut vars: Vec<VarId> = one.values.keys().chain(other.values.keys()).copied().collect();
        vars.sort_unstable();
        vars.dedup();
        let mut same = other.can;
        for var in vars {
            if let Some(CellName::Own(thread, own)) = self.names.get(&var) {
                let (thread, own) = (*thread, *own);
                let is_live = |(runs, edge): &(u32, EdgeRef)| *runs == thread && self.is_read_after(*edge, own);
                if !edges.iter().any(is_live) {
                    continue;
                }
            }
            let old = self.pool.var(var);
            let [one, other] = [one, other].map(|both| both.values.get(&var).copied().unwrap_or(old));
            let is_same = self.pool.eq(one, other);
            same = self.pool.and(same, is_same);
        }
        same
    }

    /// Whether a thread may read a variable of its own after an edge, before it writes it.
    fn is_read_after(&self, edge: EdgeRef, var: VarId) -> bool {
        let mut known = self.liveness.borrow_mut();
        let own = || Liveness::new(self.program, self.program.proc(edge.proc), true);
        known.entry(edge.proc).or_insert_with(own).is_live(self.program.edge(edge).to, var)
    }
}

/// What two steps do, one after the other.
struct Both {
    can: TermId,
    values: FxHashMap<VarId, TermId>,
}

/// Whether two steps both end their thread or do not, and so for the process.
fn ends_alike(one: &Step, other: &Step) -> bool {
    let ends_thread = |step: &Step| step.effects.iter().any(|effect| matches!(effect, Effect::ThreadEnds));
    ends_process(one) == ends_process(other) && ends_thread(one) == ends_thread(other)
}

/// Whether a step ends the process.
fn ends_process(step: &Step) -> bool {
    step.effects.iter().any(|effect| matches!(effect, Effect::ProcessEnds))
}

/// Whether a step that begins outside of atomic sections ends inside of one.
fn stays_inside(step: &Step) -> bool {
    let depth = step.effects.iter().fold(0, |depth, effect| match effect {
        Effect::Enter => depth + 1,
        Effect::Leave => depth - 1,
        Effect::ThreadEnds | Effect::ProcessEnds => 0,
        Effect::Starts(_) => depth,
    });
    depth != 0
}
