//! Where is the first thread alone? Before it starts others, and after it has waited for the end of all that it started.
//!
//! Known as: may-happen-in-parallel analysis, for the first thread against all others.
//!
//! A walk over `main` collects which starts may have been made and not been waited for, and which variables hold whose handle. A start that is made again before it was waited for is
//! never known to be over; neither is any where others than `main` start threads, or where stores may still be on their way when a thread has ended.
//!
//! Invariant: when a thread is at a statement that is called alone, every other thread has ended or has not been started.

use crate::Model;
use crate::access::local_written;
use crate::pass::analysis::graph::reverse_post_order;
use crate::program::{Edge, ProcId, Program};
use crate::stmt::{Op, SiteId, Stmt};
use logic::{TermId, VarId};
use rustc_hash::FxHashMap;

/// Where the first thread is alone.
#[derive(Clone, Debug)]
pub(super) struct Alone {
    main: ProcId,
    /// Whether waiting for the end of a thread tells that it is over.
    joins_count: bool,
    /// What is known at each location of `main`; none where nobody comes.
    states: Vec<Option<State>>,
    /// The variables that terms are which assignments copy and joins wait for.
    vars: FxHashMap<TermId, VarId>,
}

/// Tells starts apart: copies of one statement write their handles to variables of their own.
type StartId = (SiteId, VarId);

/// Threads that may run, and handles.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct State {
    /// The starts that were not waited for, with whether they may have been made more than once.
    running: FxHashMap<StartId, bool>,
    /// The start whose latest thread a variable holds the handle of.
    handles: FxHashMap<VarId, StartId>,
}

impl Alone {
    /// Analyses a program whose procedures are threads.
    pub(super) fn new(program: &Program, main_is_single: bool) -> Alone {
        let is_start = |stmt: &Stmt| matches!(stmt.op, Op::Start { .. } | Op::Call { .. });
        let others = program.procs.iter().enumerate().filter(|(index, _)| *index != program.main.index());
        let others_start = others.flat_map(|(_, proc)| &proc.edges).flat_map(|edge| &edge.stmts).any(is_start);
        let main = program.proc(program.main);
        let joins_count = !others_start && program.model == Model::Sc && program.commits.is_empty();
        let terms = main.edges.iter().flat_map(|edge| &edge.stmts).filter_map(|stmt| match &stmt.op {
            Op::Assign { value, .. } => Some(*value),
            Op::Join { thread, .. } => Some(*thread),
            _ => None,
        });
        let vars = terms.filter_map(|term| Some((term, program.pool.as_var(term)?))).collect();
        let mut alone = Alone { main: program.main, joins_count, states: vec![None; main.locs.len()], vars };
        if !main_is_single {
            return alone;
        }
        alone.states[main.entry.index()] = Some(State::default());
        let out = main.out_edges();
        let order = reverse_post_order(main, &out);
        loop {
            let mut has_changed = false;
            for loc in &order {
                let Some(before) = alone.states[loc.index()].clone() else { continue };
                for edge in &out[loc.index()] {
                    let edge = &main.edges[edge.index()];
                    let mut state = before.clone();
                    edge.stmts.iter().for_each(|stmt| alone.run(stmt, &mut state));
                    has_changed |= join(&mut alone.states[edge.to.index()], state);
                }
            }
            if !has_changed {
                return alone;
            }
        }
    }

    /// What a statement changes.
    fn run(&self, stmt: &Stmt, state: &mut State) {
        let copied = match &stmt.op {
            Op::Assign { value, .. } => self.vars.get(value).and_then(|var| state.handles.get(var).copied()),
            _ => None,
        };
        if let Op::Join { thread, .. } = &stmt.op
            && self.joins_count
            && let Some(start) = self.vars.get(thread).and_then(|var| state.handles.get(var))
            && state.running.get(start) == Some(&false)
        {
            state.running.remove(start);
        }
        if let Some(var) = local_written(&stmt.op) {
            state.handles.remove(&var);
        }
        match &stmt.op {
            Op::Assign { var, .. } => state.handles.extend(copied.map(|start| (*var, start))),
            Op::Start { dst, .. } => {
                let start = (stmt.site, *dst);
                state.handles.retain(|_, other| *other != start);
                state.handles.insert(*dst, start);
                state.running.entry(start).and_modify(|is_many| *is_many = true).or_insert(false);
            }
            _ => {}
        }
    }

    /// For each statement of an edge, whether no other thread runs when it is reached.
    pub(super) fn of_edge(&self, proc: ProcId, edge: &Edge) -> Vec<bool> {
        let state = if proc == self.main { self.states[edge.from.index()].clone() } else { None };
        let Some(mut state) = state else { return vec![false; edge.stmts.len()] };
        let mut found = Vec::with_capacity(edge.stmts.len());
        for stmt in &edge.stmts {
            found.push(state.running.is_empty());
            self.run(stmt, &mut state);
        }
        found
    }
}

/// Adds what is known on another way; whether that changes anything.
fn join(known: &mut Option<State>, other: State) -> bool {
    let Some(known) = known else {
        *known = Some(other);
        return true;
    };
    let before = known.clone();
    for (start, is_many) in other.running {
        *known.running.entry(start).or_insert(false) |= is_many;
    }
    known.handles.retain(|var, start| other.handles.get(var) == Some(start));
    *known != before
}

#[cfg(test)]
mod tests {
    use super::super::{Sharing, Visibility};
    use crate::Model;
    use crate::build::{Body, Builder};
    use crate::program::{ProcId, Program};
    use crate::stmt::Op;
    use logic::VarId;

    /// A worker stores to x; `main` starts it, does something, and loads x.
    fn program(between: impl FnOnce(&mut Body<'_>, ProcId, VarId)) -> Program {
        let mut b = Builder::new();
        let x = b.global("x", 0);
        let worker = b.define("worker", |f| {
            let one = f.int(1);
            f.store(x, one);
        });
        let main = b.define("main", |f| {
            let (handle, seen) = (f.pointer("handle"), f.local("seen"));
            f.start(handle, worker, &[]);
            between(f, worker, handle);
            f.load(seen, x);
        });
        b.finish(main)
    }

    /// What others notice of the store and of the load.
    fn seen(program: &Program) -> [Visibility; 2] {
        let sharing = Sharing::new(program);
        let mut found = [Visibility::Sync; 2];
        for (index, proc) in program.procs.iter().enumerate() {
            for edge in &proc.edges {
                let all = sharing.of_edge(ProcId(index as u32), edge);
                for (stmt, visibility) in edge.stmts.iter().zip(all) {
                    match stmt.op {
                        Op::Store { .. } => found[0] = visibility,
                        Op::Load { .. } => found[1] = visibility,
                        _ => {}
                    }
                }
            }
        }
        found
    }

    const TOGETHER: [Visibility; 2] = [Visibility::Write, Visibility::Read];
    const ALONE: [Visibility; 2] = [Visibility::Invisible; 2];

    #[test]
    fn who_has_joined_all_is_alone() {
        assert_eq!(seen(&program(|f, _, handle| f.join(handle))), ALONE);
        assert_eq!(seen(&program(|_, _, _| {})), TOGETHER);
    }

    #[test]
    fn a_copy_of_the_handle_is_as_good_and_another_value_is_not() {
        let copied = program(|f, _, handle| {
            let copy = f.pointer("copy");
            let value = f.var(handle);
            f.then(Op::Assign { var: copy, value });
            let zero = f.word(0);
            f.then(Op::Assign { var: handle, value: zero });
            f.join(copy);
        });
        assert_eq!(seen(&copied), ALONE);
        let lost = program(|f, _, handle| {
            let zero = f.word(0);
            f.then(Op::Assign { var: handle, value: zero });
            f.join(handle);
        });
        assert_eq!(seen(&lost), TOGETHER);
    }

    #[test]
    fn another_thread_that_is_not_joined_still_runs() {
        let two = program(|f, worker, handle| {
            let other = f.pointer("other");
            f.start(other, worker, &[]);
            f.join(handle);
        });
        assert_eq!(seen(&two), TOGETHER);
        let again = program(|f, worker, handle| {
            f.start(handle, worker, &[]);
            f.join(handle);
        });
        assert_eq!(seen(&again), TOGETHER);
    }

    #[test]
    fn stores_may_be_on_their_way_when_a_thread_has_ended() {
        let mut joined = program(|f, _, handle| f.join(handle));
        joined.model = Model::Tso;
        assert_eq!(seen(&joined), TOGETHER);
    }
}
