//! A memory model made ready for use: what to compute once, while choosing, and at the end.
//!
//! The checks that forbid executions are split by what they need. `pruning` computes the lower bounds of those that are not negated, so that
//! a partial choice can be given up; `rest` completes the values of a complete execution for all of them; `flags` and `shows`
//! are computed only for executions that exist, when somebody wants to know.

use std::collections::BTreeSet;
use std::sync::Arc;

use ir::source::{Diagnostic, Sources};

use super::library::{Library, open, parse_into};
use crate::cat::meaning::evaluate::{Bound, Plan};
use crate::cat::meaning::graph::Node;
use crate::cat::meaning::interpret::{Check, Meaning, Problem, World, interpret};
use crate::cat::meaning::names;
use crate::cat::syntax::ast::{File, Severity};

/// A model and its plans.
#[derive(Clone, Debug)]
pub struct Model {
    /// The name that the file gives itself, or its file name.
    pub title: String,
    /// The texts it was read from.
    pub sources: Sources,
    /// Graph and checks. Empty when the model has to be run for each execution.
    pub outcome: Meaning,
    /// Whether the model looks into executions, so that `outcome_in` has to be asked for each.
    pub is_dynamic: bool,
    /// Whether the model derives dependencies from register events itself.
    pub computes_dependencies: bool,
    /// What is the same in all executions of the same events.
    pub fixed: Plan,
    /// The lower bounds of the axioms while `rf` and `co` are chosen.
    pub pruning: Plan,
    /// The axioms in a complete execution.
    pub axioms: Plan,
    /// The flags in a complete execution.
    pub flags: Plan,
    /// The relations to show.
    pub shows: Plan,
    files: Vec<Arc<File>>,
    texts: Vec<(String, String, String)>,
    variants: BTreeSet<String>,
}

/// Loads the model called `name`. Files are found by `read` first (from names to paths and texts), then among those built in.
pub fn load(
    name: &str,
    read: &dyn Fn(&str) -> Option<(String, String)>,
    variants: &BTreeSet<String>,
) -> Result<Model, Box<(Diagnostic, Sources)>> {
    let mut sources = Sources::default();
    match load_into(&mut sources, name, read, variants) {
        Ok(model) => Ok(model),
        Err(problem) => Err(Box::new((problem, sources))),
    }
}

fn load_into(
    sources: &mut Sources,
    name: &str,
    read: &dyn Fn(&str) -> Option<(String, String)>,
    variants: &BTreeSet<String>,
) -> Result<Model, Diagnostic> {
    // Every text that is read is kept: a dynamic model reads its includes again, and must not ask the disk then.
    let texts = std::cell::RefCell::new(Vec::new());
    let remember = |wanted: &str| {
        let found = read(wanted);
        if let Some((path, text)) = &found {
            texts.borrow_mut().push((wanted.to_string(), path.clone(), text.clone()));
        }
        found
    };
    let library = Library::new(&remember);
    let standard = library.find("stdlib.cat").expect("the standard library is built in");
    let standard = Arc::new(parse_into(sources, &standard.0, &standard.1)?);
    let main = open(&library, sources, name)?;
    let mut files = vec![standard, main.clone()];
    // What herd is told by a configuration: the kernel's model comes with a file that says which events there are.
    let bell = format!("{}.bell", name.strip_suffix(".cat").unwrap_or(name));
    if let Some((path, text)) = library.find(&bell) {
        files.insert(1, Arc::new(parse_into(sources, &path, &text)?));
    }
    let (outcome, is_dynamic) = match interpret(&library, sources, &files, variants, None) {
        Ok(mut outcomes) => (outcomes.pop().expect("a model without choices has one outcome"), false),
        Err(Problem::NeedsExecution(_)) => (Meaning::default(), true),
        Err(Problem::Wrong(problem) | Problem::Unbound(problem)) => return Err(problem),
    };
    let title = main.title.clone().unwrap_or_else(|| name.to_string());
    let mut model = Model {
        title,
        sources: sources.clone(),
        is_dynamic,
        computes_dependencies: main.computes_dependencies,
        outcome,
        fixed: Plan::default(),
        pruning: Plan::default(),
        axioms: Plan::default(),
        flags: Plan::default(),
        shows: Plan::default(),
        files,
        texts: Vec::new(),
        variants: variants.clone(),
    };
    model.plan();
    if model.is_dynamic {
        // It was not run to its end, so some files may not have been asked for yet.
        let mut next = 0;
        loop {
            let Some(text) = texts.borrow().get(next).map(|(_, _, text)| text.clone()) else { break };
            next += 1;
            for name in included(&text) {
                if !texts.borrow().iter().any(|(known, _, _)| known == name) {
                    remember(name);
                }
            }
        }
    }
    model.texts = texts.into_inner();
    Ok(model)
}

/// The names of the files that a text may include.
fn included(text: &str) -> impl Iterator<Item = &str> {
    text.split("include").skip(1).filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next())
}

impl Model {
    /// Whether the model speaks of branches, so that executions have to have events for them.
    pub fn mentions_branches(&self) -> bool {
        let mut nodes = self.outcome.graph.iter();
        // What a model that looks into executions speaks of is known only there.
        let is_mentioned = || names::mentions(&self.sources, &["B", "BCC"]);
        self.is_dynamic && is_mentioned() || nodes.any(|(_, node)| matches!(node, Node::Events(name) if &**name == "B"))
    }

    /// The files that were read: the name that was asked for, the path and the text.
    pub fn files(&self) -> &[(String, String, String)] {
        &self.texts
    }

    fn plan(&mut self) {
        let graph = &self.outcome.graph;
        let is_fixed = |id| graph.depends(id).is_fixed();
        let roots = |select: &dyn Fn(&Check) -> bool| -> Vec<_> {
            self.outcome.checks.iter().filter(|check| select(check)).map(|check| check.node).collect()
        };
        let lower: Vec<_> = roots(&is_pruning).into_iter().map(|node| (node, Bound::Lower)).collect();
        let shown = self.outcome.shows.iter().chain(&self.outcome.sets).map(|&(_, node)| node);
        self.fixed = Plan::exact(graph, graph.iter().map(|(id, _)| id), is_fixed);
        self.pruning = Plan::of(graph, &lower, |id| !is_fixed(id));
        self.axioms = Plan::exact(graph, roots(&|check| check.severity == Severity::Forbids), |id| !is_fixed(id));
        self.flags = Plan::exact(graph, roots(&|check| check.severity != Severity::Forbids), |id| !is_fixed(id));
        self.shows = Plan::exact(graph, shown, |id| !is_fixed(id));
    }

    /// The checks that may end the search early.
    pub fn pruning_checks(&self) -> impl Iterator<Item = &Check> {
        self.outcome.checks.iter().filter(|check| is_pruning(check))
    }

    /// What a dynamic model says about one execution: an outcome for each choice that it makes.
    pub fn outcomes_in(&self, world: &dyn World) -> Result<Vec<Model>, Diagnostic> {
        let read = |wanted: &str| {
            self.texts.iter().find(|(name, _, _)| name == wanted).map(|(_, path, text)| (path.clone(), text.clone()))
        };
        let library = Library::new(&read);
        let mut sources = self.sources.clone();
        let outcomes = interpret(&library, &mut sources, &self.files, &self.variants, Some(world)).map_err(
            |problem| match problem {
                Problem::Wrong(problem) | Problem::Unbound(problem) => problem,
                Problem::NeedsExecution(span) => Diagnostic::error(span, "this needs an execution"),
            },
        )?;
        Ok(outcomes
            .into_iter()
            .map(|outcome| {
                let mut model = Model { outcome, is_dynamic: false, ..self.clone() };
                model.plan();
                model
            })
            .collect())
    }
}

fn is_pruning(check: &Check) -> bool {
    check.severity == Severity::Forbids && !check.is_negated
}
