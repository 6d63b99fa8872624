//! Which sets and relations may a model use without defining them?
//!
//! The tables list what executions can have, in the spellings that models use; a name that is neither here nor defined is an error
//! at its place. Names of sets are compared with the tags of events regardless of case, because some models write `MFENCE` and
//! some `mfence`. What a name means in an execution is said in `execution::base`.

/// Sets of events.
const SETS: &[&str] = &[
    // Kinds of events.
    "R",
    "W",
    "M",
    "F",
    "B",
    "BR",
    "PoD",
    "BCC",
    "IW",
    "FW",
    "RMW",
    "A",
    "I",
    "P",
    "NA",
    "Exp",
    "NExp",
    "Imp",
    "T",
    "D",
    "UB",
    "SPURIOUS",
    "FAULT",
    "Rreg",
    "Wreg",
    "ADDR",
    "DATA",
    "NDATA",
    "X",
    "EX",
    "Init",
    "INIT",
    "VISIBLE",
    "ATOMIC",
    "STRONG",
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
    "sca-class",
    "iico_data",
    "iico_ctrl",
    "iico_order",
    "depend",
    "rf-reg",
    "same-tag-loc",
    "same-low-order-bits",
    "inv-scope",
    "inv-domain",
    "tc-before",
    "PTEtoPA",
    "partial-po",
    "instr-rmw",
    "fault-loc",
    "equivalent-event",
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
    "T",
    "Tag",
    "Rreg",
    "Wreg",
    "B",
    "BR",
    "PoD",
    "BCC",
    "ADDR",
    "DATA",
    "NDATA",
    "NExp",
    "Imp",
    "SME",
    "SVE",
    "D",
    "P",
];

/// Prefixes of such sets.
const NEVER_PREFIXES: &[&str] = &["DC.", "IC.", "TLBI", "PTE"];

/// Whether a set is empty in all executions.
pub(crate) fn is_never(name: &str) -> bool {
    NEVER.contains(&name) || matches!(name, "DC" | "IC") || NEVER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether executions may have a set of this name.
pub(crate) fn is_set(name: &str) -> bool {
    SETS.contains(&name) || is_never(name) || SET_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether executions have a relation of this name.
pub(crate) fn is_relation(name: &str) -> bool {
    RELATIONS.contains(&name)
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
