//! Litmus tests in words: values, states, conditions and instructions as herd prints them.
//!
//! An address is shown by name (`x`, `x+4`, `a[1]`), all else as a number, signed unless the text declared it unsigned.

use super::expr::signed;
use super::{
    Binary, Expr, Formula, Instr, NOTHING, Observable, Observed, Op, Operand, Quantifier, RmwKind, Test, Unary,
};
use std::fmt::Write;

impl Test {
    /// A value of so many bytes, in words.
    pub fn show_value(&self, value: u64, size: u8, is_signed: bool) -> String {
        if self.dialect.has_messages() && value == NOTHING {
            return "none".to_string();
        }
        if size >= 4
            && let Some((location, offset)) = self.locate(value)
        {
            let location = &self.locations[location.0 as usize];
            let element = u64::from(location.element_size);
            return match offset {
                _ if location.is_array && offset % element == 0 => format!("{}[{}]", location.name, offset / element),
                0 => location.name.clone(),
                _ => format!("{}+{offset}", location.name),
            };
        }
        if is_signed { signed(value, size * 8).to_string() } else { value.to_string() }
    }

    /// The name of a part of the final state: `0:X1`, `x`, `a[1]`.
    pub fn show_observable(&self, what: Observable) -> String {
        match what {
            Observable::Register { thread, reg } => {
                let thread = &self.threads[thread];
                format!("{}:{}", thread.number, thread.registers[reg.0 as usize].name)
            }
            Observable::Memory { location, element } => {
                let location = &self.locations[location.0 as usize];
                if location.is_array { format!("{}[{element}]", location.name) } else { location.name.clone() }
            }
        }
    }

    /// A final state on one line: `0:EAX=0; [x]=1;`.
    pub fn show_state(&self, state: &[u64]) -> String {
        let mut text = String::new();
        for (observed, value) in self.observed.iter().zip(state).filter(|(observed, _)| observed.shown) {
            let name = self.show_side(observed.what);
            let value = self.show_value(*value, observed.size, observed.signed);
            let gap = if text.is_empty() { "" } else { " " };
            let _ = write!(text, "{gap}{name}={value};");
        }
        text
    }

    fn show_side(&self, what: Observable) -> String {
        match what {
            Observable::Register { .. } => self.show_observable(what),
            Observable::Memory { .. } => match self.show_observable(what) {
                name if name.ends_with(']') => name,
                name => format!("[{name}]"),
            },
        }
    }

    /// The condition with its quantifier: `exists (0:EAX=0 /\ 1:EAX=0)`.
    pub fn show_condition(&self) -> String {
        let quantifier = match self.quantifier {
            Quantifier::Exists => "exists",
            Quantifier::NotExists => "~exists",
            Quantifier::Forall => "forall",
        };
        format!("{quantifier} ({})", self.show_formula(&self.condition))
    }

    /// A formula.
    pub fn show_formula(&self, formula: &Formula) -> String {
        let nested = |part: &Formula| match part {
            Formula::Or(parts) | Formula::And(parts) if parts.len() > 1 => format!("({})", self.show_formula(part)),
            Formula::Implies(..) => format!("({})", self.show_formula(part)),
            _ => self.show_formula(part),
        };
        let within_or = |part: &Formula| match part {
            Formula::And(_) => self.show_formula(part),
            _ => nested(part),
        };
        match formula {
            Formula::Constant(value) => value.to_string(),
            Formula::Equal(index, operand) => {
                let observed: &Observed = &self.observed[*index];
                let right = match operand {
                    Operand::Value(value) => self.show_value(*value, observed.size, observed.signed),
                    Operand::Observed(other) => self.show_side(self.observed[*other].what),
                };
                format!("{}={right}", self.show_side(observed.what))
            }
            Formula::Not(inner) => format!("not ({})", self.show_formula(inner)),
            Formula::And(parts) => parts.iter().map(nested).collect::<Vec<_>>().join(" /\\ "),
            Formula::Or(parts) => parts.iter().map(within_or).collect::<Vec<_>>().join(" \\/ "),
            Formula::Implies(left, right) => format!("{} => {}", nested(left), nested(right)),
        }
    }

    /// An expression of a thread.
    pub fn show_expr(&self, thread: usize, expr: &Expr) -> String {
        let show = |expr: &Expr| self.show_expr(thread, expr);
        match expr {
            Expr::Const(value) => self.show_value(*value, 8, true),
            Expr::Reg(reg) => self.threads[thread].registers[reg.0 as usize].name.clone(),
            Expr::Unary(op, width, operand) => format!("{}{width}({})", unary_name(*op), show(operand)),
            Expr::Binary(op, width, left, right) => {
                format!("({} {}{width} {})", show(left), binary_name(*op), show(right))
            }
            Expr::Select(condition, yes, no) => format!("({} ? {} : {})", show(condition), show(yes), show(no)),
        }
    }

    /// An instruction of a thread.
    pub fn show_instr(&self, thread: usize, instr: &Instr) -> String {
        let show = |expr: &Expr| self.show_expr(thread, expr);
        let name = |reg: &Option<super::Reg>| match reg {
            Some(reg) => self.threads[thread].registers[reg.0 as usize].name.clone(),
            None => "_".to_string(),
        };
        match &instr.op {
            Op::Set { to, value } => format!("{} := {}", name(&Some(*to)), show(value)),
            Op::Load { to, address, size, is_exclusive, tags, .. } => {
                let kind = if *is_exclusive { "load-exclusive" } else { "load" };
                format!("{} := {kind}{}/{size} {}", name(to), show_tags(tags), show(address))
            }
            Op::Store { address, value, size, tags } => {
                format!("store{}/{size} {}, {}", show_tags(tags), show(address), show(value))
            }
            Op::Rmw { to, address, size, kind, operand, read_tags, write_tags, .. } => {
                let kind = match kind {
                    RmwKind::Swap => "swap".to_string(),
                    RmwKind::Apply(op) => format!("fetch {}", binary_name(*op)),
                    RmwKind::CompareSwap { expected } => format!("compare {} and swap", show(expected)),
                };
                let tags = format!("{}{}", show_tags(read_tags), show_tags(write_tags));
                format!("{} := {kind}{tags}/{size} {}, {}", name(to), show(address), show(operand))
            }
            Op::StoreExclusive { status, address, value, size, tags, .. } => {
                format!(
                    "{} := store-exclusive{}/{size} {}, {}",
                    name(status),
                    show_tags(tags),
                    show(address),
                    show(value)
                )
            }
            Op::Fence { tags, address } => match address {
                Some(address) => format!("fence{} {}", show_tags(tags), show(address)),
                None => format!("fence{}", show_tags(tags)),
            },
            Op::Branch { condition, target, .. } => format!("if {} goto {target}", show(condition)),
            Op::Choose { to } => format!("{} := choose", name(&Some(*to))),
            Op::Assume { condition } => format!("assume {}", show(condition)),
            Op::Jump { target } => format!("goto {target}"),
        }
    }
}

fn show_tags(tags: &[String]) -> String {
    if tags.is_empty() { String::new() } else { format!("[{}]", tags.join(",")) }
}

fn unary_name(op: Unary) -> &'static str {
    match op {
        Unary::Not => "not",
        Unary::Negate => "neg",
        Unary::SignExtend => "sext",
        Unary::ZeroExtend => "zext",
        Unary::LeadingZeros => "clz",
        Unary::IsZero => "is-zero",
        Unary::Sign => "sign",
        Unary::ReverseBytes => "rev",
        Unary::ReverseBits => "rbit",
    }
}

fn binary_name(op: Binary) -> &'static str {
    match op {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::UDiv => "udiv",
        Binary::SDiv => "sdiv",
        Binary::URem => "urem",
        Binary::SRem => "srem",
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
        Binary::AndNot => "&~",
        Binary::Shl => "<<",
        Binary::Lshr => ">>u",
        Binary::Ashr => ">>s",
        Binary::Ror => "ror",
        Binary::Eq => "==",
        Binary::Ne => "!=",
        Binary::Ult => "<u",
        Binary::Ule => "<=u",
        Binary::Slt => "<s",
        Binary::Sle => "<=s",
        Binary::Carry => "carry",
        Binary::AddOverflow => "add-overflows",
        Binary::SubOverflow => "sub-overflows",
        Binary::SMax => "smax",
        Binary::SMin => "smin",
        Binary::UMax => "umax",
        Binary::UMin => "umin",
    }
}
