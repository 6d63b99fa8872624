//! What a library function is where the program calls it through a pointer: a procedure that calls the model as a call by name does, so that what only
//! callers know, what a result leaves open and whether the call may fail, holds there, too.

use crate::c::lower::body::Body;
use crate::c::lower::calls::{families, results};
use crate::c::lower::context::{FunctionRef, Lowering, SymbolRef};
use crate::c::lower::model_types::scalar_of;
use ir::{Callee, Format, Op, ProcId, Span};
use logic::Sort;

impl Lowering<'_> {
    /// The procedure that the address of a library function leads to; `None` if it is the model itself.
    pub(in crate::c::lower) fn library_entry(&mut self, reference: SymbolRef, function: FunctionRef) -> Option<ProcId> {
        let name = self.symbol(reference).name.clone();
        let is_users = |unit| unit < self.first_model;
        let (fixed, may_fail) = (families::fixed(&name), results::failure(&name).is_some());
        if is_users(function.unit) || !is_users(reference.unit) || fixed.is_none() && !may_fail {
            return None;
        }
        if let Some(entry) = self.library_entries.get(&function) {
            return Some(*entry);
        }
        let model = self.function(function);
        let types = &self.units[function.unit].types;
        let scalar_or_word =
            |ty| scalar_of(types, ty).map_or(Sort::Bv(self.program.data_model.word_bits()), Sort::from);
        let params = model.params.iter().map(|param| SymbolRef { unit: function.unit, symbol: *param });
        let params: Vec<Sort> = params.map(|param| scalar_or_word(self.symbol(param).ty.ty)).collect();
        let result = scalar_of(types, model.result.ty).map(Sort::from)?;
        let callee = Callee::Proc(self.proc_of(function));
        let entry = self.reserve_proc();
        self.library_entries.insert(function, entry);
        let mut body = Body::new(self, reference.unit, None);
        body.span = model.span;
        let mut args = Vec::new();
        for (index, sort) in params.into_iter().enumerate() {
            let param = body.declare_local(&format!("argument {index}"), sort, Format::Pointer, Span::NOWHERE);
            body.params.push(param);
            args.push(body.var(param));
        }
        body.result = Some(result);
        let value = body.fallible(&name, result, |body| {
            let returned = body.temporary(result);
            body.emit(Op::Call { callee, args, result: Some(returned) });
            Some(body.var(returned))
        })?;
        let value = fixed.map_or(value, |fixed| body.any_like(value, fixed));
        body.emit(Op::Return(Some(value)));
        let built = body.finish();
        self.install(entry, name, model.span, built);
        Some(entry)
    }
}
