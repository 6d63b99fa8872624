//! Which threads are there, and which of them can run at the same time?
//!
//! A context is the first thread, or all threads of one statement that starts them. The contexts form a tree as long as each procedure that starts threads
//! is itself started in one place; where it is not, everything is taken to run beside everything.

use super::flow::World;
use super::places::Root;
use super::sites::starts;
use super::spots::Spot;
use super::state::{Number, State};
use ir::ProcId;
use ir::pass::Sharing;
use logic::{TermId, VarId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What a thread is started with.
#[derive(Clone, Debug)]
pub(super) struct Given {
    /// The creator.
    pub(super) by: ProcId,
    /// The arguments, over roots of the creator.
    pub(super) args: Vec<TermId>,
    pub(super) roots: BTreeMap<VarId, Root>,
    /// What the creator knows then.
    pub(super) before: State,
    /// The cycle that it stands in.
    pub(super) cycle: Option<u32>,
}

pub(super) struct Context {
    pub(super) proc: ProcId,
    /// Where it is started; not the first thread.
    pub(super) spot: Option<Spot>,
    parent: Option<usize>,
    /// Whether two such threads can run at the same time.
    is_many: bool,
}

pub(super) struct Contexts {
    pub(super) all: Vec<Context>,
    is_tree: bool,
}

impl Contexts {
    pub(super) fn new(world: &World<'_>, sharing: &Sharing, given: &FxHashMap<Spot, Given>) -> Contexts {
        let main = Context { proc: world.program.main, spot: None, parent: None, is_many: false };
        let mut all = vec![main];
        let mut is_tree = sharing.is_single(world.program.main);
        // A statement that no execution reaches starts nobody.
        let starts: Vec<_> = starts(world).into_iter().filter(|(spot, _, _)| given.contains_key(spot)).collect();
        let mut next = 0;
        while next < all.len() && is_tree {
            let proc = all[next].proc;
            for (spot, by, callee) in starts.iter().filter(|(_, by, _)| *by == proc) {
                if all.iter().any(|context| context.spot == Some(*spot)) {
                    is_tree = false;
                }
                let again = given[spot].before.running.contains_key(spot);
                let is_many = again || all[next].is_many || !sharing.is_single(*by);
                all.push(Context { proc: *callee, spot: Some(*spot), parent: Some(next), is_many });
            }
            next += 1;
        }
        if !is_tree {
            for (spot, _, callee) in &starts {
                if !all.iter().any(|context| context.spot == Some(*spot)) {
                    all.push(Context { proc: *callee, spot: Some(*spot), parent: None, is_many: true });
                }
            }
        }
        Contexts { all, is_tree }
    }

    /// From the first thread down to this one.
    fn path(&self, context: usize) -> Vec<usize> {
        let mut path = vec![context];
        while let Some(parent) = self.all[path[path.len() - 1]].parent {
            path.push(parent);
        }
        path.reverse();
        path
    }

    /// Whether a thread of one context can be somewhere while one of the other, not the same thread, is somewhere; it is known who may be running then.
    pub(super) fn parallel(
        &self,
        a: (usize, &BTreeMap<Spot, Number>),
        b: (usize, &BTreeMap<Spot, Number>),
        given: &FxHashMap<Spot, Given>,
    ) -> bool {
        if !self.is_tree {
            return true;
        }
        if a.0 == b.0 {
            return self.all[a.0].is_many;
        }
        let (first, second) = (self.path(a.0), self.path(b.0));
        let common = first.iter().zip(&second).take_while(|(x, y)| x == y).count();
        if self.all[first[common - 1]].is_many {
            return true;
        }
        let runs = |running: &BTreeMap<Spot, Number>, context: usize| {
            self.all[context].spot.is_some_and(|spot| running.contains_key(&spot))
        };
        let before = |context: usize| self.all[context].spot.map(|spot| &given[&spot].before.running);
        match (first.get(common), second.get(common)) {
            (None, _) => runs(a.1, b.0),
            (_, None) => runs(b.1, a.0),
            (Some(x), Some(y)) => {
                before(*y).is_none_or(|running| runs(running, a.0))
                    || before(*x).is_none_or(|running| runs(running, b.0))
            }
        }
    }

    /// Whether one started the other, and was there only once.
    pub(super) fn is_creator(&self, creator: usize, thread: usize) -> bool {
        self.is_tree && self.all[thread].parent == Some(creator) && !self.all[creator].is_many
    }

    /// Whether the creator of the context was there only once.
    pub(super) fn has_one_creator(&self, context: usize) -> bool {
        self.is_tree && self.all[context].parent.is_some_and(|parent| !self.all[parent].is_many)
    }
}
