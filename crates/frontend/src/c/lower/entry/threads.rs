//! What new threads run: a thread runs a procedure from a word to a word, and a function of another shape gets a procedure that adapts it.

use crate::c::lower::body::Body;
use crate::c::lower::context::{FunctionRef, Lowering, SymbolRef};
use crate::c::lower::model_types::{is_signed, scalar_of};
use ir::{Callee, Format, HavocKind, Op, ProcId, Span};
use logic::{Scalar, Sort};

impl Lowering<'_> {
    /// A procedure that takes a word and returns a number of this kind and runs a function in between; `None` if the function is one.
    pub(in crate::c::lower) fn thread_entry(
        &mut self,
        reference: FunctionRef,
        proc: ProcId,
        wanted: Scalar,
    ) -> Option<ProcId> {
        let function = self.function(reference);
        let types = &self.units[reference.unit].types;
        let word = Scalar::Bv(self.program.data_model.word_bits());
        let params: Vec<Option<Scalar>> = function
            .params
            .iter()
            .map(|param| scalar_of(types, self.symbol(SymbolRef { unit: reference.unit, symbol: *param }).ty.ty))
            .collect();
        let result = scalar_of(types, function.result.ty);
        if params == [Some(word)] && result.is_none_or(|result| result == wanted) {
            return None;
        }
        if let Some(entry) = self.thread_entries.get(&(proc, wanted)) {
            return Some(*entry);
        }
        let entry = self.reserve_proc();
        self.thread_entries.insert((proc, wanted), entry);
        let mut body = Body::new(self, reference.unit, None);
        body.span = function.span;
        let arg = body.declare_local("arg", word.into(), Format::Pointer, Span::NOWHERE);
        body.params.push(arg);
        body.result = Some(wanted.into());
        let arg = body.var(arg);
        let mut args = Vec::new();
        for (index, param) in params.iter().enumerate() {
            let sort = param.map_or(Sort::from(word), Sort::from);
            match param {
                Some(param) if index == 0 => args.push(body.convert_to(arg, false, *param, true)),
                _ => args.push(body.havoc(sort, HavocKind::Uninit)),
            }
        }
        let returned = result.map(|result| body.temporary(result.into()));
        body.emit(Op::Call { callee: Callee::Proc(proc), args, result: returned });
        let value = match returned {
            Some(returned) => {
                let returned = body.var(returned);
                let signed = is_signed(types, function.result.ty);
                body.convert_to(returned, signed, wanted, false)
            }
            None => body.zero(wanted.into()),
        };
        body.emit(Op::Return(Some(value)));
        let built = body.finish();
        // People know it by the name of what it calls.
        let name = self.symbol(SymbolRef { unit: reference.unit, symbol: function.symbol }).name.clone();
        self.install(entry, name, function.span, built);
        Some(entry)
    }
}
