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
use ir::{CellName, CertificateNode, EdgeRef};
use logic::{Pool, TermId, VarId};
use rustc_hash::FxHashMap;

impl Checker<'_> {
    /// Whether one edge, and then one of another thread, may be exchanged in all states of a node.
    pub(super) fn commute(
        &mut self,
        node: &CertificateNode,
        (mover, first): (u32, EdgeRef),
        (other, second): (u32, EdgeRef),
    ) -> Result<bool, Halt> {
        let one = self.step(node, mover, first)?;
        let two = self.step(node, other, second)?;
        let ends = two.effects.iter().any(|effect| matches!(effect, Effect::ProcessEnds));
        let may_end = |step: &Step, is_second: bool| {
            step.effects.iter().all(|effect| match effect {
                Effect::Enter | Effect::Leave | Effect::ThreadEnds => true,
                Effect::ProcessEnds => is_second,
                Effect::Starts(_) => false,
            })
        };
        let never = |pool: &Pool, term: TermId| pool.as_const(term).is_some_and(|value| !value.as_bool());
        let waits = !never(&self.pool, one.waits) || !never(&self.pool, two.waits);
        if waits || !may_end(&one, false) || !may_end(&two, true) || stays_inside(&one) || !ends && stays_inside(&two) {
            return Ok(false);
        }
        let ours: FxHashMap<VarId, TermId> = one.values.iter().copied().collect();
        let theirs: FxHashMap<VarId, TermId> = two.values.iter().copied().collect();
        let pool = &mut self.pool;
        let after = |pool: &mut Pool, written: &FxHashMap<VarId, TermId>, term: TermId| {
            pool.substitute(term, &|var| written.get(&var).copied())
        };
        let mut same = two.taken;
        if !ends {
            let then = after(pool, &theirs, one.taken);
            same = pool.and(same, then);
            let mut written: Vec<VarId> = ours.keys().chain(theirs.keys()).copied().collect();
            written.sort_unstable();
            written.dedup();
            for var in written {
                if let Some(CellName::Own(thread, own)) = self.names.get(&var) {
                    let edge = if *thread == mover { first } else { second };
                    let proc = self.program.proc(edge.proc);
                    let liveness = Liveness::new(self.program, proc, true);
                    if !liveness.is_live(self.program.edge(edge).to, *own) {
                        continue;
                    }
                }
                let old = pool.var(var);
                let last = theirs.get(&var).copied().unwrap_or(old);
                let forth = after(pool, &ours, last);
                let last = ours.get(&var).copied().unwrap_or(old);
                let back = after(pool, &theirs, last);
                let is_same = pool.eq(forth, back);
                same = pool.and(same, is_same);
            }
        }
        let follows = after(pool, &ours, two.taken);
        let differs = pool.not(same);
        let disturbed = pool.and(follows, differs);
        let (later, not_before) = (after(pool, &ours, two.goes_wrong), pool.not(two.goes_wrong));
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
