//! Models that look into executions: run for each complete choice of `rf` and `co`, once for each choice that they make themselves.

use memory::cat::{Values, World};
use memory::relation::{EventSet, Relation};

use super::answer::Refusal;
use super::search::{Chosen, Interrupt, Search, Searched};

impl Search<'_, '_> {
    /// A model that looks into executions is run for this one.
    pub(super) fn complete_dynamic(&mut self) -> Searched {
        let outcomes = self.model.outcomes_in(&Complete { search: self }).map_err(|problem| {
            Interrupt::Refused(Refusal::Model(format!("{} (line {})", problem.message, problem.span.line)))
        })?;
        for model in outcomes {
            let chosen = Chosen::of(&model);
            let mut values = Values::new(&model.outcome.graph, self.skeleton.events.len());
            let mut inner = Search {
                test: self.test,
                model: &model,
                chosen: &chosen,
                terms: self.terms,
                skeleton: self.skeleton,
                question: self.question,
                stop: self.stop,
                answer: &mut *self.answer,
                values: &mut values,
                obeys: self.obeys,
                known: self.known.clone(),
                source: self.source.clone(),
                reads: self.reads.clone(),
                writes: self.writes.clone(),
                cells: self.cells.clone(),
                rf: self.rf.clone(),
                rf_upper: self.rf_upper.clone(),
                co: self.co.clone(),
                co_upper: self.co_upper.clone(),
                rivals: Vec::new(),
                is_counted: self.is_counted,
                last_state: Vec::new(),
            };
            let (co, upper) = (inner.co.clone(), inner.co_upper.clone());
            inner.place();
            inner.co = co;
            inner.co_upper = upper;
            let result = inner.complete();
            self.is_counted = inner.is_counted;
            result?;
        }
        Ok(())
    }
}

/// A complete execution, as a model sees it.
struct Complete<'s, 'a, 't> {
    search: &'s Search<'a, 't>,
}

impl World for Complete<'_, '_, '_> {
    fn n_events(&self) -> usize {
        self.search.skeleton.events.len()
    }

    fn set(&self, name: &str) -> EventSet {
        match name {
            "FW" => self.search.finals(),
            _ => self.search.skeleton.named_set(name, &self.search.cells),
        }
    }

    fn relation(&self, name: &str) -> Relation {
        match name {
            "rf" => self.search.rf.clone(),
            "co" => self.search.co.clone(),
            _ => self.search.skeleton.named_relation(name, &self.search.cells),
        }
    }

    fn differ(&self, a: usize, b: usize) -> bool {
        self.search.value_of(a) != self.search.value_of(b)
    }
}
