//! What has been chosen of an execution: lanes, who reads from whom, and which laps are kept for what they write.

use super::lanes::{Lane, Lanes};
use ir::{Known, ThreadEvent};
use logic::VarId;

/// An event of a lane: thread and place.
pub(super) type Place = (usize, usize);

/// Where a read takes its value from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// What was there at first.
    Initial,
    /// A write of a lane.
    Event(Place),
    /// A write of a lap that is kept alone, by number.
    Alone(usize),
}

/// What has been chosen.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) lanes: Vec<Option<Lane>>,
    pub(super) sources: Vec<(Place, Source)>,
    /// The writes of laps that are kept alone: thread, gap and what it is.
    pub(super) alone: Vec<(usize, usize, ThreadEvent)>,
    /// How deep laps are kept whole: those that lanes read from, those that such laps read from, and so on.
    pub(super) keeps_laps: u8,
}

impl Choice {
    /// The next read that has no source: those of lanes before those of laps.
    pub(super) fn next_read(&self) -> Option<(Place, VarId, Known)> {
        let mut next: Option<(u8, Place, VarId, &Known)> = None;
        for (thread, lane) in self.lanes.iter().enumerate() {
            let Some(lane) = lane else { continue };
            for (at, event) in lane.events.iter().enumerate() {
                let Some((var, value)) = event.reads() else { continue };
                let is_open = self.sources.iter().all(|(read, _)| *read != (thread, at));
                if is_open && next.as_ref().is_none_or(|(depth, ..)| lane.depth[at] < *depth) {
                    next = Some((lane.depth[at], (thread, at), var, value));
                }
            }
        }
        next.map(|(_, place, var, value)| (place, var, value.clone()))
    }

    /// All ways to give a read a source.
    pub(super) fn with_source(&self, lanes: &Lanes<'_>, read: Place, var: VarId, value: &Known) -> Vec<Choice> {
        let mut all = Vec::new();
        let mut add = |source: Source, from: &Choice| {
            let mut next = from.clone();
            next.sources.push((read, source));
            all.push(next);
        };
        let wanted = Some((var, value));
        for (thread, lane) in self.lanes.iter().enumerate() {
            for (at, event) in lane.iter().flat_map(|lane| lane.events.iter().enumerate()) {
                if event.writes() == wanted && (thread, at) != read {
                    add(Source::Event((thread, at)), self);
                }
            }
        }
        if lanes.initial.iter().any(|(other, initial)| Some((*other, initial)) == wanted) {
            add(Source::Initial, self);
        }
        for (number, (_, _, event)) in self.alone.iter().enumerate() {
            if event.writes() == wanted {
                add(Source::Alone(number), self);
            }
        }
        let depth = self.lanes[read.0].as_ref().map_or(0, |lane| lane.depth[read.1]);
        for (thread, lane) in self.lanes.iter().enumerate() {
            let Some(lane) = lane else { continue };
            for gap in 0..lane.spots.len() {
                let mut writes: Vec<&ThreadEvent> = lane.laps(gap).filter(|event| event.writes() == wanted).collect();
                writes.sort_unstable();
                writes.dedup();
                for write in writes {
                    // What is kept alone would have to be put before or after a lap that comes later; there is none later.
                    let may_keep = depth < self.keeps_laps && self.alone.is_empty();
                    match may_keep.then(|| lanes.with_lap(thread, lane, gap, write, depth + 1)).flatten() {
                        Some(ways) => {
                            for (longer, at, n) in ways {
                                let next = self.with_lane(thread, gap, n, longer);
                                let read = if read.0 == thread && read.1 >= gap { (read.0, read.1 + n) } else { read };
                                let mut next = next;
                                next.sources.push((read, Source::Event((thread, at))));
                                all.push(next);
                            }
                        }
                        None => {
                            let mut next = self.clone();
                            next.alone.push((thread, gap, write.clone()));
                            next.sources.push((read, Source::Alone(self.alone.len())));
                            all.push(next);
                        }
                    }
                }
            }
        }
        all
    }

    /// The same choice with more events in a lane, from a place on.
    fn with_lane(&self, thread: usize, from: usize, n: usize, lane: Lane) -> Choice {
        let moved = |place: Place| if place.0 == thread && place.1 >= from { (thread, place.1 + n) } else { place };
        let mut next = self.clone();
        for (read, source) in &mut next.sources {
            *read = moved(*read);
            if let Source::Event(write) = source {
                *write = moved(*write);
            }
        }
        next.lanes[thread] = Some(lane);
        next
    }

    /// Whether the last event of every thread may be read by another one: else it would be no part of what the anchor needs.
    pub(super) fn ends_are_read(&self, anchor: u32) -> bool {
        self.lanes.iter().enumerate().all(|(thread, lane)| {
            let Some(lane) = lane.as_ref().filter(|_| thread as u32 != anchor) else { return true };
            let Some(last) = lane.events.last().and_then(ThreadEvent::writes) else { return true };
            let place = (thread, lane.events.len() - 1);
            let is_source = self.sources.iter().any(|(_, source)| *source == Source::Event(place));
            let others = self.lanes.iter().enumerate().filter(|(other, _)| *other != thread);
            is_source
                || others
                    .filter_map(|(_, lane)| lane.as_ref())
                    .any(|lane| lane.all_laps().any(|event| event.reads() == Some(last)))
        })
    }
}

/// Whether every read of a choice of lanes may have a source, and every last event a reader.
pub(super) fn fits(lanes: &Lanes<'_>, chosen: &[Option<&Lane>]) -> bool {
    let all = || chosen.iter().flatten().flat_map(|lane| lane.events.iter());
    let has_source = |var: VarId, value: &Known| {
        let writes = |event: &ThreadEvent| event.writes() == Some((var, value));
        let in_laps = || chosen.iter().flatten().flat_map(|lane| lane.all_laps()).any(writes);
        lanes.initial.iter().any(|(other, initial)| (*other, initial) == (var, value)) || all().any(writes) || in_laps()
    };
    let is_read = |event: &ThreadEvent| match event {
        ThreadEvent::Joins(other) => {
            chosen[*other as usize].is_some_and(|lane| lane.events.last() == Some(&ThreadEvent::Ends))
        }
        event => event.reads().is_none_or(|(var, value)| has_source(var, value)),
    };
    let has_reader = |(thread, lane): (usize, &Option<&Lane>)| {
        let Some(last) = lane.and_then(|lane| lane.events.last()).filter(|_| thread as u32 != lanes.anchor) else {
            return true;
        };
        let reads = |event: &ThreadEvent| match (last, event) {
            (ThreadEvent::Ends, ThreadEvent::Joins(other)) => *other as usize == thread,
            (last, event) => last.writes().is_some() && last.writes() == event.reads(),
        };
        let is_there = |new: &u32| chosen[*new as usize].is_some();
        let others = || chosen.iter().enumerate().filter(|(other, _)| *other != thread).filter_map(|(_, lane)| *lane);
        matches!(last, ThreadEvent::Starts(new) if is_there(new))
            || others().any(|lane| lane.events.iter().chain(lane.all_laps()).any(reads))
    };
    all().all(is_read) && chosen.iter().enumerate().all(has_reader)
}
