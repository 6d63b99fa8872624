//! What may be said of a message beside its topic and its value? The tags that protocols tell messages apart by.
//!
//! A program that sends and receives (`Order::Message`) does so on cells that hold [`NONE`] at first: a topic. A send is a store; a receive is an attempt to update that always
//! fails, which is but a read, and one that waits does so until it finds something else than `NONE`. What is found is for the model to say: under a protocol
//! nothing was sent before the start, so a receive that finds `NONE` has received nothing.
//!
//! Tags are a closed set, those that the models in `models/protocols/` speak of: a misspelt one would change nothing, and is refused where it stands.

/// What a receive gives that has received nothing: the same number as in litmus tests.
pub const NONE: i64 = i64::MIN;

/// How the names of topics end that programs in C have: what the structure of `ravel/net.h` calls its one member.
pub const FIELD: &str = ".ravel_message";

/// The tags.
pub const TAGS: [&str; 10] =
    ["Try", "Reliable", "BestEffort", "QoS0", "QoS1", "QoS2", "Datagram", "Request", "Reply", "AtMostOnce"];

/// Tags of a message: one bit for each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Marks(u16);

impl Marks {
    /// The tags that a text lists, with blanks or commas between them; the first word that is none if there is one.
    pub fn listed(text: &str) -> Result<Marks, &str> {
        let words = text.split([' ', ',', '\t']).filter(|word| !word.is_empty());
        let mut marks = Marks::default();
        for word in words {
            marks = marks.with(TAGS.iter().position(|tag| *tag == word).ok_or(word)?);
        }
        Ok(marks)
    }

    /// Those of a receive that may come back with nothing.
    pub fn with_try(self) -> Marks {
        self.with(0)
    }

    fn with(self, tag: usize) -> Marks {
        Marks(self.0 | 1 << tag)
    }

    /// Whether a tag is there, however it is written.
    pub fn has(self, name: &str) -> bool {
        self.names().any(|tag| tag.eq_ignore_ascii_case(name))
    }

    /// The tags by name.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        TAGS.iter().enumerate().filter(move |(at, _)| self.0 & 1 << at != 0).map(|(_, tag)| *tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read_and_misspelt_ones_named() {
        let marks = Marks::listed("QoS1, Reply").expect("both are tags");
        assert_eq!(marks.names().collect::<Vec<_>>(), ["QoS1", "Reply"]);
        assert!(marks.has("qos1") && !marks.has("QoS2") && marks.with_try().has("Try"));
        assert_eq!(Marks::listed("QoS1 QoS3"), Err("QoS3"));
        assert_eq!(Marks::listed(""), Ok(Marks::default()));
    }
}
