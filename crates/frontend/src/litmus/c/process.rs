//! Processes that send and receive: `P0 @ lan.alice { send(x, 1); int i = receive(y); }`.
//!
//! The body is the C of litmus tests without anything shared: what a process knows of others comes by messages. A topic is a location, `send` a store to it,
//! `receive` a load from it; `try_receive` is a receive that does not wait and has the tag `Try`. Further arguments of a call are tags that the model
//! may speak of (`send(x, 1, Reliable)`), after those that the topic itself was declared with. `none` is what a receive gives that has
//! received nothing (`ir::litmus::NOTHING`).

use super::super::coder::{Coder, constant};
use super::super::lex::{Kind, Source};
use super::ast::{Expr as Syntax, ExprKind, Function};
use super::lower::{Calls, Lowering, lower};
use super::parse::Parser;
use ir::Diagnostic;
use ir::litmus::{Expr, NOTHING, Place};
use rustc_hash::FxHashMap;

/// The topics of a test and their tags. If none was declared, any name is a topic.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Topics {
    pub(in super::super) tags: FxHashMap<String, Vec<String>>,
}

/// A process as written.
#[derive(Clone, Debug)]
pub(in super::super) struct Process {
    pub(in super::super) place: Place,
    pub(in super::super) function: Function,
}

/// Reads the processes from `start` on; also gives the place after them.
pub(in super::super) fn processes(source: &Source<'_>, start: usize) -> Result<(Vec<Process>, usize), Diagnostic> {
    let mut parser = Parser::new(source, start);
    let mut found: Vec<Process> = Vec::new();
    while !parser.is_at_question() {
        let at = parser.lexer.at;
        let process = process(&mut parser)?;
        let number = process.function.number;
        if found.iter().any(|known| known.function.number == number) {
            return Err(Diagnostic::error(source.span(at, 2), format!("there is a process P{number} already")));
        }
        found.push(process);
    }
    if found.is_empty() {
        return Err(Diagnostic::error(source.span(start, 1), "there are no processes: expected `P0 { … }`"));
    }
    Ok((found, parser.lexer.at))
}

fn process(parser: &mut Parser<'_, '_>) -> Result<Process, Diagnostic> {
    let token = parser.token("a process")?;
    let number = token.text.strip_prefix('P').and_then(|digits| digits.parse().ok());
    let Some(number) = number else {
        return Err(parser.complain(token, format!("expected a process such as `P0 {{ … }}`, found `{}`", token.text)));
    };
    let place = if parser.lexer.eat("@") { place(parser)? } else { Place::default() };
    if parser.lexer.eat("(") {
        parser.expect(")")?;
    }
    let body = parser.block()?;
    Ok(Process { place, function: Function { number, parameters: Vec::new(), body } })
}

/// `host` or `segment.host`.
fn place(parser: &mut Parser<'_, '_>) -> Result<Place, Diagnostic> {
    let first = name(parser)?;
    if !parser.lexer.eat(".") {
        return Ok(Place { segment: None, host: Some(first) });
    }
    Ok(Place { segment: Some(first), host: Some(name(parser)?) })
}

fn name(parser: &mut Parser<'_, '_>) -> Result<String, Diagnostic> {
    let token = parser.token("the name of a host")?;
    if token.kind == Kind::Word {
        return Ok(token.text.to_string());
    }
    Err(parser.complain(token, format!("expected the name of a host, found `{}`", token.text)))
}

/// Adds the instructions of a process.
pub(in super::super) fn lower_process(
    coder: &mut Coder<'_, '_>,
    process: &Process,
    topics: &Topics,
) -> Result<(), Diagnostic> {
    lower(coder, &process.function, Calls::Messages(topics)).map(|_| ())
}

impl Lowering<'_, '_, '_> {
    /// A variable of the process, or `none`. One that was neither declared nor assigned is a slip of the pen.
    pub(super) fn message_name(&mut self, at: &Syntax, name: &str) -> Result<Expr, Diagnostic> {
        if name == "none" {
            return Ok(constant(NOTHING));
        }
        let known = self.coder.find_register(name).map(Expr::Reg);
        known.ok_or_else(|| self.coder.error(at.at, at.length, format!("`{name}` has no value in this process")))
    }

    /// A call of `send`, `receive` or `try_receive`; its value if it has one.
    pub(super) fn message_call(
        &mut self,
        call: &Syntax,
        topics: &Topics,
        name: &str,
        arguments: &[Syntax],
    ) -> Result<Option<Expr>, Diagnostic> {
        let n_needed = match name {
            "send" => 2,
            "receive" | "try_receive" => 1,
            _ => {
                let message = format!("the function `{name}` is not supported: a process may `send` and `receive`");
                return Err(self.coder.unsupported(call.at, name.len(), message));
            }
        };
        if arguments.len() < n_needed {
            let message = format!("`{name}` needs a topic{}", if n_needed == 2 { " and a value" } else { "" });
            return Err(self.coder.error(call.at, call.length, message));
        }
        let (address, mut tags) = self.topic(topics, &arguments[0])?;
        for tag in &arguments[n_needed..] {
            let ExprKind::Name(tag) = &tag.kind else {
                return Err(self.coder.error(tag.at, tag.length, "expected a tag: a word that models know"));
            };
            tags.push(tag.clone());
        }
        if name == "send" {
            let value = self.value(&arguments[1])?;
            self.store(address, value, tags);
            return Ok(None);
        }
        if name == "try_receive" {
            tags.push("Try".to_string());
        }
        Ok(Some(Expr::Reg(self.load(address, tags))))
    }

    fn topic(&mut self, topics: &Topics, argument: &Syntax) -> Result<(Expr, Vec<String>), Diagnostic> {
        let ExprKind::Name(name) = &argument.kind else {
            return Err(self.coder.error(argument.at, argument.length, "expected the name of a topic"));
        };
        if !topics.tags.is_empty() && !topics.tags.contains_key(name) {
            let message = format!("`{name}` is not declared, but other topics are");
            return Err(self.coder.error(argument.at, argument.length, message));
        }
        let address = self.coder.address(name, argument.at)?;
        Ok((address, topics.tags.get(name).cloned().unwrap_or_default()))
    }
}
