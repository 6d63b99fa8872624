//! Messages between processes: what `ravel/net.h` is made of.
//!
//! A topic is a word that holds `ir::message::NONE` at first. A send stores into it. A receive is an attempt to update it that always fails, which is but a read; one that waits does so until it
//! finds something. Which message it finds is said by the protocol (`--model`), and no other model knows these accesses.

use super::library::Known;
use crate::c::lower::body::Body;
use crate::c::typed::Expr;
use ir::message::{Marks, NONE};
use ir::{CheckKind, Failure, Op, Order};
use logic::{Scalar, Sort, TermId};

/// What is taken for granted, and told with the answer.
const ASSUMED: &str = "what a protocol says of whole executions, such as that no message is lost, is asked of those in which all processes have ended";

impl Body<'_, '_> {
    /// Lowers a function of `ravel/net.h`.
    pub(super) fn message_call(&mut self, known: Known, args: &[Expr]) -> Option<TermId> {
        match (known, args) {
            (Known::Send, [topic, value, tags]) => {
                let target = self.target(topic);
                let value = self.operand(value, &target);
                let marks = self.marks(tags, target.sort)?;
                let none = self.nothing();
                let cond = self.pool().ne(value, none);
                let what = "a message whose value is RAVEL_NONE";
                self.check(cond, CheckKind::Unsupported(what.into()));
                self.emit(Op::Store { place: target.place, value, order: Order::Message(marks) });
                None
            }
            (Known::Receive | Known::TryReceive, [topic, tags]) => {
                let target = self.target(topic);
                let marks = self.marks(tags, target.sort)?;
                let waits = known == Known::Receive;
                let order = Order::Message(if waits { marks } else { marks.with_try() });
                let dst = self.temporary(Sort::Bv(64));
                let found = self.var(dst);
                let none = self.nothing();
                let something = self.pool().ne(found, none);
                let always = self.pool().bool(true);
                self.emit(Op::Rmw {
                    dst,
                    place: target.place,
                    wait: waits.then_some(something),
                    owner: None,
                    new: found,
                    order,
                    failure: Some(Failure { when: always, order }),
                });
                Some(found)
            }
            (Known::Refuse, [condition, what]) => {
                let is_so = self.condition(condition);
                let cond = self.pool().not(is_so);
                let what = Self::literal_text(what).unwrap_or_default();
                self.check(cond, CheckKind::Unsupported(what.into()));
                None
            }
            _ => {
                self.unsupported("a function of ravel/net.h with other arguments than it takes");
                None
            }
        }
    }

    fn nothing(&mut self) -> TermId {
        self.pool().bv(64, NONE as u64)
    }

    /// The tags of a message; what is none is refused.
    fn marks(&mut self, tags: &Expr, sort: Scalar) -> Option<Marks> {
        self.lw.assume(ASSUMED.to_string());
        if sort != Scalar::Bv(64) {
            self.unsupported("a topic that is none of ravel/net.h");
            return None;
        }
        let Some(text) = Self::literal_text(tags) else {
            self.unsupported("tags of a message that are no text in quotes");
            return None;
        };
        match Marks::listed(&text) {
            Ok(marks) => Some(marks),
            Err(word) => {
                self.unsupported(&format!("the tag {word} of a message"));
                None
            }
        }
    }
}
