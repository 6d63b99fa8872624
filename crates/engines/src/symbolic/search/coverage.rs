//! Which code has been run, and how far is it to code that has not?
//!
//! Known as: branch coverage, distance to uncovered code (coverage-guided search) \[Cadar08].
//!
//! Distances are counted backwards from everything that nobody has run, over the flow inside methods and from calls into what they can run.

use crate::symbolic::state::Frame;
use ir::oox::{Callee, Op, Program};

/// Code that was run.
pub(crate) struct Coverage {
    is_covered: Vec<Vec<bool>>,
    distances: Vec<Vec<u32>>,
    n_covered: usize,
    n_all: usize,
    /// How much was covered when distances were counted.
    counted_at: usize,
}

impl Coverage {
    pub(crate) fn new(program: &Program) -> Coverage {
        let lengths = || program.methods.iter().map(|method| method.code.len());
        Coverage {
            is_covered: lengths().map(|n| vec![false; n]).collect(),
            distances: lengths().map(|n| vec![0; n]).collect(),
            n_covered: 0,
            n_all: lengths().sum(),
            counted_at: 0,
        }
    }

    /// Notes that an instruction runs.
    pub(crate) fn visit(&mut self, frame: &Frame) {
        let is_covered = &mut self.is_covered[frame.method as usize][frame.pc as usize];
        if !*is_covered {
            *is_covered = true;
            self.n_covered += 1;
        }
    }

    /// The part that was run, in percent.
    pub(crate) fn percent(&self) -> f64 {
        if self.n_all == 0 { 100.0 } else { 100.0 * self.n_covered as f64 / self.n_all as f64 }
    }

    /// How far it is from where a frame stands.
    pub(crate) fn distance(&self, frame: &Frame) -> u32 {
        self.distances[frame.method as usize][frame.pc as usize]
    }

    /// Counts distances anew if more has been run since.
    pub(crate) fn refresh(&mut self, program: &Program) {
        if self.counted_at == self.n_covered {
            return;
        }
        self.counted_at = self.n_covered;
        for (distances, covered) in self.distances.iter_mut().zip(&self.is_covered) {
            for (distance, covered) in distances.iter_mut().zip(covered) {
                *distance = if *covered { u32::MAX } else { 0 };
            }
        }
        // Methods are small and calls few, so sweeping until nothing changes is quick.
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (index, method) in program.methods.iter().enumerate() {
                for pc in (0..method.code.len()).rev() {
                    let best = self.successors(program, index, pc).min().unwrap_or(u32::MAX).saturating_add(1);
                    if best < self.distances[index][pc] {
                        self.distances[index][pc] = best;
                        has_changed = true;
                    }
                }
            }
        }
    }

    /// Distances of what can come after an instruction.
    fn successors<'a>(&'a self, program: &'a Program, method: usize, pc: usize) -> impl Iterator<Item = u32> + 'a {
        let instr = &program.methods[method].code[pc];
        let here = &self.distances[method];
        let next = match instr.op {
            Op::Jump(_) | Op::Return(_) | Op::Throw(_) => None,
            _ => here.get(pc + 1).copied(),
        };
        let other = match instr.op {
            Op::Jump(to) | Op::Branch { otherwise: to, .. } => here.get(to as usize).copied(),
            _ => None,
        };
        let caught = instr.handler.and_then(|to| here.get(to as usize).copied());
        let callee = match &instr.op {
            Op::Call { call, .. } | Op::Fork(call) => Some(&call.callee),
            _ => None,
        };
        let entered = callee.into_iter().flat_map(move |callee| {
            let methods: Vec<u32> = match callee {
                Callee::Method(method) | Callee::New(_, method) => vec![method.0],
                Callee::Virtual(signature) => {
                    let of = |class: &ir::oox::Class| class.runs(*signature);
                    program.classes.iter().filter_map(of).map(|method| method.0).collect()
                }
            };
            methods.into_iter().filter_map(|method| self.distances[method as usize].first().copied())
        });
        next.into_iter().chain(other).chain(caught).chain(entered)
    }
}
