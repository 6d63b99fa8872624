//! How is one hard question given to many machines? As parts of all its executions, each named by a line of text, that are looked at one by one.
//!
//! Known as: cube and conquer, with the cubes made before anybody works on them.
//!
//! A part says how far loops are unrolled and which choices are taken: what contended reads read, which branches are taken. Choices are named by their number among those that every
//! encoding of the same program has, and a mark of the encoding is part of the text, so that a part is never asked of another program. Everything is one part at first; the part that has the
//! fewest choices is searched for a while, and if that does not decide it, it is cut in two at the choice that the search has met most lately. Those that were refuted on the way and
//! those that are left cover everything, which whoever puts the answers together can see from the texts alone ([`cover_everything`]).

use super::cubes::Tell;
use super::encoding::Encoding;
use super::search::{Effort, Solved, solve};
use crate::bmc::unrolled::Unrolled;
use crate::run::Parts;
use logic::TermId;
use smt::Lit;
use std::collections::VecDeque;

/// Which share of the effort for the whole is spent on each part before it is cut in two.
const SHARE: u32 = 4;

/// How a part is written.
pub(crate) const FORM: &str = "ROUNDS/DECIDED/MEMORY/MARK/CHOICES";

/// A part of all executions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    /// Rounds of loops of unknown length, and of those that constants decide.
    pub(crate) rounds: (u32, u32),
    /// Whether memory is looked at by cells, or byte by byte.
    pub(crate) by_cells: bool,
    /// The mark of the encoding.
    pub(crate) mark: u64,
    /// The number of each choice, from one on, negative if it is not taken.
    pub(crate) choices: Vec<i32>,
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let memory = if self.by_cells { "cells" } else { "bytes" };
        let choices: Vec<String> = self.choices.iter().map(i32::to_string).collect();
        write!(f, "{}/{}/{memory}/{:016x}/{}", self.rounds.0, self.rounds.1, self.mark, choices.join(","))
    }
}

impl Part {
    /// Reads a part.
    pub(crate) fn read(text: &str) -> Option<Part> {
        let fields: Vec<&str> = text.split('/').collect();
        let [rounds, decided, memory, mark, choices] = fields.as_slice() else { return None };
        let by_cells = match *memory {
            "cells" => true,
            "bytes" => false,
            _ => return None,
        };
        let choices = choices.split(',').filter(|choice| !choice.is_empty());
        let choices: Option<Vec<i32>> =
            choices.map(|choice| choice.parse().ok().filter(|n| *n != 0 && *n != i32::MIN)).collect();
        Some(Part {
            rounds: (rounds.parse().ok()?, decided.parse().ok()?),
            by_cells,
            mark: u64::from_str_radix(mark, 16).ok()?,
            choices: choices?,
        })
    }

    /// Its choices as literals of an encoding; nothing, if it is not one of its parts.
    pub(crate) fn literals(&self, encoding: &Encoding) -> Option<Vec<Lit>> {
        let literal = |choice: &i32| {
            let lit = *encoding.splits().get(choice.unsigned_abs() as usize - 1)?;
            Some(if *choice > 0 { lit } else { !lit })
        };
        let literals: Option<Vec<Lit>> = self.choices.iter().map(literal).collect();
        literals.filter(|_| encoding.mark() == self.mark)
    }
}

/// Literals of an encoding as choices.
pub(crate) fn choices(encoding: &Encoding, cube: &[Lit]) -> Vec<i32> {
    let choice = |lit: &Lit| {
        let at = encoding.splits().iter().position(|other| other.var() == lit.var()).expect("cubes are made of these");
        let number = i32::try_from(at + 1).expect("there are fewer choices than literals");
        if encoding.splits()[at] == *lit { number } else { -number }
    };
    cube.iter().map(choice).collect()
}

/// What is wrong with the text of a part, if anything is.
pub(crate) fn misspelt(text: &str) -> Option<String> {
    let is_fine = text.is_empty() || Part::read(text).is_some();
    (!is_fine).then(|| format!("`{text}` is not a part as `--cubes` writes them, {FORM}"))
}

/// What came of cutting a question.
pub(crate) enum Cut<T> {
    /// An execution was found.
    Found(T),
    /// There is none.
    Nothing,
    /// Parts that are left, and those that were refuted.
    Parts { open: Vec<Vec<Lit>>, refuted: Vec<Vec<Lit>> },
}

/// Looks for an execution; if that takes more than so many conflicts of the solver, cuts all of them into so many parts.
pub(crate) fn cut_up<T>(
    encoding: &mut Encoding,
    unrolled: &mut Unrolled,
    (goal, n, hard): (TermId, usize, u32),
    tell: &Tell<'_, T>,
    effort: &mut Effort,
) -> Result<Cut<T>, smt::Why> {
    encoding.bits.listen();
    let mut open: VecDeque<Vec<Lit>> = VecDeque::from([Vec::new()]);
    let mut refuted = Vec::new();
    while open.len() < n
        && let Some(cube) = open.pop_front()
    {
        let conflicts = if cube.is_empty() { hard } else { (hard / SHARE).max(1) };
        match solve(encoding, unrolled, (goal, &cube), conflicts, effort)? {
            Solved::Found(mut found) => return tell(unrolled, &mut found).map(Cut::Found),
            Solved::Nothing => {
                let needed: Vec<Lit> = cube.into_iter().filter(|lit| encoding.bits.lit_failed(*lit)).collect();
                open.retain(|cube| !needed.iter().all(|lit| cube.contains(lit)));
                refuted.push(needed);
            }
            Solved::Paused => match encoding.bits.most_active(encoding.splits(), &cube) {
                Some(lit) => {
                    let with = |lit: Lit| cube.iter().copied().chain([lit]).collect();
                    open.extend([with(lit), with(!lit)]);
                }
                // Nothing was learnt about choices: it is searched on.
                None => open.push_back(cube),
            },
        }
    }
    Ok(if open.is_empty() { Cut::Nothing } else { Cut::Parts { open: open.into(), refuted } })
}

/// What is said of parts.
pub(crate) fn told(parts: &Parts) -> String {
    match parts.open.len() {
        0 => "nothing goes wrong in this part of all executions; the others were not looked at".to_string(),
        n => format!("the question was cut into {n} parts, which were not looked at"),
    }
}

/// Whether parts together are all executions of one unrolled program.
pub fn cover_everything(parts: &[String]) -> bool {
    let Some(parts) = parts.iter().map(|text| Part::read(text)).collect::<Option<Vec<Part>>>() else { return false };
    let frame = |part: &Part| (part.rounds, part.by_cells, part.mark);
    let is_one = parts.windows(2).all(|pair| frame(&pair[0]) == frame(&pair[1]));
    is_one && is_everything(parts.into_iter().map(|part| part.choices).collect())
}

/// Whether one of these conjunctions holds whatever is chosen.
fn is_everything(cubes: Vec<Vec<i32>>) -> bool {
    let Some(first) = cubes.first() else { return false };
    if cubes.iter().any(Vec::is_empty) {
        return true;
    }
    let choice = first[0];
    let given = |chosen: i32| {
        let possible = cubes.iter().filter(|cube| !cube.contains(&-chosen));
        is_everything(possible.map(|cube| cube.iter().copied().filter(|other| *other != chosen).collect()).collect())
    };
    given(choice) && given(-choice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(choices: &[i32]) -> String {
        let choices = choices.to_vec();
        Part { rounds: (3, 24), by_cells: true, mark: 7, choices }.to_string()
    }

    #[test]
    fn texts_are_read_as_they_are_written() {
        let text = part(&[4, -9]);
        assert_eq!(text, "3/24/cells/0000000000000007/4,-9");
        assert_eq!(Part::read(&text).map(|part| part.to_string()), Some(text));
        for wrong in ["", "3/24/cells/7", "3/24/words/7/1", "3/24/cells/x/1", "3/24/cells/7/0", "3/24/cells/7/a"] {
            assert_eq!(Part::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn parts_that_leave_something_out_do_not_cover_everything() {
        assert!(cover_everything(&[part(&[])]));
        assert!(cover_everything(&[part(&[1]), part(&[-1, 2]), part(&[-1, -2])]));
        assert!(cover_everything(&[part(&[1, 3]), part(&[-3]), part(&[-1, 2]), part(&[-1, -2])]));
        assert!(!cover_everything(&[]));
        assert!(!cover_everything(&[part(&[1]), part(&[-1, 2])]));
        assert!(!cover_everything(&[part(&[1]), part(&[-2])]));
        let of_another = part(&[-1]).replace("07/", "08/");
        assert!(!cover_everything(&[part(&[1]), of_another]));
    }
}
