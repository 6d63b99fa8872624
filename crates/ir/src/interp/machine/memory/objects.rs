//! How are objects made and ended? At addresses of the thread that makes them, by `free` or with their scope, and with their thread at the latest.

use super::{Bytes, Origin, reuse};
use crate::interp::machine::event::What;
use crate::interp::machine::exec::{Exec, Run};
use crate::interp::machine::names::Namer;
use crate::memory::{Fill, Placement};
use crate::property::Property;
use crate::stmt::AllocKind;
use logic::{TermId, Value, VarId};

impl Exec<'_, '_> {
    pub(in crate::interp) fn alloc(&mut self, dst: VarId, size: TermId, kind: AllocKind, zeroed: bool) -> Run {
        let model = self.machine.program.data_model;
        let size = self.view().word(size);
        let n_granules = self.state.threads[self.thread].n_granules;
        let thread = self.thread as u64;
        let room = match self.machine.program.placement {
            Placement::Apart => model.dynamic_base(thread, n_granules, size),
            Placement::Downwards { by } => model.dynamic_base_down(thread, n_granules, size, by),
            Placement::Again { by } => match reuse::freed(self.machine, self.state, thread, size, kind) {
                Some(base) => return self.make(dst, (base, size), kind, zeroed),
                None => model.dynamic_base_down(thread, n_granules, size, by),
            },
        };
        let base = match room {
            Some(base) => {
                self.state.threads[self.thread].n_granules += model.granules(size);
                base
            }
            None => match reuse::addresses(self.machine, self.state, thread, size) {
                Some(base) => base,
                None => return Err(self.unsupported(format!("no addresses are left for an object of {size} bytes"))),
            },
        };
        self.make(dst, (base, size), kind, zeroed)
    }

    fn make(&mut self, dst: VarId, (base, size): (u64, u64), kind: AllocKind, zeroed: bool) -> Run {
        let model = self.machine.program.data_model;
        let span = Namer::new(self.machine, self.state).user_span(self.thread, self.span);
        let origin = Origin::Made { kind, site: self.site, span, var: dst };
        let fill = if zeroed { Fill::Zero } else { Fill::Any };
        self.state.memory.make(base, size, fill, origin);
        self.note(What::Made { base, size, kind });
        self.set(dst, Value::bv(model.word_bits(), base));
        Ok(())
    }

    pub(in crate::interp) fn free(&mut self, addr: TermId, kind: AllocKind) -> Run {
        let addr = self.view().word(addr);
        if addr == 0 && kind == AllocKind::Heap {
            return Ok(());
        }
        let memory = &self.state.memory;
        let origin = memory.live.get(&addr).map(|bytes| bytes.origin);
        match origin {
            Some(Origin::Made { kind: found, .. }) if found == kind => {
                let gone = self.state.memory.end(addr);
                self.note(What::Ended { base: addr, size: gone.size, kind });
                Ok(())
            }
            _ => {
                if self.state.memory.gone.contains_key(&addr) {
                    self.note(What::Attempted { base: addr, is_write: true });
                }
                let message = Namer::new(self.machine, self.state).bad_free(addr);
                Err(self.wrong(Property::Free, message))
            }
        }
    }

    /// Stack objects end with the thread that made them, at the latest.
    pub(in crate::interp) fn end_own_objects(&mut self) {
        let Some(own) = self.machine.program.data_model.addresses_of(self.thread as u64) else { return };
        let is_local = |bytes: &Bytes| matches!(bytes.origin, Origin::Made { kind: AllocKind::Stack, .. });
        let live = self.state.memory.live.range(own).filter(|(_, bytes)| is_local(bytes));
        let bases: Vec<u64> = live.map(|(base, _)| *base).collect();
        for base in bases {
            let gone = self.state.memory.end(base);
            self.note(What::Ended { base, size: gone.size, kind: AllocKind::Stack });
        }
    }
}
