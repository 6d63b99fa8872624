//! What makes the reads of an array variable a function, and equal arrays equal everywhere?
//!
//! Each read of a variable at an index is an input of its own. That equal indices read equal elements (Ackermann's
//! condition) is added only for pairs of reads that a candidate solution gets wrong: there are few of those, while all
//! pairs are many.
//!
//! An equality of arrays is a free wire, tied down on both sides: if it is false, the arrays differ at a witness, which
//! is an index of its own; if it is true, they agree at every index that is mentioned anywhere for arrays of that
//! sort, and "elsewhere". Elsewhere stands for an index that is none of those mentioned, which exists as long as there
//! are more indices than mentioned ones; small index domains are enumerated instead. See Stump, Barrett, Dill, Levitt,
//! "A decision procedure for an extensional theory of arrays", and the default values in de Moura and Bjørner,
//! "Generalized, efficient array decision procedures".

use logic::{TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::gates::{Gates, Wire};
use super::words::Word;

/// A word that arrays are read or written at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct IndexId(u32);

impl IndexId {
    /// An index that differs from all others.
    pub(super) const ELSEWHERE: IndexId = IndexId(0);
}

/// The equality of two arrays, as a wire.
#[derive(Debug)]
pub(super) struct Equality {
    pub(super) wire: Wire,
    pub(super) a: TermId,
    pub(super) b: TermId,
    pub(super) is_started: bool,
    pub(super) agreed: FxHashSet<IndexId>,
}

/// Indices, reads of variables, and equalities.
#[derive(Debug)]
pub(crate) struct Arrays {
    words: Vec<Word>,
    ids: FxHashMap<Word, IndexId>,
    inputs: FxHashMap<(VarId, IndexId), Word>,
    /// Reads of variables that are in use.
    reads: Vec<(VarId, IndexId)>,
    touched: FxHashSet<TermId>,
    touched_in_order: Vec<TermId>,
    /// Indices at which an array is read or written.
    pub(super) mentioned: Vec<(TermId, IndexId)>,
    pub(super) equalities: Vec<Equality>,
}

impl Default for Arrays {
    fn default() -> Arrays {
        Arrays {
            // Elsewhere has no word.
            words: vec![Word::new()],
            ids: FxHashMap::default(),
            inputs: FxHashMap::default(),
            reads: Vec::new(),
            touched: FxHashSet::default(),
            touched_in_order: Vec::new(),
            mentioned: Vec::new(),
            equalities: Vec::new(),
        }
    }
}

/// A moment to go back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    reads: usize,
    touched: usize,
    mentioned: usize,
    equalities: usize,
}

impl Arrays {
    pub(super) fn mark(&self) -> Mark {
        Mark {
            reads: self.reads.len(),
            touched: self.touched_in_order.len(),
            mentioned: self.mentioned.len(),
            equalities: self.equalities.len(),
        }
    }

    pub(super) fn forget_since(&mut self, mark: Mark) {
        self.reads.truncate(mark.reads);
        self.mentioned.truncate(mark.mentioned);
        self.equalities.truncate(mark.equalities);
        for term in self.touched_in_order.drain(mark.touched..) {
            self.touched.remove(&term);
        }
    }

    pub(super) fn index(&mut self, word: Word) -> IndexId {
        if let Some(&id) = self.ids.get(&word) {
            return id;
        }
        let id = IndexId(self.words.len() as u32);
        self.words.push(word.clone());
        self.ids.insert(word, id);
        id
    }

    pub(super) fn index_word(&self, index: IndexId) -> &Word {
        &self.words[index.0 as usize]
    }

    /// Whether an index is this word.
    pub(super) fn is_at(&self, gates: &mut Gates, index: IndexId, word: &[Wire]) -> Wire {
        if index == IndexId::ELSEWHERE { Wire::FALSE } else { gates.words_equal(self.index_word(index), word) }
    }

    /// An array is read at an index.
    pub(super) fn touch(&mut self, array: TermId, index: IndexId) {
        if self.touched.insert(array) {
            self.touched_in_order.push(array);
        }
        self.mentioned.push((array, index));
    }

    /// An array is written at an index.
    pub(super) fn mention(&mut self, array: TermId, word: &[Wire]) {
        let index = self.index(word.to_vec());
        self.mentioned.push((array, index));
    }

    pub(super) fn is_touched(&self, array: TermId) -> bool {
        self.touched.contains(&array)
    }

    /// The input that is the element of a variable at an index.
    pub(super) fn base_read(&mut self, var: VarId, index: IndexId, make: impl FnOnce() -> Word) -> Word {
        self.reads.push((var, index));
        self.inputs.entry((var, index)).or_insert_with(make).clone()
    }

    /// The reads of variables in use: the variable, the index, the element.
    pub(super) fn reads(&self) -> impl Iterator<Item = (VarId, IndexId, &Word)> {
        self.reads.iter().map(|&(var, index)| (var, index, &self.inputs[&(var, index)]))
    }

    pub(super) fn equality(&mut self, gates: &mut Gates, a: TermId, b: TermId) -> Wire {
        let wire = gates.input();
        self.equalities.push(Equality { wire, a, b, is_started: false, agreed: FxHashSet::default() });
        wire
    }

    /// The condition under which two reads must agree: equal indices yield equal elements.
    pub(super) fn functional(&self, gates: &mut Gates, var: VarId, i: IndexId, j: IndexId) -> Wire {
        let same = gates.words_equal(self.index_word(i), self.index_word(j));
        let equal = gates.words_equal(&self.inputs[&(var, i)], &self.inputs[&(var, j)]);
        gates.implies(same, equal)
    }
}
