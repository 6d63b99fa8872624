//! Which axioms judge a program that sends messages? Those of its protocol for the messages, and sequential consistency for what its processes share beside them.
//!
//! A model in `models/protocols/` speaks of sends and receives as writes and reads, and of nothing else. A program of threads has more events: memory, starts and joins. So the model is
//! read with its words narrowed to messages ([`wrapped`]). All else is memory that threads use one after the other; and one axiom says that there is time: what is received was sent
//! before, in an order of all events that agrees with that of memory. Programs are run in time whatever a protocol says, so this holds for models without `causality` too.
//!
//! **Executions that are not over.** Axioms such as `no-loss` are about whole executions: a message may be under way while something goes wrong. An axiom whose truth in an execution implies that in each of its
//! beginnings (all that some events need, by program order and reads-from) can be asked of executions that stop early, such as those of a loop that was cut; the others cannot
//! ([`is_closed`]).

use super::monotone::is_monotone;
use ir::{Model, Program, Span, Why};
use memory::cat::{Check, Graph, is_protocol};
use std::collections::BTreeSet;

/// What is said before a protocol, which then speaks of messages only.
const NARROWED: &str = r#"
let memory = M \ Message
let memory-com = (co | fr) & (memory * memory)
acyclic po | rf | memory-com as time

let messages = Message * Message
let R = R & Message
let W = W & Message
let M = M & Message
let IW = IW & Message
let po = po & messages
let rf = rf & messages
let co = co & messages
let loc = loc & messages
let fr = (rf^-1 ; co) \ id
let po-loc = po & loc
let rfi = rf & int
let rfe = rf & ext
let coi = co & int
let coe = co & ext
let fri = fr & int
let fre = fr & ext
"#;

/// The file that a model is narrowed in.
pub(super) const FILE: &str = "a-program-with-messages.cat";

/// Patterns of ours that hold in each beginning of an execution in which they hold, though their form does not show it: what they ask of a receive is in its past.
const CLOSED: [&str; 3] = ["blocking", "fifo", "no-gap"];

/// The text of a model for programs with messages.
pub(super) fn wrapped(name: &str) -> String {
    let file = if is_protocol(&format!("{name}.cat")) { format!("{name}.cat") } else { name.to_string() };
    format!("\"{name}\"\n{NARROWED}\ninclude \"{file}\"\n")
}

/// Whether an axiom that allows an execution allows each of its beginnings.
pub(crate) fn is_closed(graph: &Graph, check: &Check, is_ours: bool) -> bool {
    let by_name = is_ours && CLOSED.contains(&check.name.as_str());
    !check.is_negated && (by_name || is_monotone(graph, check.node, &mut BTreeSet::new()))
}

/// Why an engine cannot be asked about the messages of a program, or about a program without any under a protocol.
pub(crate) fn refused(program: &Program, engine: &str) -> Option<Why> {
    let name = program.axioms.as_ref().filter(|_| program.model == Model::Cat).map(|axioms| axioms.name.as_str());
    let file = |name: &str| format!("{}.cat", name.strip_suffix(".cat").unwrap_or(name));
    let is_ours = program.axioms.as_ref().is_some_and(|axioms| axioms.files.is_empty());
    let refuse = |span: Span, what: String| Some(Why::Unsupported { span, what });
    let protocols = "a protocol is asked for by --model udp, tcp, tcp-buffered, mqtt, dds, quic, rpc or a file";
    match (program.first_message(), name) {
        (None, Some(name)) if is_ours && is_protocol(&file(name)) => {
            refuse(Span::NOWHERE, format!("the protocol {name} for a program that sends no messages (ravel/net.h)"))
        }
        (None, _) => None,
        (Some(first), None) => {
            refuse(first.span, format!("a message under the memory model {}; {protocols}", program.model))
        }
        (Some(first), Some(name)) if is_ours && !is_protocol(&file(name)) => {
            refuse(first.span, format!("a message under the memory model {name}; {protocols}"))
        }
        (Some(first), Some(_)) if engine != "bmc" => refuse(first.span, format!("a message in the engine {engine}")),
        _ => None,
    }
}
