//! Who has prepared this program already? Engines of one schedule that want the same passes for the same properties share what the first one made.
//!
//! All of them are asked about one lowered program, so that properties and options say what is meant. The first who asks prepares; others wait for it.

use ir::pass::{Options, prepare};
use ir::{Program, Properties, Task, Why};
use logic::{Sort, VarId};
use std::sync::{Arc, Mutex};

/// A program, once it is prepared.
type Made = Arc<Mutex<Option<Result<Program, Why>>>>;

/// What was prepared so far.
#[derive(Clone, Default, Debug)]
pub(crate) struct Prepared(Arc<Mutex<Vec<(Properties, Options, Made)>>>);

impl Prepared {
    /// The program of a task, prepared.
    pub(crate) fn program(&self, task: &Task, options: &Options) -> Result<Program, Why> {
        let made = {
            let Ok(mut known) = self.0.lock() else { return prepare(&task.program, task.properties, options) };
            let is_same = |(properties, other, _): &&(Properties, Options, Made)| {
                (*properties, other) == (task.properties, options)
            };
            match known.iter().find(is_same) {
                Some((_, _, made)) => made.clone(),
                None => {
                    let made = Made::default();
                    known.push((task.properties, *options, made.clone()));
                    made
                }
            }
        };
        let Ok(mut made) = made.lock() else { return prepare(&task.program, task.properties, options) };
        made.get_or_insert_with(|| prepare(&task.program, task.properties, options)).clone()
    }
}

/// Whether objects of unknown size have become variables. What nobody has written in such an object has no value that an execution could be given, and its size may be one for which there are
/// no addresses: whoever finds something wrong looks first whether it can be run again.
pub(crate) fn has_whole_arrays(program: &Program) -> bool {
    (0..program.vars.len()).any(|index| matches!(program.pool.var_sort(VarId(index as u32)), Sort::Array(..)))
}

/// Why nothing is said of an execution that does not run again.
pub(crate) fn cannot_be_run_again() -> Why {
    Why::Bound("an execution with an array of unknown size that cannot be run again".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::Property;
    use ir::build::Builder;

    #[test]
    fn what_was_prepared_is_not_prepared_again() {
        let mut builder = Builder::new();
        let main = builder.proc("main");
        builder.body(main, |body| {
            body.then(ir::Op::Return(None));
        });
        let task = Task { program: builder.finish(main), properties: Properties::of(&[Property::Assertion]) };
        let prepared = Prepared::default();
        let shared = prepared.clone();
        for options in [Options::default(), Options { blocks: false, ..Options::default() }, Options::default()] {
            assert!(shared.program(&task, &options).is_ok());
        }
        assert_eq!(prepared.0.lock().map(|known| known.len()).ok(), Some(2));
    }
}
