//! How are Z3's terms and sorts made and looked into?

use std::ffi::{CStr, CString};

use z3_sys::{
    Z3_app, Z3_ast, Z3_context, Z3_dec_ref, Z3_func_decl, Z3_func_decl_to_ast, Z3_get_app_arg, Z3_get_app_decl,
    Z3_get_app_num_args, Z3_get_decl_int_parameter, Z3_get_index_value, Z3_get_numeral_string, Z3_get_sort, Z3_inc_ref,
    Z3_is_app, Z3_is_numeral_ast, Z3_mk_app, Z3_mk_array_sort, Z3_mk_bool_sort, Z3_mk_bv_sort, Z3_mk_const,
    Z3_mk_const_array, Z3_mk_forall_const, Z3_mk_fpa_nan, Z3_mk_fpa_sort, Z3_mk_fresh_const, Z3_mk_func_decl,
    Z3_mk_int_sort, Z3_mk_int_symbol, Z3_mk_numeral, Z3_mk_string_symbol, Z3_mk_unsigned_int64, Z3_simplify, Z3_sort,
    Z3_sort_to_ast, Z3_to_app,
};

use super::{Context, Failure};

/// Constructors of the C interface, by operands.
pub(crate) type Nullary = unsafe extern "C" fn(Z3_context) -> Option<Z3_ast>;
pub(crate) type Unary = unsafe extern "C" fn(Z3_context, Z3_ast) -> Option<Z3_ast>;
pub(crate) type Binary = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast) -> Option<Z3_ast>;
pub(crate) type Ternary = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, Z3_ast) -> Option<Z3_ast>;
pub(crate) type Variadic = unsafe extern "C" fn(Z3_context, u32, *const Z3_ast) -> Option<Z3_ast>;
pub(crate) type Numbered = unsafe extern "C" fn(Z3_context, u32, Z3_ast) -> Option<Z3_ast>;
pub(crate) type Sorted = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_sort) -> Option<Z3_ast>;
pub(crate) type RoundedToSort = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, Z3_sort) -> Option<Z3_ast>;
pub(crate) type RoundedToWidth = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, u32) -> Option<Z3_ast>;

/// Numbers of kinds as they are: declared here since the binding crate returns them as enumerations, which is undefined
/// behaviour where the library knows other numbers.
#[allow(unsafe_code)]
mod raw {
    unsafe extern "C" {
        pub(super) fn Z3_get_decl_kind(c: z3_sys::Z3_context, d: z3_sys::Z3_func_decl) -> u32;
        pub(super) fn Z3_get_ast_kind(c: z3_sys::Z3_context, a: z3_sys::Z3_ast) -> u32;
        pub(super) fn Z3_get_sort_kind(c: z3_sys::Z3_context, s: z3_sys::Z3_sort) -> u32;
    }
}

/// A Z3 term.
pub(crate) struct Ast {
    pub(super) context: Context,
    pub(super) raw: Z3_ast,
}

/// A Z3 sort.
#[derive(Clone)]
pub(crate) struct AstSort {
    ast: Ast,
    raw: Z3_sort,
}

/// A Z3 function.
#[derive(Clone)]
pub(crate) struct Function {
    ast: Ast,
    pub(super) raw: Z3_func_decl,
}

impl Clone for Ast {
    fn clone(&self) -> Ast {
        Ast::new(&self.context, self.raw)
    }
}

impl Drop for Ast {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: `new` counted this holder, and the context is alive.
        unsafe { Z3_dec_ref(self.context.raw(), self.raw) }
    }
}

impl Ast {
    #[allow(unsafe_code)]
    pub(super) fn new(context: &Context, raw: Z3_ast) -> Ast {
        // SAFETY: Z3 has just returned this object for this context, or another holder keeps it alive.
        unsafe { Z3_inc_ref(context.raw(), raw) }
        Ast { context: context.clone(), raw }
    }

    /// The number by which the library tells operators apart; of applications only.
    #[allow(unsafe_code)]
    pub(crate) fn operator(&self) -> Option<u32> {
        let app = self.app()?;
        // SAFETY: an application has a function.
        unsafe {
            let function = Z3_get_app_decl(self.context.raw(), app)?;
            Some(raw::Z3_get_decl_kind(self.context.raw(), function))
        }
    }

    /// A number among the parameters of an operator, such as the bits of an extraction.
    #[allow(unsafe_code)]
    pub(crate) fn parameter(&self, i: u32) -> Option<u32> {
        let app = self.app()?;
        // SAFETY: an application has a function; callers ask for parameters that its operator has.
        unsafe {
            let function = Z3_get_app_decl(self.context.raw(), app)?;
            u32::try_from(Z3_get_decl_int_parameter(self.context.raw(), function, i)).ok()
        }
    }

    #[allow(unsafe_code)]
    fn app(&self) -> Option<Z3_app> {
        // SAFETY: `to_app` is called on applications only.
        unsafe { if Z3_is_app(self.context.raw(), self.raw) { Z3_to_app(self.context.raw(), self.raw) } else { None } }
    }

    /// The operands of an application.
    #[allow(unsafe_code)]
    pub(crate) fn args(&self) -> Vec<Ast> {
        let Some(app) = self.app() else { return Vec::new() };
        // SAFETY: indices are below the number of operands.
        unsafe {
            let n = Z3_get_app_num_args(self.context.raw(), app);
            (0..n)
                .filter_map(|i| Z3_get_app_arg(self.context.raw(), app, i))
                .map(|raw| Ast::new(&self.context, raw))
                .collect()
        }
    }

    /// The number of a bound variable.
    #[allow(unsafe_code)]
    pub(crate) fn bound_index(&self) -> Option<u32> {
        const VARIABLE: u32 = 2;
        // SAFETY: the index is asked of bound variables only.
        unsafe {
            (raw::Z3_get_ast_kind(self.context.raw(), self.raw) == VARIABLE)
                .then(|| Z3_get_index_value(self.context.raw(), self.raw))
        }
    }

    /// Z3 calls the truth values numerals too; here they are not.
    #[allow(unsafe_code)]
    fn is_numeral(&self) -> bool {
        // SAFETY: a live term.
        let is_numeral = unsafe { Z3_is_numeral_ast(self.context.raw(), self.raw) };
        is_numeral && self.sort().is_some_and(|sort| !sort.is_bool())
    }

    /// The decimal digits, with a sign, if this is a numeral of integers or bit-vectors.
    #[allow(unsafe_code)]
    pub(crate) fn numeral(&self) -> Option<String> {
        // SAFETY: the string is valid until the next call and copied before that.
        unsafe {
            if !self.is_numeral() {
                return None;
            }
            let digits = Z3_get_numeral_string(self.context.raw(), self.raw);
            (!digits.is_null()).then(|| CStr::from_ptr(digits).to_string_lossy().into_owned())
        }
    }

    /// The number, if this is a numeral that fits.
    #[allow(unsafe_code)]
    pub(crate) fn small_numeral(&self) -> Option<u64> {
        let mut value = 0u64;
        // SAFETY: the result is written to a place of the right type.
        let fits =
            self.is_numeral() && unsafe { z3_sys::Z3_get_numeral_uint64(self.context.raw(), self.raw, &raw mut value) };
        fits.then_some(value)
    }

    /// Which term this is; equal terms of one context have equal numbers.
    pub(crate) fn address(&self) -> usize {
        self.raw.as_ptr() as usize
    }

    #[allow(unsafe_code)]
    pub(crate) fn sort(&self) -> Option<AstSort> {
        // SAFETY: terms have sorts.
        let raw = unsafe { Z3_get_sort(self.context.raw(), self.raw) }?;
        Some(self.context.sort(raw))
    }

    #[allow(unsafe_code)]
    pub(crate) fn simplified(&self) -> Result<Ast, Failure> {
        // SAFETY: the operand is a live term of this context.
        self.context.wrap(unsafe { Z3_simplify(self.context.raw(), self.raw) })
    }
}

impl AstSort {
    /// The width, if this is a sort of bit-vectors.
    #[allow(unsafe_code)]
    pub(crate) fn bv_width(&self) -> Option<u32> {
        const BV: u32 = 4;
        let context = self.ast.context.raw();
        // SAFETY: the width is asked of bit-vector sorts only.
        unsafe {
            (raw::Z3_get_sort_kind(context, self.raw) == BV).then(|| z3_sys::Z3_get_bv_sort_size(context, self.raw))
        }
    }

    /// Whether this is the sort of truth values.
    #[allow(unsafe_code)]
    pub(crate) fn is_bool(&self) -> bool {
        const BOOL: u32 = 1;
        // SAFETY: a live sort.
        unsafe { raw::Z3_get_sort_kind(self.ast.context.raw(), self.raw) == BOOL }
    }
}

impl Context {
    pub(super) fn wrap(&self, raw: Option<Z3_ast>) -> Result<Ast, Failure> {
        raw.map(|raw| Ast::new(self, raw)).ok_or_else(|| self.failure())
    }

    #[allow(unsafe_code)]
    fn sort(&self, raw: Z3_sort) -> AstSort {
        // SAFETY: sorts are terms as far as counting goes.
        let ast = unsafe { Z3_sort_to_ast(self.raw(), raw) }.expect("a sort is an object");
        AstSort { ast: Ast::new(self, ast), raw }
    }

    #[allow(unsafe_code)]
    pub(crate) fn bool_sort(&self) -> AstSort {
        // SAFETY: no operands.
        self.sort(unsafe { Z3_mk_bool_sort(self.raw()) }.expect("Z3 has truth values"))
    }

    #[allow(unsafe_code)]
    pub(crate) fn int_sort(&self) -> AstSort {
        // SAFETY: no operands.
        self.sort(unsafe { Z3_mk_int_sort(self.raw()) }.expect("Z3 has integers"))
    }

    #[allow(unsafe_code)]
    pub(crate) fn bv_sort(&self, width: u32) -> AstSort {
        // SAFETY: widths are positive.
        self.sort(unsafe { Z3_mk_bv_sort(self.raw(), width) }.expect("Z3 has bit-vectors of this width"))
    }

    #[allow(unsafe_code)]
    pub(crate) fn float_sort(&self, exponent: u32, precision: u32) -> AstSort {
        // SAFETY: the sizes are those of IEEE formats.
        self.sort(unsafe { Z3_mk_fpa_sort(self.raw(), exponent, precision) }.expect("Z3 has IEEE floats"))
    }

    #[allow(unsafe_code)]
    pub(crate) fn array_sort(&self, index: &AstSort, element: &AstSort) -> AstSort {
        // SAFETY: both are sorts of this context.
        self.sort(unsafe { Z3_mk_array_sort(self.raw(), index.raw, element.raw) }.expect("Z3 has arrays of scalars"))
    }

    /// The constant with a number for a name.
    #[allow(unsafe_code)]
    pub(crate) fn numbered_constant(&self, number: u32, sort: &AstSort) -> Result<Ast, Failure> {
        // SAFETY: the symbol is used at once.
        self.wrap(unsafe {
            Z3_mk_int_symbol(self.raw(), number as i32).and_then(|symbol| Z3_mk_const(self.raw(), symbol, sort.raw))
        })
    }

    /// A constant that no other term contains.
    #[allow(unsafe_code)]
    pub(crate) fn fresh_constant(&self, sort: &AstSort) -> Result<Ast, Failure> {
        // SAFETY: the prefix is a constant string.
        self.wrap(unsafe { Z3_mk_fresh_const(self.raw(), c"fresh".as_ptr(), sort.raw) })
    }

    #[allow(unsafe_code)]
    pub(crate) fn function(&self, name: &str, domain: &[AstSort], range: &AstSort) -> Function {
        let domain: Vec<Z3_sort> = domain.iter().map(|sort| sort.raw).collect();
        let name = CString::new(name).expect("names of functions have no zero bytes");
        // SAFETY: the sorts are of this context and the array is as long as said.
        let raw = unsafe {
            let symbol = Z3_mk_string_symbol(self.raw(), name.as_ptr()).expect("Z3 makes symbols");
            Z3_mk_func_decl(self.raw(), symbol, domain.len() as u32, domain.as_ptr(), range.raw)
        };
        self.known_function(raw.expect("Z3 declares functions"))
    }

    #[allow(unsafe_code)]
    pub(super) fn known_function(&self, raw: Z3_func_decl) -> Function {
        // SAFETY: functions are terms as far as counting goes.
        let ast = unsafe { Z3_func_decl_to_ast(self.raw(), raw) }.expect("a function is an object");
        Function { ast: Ast::new(self, ast), raw }
    }

    #[allow(unsafe_code)]
    pub(crate) fn apply(&self, function: &Function, args: &[Ast]) -> Result<Ast, Failure> {
        debug_assert!(function.ast.context == *self, "a function of this context");
        let args: Vec<Z3_ast> = args.iter().map(|arg| arg.raw).collect();
        // SAFETY: the operands are live terms of this context; Z3 checks their sorts.
        self.wrap(unsafe { Z3_mk_app(self.raw(), function.raw, args.len() as u32, args.as_ptr()) })
    }

    /// `body` for all values of these constants.
    #[allow(unsafe_code)]
    pub(crate) fn forall(&self, constants: &[Ast], body: &Ast) -> Result<Ast, Failure> {
        if constants.is_empty() {
            return Ok(body.clone());
        }
        let apps: Vec<Z3_app> = constants.iter().filter_map(Ast::app).collect();
        // SAFETY: the constants are applications without operands; there are no patterns.
        self.wrap(unsafe {
            Z3_mk_forall_const(self.raw(), 0, apps.len() as u32, apps.as_ptr(), 0, std::ptr::null(), body.raw)
        })
    }

    #[allow(unsafe_code)]
    pub(crate) fn small_number(&self, value: u64, sort: &AstSort) -> Result<Ast, Failure> {
        // SAFETY: the sort is one of integers or bit-vectors.
        self.wrap(unsafe { Z3_mk_unsigned_int64(self.raw(), value, sort.raw) })
    }

    /// From decimal digits, perhaps with a sign.
    #[allow(unsafe_code)]
    pub(crate) fn number(&self, digits: &str, sort: &AstSort) -> Result<Ast, Failure> {
        let digits = CString::new(digits).expect("digits have no zero bytes");
        // SAFETY: Z3 copies the string.
        self.wrap(unsafe { Z3_mk_numeral(self.raw(), digits.as_ptr(), sort.raw) })
    }

    #[allow(unsafe_code)]
    pub(crate) fn nan(&self, sort: &AstSort) -> Result<Ast, Failure> {
        // SAFETY: the sort is one of floats.
        self.wrap(unsafe { Z3_mk_fpa_nan(self.raw(), sort.raw) })
    }

    #[allow(unsafe_code)]
    pub(crate) fn const_array(&self, index: &AstSort, element: &Ast) -> Result<Ast, Failure> {
        // SAFETY: a sort and a live term of this context.
        self.wrap(unsafe { Z3_mk_const_array(self.raw(), index.raw, element.raw) })
    }

    #[allow(unsafe_code)]
    pub(crate) fn nullary(&self, make: Nullary) -> Result<Ast, Failure> {
        // SAFETY: `make` is a constructor of the C interface, as for all that follow.
        self.wrap(unsafe { make(self.raw()) })
    }

    #[allow(unsafe_code)]
    pub(crate) fn unary(&self, make: Unary, a: &Ast) -> Result<Ast, Failure> {
        // SAFETY: live terms of this context; Z3 checks their sorts, here and below.
        self.wrap(unsafe { make(self.raw(), a.raw) })
    }

    #[allow(unsafe_code)]
    pub(crate) fn binary(&self, make: Binary, a: &Ast, b: &Ast) -> Result<Ast, Failure> {
        // SAFETY: as for `unary`.
        self.wrap(unsafe { make(self.raw(), a.raw, b.raw) })
    }

    #[allow(unsafe_code)]
    pub(crate) fn ternary(&self, make: Ternary, a: &Ast, b: &Ast, c: &Ast) -> Result<Ast, Failure> {
        // SAFETY: as for `unary`.
        self.wrap(unsafe { make(self.raw(), a.raw, b.raw, c.raw) })
    }

    #[allow(unsafe_code)]
    pub(crate) fn variadic(&self, make: Variadic, args: &[Ast]) -> Result<Ast, Failure> {
        let args: Vec<Z3_ast> = args.iter().map(|arg| arg.raw).collect();
        // SAFETY: as for `unary`; the array is as long as said.
        self.wrap(unsafe { make(self.raw(), args.len() as u32, args.as_ptr()) })
    }

    #[allow(unsafe_code)]
    pub(crate) fn numbered(&self, make: Numbered, number: u32, a: &Ast) -> Result<Ast, Failure> {
        // SAFETY: as for `unary`.
        self.wrap(unsafe { make(self.raw(), number, a.raw) })
    }

    #[allow(unsafe_code)]
    pub(crate) fn extract(&self, hi: u32, lo: u32, a: &Ast) -> Result<Ast, Failure> {
        // SAFETY: as for `unary`.
        self.wrap(unsafe { z3_sys::Z3_mk_extract(self.raw(), hi, lo, a.raw) })
    }

    #[allow(unsafe_code)]
    pub(crate) fn sorted(&self, make: Sorted, a: &Ast, sort: &AstSort) -> Result<Ast, Failure> {
        // SAFETY: as for `unary`.
        self.wrap(unsafe { make(self.raw(), a.raw, sort.raw) })
    }

    #[allow(unsafe_code)]
    pub(crate) fn rounded_to_sort(
        &self,
        make: RoundedToSort,
        rounding: &Ast,
        a: &Ast,
        sort: &AstSort,
    ) -> Result<Ast, Failure> {
        // SAFETY: as for `unary`.
        self.wrap(unsafe { make(self.raw(), rounding.raw, a.raw, sort.raw) })
    }

    #[allow(unsafe_code)]
    pub(crate) fn rounded_to_width(
        &self,
        make: RoundedToWidth,
        rounding: &Ast,
        a: &Ast,
        width: u32,
    ) -> Result<Ast, Failure> {
        // SAFETY: as for `unary`.
        self.wrap(unsafe { make(self.raw(), rounding.raw, a.raw, width) })
    }
}
