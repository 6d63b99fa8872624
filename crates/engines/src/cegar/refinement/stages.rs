//! What is tried when a path of the abstraction has been looked at? A table of stages: after what, when, and what then.
//!
//! Known as: the refinement strategy of CEGAR \[Clarke03]; with threads that are not told apart, counter abstraction \[Pnueli02], and predicates
//! mined from the text of the program where interpolants of single paths do not generalise \[Graf97].
//!
//! The cheap and precise comes first: what a path teaches. If it teaches nothing new, or too much, the next stage changes what can be known at
//! all: threads of a loop are no longer told apart, predicates are guessed, combinations of predicates are kept, and in the end all threads are told
//! apart again, which cannot prove programs that start threads without end, but finds errors.
//!
//! Invariant: for every finding the last row applies always. Each remedy but `GoOn`, which adds to a precision over finitely many
//! cells of finitely many values, `PassOver` and `CountThreads`, which use up places of the program, makes its own rows inapplicable.

/// What looking at a path has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Finding {
    /// It can be taken, and ends in a violation.
    Violation,
    /// It can be taken, and ends where the program leaves what is modelled.
    Beyond,
    /// It can be taken, and starts so many threads that they are better not told apart.
    ManyThreads,
    /// It cannot be taken, and the precision has grown.
    Learned,
    /// It cannot be taken, and there is nothing more to track.
    NothingNew,
    /// Nobody can tell whether it can be taken.
    Undecided,
    /// There is no time or memory left to tell.
    Stopped,
    /// It needs more threads at counted places than it has started.
    NotCast,
}

/// What is known about the run when a path has been looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Situation {
    /// Whether some threads are not told apart.
    pub(crate) has_counted: bool,
    /// Whether predicates were mined already, or cannot be tracked.
    pub(crate) has_mined: bool,
    /// Whether paths have taught many predicates.
    pub(crate) has_many_predicates: bool,
    /// Whether the path is about starting many threads.
    pub(crate) starts_many: bool,
    /// Whether the domain could keep combinations of predicates, and does not.
    pub(crate) can_combine: bool,
}

/// When a stage applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum When {
    /// Always.
    Always,
    /// The path is about starting many threads.
    StartsMany,
    /// Predicates were not mined yet.
    Unmined,
    /// Likewise, and some threads are not told apart.
    UnminedCounted,
    /// Likewise, and paths have taught many predicates: guessing is quicker.
    UnminedCountedWithMany,
    /// The domain could keep combinations of predicates, and does not.
    CanCombine,
    /// Some threads are not told apart.
    Counted,
}

/// What is done before the next round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Remedy {
    /// Nothing: the precision says more now.
    GoOn,
    /// The trace is the answer.
    Report,
    /// The place is passed over from now on; the answer is safe no more.
    PassOver,
    /// The threads of the loop are not told apart from now on.
    CountThreads,
    /// All threads are told apart again, however many.
    TellApart,
    /// Predicates are mined from the text of the program.
    MinePredicates,
    /// Combinations of predicates are kept, not each for itself.
    CombinePredicates,
    /// Nothing is left to try.
    GiveUp,
}

/// The stages, in the order in which they are tried.
pub(crate) const STAGES: &[(Finding, When, Remedy)] = &[
    (Finding::Violation, When::Always, Remedy::Report),
    (Finding::Beyond, When::Always, Remedy::PassOver),
    (Finding::ManyThreads, When::Always, Remedy::CountThreads),
    (Finding::Learned, When::UnminedCountedWithMany, Remedy::MinePredicates),
    (Finding::Learned, When::Always, Remedy::GoOn),
    (Finding::NothingNew, When::StartsMany, Remedy::CountThreads),
    (Finding::NothingNew, When::UnminedCounted, Remedy::MinePredicates),
    (Finding::NothingNew, When::CanCombine, Remedy::CombinePredicates),
    (Finding::NothingNew, When::Counted, Remedy::TellApart),
    (Finding::NothingNew, When::Always, Remedy::GiveUp),
    (Finding::Undecided, When::StartsMany, Remedy::CountThreads),
    (Finding::Undecided, When::Always, Remedy::GiveUp),
    (Finding::Stopped, When::Always, Remedy::GiveUp),
    (Finding::NotCast, When::Unmined, Remedy::MinePredicates),
    (Finding::NotCast, When::Always, Remedy::TellApart),
];

/// What is done: the first stage that applies.
pub(crate) fn remedy(finding: Finding, situation: &Situation) -> Remedy {
    let applies = |(after, when, _): &&(Finding, When, Remedy)| *after == finding && when.holds(situation);
    STAGES.iter().find(applies).expect("the last stage of every finding applies always").2
}

impl When {
    fn holds(self, situation: &Situation) -> bool {
        let Situation { has_counted, has_mined, has_many_predicates, starts_many, can_combine } = *situation;
        match self {
            When::Always => true,
            When::StartsMany => starts_many,
            When::Unmined => !has_mined,
            When::UnminedCounted => has_counted && !has_mined,
            When::UnminedCountedWithMany => has_counted && !has_mined && has_many_predicates,
            When::CanCombine => can_combine,
            When::Counted => has_counted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn situations() -> impl Iterator<Item = Situation> {
        (0..32u32).map(|bits| Situation {
            has_counted: bits & 1 != 0,
            has_mined: bits & 2 != 0,
            has_many_predicates: bits & 4 != 0,
            starts_many: bits & 8 != 0,
            can_combine: bits & 16 != 0,
        })
    }

    #[test]
    fn every_finding_has_a_remedy_and_every_row_is_reached() {
        let mut reached = vec![false; STAGES.len()];
        for (finding, ..) in STAGES {
            for situation in situations() {
                let remedy = remedy(*finding, &situation);
                let row = STAGES.iter().position(|row| row.0 == *finding && row.1.holds(&situation));
                assert_eq!(STAGES[row.expect("one applies")].2, remedy);
                reached[row.expect("one applies")] = true;
            }
        }
        assert_eq!(reached, vec![true; STAGES.len()]);
    }

    /// What a remedy changes makes it inapplicable, so that paths that teach nothing come to an end.
    #[test]
    fn what_teaches_nothing_comes_to_an_end() {
        for finding in [Finding::NothingNew, Finding::NotCast] {
            for mut situation in situations() {
                let mut rounds = 0;
                loop {
                    match remedy(finding, &situation) {
                        Remedy::CountThreads => (situation.has_counted, situation.starts_many) = (true, false),
                        Remedy::MinePredicates => situation.has_mined = true,
                        Remedy::CombinePredicates => situation.can_combine = false,
                        Remedy::TellApart if situation.has_counted => situation.has_counted = false,
                        _ => break,
                    }
                    rounds += 1;
                    assert!(rounds <= 4, "{finding:?} in {situation:?}");
                }
            }
        }
    }
}
