//! Which things belong together? Known as: union-find, with the least member as the name of a class.

#[derive(Default)]
pub(in crate::pass) struct UnionFind {
    parent: Vec<usize>,
}

impl UnionFind {
    /// As many things, each alone.
    pub(in crate::pass) fn new(len: usize) -> UnionFind {
        UnionFind { parent: (0..len).collect() }
    }

    pub(in crate::pass) fn len(&self) -> usize {
        self.parent.len()
    }

    /// One more, alone.
    pub(in crate::pass) fn add(&mut self) -> usize {
        let id = self.parent.len();
        self.parent.push(id);
        id
    }

    pub(in crate::pass) fn find(&mut self, mut at: usize) -> usize {
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    pub(in crate::pass) fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b)] = a.min(b);
    }
}
