//! What does an expression of a memory model stand for?
//!
//! Operators build nodes of the graph; functions are applied at once, so none are left. What looks into single events (`match`,
//! `linearisations`) asks `Interpreter::force`, which needs an execution. Recursive definitions of sets and relations become
//! groups of the graph; whether a name in them is a set or a relation is inferred from the text first.

use std::sync::Arc;

use ir::source::{Diagnostic, Span};

use super::graph::{Node, NodeId};
use super::interpret::{Interpreter, Problem, State, capitalised};
use super::names::{self, Special};
use super::value::{Builtin, Function, Scope, Value};
use crate::cat::syntax::ast::*;
use crate::relation::{EventSet, Relation};

/// The names of a pattern.
pub(crate) fn pattern_names(pattern: &Pattern) -> Vec<&str> {
    match pattern {
        Pattern::One(name) => name.iter().map(String::as_str).collect(),
        Pattern::Tuple(names) => names.iter().flatten().map(String::as_str).collect(),
    }
}

impl Interpreter<'_> {
    pub(crate) fn express(&mut self, state: &mut State, expr: &Expr) -> Result<Value, Problem> {
        let scope = state.scope.clone();
        self.within(state, &scope, expr)
    }

    pub(crate) fn within(&mut self, state: &mut State, scope: &Scope, expr: &Expr) -> Result<Value, Problem> {
        let span = expr.span;
        Ok(match &*expr.kind {
            ExprKind::Empty => Value::Nothing,
            ExprKind::Universe => Value::Set(state.outcome.graph.add(Node::AllEvents)),
            ExprKind::Tag(tag) => Value::Tag(tag.as_str().into()),
            ExprKind::Name(name) => self.look_up(state, scope, name, span)?,
            ExprKind::Tuple(parts) => {
                let parts: Result<Vec<Value>, Problem> =
                    parts.iter().map(|part| self.within(state, scope, part)).collect();
                Value::Tuple(Arc::new(parts?))
            }
            ExprKind::Set(parts) => {
                let mut set = Value::Nothing;
                for part in parts.iter().rev() {
                    let value = self.within(state, scope, part)?;
                    set = self.add(state, value, set, part.span)?;
                }
                set
            }
            ExprKind::Apply(function, argument) => {
                let function = self.within(state, scope, function)?;
                let argument = self.within(state, scope, argument)?;
                self.apply(state, function, argument, span)?
            }
            ExprKind::Unary(operator, operand) => {
                let value = self.within(state, scope, operand)?;
                self.unary(state, *operator, value, operand.span)?
            }
            ExprKind::Binary(Binary::Add, left, right) => {
                let left = self.within(state, scope, left)?;
                let set = self.within(state, scope, right)?;
                self.add(state, left, set, right.span)?
            }
            ExprKind::Binary(operator, left, right) => {
                let a = self.within(state, scope, left)?;
                let b = self.within(state, scope, right)?;
                self.binary(state, *operator, (a, left.span), (b, right.span))?
            }
            ExprKind::Let(bindings, body) => {
                let mut inner = scope.clone();
                for binding in bindings.iter() {
                    let value = self.within(state, scope, &binding.value)?;
                    inner = self.match_pattern(&inner, &binding.pattern, value, binding.value.span)?;
                }
                self.within(state, &inner, body)?
            }
            ExprKind::LetRec(bindings, body) => {
                let inner = self.recursive(state, scope, bindings)?;
                self.within(state, &inner, body)?
            }
            ExprKind::Fun(parameters, body) => Value::Function(Arc::new(Function {
                parameters: parameters.clone(),
                body: body.clone(),
                scope: scope.clone(),
                siblings: None,
                span,
            })),
            ExprKind::Try(first, second) => match self.within(state, scope, first) {
                Err(Problem::Unbound(_)) => self.within(state, scope, second)?,
                other => other?,
            },
            ExprKind::If(condition, then, otherwise) => {
                let chosen = if self.condition(state, scope, condition, span)? { then } else { otherwise };
                self.within(state, scope, chosen)?
            }
            ExprKind::MatchTag(subject, clauses, default) => {
                let value = self.within(state, scope, subject)?;
                let Value::Tag(tag) = &value else {
                    return Problem::wrong(subject.span, format!("this should be a tag, but it is {}", value.told()));
                };
                let clause =
                    clauses.iter().find(|(name, _)| **name == **tag).map(|(_, value)| value).or(default.as_ref());
                match clause {
                    Some(clause) => self.within(state, scope, clause)?,
                    None => return Problem::wrong(span, format!("no clause fits the tag `'{tag}`")),
                }
            }
            ExprKind::MatchSet(subject, empty, clause) => {
                let value = self.within(state, scope, subject)?;
                let elements = self.elements(state, value, subject.span)?;
                let Some((first, rest)) = elements.split_first() else {
                    return self.within(state, scope, empty);
                };
                let mut inner = scope.clone();
                if let Some(Some(before)) = &clause.before {
                    inner = inner.with(before, Value::Nothing);
                }
                if let Some(name) = &clause.element {
                    inner = inner.with(name, first.clone());
                }
                if let Some(name) = &clause.rest {
                    let mut set = Value::Nothing;
                    for element in rest.iter().rev() {
                        set = self.add(state, element.clone(), set, subject.span)?;
                    }
                    inner = inner.with(name, set);
                }
                self.within(state, &inner, &clause.value)?
            }
        })
    }

    fn look_up(&mut self, state: &mut State, scope: &Scope, name: &str, span: Span) -> Result<Value, Problem> {
        if let Some(value) = scope.find(name) {
            return Ok(value.clone());
        }
        if let Some(builtin) = Builtin::named(name) {
            return Ok(Value::Builtin(builtin));
        }
        let graph = &mut state.outcome.graph;
        match names::special(name, self.sources) {
            Some(Special::AllEvents) => return Ok(Value::Set(graph.add(Node::AllEvents))),
            Some(Special::Branches) => return Ok(Value::Set(graph.add(Node::Events("B".into())))),
            Some(Special::NoEvents) => return Ok(Value::Set(graph.add(Node::NoEvents))),
            Some(Special::NoPairs) => return Ok(Value::Relation(graph.add(Node::NoPairs))),
            None => {}
        }
        if names::is_relation(name) {
            return Ok(Value::Relation(state.outcome.graph.add(Node::Pairs(name.into()))));
        }
        if names::is_never(name) {
            return Ok(Value::Set(state.outcome.graph.add(Node::NoEvents)));
        }
        if names::is_set(name) {
            return Ok(Value::Set(state.outcome.graph.add(Node::Events(name.into()))));
        }
        if let Some(relation) = state.outcome.graph.communication(name) {
            return Ok(Value::Relation(relation));
        }
        let mut problem = Diagnostic::error(span, format!("`{name}` is not defined"));
        problem.note = names::nearest(name).map(|near| format!("there is `{near}`"));
        Err(Problem::Unbound(problem))
    }

    pub(crate) fn match_pattern(
        &self,
        scope: &Scope,
        pattern: &Pattern,
        value: Value,
        span: Span,
    ) -> Result<Scope, Problem> {
        match pattern {
            Pattern::One(None) => Ok(scope.clone()),
            Pattern::One(Some(name)) => Ok(scope.with(name, value)),
            Pattern::Tuple(names) => {
                let parts = match &value {
                    Value::Tuple(parts) if parts.len() == names.len() => parts.clone(),
                    _ => {
                        let told = value.told();
                        return Problem::wrong(
                            span,
                            format!("this should be a tuple of {} values, but it is {told}", names.len()),
                        );
                    }
                };
                let mut scope = scope.clone();
                for (name, part) in names.iter().zip(parts.iter()) {
                    if let Some(name) = name {
                        scope = scope.with(name, part.clone());
                    }
                }
                Ok(scope)
            }
        }
    }

    fn condition(
        &mut self,
        state: &mut State,
        scope: &Scope,
        condition: &Condition,
        span: Span,
    ) -> Result<bool, Problem> {
        match condition {
            Condition::Variant(variant) => Ok(self.holds(variant)),
            Condition::Equal(a, b) => {
                let a = self.within(state, scope, a)?;
                let b = self.within(state, scope, b)?;
                if let (Value::Tag(a), Value::Tag(b)) = (&a, &b) {
                    return Ok(a == b);
                }
                if let (Value::Event(a), Value::Event(b)) = (&a, &b) {
                    return Ok(a == b);
                }
                Ok(self.is_within(state, a.clone(), b.clone(), span)? && self.is_within(state, b, a, span)?)
            }
            Condition::Subset(a, b) => {
                let a = self.within(state, scope, a)?;
                let b = self.within(state, scope, b)?;
                self.is_within(state, a, b, span)
            }
            Condition::In(a, b) => {
                let a = self.within(state, scope, a)?;
                let b = self.within(state, scope, b)?;
                let elements = self.elements(state, b, span)?;
                Ok(elements.iter().any(|element| same(element, &a)))
            }
        }
    }

    fn is_within(&mut self, state: &mut State, a: Value, b: Value, span: Span) -> Result<bool, Problem> {
        let a = self.elements(state, a, span)?;
        let b = self.elements(state, b, span)?;
        Ok(a.iter().all(|element| b.iter().any(|other| same(element, other))))
    }

    fn apply(&mut self, state: &mut State, function: Value, argument: Value, span: Span) -> Result<Value, Problem> {
        match function {
            Value::Function(function) => {
                self.enter(span)?;
                let mut scope = function.scope.clone();
                if let Some(siblings) = &function.siblings {
                    scope = functions(&scope, siblings);
                }
                let scope = self.match_pattern(&scope, &function.parameters, argument, span)?;
                let result = self.within(state, &scope, &function.body);
                self.depth -= 1;
                result
            }
            Value::Builtin(builtin) => self.builtin(state, builtin, argument, span),
            other => Problem::wrong(span, format!("this is applied like a function, but it is {}", other.told())),
        }
    }

    fn builtin(&mut self, state: &mut State, builtin: Builtin, argument: Value, span: Span) -> Result<Value, Problem> {
        Ok(match builtin {
            Builtin::Domain | Builtin::Range => {
                let relation = self.relation(state, argument, span)?;
                let node = if builtin == Builtin::Domain { Node::Domain(relation) } else { Node::Range(relation) };
                Value::Set(state.outcome.graph.add(node))
            }
            Builtin::DifferentValues => {
                let relation = self.relation(state, argument, span)?;
                Value::Relation(state.outcome.graph.add(Node::DifferentValues(relation)))
            }
            Builtin::OfPageTables => {
                self.relation(state, argument, span)?;
                Value::Relation(state.outcome.graph.add(Node::NoPairs))
            }
            Builtin::TagToEvents => {
                let Value::Tag(tag) = &argument else {
                    return Problem::wrong(span, format!("`tag2events` takes a tag, not {}", argument.told()));
                };
                Value::Set(state.outcome.graph.add(Node::Events(capitalised(tag).as_str().into())))
            }
            Builtin::ClassesLoc | Builtin::Classes => self.classes(state, builtin, argument, span)?,
            Builtin::Linearisations => {
                let Value::Tuple(parts) = &argument else {
                    return Problem::wrong(span, "`linearisations` takes a set and a relation");
                };
                let [set, relation] = &parts[..] else {
                    return Problem::wrong(span, "`linearisations` takes a set and a relation");
                };
                let set = self.set(state, set.clone(), span)?;
                let relation = self.relation(state, relation.clone(), span)?;
                let members = self.force(state, set, span)?.0;
                let order = self.force(state, relation, span)?.1;
                let orders = linearisations(&members, &order);
                let orders = orders
                    .into_iter()
                    .map(|order| Value::Relation(state.outcome.graph.add(Node::ThesePairs(Arc::new(order)))));
                Value::Many(Arc::new(orders.collect()))
            }
            Builtin::Cross => {
                let mut products = vec![Value::Nothing];
                for choices in self.elements(state, argument, span)? {
                    let mut next = Vec::new();
                    for choice in self.elements(state, choices, span)? {
                        for product in &products {
                            next.push(self.binary(
                                state,
                                Binary::Union,
                                (product.clone(), span),
                                (choice.clone(), span),
                            )?);
                        }
                    }
                    products = next;
                }
                Value::Many(Arc::new(products))
            }
        })
    }

    /// The parts of a set with the same location, or the classes of an equivalence.
    fn classes(&mut self, state: &mut State, builtin: Builtin, argument: Value, span: Span) -> Result<Value, Problem> {
        let (members, same) = if builtin == Builtin::ClassesLoc {
            let set = self.set(state, argument, span)?;
            let loc = state.outcome.graph.add(Node::Pairs("loc".into()));
            (self.force(state, set, span)?.0, self.force(state, loc, span)?.1)
        } else {
            let relation = self.relation(state, argument, span)?;
            let same = self.force(state, relation, span)?.1;
            (same.domain(), same)
        };
        let mut classes = Vec::new();
        let mut left = members.clone();
        while !left.is_empty() {
            let first = left.iter().next().expect("it is not empty");
            let class = EventSet::of(
                members.universe(),
                left.iter().filter(|&event| event == first || same.contains(first, event)),
            );
            left.subtract(&class);
            classes.push(Value::Set(state.outcome.graph.add(Node::TheseEvents(Arc::new(class)))));
        }
        Ok(Value::Many(Arc::new(classes)))
    }

    fn unary(&mut self, state: &mut State, operator: Unary, value: Value, span: Span) -> Result<Value, Problem> {
        if operator == Unary::Complement {
            if let Value::Set(set) = value {
                return Ok(Value::Set(state.outcome.graph.add(Node::SetComplement(set))));
            }
            let relation = self.relation(state, value, span)?;
            return Ok(Value::Relation(state.outcome.graph.add(Node::Complement(relation))));
        }
        if operator == Unary::Identity {
            let set = self.set(state, value, span)?;
            return Ok(Value::Relation(state.outcome.graph.add(Node::Identity(set))));
        }
        let relation = self.relation(state, value, span)?;
        let node = match operator {
            Unary::Plus => Node::Plus(relation),
            Unary::Star => Node::Star(relation),
            Unary::Optional => Node::Optional(relation),
            Unary::Inverse => Node::Inverse(relation),
            Unary::Complement | Unary::Identity => unreachable!("handled above"),
        };
        Ok(Value::Relation(state.outcome.graph.add(node)))
    }

    fn binary(
        &mut self,
        state: &mut State,
        operator: Binary,
        left: (Value, Span),
        right: (Value, Span),
    ) -> Result<Value, Problem> {
        let ((a, a_span), (b, b_span)) = (left, right);
        match operator {
            Binary::Sequence => {
                let a = self.relation(state, a, a_span)?;
                let b = self.relation(state, b, b_span)?;
                return Ok(Value::Relation(state.outcome.graph.add(Node::Sequence(a, b))));
            }
            Binary::Product => {
                let a = self.set(state, a, a_span)?;
                let b = self.set(state, b, b_span)?;
                return Ok(Value::Relation(state.outcome.graph.add(Node::Product(a, b))));
            }
            _ => {}
        }
        match (&a, &b) {
            (Value::Many(_) | Value::Nothing, Value::Many(_)) | (Value::Many(_), Value::Nothing) => {
                let a = self.elements(state, a, a_span)?;
                let b = self.elements(state, b, b_span)?;
                let is_in = |element: &Value, set: &[Value]| set.iter().any(|other| same(element, other));
                let kept: Vec<Value> = match operator {
                    Binary::Union => a.iter().chain(b.iter().filter(|element| !is_in(element, &a))).cloned().collect(),
                    Binary::Intersection => a.into_iter().filter(|element| is_in(element, &b)).collect(),
                    _ => a.into_iter().filter(|element| !is_in(element, &b)).collect(),
                };
                Ok(Value::Many(Arc::new(kept)))
            }
            (Value::Nothing, Value::Nothing) => Ok(Value::Nothing),
            (Value::Set(_) | Value::Event(_), _) | (Value::Nothing, Value::Set(_) | Value::Event(_)) => {
                let a = self.set(state, a, a_span)?;
                let b = self.set(state, b, b_span)?;
                let node = match operator {
                    Binary::Union => Node::SetUnion(a, b),
                    Binary::Intersection => Node::SetIntersection(a, b),
                    _ => Node::SetDifference(a, b),
                };
                Ok(Value::Set(state.outcome.graph.add(node)))
            }
            _ => {
                let a = self.relation(state, a, a_span)?;
                let b = self.relation(state, b, b_span)?;
                let node = match operator {
                    Binary::Union => Node::Union(a, b),
                    Binary::Intersection => Node::Intersection(a, b),
                    _ => Node::Difference(a, b),
                };
                Ok(Value::Relation(state.outcome.graph.add(node)))
            }
        }
    }

    /// A set with one more element.
    fn add(&mut self, state: &mut State, element: Value, set: Value, span: Span) -> Result<Value, Problem> {
        match (&element, &set) {
            (Value::Event(_), _) => self.binary(state, Binary::Union, (element, span), (set, span)),
            (Value::Pair(..), _) => self.binary(state, Binary::Union, (element, span), (set, span)),
            (_, Value::Nothing | Value::Many(_)) => {
                let mut values = vec![element];
                values.extend(self.elements(state, set, span)?);
                Ok(Value::Many(Arc::new(values)))
            }
            _ => Problem::wrong(span, format!("{} cannot be an element of {}", element.told(), set.told())),
        }
    }

    pub(crate) fn relation(&mut self, state: &mut State, value: Value, span: Span) -> Result<NodeId, Problem> {
        match value {
            Value::Relation(node) => Ok(node),
            Value::Nothing => Ok(state.outcome.graph.add(Node::NoPairs)),
            Value::Pair(a, b) => {
                let n = self.world.map_or(0, |world| world.n_events());
                Ok(state.outcome.graph.add(Node::ThesePairs(Arc::new(Relation::of(n, [(a, b)])))))
            }
            other => Problem::wrong(span, format!("this should be a relation, but it is {}", other.told())),
        }
    }

    fn set(&mut self, state: &mut State, value: Value, span: Span) -> Result<NodeId, Problem> {
        match value {
            Value::Set(node) => Ok(node),
            Value::Nothing => Ok(state.outcome.graph.add(Node::NoEvents)),
            Value::Event(event) => {
                let n = self.world.map_or(0, |world| world.n_events());
                Ok(state.outcome.graph.add(Node::TheseEvents(Arc::new(EventSet::of(n, [event])))))
            }
            other => Problem::wrong(span, format!("this should be a set of events, but it is {}", other.told())),
        }
    }

    /// The scope after a recursive definition: of functions, or of sets and relations.
    pub(crate) fn recursive(
        &mut self,
        state: &mut State,
        scope: &Scope,
        bindings: &Arc<[Binding]>,
    ) -> Result<Scope, Problem> {
        if bindings.iter().all(|binding| matches!(&*binding.value.kind, ExprKind::Fun(..))) {
            return Ok(functions(scope, bindings));
        }
        let mut defined = Vec::new();
        for binding in bindings.iter() {
            match &binding.pattern {
                Pattern::One(Some(name)) => defined.push((name.clone(), None)),
                _ => return Problem::wrong(binding.value.span, "a recursive definition needs a name on its left"),
            }
        }
        // Which names are sets follows from the text; each round may settle more of them.
        for _ in 0..=bindings.len() {
            for (index, binding) in bindings.iter().enumerate() {
                if defined[index].1.is_none() {
                    defined[index].1 = self.is_set(scope, &defined, &binding.value);
                }
            }
        }
        let are_sets: Vec<bool> = defined.iter().map(|(_, is_set)| is_set.unwrap_or(false)).collect();
        let (group, variables) = state.outcome.graph.open_group(&are_sets);
        let mut inner = scope.clone();
        for ((name, _), (&variable, &is_set)) in defined.iter().zip(variables.iter().zip(&are_sets)) {
            inner = inner.with(name, if is_set { Value::Set(variable) } else { Value::Relation(variable) });
        }
        let mut bodies = Vec::new();
        for (binding, &is_set) in bindings.iter().zip(&are_sets) {
            let value = self.within(state, &inner, &binding.value)?;
            let span = binding.value.span;
            bodies.push(if is_set { self.set(state, value, span)? } else { self.relation(state, value, span)? });
        }
        state.outcome.graph.close_group(group, &bodies);
        Ok(inner)
    }

    /// Whether an expression is a set, as far as the text tells.
    fn is_set(&self, scope: &Scope, defined: &[(String, Option<bool>)], expr: &Expr) -> Option<bool> {
        match &*expr.kind {
            ExprKind::Universe | ExprKind::Set(_) => Some(true),
            ExprKind::Name(name) => match defined.iter().find(|(known, _)| known == name) {
                Some((_, is_set)) => *is_set,
                None => match scope.find(name) {
                    Some(Value::Set(_)) => Some(true),
                    Some(Value::Relation(_)) => Some(false),
                    Some(_) => None,
                    None if names::is_set(name) => Some(true),
                    None => names::is_relation(name).then_some(false),
                },
            },
            ExprKind::Apply(function, _) => match &*function.kind {
                ExprKind::Name(name) if name == "domain" || name == "range" => Some(true),
                _ => None,
            },
            ExprKind::Unary(Unary::Complement, operand) => self.is_set(scope, defined, operand),
            ExprKind::Unary(..) | ExprKind::Binary(Binary::Sequence | Binary::Product, ..) => Some(false),
            ExprKind::Binary(_, a, b) => self.is_set(scope, defined, a).or_else(|| self.is_set(scope, defined, b)),
            ExprKind::Let(_, body) | ExprKind::LetRec(_, body) => self.is_set(scope, defined, body),
            ExprKind::Try(first, second) => {
                self.is_set(scope, defined, first).or_else(|| self.is_set(scope, defined, second))
            }
            ExprKind::If(_, then, otherwise) => {
                self.is_set(scope, defined, then).or_else(|| self.is_set(scope, defined, otherwise))
            }
            _ => None,
        }
    }
}

/// A scope in which the functions of a recursive definition are bound.
fn functions(scope: &Scope, bindings: &Arc<[Binding]>) -> Scope {
    let mut result = scope.clone();
    for binding in bindings.iter() {
        let (Pattern::One(Some(name)), ExprKind::Fun(parameters, body)) = (&binding.pattern, &*binding.value.kind)
        else {
            continue;
        };
        let function = Function {
            parameters: parameters.clone(),
            body: body.clone(),
            scope: scope.clone(),
            siblings: Some(bindings.clone()),
            span: binding.value.span,
        };
        result = result.with(name, Value::Function(Arc::new(function)));
    }
    result
}

/// Whether two elements are the same thing.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Set(a), Value::Set(b)) | (Value::Relation(a), Value::Relation(b)) => a == b,
        (Value::Event(a), Value::Event(b)) => a == b,
        (Value::Pair(a, b), Value::Pair(c, d)) => (a, b) == (c, d),
        (Value::Tag(a), Value::Tag(b)) => a == b,
        (Value::Nothing, Value::Nothing) => true,
        _ => false,
    }
}

/// All total orders of a set that contain what a relation says about its members.
fn linearisations(members: &EventSet, order: &Relation) -> Vec<Relation> {
    let mut closed = order.clone();
    closed.restrict_domain(members);
    closed.restrict_range(members);
    closed.close();
    let mut result = Vec::new();
    let all: Vec<usize> = members.iter().collect();
    extend(&all, &closed, &mut Vec::new(), &mut result);
    result
}

fn extend(members: &[usize], order: &Relation, chosen: &mut Vec<usize>, result: &mut Vec<Relation>) {
    if chosen.len() == members.len() {
        let pairs = (0..chosen.len()).flat_map(|i| (i + 1..chosen.len()).map(move |j| (i, j)));
        result.push(Relation::of(order.universe(), pairs.map(|(i, j)| (chosen[i], chosen[j]))));
        return;
    }
    for &next in members {
        let is_first = members.iter().all(|&other| chosen.contains(&other) || !order.contains(other, next));
        if !chosen.contains(&next) && is_first {
            chosen.push(next);
            extend(members, order, chosen, result);
            chosen.pop();
        }
    }
}
