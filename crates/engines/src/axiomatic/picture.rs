//! What of an execution is worth showing: its events in words, its relations, and the cycles that forbid it.

use memory::cat::syntax::ast::Shape;
use memory::cat::{Bound, Check, Graph, Node, Values};
use memory::execution::{Kind, Role};
use memory::relation::{EventSet, Relation};

use super::answer::{ShownEvent, Violation};
use super::search::{Search, Source};

/// The events of a complete execution in words: `W[Rel] x=1`, `send x=1`.
pub(super) fn events(search: &Search<'_, '_>) -> Vec<ShownEvent> {
    let test = search.test;
    let label = |index: usize| {
        let event = &search.skeleton.events[index];
        let kind = match event.kind {
            Kind::Read if test.dialect.has_messages() => "receive",
            Kind::Write if test.dialect.has_messages() => "send",
            Kind::Read => "R",
            Kind::Write => "W",
            Kind::Fence if event.role == Role::Branch => "branch",
            Kind::Fence => "F",
        };
        let tags = if event.tags.is_empty() { String::new() } else { format!("[{}]", event.tags.join(",")) };
        let place = search.cells[index].map_or(String::new(), |cell| format!(" {}", test.show_value(cell, 8, true)));
        let value = match (event.kind, search.value_of(index)) {
            (Kind::Fence, _) | (_, None) => String::new(),
            (_, Some(value)) => format!("={}", test.show_value(value, event.size, true)),
        };
        format!("{kind}{tags}{place}{value}")
    };
    let shown = |(index, event): (usize, &memory::execution::Event<'_>)| ShownEvent {
        thread: event.thread,
        kind: event.kind,
        is_sourceless: search.source[index] == Source::Nothing,
        label: label(index),
        span: event.span,
        instance: event.instance,
    };
    search.skeleton.events.iter().enumerate().map(shown).collect()
}

/// The relations that every picture has; those that are empty are left out.
pub(super) fn relations(search: &Search<'_, '_>) -> Vec<(String, Relation)> {
    let skeleton = search.skeleton;
    let n = skeleton.events.len();
    let mut inverse = Relation::empty(n);
    inverse.inverse(&search.rf);
    let mut fr = Relation::empty(n);
    fr.compose(&inverse, &search.co);
    let mut rmw = skeleton.amo.clone();
    rmw.union(&skeleton.lxsx);
    let named = [
        ("po", skeleton.po.clone()),
        ("rf", search.rf.clone()),
        ("co", search.co.clone()),
        ("fr", fr),
        ("addr", skeleton.addr.clone()),
        ("data", skeleton.data.clone()),
        ("ctrl", skeleton.ctrl.clone()),
        ("rmw", rmw),
    ];
    named
        .into_iter()
        .filter(|(_, relation)| !relation.is_empty())
        .map(|(name, relation)| (name.to_string(), relation))
        .collect()
}

/// Sets of events that are not empty: what events do, what the model asks of them, and what it defines.
pub(super) fn sets(search: &Search<'_, '_>, values: &Values) -> Vec<(String, EventSet)> {
    let outcome = &search.model.outcome;
    let asked = outcome.graph.iter().filter_map(|(_, node)| match node {
        Node::Events(name) if &**name != "FW" => Some(&**name),
        _ => None,
    });
    let mut sets: Vec<(String, EventSet)> = Vec::new();
    for name in ["W", "R", "F", "IW"].into_iter().chain(asked) {
        if !sets.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
            sets.push((name.to_string(), search.skeleton.named_set(name, &search.cells)));
        }
    }
    for (name, node) in &outcome.sets {
        if !sets.iter().any(|(known, _)| known == name) {
            sets.push((name.clone(), values.set(*node, Bound::Lower).clone()));
        }
    }
    sets.retain(|(_, set)| !set.is_empty());
    sets
}

/// How an axiom is violated.
pub(super) fn violation(graph: &Graph, values: &Values, check: &Check) -> Violation {
    let cycle = if graph.is_set(check.node) {
        values.set(check.node, Bound::Lower).iter().collect()
    } else {
        let relation = values.relation(check.node, Bound::Lower);
        match check.shape {
            Shape::Acyclic => relation.shortest_cycle().unwrap_or_default(),
            Shape::Irreflexive => {
                (0..relation.universe()).find(|&event| relation.contains(event, event)).into_iter().collect()
            }
            Shape::Empty => relation.iter().next().map_or(Vec::new(), |(a, b)| vec![a, b]),
        }
    };
    Violation { axiom: check.name.clone(), span: check.span, cycle, is_set: graph.is_set(check.node) }
}
