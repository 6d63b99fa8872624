//! What is there to tell about a litmus test? Plain data, so that this crate need not know engines or models.

/// A test with its answer.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// The name of the test.
    pub name: String,
    /// The name of the model.
    pub model: String,
    /// `Allowed`, `Forbidden` or `Required`: how the condition is meant.
    pub kind: String,
    /// The condition with its quantifier.
    pub condition: String,
    /// Whether it holds, if that is known.
    pub holds: Option<bool>,
    /// Whether there may be more executions than were looked at.
    pub is_bounded: bool,
    /// Final states in words, with the number of executions and whether the condition holds.
    pub states: Vec<(String, u64, bool)>,
    /// Executions in which the condition holds.
    pub n_positive: u64,
    /// Executions in which it does not.
    pub n_negative: u64,
    /// Flags that some execution raises.
    pub flags: Vec<String>,
    /// Whether a flag means that behaviour is undefined (a data race in C).
    pub is_undefined: bool,
    /// What there is to say besides: loops that were cut off.
    pub notes: Vec<String>,
    /// `Hash=` and such lines of the test.
    pub hash: Option<String>,
    /// Seconds it took.
    pub seconds: f64,
    /// The text of the test.
    pub source: Vec<String>,
    /// Names of the threads.
    pub threads: Vec<String>,
    /// Executions to draw.
    pub graphs: Vec<Graph>,
}

/// What an event of a test with messages does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Sends.
    Send,
    /// Receives a message.
    Receive,
    /// Receives nothing.
    ReceiveNothing,
    /// Is no message: an access of memory or a fence.
    Access,
}

/// An axiom that forbids an execution.
#[derive(Clone, Debug, Default)]
pub struct Violated {
    /// Its name.
    pub axiom: String,
    /// Where it stands in the model.
    pub place: String,
    /// The events on the cycle, or the pair; or what is in a set that should be empty.
    pub events: Vec<usize>,
    /// Whether the events are a set, in no order.
    pub is_set: bool,
}

/// An execution to draw.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The final state in words.
    pub state: String,
    /// Whether the condition holds.
    pub is_positive: bool,
    /// Events: the thread (none for initial writes) and the text.
    pub events: Vec<(Option<usize>, String)>,
    /// In tests with messages, what each event does; otherwise empty.
    pub roles: Vec<Role>,
    /// Relations by name.
    pub relations: Vec<(String, Vec<(usize, usize)>)>,
    /// Sets of events by name.
    pub sets: Vec<(String, Vec<usize>)>,
    /// Flags it raises.
    pub flags: Vec<String>,
    /// Axioms that forbid it.
    pub violated: Vec<Violated>,
}

impl Graph {
    /// The relations that hold between two events, by name.
    pub(super) fn names(&self, from: usize, to: usize) -> Vec<&str> {
        let holds = |pairs: &[(usize, usize)]| pairs.contains(&(from, to));
        self.relations.iter().filter(|(_, pairs)| holds(pairs)).map(|(name, _)| name.as_str()).collect()
    }

    /// A relation without the pairs that follow by transitivity, for the eye.
    pub(super) fn thinned(&self, name: &str) -> Vec<(usize, usize)> {
        let Some((_, pairs)) = self.relations.iter().find(|(known, _)| known == name) else { return Vec::new() };
        if !matches!(name, "po" | "co" | "hb") {
            return pairs.clone();
        }
        let follows =
            |&(a, b): &(usize, usize)| pairs.iter().any(|&(from, middle)| from == a && pairs.contains(&(middle, b)));
        pairs.iter().filter(|pair| !follows(pair)).copied().collect()
    }
}
