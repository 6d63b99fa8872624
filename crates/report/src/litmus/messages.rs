//! Which messages does an execution of a program have? Its sends and receives alone, in the lanes of the processes that have some.

use super::told::{Graph, Role, Told};
use crate::answer::{Answer, Outcome};

/// What goes wrong in a program that sends messages, as an execution of messages to draw; none if it has none.
pub fn messages(answer: &Answer) -> Option<Told> {
    let (Outcome::Unsafe { story, .. }, Some(graph)) = (&answer.outcome, &answer.graph) else { return None };
    let (threads, own) = of(&story.threads, graph)?;
    let name = answer.input.clone();
    Some(Told { name, model: answer.model.clone(), threads, graphs: vec![own], ..Told::default() })
}

/// The names of the processes with messages, and the graph of these.
fn of(threads: &[String], graph: &Graph) -> Option<(Vec<String>, Graph)> {
    let is_message = |event: &usize| graph.roles.get(*event).is_some_and(|role| *role != Role::Access);
    let kept: Vec<usize> = (0..graph.events.len()).filter(is_message).collect();
    let mut lanes: Vec<usize> = kept.iter().filter_map(|event| graph.events[*event].0).collect();
    lanes.sort_unstable();
    lanes.dedup();
    if kept.is_empty() {
        return None;
    }
    let number = |event: usize| kept.iter().position(|other| *other == event);
    let lane = |thread: Option<usize>| lanes.iter().position(|other| Some(*other) == thread);
    let relation = |(name, pairs): &(String, Vec<(usize, usize)>)| {
        let own = pairs.iter().filter_map(|(from, to)| Some((number(*from)?, number(*to)?)));
        (name.clone(), own.collect::<Vec<_>>())
    };
    let own = Graph {
        state: "what goes wrong".to_string(),
        events: kept.iter().map(|event| (lane(graph.events[*event].0), graph.events[*event].1.clone())).collect(),
        roles: kept.iter().map(|event| graph.roles[*event]).collect(),
        relations: graph.relations.iter().map(relation).filter(|(_, pairs)| !pairs.is_empty()).collect(),
        ..Graph::default()
    };
    let name = |thread: &usize| threads.get(*thread).cloned().unwrap_or_else(|| format!("thread {thread}"));
    Some((lanes.iter().map(name).collect(), own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_and_threads_without_messages_are_left_out() {
        let event = |thread, label: &str| (Some(thread), label.to_string());
        let graph = Graph {
            events: vec![event(0, "W x=1"), event(1, "send a=1 :3"), event(2, "W y=1"), event(2, "receive a=1 :9")],
            roles: vec![Role::Access, Role::Send, Role::Access, Role::Receive],
            relations: vec![("po".to_string(), vec![(2, 3)]), ("rf".to_string(), vec![(1, 3)])],
            ..Graph::default()
        };
        let threads = ["main", "one", "other"].map(str::to_string);
        let (lanes, own) = of(&threads, &graph).expect("there is a message");
        assert_eq!(lanes, ["one", "other"]);
        assert_eq!(own.events.iter().map(|(lane, _)| *lane).collect::<Vec<_>>(), [Some(0), Some(1)]);
        assert_eq!(own.relations, [("rf".to_string(), vec![(0, 1)])]);
        assert!(of(&threads, &Graph { roles: vec![Role::Access; 4], ..graph }).is_none());
    }
}
