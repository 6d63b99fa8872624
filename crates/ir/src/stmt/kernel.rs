//! What the Linux kernel says of accesses and fences, and C11 has no word for.
//!
//! Our header `ravel/lkmm.h` spells these as memory orders by number. What they mean is the business of the kernel's memory model (`models/linux-kernel.cat`, by way of its compiler mapping): no interleaving
//! has grace periods, and no other model has these tags. So a program with one of them is refused by name under every other model (`engines::decide`).

/// A word of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kernel {
    /// An atomic whose result is thrown away.
    NoReturn,
    /// The read of an atomic that writes nothing.
    Failed,
    /// Taking a spin lock.
    Lock,
    /// Giving it back.
    Unlock,
    /// `barrier()`, which is for the compiler.
    Barrier,
    /// `smp_mb__before_atomic()`.
    BeforeAtomic,
    /// `smp_mb__after_atomic()`.
    AfterAtomic,
    /// `smp_mb__after_spinlock()`.
    AfterSpinlock,
    /// `smp_mb__after_unlock_lock()`.
    AfterUnlockLock,
    /// `smp_mb__after_srcu_read_unlock()`.
    AfterSrcuReadUnlock,
    /// `rcu_read_lock()`.
    RcuLock,
    /// `rcu_read_unlock()`.
    RcuUnlock,
    /// `synchronize_rcu()`.
    SyncRcu,
    /// `srcu_read_lock()`, a read of its structure.
    SrcuLock,
    /// `srcu_read_unlock()`, a write of its structure.
    SrcuUnlock,
    /// `synchronize_srcu()`: lowered as a read whose value nobody looks at, so that it has a place; models see a fence with that place.
    SyncSrcu,
}

/// Each word with the number that our header has for it and the name that it is told by.
const WORDS: &[(Kernel, u64, &str)] = &[
    (Kernel::NoReturn, 0x201, "noreturn"),
    (Kernel::Failed, 0x202, "failed"),
    (Kernel::Lock, 0x203, "spin_lock"),
    (Kernel::Unlock, 0x204, "spin_unlock"),
    (Kernel::Barrier, 0x205, "barrier"),
    (Kernel::BeforeAtomic, 0x206, "before_atomic"),
    (Kernel::AfterAtomic, 0x207, "after_atomic"),
    (Kernel::AfterSpinlock, 0x208, "after_spinlock"),
    (Kernel::AfterUnlockLock, 0x209, "after_unlock_lock"),
    (Kernel::AfterSrcuReadUnlock, 0x20a, "after_srcu_read_unlock"),
    (Kernel::RcuLock, 0x20b, "rcu_read_lock"),
    (Kernel::RcuUnlock, 0x20c, "rcu_read_unlock"),
    (Kernel::SyncRcu, 0x20d, "synchronize_rcu"),
    (Kernel::SrcuLock, 0x20e, "srcu_read_lock"),
    (Kernel::SrcuUnlock, 0x20f, "srcu_read_unlock"),
    (Kernel::SyncSrcu, 0x210, "synchronize_srcu"),
];

impl Kernel {
    /// The word with that number.
    pub fn numbered(number: u64) -> Option<Kernel> {
        WORDS.iter().find(|(_, own, _)| *own == number).map(|(word, _, _)| *word)
    }

    /// What it is told by.
    pub fn name(self) -> &'static str {
        WORDS.iter().find(|(word, _, _)| *word == self).map_or("", |(_, _, name)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_has_the_same_numbers() {
        let header = include_str!("../../../frontend/src/c/headers/lkmm.h");
        let mut n_found = 0;
        for line in header.lines() {
            let Some(rest) = line.strip_prefix("#define ravel_order_") else { continue };
            let (name, number) = rest.split_once(' ').expect("an order has a number");
            let number = u64::from_str_radix(number.trim().trim_start_matches("0x"), 16).expect("it is a number");
            let word = Kernel::numbered(number).expect("it is known");
            assert_eq!(word.name(), name);
            n_found += 1;
        }
        assert_eq!(n_found, WORDS.len());
        for (at, (word, number, name)) in WORDS.iter().enumerate() {
            assert!(WORDS[..at].iter().all(|other| other.0 != *word && other.1 != *number && other.2 != *name));
        }
    }
}
