//! How does a trace come from an assignment? Each thread's steps whose guards hold, interleaved as the nodes are ordered.
//!
//! A step without accesses is taken just before the thread's next step that has some. Once a thread is in an atomic section it goes on until
//! it leaves it. Threads are numbered as they are started. Where stores are buffered, one reaches memory when its node comes.

use super::data_races::Pair;
use super::goals::Goals;
use super::search::Found;
use crate::bmc::unrolled::{BadKind, Record, Unrolled};
use ir::pass::{spell_race, spell_trace};
use ir::{Commit, EdgeRef, Program, Property, Step, Task, Trace};
use logic::Pool;
use memory::events::Kind;
use rustc_hash::FxHashMap;

/// The trace of what was found, in steps of the lowered program. `None` if it cannot be told: a thread that takes part in a race is not started.
pub(crate) fn trace(
    task: &Task,
    prepared: &Program,
    unrolled: &Unrolled,
    (goals, races): (&Goals, &[Pair]),
    found: &mut Found,
) -> Option<Trace> {
    let pool = &unrolled.pool;
    // What stops a section comes first: nothing else that is bad does, and it may come too late.
    let stopped = races.iter().find(|pair| pair.is_inside && found.values.holds(pool, pair.cond));
    if let Some(pair) = stopped {
        return tell_race(task, prepared, unrolled, pair, found);
    }
    let mut violated: Vec<_> = unrolled.bads.iter().filter(|bad| matches!(bad.what, BadKind::Violation(_))).collect();
    violated.retain(|bad| found.values.holds(pool, bad.guard));
    let bad = violated.iter().find(|bad| bad.stop.is_some()).or(violated.first());
    if let Some(bad) = bad {
        let BadKind::Violation(violation) = bad.what else { unreachable!("only violations were looked at") };
        let goal = Goal::Step { thread: bad.thread, record: bad.record };
        let told = steps(unrolled, found, goal);
        let trace = Trace { commits: told.commits, ..Trace::new(violation, told.steps) };
        return Some(spell_trace(&task.program, prepared, &trace));
    }
    if found.values.holds(pool, goals.deadlock) {
        let told = steps(unrolled, found, Goal::Everything);
        let trace = Trace { commits: told.commits, ..Trace::new(Property::Deadlock, told.steps) };
        return Some(spell_trace(&task.program, prepared, &trace));
    }
    let pair = races.iter().find(|pair| found.values.holds(pool, pair.cond)).expect("something is violated");
    tell_race(task, prepared, unrolled, pair, found)
}

fn tell_race(task: &Task, prepared: &Program, unrolled: &Unrolled, pair: &Pair, found: &mut Found) -> Option<Trace> {
    let [first, second] = pair.accesses.map(|access| &unrolled.accesses[access]);
    if pair.is_late {
        let told = steps(unrolled, found, Goal::Step { thread: second.thread, record: second.record });
        let trace = Trace { commits: told.commits, ..Trace::new(Property::Race, told.steps) };
        return Some(spell_trace(&task.program, prepared, &trace));
    }
    let ends = [(first.thread, first.record), (second.thread, second.record)];
    let told = steps(unrolled, found, Goal::Pair { ends, node: pair.node });
    let [one, other] = told.next?;
    let next = [(one, first.stmt as usize), (other, second.stmt as usize)];
    Some(spell_race(&task.program, prepared, &told.steps, &next))
}

/// Where a trace ends.
#[derive(Clone, Copy, Debug)]
enum Goal {
    /// At a step of a thread.
    Step { thread: u32, record: u32 },
    /// When all threads have done all they do.
    Everything,
    /// Just before two steps of threads, at the moment of a node.
    Pair { ends: [(u32, u32); 2], node: u32 },
}

/// What is told of an assignment.
struct Told {
    /// The steps of the prepared program.
    steps: Vec<Step>,
    /// When stores of these reach memory.
    commits: Vec<Commit>,
    /// For two steps at the end, these; `None` if one of their threads is not started.
    next: Option<[Step; 2]>,
}

/// The steps of the prepared program up to the goal.
fn steps(unrolled: &Unrolled, found: &mut Found, goal: Goal) -> Told {
    let pool = &unrolled.pool;
    let index_of = vec![None; unrolled.threads.len()];
    let (steps, commits, step_of) = (Vec::new(), Vec::new(), FxHashMap::default());
    let mut teller = Teller { unrolled, index_of, n_threads: 1, steps, commits, step_of };
    teller.index_of[0] = Some(0);
    let mut taken: Vec<Vec<u32>> = Vec::new();
    for thread in &unrolled.threads {
        let holds = |record: &&Record| found.values.holds(pool, record.guard);
        let records = thread.records.iter().enumerate().map(|(index, record)| (index as u32, record));
        let mut holds = holds;
        taken.push(records.filter(|(_, record)| holds(record)).map(|(index, _)| index).collect());
    }
    match goal {
        Goal::Step { thread, record } => {
            let own = &mut taken[thread as usize];
            own.retain(|other| *other < record);
            own.push(record);
        }
        Goal::Pair { ends, .. } => {
            for (thread, record) in ends {
                taken[thread as usize].retain(|other| *other < record);
            }
        }
        Goal::Everything => {}
    }
    let mut next = vec![0usize; taken.len()];
    let rank: Vec<usize> = {
        let mut rank = vec![0; unrolled.events.n_nodes()];
        for (at, node) in found.order.iter().enumerate() {
            rank[*node as usize] = at;
        }
        rank
    };
    // Nothing after the last node of the threads that matter is needed.
    let node_of = |thread: usize, record: u32| unrolled.threads[thread].records[record as usize].node;
    let last_rank = |thread: u32| {
        let own = &taken[thread as usize];
        let nodes = own.iter().filter_map(|record| node_of(thread as usize, *record));
        nodes.chain([unrolled.threads[thread as usize].start]).map(|node| rank[node as usize]).max()
    };
    let end = match goal {
        Goal::Step { thread, .. } => last_rank(thread),
        Goal::Pair { node, .. } => rank[node as usize].checked_sub(1),
        Goal::Everything => Some(usize::MAX),
    };
    for (at, node) in found.order.clone().into_iter().enumerate() {
        if end.is_none_or(|end| at > end) {
            break;
        }
        let thread = unrolled.events.thread_of[node as usize] as usize;
        let Some(own) = taken.get(thread) else { continue };
        let commits = |record: &u32| unrolled.threads[thread].records[*record as usize].commit.map(|(node, _)| node);
        let is_commit = unrolled.events.kind_of[node as usize] == Kind::Commit;
        let last = own.iter().rposition(|record| {
            if is_commit { commits(record) == Some(node) } else { node_of(thread, *record) == Some(node) }
        });
        let Some(last) = last else { continue };
        while next[thread] < own.len() {
            let record = own[next[thread]];
            let this = &unrolled.threads[thread].records[record as usize];
            let before = next[thread].checked_sub(1).map(|at| own[at] as usize);
            let was_inside = before.is_some_and(|at| unrolled.threads[thread].records[at].is_inside);
            let goes_on = was_inside && this.node.is_none_or(|other| other == node);
            if next[thread] > last && !goes_on {
                break;
            }
            teller.take(pool, thread, record, found);
            next[thread] += 1;
        }
        if is_commit {
            teller.commit(thread, own[last]);
        }
        // The steps that lead to the end and touch nothing come early: later somebody may be in an atomic section.
        if let Goal::Step { thread: eager, .. } | Goal::Pair { ends: [(eager, _), _], .. } = goal {
            let eager = eager as usize;
            while teller.index_of[eager].is_some() && next[eager] < taken[eager].len() {
                let record = taken[eager][next[eager]];
                let this = &unrolled.threads[eager].records[record as usize];
                if this.node.is_some() || this.is_inside || this.drains {
                    break;
                }
                teller.take(pool, eager, record, found);
                next[eager] += 1;
            }
        }
    }
    let threads: Vec<usize> = match goal {
        Goal::Step { thread, .. } => vec![thread as usize],
        Goal::Pair { ends: [(a, _), (b, _)], .. } => vec![a as usize, b as usize],
        Goal::Everything => (0..taken.len()).collect(),
    };
    for thread in threads {
        while next[thread] < taken[thread].len() {
            teller.take(pool, thread, taken[thread][next[thread]], found);
            next[thread] += 1;
        }
    }
    let steps = std::mem::take(&mut teller.steps);
    let commits = std::mem::take(&mut teller.commits);
    if let Goal::Pair { ends, .. } = goal {
        for (thread, record) in ends {
            teller.take(pool, thread as usize, record, found);
        }
    }
    Told { steps, commits, next: teller.steps.try_into().ok() }
}

struct Teller<'a> {
    unrolled: &'a Unrolled,
    index_of: Vec<Option<u32>>,
    n_threads: u32,
    steps: Vec<Step>,
    commits: Vec<Commit>,
    /// The numbers of the steps that stored what was not in memory at once, by thread and record.
    step_of: FxHashMap<(usize, u32), usize>,
}

impl Teller<'_> {
    fn take(&mut self, pool: &Pool, thread: usize, number: u32, found: &mut Found) {
        let Some(index) = self.index_of[thread] else { return };
        let record: &Record = &self.unrolled.threads[thread].records[number as usize];
        if record.commit.is_some() {
            self.step_of.insert((thread, number), self.steps.len());
        }
        let proc = self.unrolled.threads[thread].proc;
        let inputs = record.inputs.iter().map(|(site, term)| (*site, found.values.of(pool, *term))).collect();
        self.steps.push(Step { thread: index, edge: EdgeRef { proc, edge: record.edge }, inputs });
        for child in &record.starts {
            self.index_of[*child as usize] = Some(self.n_threads);
            self.n_threads += 1;
        }
    }

    /// What a record has stored reaches memory.
    fn commit(&mut self, thread: usize, number: u32) {
        let stored = self.unrolled.threads[thread].records[number as usize].commit;
        if let (Some((_, site)), Some(step)) = (stored, self.step_of.get(&(thread, number))) {
            self.commits.push(Commit { after: self.steps.len(), step: *step, site });
        }
    }
}
