//! Sequential consistency, by trying every interleaving: which final states does a litmus test have?
//!
//! The reference that engines are compared with under the model `sc`. Memory is bytes; the threads take turns, one event at a time (both events of
//! a read-modify-write together, for nothing comes between them); every choice is made both ways; an exclusive store that is chosen to
//! succeed does so only if no other thread wrote to the bytes since the load. States of the whole that were met before are not met again.
//!
//! Invariant: what is remembered of a state determines everything that can follow. No reduction is made beyond that, on purpose.

use super::step::{Event, EventKind, Step, Walk};
use super::{Observable, Test};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcomes {
    /// The final states, parallel to `Test::observed`; those that the filter drops are not among them.
    pub states: BTreeSet<Vec<u64>>,
    /// Whether some execution was cut off at a loop: then there may be more states.
    pub is_cut: bool,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// More states of the whole than allowed.
    TooManyStates,
    /// A thread has too many events.
    ThreadTooLong,
    /// The test has messages: there is no memory to read.
    HasMessages,
}

/// The final states under sequential consistency. No instruction is jumped back to more than `unroll` times.
pub fn final_states(test: &Test, unroll: u8, max_states: usize) -> Result<Outcomes, Unanswered> {
    if test.dialect.has_messages() {
        return Err(Unanswered::HasMessages);
    }
    let walks = (0..test.threads.len()).map(|thread| Walk::new(test, thread, unroll)).collect();
    let mut memory = BTreeMap::new();
    for (index, location) in test.locations.iter().enumerate() {
        let start = test.address(super::LocationId(index as u32));
        for (element, value) in location.init.iter().enumerate() {
            let address = start + element as u64 * u64::from(location.element_size);
            write(&mut memory, address, location.element_size, *value);
        }
    }
    let first = Whole { walks, memory, watched: vec![None; test.threads.len()] };
    let mut search = Search {
        test,
        seen: FxHashSet::default(),
        todo: vec![first],
        max_states,
        outcomes: Outcomes { states: BTreeSet::new(), is_cut: false },
    };
    search.run()?;
    Ok(search.outcomes)
}

type Memory = BTreeMap<u64, u8>;

#[derive(Clone)]
struct Whole<'t> {
    walks: Vec<Walk<'t>>,
    memory: Memory,
    /// For each thread, the bytes of its open exclusive pair, until somebody else writes there.
    watched: Vec<Option<(u64, u8)>>,
}

struct Search<'t> {
    test: &'t Test,
    seen: FxHashSet<String>,
    todo: Vec<Whole<'t>>,
    max_states: usize,
    outcomes: Outcomes,
}

impl<'t> Search<'t> {
    fn run(&mut self) -> Result<(), Unanswered> {
        while let Some(whole) = self.todo.pop() {
            let mut ended = Vec::new();
            for thread in 0..whole.walks.len() {
                ended.extend(self.turn(&whole, thread)?);
            }
            if ended.len() == whole.walks.len() {
                self.finish(&ended, &whole.memory);
            }
        }
        Ok(())
    }

    /// Lets a thread make its next event in all ways. If it makes none any more, gives it as it is at its end.
    fn turn(&mut self, whole: &Whole<'t>, thread: usize) -> Result<Option<Walk<'t>>, Unanswered> {
        let mut next = whole.clone();
        match next.walks[thread].step() {
            Step::Done => return Ok(Some(next.walks.swap_remove(thread))),
            Step::Cut => self.outcomes.is_cut = true,
            Step::Dropped => {}
            Step::TooLong => return Err(Unanswered::ThreadTooLong),
            Step::Choose => {
                for yes in [true, false] {
                    let mut chosen = next.clone();
                    chosen.walks[thread].choose(yes);
                    let is_exclusive = chosen.walks[thread].is_storing_exclusively();
                    if !is_exclusive {
                        self.push(chosen)?;
                    } else if chosen.watched[thread].is_some() {
                        let Step::Event(event) = chosen.walks[thread].step() else {
                            unreachable!("a chosen success writes")
                        };
                        chosen.perform(thread, &event);
                        self.push(chosen)?;
                    }
                }
            }
            Step::Event(event) => {
                next.perform(thread, &event);
                if event.kind == EventKind::Read && next.walks[thread].has_write_due() {
                    let Step::Event(event) = next.walks[thread].step() else {
                        unreachable!("the write of a read-modify-write follows its read")
                    };
                    next.perform(thread, &event);
                }
                self.push(next)?;
            }
        }
        Ok(None)
    }

    fn push(&mut self, whole: Whole<'t>) -> Result<(), Unanswered> {
        if self.seen.insert(whole.identity()) {
            self.todo.push(whole);
        }
        if self.seen.len() > self.max_states { Err(Unanswered::TooManyStates) } else { Ok(()) }
    }

    fn finish(&mut self, ended: &[Walk<'t>], memory: &Memory) {
        let test = self.test;
        let value = |what: Observable| match what {
            Observable::Register { thread, reg } => ended[thread].register(reg),
            Observable::Memory { location, element } => {
                let size = test.locations[location.0 as usize].element_size;
                read(memory, test.address(location) + u64::from(element) * u64::from(size), size)
            }
        };
        let state: Vec<u64> = test.observed.iter().map(|observed| observed.cut(value(observed.what))).collect();
        if test.filter.as_ref().is_none_or(|filter| filter.holds(&state)) {
            self.outcomes.states.insert(state);
        }
    }
}

impl Whole<'_> {
    fn perform(&mut self, thread: usize, event: &Event<'_>) {
        match event.kind {
            EventKind::Fence => {}
            EventKind::Read => {
                let value = read(&self.memory, event.address, event.size);
                if self.walks[thread].is_loading_exclusively() {
                    self.watched[thread] = Some((event.address, event.size));
                }
                self.walks[thread].answer(value);
            }
            EventKind::Write => {
                write(&mut self.memory, event.address, event.size, event.value);
                let end = event.address + u64::from(event.size);
                for (other, watched) in self.watched.iter_mut().enumerate() {
                    let overlaps = watched.is_some_and(|(at, size)| at < end && event.address < at + u64::from(size));
                    if other != thread && overlaps {
                        *watched = None;
                    }
                }
            }
        }
    }

    /// Two wholes with the same identity have the same future.
    fn identity(&self) -> String {
        let walks: Vec<_> = self.walks.iter().map(Walk::identity).collect();
        format!("{walks:?}{:?}{:?}", self.memory, self.watched)
    }
}

fn read(memory: &Memory, address: u64, size: u8) -> u64 {
    let byte = |offset: u8| u64::from(memory.get(&address.wrapping_add(u64::from(offset))).copied().unwrap_or(0));
    (0..size).fold(0, |value, offset| value | byte(offset) << (8 * offset))
}

fn write(memory: &mut Memory, address: u64, size: u8, value: u64) {
    for offset in 0..size {
        memory.insert(address.wrapping_add(u64::from(offset)), (value >> (8 * offset)) as u8);
    }
}
