//! What does the unrolled program consist of, once all threads have been executed? Joins, sections and initial values are put together.

use super::executor::Executor;
use crate::bmc::accesses::places::PlaceKey;
use crate::bmc::accesses::write_log::INITIAL;
use crate::bmc::reductions::skippable_rounds::keep_races;
use crate::bmc::reductions::thread_symmetry::order_alike;
use crate::bmc::unrolled::Unrolled;
use ir::RegionId;
use logic::{Sort, TermId};
use memory::events::Read;

impl Executor<'_> {
    /// What a read finds if nobody has written since main was alone. What main wrote byte by byte is put together.
    fn initial_value(&mut self, key: PlaceKey, addr: Option<TermId>, sort: Sort) -> TermId {
        let point = self.threads.first_start;
        let is_bytes = match key {
            PlaceKey::Cells(region) => self.graph.places.in_bytes(RegionId(region)),
            PlaceKey::Var(_) | PlaceKey::Live => false,
        };
        match (addr, sort) {
            (Some(addr), Sort::Bv(bits)) if is_bytes && bits > 8 => {
                let width = self.program.data_model.word_bits();
                let mut whole: Option<TermId> = None;
                for at in 0..u64::from(bits / 8) {
                    let offset = self.graph.pool.bv(width, at);
                    let addr = self.graph.pool.add(addr, offset);
                    let byte = self.read_logs((&[INITIAL], None), (key, Some(addr), Sort::Bv(8)), point);
                    whole = Some(whole.map_or(byte, |low| self.graph.pool.concat(byte, low)));
                }
                whole.unwrap_or(addr)
            }
            _ => self.read_logs((&[INITIAL], None), (key, addr, sort), point),
        }
    }

    /// Puts everything together once all threads have been executed.
    pub(crate) fn finish(mut self) -> Unrolled {
        let rules = self.threads.resolve(&mut self.graph, &self.found.threads);
        self.found.constraints.extend(rules);
        let rules = self.memory.objects.answers(self.program, &mut self.graph.pool);
        self.found.constraints.extend(rules);
        let records = self.found.threads.iter_mut().flat_map(|thread| &mut thread.records);
        let guards = records.filter_map(|record| Some((record.node?, record.point, &mut record.guard)));
        self.graph.complete_sections(guards);
        for start in &self.found.starts {
            let taken = self.found.threads[start.thread as usize].records[start.record as usize].guard;
            self.found.constraints.push(self.graph.pool.eq(start.is_taken, taken));
        }
        let mut initial = Vec::with_capacity(self.graph.events.reads.len());
        for index in 0..self.graph.events.reads.len() {
            let Read { addr, value, .. } = self.graph.events.reads[index];
            let (key, sort) = (self.graph.read_keys()[index], self.graph.pool.sort(value));
            // Only what main wrote while it was alone counts.
            initial.push(self.initial_value(key, addr, sort));
        }
        keep_races(
            &mut self.graph.pool,
            &self.graph.events,
            std::mem::take(&mut self.found.skipped),
            &mut self.found.bads,
        );
        let has_late = self.threads.many_creators || self.threads.has_late_joins;
        let is_told_apart = has_late || self.properties.has(ir::Property::Race);
        let n_alike = match is_told_apart || self.program.model != ir::Model::Sc {
            true => 0,
            false => order_alike(self.program, &self.found.threads, &mut self.graph.events),
        };
        self.threads.order_joins(&mut self.graph);
        if let Some(last) = self.graph.last() {
            let nodes = (0..self.graph.events.n_nodes() as u32).filter(|node| *node != last);
            self.graph.events.fixed.extend(nodes.map(|node| (node, last)));
        }
        self.graph.relax_order();
        let (graph, found) = (self.graph, self.found);
        Unrolled {
            places: graph.places.keys().to_vec(),
            pool: graph.pool,
            events: graph.events,
            points: graph.points,
            locks: graph.locks,
            initial,
            threads: found.threads,
            bads: found.bads,
            waits: found.waits,
            spins: found.spins,
            accesses: found.accesses,
            constraints: found.constraints,
            depends: found.depends,
            n_records: found.n_records,
            n_alike,
        }
    }
}
