//! Barriers that machines have and C11 has no word for, as inline assembly names them.
//!
//! To a model of its own machine a barrier is itself. To any other it is the strongest fence of C11 that keeps nothing in order which the
//! barrier does not; where stores are buffered (`crate::model`) it is what it does to the buffer.

/// A barrier of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Barrier {
    /// `dmb ish`, and what is no weaker.
    DmbIsh,
    /// `dmb ishld`: reads before everything.
    DmbIshld,
    /// `dmb ishst`: writes before writes.
    DmbIshst,
    /// `isb`, which means something after a branch.
    Isb,
    /// `sync`.
    Sync,
    /// `lwsync`: all but writes before reads.
    Lwsync,
    /// `eieio`: writes before writes.
    Eieio,
    /// `isync`, which means something after a branch.
    Isync,
    /// `mfence`, or an instruction with `lock`.
    Mfence,
    /// `sfence`.
    Sfence,
    /// `lfence`.
    Lfence,
    /// `fence` with what comes before and what after.
    Fence(Kinds, Kinds),
    /// `fence.tso`.
    FenceTso,
}

/// Which accesses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kinds {
    /// Reads.
    Reads,
    /// Writes.
    Writes,
    /// Both.
    All,
}

impl Barrier {
    /// The tag that models of its machine know it by.
    pub fn tags(self) -> &'static [&'static str] {
        match self {
            Barrier::DmbIsh => &["DMB.ISH"],
            Barrier::DmbIshld => &["DMB.ISHLD"],
            Barrier::DmbIshst => &["DMB.ISHST"],
            Barrier::Isb => &["ISB"],
            Barrier::Sync => &["SYNC"],
            Barrier::Lwsync => &["LWSYNC"],
            Barrier::Eieio => &["EIEIO"],
            Barrier::Isync => &["ISYNC"],
            Barrier::Mfence => &["MFENCE"],
            Barrier::Sfence => &["SFENCE"],
            Barrier::Lfence => &["LFENCE"],
            Barrier::FenceTso => &["Fence.tso"],
            Barrier::Fence(Kinds::Reads, Kinds::Reads) => &["Fence.r.r"],
            Barrier::Fence(Kinds::Reads, Kinds::Writes) => &["Fence.r.w"],
            Barrier::Fence(Kinds::Reads, Kinds::All) => &["Fence.r.rw"],
            Barrier::Fence(Kinds::Writes, Kinds::Reads) => &["Fence.w.r"],
            Barrier::Fence(Kinds::Writes, Kinds::Writes) => &["Fence.w.w"],
            Barrier::Fence(Kinds::Writes, Kinds::All) => &["Fence.w.rw"],
            Barrier::Fence(Kinds::All, Kinds::Reads) => &["Fence.rw.r"],
            Barrier::Fence(Kinds::All, Kinds::Writes) => &["Fence.rw.w"],
            Barrier::Fence(Kinds::All, Kinds::All) => &["Fence.rw.rw"],
        }
    }

    /// What it is told by.
    pub fn name(self) -> &'static str {
        self.tags()[0]
    }

    /// Whether the machine of that name has it.
    pub fn is_of(self, machine: &str) -> bool {
        match self {
            Barrier::DmbIsh | Barrier::DmbIshld | Barrier::DmbIshst | Barrier::Isb => machine == "aarch64",
            Barrier::Sync | Barrier::Lwsync | Barrier::Eieio | Barrier::Isync => machine == "power",
            Barrier::Mfence | Barrier::Sfence | Barrier::Lfence => matches!(machine, "x86" | "sparc"),
            Barrier::Fence(..) | Barrier::FenceTso => machine == "riscv",
        }
    }
}
