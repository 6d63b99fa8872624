//! How is a term written down, so that `parse` reads back the same term?
//!
//! Prefix form, `(op parameters operands)`: `(add x 5:32)`, `(extract 7 0 x)`. Negated comparisons are printed as the
//! comparison they are: `ne`, `ule`, `sle`. In large terms, subterms that occur more than once are bound first, so
//! that the text stays linear in the number of nodes: `(let $0 T $1 U BODY)`, each binding seeing the earlier ones.
//!
//! Variable names that could be taken for something else are written between bars, `|like this|`, with `\|` and `\\`.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::op::Op;
use crate::pool::{Node, Pool, TermId};

/// Terms up to this tree size are printed without bindings.
const WITHOUT_BINDINGS: u32 = 128;

/// A term with the pool it is in, to be formatted.
#[derive(Clone, Copy, Debug)]
pub struct Displayed<'a> {
    pool: &'a Pool,
    term: TermId,
}

impl Pool {
    /// The text of a term.
    pub fn display(&self, term: TermId) -> Displayed<'_> {
        Displayed { pool: self, term }
    }
}

impl fmt::Display for Displayed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pool, term) = (self.pool, self.term);
        let mut name_of: FxHashMap<TermId, usize> = FxHashMap::default();
        if pool.tree_size(term) > WITHOUT_BINDINGS {
            let shared = shared_subterms(pool, term);
            if !shared.is_empty() {
                f.write_str("(let")?;
                for subterm in shared {
                    write!(f, " ${} ", name_of.len())?;
                    write_term(f, pool, subterm, &name_of)?;
                    name_of.insert(subterm, name_of.len());
                }
                f.write_str(" ")?;
                write_term(f, pool, term, &name_of)?;
                return f.write_str(")");
            }
        }
        write_term(f, pool, term, &name_of)
    }
}

/// Applications, except the term itself, that have several places in it, operands first.
fn shared_subterms(pool: &Pool, term: TermId) -> Vec<TermId> {
    let order = pool.post_order(term);
    let mut n_uses: FxHashMap<TermId, u32> = FxHashMap::default();
    for &subterm in &order {
        for &arg in pool.node(subterm).args() {
            *n_uses.entry(arg).or_default() += 1;
        }
    }
    order
        .into_iter()
        .filter(|subterm| n_uses.get(subterm).is_some_and(|&n| n > 1) && !pool.node(*subterm).args().is_empty())
        .collect()
}

enum Piece {
    Term(TermId),
    Close,
}

fn write_term(
    f: &mut fmt::Formatter<'_>,
    pool: &Pool,
    term: TermId,
    name_of: &FxHashMap<TermId, usize>,
) -> fmt::Result {
    let mut pending = vec![Piece::Term(term)];
    let mut after_open = true;
    while let Some(piece) = pending.pop() {
        let Piece::Term(term) = piece else {
            f.write_str(")")?;
            continue;
        };
        if !after_open {
            f.write_str(" ")?;
        }
        after_open = false;
        if let Some(name) = name_of.get(&term) {
            write!(f, "${name}")?;
            continue;
        }
        match pool.node(term) {
            Node::Const(value) => write!(f, "{value}")?,
            Node::Var(var) => write_name(f, pool.var_name(*var))?,
            Node::App { op, args } => {
                let (word, args) = spelling(pool, *op, args);
                write!(f, "({word}")?;
                write_parameters(f, *op)?;
                pending.push(Piece::Close);
                pending.extend(args.into_iter().rev().map(Piece::Term));
            }
        }
    }
    Ok(())
}

/// The word and the operands to print: a negated comparison has its own word.
fn spelling(pool: &Pool, op: Op, args: &[TermId]) -> (&'static str, Vec<TermId>) {
    if op == Op::Not
        && let Node::App { op: inner, args: inner_args } = pool.node(args[0])
    {
        match inner {
            Op::Eq => return ("ne", inner_args.to_vec()),
            Op::Ult => return ("ule", vec![inner_args[1], inner_args[0]]),
            Op::Slt => return ("sle", vec![inner_args[1], inner_args[0]]),
            _ => {}
        }
    }
    (op.name(), args.to_vec())
}

fn write_parameters(f: &mut fmt::Formatter<'_>, op: Op) -> fmt::Result {
    match op {
        Op::Extract { hi, lo } => write!(f, " {hi} {lo}"),
        Op::ZeroExtend(width) | Op::SignExtend(width) | Op::FloatToSbv(width) | Op::FloatToUbv(width) => {
            write!(f, " {width}")
        }
        Op::FloatToFloat(to) | Op::SbvToFloat(to) | Op::UbvToFloat(to) => write!(f, " {to}"),
        Op::ConstArray(index) => write!(f, " {index}"),
        _ => Ok(()),
    }
}

fn write_name(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    if is_plain_name(name) {
        return f.write_str(name);
    }
    f.write_str("|")?;
    for c in name.chars() {
        if c == '|' || c == '\\' {
            f.write_str("\\")?;
        }
        write!(f, "{c}")?;
    }
    f.write_str("|")
}

/// Whether the name can stand for itself: it starts like an identifier and is no word of the text form.
fn is_plain_name(name: &str) -> bool {
    let starts_well = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let inner = |c: char| c.is_alphanumeric() || "_.@!#-+*/<>[]{}~^%&=?'".contains(c);
    starts_well && name.chars().all(inner) && name != "true" && name != "false"
}
