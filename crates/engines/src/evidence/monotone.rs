//! Which memory models say of a part of an execution what they say of the whole? Those whose axioms are monotone.
//!
//! Who looks at some events of an execution only, and at some of what relates them, may conclude that there is no such execution if an axiom forbids that part.
//! For this more events and more pairs must never make an axiom hold again: no axiom may ask for something that is not there, except
//! for what two events are by themselves (their kinds, tags, threads and places). Further, values must not come out of thin air: program order and
//! reads-from together must have no cycles, so that who follows values from write to read, beginning with what is there at first, meets all of them. That is
//! known of these models: `sc` and `rc11` say so in an axiom; under `tso` and `pso` a read stays before what follows it, and a write
//! before who reads it elsewhere.
//!
//! Who lets executions grow at their ends, event by event, may ask more models ([`growing`]). An event that is added there has no successor by program order or
//! reads-from, so what relates earlier events by nothing else stays as it was, and may be asked for not to be there. Of some of these models it is known that they keep a read before a later write of its
//! thread where acquiring, releasing or a dependency orders them, and nowhere else ([`Growing::buffers_loads`]).

use super::axioms::Axioms;
use ir::{Model, Program, Span, Why};
use memory::cat::syntax::ast::Severity;
use memory::cat::{Check, Graph, Node, NodeId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The models that have no values out of thin air.
const FOLLOWED: [&str; 4] = ["sc", "tso", "pso", "rc11"];

/// Those that have none where a dependency, acquiring or releasing orders every read and the later writes of its thread.
const BUFFERING: [&str; 4] = ["imm", "aarch64", "power", "riscv"];

/// The axioms of a program's model, if they can be asked about parts of executions.
pub(crate) fn axioms(program: &Program) -> Result<Axioms, Why> {
    let name = name_of(program);
    if !is_ours(program) || !FOLLOWED.contains(&stem(name)) {
        return Err(refuse(format!(
            "the memory model {name} in an engine that looks at threads one by one, which knows sc, tso, pso and rc11"
        )));
    }
    let axioms = loaded(program)?;
    match axioms.not_monotone() {
        Some(check) => Err(refuse(format!("the memory model {name}, whose axiom {} is not monotone", check.name))),
        None => Ok(axioms),
    }
}

/// A model for executions that grow at their ends.
pub(crate) struct Growing {
    pub(crate) axioms: Axioms,
    /// Whether a write of a thread may take effect before an earlier read of it that nothing orders.
    pub(crate) buffers_loads: bool,
}

/// The axioms of a program's model, if they can be asked about executions that grow at their ends.
pub(crate) fn growing(program: &Program) -> Result<Growing, Why> {
    let name = name_of(program);
    let buffers_loads = BUFFERING.contains(&stem(name));
    if !is_ours(program) || !FOLLOWED.contains(&stem(name)) && !buffers_loads {
        let known = "sc, tso, pso, rc11, imm, aarch64, power and riscv";
        return Err(refuse(format!(
            "the memory model {name} in an engine that enumerates executions, which knows {known}"
        )));
    }
    let axioms = loaded(program)?;
    let mut forbidding = axioms.model.outcome.checks.iter().filter(|check| check.severity == Severity::Forbids);
    let graph = &axioms.model.outcome.graph;
    let is_open = |check: &&Check| check.is_negated || !grows(graph, check.node, &mut BTreeSet::new());
    match forbidding.find(is_open) {
        Some(check) => Err(refuse(format!("the memory model {name}, whose axiom {} is not monotone", check.name))),
        None => Ok(Growing { axioms, buffers_loads }),
    }
}

/// Those that allow a program without races nothing that RC11 forbids, as their machines' accesses are compiled from C11's.
const WITHIN_RC11: [&str; 7] = ["tso", "pso", "rc11", "imm", "aarch64", "power", "riscv"];

/// Whether a program's model allows more than interleavings, and yet, without races, nothing that RC11 forbids.
pub(crate) fn is_within_rc11(program: &Program) -> bool {
    let mapping = program.axioms.as_ref().map_or("", |axioms| &axioms.mapping);
    program.model != Model::Sc
        && mapping.is_empty()
        && is_ours(program)
        && WITHIN_RC11.contains(&stem(name_of(program)))
}

fn refuse(what: String) -> Why {
    Why::Unsupported { span: Span::NOWHERE, what }
}

/// The name of a program's model, as users know it.
pub(crate) fn name_of(program: &Program) -> &str {
    let given = program.axioms.as_deref().filter(|_| program.model == Model::Cat);
    given.map_or(program.model.name(), |axioms| &axioms.name)
}

fn stem(name: &str) -> &str {
    name.strip_suffix(".cat").unwrap_or(name)
}

/// Whether no file of the user's takes part.
fn is_ours(program: &Program) -> bool {
    program.model != Model::Cat || program.axioms.as_deref().is_none_or(|axioms| axioms.files.is_empty())
}

/// The model of a program, as axioms.
fn loaded(program: &Program) -> Result<Axioms, Why> {
    let given = program.axioms.as_deref().filter(|_| program.model == Model::Cat);
    let mapping = given.map_or_else(String::new, |axioms| axioms.mapping.clone());
    let name = name_of(program);
    let own = ir::Axioms { name: format!("{}.cat", stem(name)), files: Vec::new(), mapping };
    let asked = Program { axioms: Some(Arc::new(own)), model: Model::Cat, ..Program::new(program.data_model) };
    let axioms = Axioms::of(&asked)?;
    match axioms.refused(name) {
        Some(why) => Err(why),
        None => Ok(axioms),
    }
}

/// Whether a program's model is one of these and says what a race is.
pub(crate) fn flags_races(program: &Program) -> bool {
    axioms(program).is_ok_and(|axioms| axioms.races().next().is_some())
}

/// Whether more events and more pairs never make it smaller.
pub(super) fn is_monotone(graph: &Graph, id: NodeId, seen: &mut BTreeSet<NodeId>) -> bool {
    if !seen.insert(id) {
        return true;
    }
    match graph.node(id) {
        Node::Events(name) => &**name != "FW",
        Node::DifferentValues(_) | Node::TheseEvents(_) | Node::ThesePairs(_) => false,
        Node::Variable(_) | Node::SetVariable(_) => false,
        Node::SetDifference(a, b) | Node::Difference(a, b) => is_monotone(graph, *a, seen) && is_fixed(graph, *b),
        Node::SetComplement(a) | Node::Complement(a) => is_fixed(graph, *a),
        _ => graph.operands(id).into_iter().all(|(operand, _)| is_monotone(graph, operand, seen)),
    }
}

/// Whether it depends on nothing but the events themselves.
fn is_fixed(graph: &Graph, id: NodeId) -> bool {
    match graph.node(id) {
        Node::Events(name) => &**name != "FW",
        Node::AllEvents | Node::NoEvents | Node::NoPairs => true,
        Node::Pairs(name) => matches!(&**name, "loc" | "int" | "ext" | "id"),
        Node::SetUnion(..) | Node::SetIntersection(..) | Node::SetDifference(..) | Node::SetComplement(_) => {
            graph.operands(id).into_iter().all(|(operand, _)| is_fixed(graph, operand))
        }
        Node::Union(..) | Node::Intersection(..) | Node::Difference(..) | Node::Complement(_) => {
            graph.operands(id).into_iter().all(|(operand, _)| is_fixed(graph, operand))
        }
        Node::Product(..) | Node::Identity(_) => {
            graph.operands(id).into_iter().all(|(operand, _)| is_fixed(graph, operand))
        }
        _ => false,
    }
}

/// Whether it never gets smaller when events are added at the ends of an execution.
fn grows(graph: &Graph, id: NodeId, seen: &mut BTreeSet<NodeId>) -> bool {
    if !seen.insert(id) {
        return true;
    }
    match graph.node(id) {
        Node::Events(name) => &**name != "FW",
        Node::DifferentValues(_) | Node::TheseEvents(_) | Node::ThesePairs(_) => false,
        // A least fixpoint grows with what defines it.
        Node::Variable(_) | Node::SetVariable(_) => {
            let Some(group) = graph.group_of(id).map(|group| graph.group(group)) else { return false };
            group.is_monotone && group.variables.iter().all(|(_, body)| grows(graph, *body, seen))
        }
        Node::SetDifference(a, b) | Node::Difference(a, b) => grows(graph, *a, seen) && is_settled(graph, *b),
        Node::SetComplement(a) | Node::Complement(a) => is_settled(graph, *a),
        _ => graph.operands(id).into_iter().all(|(operand, _)| grows(graph, operand, seen)),
    }
}

/// Whether it relates two events as soon as both are there, or never: it depends on nothing but them and what comes before them by program order and reads-from.
fn is_settled(graph: &Graph, id: NodeId) -> bool {
    if is_fixed(graph, id) {
        return true;
    }
    let all = || graph.operands(id).into_iter().all(|(operand, _)| is_settled(graph, operand));
    match graph.node(id) {
        Node::Pairs(name) => is_looking_back(name) || matches!(&**name, "co" | "loc" | "int" | "ext" | "id"),
        Node::Union(..) | Node::Intersection(..) | Node::Difference(..) | Node::Complement(_) => all(),
        Node::SetUnion(..) | Node::SetIntersection(..) | Node::SetDifference(..) | Node::SetComplement(_) => all(),
        Node::Product(..) | Node::Identity(_) | Node::Inverse(_) | Node::From(..) | Node::To(..) => all(),
        // What is between the two comes before one of them.
        Node::Sequence(a, b) => all() && (looks_back(graph, *b) || looks_ahead(graph, *a)),
        _ => false,
    }
}

/// Relations of programs whose second event comes after the first by program order or reads-from.
fn is_looking_back(name: &str) -> bool {
    matches!(name, "po" | "po-loc" | "rf" | "rfi" | "rfe" | "rmw" | "amo" | "lxsx")
        || memory::graph::Dependency::named(name).is_some()
}

/// Whether the first event of a pair comes before the second by program order and reads-from, or is it.
fn looks_back(graph: &Graph, id: NodeId) -> bool {
    match graph.node(id) {
        Node::Pairs(name) => is_looking_back(name) || &**name == "id",
        Node::Identity(_) | Node::NoPairs => true,
        Node::Union(a, b) | Node::Sequence(a, b) => looks_back(graph, *a) && looks_back(graph, *b),
        Node::Intersection(a, b) => looks_back(graph, *a) || looks_back(graph, *b),
        Node::Difference(a, _) | Node::From(_, a) | Node::To(a, _) => looks_back(graph, *a),
        _ => false,
    }
}

/// Whether the second event of a pair comes before the first, or is it.
fn looks_ahead(graph: &Graph, id: NodeId) -> bool {
    match graph.node(id) {
        Node::Inverse(a) => looks_back(graph, *a),
        Node::Identity(_) | Node::NoPairs => true,
        Node::Union(a, b) | Node::Sequence(a, b) => looks_ahead(graph, *a) && looks_ahead(graph, *b),
        Node::Intersection(a, b) => looks_ahead(graph, *a) || looks_ahead(graph, *b),
        Node::Difference(a, _) | Node::From(_, a) | Node::To(a, _) => looks_ahead(graph, *a),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(name: &str) -> Result<Axioms, Why> {
        let mut program = Program::new(ir::DataModel::Lp64);
        (program.model, program.axioms) =
            (Model::Cat, Some(Arc::new(ir::Axioms { name: name.to_string(), ..ir::Axioms::default() })));
        axioms(&program)
    }

    #[test]
    fn models_are_refused_by_name() {
        for name in FOLLOWED {
            assert!(asked(name).is_ok(), "{name}");
        }
        for name in ["imm", "aarch64", "power", "linux-kernel"] {
            let Err(Why::Unsupported { what, .. }) = asked(name) else { panic!("{name} is not refused") };
            assert!(what.contains(name), "{what}");
        }
    }
}
