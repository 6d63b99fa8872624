//! Random operator trees, kept apart from the pool so that they can be evaluated without any simplification.
//!
//! To meet the rules, constants are mostly the interesting ones, variables are few, and a subtree is often one that was
//! used before.

use crate::semantics::Operands;
use crate::{ArrayValue, BitVec, FloatSort, Op, Pool, Scalar, Sort, TermId, Value, VarId};

#[derive(Clone, Debug)]
pub(super) enum Tree {
    Const(Value),
    Var(VarId),
    App(Op, Vec<Tree>),
}

impl Tree {
    pub(super) fn build(&self, pool: &mut Pool) -> TermId {
        match self {
            Tree::Const(value) => pool.constant(value.clone()),
            Tree::Var(var) => pool.var(*var),
            Tree::App(op, args) => {
                let args: Vec<TermId> = args.iter().map(|arg| arg.build(pool)).collect();
                pool.apply(*op, &args)
            }
        }
    }

    pub(super) fn eval(&self, env: &dyn Fn(VarId) -> Value) -> Value {
        match self {
            Tree::Const(value) => value.clone(),
            Tree::Var(var) => env(*var),
            Tree::App(op, args) => op.eval(args.iter().map(|arg| arg.eval(env)).collect::<Operands>()),
        }
    }
}

pub(super) struct Source {
    state: u64,
    used: Vec<(Sort, Tree)>,
    widths: [u32; 3],
}

impl Source {
    pub(super) fn new(seed: u64) -> Source {
        let mut source = Source { state: seed, used: Vec::new(), widths: [1, 8, 32] };
        for i in 0..3 {
            source.widths[i] = match source.below(6) {
                0 => 1,
                1 => 2 + source.below(3),
                2 => 8,
                3 => 32,
                4 => 64,
                _ => 1 + source.below(70),
            };
        }
        source
    }

    /// SplitMix64.
    pub(super) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, n: u32) -> u32 {
        (self.next() % u64::from(n)) as u32
    }

    fn width(&mut self) -> u32 {
        let i = self.below(3) as usize;
        self.widths[i]
    }

    fn float_sort(&mut self) -> FloatSort {
        if self.below(2) == 0 { FloatSort::F32 } else { FloatSort::F64 }
    }

    pub(super) fn sort(&mut self) -> Sort {
        match self.below(8) {
            0..3 => Sort::Bool,
            3..6 => Sort::Bv(self.width()),
            6 => self.float_sort().into(),
            _ => self.array_sort(),
        }
    }

    fn array_sort(&mut self) -> Sort {
        match self.below(3) {
            0 => Sort::Array(Scalar::Bool, Scalar::Bv(self.widths[0])),
            1 => Sort::Array(Scalar::Bv(self.widths[1]), Scalar::Bv(self.widths[0])),
            _ => Sort::Array(Scalar::Bv(self.widths[1]), Scalar::Bool),
        }
    }

    pub(super) fn value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.below(2) == 0),
            Sort::Bv(width) => Value::Bv(match self.below(8) {
                0 => BitVec::zero(width),
                1 => BitVec::new(width, 1),
                2 => BitVec::ones(width),
                3 => BitVec::signed_min(width),
                4 => BitVec::signed_max(width),
                5 => BitVec::from_i128(width, i128::from(self.below(9)) - 4),
                6 => BitVec::new(width, 1).shl_by(self.below(width)),
                _ => BitVec::from_limbs(width, &[self.next(), self.next()]),
            }),
            Sort::F32 => Value::f32(self.float() as f32),
            Sort::F64 => Value::f64(self.float()),
            Sort::Array(index, element) => {
                let mut array = ArrayValue::new(index, self.value(element.into()));
                for _ in 0..self.below(4) {
                    array = array.store(self.value(index.into()), self.value(element.into()));
                }
                Value::Array(array)
            }
        }
    }

    fn float(&mut self) -> f64 {
        match self.below(10) {
            0 => 0.0,
            1 => -0.0,
            2 => 1.0,
            3 => f64::INFINITY,
            4 => f64::NAN,
            5 => f64::from(self.next() as u32 as i32) / 8.0,
            6 => f64::from_bits(self.next()),
            7 => f64::from(f32::from_bits(self.next() as u32)),
            _ => f64::from(self.below(9)) - 4.0,
        }
    }

    pub(super) fn tree(&mut self, pool: &mut Pool, sort: Sort, depth: u32) -> Tree {
        let known: Vec<usize> = (0..self.used.len()).filter(|&i| self.used[i].0 == sort).collect();
        if !known.is_empty() && self.below(5) == 0 {
            let pick = known[self.below(known.len() as u32) as usize];
            return self.used[pick].1.clone();
        }
        if depth == 0 || self.below(8) == 0 {
            return if self.below(2) == 0 {
                Tree::Const(self.value(sort))
            } else {
                Tree::Var(self.variable(pool, sort))
            };
        }
        let (op, sorts) = self.application(sort);
        let args = sorts.into_iter().map(|sort| self.tree(pool, sort, depth - 1)).collect();
        let tree = Tree::App(op, args);
        self.used.push((sort, tree.clone()));
        tree
    }

    fn variable(&mut self, pool: &mut Pool, sort: Sort) -> VarId {
        let known: Vec<VarId> =
            (0..pool.n_vars() as u32).map(VarId).filter(|&var| pool.var_sort(var) == sort).collect();
        if known.len() < 2 {
            let name = format!("v{}", pool.n_vars());
            return pool.declare(&name, sort);
        }
        known[self.below(known.len() as u32) as usize]
    }

    fn application(&mut self, sort: Sort) -> (Op, Vec<Sort>) {
        match self.below(12) {
            0 => return (Op::Ite, vec![Sort::Bool, sort, sort]),
            1 => {
                if let Some(element) = sort.scalar() {
                    let index = [Scalar::Bool, Scalar::Bv(self.width())][self.below(2) as usize];
                    return (Op::Select, vec![Sort::Array(index, element), index.into()]);
                }
            }
            _ => {}
        }
        match sort {
            Sort::Bool => self.predicate(),
            Sort::Bv(width) => self.bv_operator(width),
            Sort::F32 | Sort::F64 => self.float_operator(sort),
            Sort::Array(index, element) => match self.below(4) {
                0 => (Op::ConstArray(index), vec![element.into()]),
                _ => (Op::Store, vec![sort, index.into(), element.into()]),
            },
        }
    }

    fn predicate(&mut self) -> (Op, Vec<Sort>) {
        let bv = Sort::Bv(self.width());
        let float = Sort::from(self.float_sort());
        match self.below(15) {
            0 | 1 => (Op::Not, vec![Sort::Bool]),
            2 | 3 => (Op::And, vec![Sort::Bool; self.below(5) as usize]),
            4 | 5 => (Op::Or, vec![Sort::Bool; self.below(5) as usize]),
            6..8 => (Op::Eq, vec![bv; 2]),
            8 => (Op::Eq, [self.sort()].repeat(2)),
            9 | 10 => (Op::Ult, vec![bv; 2]),
            11 | 12 => (Op::Slt, vec![bv; 2]),
            13 => ([Op::UmulOverflows, Op::SmulOverflows][self.below(2) as usize], vec![bv; 2]),
            _ => match self.below(4) {
                0 => (Op::FEq, vec![float; 2]),
                1 => (Op::FLt, vec![float; 2]),
                2 => (Op::FLe, vec![float; 2]),
                _ => (Op::FIsNan, vec![float]),
            },
        }
    }

    fn bv_operator(&mut self, width: u32) -> (Op, Vec<Sort>) {
        const BINARY: [Op; 13] = [
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::Udiv,
            Op::Sdiv,
            Op::Urem,
            Op::Srem,
            Op::BvAnd,
            Op::BvOr,
            Op::BvXor,
            Op::Shl,
            Op::Lshr,
            Op::Ashr,
        ];
        let float = Sort::from(self.float_sort());
        let same = Sort::Bv(width);
        match self.below(20) {
            0 => (Op::Neg, vec![same]),
            1 => (Op::BvNot, vec![same]),
            2..4 => (Op::Add, vec![same; 2]),
            4..6 => (Op::Sub, vec![same; 2]),
            6..8 => {
                let lo = self.below(9);
                let from = Sort::Bv(width + lo + self.below(9));
                (Op::Extract { hi: lo + width - 1, lo }, vec![from])
            }
            8..10 if width > 1 => {
                let low = 1 + self.below(width - 1);
                (Op::Concat, vec![Sort::Bv(width - low), Sort::Bv(low)])
            }
            10 | 11 => (Op::ZeroExtend(width), vec![Sort::Bv(1 + self.below(width))]),
            12 | 13 => (Op::SignExtend(width), vec![Sort::Bv(1 + self.below(width))]),
            14 if width == 32 => (Op::FloatToBits, vec![Sort::F32]),
            14 if width == 64 => (Op::FloatToBits, vec![Sort::F64]),
            15 => (Op::FloatToSbv(width), vec![float]),
            16 => (Op::FloatToUbv(width), vec![float]),
            _ => (BINARY[self.below(13) as usize], vec![same; 2]),
        }
    }

    fn float_operator(&mut self, sort: Sort) -> (Op, Vec<Sort>) {
        let to = sort.float().unwrap();
        match self.below(12) {
            0 => (Op::FAdd, vec![sort; 2]),
            1 => (Op::FSub, vec![sort; 2]),
            2 => (Op::FMul, vec![sort; 2]),
            3 => (Op::FDiv, vec![sort; 2]),
            4 => (Op::FRem, vec![sort; 2]),
            5 => (Op::FNeg, vec![sort]),
            6 => (Op::FAbs, vec![sort]),
            7 => (Op::FSqrt, vec![sort]),
            8 => (Op::FloatToFloat(to), vec![self.float_sort().into()]),
            9 => (Op::SbvToFloat(to), vec![Sort::Bv(self.width())]),
            10 => (Op::UbvToFloat(to), vec![Sort::Bv(self.width())]),
            _ => (Op::FloatFromBits, vec![Sort::Bv(to.width())]),
        }
    }
}
