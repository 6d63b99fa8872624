//! Which events does an access of C make under a memory model? The compiler mappings, as tables.
//!
//! Known as: compilation schemes of C11 atomics (the table of Sewell and others, the appendix of the RISC-V manual).
//!
//! Models of C (c11, rc11, imm) talk about C11's orders themselves: the mapping `c11` tags events with these, and adds nothing. The others compile: an access becomes
//! one access of the machine with its tags, with fences before and after. A mapping is a table; what a table has no row for is compiled to nothing but itself, which is the weakest a
//! model knows. Where a machine offers several ways, the one that compilers take by default is found by the fences that the model names, and the others can be named.

use crate::cat::{Model, Node};
use Access::{Fence, Load, Store, Update};
use Order::{AcqRel, Acquire, Plain, Relaxed, Release, SeqCst};
use ir::{Kernel, Order};

/// Tags of an event.
pub type Tags = &'static [&'static str];

/// What is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// A load, or a read-modify-write that fails.
    Load,
    /// A store.
    Store,
    /// A read-modify-write that writes.
    Update,
    /// A fence.
    Fence,
}

/// What an access becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Compiled {
    /// Fences before it, each with its tag.
    pub before: Tags,
    /// The tags of its read.
    pub read: Tags,
    /// The tags of its write.
    pub write: Tags,
    /// Fences after it.
    pub after: Tags,
    /// Whether the first fence after it depends on its read by a branch.
    pub branches: bool,
}

const NONE: Compiled = Compiled { before: &[], read: &[], write: &[], after: &[], branches: false };

/// A fence, or an access with fences before it.
const fn before(fences: Tags) -> Compiled {
    Compiled { before: fences, ..NONE }
}

/// An access with tags for its read and its write.
const fn tags(read: Tags, write: Tags) -> Compiled {
    Compiled { read, write, ..NONE }
}

impl Compiled {
    const fn fences(self, before: Tags, after: Tags) -> Compiled {
        Compiled { before, after, ..self }
    }

    /// With fences that come after a branch on what was read.
    const fn branch(self, after: Tags) -> Compiled {
        Compiled { after, branches: true, ..self }
    }
}

/// What accesses of an order become.
type Row = (Access, Order, Compiled);

/// How C11 is compiled.
#[derive(Clone, Copy, Debug)]
pub struct Mapping {
    /// What it is called.
    pub name: &'static str,
    /// What it does, in words.
    pub describe: &'static str,
    /// The default mapping of the same machine, its own name if it is that.
    pub machine: &'static str,
    /// Sets of which a model for this machine mentions one: so is the default mapping found.
    hint: Tags,
    /// Tables that share no row; several mappings of one machine have most in common.
    rows: &'static [&'static [Row]],
    /// Whether read-modify-writes are pairs of exclusive accesses, rather than single instructions.
    pub uses_exclusives: bool,
}

/// All mappings; the first one is for models that know C11's orders, or none.
pub const MAPPINGS: &[Mapping] = &[
    Mapping {
        name: "c11",
        describe: "events carry C11's orders (RLX ACQ REL ACQ_REL SC) as tags",
        machine: "c11",
        hint: &["RLX", "ACQ_REL"],
        rows: &[C11],
        uses_exclusives: false,
    },
    Mapping {
        name: "sparc",
        describe: "like x86, with a store fence before release stores and for release fences, where stores overtake each other",
        machine: "sparc",
        hint: &["SFENCE"],
        rows: &[SFENCES, LOCKED_UPDATES, MFENCE],
        uses_exclusives: false,
    },
    Mapping {
        name: "x86",
        describe: "a fence after seq_cst stores; read-modify-writes are locked",
        machine: "x86",
        hint: &["MFENCE"],
        rows: &[X86_STORES, LOCKED_UPDATES, MFENCE],
        uses_exclusives: false,
    },
    Mapping {
        name: "x86-leading",
        describe: "a fence before seq_cst loads instead of after stores",
        machine: "x86",
        hint: &[],
        rows: &[X86_LEADING_LOADS, LOCKED_UPDATES, MFENCE],
        uses_exclusives: false,
    },
    Mapping {
        name: "aarch64",
        describe: "LDAR, STLR, atomics of Armv8.1 with their A and L, DMB for fences",
        machine: "aarch64",
        hint: &["DMB.SY", "DMB.ISH"],
        rows: &[LDAR, AARCH64_SHARED],
        uses_exclusives: false,
    },
    Mapping {
        name: "aarch64-exclusives",
        describe: "as Armv8.0 has it: read-modify-writes are loops of LDXR or LDAXR and STXR or STLXR",
        machine: "aarch64",
        hint: &[],
        rows: &[LDAR, AARCH64_SHARED],
        uses_exclusives: true,
    },
    Mapping {
        name: "aarch64-rcpc",
        describe: "as Armv8.3 has it: acquire loads are LDAPR, which may come before an earlier STLR",
        machine: "aarch64",
        hint: &[],
        rows: &[LDAPR, AARCH64_SHARED],
        uses_exclusives: false,
    },
    Mapping {
        name: "aarch64-barriers",
        describe: "as Armv7 has it: plain and exclusive accesses between DMBs",
        machine: "aarch64",
        hint: &[],
        rows: &[AARCH64_BARRIERS],
        uses_exclusives: true,
    },
    Mapping {
        name: "power",
        describe: "leading sync and lwsync, a branch and isync after acquiring reads, lwarx and stwcx.",
        machine: "power",
        hint: &["LWSYNC", "SYNC"],
        rows: &[LEADING_SYNC, LEADING_SYNC_STORES, ISYNC_ACQUIRES, POWER_SHARED],
        uses_exclusives: true,
    },
    Mapping {
        name: "power-trailing",
        describe: "sync after seq_cst accesses instead of before",
        machine: "power",
        hint: &[],
        rows: &[TRAILING_SYNC, ISYNC_ACQUIRES, POWER_SHARED],
        uses_exclusives: true,
    },
    Mapping {
        name: "power-lwsync",
        describe: "lwsync after acquiring reads instead of a branch and isync",
        machine: "power",
        hint: &[],
        rows: &[LWSYNC_ACQUIRES, LEADING_SYNC_STORES, POWER_SHARED],
        uses_exclusives: true,
    },
    Mapping {
        name: "lkmm",
        describe: "relaxed is ONCE, acquire and release are themselves, seq_cst is a full barrier; acquire and release fences are smp_rmb and smp_wmb",
        machine: "lkmm",
        hint: &["Once", "ONCE", "Mb", "MB"],
        rows: &[LKMM, LKMM_WORDS],
        uses_exclusives: false,
    },
    Mapping {
        name: "riscv",
        describe: "fences around loads and stores, annotated AMOs, as the manual's appendix says",
        machine: "riscv",
        hint: &["Fence.rw.rw"],
        rows: &[AMOS, RISCV_SHARED],
        uses_exclusives: false,
    },
    Mapping {
        name: "riscv-lrsc",
        describe: "read-modify-writes are loops of lr and sc with the manual's annotations",
        machine: "riscv",
        hint: &[],
        rows: &[LR_SC, RISCV_SHARED],
        uses_exclusives: true,
    },
];

impl Mapping {
    /// The mapping of that name.
    pub fn named(name: &str) -> Option<&'static Mapping> {
        MAPPINGS.iter().find(|mapping| mapping.name == name)
    }

    /// The mapping for a model that mentions these sets.
    pub fn for_sets(has: &dyn Fn(&str) -> bool) -> &'static Mapping {
        MAPPINGS.iter().find(|mapping| mapping.hint.iter().any(|set| has(set))).unwrap_or(&MAPPINGS[0])
    }

    fn all_rows(&self) -> impl Iterator<Item = &'static Row> {
        self.rows.iter().copied().flatten()
    }

    /// Whether a read-modify-write that fails is locked like one that writes (`Order::Locked`).
    pub fn locks_failures(&self) -> bool {
        self.all_rows().any(|row| row.1 == Order::Locked)
    }

    /// The mapping for a model: the one of this name, or if there is none, the default of the machine whose sets it mentions.
    pub fn of(model: &Model, name: &str) -> &'static Mapping {
        let mentions = |set: &str| {
            let is_it = |node: &Node| matches!(node, Node::Events(other) if &**other == set);
            model.outcome.graph.iter().any(|(_, node)| is_it(node))
        };
        Mapping::named(name).unwrap_or_else(|| Mapping::for_sets(&mentions))
    }

    /// Whether an access or fence of this order means something: words of the kernel do only to its own model.
    pub fn knows(&self, order: Order) -> bool {
        !matches!(order, Order::Kernel(_)) || self.all_rows().any(|row| row.1 == order)
    }

    /// What an access becomes.
    pub fn compile(&self, access: Access, order: Order) -> Compiled {
        // Of an order an access has the half that it can have.
        let order = match (access, order) {
            (_, Order::Guarded) => Plain,
            (Load, Release) | (Store, Acquire) => Relaxed,
            (Load, AcqRel) => Acquire,
            (Store, AcqRel) => Release,
            (Fence, Order::Barrier(barrier)) if barrier.is_of(self.machine) => return before(barrier.tags()),
            (_, Order::Barrier(barrier)) => barrier.as_c11(),
            _ => order,
        };
        let row = |order: Order| self.all_rows().find(|row| (row.0, row.1) == (access, order)).map(|row| row.2);
        // Machines know no read-modify-writes that are not atomic.
        let instead = || if (access, order) == (Update, Plain) { row(Relaxed) } else { None };
        row(order).or_else(instead).unwrap_or(NONE)
    }
}

const C11: &[Row] = &[
    (Load, Plain, tags(&["NA"], &[])),
    (Load, Relaxed, tags(&["A", "RLX"], &[])),
    (Load, Acquire, tags(&["A", "ACQ"], &[])),
    (Load, SeqCst, tags(&["A", "SC"], &[])),
    (Store, Plain, tags(&[], &["NA"])),
    (Store, Relaxed, tags(&[], &["A", "RLX"])),
    (Store, Release, tags(&[], &["A", "REL"])),
    (Store, SeqCst, tags(&[], &["A", "SC"])),
    (Update, Plain, tags(&["NA"], &["NA"])),
    (Update, Relaxed, tags(&["A", "RLX"], &["A", "RLX"])),
    (Update, Acquire, tags(&["A", "ACQ"], &["A", "RLX"])),
    (Update, Release, tags(&["A", "RLX"], &["A", "REL"])),
    (Update, AcqRel, tags(&["A", "ACQ"], &["A", "REL"])),
    (Update, SeqCst, tags(&["A", "SC"], &["A", "SC"])),
    (Fence, Plain, before(&["RLX"])),
    (Fence, Relaxed, before(&["RLX"])),
    (Fence, Acquire, before(&["ACQ"])),
    (Fence, Release, before(&["REL"])),
    (Fence, AcqRel, before(&["ACQ_REL"])),
    (Fence, SeqCst, before(&["SC"])),
];

const LOCKED: Compiled = tags(&["X"], &["X"]);

const LOCKED_UPDATES: &[Row] = &[
    (Load, Order::Locked, tags(&["X"], &[])),
    (Update, Relaxed, LOCKED),
    (Update, Acquire, LOCKED),
    (Update, Release, LOCKED),
    (Update, AcqRel, LOCKED),
    (Update, SeqCst, LOCKED),
];

const MFENCE: &[Row] = &[(Fence, SeqCst, before(&["MFENCE"]))];

const X86_STORES: &[Row] = &[(Store, SeqCst, NONE.fences(&[], &["MFENCE"]))];

const X86_LEADING_LOADS: &[Row] = &[(Load, SeqCst, before(&["MFENCE"]))];

const SFENCES: &[Row] = &[
    (Store, Release, before(&["SFENCE"])),
    (Store, SeqCst, NONE.fences(&["SFENCE"], &["MFENCE"])),
    (Fence, Release, before(&["SFENCE"])),
    (Fence, AcqRel, before(&["SFENCE"])),
];

const LDAR: &[Row] = &[(Load, Acquire, tags(&["A"], &[]))];

/// What does not depend on how an acquire load is made.
const AARCH64_SHARED: &[Row] = &[
    (Load, SeqCst, tags(&["A"], &[])),
    (Store, Release, tags(&[], &["L"])),
    (Store, SeqCst, tags(&[], &["L"])),
    (Update, Acquire, tags(&["A"], &[])),
    (Update, Release, tags(&[], &["L"])),
    (Update, AcqRel, tags(&["A"], &["L"])),
    (Update, SeqCst, tags(&["A"], &["L"])),
    (Fence, Acquire, before(&["DMB.ISHLD"])),
    (Fence, Release, before(&["DMB.ISH"])),
    (Fence, AcqRel, before(&["DMB.ISH"])),
    (Fence, SeqCst, before(&["DMB.ISH"])),
];

const LDAPR: &[Row] = &[(Load, Acquire, tags(&["Q"], &[]))];

const AARCH64_BARRIERS: &[Row] = &[
    (Load, Acquire, NONE.fences(&[], &["DMB.ISH"])),
    (Load, SeqCst, NONE.fences(&[], &["DMB.ISH"])),
    (Store, Release, before(&["DMB.ISH"])),
    (Store, SeqCst, NONE.fences(&["DMB.ISH"], &["DMB.ISH"])),
    (Update, Acquire, NONE.fences(&[], &["DMB.ISH"])),
    (Update, Release, before(&["DMB.ISH"])),
    (Update, AcqRel, NONE.fences(&["DMB.ISH"], &["DMB.ISH"])),
    (Update, SeqCst, NONE.fences(&["DMB.ISH"], &["DMB.ISH"])),
    (Fence, Acquire, before(&["DMB.ISH"])),
    (Fence, Release, before(&["DMB.ISH"])),
    (Fence, AcqRel, before(&["DMB.ISH"])),
    (Fence, SeqCst, before(&["DMB.ISH"])),
];

/// What all ways to Power have in common.
const POWER_SHARED: &[Row] = &[
    (Store, Release, before(&["LWSYNC"])),
    (Update, Relaxed, LOCKED),
    (Update, Release, LOCKED.fences(&["LWSYNC"], &[])),
    (Fence, Acquire, before(&["LWSYNC"])),
    (Fence, Release, before(&["LWSYNC"])),
    (Fence, AcqRel, before(&["LWSYNC"])),
    (Fence, SeqCst, before(&["SYNC"])),
];

const ISYNC_ACQUIRES: &[Row] = &[
    (Load, Acquire, NONE.branch(&["ISYNC"])),
    (Update, Acquire, LOCKED.branch(&["ISYNC"])),
    (Update, AcqRel, LOCKED.fences(&["LWSYNC"], &[]).branch(&["ISYNC"])),
];

const LEADING_SYNC_STORES: &[Row] = &[(Store, SeqCst, before(&["SYNC"]))];

const LEADING_SYNC: &[Row] = &[
    (Load, SeqCst, before(&["SYNC"]).branch(&["ISYNC"])),
    (Update, SeqCst, LOCKED.fences(&["SYNC"], &[]).branch(&["ISYNC"])),
];

const TRAILING_SYNC: &[Row] = &[
    (Load, SeqCst, NONE.fences(&[], &["SYNC"])),
    (Store, SeqCst, NONE.fences(&["LWSYNC"], &["SYNC"])),
    (Update, SeqCst, LOCKED.fences(&["LWSYNC"], &["SYNC"])),
];

const LWSYNC_ACQUIRES: &[Row] = &[
    (Load, Acquire, NONE.fences(&[], &["LWSYNC"])),
    (Load, SeqCst, NONE.fences(&["SYNC"], &["LWSYNC"])),
    (Update, Acquire, LOCKED.fences(&[], &["LWSYNC"])),
    (Update, AcqRel, LOCKED.fences(&["LWSYNC"], &["LWSYNC"])),
    (Update, SeqCst, LOCKED.fences(&["SYNC"], &["LWSYNC"])),
];

/// The kernel's primitives, as C11 can spell them (`docs/memory-models.md`): an acquire fence is `smp_rmb`, which orders less, and so for release. A seq_cst load or store has no
/// counterpart; with a full barrier on its side it is no stronger than C11 says. An update that is a full barrier is a relaxed one between two
/// fences, if it writes, as in litmus tests.
const LKMM: &[Row] = &[
    (Load, Relaxed, tags(&["Once"], &[])),
    (Load, Acquire, tags(&["Acquire"], &[])),
    (Load, SeqCst, tags(&["Acquire"], &[]).fences(&["Mb"], &[])),
    (Store, Relaxed, tags(&[], &["Once"])),
    (Store, Release, tags(&[], &["Release"])),
    (Store, SeqCst, tags(&[], &["Release"]).fences(&[], &["Mb"])),
    (Update, Relaxed, tags(&["Once"], &["Once"])),
    (Update, Acquire, tags(&["Acquire"], &["Once"])),
    (Update, Release, tags(&["Once"], &["Release"])),
    (Update, AcqRel, tags(&["Acquire"], &["Release"])),
    (Update, SeqCst, tags(&["Once"], &["Once"]).fences(&["Mb"], &["Mb"])),
    (Fence, Acquire, before(&["Rmb"])),
    (Fence, Release, before(&["Wmb"])),
    (Fence, AcqRel, before(&["Rmb", "Wmb"])),
    (Fence, SeqCst, before(&["Mb"])),
];

/// What C11 has no word for: the same tags as in litmus tests.
const LKMM_WORDS: &[Row] = &[
    (Update, Order::Kernel(Kernel::NoReturn), tags(&["Noreturn"], &["Once"])),
    (Update, Order::Kernel(Kernel::Lock), tags(&["LKR", "Acquire"], &["LKW"])),
    (Store, Order::Kernel(Kernel::Unlock), tags(&[], &["UL", "Release"])),
    (Load, Order::Kernel(Kernel::Failed), tags(&["Once", "RMW"], &[])),
    (Load, Order::Kernel(Kernel::SrcuLock), tags(&["Srcu-lock"], &[])),
    (Store, Order::Kernel(Kernel::SrcuUnlock), tags(&[], &["Srcu-unlock"])),
    (Load, Order::Kernel(Kernel::SyncSrcu), tags(&["Sync-srcu"], &[])),
    (Fence, Order::Kernel(Kernel::Barrier), before(&["Barrier"])),
    (Fence, Order::Kernel(Kernel::BeforeAtomic), before(&["Before-atomic"])),
    (Fence, Order::Kernel(Kernel::AfterAtomic), before(&["After-atomic"])),
    (Fence, Order::Kernel(Kernel::AfterSpinlock), before(&["After-spinlock"])),
    (Fence, Order::Kernel(Kernel::AfterUnlockLock), before(&["After-unlock-lock"])),
    (Fence, Order::Kernel(Kernel::AfterSrcuReadUnlock), before(&["After-srcu-read-unlock"])),
    (Fence, Order::Kernel(Kernel::RcuLock), before(&["Rcu-lock"])),
    (Fence, Order::Kernel(Kernel::RcuUnlock), before(&["Rcu-unlock"])),
    (Fence, Order::Kernel(Kernel::SyncRcu), before(&["Sync-rcu"])),
];

/// Loads, stores and fences, which are the same for both kinds of read-modify-writes.
const RISCV_SHARED: &[Row] = &[
    (Load, Acquire, NONE.fences(&[], &["Fence.r.rw"])),
    (Load, SeqCst, NONE.fences(&["Fence.rw.rw"], &["Fence.r.rw"])),
    (Store, Release, before(&["Fence.rw.w"])),
    (Store, SeqCst, before(&["Fence.rw.w"])),
    (Fence, Acquire, before(&["Fence.r.rw"])),
    (Fence, Release, before(&["Fence.rw.w"])),
    (Fence, AcqRel, before(&["Fence.tso"])),
    (Fence, SeqCst, before(&["Fence.rw.rw"])),
];

const AMOS: &[Row] = &[
    (Update, Relaxed, tags(&["AMO"], &["AMO"])),
    (Update, Acquire, tags(&["AMO", "Acq"], &["AMO", "Acq"])),
    (Update, Release, tags(&["AMO", "Rel"], &["AMO", "Rel"])),
    (Update, AcqRel, tags(&["AMO", "AcqRel"], &["AMO", "AcqRel"])),
    (Update, SeqCst, tags(&["AMO", "AcqRel"], &["AMO", "AcqRel"])),
];

const LR_SC: &[Row] = &[
    (Update, Relaxed, LOCKED),
    (Update, Acquire, tags(&["X", "Acq"], &["X"])),
    (Update, Release, tags(&["X"], &["X", "Rel"])),
    (Update, AcqRel, tags(&["X", "Acq"], &["X", "Rel"])),
    (Update, SeqCst, tags(&["X", "AcqRel"], &["X", "Rel"])),
];

#[cfg(test)]
mod tests {
    use super::*;
    use ir::Barrier;

    #[test]
    fn models_find_their_mappings() {
        let of = |sets: &[&str]| Mapping::for_sets(&|name| sets.contains(&name)).name;
        assert_eq!(of(&["W", "R"]), "c11");
        assert_eq!(of(&["MFENCE", "W"]), "x86");
        assert_eq!(of(&["LWSYNC", "ISYNC"]), "power");
        for mapping in MAPPINGS {
            assert_eq!(Mapping::named(mapping.name).map(|found| found.name), Some(mapping.name));
            assert_eq!(mapping.compile(Load, Plain).after, &[] as Tags, "{}", mapping.name);
            let default = Mapping::named(mapping.machine).expect("the machine has a default mapping");
            assert_eq!((default.machine, default.hint.is_empty()), (mapping.machine, false), "{}", mapping.name);
        }
    }

    #[test]
    fn tables_say_each_thing_once() {
        for mapping in MAPPINGS {
            for (index, row) in mapping.all_rows().enumerate() {
                let is_again = mapping.all_rows().take(index).any(|other| (other.0, other.1) == (row.0, row.1));
                assert!(!is_again, "{}: {:?} {:?}", mapping.name, row.0, row.1);
            }
        }
    }

    #[test]
    fn an_access_has_the_half_of_an_order_that_it_can_have() {
        let aarch64 = Mapping::named("aarch64").expect("it is there");
        assert_eq!(aarch64.compile(Load, AcqRel).read, ["A"]);
        assert_eq!(aarch64.compile(Load, Release), NONE);
        assert_eq!(aarch64.compile(Store, AcqRel).write, ["L"]);
        assert_eq!(Mapping::named("x86").expect("it is there").compile(Update, Plain), LOCKED);
    }

    #[test]
    fn a_barrier_is_itself_to_its_machine_and_no_stronger_to_others() {
        let compile = |mapping: &str, barrier: Barrier| {
            Mapping::named(mapping).expect("it is there").compile(Fence, Order::Barrier(barrier)).before
        };
        assert_eq!(compile("aarch64", Barrier::DmbIshst), ["DMB.ISHST"]);
        assert_eq!(compile("aarch64", Barrier::Lwsync), ["DMB.ISH"]);
        assert_eq!(compile("power", Barrier::Isync), ["ISYNC"]);
        assert_eq!(compile("power", Barrier::DmbIshst), [""; 0]);
        assert_eq!(compile("c11", Barrier::DmbIshld), ["ACQ"]);
        assert_eq!(compile("sparc", Barrier::Sfence), ["SFENCE"]);
    }
}
