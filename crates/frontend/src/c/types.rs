//! Which types does a C program have, how large are they, and where do their parts lie?
//!
//! Types are interned: equal types have equal `TypeId`s, records and enums are equal by identity. Qualifiers sit on
//! `QualType`, not on types. Sizes and offsets follow the System V ABI for i386 (ILP32) and x86-64 (LP64).

use ir::{DataModel, Span};
use rustc_hash::FxHashMap;

/// Names an interned type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeId(pub u32);

/// Names a struct or union.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RecordId(pub u32);

/// Names an enum.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct EnumId(pub u32);

/// A type with qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct QualType {
    /// The type.
    pub ty: TypeId,
    /// `const`.
    pub is_const: bool,
    /// `volatile`.
    pub is_volatile: bool,
    /// `_Atomic`.
    pub is_atomic: bool,
}

impl QualType {
    /// The type without qualifiers.
    pub fn plain(ty: TypeId) -> QualType {
        QualType { ty, is_const: false, is_volatile: false, is_atomic: false }
    }
}

/// The integer types of C.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum IntKind {
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
    // Storage units of bit-fields, where no other type keeps off the neighbours. Programs cannot name them.
    Bytes3,
    UBytes3,
    Bytes5,
    UBytes5,
    Bytes6,
    UBytes6,
    Bytes7,
    UBytes7,
    Bytes9,
    UBytes9,
}

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`.
    Void,
    /// An integer type.
    Int(IntKind),
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// `long double`, `_Float128`, …: known by size, but its arithmetic is refused.
    LongDouble,
    /// A pointer.
    Pointer(QualType),
    /// An array; the length is `None` when incomplete.
    Array {
        /// What it holds.
        element: QualType,
        /// How many.
        len: Option<u64>,
    },
    /// An array whose length is computed at run time; the type checker keeps the length expression on the declaration.
    VariableArray {
        /// What it holds.
        element: QualType,
    },
    /// A function.
    Function {
        /// What it returns.
        result: QualType,
        /// Its parameters, already adjusted (arrays and functions to pointers).
        params: Vec<QualType>,
        /// Ends in `...`.
        is_variadic: bool,
        /// Declared without a prototype: `f()`.
        is_unprototyped: bool,
    },
    /// A struct or union.
    Record(RecordId),
    /// An enum.
    Enum(EnumId),
    /// `__builtin_va_list` and friends: may be declared and passed on, never looked into.
    VaList,
    /// A type that is known by name, size and alignment alone (`_Complex double`, `_Float128`, vectors, …): it may be
    /// declared, pointed to and measured; a program that computes with it is refused by the type checker.
    Opaque {
        /// As a person would write it; tells such types apart.
        name: String,
        /// Bytes.
        size: u64,
        /// Alignment in bytes.
        align: u64,
    },
}

/// A member of a record.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// Its name; `None` for anonymous records and padding bit-fields.
    pub name: Option<String>,
    /// The type of its storage. For a bit-field this is the storage unit that is read and written, which touches no
    /// other memory location, as C11 demands; it need not be the type that was declared.
    pub ty: QualType,
    /// Byte offset of the storage (for a bit-field: of its storage unit, which has the size of `ty`).
    pub offset: u64,
    /// For a bit-field: first bit within the storage unit (little-endian) and number of bits.
    pub bits: Option<(u32, u32)>,
    /// Byte offset of the memory location that it belongs to: for a bit-field, of the first of those that follow each other.
    pub location: u64,
    /// The declared type, which its values have.
    pub value_ty: QualType,
}

/// A struct or union.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// Its tag.
    pub tag: Option<String>,
    /// Whether it is a union.
    pub is_union: bool,
    /// Members in order; `None` until defined.
    pub fields: Option<Vec<Field>>,
    /// Bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Where it is declared.
    pub span: Span,
}

/// An enum.
#[derive(Clone, PartialEq, Debug)]
pub struct Enum {
    /// Its tag.
    pub tag: Option<String>,
    /// The integer type it is compatible with.
    pub underlying: IntKind,
    /// Names and values.
    pub constants: Vec<(String, i128)>,
}

/// All types of a translation unit.
#[derive(Clone, Debug)]
pub struct Types {
    /// Sizes of the basic types.
    pub data_model: DataModel,
    types: Vec<Type>,
    ids: FxHashMap<Type, TypeId>,
    /// Indexed by `RecordId`.
    pub records: Vec<Record>,
    /// Indexed by `EnumId`.
    pub enums: Vec<Enum>,
}

impl IntKind {
    /// Bytes.
    pub fn size(self, model: DataModel) -> u64 {
        match self {
            IntKind::Bool | IntKind::Char | IntKind::SChar | IntKind::UChar => 1,
            IntKind::Short | IntKind::UShort => 2,
            IntKind::Int | IntKind::UInt => 4,
            IntKind::Long | IntKind::ULong => model.word_bytes(),
            IntKind::LongLong | IntKind::ULongLong => 8,
            IntKind::Int128 | IntKind::UInt128 => 16,
            IntKind::Bytes3 | IntKind::UBytes3 => 3,
            IntKind::Bytes5 | IntKind::UBytes5 => 5,
            IntKind::Bytes6 | IntKind::UBytes6 => 6,
            IntKind::Bytes7 | IntKind::UBytes7 => 7,
            IntKind::Bytes9 | IntKind::UBytes9 => 9,
        }
    }

    /// Bits of storage; `_Bool` has 8, of which one counts.
    pub fn bits(self, model: DataModel) -> u32 {
        self.size(model) as u32 * 8
    }

    /// The unsigned type of the same rank.
    pub fn to_unsigned(self) -> IntKind {
        match self {
            IntKind::Char | IntKind::SChar => IntKind::UChar,
            IntKind::Short => IntKind::UShort,
            IntKind::Int => IntKind::UInt,
            IntKind::Long => IntKind::ULong,
            IntKind::LongLong => IntKind::ULongLong,
            IntKind::Int128 => IntKind::UInt128,
            IntKind::Bytes3 => IntKind::UBytes3,
            IntKind::Bytes5 => IntKind::UBytes5,
            IntKind::Bytes6 => IntKind::UBytes6,
            IntKind::Bytes7 => IntKind::UBytes7,
            IntKind::Bytes9 => IntKind::UBytes9,
            other => other,
        }
    }

    /// The place in C's order of integer types; signed and unsigned types of a rank are equal.
    pub fn rank(self) -> u32 {
        match self {
            IntKind::Bool => 0,
            IntKind::Char | IntKind::SChar | IntKind::UChar => 1,
            IntKind::Short | IntKind::UShort => 2,
            IntKind::Int | IntKind::UInt => 3,
            IntKind::Long | IntKind::ULong => 4,
            IntKind::LongLong | IntKind::ULongLong => 5,
            IntKind::Int128 | IntKind::UInt128 => 6,
            _ => 7,
        }
    }

    /// The value that a value has after conversion to this type. 128-bit unsigned values are kept as the `i128` with
    /// the same bits.
    pub fn wrap(self, value: i128, model: DataModel) -> i128 {
        if self == IntKind::Bool {
            return i128::from(value != 0);
        }
        let unused = 128 - self.bits(model);
        if unused == 0 {
            value
        } else if self.is_signed() {
            (value << unused) >> unused
        } else {
            ((value as u128) << unused >> unused) as i128
        }
    }

    /// Whether it has negative values; plain `char` does.
    pub fn is_signed(self) -> bool {
        matches!(
            self,
            IntKind::Char
                | IntKind::SChar
                | IntKind::Short
                | IntKind::Int
                | IntKind::Long
                | IntKind::LongLong
                | IntKind::Int128
                | IntKind::Bytes3
                | IntKind::Bytes5
                | IntKind::Bytes6
                | IntKind::Bytes7
                | IntKind::Bytes9
        )
    }
}

impl Types {
    /// No types but those that are asked for.
    pub fn new(data_model: DataModel) -> Types {
        Types { data_model, types: Vec::new(), ids: FxHashMap::default(), records: Vec::new(), enums: Vec::new() }
    }

    /// The id of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(id) = self.ids.get(&ty) {
            return *id;
        }
        let id = TypeId(self.types.len() as u32);
        self.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    /// The type behind an id.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// The record behind an id.
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    /// The integer kind of an integer or enum type.
    pub fn int_kind(&self, id: TypeId) -> Option<IntKind> {
        match self.get(id) {
            Type::Int(kind) => Some(*kind),
            Type::Enum(id) => Some(self.enums[id.0 as usize].underlying),
            _ => None,
        }
    }

    /// Size in bytes; `None` for incomplete and variable types. `void` and functions count as 1, as GNU C has it.
    pub fn size(&self, id: TypeId) -> Option<u64> {
        match self.get(id) {
            Type::Void | Type::Function { .. } => Some(1),
            Type::Int(kind) => Some(kind.size(self.data_model)),
            Type::Enum(id) => Some(self.enums[id.0 as usize].underlying.size(self.data_model)),
            Type::Float => Some(4),
            Type::Double => Some(8),
            Type::LongDouble => Some(if self.data_model == DataModel::Lp64 { 16 } else { 12 }),
            Type::Pointer(_) => Some(self.data_model.word_bytes()),
            Type::Array { element, len } => self.size(element.ty)?.checked_mul((*len)?),
            Type::VariableArray { .. } => None,
            Type::Record(id) => self.record(*id).fields.as_ref().map(|_| self.record(*id).size),
            Type::VaList => Some(if self.data_model == DataModel::Lp64 { 24 } else { 4 }),
            Type::Opaque { size, .. } => Some(*size),
        }
    }

    /// Alignment in bytes.
    pub fn align(&self, id: TypeId) -> u64 {
        match self.get(id) {
            Type::Void | Type::Function { .. } => 1,
            Type::Array { element, .. } | Type::VariableArray { element } => self.align(element.ty),
            Type::Record(id) => self.record(*id).align,
            Type::VaList => self.data_model.word_bytes(),
            Type::Opaque { align, .. } => *align,
            // On i386 the 8-byte scalars are aligned to 4 inside of records.
            _ => {
                let size = self.size(id).unwrap_or(1);
                if self.data_model == DataModel::Ilp32 { size.min(4) } else { size }
            }
        }
    }

    /// Whether it is an integer type, `_Bool` and enums included.
    pub fn is_integer(&self, id: TypeId) -> bool {
        self.int_kind(id).is_some()
    }

    /// Whether it is `float`, `double` or `long double`.
    pub fn is_floating(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Float | Type::Double | Type::LongDouble)
    }

    /// Whether arithmetic applies to it.
    pub fn is_arithmetic(&self, id: TypeId) -> bool {
        self.is_integer(id) || self.is_floating(id)
    }

    /// Whether it is a pointer.
    pub fn is_pointer(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Pointer(_))
    }

    /// Whether it is arithmetic or a pointer.
    pub fn is_scalar(&self, id: TypeId) -> bool {
        self.is_arithmetic(id) || self.is_pointer(id)
    }

    /// Whether it is an array, of whatever length.
    pub fn is_array(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Array { .. } | Type::VariableArray { .. })
    }

    /// Whether it is a function.
    pub fn is_function(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Function { .. })
    }

    /// Whether it is `void`.
    pub fn is_void(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Void)
    }

    /// What a pointer points to.
    pub fn pointee(&self, id: TypeId) -> Option<QualType> {
        match self.get(id) {
            Type::Pointer(pointee) => Some(*pointee),
            _ => None,
        }
    }

    /// What an array holds.
    pub fn element(&self, id: TypeId) -> Option<QualType> {
        match self.get(id) {
            Type::Array { element, .. } | Type::VariableArray { element } => Some(*element),
            _ => None,
        }
    }

    /// Whether objects of the type can be made: its size is known, now or at run time.
    pub fn is_complete(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Void | Type::Function { .. } => false,
            Type::VariableArray { element } => self.is_complete(element.ty),
            Type::Array { element, len } => len.is_some() && self.is_complete(element.ty),
            _ => self.size(id).is_some(),
        }
    }
}
