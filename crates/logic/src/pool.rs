//! Where do terms live, and when are two terms one?
//!
//! All nodes are in one vector, operands before the terms that use them; an open-addressing table of indices finds an
//! equal node before a new one is added. So terms never move or die, equality of terms is equality of ids, and sorting
//! ids is a topological order.
//!
//! Invariant: a stored application is a normal form, `apply(op, args)` on its own parts yields itself. `build` applies
//! operators by the rules of `simplify`; the pool knows neither. What visits whole terms is in `walk`.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use smallvec::SmallVec;

use crate::op::Op;
use crate::sort::Sort;
use crate::value::Value;

/// A term in a pool. Ids order operands before the terms that contain them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(u32);

impl TermId {
    /// The position in the pool, dense from zero.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn from_index(index: usize) -> TermId {
        TermId(u32::try_from(index).expect("fewer than 2^32 terms"))
    }
}

/// A variable of a pool.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VarId(pub u32);

impl VarId {
    /// The position in the variable table, dense from zero.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a term is made of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A value.
    Const(Value),
    /// A variable.
    Var(VarId),
    /// An operator on operands.
    App {
        /// The operator.
        op: Op,
        /// The operands; `And` and `Or` have two or more, in ascending order.
        args: SmallVec<[TermId; 3]>,
    },
}

impl Node {
    /// The operands; none of constants and variables.
    pub fn args(&self) -> &[TermId] {
        match self {
            Node::App { args, .. } => args,
            Node::Const(_) | Node::Var(_) => &[],
        }
    }
}

/// Owner of terms and variables.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    entries: Vec<Entry>,
    /// Open addressing with linear probing: an index into `entries` plus one, or zero; a power of two, at most 3/4 full.
    table: Vec<u32>,
    vars: Vec<Var>,
}

#[derive(Clone, Debug)]
struct Entry {
    node: Node,
    sort: Sort,
    hash: u32,
    tree_size: u32,
}

#[derive(Clone, Debug)]
struct Var {
    name: Box<str>,
    sort: Sort,
}

impl Pool {
    /// No terms, no variables.
    pub fn new() -> Pool {
        Pool::default()
    }

    /// A fresh variable; names need not differ.
    pub fn declare(&mut self, name: &str, sort: Sort) -> VarId {
        assert!(sort != Sort::Bv(0), "a bit-vector has at least one bit");
        let id = VarId(u32::try_from(self.vars.len()).expect("fewer than 2^32 variables"));
        self.vars.push(Var { name: name.into(), sort });
        id
    }

    /// The name a variable was declared with.
    pub fn var_name(&self, var: VarId) -> &str {
        &self.vars[var.index()].name
    }

    /// The sort a variable was declared with.
    pub fn var_sort(&self, var: VarId) -> Sort {
        self.vars[var.index()].sort
    }

    /// The number of variables declared.
    pub fn n_vars(&self) -> usize {
        self.vars.len()
    }

    /// The number of terms stored.
    pub fn n_terms(&self) -> usize {
        self.entries.len()
    }

    /// The variable as a term.
    pub fn var(&mut self, var: VarId) -> TermId {
        let sort = self.var_sort(var);
        self.intern(Node::Var(var), sort)
    }

    /// The value as a term.
    pub fn constant(&mut self, value: Value) -> TermId {
        let sort = value.sort();
        self.intern(Node::Const(value.normalised()), sort)
    }

    /// A truth value as a term.
    pub fn bool(&mut self, value: bool) -> TermId {
        self.constant(Value::Bool(value))
    }

    /// The low `width` bits of `value` as a term.
    pub fn bv(&mut self, width: u32, value: u64) -> TermId {
        self.constant(Value::bv(width, value))
    }

    /// What the term is made of.
    pub fn node(&self, term: TermId) -> &Node {
        &self.entries[term.index()].node
    }

    /// The sort of the term.
    pub fn sort(&self, term: TermId) -> Sort {
        self.entries[term.index()].sort
    }

    /// The value, if the term is a constant.
    pub fn as_const(&self, term: TermId) -> Option<&Value> {
        match self.node(term) {
            Node::Const(value) => Some(value),
            _ => None,
        }
    }

    /// The variable, if the term is one.
    pub fn as_var(&self, term: TermId) -> Option<VarId> {
        match self.node(term) {
            Node::Var(var) => Some(*var),
            _ => None,
        }
    }

    /// The number of nodes if every shared subterm were copied, capped at `u32::MAX`.
    pub fn tree_size(&self, term: TermId) -> u32 {
        self.entries[term.index()].tree_size
    }

    /// The sort `apply` would yield, or why it would panic.
    pub(crate) fn check(&self, op: Op, args: &[TermId]) -> Result<Sort, String> {
        let sorts: SmallVec<[Sort; 3]> = args.iter().map(|&arg| self.sort(arg)).collect();
        op.result_sort(&sorts)
    }

    /// The node as it is; only for `simplify`, which has checked that no rule applies.
    pub(crate) fn intern_app(&mut self, op: Op, args: SmallVec<[TermId; 3]>, sort: Sort) -> TermId {
        self.intern(Node::App { op, args }, sort)
    }

    fn intern(&mut self, node: Node, sort: Sort) -> TermId {
        if (self.entries.len() + 1) * 4 > self.table.len() * 3 {
            self.grow_table();
        }
        let mut hasher = FxHasher::default();
        node.hash(&mut hasher);
        let hash = hasher.finish() as u32;
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        while self.table[slot] != 0 {
            let found = self.table[slot] - 1;
            let entry = &self.entries[found as usize];
            if entry.hash == hash && entry.node == node {
                return TermId(found);
            }
            slot = (slot + 1) & mask;
        }
        let id = u32::try_from(self.entries.len()).expect("fewer than 2^32 terms");
        let tree_size = node.args().iter().fold(1u32, |sum, &arg| sum.saturating_add(self.tree_size(arg)));
        self.entries.push(Entry { node, sort, hash, tree_size });
        self.table[slot] = id + 1;
        TermId(id)
    }

    fn grow_table(&mut self) {
        let size = (self.table.len() * 2).max(64);
        self.table = vec![0; size];
        for (i, entry) in self.entries.iter().enumerate() {
            let mut slot = entry.hash as usize & (size - 1);
            while self.table[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = i as u32 + 1;
        }
    }
}
