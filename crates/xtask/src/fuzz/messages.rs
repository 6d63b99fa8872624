//! Do programs in C that send messages mean what litmus tests of messages mean? Each process is written twice.
//!
//! Two or three processes that send, receive and try to receive on one or two topics, with tags. As a C program with `ravel/net.h` each keeps what it received in globals, and `main` asserts, after all have ended, that it is not one of the possible
//! results; as a litmus test the same is asked by `exists`. The enumerator of litmus tests knows the answer. The two share the text of the protocol, and neither front end nor semantics nor search.

use super::subject::{Question, Subject, Truth, Unasked};
use engines::axiomatic::{self, Question as Judged};
use ir::Property;
use logic::Prng;
use std::fmt::Write;

/// Protocols, and tags that each knows.
const PROTOCOLS: [(&str, &[&str]); 7] = [
    ("udp", &[""]),
    ("tcp", &[""]),
    ("tcp-buffered", &[""]),
    ("mqtt", &["", "QoS0", "QoS1", "QoS2"]),
    ("dds", &["", "Reliable", "BestEffort"]),
    ("quic", &["", "Datagram"]),
    ("rpc", &["", "Request", "Reply", "Request AtMostOnce"]),
];

const TOPICS: [&str; 2] = ["x", "y"];

/// What a process does.
#[derive(Clone, Debug)]
enum Do {
    /// Sends a value, perhaps only if it has received something (by number) that is this.
    Send {
        topic: usize,
        value: u64,
        tags: &'static str,
        only_if: Option<(usize, u64)>,
    },
    Receive {
        topic: usize,
        tags: &'static str,
        waits: bool,
    },
}

/// Processes, the protocol, and what each receive shall not have given all at once; 0 is nothing.
#[derive(Clone, Debug)]
struct Messages {
    protocol: &'static str,
    processes: Vec<Vec<Do>>,
    asked: Vec<Vec<u64>>,
}

/// The program of a seed.
pub(super) fn make(seed: u64) -> Box<dyn Subject> {
    let mut random = Prng::new(seed ^ 0x5e4d);
    let (protocol, tags) = PROTOCOLS[(seed % PROTOCOLS.len() as u64) as usize];
    let n_topics = 1 + random.below(2);
    let n_processes = 2 + u64::from(random.below(4) == 0);
    let mut next = 0;
    let (mut processes, mut asked) = (Vec::new(), Vec::new());
    for _ in 0..n_processes {
        let mut process = Vec::new();
        let mut n_received = 0;
        for _ in 0..1 + random.below(if n_processes == 2 { 3 } else { 2 }) {
            let topic = random.below(n_topics) as usize;
            let tags = if random.below(2) == 0 { random.pick(tags) } else { "" };
            if random.below(5) < 2 {
                next += 1;
                let only_if = (n_received > 0 && random.below(3) == 0)
                    .then(|| (random.below(n_received as u64) as usize, random.below(3)));
                process.push(Do::Send { topic, value: next, tags, only_if });
            } else {
                n_received += 1;
                process.push(Do::Receive { topic, tags, waits: random.below(3) == 0 });
            }
        }
        asked.push((0..n_received).map(|_| random.below(next + 1)).collect());
        processes.push(process);
    }
    Box::new(Messages { protocol, processes, asked })
}

impl Messages {
    fn n_received(process: &[Do]) -> usize {
        process.iter().filter(|act| matches!(act, Do::Receive { .. })).count()
    }

    /// What is asked: process, number of the receive and value.
    fn goal(&self) -> Vec<(usize, usize, u64)> {
        let rows = self.asked.iter().enumerate();
        rows.flat_map(|(process, row)| row.iter().enumerate().map(move |(at, value)| (process, at, *value))).collect()
    }

    fn litmus(&self) -> String {
        let value = |value: u64| if value == 0 { "none".to_string() } else { value.to_string() };
        let listed =
            |tags: &str| tags.split(' ').filter(|tag| !tag.is_empty()).fold(String::new(), |s, tag| s + ", " + tag);
        let mut text = "PROTO messages\n{ }\n".to_string();
        for (number, process) in self.processes.iter().enumerate() {
            let _ = writeln!(text, "P{number} {{");
            let mut n = 0;
            for act in process {
                match act {
                    Do::Send { topic, value: sent, tags, only_if } => {
                        let send = format!("send({}, {sent}{});", TOPICS[*topic], listed(tags));
                        let _ = match only_if {
                            Some((at, is)) => writeln!(text, "  if (r{at} == {}) {{ {send} }}", value(*is)),
                            None => writeln!(text, "  {send}"),
                        };
                    }
                    Do::Receive { topic, tags, waits } => {
                        let name = if *waits { "receive" } else { "try_receive" };
                        let _ = writeln!(text, "  int r{n} = {name}({}{});", TOPICS[*topic], listed(tags));
                        n += 1;
                    }
                }
            }
            text += "}\n";
        }
        let goal = self.goal();
        let parts: Vec<String> =
            goal.iter().map(|(process, at, is)| format!("{process}:r{at}={}", value(*is))).collect();
        text + &format!("exists ({})\n", parts.join(" /\\ "))
    }
}

impl Subject for Messages {
    fn text(&self) -> String {
        let value = |value: u64| if value == 0 { "RAVEL_NONE".to_string() } else { value.to_string() };
        let mut text = "#include <assert.h>\n#include <pthread.h>\n#include <ravel/net.h>\n".to_string();
        text += "RAVEL_TOPIC(x);\nRAVEL_TOPIC(y);\n";
        for (number, process) in self.processes.iter().enumerate() {
            (0..Self::n_received(process)).for_each(|at| text += &format!("long long o{number}_{at};\n"));
            let _ = writeln!(text, "static void *p{number}(void *arg) {{");
            let mut n = 0;
            for act in process {
                match act {
                    Do::Send { topic, value: sent, tags, only_if } => {
                        let condition =
                            only_if.map_or_else(String::new, |(at, is)| format!("if (r{at} == {}) ", value(is)));
                        let _ = writeln!(text, "    {condition}ravel_send_as({}, {sent}, \"{tags}\");", TOPICS[*topic]);
                    }
                    Do::Receive { topic, tags, waits } => {
                        let name = if *waits { "ravel_receive_as" } else { "ravel_try_receive_as" };
                        let _ = writeln!(text, "    long long r{n} = {name}({}, \"{tags}\");", TOPICS[*topic]);
                        let _ = writeln!(text, "    o{number}_{n} = r{n};");
                        n += 1;
                    }
                }
            }
            text += "    return 0;\n}\n";
        }
        let n = self.processes.len();
        let _ = writeln!(text, "int main(void) {{\n    pthread_t h[{n}];");
        (0..n).for_each(|number| text += &format!("    pthread_create(&h[{number}], 0, p{number}, 0);\n"));
        (0..n).for_each(|number| text += &format!("    pthread_join(h[{number}], 0);\n"));
        let goal = self.goal();
        let parts: Vec<String> =
            goal.iter().map(|(process, at, is)| format!("o{process}_{at} == {}", value(*is))).collect();
        text + &format!("    assert(!({}));\n    return 0;\n}}\n", parts.join(" && "))
    }

    fn smaller(&self) -> Vec<Box<dyn Subject>> {
        let mut all: Vec<Box<dyn Subject>> = Vec::new();
        for (number, process) in self.processes.iter().enumerate() {
            for (at, _) in process.iter().enumerate().filter(|(_, act)| matches!(act, Do::Send { .. })) {
                let mut less = self.clone();
                less.processes[number].remove(at);
                all.push(Box::new(less));
            }
        }
        all
    }

    fn questions(&self, _: u64) -> Result<Vec<Question>, Unasked> {
        if self.goal().is_empty() {
            return Err(Unasked::Useless("nothing is received".to_string()));
        }
        let model = memory::cat::load(self.protocol, &|_| None, &Default::default()).expect("our models load");
        let test = frontend::litmus::parse("messages.proto.litmus", &self.litmus(), &Default::default());
        let test = test.map_err(|rejected| Unasked::Useless(format!("it is refused: {:?}", rejected.diagnostics)))?;
        let answer = axiomatic::answer(&test, &model, &Judged::default(), &|| false);
        let answer = answer.map_err(|_| Unasked::TooLarge)?;
        let question = Question::new("assert", &[Property::Assertion], Truth::Known(answer.n_positive > 0));
        Ok(vec![Question { axioms: Some(self.protocol), ..question }])
    }
}
