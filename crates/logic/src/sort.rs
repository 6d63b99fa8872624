//! Which kinds of values are there?
//!
//! Sorts are a closed, copyable set: truth values, bit-vectors of any width from one, the two IEEE formats of C,
//! and arrays from scalars to scalars. Arrays do not nest, so a sort never owns memory.
//!
//! Invariant: a bit-vector sort has a width of at least one (checked where values and variables are made).

use std::fmt;

/// A sort that is not an array; what array indices and elements can be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Scalar {
    /// Truth values.
    Bool,
    /// Bit-vectors of the given width (at least one).
    Bv(u32),
    /// IEEE binary32 with one NaN.
    F32,
    /// IEEE binary64 with one NaN.
    F64,
}

/// The sort of a term or value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Bit-vectors of the given width (at least one).
    Bv(u32),
    /// IEEE binary32 with one NaN.
    F32,
    /// IEEE binary64 with one NaN.
    F64,
    /// Total maps: index sort, element sort.
    Array(Scalar, Scalar),
}

/// One of the two float formats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum FloatSort {
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

impl Sort {
    /// The number of bits of a bit-vector or float; `None` for truth values and arrays.
    pub fn width(self) -> Option<u32> {
        match self {
            Sort::Bv(width) => Some(width),
            Sort::F32 => Some(32),
            Sort::F64 => Some(64),
            Sort::Bool | Sort::Array(..) => None,
        }
    }

    /// The same sort as a scalar, unless it is an array.
    pub fn scalar(self) -> Option<Scalar> {
        match self {
            Sort::Bool => Some(Scalar::Bool),
            Sort::Bv(width) => Some(Scalar::Bv(width)),
            Sort::F32 => Some(Scalar::F32),
            Sort::F64 => Some(Scalar::F64),
            Sort::Array(..) => None,
        }
    }

    /// The float format, if this is a float sort.
    pub fn float(self) -> Option<FloatSort> {
        match self {
            Sort::F32 => Some(FloatSort::F32),
            Sort::F64 => Some(FloatSort::F64),
            _ => None,
        }
    }

    /// Whether this is one of the float sorts.
    pub fn is_float(self) -> bool {
        self.float().is_some()
    }
}

impl FloatSort {
    /// The number of bits: 32 or 64.
    pub fn width(self) -> u32 {
        match self {
            FloatSort::F32 => 32,
            FloatSort::F64 => 64,
        }
    }
}

impl From<Scalar> for Sort {
    fn from(scalar: Scalar) -> Sort {
        match scalar {
            Scalar::Bool => Sort::Bool,
            Scalar::Bv(width) => Sort::Bv(width),
            Scalar::F32 => Sort::F32,
            Scalar::F64 => Sort::F64,
        }
    }
}

impl From<FloatSort> for Sort {
    fn from(float: FloatSort) -> Sort {
        match float {
            FloatSort::F32 => Sort::F32,
            FloatSort::F64 => Sort::F64,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool => f.write_str("bool"),
            Scalar::Bv(width) => write!(f, "bv{width}"),
            Scalar::F32 => f.write_str("f32"),
            Scalar::F64 => f.write_str("f64"),
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Sort::Array(index, element) => write!(f, "array {index} {element}"),
            other => other.scalar().expect("every other sort is scalar").fmt(f),
        }
    }
}

impl fmt::Display for FloatSort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Sort::from(*self).fmt(f)
    }
}
