//! What shall hold? A set of things that must not happen, with the field's names for them.

use crate::stmt::CheckKind;

/// One thing that must not happen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Property {
    /// The error call is reached.
    ErrorCall,
    /// An assertion fails.
    Assertion,
    /// Two unordered accesses conflict.
    Race,
    /// Threads wait for each other for ever.
    Deadlock,
    /// An access outside of a live object.
    Deref,
    /// `free` of what is not an allocated object.
    Free,
    /// At the end an allocated object is not reachable any more.
    MemTrack,
    /// At the end an allocated object is not freed.
    MemCleanup,
    /// Signed overflow.
    Overflow,
    /// Division by zero, or of the least number by -1: both trap.
    Division,
    /// The thread library is used in a way that means nothing: unlocking what is not locked, joining twice.
    Misuse,
    /// An execution that never ends.
    Termination,
    /// Threads wait in loops for ever, although they have seen every write.
    Liveness,
}

impl Property {
    /// All of them.
    pub const ALL: [Property; 13] = [
        Property::ErrorCall,
        Property::Assertion,
        Property::Race,
        Property::Deadlock,
        Property::Deref,
        Property::Free,
        Property::MemTrack,
        Property::MemCleanup,
        Property::Overflow,
        Property::Division,
        Property::Misuse,
        Property::Termination,
        Property::Liveness,
    ];

    /// The name in verdicts: `false(no-data-race)`.
    pub fn verdict_name(self) -> &'static str {
        match self {
            Property::ErrorCall | Property::Assertion => "unreach-call",
            Property::Race => "no-data-race",
            Property::Deadlock => "no-deadlock",
            Property::Deref => "valid-deref",
            Property::Free => "valid-free",
            Property::MemTrack => "valid-memtrack",
            Property::MemCleanup => "valid-memcleanup",
            Property::Overflow => "no-overflow",
            Property::Division => "no-division-by-zero",
            Property::Misuse => "no-misuse",
            Property::Termination => "termination",
            Property::Liveness => "liveness",
        }
    }

    /// What must not happen, in words.
    pub fn describe(self) -> &'static str {
        match self {
            Property::ErrorCall => "error call",
            Property::Assertion => "assertion failure",
            Property::Race => "data race",
            Property::Deadlock => "deadlock",
            Property::Deref => "invalid memory access",
            Property::Free => "invalid free",
            Property::MemTrack => "lost memory",
            Property::MemCleanup => "memory not freed at exit",
            Property::Overflow => "signed overflow",
            Property::Division => "invalid division",
            Property::Misuse => "misuse of the thread library",
            Property::Termination => "endless execution",
            Property::Liveness => "waiting for ever",
        }
    }

    /// Whether nobody can tell what a program does after it: undefined behaviour, rather than an end of the process.
    pub fn is_undefined(self) -> bool {
        matches!(self, Property::Deref | Property::Free | Property::Misuse)
    }

    /// The property that a failing check violates; `None` for `Unsupported` and `Bound`.
    pub fn of_check(kind: &CheckKind) -> Option<Property> {
        match kind {
            CheckKind::ErrorCall => Some(Property::ErrorCall),
            CheckKind::Assertion => Some(Property::Assertion),
            CheckKind::Overflow => Some(Property::Overflow),
            CheckKind::Division => Some(Property::Division),
            CheckKind::Deref => Some(Property::Deref),
            CheckKind::Free => Some(Property::Free),
            CheckKind::Misuse(_) => Some(Property::Misuse),
            CheckKind::Unsupported(_) | CheckKind::Bound(_) => None,
        }
    }
}

/// A set of properties.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Properties(u16);

impl Properties {
    /// Nothing is checked.
    pub const NONE: Properties = Properties(0);

    /// The set of some properties.
    pub fn of(properties: &[Property]) -> Properties {
        properties.iter().fold(Properties::NONE, |set, property| set.with(*property))
    }

    /// The set and one more.
    pub fn with(self, property: Property) -> Properties {
        Properties(self.0 | 1 << property as u16)
    }

    /// The set without one property.
    pub fn without(self, property: Property) -> Properties {
        Properties(self.0 & !(1 << property as u16))
    }

    /// All that is in either.
    pub fn union(self, other: Properties) -> Properties {
        Properties(self.0 | other.0)
    }

    /// What is in both.
    pub fn both(self, other: Properties) -> Properties {
        Properties(self.0 & other.0)
    }

    /// The set without those of another one.
    pub fn beyond(self, other: Properties) -> Properties {
        Properties(self.0 & !other.0)
    }

    /// Whether it is checked.
    pub fn has(self, property: Property) -> bool {
        self.0 & (1 << property as u16) != 0
    }

    /// Whether nothing is checked.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those in the set, in a fixed order.
    pub fn iter(self) -> impl Iterator<Item = Property> {
        Property::ALL.into_iter().filter(move |property| self.has(*property))
    }
}
