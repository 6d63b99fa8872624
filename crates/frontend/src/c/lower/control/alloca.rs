//! `alloca`: objects that end with the function that made them.
//!
//! Each place in the text has a variable with the address of its newest object. A place that is passed again puts the older address into a list
//! first: a node of two words, on the stack too, so that the last return finds all of them.

use crate::c::lower::body::Body;
use crate::c::lower::model_types::is_signed;
use crate::c::typed::Expr;
use ir::{AllocKind, Op, Order};
use logic::{Scalar, Sort, TermId, VarId};

impl Body<'_, '_> {
    /// An object that ends with the function.
    pub(in crate::c::lower) fn alloca(&mut self, size: &Expr) -> TermId {
        let bytes = self.eval(size);
        let word = self.word_bits();
        let signed = is_signed(self.types(), size.ty.ty);
        let bytes = self.pool().resize(bytes, signed, word);
        let bytes = self.kept(bytes);
        let var = self.lasting_temporary(Sort::Bv(word));
        let align = self.heap_align();
        // Whoever jumps back here stands in a loop, or knows a label that came before.
        if self.breaks.is_empty() && self.labels.is_empty() {
            self.allocas.push((var, None));
            self.alloc(var, bytes, AllocKind::Stack, false, align);
            return self.var(var);
        }
        let list = self.lasting_temporary(Sort::Bv(word));
        self.allocas.push((var, Some(list)));
        let old = self.var(var);
        let is_made = self.truth(old);
        let (again, first) = (self.new_loc(), self.new_loc());
        self.branch_on(is_made, again, first);
        self.resume_at(again);
        let node = self.temporary(Sort::Bv(word));
        let step = u64::from(word / 8);
        let size = self.word(2 * step);
        self.alloc(node, size, AllocKind::Stack, false, align);
        let node = self.var(node);
        let (next, behind) = (self.add_offset(node, step), self.var(list));
        let place = |addr| Self::memory(addr, Scalar::Bv(word));
        self.emit(Op::Store { place: place(node), value: old, order: Order::Plain });
        self.emit(Op::Store { place: place(next), value: behind, order: Order::Plain });
        self.assign(list, node);
        self.goto(first);
        self.resume_at(first);
        self.alloc(var, bytes, AllocKind::Stack, false, align);
        self.var(var)
    }

    /// Ends all objects of `alloca` on the way out of the function.
    pub(super) fn end_allocas(&mut self) {
        for (var, list) in self.allocas.clone() {
            let addr = self.var(var);
            let is_made = self.truth(addr);
            let (free, done) = (self.new_loc(), self.new_loc());
            self.branch_on(is_made, free, done);
            self.resume_at(free);
            self.emit(Op::Free { addr, kind: AllocKind::Stack });
            match list {
                Some(list) => self.end_older(list, done),
                None => self.goto(done),
            }
            self.resume_at(done);
        }
    }

    /// Ends the objects in a list and its nodes, then goes on at `done`.
    fn end_older(&mut self, list: VarId, done: ir::LocId) {
        let word = self.word_bits();
        let (head, inside) = (self.new_loc(), self.new_loc());
        self.enter(head);
        let node = self.var(list);
        let is_more = self.truth(node);
        self.branch_on(is_more, inside, done);
        self.resume_at(inside);
        let mark = self.temporary_mark();
        let next = self.add_offset(node, u64::from(word / 8));
        let addr = self.load_place(Self::memory(node, Scalar::Bv(word)), Order::Plain);
        self.emit(Op::Free { addr, kind: AllocKind::Stack });
        let behind = self.load_place(Self::memory(next, Scalar::Bv(word)), Order::Plain);
        self.emit(Op::Free { addr: node, kind: AllocKind::Stack });
        self.assign(list, behind);
        self.release(mark);
        self.goto(head);
    }
}
