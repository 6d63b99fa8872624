//! Tests of message protocols: a header `PROTO name`, topics, processes, a question.
//!
//! ```text
//! PROTO lost-message
//! { topic x; topic y [Reliable]; 1:i = 7; }
//! P0 @ lan.alice { send(x, 1); }
//! P1 { int i = receive(x); }
//! exists (1:i=none)
//! ```
//!
//! The initial state declares topics, with the tags of all accesses to them, and gives values to variables of processes. Topics may be left undeclared, but not
//! some of them. A topic has no value of its own, neither at first nor at the end: conditions are about variables. Everything is a word of 64 bits.

use super::build;
use super::c::{Process, Topics, lower_process, processes};
use super::coder::{Coder, Locations};
use super::header::Header;
use super::init::{Initialised, Item, Value, register_name};
use super::lex::{Comments, Kind, Lexer, Source, Token, number};
use super::question::{self, Part, Proposition, Question, Right};
use ir::litmus::{Dialect, NOTHING, Test};
use ir::{Diagnostic, Span};

/// Reads what follows the header.
pub(super) fn read(source: &Source<'_>, header: Header) -> Result<Test, Diagnostic> {
    let Start { topics, items, end } = start(source, header.end)?;
    let (found, question_start) = processes(source, end)?;
    let mut locations = Locations::default();
    let mut threads = Vec::new();
    for process in &found {
        let Process { place, function } = process;
        let mut coder = Coder::new(source, &mut locations);
        for item in &items {
            if let Initialised::Register { thread, name } = &item.target
                && *thread == function.number
            {
                coder.register(name);
            }
        }
        lower_process(&mut coder, process, &topics)?;
        let mut thread = build::thread(coder, function.number, Dialect::Proto, &items)?;
        thread.place = place.clone();
        threads.push(thread);
    }
    let mut question = question::read(source, question_start)?;
    about_variables(&mut question)?;
    let is_known = |part: &Part| match part {
        Part::Register { thread, name } => threads
            .iter()
            .any(|known| known.number == *thread && known.registers.iter().any(|register| register.name == *name)),
        Part::Location { .. } => false,
    };
    for (part, span) in mentioned(&question) {
        if !is_known(&part) {
            let Part::Register { thread, name } = part else { unreachable!("topics were refused") };
            return Err(Diagnostic::error(span, format!("P{thread} has no variable `{name}`")));
        }
    }
    build::test(header, Dialect::Proto, &items, locations, threads, &question)
}

/// What stands between the braces.
struct Start {
    topics: Topics,
    /// Values of variables.
    items: Vec<Item>,
    /// The place after it.
    end: usize,
}

fn start(source: &Source<'_>, at: usize) -> Result<Start, Diagnostic> {
    let mut lexer = Lexer::new(source.text, at, Comments::Starred);
    lexer.expect(source, "{")?;
    let (mut topics, mut items) = (Topics::default(), Vec::new());
    loop {
        let token = lexer.token(source, "`}`")?;
        match (token.kind, token.text) {
            (_, "}") => return Ok(Start { topics, items, end: lexer.at }),
            (_, ";") => {}
            (Kind::Word, "topic") => {
                let name = word(&mut lexer, source, "the name of a topic")?;
                let mut tags = Vec::new();
                if lexer.eat("[") {
                    while !lexer.eat("]") {
                        tags.push(word(&mut lexer, source, "a tag")?.text.to_string());
                        lexer.eat(",");
                    }
                }
                if topics.tags.insert(name.text.to_string(), tags).is_some() {
                    return Err(source.complain(name, format!("the topic `{}` was declared before", name.text)));
                }
            }
            (Kind::Number, text) => items.push(initial(&mut lexer, source, token, text)?),
            (_, text) => {
                let message = format!("expected `topic x` or `0:i = 1`, found `{text}`: topics hold no values");
                return Err(source.complain(token, message));
            }
        }
    }
}

fn word<'a>(lexer: &mut Lexer<'a>, source: &Source<'_>, what: &str) -> Result<Token<'a>, Diagnostic> {
    let token = lexer.token(source, what)?;
    if token.kind == Kind::Word { Ok(token) } else { Err(source.complain(token, format!("expected {what}"))) }
}

/// `0:i = -1`, after its number.
fn initial(lexer: &mut Lexer<'_>, source: &Source<'_>, token: Token<'_>, text: &str) -> Result<Item, Diagnostic> {
    let thread = number(text).and_then(|number| u32::try_from(number).ok());
    let thread = thread.ok_or_else(|| source.complain(token, "expected the number of a process"))?;
    lexer.expect(source, ":")?;
    let name = register_name(lexer).ok_or_else(|| source.complain(token, "expected a variable"))?;
    lexer.expect(source, "=")?;
    let is_negative = lexer.eat("-");
    let found = lexer.token(source, "a number")?;
    let value = match found.text {
        "none" => NOTHING,
        text => number(text).ok_or_else(|| source.complain(found, format!("`{text}` is not a number")))?,
    };
    let value = Value::Number(if is_negative { value.wrapping_neg() } else { value });
    let span = source.span(token.at, lexer.at - token.at);
    Ok(Item { kind: None, target: Initialised::Register { thread, name }, value: Some(value), span })
}

/// Makes sure that a question is about variables, and gives `none` its value.
fn about_variables(question: &mut Question) -> Result<(), Diagnostic> {
    for (part, _, span) in &question.shown {
        refuse_topic(part, *span)?;
    }
    let propositions = std::iter::once(&mut question.condition).chain(&mut question.filter);
    for proposition in propositions {
        equations(proposition, &mut |left, right, span| {
            refuse_topic(left, span)?;
            match right {
                Right::Address { name, offset: 0 } if name == "none" => *right = Right::Number(NOTHING),
                Right::Address { name, .. } | Right::Element { name, .. } => {
                    return Err(Diagnostic::error(span, format!("`{name}` is no number: write `1:{name}` or `none`")));
                }
                Right::Part(part) => refuse_topic(part, span)?,
                Right::Number(_) => {}
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn refuse_topic(part: &Part, span: Span) -> Result<(), Diagnostic> {
    match part {
        Part::Register { .. } => Ok(()),
        Part::Location { name, .. } => {
            let message = format!("the topic `{name}` has no value: conditions are about variables (`1:i=2`)");
            Err(Diagnostic::error(span, message))
        }
    }
}

type Equation<'f> = dyn FnMut(&mut Part, &mut Right, Span) -> Result<(), Diagnostic> + 'f;

fn equations(proposition: &mut Proposition, visit: &mut Equation<'_>) -> Result<(), Diagnostic> {
    match proposition {
        Proposition::Constant(_) => Ok(()),
        Proposition::Equal(left, right, span) => visit(left, right, *span),
        Proposition::Not(inner) => equations(inner, visit),
        Proposition::And(parts) | Proposition::Or(parts) => {
            parts.iter_mut().try_for_each(|part| equations(part, visit))
        }
        Proposition::Implies(left, right) => {
            equations(left, visit)?;
            equations(right, visit)
        }
    }
}

/// The variables that a question is about.
fn mentioned(question: &Question) -> Vec<(Part, Span)> {
    let mut parts: Vec<(Part, Span)> = question.shown.iter().map(|(part, _, span)| (part.clone(), *span)).collect();
    let mut copy = question.clone();
    for proposition in std::iter::once(&mut copy.condition).chain(&mut copy.filter) {
        let noted = equations(proposition, &mut |left, right, span| {
            parts.push((left.clone(), span));
            if let Right::Part(part) = right {
                parts.push((part.clone(), span));
            }
            Ok(())
        });
        noted.expect("noting refuses nothing");
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::super::{Options, parse};
    use ir::litmus::{NOTHING, Op, Test};

    fn read(text: &str) -> Result<Test, String> {
        let found = parse("t.proto.litmus", text, &Options::default());
        found.map_err(|rejected| rejected.diagnostics[0].message.clone())
    }

    #[test]
    fn a_test_has_topics_processes_and_places() {
        let text = "PROTO t\n{ topic x; topic y [Reliable]; 1:j = -1; 1:n = none; }\n\
                    P0 @ lan.alice { send(y, 2, Urgent); }\nP1 { int i = try_receive(x); if (i == none) { i = receive(y); } }\n\
                    exists (1:i=none /\\ 1:j=-1)";
        let test = read(text).expect("it can be read");
        assert_eq!(test.threads[0].place.segment.as_deref(), Some("lan"));
        assert_eq!(test.threads[0].place.host.as_deref(), Some("alice"));
        let Op::Store { tags, .. } = &test.threads[0].code[0].op else { panic!("a send is a store") };
        assert_eq!(tags, &["Reliable", "Urgent"]);
        let Op::Load { tags, .. } = &test.threads[1].code[0].op else { panic!("a receive is a load") };
        assert_eq!(tags, &["Try"]);
        let register = |name: &str| test.threads[1].registers.iter().find(|register| register.name == name);
        assert_eq!(register("j").map(|register| register.init as i64), Some(-1));
        assert_eq!(register("n").map(|register| register.init), Some(NOTHING));
        assert_eq!(test.show_condition(), "exists (1:i=none /\\ 1:j=-1)");
    }

    #[test]
    fn what_is_not_about_messages_is_refused_by_name() {
        let rows = [
            ("{ topic x; } P0 { send(y, 1); }", "`y` is not declared, but other topics are"),
            ("{ x = 1; } P0 { send(x, 1); }", "topics hold no values"),
            ("{ } P0 { send(x); }", "`send` needs a topic and a value"),
            ("{ } P0 { send(x, j); }", "`j` has no value in this process"),
            ("{ } P0 { send(x, 1, 2); }", "expected a tag"),
            ("{ } P0 { int i = *x; }", "processes share no memory"),
            ("{ } P0 { int i = recv(x); }", "the function `recv` is not supported"),
            ("{ } P0 { send(x, 1); } P0 { send(x, 2); }", "there is a process P0 already"),
            ("{ } P0 { send(x, 1); } exists (x=1)", "the topic `x` has no value"),
            ("{ } P0 { int i = receive(x); } exists (0:k=1)", "P0 has no variable `k`"),
            ("{ } P0 { int i = receive(x); } exists (0:i=x)", "`x` is no number"),
            ("{ 3:i = 1; } P0 { send(x, 1); }", "there is no thread P3"),
            ("{ } exists (true)", "there are no processes"),
        ];
        for (body, expected) in rows {
            let said = read(&format!("PROTO t\n{body}")).expect_err(body);
            assert!(said.contains(expected), "{body}: {said}");
        }
    }
}
