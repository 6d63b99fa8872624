//! The library models: C texts of ours that define what library functions do.
//!
//! All texts are one translation unit, each under its own name, so that spans in them are known to be ours. A model is
//! used where the program calls a function of that name and does not define it.

#[cfg(test)]
mod table;

use super::source::Originals;
use super::typed::Unit;
use super::{check, parse};
use ir::{DataModel, Sources};

const TEXTS: [(&str, &str); 24] = [
    ("<ravel>/ravel.h", include_str!("ravel.h")),
    ("<ravel>/pthread.c", include_str!("pthread.c")),
    ("<ravel>/mutex.c", include_str!("mutex.c")),
    ("<ravel>/cond.c", include_str!("cond.c")),
    ("<ravel>/sync.c", include_str!("sync.c")),
    ("<ravel>/futex.c", include_str!("futex.c")),
    ("<ravel>/threads.c", include_str!("threads.c")),
    ("<ravel>/stdlib.c", include_str!("stdlib.c")),
    ("<ravel>/string.c", include_str!("string.c")),
    ("<ravel>/format.c", include_str!("format.c")),
    ("<ravel>/stdio.c", include_str!("stdio.c")),
    ("<ravel>/input.c", include_str!("input.c")),
    ("<ravel>/time.c", include_str!("time.c")),
    ("<ravel>/pipes.c", include_str!("pipes.c")),
    ("<ravel>/posix.c", include_str!("posix.c")),
    ("<ravel>/signal.c", include_str!("signal.c")),
    ("<ravel>/files.c", include_str!("files.c")),
    ("<ravel>/polls.c", include_str!("polls.c")),
    ("<ravel>/lists.c", include_str!("lists.c")),
    ("<ravel>/math.c", include_str!("math.c")),
    ("<ravel>/numbers.c", include_str!("numbers.c")),
    ("<ravel>/process.c", include_str!("process.c")),
    ("<ravel>/getopt.c", include_str!("getopt.c")),
    ("<ravel>/kernel.c", include_str!("kernel.c")),
];

/// The models for a data model, their texts added to `sources`.
pub(super) fn unit(sources: &mut Sources, data_model: DataModel) -> Unit {
    let mut text = String::new();
    for (name, content) in TEXTS {
        text.push_str(&format!("# 1 \"{name}\"\n{content}\n"));
    }
    let (tree, problems) = parse::parse(sources, TEXTS[0].0, text.as_bytes(), &Originals::default());
    assert!(problems.is_empty(), "the library models do not parse: {problems:?}");
    for file in &mut sources.files {
        file.is_model |= TEXTS.iter().any(|(name, _)| file.path == *name);
    }
    let (unit, problems) = check::check(&tree, data_model);
    let of_functions = unit.functions.iter().flat_map(|function| &function.problems);
    let problems: Vec<_> = problems.iter().chain(of_functions).collect();
    assert!(problems.is_empty(), "the library models are not well typed: {problems:?}");
    unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_well_typed_under_both_data_models() {
        for data_model in [DataModel::Ilp32, DataModel::Lp64] {
            let mut sources = Sources::default();
            let unit = parse::on_deep_stack(|| unit(&mut sources, data_model));
            assert!(unit.functions.len() > 100);
            assert!(sources.files.iter().all(|file| file.is_model));
        }
    }
}
