//! Random values, sorts and operators: what tests of anything that transforms or decides terms draw from.
//!
//! Constants are mostly the interesting ones, widths and variables are few, so that rules and equalities are met. How
//! operators are put together to a term is up to each test: some keep a tree beside the pool, some build at once.

use crate::{ArrayValue, BitVec, FloatSort, Op, Pool, Prng, Scalar, Sort, Value, VarId};

/// What terms may be made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kinds {
    /// Truth values and bit-vectors.
    Bits,
    /// Those and arrays of them.
    Arrays,
    /// All sorts, but remainders only of narrow floats and seldom: they are very large circuits.
    Decidable,
    /// All sorts and operators, and bit-vectors wider than a machine word.
    All,
}

impl Kinds {
    fn has_floats(self) -> bool {
        matches!(self, Kinds::Decidable | Kinds::All)
    }
}

/// A source of random parts of terms.
#[derive(Clone, Debug)]
pub struct Sample {
    prng: Prng,
    kinds: Kinds,
    widths: [u32; 3],
}

impl Sample {
    /// The source for a seed.
    pub fn new(seed: u64, kinds: Kinds) -> Sample {
        let mut sample = Sample { prng: Prng::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d)), kinds, widths: [0; 3] };
        for i in 0..3 {
            sample.widths[i] = match sample.below(8) {
                0 => 1,
                1 | 2 => 2 + sample.below(4),
                3 => 8,
                4 => 16,
                5 => 32,
                6 => 64,
                _ if kinds == Kinds::All => 1 + sample.below(70),
                _ => 1 + sample.below(64),
            };
        }
        sample
    }

    /// Of small widths, so that products and quotients are easy to decide.
    pub fn narrow(seed: u64, kinds: Kinds) -> Sample {
        let mut sample = Sample::new(seed, kinds);
        sample.widths = [1 + sample.below(4), 2 + sample.below(7), 8];
        sample
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: u32) -> u32 {
        self.prng.below(u64::from(n)) as u32
    }

    /// True once in this many times.
    pub fn chance(&mut self, one_in: u32) -> bool {
        self.below(one_in) == 0
    }

    /// One of these, of which there is at least one.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        self.prng.pick(from)
    }

    /// One of the widths of this source.
    pub fn width(&mut self) -> u32 {
        self.prng.pick(&self.widths)
    }

    fn float(&mut self) -> FloatSort {
        self.pick(&[FloatSort::F32, FloatSort::F32, FloatSort::F64])
    }

    fn index(&mut self) -> Scalar {
        match self.below(3) {
            0 => Scalar::Bool,
            1 => Scalar::Bv(self.widths[0].min(3)),
            _ => Scalar::Bv(self.widths[1]),
        }
    }

    fn array(&mut self) -> Sort {
        let index = self.index();
        let element = match self.below(4) {
            0 => Scalar::Bool,
            1 if self.kinds.has_floats() => Scalar::F32,
            _ => Scalar::Bv(self.widths[2]),
        };
        Sort::Array(index, element)
    }

    /// A sort that terms may have.
    pub fn sort(&mut self) -> Sort {
        match self.below(8) {
            0..2 => Sort::Bool,
            2..5 => Sort::Bv(self.width()),
            5..7 if self.kinds.has_floats() => self.float().into(),
            7 if self.kinds != Kinds::Bits => self.array(),
            _ => Sort::Bv(self.width()),
        }
    }

    /// A value of this sort.
    pub fn value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.chance(2)),
            Sort::Bv(width) => Value::Bv(match self.below(8) {
                0 => BitVec::zero(width),
                1 => BitVec::new(width, 1),
                2 => BitVec::ones(width),
                3 => BitVec::signed_min(width),
                4 => BitVec::signed_max(width),
                5 => BitVec::from_i128(width, i128::from(self.below(9)) - 4),
                6 => BitVec::new(width, 1).shl_by(self.below(width)),
                _ => BitVec::from_limbs(width, &[self.prng.number(), self.prng.number()]),
            }),
            Sort::F32 => Value::f32(match self.below(3) {
                0 => self.number() as f32,
                1 => f32::from_bits(self.prng.number() as u32),
                // Near one another in exponent, so that sums and remainders do something.
                _ => f32::from_bits((self.prng.number() as u32 & 0x80ff_ffff) | 0x3f00_0000),
            }),
            Sort::F64 => Value::f64(match self.below(3) {
                0 => self.number(),
                1 => f64::from_bits(self.prng.number()),
                _ => f64::from_bits((self.prng.number() & 0x801f_ffff_ffff_ffff) | 0x3fe0_0000_0000_0000),
            }),
            Sort::Array(index, element) => {
                let mut array = ArrayValue::new(index, self.value(element.into()));
                for _ in 0..self.below(4) {
                    array = array.store(self.value(index.into()), self.value(element.into()));
                }
                Value::Array(array)
            }
        }
    }

    fn number(&mut self) -> f64 {
        match self.below(10) {
            0 => 0.0,
            1 => -0.0,
            2 => 1.0,
            3 => f64::INFINITY,
            4 => f64::NAN,
            5 => f64::from(self.prng.number() as u32 as i32) / 8.0,
            6 => f64::from_bits(1 + u64::from(self.below(3))),
            7 => f64::from(f32::from_bits(1 + self.below(1 << 23))),
            8 => f64::from(f32::MAX) * f64::from(1 + self.below(2)),
            _ => f64::from(self.below(9)) - 4.0,
        }
    }

    /// A variable of this sort: one of the few that there are, or a new one.
    pub fn variable(&mut self, pool: &mut Pool, sort: Sort) -> VarId {
        let known: Vec<VarId> =
            (0..pool.n_vars() as u32).map(VarId).filter(|&var| pool.var_sort(var) == sort).collect();
        if known.len() < 2 || self.chance(12) {
            let name = format!("v{}", pool.n_vars());
            pool.declare(&name, sort)
        } else {
            self.pick(&known)
        }
    }

    /// An operator that gives this sort, and the sorts of its operands.
    pub fn application(&mut self, sort: Sort) -> (Op, Vec<Sort>) {
        if self.chance(12) {
            return (Op::Ite, vec![Sort::Bool, sort, sort]);
        }
        if self.kinds != Kinds::Bits
            && self.chance(8)
            && let Some(element) = sort.scalar()
        {
            let index = self.index();
            return (Op::Select, vec![Sort::Array(index, element), index.into()]);
        }
        match sort {
            Sort::Bool => self.predicate(),
            Sort::Bv(width) => self.on_bits(width),
            Sort::F32 | Sort::F64 => self.on_floats(sort),
            Sort::Array(index, element) => match self.below(4) {
                0 => (Op::ConstArray(index), vec![element.into()]),
                _ => (Op::Store, vec![sort, index.into(), element.into()]),
            },
        }
    }

    fn predicate(&mut self) -> (Op, Vec<Sort>) {
        let bv = Sort::Bv(self.width());
        let float = Sort::from(self.float());
        match self.below(17) {
            0 => (Op::Not, vec![Sort::Bool]),
            1 | 2 => (Op::And, vec![Sort::Bool; self.below(5) as usize]),
            3 | 4 => (Op::Or, vec![Sort::Bool; self.below(5) as usize]),
            5..8 => (Op::Eq, [self.sort()].repeat(2)),
            8..10 => (Op::Ult, vec![bv; 2]),
            10..12 => (Op::Slt, vec![bv; 2]),
            12 => (Op::UmulOverflows, vec![bv; 2]),
            13 => (Op::SmulOverflows, vec![bv; 2]),
            _ if self.kinds.has_floats() => match self.below(4) {
                0 => (Op::FEq, vec![float; 2]),
                1 => (Op::FLt, vec![float; 2]),
                2 => (Op::FLe, vec![float; 2]),
                _ => (Op::FIsNan, vec![float]),
            },
            _ => (Op::Eq, vec![bv; 2]),
        }
    }

    fn on_bits(&mut self, width: u32) -> (Op, Vec<Sort>) {
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
        let same = Sort::Bv(width);
        let float = Sort::from(self.float());
        let with_floats = self.kinds.has_floats();
        match self.below(24) {
            0 => (Op::Neg, vec![same]),
            1 => (Op::BvNot, vec![same]),
            2 | 3 => {
                let lo = self.below(9);
                let limit = if self.kinds == Kinds::All { 80 } else { 64 };
                let from = (width + lo + self.below(9)).min(limit).max(width + lo);
                (Op::Extract { hi: lo + width - 1, lo }, vec![Sort::Bv(from)])
            }
            4 | 5 if width > 1 => {
                let low = 1 + self.below(width - 1);
                (Op::Concat, vec![Sort::Bv(width - low), Sort::Bv(low)])
            }
            6 => (Op::ZeroExtend(width), vec![Sort::Bv(1 + self.below(width))]),
            7 => (Op::SignExtend(width), vec![Sort::Bv(1 + self.below(width))]),
            8 if with_floats => (Op::FloatToSbv(width), vec![float]),
            9 if with_floats => (Op::FloatToUbv(width), vec![float]),
            10 if with_floats && width == 32 => (Op::FloatToBits, vec![Sort::F32]),
            10 if with_floats && width == 64 => (Op::FloatToBits, vec![Sort::F64]),
            _ => (self.pick(&BINARY), vec![same; 2]),
        }
    }

    fn on_floats(&mut self, sort: Sort) -> (Op, Vec<Sort>) {
        let to = sort.float().expect("only asked for floats");
        match self.below(12) {
            0 => (Op::FAdd, vec![sort; 2]),
            1 => (Op::FSub, vec![sort; 2]),
            2 => (Op::FMul, vec![sort; 2]),
            3 => (Op::FDiv, vec![sort; 2]),
            4 if self.kinds == Kinds::All || (sort == Sort::F32 && self.chance(4)) => (Op::FRem, vec![sort; 2]),
            5 => (Op::FNeg, vec![sort]),
            6 => (Op::FAbs, vec![sort]),
            7 => (Op::FSqrt, vec![sort]),
            8 => (Op::FloatToFloat(to), vec![self.float().into()]),
            9 => (Op::SbvToFloat(to), vec![Sort::Bv(self.width())]),
            10 => (Op::UbvToFloat(to), vec![Sort::Bv(self.width())]),
            _ => (Op::FloatFromBits, vec![Sort::Bv(to.width())]),
        }
    }
}
