//! How is Z3's C interface called safely?
//!
//! Everything unsafe about Z3 is in this folder. A `Context` owns what Z3 makes; `Ast`, `Solver` and `Model` hold a count
//! on their object and keep the context alive. Z3 checks the arguments of its constructors and returns null on misuse,
//! on cancellation and when it is out of memory: that is an `Err(Failure)` here, never a crash.
//!
//! The crate `z3` is not used: its objects live in a context of the thread, while a solver that can be cancelled and
//! rebuilt needs one of its own. Operators are told apart by the number that the library returns, see `Ast::operator`:
//! the numbers differ between versions beyond the basic ones, and turning them into an enumeration is undefined behaviour.

mod ast;
mod solver;

use std::ffi::CStr;
use std::rc::Rc;

use z3_sys::{
    ErrorCode, Z3_context, Z3_del_config, Z3_del_context, Z3_get_error_code, Z3_get_error_msg, Z3_get_version,
    Z3_mk_config, Z3_mk_context_rc, Z3_set_error_handler, Z3_set_param_value,
};

pub(crate) use ast::{Ast, AstSort, Binary, Function, RoundedToSort, Unary};
pub(crate) use solver::{Model, Params, Solver, Truth};

use crate::limits::Why;

/// The version of the library that is linked.
#[allow(unsafe_code)]
pub(crate) fn version() -> String {
    let (mut major, mut minor, mut build, mut revision) = (0, 0, 0, 0);
    // SAFETY: Z3 writes four numbers to four places that live as long as the call.
    unsafe { Z3_get_version(&mut major, &mut minor, &mut build, &mut revision) };
    format!("{major}.{minor}.{build}")
}

/// Why Z3 made nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// It ran out of memory.
    Memory,
    /// The limits were reached while terms were made.
    Stopped(Why),
    /// In its own words.
    Other(String),
}

impl From<Failure> for Why {
    fn from(failure: Failure) -> Why {
        match failure {
            Failure::Memory => Why::Memory,
            Failure::Stopped(why) => why,
            Failure::Other(message) => Why::Incomplete(format!("Z3: {message}")),
        }
    }
}

struct Owned(Z3_context);

impl Drop for Owned {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: the context was made by `Context::new`, and this is the last holder.
        unsafe { Z3_del_context(self.0) }
    }
}

/// A Z3 context; clones share it.
#[derive(Clone)]
pub(crate) struct Context(Rc<Owned>);

impl PartialEq for Context {
    fn eq(&self, other: &Context) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Context {
    #[allow(unsafe_code)]
    pub(crate) fn new() -> Context {
        // SAFETY: the configuration is deleted after its only use; an absent error handler means that errors are
        // reported by null and by the error code.
        unsafe {
            let config = Z3_mk_config().expect("Z3 makes a configuration");
            Z3_set_param_value(config, c"model".as_ptr(), c"true".as_ptr());
            let raw = Z3_mk_context_rc(config).expect("Z3 makes a context");
            Z3_del_config(config);
            Z3_set_error_handler(raw, None);
            Context(Rc::new(Owned(raw)))
        }
    }

    fn raw(&self) -> Z3_context {
        self.0.0
    }

    /// The context for an interrupt from another thread.
    pub(crate) fn interrupt_handle(&self) -> Interrupt {
        Interrupt(self.raw())
    }

    /// What went wrong last.
    #[allow(unsafe_code)]
    fn failure(&self) -> Failure {
        // SAFETY: the message is a string that Z3 keeps until the next call.
        unsafe {
            let code = Z3_get_error_code(self.raw());
            let message = Z3_get_error_msg(self.raw(), code);
            let message = CStr::from_ptr(message).to_string_lossy().into_owned();
            if code == ErrorCode::MemoutFail || message.contains("memory") {
                Failure::Memory
            } else {
                Failure::Other(message)
            }
        }
    }
}

/// What another thread may do to a context.
pub(crate) struct Interrupt(Z3_context);

// SAFETY: Z3 documents its interrupt as the one call that may come from another thread.
#[allow(unsafe_code)]
unsafe impl Send for Interrupt {}

impl Interrupt {
    /// Ends what the context is doing. The context must still be there.
    #[allow(unsafe_code)]
    pub(crate) fn interrupt(&self) {
        // SAFETY: the caller keeps the context alive, see `watchdog`.
        unsafe { z3_sys::Z3_interrupt(self.0) }
    }
}
