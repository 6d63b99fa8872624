//! Which sets and relations may a model use without defining them?
//!
//! The tables list what executions can have, in the spellings that models use; a name that is neither here nor defined is an error
//! at its place. Names of sets are compared with the tags of events regardless of case, because some models write `MFENCE` and
//! some `mfence`. What a name means in an execution is said in `execution::base`.
//!
//! Names that herd gives a meaning and executions here do not have may be mentioned, because libraries do; an axiom about one is refused by its name: an empty set in its place would be a wrong answer. The exception are the files of Arm's
//! models, which speak of translation tables and memory tags: there these names, and `B` and `T`, stand only beside implicit accesses, which no execution here has. `T` is a tag there; everywhere else it is the set of all events that
//! happen, and `B` that of branches (\[Bajczi22] ch. 2.3.1 and 4.4).

use ir::source::Sources;

/// Sets of events.
const SETS: &[&str] = &[
    // Kinds of events.
    "R",
    "W",
    "M",
    "F",
    "B",
    "BCC",
    "IW",
    "FW",
    "RMW",
    "A",
    "I",
    "NA",
    "Exp",
    "NExp",
    "Imp",
    "T",
    "SPURIOUS",
    "FAULT",
    "X",
    "EX",
    "Init",
    "INIT",
    "VISIBLE",
    // Arm.
    "L",
    "Q",
    "NoRet",
    "ISB",
    "DMB",
    "DSB",
    "Tag",
    "PTE",
    "PTEV",
    "PTEINV",
    "PTEAF0",
    "D-PTE",
    "TTD",
    "HU",
    "Instr",
    "Restricted-CMODX",
    "Within-CMODX-List",
    "TLBI",
    "TLBIIS",
    "TLBInXS",
    "TLBI.ALL",
    "MMU",
    "Translation",
    "AccessFlag",
    "Permission",
    "TagCheck",
    "EXC-ENTRY",
    "EXC-RET",
    "ERET",
    "SVC",
    "DC",
    "IC",
    "DC.CVAU",
    "IC.IVAU",
    "IC.IALLU",
    "IC.IALLUIS",
    "ATag",
    "GIC",
    "EPTE",
    // x86.
    "MFENCE",
    "SFENCE",
    "LFENCE",
    "mfence",
    "sfence",
    "lfence",
    // Power.
    "SYNC",
    "LWSYNC",
    "EIEIO",
    "ISYNC",
    "sync",
    "lwsync",
    "eieio",
    "isync",
    // RISC-V.
    "Acq",
    "Rel",
    "AcqRel",
    "Sc",
    "AMO",
    "Fence.tso",
    "Fence.i",
    "RCsc",
    // C.
    "RLX",
    "ACQ",
    "REL",
    "ACQ_REL",
    "SC",
    "CON",
    "NAL",
    "LK",
    "LS",
    "UL",
    "WEAK",
    // The kernel.
    "Once",
    "Acquire",
    "Release",
    "Noreturn",
    "Mb",
    "Wmb",
    "Rmb",
    "Barrier",
    "ONCE",
    "ACQUIRE",
    "RELEASE",
    "NORETURN",
    "MB",
    "WMB",
    "RMB",
    "BARRIER",
    "Rcu-lock",
    "Rcu-unlock",
    "Sync-rcu",
    "Before-atomic",
    "After-atomic",
    "After-spinlock",
    "After-unlock-lock",
    "After-srcu-read-unlock",
    "Srcu-lock",
    "Srcu-unlock",
    "Sync-srcu",
    "LKR",
    "LKW",
    "LF",
    "RL",
    "RU",
    "SRCU",
    // Messages.
    "Message",
    "Try",
    "Reliable",
    "BestEffort",
    "QoS0",
    "QoS1",
    "QoS2",
    "Datagram",
    "Request",
    "Reply",
    "AtMostOnce",
];

/// Prefixes of sets that come in many forms.
const SET_PREFIXES: &[&str] = &["DMB.", "DSB.", "Fence.", "fence.", "DC.", "IC.", "TLBI", "PTE"];

/// Relations.
const RELATIONS: &[&str] = &[
    "po",
    "rf",
    "co",
    "loc",
    "int",
    "ext",
    "id",
    "addr",
    "data",
    "ctrl",
    "rmw",
    "amo",
    "lxsx",
    "si",
    "sm",
    "same-instance",
    "casdep",
    "pick",
    "sca-class",
    "same-tag-loc",
    "same-low-order-bits",
    "inv-scope",
    "inv-domain",
    "tc-before",
    "PTEtoPA",
    "instr-rmw",
    "fault-loc",
    "same-host",
    "same-segment",
];

/// Sets of events that no execution here has: what they stand for is refused by the front end. That they are empty is known before any
/// execution, which spares models that enumerate over them from being run for each.
const NEVER: &[&str] = &[
    "PTE",
    "PTEV",
    "PTEINV",
    "PTEAF0",
    "D-PTE",
    "I-PTE",
    "TTD",
    "HU",
    "Instr",
    "Restricted-CMODX",
    "Within-CMODX-List",
    "MMU",
    "D-MMU",
    "Translation",
    "AccessFlag",
    "Permission",
    "TagCheck",
    "EXC-ENTRY",
    "EXC-RET",
    "ERET",
    "SVC",
    "ATag",
    "GIC",
    "EPTE",
    "SPEC",
    "FAULT",
    "SPURIOUS",
    "AF",
    "DB",
    "Tag",
    "NExp",
    "Imp",
    "SME",
    "SVE",
];

/// Names that mean nothing here, and what they are about.
const UNMEANT: &[(&str, &str)] = &[
    ("Rreg", "reads of registers"),
    ("Wreg", "writes of registers"),
    ("rf-reg", "reads of registers"),
    ("depend", "reads of registers"),
    ("ADDR", "ports of instructions"),
    ("DATA", "ports of instructions"),
    ("NDATA", "ports of instructions"),
    ("iico_data", "order inside of instructions"),
    ("iico_ctrl", "order inside of instructions"),
    ("iico_order", "order inside of instructions"),
    ("partial-po", "order inside of instructions"),
    ("PoD", "points of decision"),
    ("BR", "predictions of branches"),
    ("equivalent-event", "events of two runs"),
    ("D", "caches"),
    ("P", "plain events of an architecture"),
    ("UB", "undefined behaviour as events"),
    ("ATOMIC", "scopes of graphics processors"),
    ("STRONG", "scopes of graphics processors"),
];

/// Words that only the files of Arm's models with translation tables and memory tags have.
const OF_TRANSLATION: &[&str] = &["Imp", "NExp", "TagCheck", "TTD", "PTE"];

/// Prefixes of such sets.
const NEVER_PREFIXES: &[&str] = &["DC.", "IC.", "TLBI", "PTE"];

/// Whether a set is empty in all executions.
pub(crate) fn is_never(name: &str) -> bool {
    NEVER.contains(&name) || matches!(name, "DC" | "IC") || NEVER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// What a name means that the tables do not say.
pub(crate) enum Special {
    AllEvents,
    Branches,
    NoEvents,
    NoPairs,
}

/// The meaning of a name that depends on the model, as far as it was read.
pub(crate) fn special(name: &str, model: &Sources) -> Option<Special> {
    match name {
        // Events of what is done only in part: here none is.
        "EXEC" => return Some(Special::AllEvents),
        "T" | "B" | "BCC" => {}
        _ => _ = unmeant(name)?,
    }
    let is_relation = name.starts_with(|letter: char| letter.is_ascii_lowercase());
    match name {
        _ if mentions(model, OF_TRANSLATION) => Some(if is_relation { Special::NoPairs } else { Special::NoEvents }),
        // The events that happen: there are no others.
        "T" => Some(Special::AllEvents),
        "B" | "BCC" => Some(Special::Branches),
        _ => None,
    }
}

/// What a name is about that means nothing here.
pub(crate) fn unmeant(name: &str) -> Option<&'static str> {
    UNMEANT.iter().find(|(unmeant, _)| *unmeant == name).map(|(_, about)| *about)
}

/// Whether a model mentions one of these words.
pub(crate) fn mentions(model: &Sources, words: &[&str]) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '-');
    // The standard library comes first.
    let mut lines = model.files.iter().skip(1).flat_map(|file| file.lines.values());
    lines.any(|line| line.split(|letter| !is_part(letter)).any(|word| words.contains(&word)))
}

/// Whether executions may have a set of this name.
pub(crate) fn is_set(name: &str) -> bool {
    let is_unmeant = unmeant(name).is_some() && !name.starts_with(|letter: char| letter.is_ascii_lowercase());
    SETS.contains(&name) || is_unmeant || is_never(name) || SET_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether executions have a relation of this name.
pub(crate) fn is_relation(name: &str) -> bool {
    let is_unmeant = unmeant(name).is_some() && name.starts_with(|letter: char| letter.is_ascii_lowercase());
    RELATIONS.contains(&name) || is_unmeant
}

/// The names that are closest to a name that nobody knows, for the message.
pub(crate) fn nearest(name: &str) -> Option<&'static str> {
    let known = SETS.iter().chain(RELATIONS).copied();
    let distance = |other: &str| edits(name, other);
    known.filter(|other| distance(other) <= 1 + name.len() / 5).min_by_key(|other| distance(other))
}

/// How many letters have to be changed, added or removed.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (index, letter) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (at, other) in b.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[at + 1];
            row[at + 1] = changed.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_find_their_neighbours() {
        assert_eq!(nearest("MFENC"), Some("MFENCE"));
        assert_eq!(nearest("something-else-entirely"), None);
        assert!(is_set("DMB.ISHST") && is_relation("rmw") && !is_set("rmw"));
    }
}
