//! The axioms of a program: its memory model in cat, and how its accesses are compiled.
//!
//! Shared by who looks for executions (`bmc`) and who checks what was found (`judged`).

use super::messages;
use super::monotone::is_monotone;
use ir::{Program, Span, Why};
use memory::cat::syntax::ast::Severity;
use memory::cat::{Check, Model, Node};
use memory::graph::Dependency;
use memory::graph::mapping::Mapping;
use std::collections::BTreeSet;

/// The model of a program whose model is axioms, and how its accesses are compiled.
pub(crate) struct Axioms {
    pub(crate) model: Model,
    pub(crate) mapping: &'static Mapping,
    is_ours: bool,
    /// Whether the program sends messages, and the model is a protocol.
    pub(crate) has_messages: bool,
}

impl Axioms {
    /// Reads the axioms of a program.
    pub(crate) fn of(program: &Program) -> Result<Axioms, Why> {
        let refuse = |what: String| Why::Unsupported { span: Span::NOWHERE, what };
        let given = program.axioms.as_ref().ok_or_else(|| refuse("a memory model without axioms".to_string()))?;
        let has_messages = program.first_message().is_some();
        let read = |wanted: &str| {
            if wanted == messages::FILE {
                return Some((wanted.to_string(), messages::wrapped(&given.name)));
            }
            let found = given.files.iter().find(|(name, _, _)| name == wanted);
            found.map(|(_, path, text)| (path.clone(), text.clone()))
        };
        let name = if has_messages { messages::FILE } else { &given.name };
        let model = memory::cat::load(name, &read, &Default::default());
        let model =
            model.map_err(|problem| refuse(format!("the memory model {}: {}", given.name, problem.0.message)))?;
        let default = Mapping::of(&model, "");
        let mapping = match Mapping::named(&given.mapping) {
            _ if given.mapping.is_empty() => default,
            None => return Err(refuse(format!("the compiler mapping {}", given.mapping))),
            Some(named) if named.machine == default.machine => named,
            Some(named) => {
                let (model, machine) = (&given.name, default.machine);
                let what =
                    format!("the compiler mapping {} with {model}, whose events are those of {machine}", named.name);
                return Err(refuse(what));
            }
        };
        Ok(Axioms { model, mapping, is_ours: given.files.is_empty(), has_messages })
    }

    /// The axioms that can be asked of executions that are not over, where there are messages: those that hold in each beginning of what they allow.
    pub(crate) fn of_beginnings(&self) -> Vec<&Check> {
        let Model { outcome, .. } = &self.model;
        let forbids = outcome.checks.iter().filter(|check| check.severity == Severity::Forbids);
        forbids.filter(|check| messages::is_closed(&outcome.graph, check, self.is_ours)).collect()
    }

    /// The flags by which the model says that an execution has a data race.
    pub(crate) fn races(&self) -> impl Iterator<Item = &Check> {
        self.model.outcome.checks.iter().filter(|check| check.severity == Severity::Flags && is_race(&check.name))
    }

    /// An axiom that may forbid a part of an execution and allow the whole.
    pub(crate) fn not_monotone(&self) -> Option<&Check> {
        let Model { outcome, .. } = &self.model;
        let mut forbids = outcome.checks.iter().filter(|check| check.severity == Severity::Forbids);
        forbids.find(|check| check.is_negated || !is_monotone(&outcome.graph, check.node, &mut BTreeSet::new()))
    }

    /// Whether the model asks what depends on what.
    pub(crate) fn minds_dependencies(&self) -> bool {
        let is_one = |node: &Node| matches!(node, Node::Pairs(name) if Dependency::named(name).is_some());
        self.model.outcome.graph.iter().any(|(_, node)| is_one(node))
    }

    /// What the model asks for that programs cannot give, if anything.
    pub(crate) fn refused(&self, name: &str) -> Option<Why> {
        let refuse = |what: String| Some(Why::Unsupported { span: Span::NOWHERE, what });
        if self.model.is_dynamic {
            return refuse(format!("the memory model {name}, which looks into single executions, for programs"));
        }
        if self.model.mentions_branches() {
            return refuse(format!("the memory model {name}, which speaks of branches as events (B), for programs"));
        }
        let beyond = |check: &&Check| matches!(check.severity, Severity::Undefines | Severity::Asserts);
        let check = self.model.outcome.checks.iter().find(beyond)?;
        refuse(format!("the memory model {name} for programs: its test {} is no axiom and no flag", check.name))
    }
}

/// Whether a flag of this name is about data races.
pub(crate) fn is_race(name: &str) -> bool {
    name.contains("race")
}
