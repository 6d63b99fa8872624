//! Cycles as texts: how each dialect spells accesses, fences and dependencies.

use super::{Cycle, Event, Link, Thread};
use ir::litmus::Dialect;
use logic::Prng;
use std::fmt::Write;

/// What a dialect has to choose from.
pub(crate) struct Forms {
    /// Mnemonics or orders of a read; the plain one first.
    reads: &'static [&'static str],
    /// Mnemonics or orders of a write; the plain one first.
    writes: &'static [&'static str],
    fences: &'static [&'static str],
    has_dependencies: bool,
    has_control_fence: bool,
}

/// What a dialect has to choose from.
pub(crate) fn forms(dialect: Dialect) -> Forms {
    match dialect {
        Dialect::X86 | Dialect::X86_64 => Forms {
            reads: &["MOV"],
            writes: &["MOV", "XCHG"],
            fences: &["MFENCE"],
            has_dependencies: false,
            has_control_fence: false,
        },
        Dialect::AArch64 => Forms {
            reads: &["LDR", "LDAR", "LDAPR"],
            writes: &["STR", "STLR"],
            fences: &["DMB SY", "DMB LD", "DMB ST", "DSB SY", "ISB"],
            has_dependencies: true,
            has_control_fence: true,
        },
        Dialect::Ppc => Forms {
            reads: &["lwz"],
            writes: &["stw"],
            fences: &["sync", "lwsync", "eieio", "isync"],
            has_dependencies: true,
            has_control_fence: true,
        },
        Dialect::RiscV => Forms {
            reads: &["lw", "lw.aq"],
            writes: &["sw", "sw.rl"],
            fences: &["fence rw,rw", "fence r,rw", "fence rw,w", "fence r,r", "fence w,w", "fence.tso"],
            has_dependencies: true,
            has_control_fence: true,
        },
        Dialect::C => Forms {
            reads: &["relaxed", "acquire", "seq_cst"],
            writes: &["relaxed", "release", "seq_cst"],
            fences: &["acquire", "release", "acq_rel", "seq_cst"],
            has_dependencies: true,
            has_control_fence: false,
        },
        Dialect::Kernel => Forms {
            reads: &["READ_ONCE(*@)", "smp_load_acquire(@)"],
            writes: &["WRITE_ONCE(*@, #)", "smp_store_release(@, #)"],
            fences: &["smp_mb", "smp_rmb", "smp_wmb", "synchronize_rcu"],
            has_dependencies: true,
            has_control_fence: false,
        },
        Dialect::Proto => unreachable!("no cycles are made of messages"),
    }
}

impl Forms {
    /// A form of an access; the plain one half of the time.
    pub(super) fn pick(&self, is_write: bool, random: &mut Prng) -> usize {
        let forms = if is_write { self.writes } else { self.reads };
        if random.index(2) == 0 { 0 } else { random.index(forms.len()) }
    }

    /// A link between two events that the dialect has.
    pub(super) fn link(&self, from_write: bool, to_write: bool, random: &mut Prng) -> Link {
        let mut links = vec![Link::Order];
        links.extend((0..self.fences.len()).map(Link::Fence));
        if self.has_dependencies && !from_write {
            links.extend([Link::Address, Link::Control]);
            if to_write {
                links.push(Link::Data);
            }
            if self.has_control_fence {
                links.push(Link::ControlFence);
            }
        }
        links[random.index(links.len())]
    }
}

/// A dialect in the name of a file.
pub(crate) fn short_name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::X86 | Dialect::X86_64 => "x86",
        Dialect::AArch64 => "aarch64",
        Dialect::Ppc => "ppc",
        Dialect::RiscV => "riscv",
        Dialect::C => "c11",
        Dialect::Kernel => "kernel",
        Dialect::Proto => "proto",
    }
}

fn location(index: usize) -> &'static str {
    ["x", "y", "z", "w"][index]
}

/// The text of a test.
pub(crate) fn text(cycle: &Cycle, dialect: Dialect, name: &str) -> String {
    let mut text = format!("{} {name}\n", dialect.name());
    let columns: Vec<Vec<String>> = cycle.threads.iter().map(|thread| code(thread, dialect)).collect();
    if dialect.is_c() {
        text.push_str("{ }\n");
        for (index, lines) in columns.iter().enumerate() {
            let kind = if dialect == Dialect::C { "atomic_int" } else { "int" };
            let parameters: Vec<String> =
                (0..cycle.n_locations).map(|index| format!("{kind} *{}", location(index))).collect();
            let _ = writeln!(text, "\nP{index}({}) {{\n  {}\n}}", parameters.join(", "), lines.join("\n  "));
        }
    } else {
        text.push_str("{\n");
        for (index, thread) in cycle.threads.iter().enumerate() {
            let _ = writeln!(text, "{}", initial(thread, index, dialect));
        }
        text.push_str("}\n");
        let heads: Vec<String> = (0..columns.len()).map(|index| format!("P{index}")).collect();
        let _ = writeln!(text, " {} ;", heads.join(" | "));
        let n_rows = columns.iter().map(Vec::len).max().unwrap_or(0);
        for row in 0..n_rows {
            let cells: Vec<&str> = columns.iter().map(|lines| lines.get(row).map_or("", String::as_str)).collect();
            let _ = writeln!(text, " {} ;", cells.join(" | "));
        }
    }
    let _ = writeln!(text, "exists ({})", condition(cycle, dialect));
    text
}

/// The registers that hold the addresses of a thread.
/// Whether inline assembly knows the form of an access.
pub(super) fn has_instruction(dialect: Dialect, event: &Event) -> bool {
    match dialect {
        // Annotated loads and stores are a fiction of litmus tests.
        Dialect::RiscV => false,
        Dialect::AArch64 => event.is_write || event.form < 2,
        _ => true,
    }
}

/// A C program whose threads are inline assembly.
pub(super) fn program(cycle: &Cycle, dialect: Dialect) -> String {
    let mut text = String::from("#include <assert.h>\n#include <pthread.h>\n\n");
    (0..cycle.n_locations).for_each(|index| text.push_str(&format!("int {};\n", location(index))));
    let (mut threads, mut parts) = (String::new(), Vec::new());
    for (number, thread) in cycle.threads.iter().enumerate() {
        let mut lines = vec!["int v0, v1;".to_string()];
        let second = thread.second.map(|(_, event)| event);
        lines.push(statement(dialect, 0, &thread.first));
        if let Some((Link::Fence(index), _)) = thread.second {
            lines
                .push(format!("__asm__ volatile(\"{}\" ::: \"memory\");", forms(dialect).fences[index].to_lowercase()));
        }
        lines.extend(second.iter().map(|event| statement(dialect, 1, event)));
        for (position, event) in [(0, Some(thread.first)), (1, second)] {
            if let Some(event) = event.filter(|event| !event.is_write) {
                text.push_str(&format!("int r{number}{position};\n"));
                // Only now, so that nothing in between depends on it.
                lines.push(format!("r{number}{position} = v{position};"));
                parts.push(format!("r{number}{position} == {}", event.value));
            }
        }
        let _ = write!(
            threads,
            "\nvoid *P{number}(void *unused) {{\n    {}\n    return unused;\n}}\n",
            lines.join("\n    ")
        );
    }
    parts.extend(cycle.twice.iter().map(|index| format!("{} == 2", location(*index))));
    let _ = write!(text, "{threads}\nint main(void) {{\n    pthread_t thread[{}];\n", cycle.threads.len());
    for number in 0..cycle.threads.len() {
        let _ = writeln!(text, "    pthread_create(&thread[{number}], 0, P{number}, 0);");
    }
    for number in 0..cycle.threads.len() {
        let _ = writeln!(text, "    pthread_join(thread[{number}], 0);");
    }
    let _ = write!(text, "    assert(!({}));\n    return 0;\n}}\n", parts.join(" && "));
    text
}

/// An access as one statement of inline assembly; what it reads goes to a local variable.
fn statement(dialect: Dialect, position: usize, event: &Event) -> String {
    let forms = forms(dialect);
    let name = if event.is_write { forms.writes[event.form] } else { forms.reads[event.form] }.to_lowercase();
    let place = location(event.location);
    let text = match (dialect, event.is_write) {
        (Dialect::X86 | Dialect::X86_64, false) => {
            return format!("__asm__ volatile(\"movl %1, %0\" : \"=r\"(v{position}) : \"m\"({place}) : \"memory\");");
        }
        (Dialect::X86 | Dialect::X86_64, true) => {
            return format!(
                "{{ int v = {}; __asm__ volatile(\"{name}l %0, %1\" : \"+r\"(v), \"+m\"({place}) : : \"memory\"); }}",
                event.value
            );
        }
        (Dialect::AArch64, false) => format!("{name} %w0, [%1]"),
        (Dialect::AArch64, true) => format!("{name} %w1, [%0]"),
        (_, false) => format!("{name} %0, 0(%1)"),
        (_, true) => format!("{name} %1, 0(%0)"),
    };
    if event.is_write {
        format!("__asm__ volatile(\"{text}\" : : \"r\"(&{place}), \"r\"({}) : \"memory\");", event.value)
    } else {
        format!("__asm__ volatile(\"{text}\" : \"=r\"(v{position}) : \"r\"(&{place}) : \"memory\");")
    }
}

fn initial(thread: &Thread, number: usize, dialect: Dialect) -> String {
    let Some((first, second)) = address_registers(dialect) else {
        return String::new();
    };
    let mut text = format!("{number}:{first}={};", location(thread.first.location));
    if let Some((_, event)) = &thread.second {
        let _ = write!(text, " {number}:{second}={};", location(event.location));
    }
    text
}

fn address_registers(dialect: Dialect) -> Option<(&'static str, &'static str)> {
    match dialect {
        Dialect::AArch64 => Some(("X1", "X3")),
        Dialect::Ppc => Some(("r1", "r3")),
        Dialect::RiscV => Some(("x11", "x13")),
        Dialect::X86 | Dialect::X86_64 | Dialect::C | Dialect::Kernel | Dialect::Proto => None,
    }
}

/// The registers that the two reads of a thread go to, as the condition names them.
fn result_registers(dialect: Dialect) -> [&'static str; 2] {
    match dialect {
        Dialect::X86 | Dialect::X86_64 => ["EAX", "EBX"],
        Dialect::AArch64 => ["X0", "X2"],
        Dialect::Ppc => ["r10", "r12"],
        Dialect::RiscV => ["x10", "x12"],
        Dialect::C | Dialect::Kernel | Dialect::Proto => ["r0", "r1"],
    }
}

fn condition(cycle: &Cycle, dialect: Dialect) -> String {
    let [first, second] = result_registers(dialect);
    let mut parts = Vec::new();
    for (number, thread) in cycle.threads.iter().enumerate() {
        let events = [(first, Some(thread.first)), (second, thread.second.map(|(_, event)| event))];
        for (register, event) in events {
            if let Some(event) = event.filter(|event| !event.is_write) {
                parts.push(format!("{number}:{register}={}", event.value));
            }
        }
    }
    parts.extend(cycle.twice.iter().map(|index| format!("{}=2", location(*index))));
    parts.join(" /\\ ")
}

/// The lines of a thread.
fn code(thread: &Thread, dialect: Dialect) -> Vec<String> {
    let mut lines = Vec::new();
    access(&mut lines, dialect, 0, &thread.first, Link::Order);
    if let Some((link, event)) = &thread.second {
        if let Link::Fence(index) = link {
            let fence = forms(dialect).fences[*index];
            lines.push(match dialect {
                Dialect::C => format!("atomic_thread_fence(memory_order_{fence});"),
                Dialect::Kernel => format!("{fence}();"),
                _ => fence.to_string(),
            });
        }
        access(&mut lines, dialect, 1, event, *link);
    }
    lines
}

/// Adds an access, the first or the second of its thread, that is linked to the one before.
fn access(lines: &mut Vec<String>, dialect: Dialect, position: usize, event: &Event, link: Link) {
    match dialect {
        Dialect::X86 | Dialect::X86_64 => x86(lines, position, event),
        Dialect::AArch64 => aarch64(lines, position, event, link),
        Dialect::Ppc => ppc(lines, position, event, link),
        Dialect::RiscV => riscv(lines, position, event, link),
        Dialect::C | Dialect::Kernel | Dialect::Proto => c(lines, dialect, position, event, link),
    }
}

fn x86(lines: &mut Vec<String>, position: usize, event: &Event) {
    let place = location(event.location);
    let register = ["EAX", "EBX"][position];
    match (event.is_write, event.form) {
        (false, _) => lines.push(format!("MOV {register},[{place}]")),
        (true, 0) => lines.push(format!("MOV [{place}],${}", event.value)),
        (true, _) => {
            lines.push(format!("MOV {},${}", ["ECX", "EDX"][position], event.value));
            lines.push(format!("XCHG [{place}],{}", ["ECX", "EDX"][position]));
        }
    }
}

fn aarch64(lines: &mut Vec<String>, position: usize, event: &Event, link: Link) {
    let forms = forms(Dialect::AArch64);
    let (register, base) = (["W0", "W2"][position], ["X1", "X3"][position]);
    let mut address = format!("[{base}]");
    let mut value = format!("MOV {register},#{}", event.value);
    match link {
        Link::Address => {
            lines.push("EOR W4,W0,W0".to_string());
            lines.push(format!("ADD X5,{base},W4,SXTW"));
            address = "[X5]".to_string();
        }
        Link::Data => {
            lines.push("EOR W4,W0,W0".to_string());
            value = format!("ADD {register},W4,#{}", event.value);
        }
        Link::Control | Link::ControlFence => {
            lines.push("CBNZ W0,next".to_string());
            lines.push("next:".to_string());
            if link == Link::ControlFence {
                lines.push("ISB".to_string());
            }
        }
        Link::Order | Link::Fence(_) => {}
    }
    if event.is_write {
        lines.push(value);
        lines.push(format!("{} {register},{address}", forms.writes[event.form]));
    } else {
        lines.push(format!("{} {register},{address}", forms.reads[event.form]));
    }
}

fn ppc(lines: &mut Vec<String>, position: usize, event: &Event, link: Link) {
    let (register, base) = (["r10", "r12"][position], ["r1", "r3"][position]);
    let mut form = (if event.is_write { "stw" } else { "lwz" }, format!("0({base})"));
    let mut value = format!("li {register},{}", event.value);
    match link {
        Link::Address => {
            lines.push("xor r14,r10,r10".to_string());
            form = (if event.is_write { "stwx" } else { "lwzx" }, format!("r14,{base}"));
        }
        Link::Data => {
            lines.push("xor r14,r10,r10".to_string());
            value = format!("addi {register},r14,{}", event.value);
        }
        Link::Control | Link::ControlFence => {
            lines.extend(["cmpw r10,r10", "beq next", "next:"].map(String::from));
            if link == Link::ControlFence {
                lines.push("isync".to_string());
            }
        }
        Link::Order | Link::Fence(_) => {}
    }
    if event.is_write {
        lines.push(value);
    }
    lines.push(format!("{} {register},{}", form.0, form.1));
}

fn riscv(lines: &mut Vec<String>, position: usize, event: &Event, link: Link) {
    let forms = forms(Dialect::RiscV);
    let (register, mut base) = (["x10", "x12"][position], ["x11", "x13"][position]);
    let mut value = format!("li {register},{}", event.value);
    match link {
        Link::Address => {
            lines.push("xor x14,x10,x10".to_string());
            lines.push(format!("add x15,{base},x14"));
            base = "x15";
        }
        Link::Data => {
            lines.push("xor x14,x10,x10".to_string());
            value = format!("ori {register},x14,{}", event.value);
        }
        Link::Control | Link::ControlFence => {
            lines.extend(["bne x10,x0,next", "next:"].map(String::from));
            if link == Link::ControlFence {
                lines.push("fence.i".to_string());
            }
        }
        Link::Order | Link::Fence(_) => {}
    }
    if event.is_write {
        lines.push(value);
    }
    let form = if event.is_write { forms.writes[event.form] } else { forms.reads[event.form] };
    lines.push(format!("{form} {register},0({base})"));
}

fn c(lines: &mut Vec<String>, dialect: Dialect, position: usize, event: &Event, link: Link) {
    let forms = forms(dialect);
    let name = location(event.location);
    let place = if link == Link::Address { format!("({name} + (r0 - r0))") } else { name.to_string() };
    let value = if link == Link::Data { format!("{} + (r0 - r0)", event.value) } else { event.value.to_string() };
    let form = if event.is_write { forms.writes[event.form] } else { forms.reads[event.form] };
    let call = match (dialect, event.is_write) {
        (Dialect::Kernel, _) => form.replace('@', &place).replace('#', &value),
        (_, true) => format!("atomic_store_explicit({place}, {value}, memory_order_{form})"),
        (_, false) => format!("atomic_load_explicit({place}, memory_order_{form})"),
    };
    let register = ["r0", "r1"][position];
    let access = if event.is_write { format!("{call};") } else { format!("{register} = {call};") };
    if link == Link::Control {
        // Whatever was read, the access happens; but only after the condition is known.
        lines.push(format!("if (r0 == r0) {{ {access} }}"));
    } else {
        lines.push(access);
    }
}
