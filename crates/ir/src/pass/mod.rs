//! How is a program made simpler without changing what can go wrong in it? By passes, each a function `Program → Program`.
//!
//! Front ends lower one construct at a time and leave the cleaning to these. `prepare` is the usual order. Every pass keeps
//! `Edge::origin`: the edges of its result spell, in order, edges of the lowered program, so a trace of the result is a trace of
//! the lowered program, which is the one that replay runs. `with_origins` starts this by naming each edge as its own
//! origin. Statements keep their `site` and `span` when they are copied or moved.
//!
//! - [`analysis`] finds out what is true of a program and changes nothing;
//! - [`control`], [`memory`] and [`values`] change it: each pass takes a program and gives it back;
//! - [`buffers`] writes the store buffers of a memory model into a program;
//! - [`origin`] spells what happens in the result in steps of the lowered program.
//!
//! What a statement touches of shared state is decided in `access`, what it means in `interp`.

mod analysis;
mod buffers;
mod control;
mod memory;
mod origin;
mod values;

pub use analysis::graph::{Components, loop_heads, reachable_from, reverse_post_order};
pub(crate) use analysis::linear::{linear, number};
pub use analysis::liveness::Liveness;
pub use analysis::lock_order::{forget_owners, may_wait_in_circle, never_deadlocks, waits_in_order};
pub use analysis::loops::{Loop, find_loops};
pub use analysis::points_to::{AbstractObject, PointsTo};
pub use analysis::sharing::{Sharing, Visibility};
pub(crate) use analysis::uses::map_defined;
pub use analysis::uses::{Moment, for_each_term, for_each_used, map_terms, mentions};
pub(crate) use analysis::webs::Webs;
pub use buffers::commits::Commits;
pub use buffers::write_buffers;
pub use control::call_targets::resolve_calls;
pub use control::fences::{drains, explicit_fences, orders_others};
pub use control::inline::inline_calls;
pub use control::joins::merge_joins;
pub use control::large_blocks::merge_blocks;
pub use control::unroll::{Rounds, unroll_loops, unroll_starts};
pub use memory::alloc_copies::number_allocations;
pub use memory::arrays::whole_arrays;
pub use memory::count_blocks::count_blocks;
pub use memory::localize::localize;
pub use memory::privatize::privatize;
pub use memory::promote::promote_allocations;
pub use memory::regions::split_regions;
pub use memory::scalarize::scalarize;
pub use origin::{NextAccess, origin_of_stmts, spell_race, spell_step, spell_trace, with_origins};
pub use values::constants::propagate_constants;
pub use values::dead_code::drop_dead;
use values::handles::decide_by_handles;
pub use values::slice::slice;
pub use values::split_webs::split_webs;

use crate::program::Program;
use crate::property::{Properties, Property};
use crate::stmt::{Op, Place};
use crate::verdict::Why;

/// How far passes may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// How many activations of one procedure may be nested before the bound on recursion is reached, where it is unfolded; none are unfolded if it is 0.
    pub recursion: u32,
    /// How many edges inlining may make.
    pub max_edges: usize,
    /// Whether steps are merged into large blocks.
    pub blocks: bool,
    /// Whether ways through atomic sections are multiplied out, so that each section is few steps.
    pub multiplies: bool,
    /// Loops that start or join threads are unrolled if it is known that they go round at most so many times.
    pub rounds: u64,
    /// Whether allocations become static objects.
    pub promotes: bool,
    /// Whether objects of unknown size become variables that hold a whole array.
    pub arrays: bool,
    /// Whether filling such an array with inputs is left out. A violation found then is none that can be run as it is.
    pub fills: bool,
    /// Whether the buffers of `tso` and `pso` are written into the program, which then runs under `sc`.
    pub buffers: bool,
    /// Whether values that decide nothing about the properties are taken away.
    pub slices: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            recursion: 8,
            max_edges: 200_000,
            blocks: true,
            multiplies: true,
            rounds: 0,
            promotes: true,
            arrays: false,
            fills: false,
            buffers: false,
            slices: true,
        }
    }
}

/// The program as engines want it: each thread one automaton, little memory, few steps.
pub fn prepare(program: &Program, properties: Properties, options: &Options) -> Result<Program, Why> {
    if options.buffers && program.model.has_buffers() {
        let apart = Options { blocks: false, buffers: false, ..*options };
        let program = prepare(&explicit_fences(program.clone()), properties, &apart)?;
        let program = write_buffers(program, properties)?;
        return Ok(if options.blocks { merge_blocks(program, properties, options.multiplies) } else { program });
    }
    let mut program = inline_calls(&without_failures(with_origins(program.clone()), properties), options)?;
    program = drop_dead(propagate_constants(split_webs(number_allocations(program)), true), properties, true);
    if options.rounds > 0 {
        program = number_allocations(unroll_starts(&program, options.rounds, options.max_edges));
        program = drop_dead(propagate_constants(program, true), properties, true);
    }
    program = decide_by_handles(program);
    let mut n_memory = n_memory_accesses(&program);
    while n_memory > 0 {
        program = drop_dead(localize(program), properties, true);
        if options.promotes {
            program = propagate_constants(promote_allocations(program, properties), true);
        }
        program = scalarize(program, properties);
        program = drop_dead(propagate_constants(program, true), properties, true);
        let n_left = n_memory_accesses(&program);
        if n_left == n_memory {
            break;
        }
        n_memory = n_left;
    }
    program = propagate_constants(privatize(program, properties), true);
    program = split_regions(drop_dead(program, properties, true));
    if options.slices {
        program = split_regions(drop_dead(slice(program, properties), properties, true));
    }
    if options.arrays {
        program = whole_arrays(program, properties, options.fills);
    }
    Ok(if options.blocks { merge_blocks(program, properties, options.multiplies) } else { program })
}

/// Whether an attempt fails matters to races only: it synchronises less.
fn without_failures(mut program: Program, properties: Properties) -> Program {
    if !properties.has(Property::Race) {
        for stmt in program.procs.iter_mut().flat_map(|proc| &mut proc.edges).flat_map(|edge| &mut edge.stmts) {
            if let Op::Rmw { failure, .. } = &mut stmt.op {
                *failure = None;
            }
        }
    }
    program
}

fn n_memory_accesses(program: &Program) -> usize {
    let stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    stmts.filter(|stmt| matches!(memory::regions::place_of(&stmt.op), Some(Place::Mem { .. }))).count()
}

#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod tests;
