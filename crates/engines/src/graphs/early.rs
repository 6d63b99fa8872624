//! What does the first thread do before it starts another one? That is run on memory itself: what is there then is what all threads find at first.

use super::cells::{bits_at, seen_as};
use super::code::Code;
use super::code::local::{Here, Next, Spot};
use super::explore::Explorer;
use super::graph::{Early, Graph, Row};
use ir::access::bytes_of;
use ir::interp::{Memory, Origin, from_bytes, to_bytes};
use ir::{AllocKind, Fill, Property, Why};
use logic::Value;
use std::rc::Rc;

/// The graph before anything has happened.
pub(super) fn first(code: &Code<'_>, synchronises: bool) -> Graph {
    let program = code.program;
    let globals = program.vars.iter().map(|var| var.init.clone()).collect();
    let early = Early { edges: Vec::new(), inputs: Vec::new(), memory: Memory::of(program), globals };
    let here = code.begin(0, program.main, &[]);
    let main = Row { started: (0, 0), events: Vec::new(), here: Some(Rc::new(here)) };
    Graph { rows: vec![main], co: Vec::new(), n_stamps: 0, early: Rc::new(early), synchronises }
}

impl Explorer<'_> {
    /// Takes steps of the first thread until it starts another one, ends or does not go on. Other values of inputs are left for later.
    pub(super) fn early(&mut self, graph: &mut Graph) -> Result<(), Why> {
        loop {
            if let Some(why) = self.run.stop_soon() {
                return Err(why);
            }
            let here = graph.rows[0].here.clone().expect("the first thread runs");
            if !here.local.is_early {
                return Ok(());
            }
            let Some(after) = self.early_step(graph, &here) else { return Ok(()) };
            let early = Rc::make_mut(&mut graph.early);
            early.edges.extend_from_slice(&here.local.segment);
            graph.rows[0].here = Some(Rc::new(after));
        }
    }

    /// The thread after its next step; nothing if that is none that is taken here.
    fn early_step(&mut self, graph: &mut Graph, here: &Here) -> Option<Here> {
        let code = self.code;
        let stays = |next: Next| {
            let mut local = here.local.clone();
            local.segment.clear();
            local.is_early = false;
            Some(Here { local, next, site: here.site, span: here.span })
        };
        match &here.next {
            Next::Read { spot } => match self.early_read(graph, here, *spot) {
                Ok(value) => Some(code.found(here, &value).0),
                Err(next) => stays(next),
            },
            Next::Write { spot, value, is_update, .. } => {
                if !write(code, graph, *spot, value) {
                    return stays(code.wrong(Property::Deref, here.span));
                }
                Some(if *is_update { code.updated(here) } else { code.done(here, None) })
            }
            Next::Fence(_) => Some(code.noticed_by_none(here, None)),
            Next::Input { sort } => {
                let step = here.step();
                let mut values = code.values(*sort);
                let first = values.remove(0);
                for value in values {
                    let mut other = graph.clone();
                    let early = Rc::make_mut(&mut other.early);
                    early.edges.extend_from_slice(&here.local.segment);
                    early.inputs.push((step, here.site, value.clone()));
                    other.rows[0].here = Some(Rc::new(code.noticed_by_none(here, Some(value))));
                    self.stack.push(other);
                }
                Rc::make_mut(&mut graph.early).inputs.push((step, here.site, first.clone()));
                Some(code.noticed_by_none(here, Some(first)))
            }
            Next::Alloc { size, kind, zeroed } => self.early_alloc(graph, here, (*size, *kind, *zeroed)),
            Next::Free { addr, kind } => match super::cells::ends(graph, 0, *addr, *kind) {
                super::cells::Ends::Nothing => Some(code.noticed_by_none(here, None)),
                super::cells::Ends::Object => {
                    Rc::make_mut(&mut graph.early).memory.end(*addr);
                    Some(code.done(here, None))
                }
                super::cells::Ends::Wrong => stays(code.wrong(Property::Free, here.span)),
            },
            _ => {
                let mut same = here.clone();
                same.local.is_early = false;
                same.local.segment.clear();
                Some(same)
            }
        }
    }

    fn early_alloc(&mut self, graph: &mut Graph, here: &Here, what: (u64, AllocKind, bool)) -> Option<Here> {
        let (size, kind, zeroed) = what;
        let model = self.code.program.data_model;
        let mut moved = here.clone();
        let Some(base) = model.dynamic_base(0, here.local.n_granules, size) else {
            moved.local.is_early = false;
            let what = format!("no addresses are left for an object of {size} bytes");
            moved.next = Next::Beyond(Why::Unsupported { span: here.span, what });
            return Some(moved);
        };
        moved.local.n_granules += model.granules(size);
        let origin = Origin::Made { kind, site: here.site, span: here.span, var: self.code.program.self_var };
        let fill = if zeroed { Fill::Zero } else { Fill::Any };
        Rc::make_mut(&mut graph.early).memory.make(base, size, fill, origin);
        Some(self.code.done(&moved, Some(Value::bv(model.word_bits(), base))))
    }

    fn early_read(&mut self, graph: &Graph, here: &Here, spot: Spot) -> Result<Value, Next> {
        let open = || Next::Beyond(Why::LargeInput { span: here.span, bits: bits_at(self.code, spot) });
        match spot {
            Spot::Var(var) => {
                let value = graph.early.globals[var.index()].as_ref();
                value.map(|value| seen_as(value, spot)).ok_or_else(open)
            }
            Spot::Mem { addr, sort } => {
                let memory = &graph.early.memory;
                let base = memory.find(self.code.program, addr, bytes_of(sort), false);
                let base = base.map_err(|_| self.code.wrong(Property::Deref, here.span))?;
                let bytes: Option<Vec<u8>> = memory.read(base, addr, bytes_of(sort)).into_iter().collect();
                bytes.map(|bytes| from_bytes(sort, &bytes)).ok_or_else(open)
            }
        }
    }
}

/// Writes to memory, if there is an object.
fn write(code: &Code<'_>, graph: &mut Graph, spot: Spot, value: &Value) -> bool {
    let early = Rc::make_mut(&mut graph.early);
    match spot {
        Spot::Var(var) => early.globals[var.index()] = Some(value.clone()),
        Spot::Mem { addr, sort } => {
            let Ok(base) = early.memory.find(code.program, addr, bytes_of(sort), true) else { return false };
            early.memory.write(base, addr, &to_bytes(value));
        }
    }
    true
}
