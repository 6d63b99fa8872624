//! What is `main` given? The texts of the command line, or any that keep to the bounds; then the program says so.
//!
//! A text that is not known has a length that is chosen first, so that what is read behind its end is an invalid access; its characters are
//! chosen when they are read. One may be zero, which makes a shorter text with room behind it; the execution where it has that length alone
//! is there too, so nothing that reads too far gets away. A program that only looks at how many arguments there are gets any number of them.

use crate::c::lower::body::Body;
use ir::{Format, HavocKind, ObjectKind, Shape};
use logic::{Sort, TermId, Value, VarId};
use std::path::Path;

impl Body<'_, '_> {
    /// The arguments of `main`; of the number of texts and the texts it is known whether somebody looks at them.
    pub(super) fn main_arguments(&mut self, params: &[VarId], [reads_count, reads_texts]: [bool; 2]) -> Vec<TermId> {
        let sorts: Vec<Sort> = params.iter().map(|param| self.lw.program.pool.var_sort(*param)).collect();
        let mut args: Vec<TermId> = sorts.iter().map(|sort| self.zero(*sort)).collect();
        if !reads_count && !reads_texts {
            return args;
        }
        let word = self.word_bits();
        let (Some(Sort::Bv(width)), None | Some(Sort::Bv(_))) = (sorts.first().copied(), sorts.get(1).copied()) else {
            self.unsupported("a parameter of main that is no number");
            return args;
        };
        let given = self.lw.options.arguments.given.as_deref();
        let count = match given {
            _ if reads_texts && sorts.get(1) != Some(&Sort::Bv(word)) => {
                self.unsupported("a parameter of main that is no pointer");
                return args;
            }
            Some(texts) => {
                let line: Vec<&str> = texts.iter().map(String::as_str).collect();
                let line = format!("{} {}", self.program_name(), line.join(" "));
                self.lw.assume(format!("the program is started as `{}`", line.trim_end()));
                self.pool().bv(width, texts.len() as u64 + 1)
            }
            None if !reads_texts => {
                let count = self.havoc(sorts[0], HavocKind::Input);
                // The program's name need not be among them.
                let none = self.zero(sorts[0]);
                let is_count = self.pool().sle(none, count);
                self.assume(is_count);
                count
            }
            None => self.any_texts(width),
        };
        args[0] = count;
        if reads_texts {
            args[1] = self.argument_texts(count, given);
        }
        args
    }

    /// How many texts there are that nobody knows.
    fn any_texts(&mut self, width: u32) -> TermId {
        let (most, length) = (self.lw.options.arguments.most, self.lw.options.arguments.length);
        let name = self.program_name();
        self.lw.assume(format!(
            "`main` gets its name, `{name}`, and at most {most} arguments of at most {length} characters (--argv-max, --argv-length)"
        ));
        let most = self.pool().bv(32, u64::from(most));
        let count = self.call_model("argument_count", vec![most], true).expect("it returns a number");
        let count = self.pool().resize(count, true, width);
        self.kept(count)
    }

    fn argument_texts(&mut self, count: TermId, given: Option<&[String]>) -> TermId {
        let count = self.pool().resize(count, true, 32);
        let list = self.call_model("argument_list", vec![count], true).expect("it returns a pointer");
        let list = self.kept(list);
        let name = self.program_name();
        let mut known = vec![name];
        known.extend(given.unwrap_or_default().iter().cloned());
        for (index, text) in known.iter().enumerate() {
            let text = self.text_object(text);
            let index = self.pool().bv(32, index as u64);
            self.call_model("put_argument", vec![list, index, text], false);
        }
        if given.is_none() {
            let length = u64::from(self.lw.options.arguments.length);
            let length = self.word(length);
            for index in 1..=self.lw.options.arguments.most {
                let index = self.pool().bv(32, u64::from(index));
                self.call_model("any_argument", vec![list, count, index, length], false);
            }
        }
        list
    }

    /// Gives the variables of the library that the program uses the values that they have when a process starts.
    pub(super) fn start_library_variables(&mut self) {
        let used = self.lw.library_variables();
        let (most, length) = (self.lw.options.arguments.most, self.lw.options.arguments.length);
        for variable in used {
            match variable {
                "environ" => {
                    self.lw.assume(format!(
                        "`environ` has at most {most} texts of at most {length} characters (--argv-max, --argv-length)"
                    ));
                    let list = self.environment();
                    self.call_model("start_environ", vec![list], false);
                }
                "tzname" => {
                    self.lw.assume(format!("texts of `tzname` have at most {length} characters (--argv-length)"));
                    let length = self.word(u64::from(length));
                    self.call_model("start_zone_names", vec![length], false);
                }
                _ => {
                    let name = self.program_name();
                    self.lw.assume(format!("the program is called `{name}`"));
                    let text = self.text_object(&name);
                    let is_short = variable == "program_invocation_short_name";
                    let model = if is_short { "start_short_name" } else { "start_invocation_name" };
                    self.call_model(model, vec![text], false);
                }
            }
        }
    }

    /// A list of texts that nobody knows.
    fn environment(&mut self) -> TermId {
        let (most, length) = (self.lw.options.arguments.most, u64::from(self.lw.options.arguments.length));
        let bound = self.pool().bv(32, u64::from(most));
        // One more than there are texts, as if there were a name of the program.
        let count = self.call_model("argument_count", vec![bound], true).expect("it returns a number");
        let one = self.pool().bv(32, 1);
        let count = self.pool().sub(count, one);
        let count = self.kept(count);
        let list = self.call_model("argument_list", vec![count], true).expect("it returns a pointer");
        let list = self.kept(list);
        let length = self.word(length);
        for index in 0..most {
            let index = self.pool().bv(32, u64::from(index));
            self.call_model("any_argument", vec![list, count, index, length], false);
        }
        list
    }

    /// What the program is called: its file without the ending.
    fn program_name(&self) -> String {
        let path = Path::new(self.lw.program.sources.path(self.span));
        path.file_stem().map_or_else(|| "program".to_string(), |stem| stem.to_string_lossy().into_owned())
    }

    /// The address of a text that the program may change.
    fn text_object(&mut self, text: &str) -> TermId {
        let bytes: Vec<u8> = text.bytes().chain([0]).collect();
        let (size, span) = (bytes.len() as u64, self.span);
        let object = self.lw.new_object(&format!("{text:?}"), size, ObjectKind::Data, span);
        let record = &mut self.lw.program.objects[object.0 as usize];
        record.init = bytes.iter().enumerate().map(|(at, byte)| (at as u64, Value::bv(8, u64::from(*byte)))).collect();
        let element = Shape::Scalar { size: 1, format: Format::Char };
        record.shape = Shape::Array { element: Box::new(element), len: size };
        self.lw.layout.set_align(object, 1);
        self.lw.address_of(object)
    }
}
