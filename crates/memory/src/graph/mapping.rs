//! Which events does an access of C make under a memory model? The compiler mappings, as tables.
//!
//! Known as: compilation schemes of C11 atomics (the table of Sewell and others, the appendix of the RISC-V manual).
//!
//! Models of C (c11, rc11, imm) talk about C11's orders themselves: the mapping `c11` tags events with these, and adds nothing. The others compile: an access becomes
//! one access of the machine with its tags, with fences before and after. Where a processor offers several ways the one that compilers take by
//! default is here; what each row adds is written in it.

use ir::Order;

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

/// A way to compile.
#[derive(Clone, Copy, Debug)]
pub struct Mapping {
    /// Its name on the command line.
    pub name: &'static str,
    /// In words.
    pub describe: &'static str,
    /// A set that models for this machine mention: so is the mapping found if nobody names one.
    hint: &'static [&'static str],
    compile: fn(Access, Order) -> Compiled,
    /// Whether read-modify-writes are pairs of exclusive accesses, rather than single instructions.
    pub uses_exclusives: bool,
}

/// All mappings; the first one is for models that know C11's orders, or none.
pub const MAPPINGS: &[Mapping] = &[
    Mapping {
        name: "c11",
        describe: "events carry C11's orders (RLX ACQ REL ACQ_REL SC) as tags",
        hint: &["RLX", "ACQ_REL"],
        compile: c11,
        uses_exclusives: false,
    },
    Mapping {
        name: "sparc",
        describe: "like x86, with a store fence before release stores and for release fences, where stores overtake each other",
        hint: &["SFENCE"],
        compile: sparc,
        uses_exclusives: false,
    },
    Mapping {
        name: "x86",
        describe: "a fence after seq_cst stores; read-modify-writes are locked",
        hint: &["MFENCE"],
        compile: x86,
        uses_exclusives: false,
    },
    Mapping {
        name: "aarch64",
        describe: "LDAR, STLR, atomics of Armv8.1 with their A and L, DMB for fences",
        hint: &["DMB.SY", "DMB.ISH"],
        compile: aarch64,
        uses_exclusives: false,
    },
    Mapping {
        name: "power",
        describe: "leading sync and lwsync, a branch and isync after acquiring reads, lwarx and stwcx.",
        hint: &["LWSYNC", "SYNC"],
        compile: power,
        uses_exclusives: true,
    },
    Mapping {
        name: "lkmm",
        describe: "relaxed is ONCE, acquire and release are themselves, seq_cst is a full barrier; acquire and release fences are smp_rmb and smp_wmb",
        hint: &["Once", "ONCE", "Mb", "MB"],
        compile: lkmm,
        uses_exclusives: false,
    },
    Mapping {
        name: "riscv",
        describe: "fences around loads and stores, annotated AMOs, as the manual's appendix says",
        hint: &["Fence.rw.rw"],
        compile: riscv,
        uses_exclusives: false,
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

    /// What an access becomes.
    pub fn compile(&self, access: Access, order: Order) -> Compiled {
        (self.compile)(access, order)
    }
}

const NONE: Compiled = Compiled { before: &[], read: &[], write: &[], after: &[], branches: false };

fn c11(access: Access, order: Order) -> Compiled {
    let read: Tags = match order {
        Order::Plain | Order::Guarded => &["NA"],
        Order::Relaxed | Order::Release => &["A", "RLX"],
        Order::Acquire | Order::AcqRel => &["A", "ACQ"],
        Order::SeqCst => &["A", "SC"],
    };
    let write: Tags = match order {
        Order::Plain | Order::Guarded => &["NA"],
        Order::Relaxed | Order::Acquire => &["A", "RLX"],
        Order::Release | Order::AcqRel => &["A", "REL"],
        Order::SeqCst => &["A", "SC"],
    };
    let fence: Tags = match order {
        Order::Plain | Order::Guarded | Order::Relaxed => &["RLX"],
        Order::Acquire => &["ACQ"],
        Order::Release => &["REL"],
        Order::AcqRel => &["ACQ_REL"],
        Order::SeqCst => &["SC"],
    };
    match access {
        Access::Fence => Compiled { before: fence, ..NONE },
        _ => Compiled { read, write, ..NONE },
    }
}

fn x86(access: Access, order: Order) -> Compiled {
    match (access, order) {
        (Access::Store, Order::SeqCst) => Compiled { after: &["MFENCE"], ..NONE },
        (Access::Fence, Order::SeqCst) => Compiled { before: &["MFENCE"], ..NONE },
        (Access::Update, _) => Compiled { read: &["X"], write: &["X"], ..NONE },
        _ => NONE,
    }
}

fn sparc(access: Access, order: Order) -> Compiled {
    match (access, order) {
        (Access::Store, Order::Release) => Compiled { before: &["SFENCE"], ..NONE },
        (Access::Store, Order::SeqCst) => Compiled { before: &["SFENCE"], after: &["MFENCE"], ..NONE },
        (Access::Fence, Order::Release | Order::AcqRel) => Compiled { before: &["SFENCE"], ..NONE },
        _ => x86(access, order),
    }
}

fn aarch64(access: Access, order: Order) -> Compiled {
    let read: Tags = if order.acquires() { &["A"] } else { &[] };
    let write: Tags = if order.releases() { &["L"] } else { &[] };
    match access {
        Access::Fence => match order {
            Order::Plain | Order::Guarded | Order::Relaxed => NONE,
            Order::Acquire => Compiled { before: &["DMB.ISHLD"], ..NONE },
            _ => Compiled { before: &["DMB.ISH"], ..NONE },
        },
        _ => Compiled { read, write, ..NONE },
    }
}

fn power(access: Access, order: Order) -> Compiled {
    let before: Tags = match (access, order) {
        (_, Order::SeqCst) => &["SYNC"],
        (Access::Store | Access::Update, _) if order.releases() => &["LWSYNC"],
        _ => &[],
    };
    let acquires = order.acquires() && matches!(access, Access::Load | Access::Update);
    match access {
        Access::Fence => match order {
            Order::Plain | Order::Guarded | Order::Relaxed => NONE,
            Order::SeqCst => Compiled { before: &["SYNC"], ..NONE },
            _ => Compiled { before: &["LWSYNC"], ..NONE },
        },
        _ => {
            let exclusive: Tags = if access == Access::Update { &["X"] } else { &[] };
            let after: Tags = if acquires { &["ISYNC"] } else { &[] };
            Compiled { before, read: exclusive, write: exclusive, after, branches: acquires }
        }
    }
}

/// The kernel's primitives, as our header spells them in C11 (`docs/memory-models.md`): an acquire fence is `smp_rmb`, which orders less, and so for release.
fn lkmm(access: Access, order: Order) -> Compiled {
    let once: Tags = match order {
        Order::Plain | Order::Guarded => &[],
        _ => &["Once"],
    };
    match (access, order) {
        (Access::Fence, Order::SeqCst) => Compiled { before: &["Mb"], ..NONE },
        (Access::Fence, Order::AcqRel) => Compiled { before: &["Rmb", "Wmb"], ..NONE },
        (Access::Fence, Order::Acquire) => Compiled { before: &["Rmb"], ..NONE },
        (Access::Fence, Order::Release) => Compiled { before: &["Wmb"], ..NONE },
        (Access::Fence, _) => NONE,
        (Access::Update, Order::SeqCst) => Compiled { read: &["Mb"], write: &["Mb"], ..NONE },
        (Access::Update, Order::AcqRel) => Compiled { read: &["Acquire"], write: &["Release"], ..NONE },
        (_, Order::Acquire) => Compiled { read: &["Acquire"], write: once, ..NONE },
        (_, Order::Release) => Compiled { read: once, write: &["Release"], ..NONE },
        // A seq_cst load or store has no counterpart; with a full barrier on its side it is no stronger than C11 says.
        (Access::Load, Order::SeqCst) => Compiled { before: &["Mb"], read: &["Acquire"], ..NONE },
        (Access::Store, Order::SeqCst) => Compiled { write: &["Release"], after: &["Mb"], ..NONE },
        _ => Compiled { read: once, write: once, ..NONE },
    }
}

fn riscv(access: Access, order: Order) -> Compiled {
    match access {
        Access::Load => {
            let before: Tags = if order == Order::SeqCst { &["Fence.rw.rw"] } else { &[] };
            let after: Tags = if order.acquires() { &["Fence.r.rw"] } else { &[] };
            Compiled { before, after, ..NONE }
        }
        Access::Store => {
            let before: Tags = if order.releases() { &["Fence.rw.w"] } else { &[] };
            Compiled { before, ..NONE }
        }
        Access::Update => {
            let tags: Tags = match order {
                Order::Plain | Order::Guarded | Order::Relaxed => &["AMO"],
                Order::Acquire => &["AMO", "Acq"],
                Order::Release => &["AMO", "Rel"],
                Order::AcqRel | Order::SeqCst => &["AMO", "AcqRel"],
            };
            Compiled { read: tags, write: tags, ..NONE }
        }
        Access::Fence => match order {
            Order::Plain | Order::Guarded | Order::Relaxed => NONE,
            Order::Acquire => Compiled { before: &["Fence.r.rw"], ..NONE },
            Order::Release => Compiled { before: &["Fence.rw.w"], ..NONE },
            Order::AcqRel => Compiled { before: &["Fence.tso"], ..NONE },
            Order::SeqCst => Compiled { before: &["Fence.rw.rw"], ..NONE },
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_find_their_mappings() {
        let of = |sets: &[&str]| Mapping::for_sets(&|name| sets.contains(&name)).name;
        assert_eq!(of(&["W", "R"]), "c11");
        assert_eq!(of(&["MFENCE", "W"]), "x86");
        assert_eq!(of(&["LWSYNC", "ISYNC"]), "power");
        for mapping in MAPPINGS {
            assert_eq!(Mapping::named(mapping.name).map(|found| found.name), Some(mapping.name));
            assert_eq!(mapping.compile(Access::Load, Order::Plain).after, &[] as Tags, "{}", mapping.name);
        }
    }
}
