//! Which memory models say of a part of an execution what they say of the whole? Those whose axioms are monotone.
//!
//! Who looks at some events of an execution only, and at some of what relates them, may conclude that there is no such execution if an axiom forbids that part.
//! For this more events and more pairs must never make an axiom hold again: no axiom may ask for something that is not there, except
//! for what two events are by themselves (their kinds, tags, threads and places). Further, values must not come out of thin air: program order and
//! reads-from together must have no cycles, so that who follows values from write to read, beginning with what is there at first, meets all of them. That is
//! known of these models: `sc` and `rc11` say so in an axiom; under `tso` and `pso` a read stays before what follows it, and a write
//! before who reads it elsewhere.

use super::axioms::Axioms;
use ir::{Model, Program, Span, Why};
use memory::cat::{Graph, Node, NodeId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The models that have no values out of thin air.
const FOLLOWED: [&str; 4] = ["sc", "tso", "pso", "rc11"];

/// The axioms of a program's model, if they can be asked about parts of executions.
pub(crate) fn axioms(program: &Program) -> Result<Axioms, Why> {
    let refuse = |what: String| Why::Unsupported { span: Span::NOWHERE, what };
    let given = program.axioms.as_deref().filter(|_| program.model == Model::Cat);
    let name = given.map_or(program.model.name(), |axioms| &axioms.name);
    let stem = name.strip_suffix(".cat").unwrap_or(name);
    let is_ours = given.is_none_or(|axioms| axioms.files.is_empty());
    if !FOLLOWED.contains(&stem) || !is_ours {
        return Err(refuse(format!(
            "the memory model {name} in an engine that looks at threads one by one, which knows sc, tso, pso and rc11"
        )));
    }
    let mapping = given.map_or_else(String::new, |axioms| axioms.mapping.clone());
    let own = ir::Axioms { name: format!("{stem}.cat"), files: Vec::new(), mapping };
    let asked = Program { axioms: Some(Arc::new(own)), model: Model::Cat, ..Program::new(program.data_model) };
    let axioms = Axioms::of(&asked)?;
    if let Some(why) = axioms.refused(name) {
        return Err(why);
    }
    match axioms.not_monotone() {
        Some(check) => Err(refuse(format!("the memory model {name}, whose axiom {} is not monotone", check.name))),
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
