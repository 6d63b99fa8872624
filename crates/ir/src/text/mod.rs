//! How does a person read a program? As text: variables, objects, regions, then the procedures, edge by edge.
//!
//! The form is stable (it follows the order of the tables and depends on nothing else), so it serves as a snapshot
//! in tests and for `ravel show`. Terms look like C ([`term`](mod@term)), statements are one line each ([`stmt`]), and the source line
//! stands behind an edge as a comment. A name that two visible variables share gets its number: `i'17`.
//!
//! The text is for reading; it is not read back. Graphs are in [`dot`], and executions that can be run again in [`schedule`](mod@schedule).

pub mod dot;
pub mod schedule;
mod stmt;
mod term;

use crate::memory::{DataModel, Fill, Object, ObjectKind, Region, RegionId};
use crate::program::{Edge, LocId, Proc, ProcId, Program, Scope};
use crate::source::Span;
use logic::{TermId, Value, VarId};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The whole program.
pub fn program(program: &Program) -> String {
    let mut out = String::new();
    let model = match program.data_model {
        DataModel::Ilp32 => "ilp32",
        DataModel::Lp64 => "lp64",
    };
    push(&mut out, format_args!("program {model}, main {}", program.proc(program.main).name));
    if program.model.has_buffers() {
        push(&mut out, format_args!("memory model {}", program.model));
    }
    if let Some(init) = program.thread_init {
        push(&mut out, format_args!("thread init {}", program.proc(init).name));
    }
    for note in &program.notes {
        push(&mut out, format_args!("note {note}"));
    }
    out.push('\n');
    let names = Names::of_program(program);
    for (index, variable) in program.vars.iter().enumerate() {
        let var = VarId(index as u32);
        let scope = match variable.scope {
            Scope::Global => "global",
            Scope::Thread => "thread",
            Scope::Local => continue,
        };
        let init = variable.init.as_ref().map_or("any".to_string(), value);
        push(&mut out, format_args!("{scope} {}: {} = {init}", names.var(var), program.pool.var_sort(var)));
    }
    for object in &program.objects {
        write_object(&mut out, object);
    }
    for (index, region) in program.regions.iter().enumerate().skip(1) {
        write_region(&mut out, program, RegionId(index as u32), region);
    }
    for index in 0..program.procs.len() {
        out.push('\n');
        out.push_str(&procedure(program, ProcId(index as u32)));
    }
    out
}

/// One procedure.
pub fn procedure(program: &Program, id: ProcId) -> String {
    let proc = program.proc(id);
    let names = Names::of_proc(program, proc);
    let mut out = String::new();
    let typed = |var: &VarId| format!("{}: {}", names.var(*var), program.pool.var_sort(*var));
    let params: Vec<String> = proc.params.iter().map(typed).collect();
    let result = proc.result.map_or(String::new(), |sort| format!(" -> {sort}"));
    let header = format!("proc {}({}){result}", proc.name, params.join(", "));
    push(&mut out, format_args!("{}", commented(program, &header, proc.span)));
    for local in proc.locals.iter().filter(|local| !proc.params.contains(local)) {
        push(&mut out, format_args!("  local {}", typed(local)));
    }
    for (index, leaving) in proc.out_edges().iter().enumerate() {
        let loc = LocId(index as u32);
        if leaving.is_empty() && loc != proc.entry && loc != proc.exit {
            continue;
        }
        push(&mut out, format_args!("  {}", location(proc, loc)));
        let mut last_span = Span::NOWHERE;
        for edge in leaving {
            let edge = &proc.edges[edge.index()];
            let line = format!("    -> L{} {}", edge.to.0, edge_body(&names, edge));
            let span = edge.stmts.iter().map(|stmt| stmt.span).find(|span| span.is_known()).unwrap_or(Span::NOWHERE);
            let shown = if span.line == last_span.line { Span::NOWHERE } else { span };
            push(&mut out, format_args!("{}", commented(program, &line, shown)));
            last_span = span;
        }
    }
    out
}

/// One statement, as seen inside a procedure.
pub fn statement(program: &Program, proc: ProcId, stmt: &crate::stmt::Stmt) -> String {
    stmt::statement(&Names::of_proc(program, program.proc(proc)), &stmt.op)
}

/// One term, as seen inside a procedure.
pub fn term(program: &Program, proc: ProcId, term: TermId) -> String {
    term::term(&Names::of_proc(program, program.proc(proc)), term)
}

pub(crate) fn edge_body(names: &Names<'_>, edge: &Edge) -> String {
    let stmts: Vec<String> = edge.stmts.iter().map(|stmt| stmt::statement(names, &stmt.op)).collect();
    if stmts.is_empty() { "skip".to_string() } else { stmts.join("; ") }
}

pub(crate) fn location(proc: &Proc, loc: LocId) -> String {
    let mut text = format!("L{}:", loc.0);
    if loc == proc.entry {
        text.push_str(" entry");
    }
    if loc == proc.exit {
        text.push_str(" exit");
    }
    if proc.locs[loc.index()].is_loop_head {
        text.push_str(" loop");
    }
    text
}

/// A value without its width: the form that people read.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Bv(bits) if bits.width() <= 64 && bits.width() > 1 => bits.as_i64().to_string(),
        Value::Bv(bits) => bits.to_string(),
        Value::F32(bits) => format!("{:?}f", f32::from_bits(*bits)),
        Value::F64(bits) => format!("{:?}", f64::from_bits(*bits)),
        Value::Array(_) => value.to_string(),
    }
}

/// The names of the variables that can be seen from somewhere, and of the objects by address.
pub(crate) struct Names<'p> {
    pub(crate) program: &'p Program,
    n_same: FxHashMap<&'p str, u32>,
}

impl<'p> Names<'p> {
    /// As seen from no procedure.
    pub(crate) fn of_program(program: &'p Program) -> Names<'p> {
        let mut n_same = FxHashMap::default();
        for (index, variable) in program.vars.iter().enumerate() {
            if variable.scope != Scope::Local {
                *n_same.entry(program.pool.var_name(VarId(index as u32))).or_default() += 1;
            }
        }
        Names { program, n_same }
    }

    /// As seen from a procedure.
    pub(crate) fn of_proc(program: &'p Program, proc: &'p Proc) -> Names<'p> {
        let mut names = Names::of_program(program);
        for local in &proc.locals {
            *names.n_same.entry(program.pool.var_name(*local)).or_default() += 1;
        }
        names
    }

    pub(crate) fn var(&self, var: VarId) -> String {
        let name = self.program.pool.var_name(var);
        match self.n_same.get(name) {
            Some(1) => name.to_string(),
            _ => format!("{name}'{}", var.0),
        }
    }

    /// The static object that contains an address or ends right before it, and the offset.
    pub(crate) fn object_at(&self, address: u64) -> Option<(&'p Object, u64)> {
        let object = self.program.objects.iter().find(|o| address >= o.base && address - o.base <= o.size)?;
        Some((object, address - object.base))
    }
}

fn push(out: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(out, "{line}").expect("writing to a string does not fail");
}

/// The line with the source text it stands for behind it.
fn commented(program: &Program, line: &str, span: Span) -> String {
    if !span.is_known() {
        return line.to_string();
    }
    let text = program.sources.line(span).unwrap_or("").trim();
    let place = program.sources.place(span);
    format!("{line:<60} // {place} {text}").trim_end().to_string()
}

fn write_object(out: &mut String, object: &Object) {
    let kind = match object.kind {
        ObjectKind::Data => "data".to_string(),
        ObjectKind::ReadOnly => "readonly".to_string(),
        ObjectKind::Function(proc) => format!("function {}", proc.0),
        ObjectKind::Extern => "extern".to_string(),
    };
    let fill = match object.fill {
        Fill::Zero => "0",
        Fill::Any => "any",
    };
    let cells: Vec<String> =
        object.init.iter().map(|(offset, init)| format!(", +{offset} = {}:{}", value(init), init.sort())).collect();
    push(
        out,
        format_args!(
            "object {} at {:#x}, {} bytes, {kind} = {fill}{}",
            object.name,
            object.base,
            object.size,
            cells.concat()
        ),
    );
}

fn write_region(out: &mut String, program: &Program, id: RegionId, region: &Region) {
    let objects: Vec<&str> = region.objects.iter().map(|object| program.object(*object).name.as_str()).collect();
    let sites: Vec<String> = region.sites.iter().map(|site| format!("s{}.{}", site.site.0, site.copy)).collect();
    let cell = region.cell.map_or(String::new(), |bytes| format!(", cells of {bytes}"));
    let exact = if region.is_exact { ", exact" } else { "" };
    push(
        out,
        format_args!(
            "region r{}: objects [{}], allocations [{}]{cell}{exact}",
            id.0,
            objects.join(" "),
            sites.join(" ")
        ),
    );
}

#[cfg(test)]
mod tests;
