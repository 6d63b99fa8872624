//! Verdicts for people and machines: values in, text out. Nothing here prints, reads files or asks for the time.
//!
//! [`tell`](mod@tell) makes a replayed execution into a `Story`; [`lanes`](mod@lanes), [`text`](mod@text) and [`json`](mod@json) render them, [`page`](mod@page) for a browser. Source text is shown by [`excerpt`](mod@excerpt), problems
//! with the input by [`diagnostic`](mod@diagnostic).

pub mod answer;
pub mod diagnostic;
pub mod excerpt;
pub mod exchange;
pub mod json;
pub mod lanes;
pub mod litmus;
pub mod oox;
pub mod page;
pub mod proof;
pub mod story;
pub mod style;
pub mod tell;
pub mod text;
pub mod witness;

pub use answer::{Answer, Bounded, Kept, Outcome, Parts, Reached, why};
pub use diagnostic::{diagnostic, diagnostics};
pub use excerpt::excerpt;
pub use exchange::{gcc, sarif};
pub use json::json;
pub use lanes::lanes;
pub use oox::{story_oox, tell_oox};
pub use page::page;
pub use story::{Call, Detail, Effect, Ending, Role, Row, Story};
pub use style::{Ink, Style};
pub use tell::{explain, story, tell, thread_ends};
pub use text::{explanation, text, violation};
