//! What can a term evaluate to?
//!
//! Values are exact and totally ordered, so they serve as keys. Floats are kept as IEEE bits: two float values are the
//! same value exactly if their bits are, so minus zero differs from zero. There is one NaN: `Value::normalised` maps
//! every NaN to the quiet one with an empty payload, and the pool and all operators yield only that one.
//!
//! Arrays are a default and the finitely many exceptions from it. Invariant: no exception equals the default, and the
//! default is the most frequent element over the whole index domain (the smallest of several), so that equal maps are
//! equal values even where the domain is small enough for the exceptions to cover it.

pub(crate) mod bitvec;
pub(crate) mod float;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::sort::{Scalar, Sort};
use bitvec::BitVec;

/// The bits of the one `f32` NaN.
pub const F32_NAN: u32 = 0x7fc0_0000;
/// The bits of the one `f64` NaN.
pub const F64_NAN: u64 = 0x7ff8_0000_0000_0000;

/// A concrete value of some sort.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A bit-vector.
    Bv(BitVec),
    /// The IEEE bits of an `f32`.
    F32(u32),
    /// The IEEE bits of an `f64`.
    F64(u64),
    /// A total map.
    Array(ArrayValue),
}

impl Value {
    /// A truth value.
    pub fn bool(value: bool) -> Value {
        Value::Bool(value)
    }

    /// The low `width` bits of `value`.
    pub fn bv(width: u32, value: u64) -> Value {
        Value::Bv(BitVec::new(width, value))
    }

    /// An `f32`, with every NaN mapped to the one NaN.
    pub fn f32(value: f32) -> Value {
        Value::F32(if value.is_nan() { F32_NAN } else { value.to_bits() })
    }

    /// An `f64`, with every NaN mapped to the one NaN.
    pub fn f64(value: f64) -> Value {
        Value::F64(if value.is_nan() { F64_NAN } else { value.to_bits() })
    }

    /// Zero of any sort: false, no bits, plus zero, the array of zeros.
    pub fn zero(sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::Bv(width) => Value::bv(width, 0),
            Sort::F32 => Value::F32(0),
            Sort::F64 => Value::F64(0),
            Sort::Array(index, element) => Value::Array(ArrayValue::new(index, Value::zero(element.into()))),
        }
    }

    /// The truth value; panics on other sorts.
    pub fn as_bool(&self) -> bool {
        match self {
            Value::Bool(value) => *value,
            other => panic!("expected a truth value, found {other} of sort {}", other.sort()),
        }
    }

    /// The bit-vector; panics on other sorts.
    pub fn as_bv(&self) -> &BitVec {
        match self {
            Value::Bv(value) => value,
            other => panic!("expected a bit-vector, found {other} of sort {}", other.sort()),
        }
    }

    /// The array; panics on other sorts.
    pub fn as_array(&self) -> &ArrayValue {
        match self {
            Value::Array(value) => value,
            other => panic!("expected an array, found {other} of sort {}", other.sort()),
        }
    }

    /// The `f32`; panics on other sorts.
    pub fn as_f32(&self) -> f32 {
        match self {
            Value::F32(bits) => f32::from_bits(*bits),
            other => panic!("expected an f32, found {other} of sort {}", other.sort()),
        }
    }

    /// The `f64`; panics on other sorts.
    pub fn as_f64(&self) -> f64 {
        match self {
            Value::F64(bits) => f64::from_bits(*bits),
            other => panic!("expected an f64, found {other} of sort {}", other.sort()),
        }
    }

    /// The sort this value belongs to.
    pub fn sort(&self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::Bv(value) => Sort::Bv(value.width()),
            Value::F32(_) => Sort::F32,
            Value::F64(_) => Sort::F64,
            Value::Array(array) => Sort::Array(
                array.index,
                array.inner.default.sort().scalar().expect("array elements are scalars by construction"),
            ),
        }
    }

    /// The same value with every NaN mapped to the one NaN.
    pub fn normalised(self) -> Value {
        match self {
            Value::F32(bits) => Value::f32(f32::from_bits(bits)),
            Value::F64(bits) => Value::f64(f64::from_bits(bits)),
            Value::Array(array) if array.touches_floats() => {
                let mut result = ArrayValue::new(array.index, array.inner.default.clone().normalised());
                for (index, element) in &array.inner.exceptions {
                    result = result.store(index.clone().normalised(), element.clone().normalised());
                }
                Value::Array(result)
            }
            other => other,
        }
    }
}

/// A total map from scalars to scalars: a default and finitely many exceptions. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ArrayValue {
    index: Scalar,
    inner: Arc<Inner>,
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Inner {
    default: Value,
    exceptions: BTreeMap<Value, Value>,
}

impl ArrayValue {
    /// The array that holds `default` everywhere.
    pub fn new(index: Scalar, default: Value) -> ArrayValue {
        assert!(default.sort().scalar().is_some(), "array elements are scalars, found {}", default.sort());
        ArrayValue { index, inner: Arc::new(Inner { default, exceptions: BTreeMap::new() }) }
    }

    /// The sort of the indices.
    pub fn index_sort(&self) -> Scalar {
        self.index
    }

    /// The element at every index that is no exception.
    pub fn default(&self) -> &Value {
        &self.inner.default
    }

    /// The indices whose element is not the default, in order.
    pub fn exceptions(&self) -> impl ExactSizeIterator<Item = (&Value, &Value)> {
        self.inner.exceptions.iter()
    }

    /// The element at `index`.
    pub fn select(&self, index: &Value) -> &Value {
        self.inner.exceptions.get(index).unwrap_or(&self.inner.default)
    }

    /// The array with the element at `index` replaced. In place if nobody else holds this array.
    pub fn store(mut self, index: Value, element: Value) -> ArrayValue {
        assert_eq!(index.sort(), self.index.into(), "array index of another sort");
        assert_eq!(element.sort(), self.inner.default.sort(), "array element of another sort");
        let inner = Arc::make_mut(&mut self.inner);
        if element == inner.default {
            inner.exceptions.remove(&index);
        } else {
            inner.exceptions.insert(index, element);
        }
        self.choose_default();
        self
    }

    fn touches_floats(&self) -> bool {
        Sort::from(self.index).is_float() || self.inner.default.sort().is_float()
    }

    /// Restores the invariant on the default; only index domains of which at least half are exceptions can violate it.
    fn choose_default(&mut self) {
        let domain: usize = match self.index {
            Scalar::Bool => 2,
            Scalar::Bv(width) if width <= 40 => 1 << width,
            _ => return,
        };
        let n_exceptions = self.inner.exceptions.len();
        if 2 * n_exceptions < domain {
            return;
        }
        let mut frequency: BTreeMap<&Value, usize> = BTreeMap::new();
        for element in self.inner.exceptions.values() {
            *frequency.entry(element).or_default() += 1;
        }
        if n_exceptions < domain {
            frequency.insert(&self.inner.default, domain - n_exceptions);
        }
        let most = frequency.values().copied().max().expect("a domain is not empty");
        let best = frequency.into_iter().find(|&(_, n)| n == most).expect("the maximum occurs").0;
        if *best == self.inner.default {
            return;
        }
        let best = best.clone();
        let mut exceptions = BTreeMap::new();
        for i in 0..domain {
            let index = match self.index {
                Scalar::Bool => Value::Bool(i == 1),
                Scalar::Bv(width) => Value::bv(width, i as u64),
                Scalar::F32 | Scalar::F64 => unreachable!("float domains are too large to get here"),
            };
            let element = self.select(&index);
            if *element != best {
                let element = element.clone();
                exceptions.insert(index, element);
            }
        }
        self.inner = Arc::new(Inner { default: best, exceptions });
    }
}

/// The text form that `parse` reads: `true`, `5:32` (value and width), `1.5:f32`, and
/// `(array bv32 0:8 (1:32 7:8))` with the index sort, the default and the exceptions.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(value) => write!(f, "{value}"),
            Value::Bv(value) => write!(f, "{value}:{}", value.width()),
            Value::F32(bits) => {
                write_float(f, f64::from(f32::from_bits(*bits)), format_args!("{:?}", f32::from_bits(*bits)), "f32")
            }
            Value::F64(bits) => {
                write_float(f, f64::from_bits(*bits), format_args!("{:?}", f64::from_bits(*bits)), "f64")
            }
            Value::Array(array) => {
                write!(f, "(array {} {}", array.index, array.inner.default)?;
                for (index, element) in &array.inner.exceptions {
                    write!(f, " ({index} {element})")?;
                }
                f.write_str(")")
            }
        }
    }
}

fn write_float(f: &mut fmt::Formatter<'_>, value: f64, digits: fmt::Arguments<'_>, suffix: &str) -> fmt::Result {
    if value.is_nan() { write!(f, "nan:{suffix}") } else { write!(f, "{digits}:{suffix}") }
}

impl fmt::Display for BitVec {
    /// The unsigned number: decimal up to 64 bits, hexadecimal above.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.width() <= 64 {
            return write!(f, "{}", self.as_u64());
        }
        let top = self.limbs().iter().rposition(|&limb| limb != 0).unwrap_or(0);
        write!(f, "{:#x}", self.limbs()[top])?;
        self.limbs()[..top].iter().rev().try_for_each(|limb| write!(f, "{limb:016x}"))
    }
}
