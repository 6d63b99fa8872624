//! What is an OOX program? Classes with slots and dispatch tables, and methods as flat code.
//!
//! The front end has resolved every name and type: locals are numbers, fields are slots (a subclass has the slots of its
//! superclass first, and a field of the same name is the same slot), a call names either one method or a signature that the
//! receiver's class looks up. Expressions read locals only; everything that touches the heap is an instruction.
//!
//! One instruction is one atomic step. Its `cost` is how many nodes of the published tool's control-flow graph it stands for, so that a
//! depth means the same for both. The handler of an instruction is where an exception in it continues.

use crate::source::{Sources, Span};
use rustc_hash::FxHashMap;

/// Names a class or interface.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ClassId(pub u32);

/// Names a method or constructor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MethodId(pub u32);

/// A local variable of a method; parameters come first, `this` before them.
pub type LocalId = u16;

/// A field's place in its object.
pub type Slot = u16;

/// An index into a method's code.
pub type Pc = u32;

/// What an array finally holds, or a plain type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Base {
    /// Integers, unbounded; computed in 64 bits, and whoever leaves these is told.
    Int,
    /// Integers from zero on.
    Uint,
    /// Truth values.
    Bool,
    /// IEEE binary64.
    Float,
    /// Unicode characters.
    Char,
    /// Texts, compared by content; may be null.
    String,
    /// References to objects of a class or an implementer of an interface.
    Class(ClassId),
    /// The type of `null`.
    Null,
    /// No value.
    Void,
}

/// A type: a base and how many array dimensions are around it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Type {
    /// What is inside.
    pub base: Base,
    /// How many `[]`.
    pub dims: u8,
}

impl Type {
    /// The truth values.
    pub const BOOL: Type = Type { base: Base::Bool, dims: 0 };
    /// The integers.
    pub const INT: Type = Type { base: Base::Int, dims: 0 };
    /// No value.
    pub const VOID: Type = Type { base: Base::Void, dims: 0 };
    /// The type of `null`.
    pub const NULL: Type = Type { base: Base::Null, dims: 0 };

    /// A type that is no array.
    pub fn plain(base: Base) -> Type {
        Type { base, dims: 0 }
    }

    /// Objects of a class.
    pub fn class(class: ClassId) -> Type {
        Type::plain(Base::Class(class))
    }

    /// Whether values are references into the heap (strings are not).
    pub fn is_reference(self) -> bool {
        self.dims > 0 || matches!(self.base, Base::Class(_) | Base::Null)
    }

    /// Whether it is an array.
    pub fn is_array(self) -> bool {
        self.dims > 0
    }

    /// Whether arithmetic works on it.
    pub fn is_numeric(self) -> bool {
        self.dims == 0 && matches!(self.base, Base::Int | Base::Uint | Base::Float)
    }

    /// What an array of this type holds.
    pub fn element(self) -> Type {
        Type { base: self.base, dims: self.dims.saturating_sub(1) }
    }

    /// Arrays of this type.
    pub fn array(self) -> Type {
        Type { base: self.base, dims: self.dims.saturating_add(1) }
    }
}

/// A field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// A class or interface.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Whether objects cannot be of exactly this class.
    pub is_interface: bool,
    /// The superclass.
    pub parent: Option<ClassId>,
    /// Everything it is a subtype of, itself included, in order.
    pub supertypes: Vec<ClassId>,
    /// All its fields, by slot.
    pub fields: Vec<Field>,
    /// What an object of exactly this class runs, by signature number.
    pub dispatch: FxHashMap<u32, MethodId>,
}

impl Class {
    /// What an object of exactly this class runs for a signature.
    pub fn runs(&self, signature: u32) -> Option<MethodId> {
        self.dispatch.get(&signature).copied()
    }
}

/// A local variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// Its name; empty for one that the front end made up.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// A condition of a specification. What cannot be evaluated in it (the length of null) makes it false.
#[derive(Clone, PartialEq, Debug)]
pub struct Clause {
    /// The condition.
    pub cond: Expr,
    /// Where it stands.
    pub span: Span,
}

/// A method or constructor.
#[derive(Clone, Debug)]
pub struct Method {
    /// Its name without its class.
    pub name: String,
    /// Where it is declared.
    pub class: ClassId,
    /// The place of its name.
    pub span: Span,
    /// Whether it has no `this`.
    pub is_static: bool,
    /// Whether it is a constructor, which returns `this`.
    pub is_constructor: bool,
    /// How many locals are parameters, `this` included.
    pub n_params: u16,
    /// What it returns.
    pub returns: Type,
    /// All locals; those after the parameters start with their default value.
    pub locals: Vec<Local>,
    /// The local that holds the result for `ensures`.
    pub retval: Option<LocalId>,
    /// The code; its last instruction is a return.
    pub code: Vec<Instr>,
    /// What callers owe.
    pub requires: Option<Clause>,
    /// What holds at a normal end.
    pub ensures: Option<Clause>,
    /// What holds when an exception leaves.
    pub exceptional: Option<Clause>,
}

/// One atomic step.
#[derive(Clone, PartialEq, Debug)]
pub struct Instr {
    /// What it does.
    pub op: Op,
    /// Where it stands.
    pub span: Span,
    /// How much of the depth it takes.
    pub cost: u8,
    /// Where an exception in it continues; none leaves the method.
    pub handler: Option<Pc>,
}

/// What an instruction does. Control goes to the next instruction unless it says otherwise.
#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    /// Nothing.
    Skip,
    /// Stores a value.
    Assign {
        /// Where.
        to: Place,
        /// What.
        value: Rhs,
    },
    /// Runs a method and keeps its result.
    Call {
        /// Which, on what.
        call: Call,
        /// Where the result goes.
        to: Option<LocalId>,
    },
    /// Starts a thread that runs a method.
    Fork(Call),
    /// Waits until nobody holds the object, and takes it.
    Lock(Expr),
    /// Gives the object back, whoever holds it.
    Unlock(Expr),
    /// Waits until all descendants have ended.
    Join,
    /// Must hold.
    Assert(Expr),
    /// Executions where it does not hold are of no interest.
    Assume(Expr),
    /// Goes on if the condition holds, elsewhere if not.
    Branch {
        /// The condition.
        cond: Expr,
        /// Where to go if it does not hold.
        otherwise: Pc,
    },
    /// Goes elsewhere.
    Jump(Pc),
    /// Ends the method.
    Return(Option<Expr>),
    /// Raises an exception.
    Throw(String),
}

/// Where a value goes.
#[derive(Clone, PartialEq, Debug)]
pub enum Place {
    /// A local.
    Local(LocalId),
    /// A field.
    Field {
        /// The object.
        object: Expr,
        /// Which field.
        slot: Slot,
        /// Its type.
        ty: Type,
    },
    /// An element.
    Element {
        /// The array.
        array: Expr,
        /// The index.
        index: Expr,
    },
}

/// What is stored.
#[derive(Clone, PartialEq, Debug)]
pub enum Rhs {
    /// A value of locals.
    Expr(Expr),
    /// A field's value.
    Field {
        /// The object.
        object: Expr,
        /// Which field.
        slot: Slot,
        /// Its type.
        ty: Type,
    },
    /// An element's value.
    Element {
        /// The array.
        array: Expr,
        /// The index.
        index: Expr,
    },
    /// A new array, with arrays inside for further sizes.
    NewArray {
        /// The type of the whole.
        ty: Type,
        /// The sizes, the outermost first.
        sizes: Vec<Expr>,
    },
    /// The same reference, if it is null or of that type.
    Cast {
        /// The type.
        ty: Type,
        /// The reference.
        value: Expr,
    },
}

/// Which method runs.
#[derive(Clone, PartialEq, Debug)]
pub enum Callee {
    /// This one: static methods and `super`.
    Method(MethodId),
    /// A constructor, on a new object of the class.
    New(ClassId, MethodId),
    /// What the class of the first argument has for this signature.
    Virtual(u32),
}

/// A call.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// Which method.
    pub callee: Callee,
    /// The arguments, the receiver first (not for `New`).
    pub args: Vec<Expr>,
}

/// An operator with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// Not.
    Not,
    /// Minus of an integer.
    Neg,
    /// Minus of a float.
    FloatNeg,
}

/// An operator with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// Both; the second is not looked at if the first is false.
    And,
    /// Either; the second is not looked at if the first is true.
    Or,
    /// The second if the first; likewise.
    Implies,
    /// Equal integers, truth values, characters, strings or references.
    Eq,
    /// Different ones.
    Ne,
    /// Integers.
    Lt,
    /// Integers.
    Le,
    /// Integers.
    Add,
    /// Integers.
    Sub,
    /// Natural numbers: an exception below zero.
    UintSub,
    /// Integers.
    Mul,
    /// Integers, rounded toward zero; an exception by zero.
    Div,
    /// The remainder of that.
    Rem,
    /// Floats, as IEEE 754 says.
    FloatEq,
    /// Floats.
    FloatNe,
    /// Floats.
    FloatLt,
    /// Floats.
    FloatLe,
    /// Floats.
    FloatAdd,
    /// Floats.
    FloatSub,
    /// Floats.
    FloatMul,
    /// Floats.
    FloatDiv,
    /// Floats.
    FloatRem,
}

/// A value of locals (and of array lengths and classes, which never change).
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// An integer, a character's code, or a string's number (0 is null; strings count from 1).
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A float's IEEE bits.
    Float(u64),
    /// The null reference.
    Null,
    /// A local.
    Local(LocalId),
    /// The length of an array; an exception for null.
    Length(Box<Expr>),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Whether a reference is an object of that type; null is of none.
    InstanceOf(Box<Expr>, Type),
    /// All or some elements of an array satisfy a condition; an exception for null.
    Quantified {
        /// All, or some.
        is_forall: bool,
        /// The array.
        array: Box<Expr>,
        /// The local that stands for the element.
        element: LocalId,
        /// The local that stands for the index.
        index: LocalId,
        /// The condition.
        body: Box<Expr>,
    },
}

/// A program with its entry point.
#[derive(Clone, Debug)]
pub struct Program {
    /// The text.
    pub sources: Sources,
    /// Classes and interfaces.
    pub classes: Vec<Class>,
    /// Methods and constructors.
    pub methods: Vec<Method>,
    /// The string literals; the string number k is the one at k - 1.
    pub strings: Vec<String>,
    /// What main runs.
    pub entry: MethodId,
}

impl Program {
    /// A class by its name.
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.0 as usize]
    }

    /// A method by its name.
    pub fn method(&self, id: MethodId) -> &Method {
        &self.methods[id.0 as usize]
    }

    /// Whether objects of exactly class `class` belong to `other`.
    pub fn is_subclass(&self, class: ClassId, other: ClassId) -> bool {
        self.class(class).supertypes.contains(&other)
    }

    /// All classes whose objects belong to `class`.
    pub fn implementers(&self, class: ClassId) -> Vec<ClassId> {
        let all = (0..self.classes.len() as u32).map(ClassId);
        all.filter(|id| !self.class(*id).is_interface && self.is_subclass(*id, class)).collect()
    }

    /// `Class.method`.
    pub fn method_name(&self, id: MethodId) -> String {
        let method = self.method(id);
        format!("{}.{}", self.class(method.class).name, method.name)
    }

    /// A type as the user writes it.
    pub fn type_name(&self, ty: Type) -> String {
        let base = match ty.base {
            Base::Int => "int",
            Base::Uint => "uint",
            Base::Bool => "bool",
            Base::Float => "float",
            Base::Char => "char",
            Base::String => "string",
            Base::Class(id) => &self.class(id).name,
            Base::Null => "null",
            Base::Void => "void",
        };
        format!("{base}{}", "[]".repeat(usize::from(ty.dims)))
    }
}
