//! Which call of the system is meant by `syscall`? The models know some of them by their own names; numbers are those of the machine that preprocesses.

use crate::c::lower::analysis::scan::constant;
use crate::c::lower::body::Body;
use crate::c::typed::Expr;
use ir::DataModel;

/// Calls that a model stands for: its name, and the number on x86-64 and on the machines that share a table (Armv8, RISC-V).
const CALLS: [(&str, i128, i128); 4] =
    [("gettid", 186, 178), ("getpid", 39, 172), ("sched_yield", 24, 124), ("system_futex", 202, 98)];

impl Body<'_, '_> {
    /// The model that stands for a call of the system.
    pub(super) fn system_call(&self, number: &Expr) -> Option<&'static str> {
        let number = constant(number).filter(|_| self.lw.program.data_model == DataModel::Lp64)?;
        let is_it = |(_, here, there): &&(&str, i128, i128)| {
            number == if cfg!(target_arch = "x86_64") { *here } else { *there }
        };
        CALLS.iter().find(is_it).map(|(name, ..)| *name)
    }
}
