//! Can all of this happen one after the other? The ordering-consistency theory, next to a SAT solver.
//!
//! Known as: ordering consistency (Sun et al.), a theory solver for DPLL(T) with read-from, write-serialisation and from-read orders.
//!
//! Nodes are points in time; program order is a fixed graph on them. A read takes its value from one of its candidates, each a
//! literal. Axioms derive more order (Sun et al., Zennou et al.): transitivity; if `r` reads from `w`, every other active
//! write to its place that is before `r` is before `w` (write serialisation), and every one that is after `w` is after `r`
//! (from-read). A cycle is a conflict, explained by the literals that its edges stand for. What would close a cycle is set
//! false before it is tried: a candidate after its read, a candidate that is overwritten before the read, an active rival
//! between source and read, a conditional edge against the order.
//!
//! Where stores are buffered a write's node is when it reaches memory, and what a read's own thread wrote before may not be there yet
//! (`Read::own`). Reading such a write orders nothing; and whatever a read reads, its active own writes are before that: older ones of its
//! thread, or in memory before the source was. So in the axioms own writes count as being before their read.
//!
//! This decides *weak* sequential consistency: writes that no read tells apart stay unordered. [`linear`] looks for a total
//! order; where there is none, the caller adds conditional edges for pairs of writes and goes on.
//!
//! Invariant: edges are in the order in which they were derived, so the reasons of an edge are older edges, and explanations may be
//! asked for late: they look only at edges older than what they explain.

mod closure;
mod conflicts;
mod explain;
mod linear;
mod related;
mod structure;

pub use closure::{Closure, bits, topological};
pub use conflicts::{Conflicts, Implies, Pair, Wanted, find_conflicts};
pub use linear::linearise;
pub use structure::{Read, Structure, Write};

use related::{NONE, Related};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smt::{Consequences, Lit, Theory};

/// Why an edge is there.
#[derive(Clone, Copy, Debug)]
enum Why {
    /// By a literal: a choice of a read, or a conditional edge.
    Literal(Lit),
    /// By an axiom: this read takes its value from that candidate, this rival is active, and one node is before another.
    Axiom { choice: Lit, active: Option<Lit>, before: u32, after: u32 },
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    from: u32,
    to: u32,
    why: Why,
    /// The place in the trail of the assignment that led to it.
    at: u32,
    mark: usize,
}

/// Why a literal was implied: these literals, these orders, all older than the edge number.
#[derive(Clone, Debug)]
struct Implied {
    literals: SmallVec<[Lit; 2]>,
    orders: SmallVec<[(u32, u32); 2]>,
    n_edges: usize,
}

/// What an assignment of a literal means.
#[derive(Clone, Copy, Debug)]
enum Role {
    /// The read takes its value from this of its candidates.
    Choice { read: u32, candidate: u32 },
    /// This rival of the read is active.
    Active { read: u32, rival: u32 },
    /// An edge is there.
    Edge { from: u32, to: u32 },
}

/// What was counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Assignments refuted: cycles found, and literals that must be true but are false.
    pub conflicts: u64,
    /// Literals implied.
    pub implied: u64,
    /// Edges derived by axioms.
    pub derived: u64,
    /// Clauses given to the solver: one for each conflict, and the reasons of implied literals that it asked for.
    pub clauses: u64,
}

/// The theory.
#[derive(Debug)]
pub struct OrderingConsistency {
    structure: Structure,
    fixed: Closure,
    closure: Closure,
    fixed_after: Vec<Vec<u32>>,
    interest: Vec<u64>,
    edges: Vec<Edge>,
    /// Dynamic edges by their start.
    leaving: Vec<Vec<u32>>,
    trail: Vec<(Lit, usize)>,
    /// How much of the trail has been looked at.
    n_seen: usize,
    value: Vec<i8>,
    roles: Vec<SmallVec<[Role; 2]>>,
    /// By the code of the literal.
    implied: Vec<Option<Implied>>,
    reads_at: Vec<SmallVec<[u32; 2]>>,
    writes_at: Vec<SmallVec<[u32; 2]>>,
    related: Related,
    /// For each write, the reads that it is a candidate of.
    readers: Vec<Vec<(u32, u32)>>,
    /// The candidate that each read takes.
    source: Vec<Option<u32>>,
    edge_between: FxHashMap<(u32, u32), SmallVec<[Lit; 1]>>,
    todo: Vec<(u32, u32, Why)>,
    pairs: Vec<(u32, u32)>,
    /// What was counted.
    pub counts: Counts,
}

fn code(lit: Lit) -> usize {
    2 * lit.var() + usize::from(lit.is_negated())
}

impl OrderingConsistency {
    /// The theory of a structure; program order has no cycles.
    pub fn new(structure: Structure) -> OrderingConsistency {
        let fixed = Closure::new(structure.n_nodes, &structure.fixed);
        OrderingConsistency::with_closure(structure, fixed)
    }

    /// Likewise, with the closure of program order.
    pub fn with_closure(structure: Structure, fixed: Closure) -> OrderingConsistency {
        let n = structure.n_nodes;
        let mut fixed_after = vec![Vec::new(); n];
        for (from, to) in &structure.fixed {
            fixed_after[*from as usize].push(*to);
        }
        let mut order = OrderingConsistency {
            closure: fixed.clone(),
            interest: vec![0; n * fixed.n_words()],
            fixed,
            fixed_after,
            edges: Vec::new(),
            leaving: vec![Vec::new(); n],
            trail: Vec::new(),
            n_seen: 0,
            value: Vec::new(),
            roles: Vec::new(),
            implied: Vec::new(),
            reads_at: vec![SmallVec::new(); n],
            writes_at: vec![SmallVec::new(); n],
            related: Related::new(&structure),
            readers: vec![Vec::new(); structure.writes.len()],
            source: vec![None; structure.reads.len()],
            edge_between: FxHashMap::default(),
            todo: Vec::new(),
            pairs: Vec::new(),
            counts: Counts::default(),
            structure: Structure::default(),
        };
        for (index, write) in structure.writes.iter().enumerate() {
            order.writes_at[write.node as usize].push(index as u32);
        }
        for (index, read) in structure.reads.iter().enumerate() {
            order.add_read(&structure, index as u32, read);
        }
        for (lit, from, to) in &structure.edges {
            order.add_role(*lit, Role::Edge { from: *from, to: *to });
            order.note_edge(*lit, *from, *to);
        }
        order.structure = structure;
        order
    }

    fn add_read(&mut self, structure: &Structure, index: u32, read: &Read) {
        self.reads_at[read.node as usize].push(index);
        let n_words = self.fixed.n_words();
        let mut mask = vec![0u64; n_words];
        for (at, (write, lit)) in read.candidates.iter().enumerate() {
            self.readers[*write as usize].push((index, at as u32));
            self.add_role(*lit, Role::Choice { read: index, candidate: at as u32 });
        }
        for (at, (_, lit)) in read.rivals.iter().enumerate() {
            if let Some(lit) = lit {
                self.add_role(*lit, Role::Active { read: index, rival: at as u32 });
            }
        }
        let writes = read.candidates.iter().map(|(write, _)| *write).chain(read.rivals.iter().map(|(write, _)| *write));
        let nodes: Vec<u32> = writes.map(|write| structure.writes[write as usize].node).collect();
        for node in &nodes {
            mask[*node as usize / 64] |= 1 << (node % 64);
        }
        let start = read.node as usize * n_words;
        for (word, more) in self.interest[start..start + n_words].iter_mut().zip(&mask) {
            *word |= more;
        }
        mask[read.node as usize / 64] |= 1 << (read.node % 64);
        for node in &nodes {
            let start = *node as usize * n_words;
            for (word, more) in self.interest[start..start + n_words].iter_mut().zip(&mask) {
                *word |= more;
            }
        }
    }

    /// Takes over the assignments that another theory has heard of.
    pub fn adopt(&mut self, other: &OrderingConsistency) {
        self.counts = other.counts;
        for (lit, level) in &other.trail {
            self.assign(*lit, *level);
        }
    }

    /// Adds a conditional edge between two searches.
    pub fn add_edge(&mut self, lit: Lit, from: u32, to: u32) {
        self.add_role(lit, Role::Edge { from, to });
        self.note_edge(lit, from, to);
        self.structure.edges.push((lit, from, to));
    }

    fn note_edge(&mut self, lit: Lit, from: u32, to: u32) {
        self.edge_between.entry((to, from)).or_default().push(lit);
        self.interest[to as usize * self.fixed.n_words() + from as usize / 64] |= 1 << (from % 64);
    }

    fn add_role(&mut self, lit: Lit, role: Role) {
        let n = 2 * lit.var() + 2;
        if self.roles.len() < n {
            self.roles.resize(n, SmallVec::new());
            self.implied.resize(n, None);
            self.value.resize(n / 2, 0);
        }
        self.roles[code(lit)].push(role);
    }

    /// The structure.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The order that holds now.
    pub fn closure(&self) -> &Closure {
        &self.closure
    }

    /// The candidate that each read takes now, as a write.
    pub fn sources(&self) -> Vec<Option<u32>> {
        let write = |(read, source): (usize, &Option<u32>)| {
            source.map(|candidate| self.structure.reads[read].candidates[candidate as usize].0)
        };
        self.source.iter().enumerate().map(write).collect()
    }

    /// Whether a literal is true (positive), false (negative) or not assigned.
    pub fn lit_value(&self, lit: Lit) -> i8 {
        let value = self.value.get(lit.var()).copied().unwrap_or(0);
        if lit.is_negated() { -value } else { value }
    }

    fn is_active(&self, lit: Option<Lit>) -> i8 {
        lit.map_or(1, |lit| self.lit_value(lit))
    }

    fn node_of(&self, write: u32) -> u32 {
        self.structure.writes[write as usize].node
    }

    fn is_own(&self, read: u32, write: u32) -> bool {
        self.structure.reads[read as usize].own.binary_search(&write).is_ok()
    }

    fn before(&self, a: u32, b: u32) -> bool {
        self.closure.is_before(a, b)
    }

    /// Looks at all new assignments; a conflict ends it.
    fn propagate_all(&mut self, said: &mut Consequences) {
        while self.n_seen < self.trail.len() {
            let lit = self.trail[self.n_seen].0;
            let roles = self.roles.get(code(lit)).cloned().unwrap_or_default();
            for role in roles {
                self.apply(role, lit, said);
                if !self.work(said) {
                    return;
                }
            }
            self.n_seen += 1;
        }
    }

    fn apply(&mut self, role: Role, lit: Lit, said: &mut Consequences) {
        match role {
            Role::Edge { from, to } => self.todo.push((from, to, Why::Literal(lit))),
            Role::Choice { read, candidate } => self.choose(read, candidate, lit, said),
            Role::Active { read, rival } => self.activate(read, rival, said),
        }
    }

    fn choose(&mut self, read: u32, candidate: u32, lit: Lit, said: &mut Consequences) {
        let this = &self.structure.reads[read as usize];
        let (node, write) = (this.node, this.candidates[candidate as usize].0);
        for at in 0..this.candidates.len() {
            let other = self.structure.reads[read as usize].candidates[at].1;
            if at as u32 != candidate && self.lit_value(other) >= 0 {
                self.imply(!other, &[lit], &[], said);
            }
        }
        if self.source[read as usize].is_some() {
            return;
        }
        self.source[read as usize] = Some(candidate);
        let from = self.node_of(write);
        if !self.is_own(read, write) {
            self.todo.push((from, node, Why::Literal(lit)));
        }
        for at in 0..self.structure.reads[read as usize].rivals.len() {
            let (rival, active) = self.structure.reads[read as usize].rivals[at];
            if rival != write && self.is_active(active) >= 0 {
                self.compare(read, (write, lit), (rival, active), said);
            }
        }
    }

    /// What follows for a read, its source and a rival that is not inactive.
    fn compare(
        &mut self,
        read: u32,
        (write, lit): (u32, Lit),
        (rival, active): (u32, Option<Lit>),
        said: &mut Consequences,
    ) {
        let node = self.structure.reads[read as usize].node;
        let (from, other) = (self.node_of(write), self.node_of(rival));
        let is_active = self.is_active(active) > 0;
        let is_own = self.is_own(read, rival);
        let (is_before, is_after) = (is_own || self.before(other, node), self.before(from, other));
        if is_active && is_before && !self.before(other, from) {
            self.counts.derived += 1;
            // That an own write counts as being before needs no reason.
            let after = if is_own { other } else { node };
            self.todo.push((other, from, Why::Axiom { choice: lit, active, before: other, after }));
        }
        if is_active && is_after && !self.before(node, other) {
            self.counts.derived += 1;
            self.todo.push((node, other, Why::Axiom { choice: lit, active, before: from, after: other }));
        }
        if !is_active && is_before && is_after {
            let active = active.expect("what has no literal is active");
            let after = if is_own { other } else { node };
            self.imply(!active, &[lit], &[(from, other), (other, after)], said);
        }
    }

    fn activate(&mut self, read: u32, rival: u32, said: &mut Consequences) {
        let this = &self.structure.reads[read as usize];
        let (write, active) = this.rivals[rival as usize];
        match self.source[read as usize] {
            Some(candidate) => {
                let (source, lit) = this.candidates[candidate as usize];
                if source != write {
                    self.compare(read, (source, lit), (write, active), said);
                }
            }
            None => {
                if self.is_own(read, write) || self.before(self.node_of(write), this.node) {
                    self.overwrite(read, write, active, said);
                }
            }
        }
    }

    /// An active write is before a read without a source: no earlier write can be the source.
    fn overwrite(&mut self, read: u32, write: u32, active: Option<Lit>, said: &mut Consequences) {
        let node = self.structure.reads[read as usize].node;
        let middle = self.node_of(write);
        let after = if self.is_own(read, write) { middle } else { node };
        for at in 0..self.structure.reads[read as usize].candidates.len() {
            let (candidate, lit) = self.structure.reads[read as usize].candidates[at];
            let from = self.node_of(candidate);
            if candidate != write && self.lit_value(lit) == 0 && self.before(from, middle) {
                let literals: SmallVec<[Lit; 2]> = active.into_iter().collect();
                self.imply(!lit, &literals, &[(from, middle), (middle, after)], said);
            }
        }
    }

    fn imply(&mut self, lit: Lit, literals: &[Lit], orders: &[(u32, u32)], said: &mut Consequences) {
        if self.lit_value(lit) > 0 {
            return;
        }
        let implied = Implied { literals: literals.into(), orders: orders.into(), n_edges: self.edges.len() };
        self.counts.implied += 1;
        if self.lit_value(lit) < 0 {
            let mut clause = vec![lit];
            self.explain_implied(&implied, &mut clause);
            self.counts.conflicts += 1;
            self.counts.clauses += 1;
            said.add_clause(clause);
            return;
        }
        self.implied[code(lit)] = Some(implied);
        said.imply(lit);
    }

    /// Adds the edges that wait, and looks at the pairs that they order; false if there is a cycle.
    fn work(&mut self, said: &mut Consequences) -> bool {
        let mut next = 0;
        loop {
            while next < self.todo.len() {
                let (from, to, why) = self.todo[next];
                next += 1;
                if from == to || self.before(to, from) {
                    self.counts.conflicts += 1;
                    self.counts.clauses += 1;
                    let clause = self.conflict(from, to, why);
                    said.add_clause(clause);
                    self.todo.clear();
                    self.pairs.clear();
                    return false;
                }
                if !self.before(from, to) {
                    self.edges.push(Edge { from, to, why, at: self.n_seen as u32, mark: self.closure.mark() });
                    self.leaving[from as usize].push(self.edges.len() as u32 - 1);
                    self.closure.add(from, to, &self.interest, &mut self.pairs);
                }
            }
            self.todo.clear();
            next = 0;
            let pairs = std::mem::take(&mut self.pairs);
            if pairs.is_empty() {
                return true;
            }
            for (a, b) in &pairs {
                self.ordered(*a, *b, said);
            }
            let mut pairs = pairs;
            pairs.clear();
            self.pairs = pairs;
        }
    }

    /// What follows from one node being before another.
    fn ordered(&mut self, a: u32, b: u32, said: &mut Consequences) {
        if let Some(edges) = self.edge_between.get(&(a, b)) {
            for lit in edges.clone() {
                if self.lit_value(lit) == 0 {
                    self.imply(!lit, &[], &[(a, b)], said);
                }
            }
        }
        let writes_a = self.writes_at[a as usize].clone();
        let writes_b = self.writes_at[b as usize].clone();
        for read in self.reads_at[b as usize].clone() {
            for write in &writes_a {
                let (_, rival) = self.related.get(read, *write);
                if rival == NONE {
                    continue;
                }
                let active = self.structure.reads[read as usize].rivals[rival as usize].1;
                match (self.is_active(active), self.source[read as usize]) {
                    (-1, _) => {}
                    (_, Some(candidate)) => {
                        let source = self.structure.reads[read as usize].candidates[candidate as usize];
                        if source.0 != *write {
                            self.compare(read, source, (*write, active), said);
                        }
                    }
                    (1, None) => self.overwrite(read, *write, active, said),
                    _ => {}
                }
            }
        }
        for read in self.reads_at[a as usize].clone() {
            for write in &writes_b {
                let (candidate, _) = self.related.get(read, *write);
                if candidate != NONE && !self.is_own(read, *write) {
                    let lit = self.structure.reads[read as usize].candidates[candidate as usize].1;
                    if self.lit_value(lit) == 0 {
                        self.imply(!lit, &[], &[(a, b)], said);
                    }
                }
            }
        }
        for write in &writes_a {
            for at in 0..self.readers[*write as usize].len() {
                let (read, candidate) = self.readers[*write as usize][at];
                let lit = self.structure.reads[read as usize].candidates[candidate as usize].1;
                let value = self.lit_value(lit);
                if value < 0 || (value == 0 && self.source[read as usize].is_some()) {
                    continue;
                }
                for rival in &writes_b {
                    let (_, at) = self.related.get(read, *rival);
                    if at == NONE || rival == write {
                        continue;
                    }
                    let active = self.structure.reads[read as usize].rivals[at as usize].1;
                    let is_active = self.is_active(active);
                    let node = self.structure.reads[read as usize].node;
                    if is_active < 0 {
                        continue;
                    }
                    if self.source[read as usize] == Some(candidate) {
                        self.compare(read, (*write, lit), (*rival, active), said);
                    } else if value == 0 && is_active > 0 && (self.is_own(read, *rival) || self.before(b, node)) {
                        let literals: SmallVec<[Lit; 2]> = active.into_iter().collect();
                        let after = if self.is_own(read, *rival) { b } else { node };
                        self.imply(!lit, &literals, &[(a, b), (b, after)], said);
                    }
                }
            }
        }
    }
}

impl Theory for OrderingConsistency {
    fn assign(&mut self, lit: Lit, level: usize) {
        if lit.var() >= self.value.len() {
            self.value.resize(lit.var() + 1, 0);
        }
        self.value[lit.var()] = if lit.is_negated() { -1 } else { 1 };
        self.trail.push((lit, level));
    }

    fn backtrack(&mut self, level: usize) {
        while let Some((lit, at)) = self.trail.last().copied() {
            if at <= level {
                break;
            }
            self.trail.pop();
            self.value[lit.var()] = 0;
            if let Some(roles) = self.roles.get(code(lit)) {
                for role in roles {
                    if let Role::Choice { read, candidate } = role
                        && self.source[*read as usize] == Some(*candidate)
                    {
                        self.source[*read as usize] = None;
                    }
                }
            }
        }
        let n = self.trail.len();
        self.n_seen = self.n_seen.min(n);
        while self.edges.last().is_some_and(|edge| edge.at as usize >= n) {
            let edge = self.edges.pop().expect("there is a last edge");
            self.leaving[edge.from as usize].pop();
            self.closure.undo(edge.mark);
        }
    }

    fn propagate(&mut self, consequences: &mut Consequences) {
        self.propagate_all(consequences);
    }

    fn explain(&mut self, lit: Lit, clause: &mut Vec<Lit>) {
        let implied = self.implied[code(lit)].clone().expect("only implied literals are explained");
        clause.push(lit);
        self.counts.clauses += 1;
        self.explain_implied(&implied, clause);
    }

    fn check(&mut self, consequences: &mut Consequences) {
        self.propagate_all(consequences);
    }
}

#[cfg(test)]
mod tests;
