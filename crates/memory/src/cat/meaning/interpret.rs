//! What does a memory model say, once includes, functions and variants are resolved?
//!
//! Statements run in order over a `Scope` of names; sets and relations become nodes of a graph, tests become `Check`s. Most models
//! need no execution for that and are compiled once (`Meaning` with one graph). A model that looks into an execution, such as
//! `with rf-lf from cross(…)` or `match S with e ++ S -> …`, is run again for every execution; a `with` runs the rest of the model
//! once for each choice. The exception is `with co from generate_cos(r)`: coherence orders are what the engines enumerate
//! anyway, so it becomes the relation `co` and the test that `co` contains `r`.
//!
//! Expressions are in `express`.

use std::collections::BTreeSet;
use std::sync::Arc;

use ir::source::{Diagnostic, Sources, Span};
use rustc_hash::FxHashMap;

use super::evaluate::{Bound, Plan, Values};
use super::express::pattern_names;
use super::graph::{Graph, Node, NodeId};
use super::names;
use super::value::{ProcedureValue, Scope, Value};
use crate::cat::library::Library;
use crate::cat::syntax::ast::*;
use crate::relation::{EventSet, Relation};

/// A test of a model.
#[derive(Clone, Debug)]
pub struct Check {
    /// Its name; a number when the model gives none.
    pub name: String,
    /// The property.
    pub shape: Shape,
    /// Whether the opposite is asked for.
    pub is_negated: bool,
    /// What failing means.
    pub severity: Severity,
    /// Of what.
    pub node: NodeId,
    /// Where it stands.
    pub span: Span,
}

/// What a model says: a graph, tests and what to show.
#[derive(Clone, Default, Debug)]
pub struct Meaning {
    /// Sets and relations.
    pub graph: Graph,
    /// The tests in order.
    pub checks: Vec<Check>,
    /// Relations to show, by name.
    pub shows: Vec<(String, NodeId)>,
    /// The sets that the model defines, by name.
    pub sets: Vec<(String, NodeId)>,
}

/// Why a model could not be run.
#[derive(Clone, Debug)]
pub enum Problem {
    /// The text is wrong.
    Wrong(Diagnostic),
    /// A name is not known; `try` continues after this.
    Unbound(Diagnostic),
    /// The model looks into an execution, and none was given.
    NeedsExecution(Span),
}

impl Problem {
    pub(crate) fn wrong<T>(span: Span, message: impl Into<String>) -> Result<T, Problem> {
        Err(Problem::Wrong(Diagnostic::error(span, message)))
    }
}

/// An execution that a model may look into.
pub trait World {
    /// How many events it has.
    fn n_events(&self) -> usize;
    /// The events of a named set.
    fn set(&self, name: &str) -> EventSet;
    /// A named relation.
    fn relation(&self, name: &str) -> Relation;
    /// Whether two accesses have different values.
    fn differ(&self, a: usize, b: usize) -> bool;
}

/// Runs a model's files in order. With a world, there is an outcome for each choice the model makes.
pub fn interpret(
    library: &Library<'_>,
    sources: &mut Sources,
    files: &[Arc<File>],
    variants: &BTreeSet<String>,
    world: Option<&dyn World>,
) -> Result<Vec<Meaning>, Problem> {
    let mut interpreter =
        Interpreter { library, sources, variants, world, parsed: FxHashMap::default(), outcomes: Vec::new(), depth: 0 };
    let mut rest = None;
    for file in files.iter().rev() {
        rest = Some(Arc::new(Rest { statements: file.statements.clone(), next: rest }));
    }
    let state = State { scope: Scope::default(), outcome: Meaning::default(), values: None, included: BTreeSet::new() };
    interpreter.run(rest, state)?;
    Ok(interpreter.outcomes)
}

/// Statements that are still to run.
struct Rest {
    statements: Arc<[Stmt]>,
    next: Option<Arc<Rest>>,
}

/// What running statements changes.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) scope: Scope,
    pub(crate) outcome: Meaning,
    /// Values of nodes in the given execution, as far as they were looked at.
    values: Option<Values>,
    included: BTreeSet<String>,
}

pub(crate) struct Interpreter<'a> {
    library: &'a Library<'a>,
    pub(crate) sources: &'a mut Sources,
    pub(crate) variants: &'a BTreeSet<String>,
    pub(crate) world: Option<&'a dyn World>,
    parsed: FxHashMap<String, Arc<File>>,
    outcomes: Vec<Meaning>,
    /// How deep functions call each other, so that endless recursion is an error and not a crash.
    pub(crate) depth: usize,
}

impl Interpreter<'_> {
    fn run(&mut self, rest: Option<Arc<Rest>>, mut state: State) -> Result<(), Problem> {
        let mut rest = rest;
        while let Some(now) = rest {
            rest = now.next.clone();
            for (index, statement) in now.statements.iter().enumerate() {
                let inner = match &statement.kind {
                    StmtKind::Include(name) => {
                        let Some(file) = self.include(&mut state, name, statement.span)? else { continue };
                        file.statements.clone()
                    }
                    StmtKind::If(condition, then, otherwise) => {
                        if self.holds(condition) {
                            then.clone()
                        } else {
                            otherwise.clone()
                        }
                    }
                    StmtKind::Match(subject, clauses, default) => self.chosen(&mut state, subject, clauses, default)?,
                    StmtKind::With(name, source) => {
                        let after = tail(&now.statements, index + 1, rest);
                        return self.with(state, name, source, statement.span, after);
                    }
                    _ => {
                        self.simple(&mut state, statement, None)?;
                        continue;
                    }
                };
                // The statements inside run next, then the others of this list.
                rest = Some(Arc::new(Rest { statements: inner, next: tail(&now.statements, index + 1, rest) }));
                break;
            }
        }
        self.outcomes.push(state.outcome);
        Ok(())
    }

    fn with(
        &mut self,
        mut state: State,
        name: &str,
        source: &Expr,
        span: Span,
        after: Option<Arc<Rest>>,
    ) -> Result<(), Problem> {
        if name == "co"
            && let Some(base) = self.coherence_base(&mut state, source)?
        {
            let co = state.outcome.graph.add(Node::Pairs("co".into()));
            let missing = state.outcome.graph.add(Node::Difference(base, co));
            state.outcome.checks.push(Check {
                name: "co-base".to_string(),
                shape: Shape::Empty,
                is_negated: false,
                severity: Severity::Forbids,
                node: missing,
                span,
            });
            state.scope = state.scope.with("co", Value::Relation(co));
            return self.run(after, state);
        }
        let value = self.express(&mut state, source)?;
        let choices = self.elements(&mut state, value, source.span)?;
        if self.world.is_none() && choices.len() != 1 {
            return Err(Problem::NeedsExecution(span));
        }
        for choice in choices {
            let mut branch = state.clone();
            branch.scope = branch.scope.with(name, choice);
            self.run(after.clone(), branch)?;
        }
        Ok(())
    }

    /// The argument of `generate_cos`, or of `generate_orders` over all writes, as the library defines them.
    fn coherence_base(&mut self, state: &mut State, source: &Expr) -> Result<Option<NodeId>, Problem> {
        let ExprKind::Apply(function, argument) = &*source.kind else { return Ok(None) };
        let ExprKind::Name(name) = &*function.kind else { return Ok(None) };
        let Some(Value::Function(found)) = state.scope.find(name) else { return Ok(None) };
        let is_stock = self.sources.path(found.span).ends_with("cross.cat");
        let base = match name.as_str() {
            "generate_cos" if is_stock => argument.clone(),
            "generate_orders" if is_stock => match &*argument.kind {
                ExprKind::Tuple(parts)
                    if parts.len() == 2 && matches!(&*parts[0].kind, ExprKind::Name(set) if set == "W") =>
                {
                    parts[1].clone()
                }
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let value = self.express(state, &base)?;
        self.relation(state, value, base.span).map(Some)
    }

    fn include(&mut self, state: &mut State, name: &str, span: Span) -> Result<Option<Arc<File>>, Problem> {
        if !state.included.insert(name.to_string()) {
            return Ok(None);
        }
        if let Some(file) = self.parsed.get(name) {
            return Ok(Some(file.clone()));
        }
        let Some((path, text)) = self.library.find(name) else {
            return Problem::wrong(
                span,
                format!("there is no file \"{name}\" beside the model, in the directories given, or among our own"),
            );
        };
        let file = Arc::new(crate::cat::library::parse_into(self.sources, &path, &text).map_err(Problem::Wrong)?);
        self.parsed.insert(name.to_string(), file.clone());
        Ok(Some(file))
    }

    pub(crate) fn holds(&self, condition: &Variant) -> bool {
        match condition {
            Variant::Is(name) => self.variants.contains(name),
            Variant::Not(inner) => !self.holds(inner),
            Variant::And(a, b) => self.holds(a) && self.holds(b),
            Variant::Or(a, b) => self.holds(a) || self.holds(b),
        }
    }

    fn chosen(
        &mut self,
        state: &mut State,
        subject: &Expr,
        clauses: &[(String, Arc<[Stmt]>)],
        default: &Option<Arc<[Stmt]>>,
    ) -> Result<Arc<[Stmt]>, Problem> {
        let value = self.express(state, subject)?;
        let Value::Tag(tag) = &value else {
            return Problem::wrong(subject.span, format!("this should be a tag, but it is {}", value.told()));
        };
        let clause = clauses.iter().find(|(name, _)| **name == **tag).map(|(_, body)| body.clone());
        match clause.or_else(|| default.clone()) {
            Some(body) => Ok(body),
            None => Problem::wrong(subject.span, format!("no clause fits the tag `'{tag}`")),
        }
    }

    /// A statement that neither chooses nor includes.
    fn simple(&mut self, state: &mut State, statement: &Stmt, name: Option<&str>) -> Result<(), Problem> {
        match &statement.kind {
            StmtKind::Let(bindings) => {
                state.scope = self.bind(state, bindings)?;
                for name in bindings.iter().flat_map(|binding| pattern_names(&binding.pattern)) {
                    if let Some(Value::Set(node)) = state.scope.find(name) {
                        state.outcome.sets.retain(|(known, _)| known != name);
                        state.outcome.sets.push((name.to_string(), *node));
                    }
                }
            }
            StmtKind::LetRec(bindings, when) => {
                state.scope = self.bind_recursive(state, bindings)?;
                if let Some(test) = when {
                    self.check(state, Severity::Forbids, test, name, statement.span)?;
                }
            }
            StmtKind::Check(severity, test) => self.check(state, *severity, test, name, statement.span)?,
            StmtKind::Show(names) => {
                for shown in names {
                    // Models list relations for the eye that not every execution has; those are not worth an error.
                    let expr = Expr { kind: Arc::new(ExprKind::Name(shown.clone())), span: statement.span };
                    match self.express(state, &expr) {
                        Ok(value) => self.show(state, shown, value),
                        Err(Problem::Unbound(_)) => {}
                        Err(other) => return Err(other),
                    }
                }
            }
            StmtKind::ShowAs(expr, shown) => match self.express(state, expr) {
                Ok(value) => self.show(state, shown, value),
                Err(Problem::Unbound(_)) => {}
                Err(other) => return Err(other),
            },
            StmtKind::Unshow(names) => state.outcome.shows.retain(|(shown, _)| !names.contains(shown)),
            StmtKind::Procedure(code) => {
                let value =
                    Value::Procedure(Arc::new(ProcedureValue { code: code.clone(), scope: state.scope.clone() }));
                state.scope = state.scope.with(&code.name, value);
            }
            StmtKind::Call(procedure, argument, given) => {
                let given = given.as_deref().or(name);
                self.call(state, procedure, argument, given, statement.span)?;
            }
            StmtKind::Forall(variable, set, body) => {
                let value = self.express(state, set)?;
                let scope = state.scope.clone();
                for element in self.elements(state, value, set.span)? {
                    state.scope = scope.with(variable, element);
                    self.local(state, body, name)?;
                }
                state.scope = scope;
            }
            StmtKind::Enum(given, tags) => {
                let values = tags.iter().map(|tag| Value::Tag(tag.as_str().into())).collect();
                state.scope = state.scope.with(given, Value::Many(Arc::new(values)));
                for tag in tags {
                    let set = capitalised(tag);
                    if state.scope.find(&set).is_none() {
                        let node = state.outcome.graph.add(Node::Events(set.as_str().into()));
                        state.scope = state.scope.with(&set, Value::Set(node));
                    }
                }
            }
            // What instructions may carry is the front end's business: its definitions are data of their own.
            StmtKind::Instructions(..) | StmtKind::Debug(_) => {}
            StmtKind::Include(_) | StmtKind::If(..) | StmtKind::Match(..) | StmtKind::With(..) => {
                return Problem::wrong(statement.span, "this statement may only stand outside of procedures");
            }
        }
        Ok(())
    }

    /// Statements within a procedure or a loop.
    fn local(&mut self, state: &mut State, body: &[Stmt], name: Option<&str>) -> Result<(), Problem> {
        for statement in body {
            match &statement.kind {
                StmtKind::If(condition, then, otherwise) => {
                    let chosen = if self.holds(condition) { then.clone() } else { otherwise.clone() };
                    self.local(state, &chosen, name)?;
                }
                StmtKind::Match(subject, clauses, default) => {
                    let chosen = self.chosen(state, subject, clauses, default)?;
                    self.local(state, &chosen, name)?;
                }
                _ => self.simple(state, statement, name)?,
            }
        }
        Ok(())
    }

    fn call(
        &mut self,
        state: &mut State,
        name: &str,
        argument: &Expr,
        given: Option<&str>,
        span: Span,
    ) -> Result<(), Problem> {
        let procedure = match state.scope.find(name) {
            Some(Value::Procedure(procedure)) => procedure.clone(),
            Some(other) => {
                let told = other.told();
                return Problem::wrong(span, format!("`{name}` is {told}, not a procedure"));
            }
            None => return Problem::wrong(span, format!("there is no procedure `{name}`")),
        };
        let value = self.express(state, argument)?;
        self.enter(span)?;
        let outside = state.scope.clone();
        let mut scope = procedure.scope.clone();
        if procedure.code.is_recursive {
            scope = scope.with(name, Value::Procedure(procedure.clone()));
        }
        state.scope = self.match_pattern(&scope, &procedure.code.parameters, value, span)?;
        let result = self.local(state, &procedure.code.body, given);
        state.scope = outside;
        self.depth -= 1;
        result
    }

    fn check(
        &mut self,
        state: &mut State,
        severity: Severity,
        test: &Test,
        given: Option<&str>,
        span: Span,
    ) -> Result<(), Problem> {
        let value = self.express(state, &test.expr)?;
        let node = match (&value, test.shape) {
            (Value::Set(node), Shape::Empty) => *node,
            _ => self.relation(state, value, test.expr.span)?,
        };
        for part in state.outcome.graph.parts(node) {
            if let Node::Events(used) | Node::Pairs(used) = state.outcome.graph.node(part)
                && let Some(about) = names::unmeant(used)
            {
                let problem = format!("`{used}`, which this is about, means nothing here: executions have no {about}");
                return Problem::wrong(test.expr.span, problem);
            }
        }
        let name =
            test.name.clone().or_else(|| given.map(str::to_string)).unwrap_or_else(|| format!("line {}", span.line));
        state.outcome.checks.push(Check { name, shape: test.shape, is_negated: test.is_negated, severity, node, span });
        Ok(())
    }

    fn show(&mut self, state: &mut State, name: &str, value: Value) {
        if let Value::Relation(node) = value {
            state.outcome.shows.retain(|(shown, _)| shown != name);
            state.outcome.shows.push((name.to_string(), node));
        }
    }

    fn bind(&mut self, state: &mut State, bindings: &[Binding]) -> Result<Scope, Problem> {
        let mut scope = state.scope.clone();
        for binding in bindings {
            let value = self.express(state, &binding.value)?;
            scope = self.match_pattern(&scope, &binding.pattern, value, binding.value.span)?;
        }
        Ok(scope)
    }

    /// The elements of a set, as values of their own.
    pub(crate) fn elements(&mut self, state: &mut State, value: Value, span: Span) -> Result<Vec<Value>, Problem> {
        if let Value::Set(node) | Value::Relation(node) = &value
            && matches!(state.outcome.graph.node(*node), Node::NoEvents | Node::NoPairs)
        {
            return Ok(Vec::new());
        }
        Ok(match value {
            Value::Nothing => Vec::new(),
            Value::Many(values) => values.to_vec(),
            Value::Set(node) => self.force(state, node, span)?.0.iter().map(Value::Event).collect(),
            Value::Relation(node) => self.force(state, node, span)?.1.iter().map(|(a, b)| Value::Pair(a, b)).collect(),
            other => return Problem::wrong(span, format!("this should be a set, but it is {}", other.told())),
        })
    }

    /// The value of a node in the given execution: as a set or as a relation, whichever it is.
    pub(crate) fn force(
        &mut self,
        state: &mut State,
        node: NodeId,
        span: Span,
    ) -> Result<(EventSet, Relation), Problem> {
        let Some(world) = self.world else { return Err(Problem::NeedsExecution(span)) };
        let graph = &state.outcome.graph;
        let mut values = match state.values.take() {
            Some(values) if values.len() == graph.len() => values,
            _ => {
                let mut values = Values::new(graph, world.n_events());
                crate::cat::put_base(graph, &mut values, world);
                values
            }
        };
        let plan = Plan::exact(graph, [node], |_| true);
        values.compute(graph, &plan, &|a, b| world.differ(a, b));
        let result = if graph.is_set(node) {
            (values.set(node, Bound::Lower).clone(), Relation::default())
        } else {
            (EventSet::default(), values.relation(node, Bound::Lower).clone())
        };
        state.values = Some(values);
        Ok(result)
    }

    /// Counts a call, and refuses endless recursion.
    pub(crate) fn enter(&mut self, span: Span) -> Result<(), Problem> {
        self.depth += 1;
        if self.depth > 400 { Problem::wrong(span, "functions call each other without end here") } else { Ok(()) }
    }

    fn bind_recursive(&mut self, state: &mut State, bindings: &Arc<[Binding]>) -> Result<Scope, Problem> {
        debug_assert!(bindings.iter().all(|binding| !pattern_names(&binding.pattern).is_empty()));
        let scope = state.scope.clone();
        self.recursive(state, &scope, bindings)
    }
}

fn tail(statements: &Arc<[Stmt]>, from: usize, next: Option<Arc<Rest>>) -> Option<Arc<Rest>> {
    if from >= statements.len() {
        return next;
    }
    Some(Arc::new(Rest { statements: statements[from..].into(), next }))
}

/// The set of the events with a tag: `'rcu-lock` gives `Rcu-lock`.
pub(crate) fn capitalised(tag: &str) -> String {
    let mut letters = tag.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
