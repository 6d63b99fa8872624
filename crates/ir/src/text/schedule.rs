//! How is an execution kept, so that it can be run again? Its choices as lines: who takes which edge with which inputs, and when stores reach memory.
//!
//! Unlike the other texts this one is read back. It names procedures and edges of the lowered program by their numbers, so it means something only together with that program;
//! whoever keeps it keeps a mark of the program beside it. A step is `THREAD PROCEDURE.EDGE`, and then for each input `STATEMENT=VALUE`; a store that reaches memory is
//! `commit STEP STATEMENT`. Before them stand what goes wrong (`violation data race`) and, where they matter, the model and where objects lie.
//!
//! Graphs of executions under axioms are not kept: their steps have no order that could be run.

use crate::memory::Placement;
use crate::model::Model;
use crate::program::{EdgeId, EdgeRef, ProcId};
use crate::property::Property;
use crate::stmt::SiteId;
use crate::verdict::{Commit, Step, Trace};
use logic::{BitVec, Value};

/// The choices of an execution, line by line; nothing if its order is that of a graph, or an input has no short form.
pub fn schedule(trace: &Trace) -> Option<Vec<String>> {
    if trace.graph.is_some() {
        return None;
    }
    let mut lines = vec![format!("violation {}", trace.violation.describe())];
    lines.extend(trace.model.map(|model| format!("model {model}")));
    match trace.placement {
        Placement::Apart => {}
        Placement::Downwards { by } => lines.push(format!("objects downwards {by}")),
        Placement::Again { by } => lines.push(format!("objects again {by}")),
    }
    let mut commits = trace.commits.iter().peekable();
    for (number, step) in trace.steps.iter().enumerate() {
        while let Some(commit) = commits.next_if(|commit| commit.after <= number) {
            lines.push(format!("commit {} {}", commit.step, commit.site.0));
        }
        let mut line = format!("{} {}.{}", step.thread, step.edge.proc.index(), step.edge.edge.index());
        for (site, value) in &step.inputs {
            line += &format!(" {}={}", site.0, written(value)?);
        }
        lines.push(line);
    }
    lines.extend(commits.map(|commit| format!("commit {} {}", commit.step, commit.site.0)));
    Some(lines)
}

fn written(value: &Value) -> Option<String> {
    Some(match value {
        Value::Bool(value) => value.to_string(),
        Value::Bv(bits) => format!("{}:{:#x}", bits.width(), bits.to_u128()?),
        Value::F32(bits) => format!("f32:{bits:#x}"),
        Value::F64(bits) => format!("f64:{bits:#x}"),
        Value::Array(_) => return None,
    })
}

/// The execution that lines tell of; an error names the line that is none.
pub fn read_schedule(lines: &[String]) -> Result<Trace, String> {
    let mut trace = None;
    for (number, line) in lines.iter().enumerate() {
        let problem = || format!("line {} of the schedule cannot be read: `{}`", number + 1, shown(line));
        match (&mut trace, line.strip_prefix("violation ")) {
            (None, Some(name)) => {
                let property = Property::ALL.into_iter().find(|property| property.describe() == name);
                trace = Some(Trace::new(property.ok_or_else(problem)?, Vec::new()));
            }
            (Some(trace), None) => read_line(trace, line).ok_or_else(problem)?,
            _ => return Err(problem()),
        }
    }
    trace.ok_or_else(|| "the schedule is empty".to_string())
}

/// As much of a line as a message can hold.
fn shown(line: &str) -> String {
    let printable = |letter: char| if letter.is_control() { ' ' } else { letter };
    line.chars().take(60).map(printable).collect()
}

fn read_line(trace: &mut Trace, line: &str) -> Option<()> {
    let words: Vec<&str> = line.split(' ').collect();
    match words.as_slice() {
        ["model", name] => trace.model = Some(Model::named(name)?),
        ["objects", "downwards", by] => trace.placement = Placement::Downwards { by: by.parse().ok()? },
        ["objects", "again", by] => trace.placement = Placement::Again { by: by.parse().ok()? },
        ["commit", step, site] => {
            let (step, site) = (step.parse().ok()?, SiteId(site.parse().ok()?));
            trace.commits.push(Commit { after: trace.steps.len(), step, site });
        }
        [thread, edge, inputs @ ..] => {
            let (proc, edge) = edge.split_once('.')?;
            let edge = EdgeRef { proc: ProcId(proc.parse().ok()?), edge: EdgeId(edge.parse().ok()?) };
            let inputs = inputs.iter().map(|input| read_input(input)).collect::<Option<Vec<_>>>()?;
            trace.steps.push(Step { thread: thread.parse().ok()?, edge, inputs });
        }
        _ => return None,
    }
    Some(())
}

fn read_input(text: &str) -> Option<(SiteId, Value)> {
    let (site, value) = text.split_once('=')?;
    let hex = |digits: &str| u128::from_str_radix(digits.strip_prefix("0x")?, 16).ok();
    let value = match value.split_once(':') {
        None => Value::Bool(value.parse().ok()?),
        Some(("f32", digits)) => Value::F32(hex(digits)?.try_into().ok()?),
        Some(("f64", digits)) => Value::F64(hex(digits)?.try_into().ok()?),
        Some((width, digits)) => {
            let width: u32 = width.parse().ok().filter(|width| (1..=4096).contains(width))?;
            Value::Bv(BitVec::from_u128(width, hex(digits)?))
        }
    };
    Some((SiteId(site.parse().ok()?), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some_trace() -> Trace {
        let edge = EdgeRef { proc: ProcId(2), edge: EdgeId(7) };
        let inputs = vec![
            (SiteId(3), Value::bv(32, 0xffff_fff6)),
            (SiteId(4), Value::Bool(true)),
            (SiteId(5), Value::F64(1.5f64.to_bits())),
        ];
        let steps = vec![Step { thread: 0, edge, inputs }, Step { thread: 1, edge, inputs: Vec::new() }];
        let mut trace = Trace::new(Property::Race, steps);
        trace.commits =
            vec![Commit { after: 1, step: 0, site: SiteId(3) }, Commit { after: 2, step: 1, site: SiteId(9) }];
        trace.model = Some(Model::Pso);
        trace.placement = Placement::Again { by: 8 };
        trace
    }

    #[test]
    fn what_is_written_is_read() {
        let trace = some_trace();
        let lines = schedule(&trace).expect("it has an order");
        assert_eq!(lines[0], "violation data race");
        assert_eq!(lines[3], "0 2.7 3=32:0xfffffff6 4=true 5=f64:0x3ff8000000000000");
        assert_eq!(read_schedule(&lines), Ok(trace));
    }

    #[test]
    fn what_is_none_is_refused_with_its_line() {
        let good = schedule(&some_trace()).expect("it has an order");
        for bad in ["", "1", "x 2.7", "1 2", "1 2.7 3", "1 2.7 3=0:0x1", "commit 1", "violation data race", "model no"]
        {
            let mut lines = good.clone();
            lines.push(bad.to_string());
            let error = read_schedule(&lines).expect_err("it is none");
            assert!(error.starts_with(&format!("line {} of the schedule", lines.len())), "{bad}: {error}");
        }
        assert!(read_schedule(&good[1..]).is_err());
        assert!(read_schedule(&[]).is_err());
    }
}
