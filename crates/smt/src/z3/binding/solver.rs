//! How are Z3's solvers asked?

use std::ffi::{CStr, CString};

use z3_sys::{
    Z3_L_FALSE, Z3_L_TRUE, Z3_ast, Z3_ast_vector_dec_ref, Z3_ast_vector_get, Z3_ast_vector_inc_ref, Z3_ast_vector_size,
    Z3_func_entry_dec_ref, Z3_func_entry_get_arg, Z3_func_entry_get_value, Z3_func_entry_inc_ref,
    Z3_func_interp_dec_ref, Z3_func_interp_get_else, Z3_func_interp_get_entry, Z3_func_interp_get_num_entries,
    Z3_func_interp_inc_ref, Z3_get_as_array_func_decl, Z3_mk_params, Z3_mk_solver, Z3_mk_solver_for_logic,
    Z3_mk_string_symbol, Z3_model, Z3_model_dec_ref, Z3_model_eval, Z3_model_get_func_interp, Z3_model_inc_ref,
    Z3_params, Z3_params_dec_ref, Z3_params_inc_ref, Z3_params_set_bool, Z3_params_set_symbol, Z3_solver,
    Z3_solver_assert, Z3_solver_check_assumptions, Z3_solver_dec_ref, Z3_solver_get_model,
    Z3_solver_get_reason_unknown, Z3_solver_get_unsat_core, Z3_solver_inc_ref, Z3_solver_pop, Z3_solver_push,
    Z3_solver_set_params, Z3_symbol,
};

use super::{Ast, Context, Failure, Function};

/// What a check found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Truth {
    Sat,
    Unsat,
    Unknown,
}

/// A Z3 solver.
pub(crate) struct Solver {
    context: Context,
    raw: Z3_solver,
}

impl Drop for Solver {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: `wrap` counted this holder.
        unsafe { Z3_solver_dec_ref(self.context.raw(), self.raw) }
    }
}

impl Solver {
    /// The one that chooses its tactics by the formula.
    #[allow(unsafe_code)]
    pub(crate) fn new(context: &Context) -> Solver {
        // SAFETY: no operands.
        Solver::wrap(context, unsafe { Z3_mk_solver(context.raw()) }.expect("Z3 makes a solver"))
    }

    /// The one for a logic by its name.
    #[allow(unsafe_code)]
    pub(crate) fn for_logic(context: &Context, logic: &str) -> Solver {
        let symbol = context.symbol(logic);
        // SAFETY: the symbol is of this context.
        let raw = unsafe { Z3_mk_solver_for_logic(context.raw(), symbol) };
        Solver::wrap(context, raw.expect("Z3 makes a solver"))
    }

    #[allow(unsafe_code)]
    fn wrap(context: &Context, raw: Z3_solver) -> Solver {
        // SAFETY: Z3 has just returned this object.
        unsafe { Z3_solver_inc_ref(context.raw(), raw) }
        Solver { context: context.clone(), raw }
    }

    #[allow(unsafe_code)]
    pub(crate) fn set(&self, params: &Params) {
        // SAFETY: both are of this context.
        unsafe { Z3_solver_set_params(self.context.raw(), self.raw, params.raw) }
    }

    #[allow(unsafe_code)]
    pub(crate) fn push(&self) {
        // SAFETY: a live solver.
        unsafe { Z3_solver_push(self.context.raw(), self.raw) }
    }

    #[allow(unsafe_code)]
    pub(crate) fn pop(&self) {
        // SAFETY: callers pop what they pushed.
        unsafe { Z3_solver_pop(self.context.raw(), self.raw, 1) }
    }

    #[allow(unsafe_code)]
    pub(crate) fn assert(&self, formula: &Ast) {
        // SAFETY: a live formula of this context.
        unsafe { Z3_solver_assert(self.context.raw(), self.raw, formula.raw) }
    }

    /// Assumptions are Boolean constants or their negations.
    #[allow(unsafe_code)]
    pub(crate) fn check(&self, assumptions: &[Ast]) -> Truth {
        let raw: Vec<Z3_ast> = assumptions.iter().map(|ast| ast.raw).collect();
        // SAFETY: live terms of this context; the array is as long as said.
        match unsafe { Z3_solver_check_assumptions(self.context.raw(), self.raw, raw.len() as u32, raw.as_ptr()) } {
            Z3_L_FALSE => Truth::Unsat,
            Z3_L_TRUE => Truth::Sat,
            _ => Truth::Unknown,
        }
    }

    #[allow(unsafe_code)]
    pub(crate) fn reason_unknown(&self) -> String {
        // SAFETY: the string is copied before the next call.
        unsafe {
            let reason = Z3_solver_get_reason_unknown(self.context.raw(), self.raw);
            if reason.is_null() { String::new() } else { CStr::from_ptr(reason).to_string_lossy().into_owned() }
        }
    }

    /// The assumptions that were needed.
    #[allow(unsafe_code)]
    pub(crate) fn core(&self) -> Vec<Ast> {
        // SAFETY: the vector is counted while it is read.
        unsafe {
            let Some(vector) = Z3_solver_get_unsat_core(self.context.raw(), self.raw) else { return Vec::new() };
            Z3_ast_vector_inc_ref(self.context.raw(), vector);
            let n = Z3_ast_vector_size(self.context.raw(), vector);
            let core = (0..n)
                .filter_map(|i| Z3_ast_vector_get(self.context.raw(), vector, i))
                .map(|raw| Ast::new(&self.context, raw))
                .collect();
            Z3_ast_vector_dec_ref(self.context.raw(), vector);
            core
        }
    }

    #[allow(unsafe_code)]
    pub(crate) fn model(&self) -> Result<Model, Failure> {
        // SAFETY: the object is counted by the new holder.
        unsafe {
            let raw = Z3_solver_get_model(self.context.raw(), self.raw).ok_or_else(|| self.context.failure())?;
            Z3_model_inc_ref(self.context.raw(), raw);
            Ok(Model { context: self.context.clone(), raw })
        }
    }
}

/// What Z3 calls a model: values for constants and functions.
pub(crate) struct Model {
    context: Context,
    raw: Z3_model,
}

impl Drop for Model {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: counted where it was made.
        unsafe { Z3_model_dec_ref(self.context.raw(), self.raw) }
    }
}

/// Arguments and the value of a function there.
pub(crate) type Point = (Vec<Ast>, Ast);

impl Model {
    /// The value of a term; constants without one get some.
    #[allow(unsafe_code)]
    pub(crate) fn evaluate(&self, ast: &Ast) -> Result<Ast, Failure> {
        let mut result: Z3_ast = ast.raw;
        // SAFETY: the result is written to a place of the right type, and only used if that was said to have happened.
        let done = unsafe { Z3_model_eval(self.context.raw(), self.raw, ast.raw, true, &raw mut result) };
        if done { Ok(Ast::new(&self.context, result)) } else { Err(self.context.failure()) }
    }

    /// Points and values of a function, and its value elsewhere.
    #[allow(unsafe_code)]
    pub(crate) fn function(&self, function: &Function) -> Option<(Vec<Point>, Ast)> {
        // SAFETY: the function is of this context; interpretation and entries are counted while they are read.
        unsafe {
            let context = self.context.raw();
            let interpretation = Z3_model_get_func_interp(context, self.raw, function.raw)?;
            Z3_func_interp_inc_ref(context, interpretation);
            let n = Z3_func_interp_get_num_entries(context, interpretation);
            let mut points = Vec::new();
            for i in 0..n {
                let Some(entry) = Z3_func_interp_get_entry(context, interpretation, i) else { continue };
                Z3_func_entry_inc_ref(context, entry);
                let n_args = z3_sys::Z3_func_entry_get_num_args(context, entry);
                let args: Option<Vec<Ast>> = (0..n_args)
                    .map(|j| Z3_func_entry_get_arg(context, entry, j).map(|raw| Ast::new(&self.context, raw)))
                    .collect();
                let value = Z3_func_entry_get_value(context, entry).map(|raw| Ast::new(&self.context, raw));
                Z3_func_entry_dec_ref(context, entry);
                points.extend(args.zip(value));
            }
            let elsewhere = Z3_func_interp_get_else(context, interpretation).map(|raw| Ast::new(&self.context, raw));
            Z3_func_interp_dec_ref(context, interpretation);
            Some((points, elsewhere?))
        }
    }

    /// The function that an array is, where Z3 presents it so.
    #[allow(unsafe_code)]
    pub(crate) fn array_as_function(&self, array: &Ast) -> Option<Function> {
        // SAFETY: Z3 returns null for other terms.
        unsafe { Z3_get_as_array_func_decl(self.context.raw(), array.raw).map(|raw| self.context.known_function(raw)) }
    }
}

/// Options.
pub(crate) struct Params {
    context: Context,
    raw: Z3_params,
}

impl Drop for Params {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: counted by `new`.
        unsafe { Z3_params_dec_ref(self.context.raw(), self.raw) }
    }
}

impl Params {
    #[allow(unsafe_code)]
    pub(crate) fn new(context: &Context) -> Params {
        // SAFETY: Z3 has just returned this object.
        unsafe {
            let raw = Z3_mk_params(context.raw()).expect("Z3 makes parameters");
            Z3_params_inc_ref(context.raw(), raw);
            Params { context: context.clone(), raw }
        }
    }

    #[allow(unsafe_code)]
    pub(crate) fn set_bool(self, name: &str, value: bool) -> Params {
        let symbol = self.context.symbol(name);
        // SAFETY: live parameters and a symbol of this context, here and below.
        unsafe { Z3_params_set_bool(self.context.raw(), self.raw, symbol, value) }
        self
    }

    #[allow(unsafe_code)]
    pub(crate) fn set_word(self, name: &str, value: &str) -> Params {
        let (symbol, value) = (self.context.symbol(name), self.context.symbol(value));
        // SAFETY: as above.
        unsafe { Z3_params_set_symbol(self.context.raw(), self.raw, symbol, value) }
        self
    }
}

impl Context {
    #[allow(unsafe_code)]
    fn symbol(&self, name: &str) -> Z3_symbol {
        let name = CString::new(name).expect("names have no zero bytes");
        // SAFETY: Z3 copies the string.
        unsafe { Z3_mk_string_symbol(self.raw(), name.as_ptr()) }.expect("Z3 makes symbols")
    }
}
