//! Do the engines find who joins what never was a thread, or joins twice? Random ways of starting and joining the threads of an array, against a walk of its own.
//!
//! A program starts and joins its threads by loops of several forms and by calls one after the other, in main or in functions that main calls or does not.
//! No input matters and no order of threads, so the oracle goes through the actions once. The front end leaves the record of joins out where
//! the text shows that all is well; that is what is tried here.

use super::subject::{Question, Subject, Truth, Unasked};
use ir::Property;
use logic::Prng;
use std::fmt::Write;

/// Elements of the array of handles.
const HANDLES: i64 = 3;

/// What is done with the elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Action {
    Create,
    Join,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    For,
    /// By a variable that is set before.
    ForTo,
    While,
    /// A call for each element.
    Calls,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Skip {
    Continue,
    Break,
    Guard,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Main,
    Function,
    /// A function that nobody calls.
    Nowhere,
}

/// Some elements, one after the other.
#[derive(Clone, Debug)]
struct Walk {
    action: Action,
    form: Form,
    place: Place,
    first: i64,
    step: i64,
    end: i64,
    /// What is done instead at one of the elements.
    skip: Option<(i64, Skip)>,
}

#[derive(Clone, Debug)]
struct Program {
    walks: Vec<Walk>,
}

impl Subject for Program {
    fn text(&self) -> String {
        self.text()
    }

    fn smaller(&self) -> Vec<Box<dyn Subject>> {
        let mut all: Vec<Box<dyn Subject>> = Vec::new();
        for at in 0..self.walks.len() {
            let mut less = self.clone();
            less.walks.remove(at);
            all.push(Box::new(less));
            for form in [Form::Calls, Form::For] {
                let mut simpler = self.clone();
                simpler.walks[at].form = form;
                if self.walks[at].form != Form::Calls && self.walks[at].form != form {
                    all.push(Box::new(simpler));
                }
            }
        }
        all
    }

    fn questions(&self, _: u64) -> Result<Vec<Question>, Unasked> {
        Ok(vec![Question::new("misuse", &[Property::Misuse], Truth::Known(self.misuses()))])
    }
}

/// The program of a seed.
pub(super) fn make(seed: u64) -> Box<dyn Subject> {
    let mut prng = Prng::new(seed);
    let n_creating = 1 + prng.below(2);
    let n_joining = 1 + prng.below(2);
    let mut walks: Vec<Walk> = (0..n_creating).map(|_| Walk::random(&mut prng, Action::Create)).collect();
    walks.extend((0..n_joining).map(|_| Walk::random(&mut prng, Action::Join)));
    if prng.below(5) == 0 {
        let last = walks.len() - 1;
        walks.swap(prng.below(last as u64) as usize, last);
    }
    Box::new(Program { walks })
}

impl Walk {
    fn random(prng: &mut Prng, action: Action) -> Walk {
        let form = [Form::For, Form::For, Form::ForTo, Form::While, Form::Calls][prng.below(5) as usize];
        let place = match prng.below(10) {
            0 | 1 => Place::Function,
            2 => Place::Nowhere,
            _ => Place::Main,
        };
        let (first, step, end) = match prng.below(8) {
            0 => (1, 1, HANDLES),
            1 => (0, 2, HANDLES),
            2 => (HANDLES - 1, -1, 0),
            3 => (0, 1, HANDLES - 1),
            _ => (0, 1, HANDLES),
        };
        let skips = [Skip::Continue, Skip::Break, Skip::Guard];
        let skip = (prng.below(5) == 0).then(|| (prng.below(HANDLES as u64) as i64, skips[prng.below(3) as usize]));
        Walk { action, form, place, first, step, end, skip }
    }

    /// The elements that it goes through.
    fn elements(&self) -> Vec<i64> {
        let mut elements = Vec::new();
        let mut at = self.first;
        while if self.step > 0 { at < self.end } else { at >= self.end } {
            match self.skip {
                Some((skipped, Skip::Break)) if skipped == at => break,
                Some((skipped, _)) if skipped == at => {}
                _ => elements.push(at),
            }
            at += self.step;
        }
        elements
    }

    fn call(&self, element: &str) -> String {
        match self.action {
            Action::Create => format!("pthread_create(&t[{element}], 0, run, 0);"),
            Action::Join => format!("pthread_join(t[{element}], 0);"),
        }
    }

    fn text(&self) -> String {
        let Walk { form, first, step, end, .. } = self;
        let relation = if *step > 0 { "<" } else { ">=" };
        let count = match step {
            1 => "i++".to_string(),
            -1 => "i--".to_string(),
            _ => format!("i += {step}"),
        };
        let call = self.call("i");
        let body = match self.skip {
            None => call,
            Some((at, Skip::Continue)) => format!("if (i == {at}) continue; {call}"),
            Some((at, Skip::Break)) => format!("if (i == {at}) break; {call}"),
            Some((at, Skip::Guard)) => format!("if (i != {at}) {call}"),
        };
        match form {
            Form::For => format!("    for (int i = {first}; i {relation} {end}; {count}) {{ {body} }}\n"),
            Form::ForTo => {
                format!("    n = {end};\n    for (int i = {first}; i {relation} n; {count}) {{ {body} }}\n")
            }
            // Counts first, so that nothing is left out with what is skipped.
            Form::While => {
                let before = first - step;
                format!("    {{ int i = {before}; while ((i += {step}) {relation} {end}) {{ {body} }} }}\n")
            }
            Form::Calls => self.elements().iter().map(|at| format!("    {}\n", self.call(&at.to_string()))).collect(),
        }
    }
}

impl Program {
    fn text(&self) -> String {
        let mut text =
            format!("#include <pthread.h>\n\npthread_t t[{HANDLES}];\n\nvoid *run(void *unused) {{ return 0; }}\n");
        let mut main = String::from("    int n;\n");
        for (number, walk) in self.walks.iter().enumerate() {
            if walk.place == Place::Main {
                main.push_str(&walk.text());
                continue;
            }
            write!(text, "\nvoid part{number}(void)\n{{\n    int n;\n{}}}\n", walk.text()).expect("a string takes all");
            if walk.place == Place::Function {
                writeln!(main, "    part{number}();").expect("a string takes all");
            }
        }
        write!(text, "\nint main(void)\n{{\n{main}    return 0;\n}}\n").expect("a string takes all");
        text
    }

    /// Whether what never was a thread is joined, or a thread twice.
    fn misuses(&self) -> bool {
        // Whether the thread of each handle may still be joined, if there is one.
        let mut handles: [Option<bool>; HANDLES as usize] = Default::default();
        for walk in self.walks.iter().filter(|walk| walk.place != Place::Nowhere) {
            for element in walk.elements() {
                let handle = &mut handles[element as usize];
                match walk.action {
                    Action::Create => *handle = Some(true),
                    Action::Join if *handle == Some(true) => *handle = Some(false),
                    Action::Join => return true,
                }
            }
        }
        false
    }
}
