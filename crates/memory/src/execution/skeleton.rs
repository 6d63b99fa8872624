//! Which events does an execution have, once every thread has chosen its way?
//!
//! A `Skeleton` has everything but the choices: initial writes, the events of the threads, and the relations that follow from the program
//! alone. `rf` and `co` come later, and so do places when an address depends on what was read.
//!
//! **Sizes.** While each access is exactly one element of a location, an element is a cell. Otherwise accesses are split into granules of
//! equal size, as herd's mixed variant does: each part is an event with its own cell, all parts of an access are related by `si`, and
//! what the access depends on or is ordered with, each part is.

use ir::litmus::{Observable, Test};
use ir::source::Span;

use super::path::{Access, Kind, Path, Role};
use super::term::{TermId, Terms};
use crate::relation::Relation;

/// An event.
#[derive(Clone, Debug)]
pub struct Event<'t> {
    /// The thread; none for initial writes.
    pub thread: Option<usize>,
    /// What it does.
    pub kind: Kind,
    /// What it is part of.
    pub role: Role,
    /// Its tags.
    pub tags: &'t [String],
    /// The address of its access.
    pub address: Option<TermId>,
    /// Where its part of the access begins.
    pub offset: u8,
    /// Bytes of its part.
    pub size: u8,
    /// Bytes of its whole access.
    pub access_size: u8,
    /// What it reads or writes.
    pub value: TermId,
    /// The variable that a read defines.
    pub variable: Option<u32>,
    /// The run of an instruction that it belongs to, within its thread.
    pub instance: u32,
    /// The access that it is a part of, within its thread.
    pub access: usize,
    /// Where the instruction stands.
    pub span: Span,
}

/// Events and what the program says about them.
#[derive(Clone, Debug)]
pub struct Skeleton<'t> {
    /// The test.
    pub test: &'t Test,
    /// The events: initial writes first, then by thread and order.
    pub events: Vec<Event<'t>>,
    /// How many of them are initial writes.
    pub n_initial: usize,
    /// What has to be not 0 (true) or 0 (false).
    pub constraints: Vec<(TermId, bool)>,
    /// What the registers hold at the end, by thread.
    pub registers: Vec<Vec<TermId>>,
    /// The cell of each event, when no address depends on a read.
    pub cells: Option<Vec<Option<u64>>>,
    /// Program order.
    pub po: Relation,
    /// Address dependencies.
    pub addr: Relation,
    /// Data dependencies.
    pub data: Relation,
    /// Control dependencies.
    pub ctrl: Relation,
    /// Dependencies of the expected values of compare-and-swaps.
    pub casdep: Relation,
    /// From reads to writes of values that they have chosen.
    pub pick: Relation,
    /// Read-modify-writes of one instruction.
    pub amo: Relation,
    /// Read-modify-writes of exclusive pairs.
    pub lxsx: Relation,
    /// Parts of the same access.
    pub si: Relation,
    /// How accesses are split.
    pub granule: u8,
}

/// Why a skeleton cannot be made, or why one of its executions does not exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misfit {
    /// An access is not exactly one cell: accesses have to be split into smaller granules.
    Granule,
    /// An access lies outside of every location: there is nothing to read or write.
    Nowhere,
}

/// The cell of a part of an access, given where the access begins.
pub fn cell(test: &Test, granule: u8, address: u64, offset: u8, size: u8) -> Result<u64, Misfit> {
    let start = address.wrapping_add(u64::from(offset));
    if granule == 0 {
        if test.cell(start, size).is_some() {
            return Ok(start);
        }
        return Err(if is_inside(test, start, size) { Misfit::Granule } else { Misfit::Nowhere });
    }
    if !is_inside(test, start, size) {
        return Err(Misfit::Nowhere);
    }
    if start % u64::from(granule) == 0 && size == granule { Ok(start) } else { Err(Misfit::Granule) }
}

fn is_inside(test: &Test, address: u64, size: u8) -> bool {
    test.locate(address)
        .is_some_and(|(location, offset)| offset + u64::from(size) <= test.locations[location.0 as usize].size())
}

/// The skeleton of one way for each thread.
pub fn skeleton<'t>(
    test: &'t Test,
    terms: &mut Terms,
    paths: &[&Path<'t>],
    granule: u8,
) -> Result<Skeleton<'t>, Misfit> {
    let mut thread_events = Vec::new();
    let mut first_of: Vec<Vec<usize>> = Vec::new();
    for (thread, path) in paths.iter().enumerate() {
        let mut first = Vec::new();
        for (index, access) in path.accesses.iter().enumerate() {
            first.push(thread_events.len());
            split(terms, thread, index, access, granule, &mut thread_events);
        }
        first.push(thread_events.len());
        first_of.push(first);
    }
    let cells = fixed_cells(test, terms, &thread_events, granule)?;
    let mut events = initial_writes(test, terms, cells.as_deref(), granule);
    let n_initial = events.len();
    let cells = cells.map(|cells| {
        let initial = events.iter().map(|event| {
            event.address.and_then(|address| terms.as_constant(address)).map(|a| a + u64::from(event.offset))
        });
        initial.chain(cells).collect()
    });
    events.extend(thread_events);
    let n = events.len();
    let mut skeleton = Skeleton {
        test,
        n_initial,
        constraints: paths.iter().flat_map(|path| path.constraints.iter().copied()).collect(),
        registers: paths.iter().map(|path| path.registers.clone()).collect(),
        cells,
        po: Relation::empty(n),
        addr: Relation::empty(n),
        data: Relation::empty(n),
        ctrl: Relation::empty(n),
        casdep: Relation::empty(n),
        pick: Relation::empty(n),
        amo: Relation::empty(n),
        lxsx: Relation::empty(n),
        si: Relation::identity(n),
        granule,
        events,
    };
    for (path, first) in paths.iter().zip(&first_of) {
        let parts = |access: usize| (n_initial + first[access])..(n_initial + first[access + 1]);
        skeleton.relate(path, &parts);
    }
    skeleton.relate_initial();
    Ok(skeleton)
}

impl Skeleton<'_> {
    fn relate(&mut self, path: &Path<'_>, parts: &dyn Fn(usize) -> std::ops::Range<usize>) {
        let pairs = |relation: &mut Relation, from: usize, to: usize| {
            for a in parts(from) {
                for b in parts(to) {
                    relation.insert(a, b);
                }
            }
        };
        for (to, access) in path.accesses.iter().enumerate() {
            pairs(&mut self.si, to, to);
            for from in 0..to {
                if path.accesses[from].instance != access.instance {
                    pairs(&mut self.po, from, to);
                }
                let is_source = |sources: u128| sources >> from & 1 == 1;
                if is_source(access.addr) {
                    pairs(&mut self.addr, from, to);
                }
                if is_source(access.data) {
                    pairs(&mut self.data, from, to);
                }
                if is_source(access.ctrl) {
                    pairs(&mut self.ctrl, from, to);
                }
                if is_source(access.casdep) {
                    pairs(&mut self.casdep, from, to);
                }
                if is_source(access.pick) {
                    pairs(&mut self.pick, from, to);
                }
            }
        }
        for &(read, write, is_one_instruction) in &path.rmw {
            // Part by part: a read-modify-write is atomic for each of its cells.
            let relation = if is_one_instruction { &mut self.amo } else { &mut self.lxsx };
            for (a, b) in parts(read).zip(parts(write)) {
                relation.insert(a, b);
            }
            pairs(&mut self.po, read, write);
        }
    }

    /// The parts of an initial location belong together.
    fn relate_initial(&mut self) {
        for a in 0..self.n_initial {
            for b in 0..self.n_initial {
                if self.events[a].address == self.events[b].address {
                    self.si.insert(a, b);
                }
            }
        }
    }

    /// The cells that the final value of a part of the state is read from, lowest first.
    pub fn observed_cells(&self, what: Observable) -> Vec<u64> {
        observed_cells(self.test, what, self.granule)
    }
}

fn observed_cells(test: &Test, what: Observable, granule: u8) -> Vec<u64> {
    let Observable::Memory { location, element } = what else { return Vec::new() };
    let size = test.locations[location.0 as usize].element_size;
    let start = test.address(location) + u64::from(element) * u64::from(size);
    let granule = if granule == 0 { size } else { granule.min(size) };
    (0..size / granule).map(|part| start + u64::from(part * granule)).collect()
}

fn split<'t>(
    terms: &mut Terms,
    thread: usize,
    index: usize,
    access: &Access<'t>,
    granule: u8,
    events: &mut Vec<Event<'t>>,
) {
    let whole = Event {
        thread: Some(thread),
        kind: access.kind,
        role: access.role,
        tags: access.tags,
        address: access.address,
        offset: 0,
        size: access.size,
        access_size: access.size,
        value: access.value,
        variable: (access.kind == Kind::Read).then_some(access.variable),
        instance: access.instance,
        access: index,
        span: access.span,
    };
    if granule == 0 || access.size <= granule {
        events.push(whole);
        return;
    }
    for part in 0..access.size / granule {
        let offset = part * granule;
        let variable = whole.variable.map(|first| first + u32::from(part));
        let value = match variable {
            Some(variable) => terms.read(variable),
            None => terms.bytes(access.value, offset, granule),
        };
        events.push(Event { offset, size: granule, value, variable, ..whole.clone() });
    }
}

/// The cells of the threads' events, if all addresses are constant.
fn fixed_cells(
    test: &Test,
    terms: &Terms,
    events: &[Event<'_>],
    granule: u8,
) -> Result<Option<Vec<Option<u64>>>, Misfit> {
    let mut cells = Vec::with_capacity(events.len());
    for event in events {
        match event.address.map(|address| terms.as_constant(address)) {
            None => cells.push(None),
            Some(None) => return Ok(None),
            // A fence has no size: its object's first cell stands for it.
            Some(Some(address)) if event.kind == Kind::Fence => cells.push(Some(address)),
            Some(Some(address)) => cells.push(Some(cell(test, granule, address, event.offset, event.size)?)),
        }
    }
    Ok(Some(cells))
}

/// Initial writes: of the cells that are accessed or observed, or of all when addresses are not known. Nobody sent anything on a topic before the start.
fn initial_writes<'t>(test: &'t Test, terms: &mut Terms, used: Option<&[Option<u64>]>, granule: u8) -> Vec<Event<'t>> {
    if test.dialect.has_messages() {
        return Vec::new();
    }
    let mut observed: Vec<u64> = Vec::new();
    for part in &test.observed {
        observed.extend(observed_cells(test, part.what, granule));
    }
    let mut events = Vec::new();
    for (index, location) in test.locations.iter().enumerate() {
        let start = test.address(ir::litmus::LocationId(index as u32));
        let address = terms.constant(start);
        for (element, &init) in location.init.iter().enumerate() {
            let size = if granule == 0 { location.element_size } else { granule.min(location.element_size) };
            for part in 0..location.element_size / size {
                let offset = element as u64 * u64::from(location.element_size) + u64::from(part * size);
                let cell = start + offset;
                let is_used = used.is_none_or(|used| used.contains(&Some(cell)) || observed.contains(&cell));
                if !is_used {
                    continue;
                }
                let whole = terms.constant(init);
                let value = terms.bytes(whole, part * size, size);
                // Elements of long arrays lie beyond what an offset holds: each has its own address.
                let (address, offset) = match u8::try_from(offset) {
                    Ok(offset) => (address, offset),
                    Err(_) => (terms.constant(cell), 0),
                };
                events.push(Event {
                    thread: None,
                    kind: Kind::Write,
                    role: Role::Single,
                    tags: &[],
                    address: Some(address),
                    offset,
                    size,
                    access_size: location.element_size,
                    value,
                    variable: None,
                    instance: 0,
                    access: 0,
                    span: Span::NOWHERE,
                });
            }
        }
    }
    events
}
