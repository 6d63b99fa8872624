//! Record layouts against the system's compiler.
//!
//! Random records are laid out by us and by `cc`. What `cc` thinks is read from an object file: sizes and offsets as
//! numbers, bit-fields as the bytes of an object in which that field alone is all ones. Nothing is run, so both data
//! models can be asked wherever the assembler knows both.

use std::path::Path;
use std::process::Command;

use ir::DataModel;
use logic::Prng;

use super::super::super::typed::Unit;
use super::super::super::types::{RecordId, Type};
use super::accept;

const N_RECORDS: usize = 600;
const SLOT: usize = 512;

/// A generated record: its text and the names of its members.
struct Sample {
    text: String,
    plain: Vec<String>,
    bit_fields: Vec<String>,
}

const SCALARS: &[&str] = &[
    "char",
    "short",
    "int",
    "long",
    "long long",
    "float",
    "double",
    "long double",
    "void *",
    "_Bool",
    "_Atomic short",
    "enum e",
    "loose",
    "strict",
    "struct pair",
    "_Complex double",
];

fn sample(dice: &mut Prng, tag: &str) -> Sample {
    let mut sample = Sample { text: String::new(), plain: Vec::new(), bit_fields: Vec::new() };
    let members = members(dice, &mut sample, 0);
    let kind = if dice.below(5) == 0 { "union" } else { "struct" };
    let attributes = match dice.below(8) {
        0 | 1 => "__attribute__((packed))",
        2 => "__attribute__((aligned(16)))",
        3 => "__attribute__((packed, aligned(2)))",
        _ => "",
    };
    let pack = if dice.below(10) == 0 { 1 << dice.below(4) } else { 0 };
    let definition = format!("{kind} {tag} {{ {members} }} {attributes};\n");
    sample.text = match pack {
        0 => definition,
        _ => format!("#pragma pack(push, {pack})\n{definition}#pragma pack(pop)\n"),
    };
    sample.text.push_str(&format!("typedef {kind} {tag} t_{tag};\n"));
    sample
}

fn members(dice: &mut Prng, sample: &mut Sample, depth: u32) -> String {
    let mut text = String::new();
    for _ in 0..1 + dice.below(6) {
        let attribute = match dice.below(12) {
            0 => "__attribute__((packed))",
            1 => "__attribute__((aligned(8)))",
            2 => "__attribute__((aligned(2)))",
            _ => "",
        };
        let name = format!("f{}", sample.plain.len() + sample.bit_fields.len());
        match dice.below(10) {
            0..=4 => {
                let (ty, bits) = [
                    ("char", 8),
                    ("unsigned short", 16),
                    ("int", 32),
                    ("unsigned", 32),
                    ("long", 32),
                    ("long long", 64),
                    ("_Bool", 1),
                    ("enum e", 32),
                ][dice.below(8) as usize];
                match dice.below(8) {
                    0 => text.push_str(&format!("{ty} : 0; ")),
                    1 => text.push_str(&format!("{ty} : {}; ", 1 + dice.below(bits))),
                    _ => {
                        text.push_str(&format!("{ty} {name} : {} {attribute}; ", 1 + dice.below(bits)));
                        sample.bit_fields.push(name);
                    }
                }
            }
            5 if depth < 2 => {
                let kind = dice.pick(&["struct", "union"]);
                let inner = members(dice, sample, depth + 1);
                text.push_str(&format!("{kind} {{ {inner} }}; "));
            }
            _ => {
                let ty = dice.pick(SCALARS);
                let array =
                    if dice.below(4) == 0 && ty != "strict" { format!("[{}]", dice.below(4)) } else { String::new() };
                text.push_str(&format!("{ty} {name}{array} {attribute}; "));
                sample.plain.push(name);
            }
        }
    }
    text
}

const PRELUDE: &str = "enum e { A, B };
    typedef int loose __attribute__((aligned(1))); typedef int strict __attribute__((aligned(8)));
    struct pair { char c; long long l; };\n";

/// The object file's bytes of the section with the answers.
fn ask_compiler(samples: &[Sample], flag: &str, directory: &Path) -> Option<Vec<u8>> {
    let mut numbers = Vec::new();
    let mut slots = String::new();
    let mut contents = String::new();
    for (index, sample) in samples.iter().enumerate() {
        numbers.push(format!("sizeof(t_s{index}), _Alignof(t_s{index})"));
        numbers.extend(sample.plain.iter().map(|name| format!("__builtin_offsetof(t_s{index}, {name})")));
        for name in &sample.bit_fields {
            slots.push_str(&format!("union {{ t_s{index} s; char pad[{SLOT}]; }} s{index}_{name};\n"));
            contents.push_str(&format!(", .s{index}_{name} = {{ .s = {{ .{name} = -1 }} }}"));
        }
    }
    let text: String = samples.iter().map(|sample| sample.text.as_str()).collect();
    let numbers = numbers.join(", ");
    let program = format!(
        "{PRELUDE}{text}
        #define NUMBERS {numbers}
        unsigned numbers[] __attribute__((section(\".numbers\"))) = {{ NUMBERS }};
        struct {{ {slots} }} slots __attribute__((section(\".slots\"))) = {{ {} }};",
        contents.trim_start_matches(", ")
    );
    let source = directory.join("probe.c");
    let object = directory.join("probe.o");
    std::fs::write(&source, program).expect("the directory can be written");
    let run = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
    };
    let (source, object) = (source.to_str()?, object.to_str()?);
    let output = Command::new("cc").args(["-w", flag, "-c", source, "-o", object]).output();
    if let Ok(output) = &output {
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!message.contains("error:"), "the probe is wrong: {message}");
    }
    let is_known = output.is_ok_and(|output| output.status.success());
    let mut bytes = Vec::new();
    for section in [".numbers", ".slots"] {
        let out = directory.join("section.bin");
        let is_read = is_known && run("objcopy", &["-O", "binary", "-j", section, object, out.to_str()?]);
        if !is_read {
            return None;
        }
        bytes.extend(std::fs::read(out).ok()?);
    }
    Some(bytes)
}

fn our_answers(unit: &Unit, samples: &[Sample]) -> Vec<u8> {
    let record_of = |tag: &str| {
        let index = unit.types.records.iter().position(|record| record.tag.as_deref() == Some(tag));
        RecordId(index.expect("every sample was defined") as u32)
    };
    let mut numbers = Vec::new();
    let mut slots = Vec::new();
    for (index, sample) in samples.iter().enumerate() {
        let id = record_of(&format!("s{index}"));
        let record = unit.types.record(id);
        numbers.extend([record.size, record.align]);
        for name in &sample.plain {
            numbers.push(find(unit, id, name).expect("the member is there").0);
        }
        for name in &sample.bit_fields {
            let (offset, bits) = find(unit, id, name).expect("the member is there");
            let (first, width) = bits.expect("it is a bit-field");
            let mut slot = vec![0u8; SLOT.next_multiple_of(record.align as usize)];
            for bit in first..first + width {
                slot[offset as usize + bit as usize / 8] |= 1 << (bit % 8);
            }
            slots.extend(slot);
        }
    }
    let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| (*number as u32).to_le_bytes()).collect();
    bytes.extend(slots);
    bytes
}

type Place = (u64, Option<(u32, u32)>);

fn find(unit: &Unit, id: RecordId, name: &str) -> Option<Place> {
    for field in unit.types.record(id).fields.as_ref()? {
        match (&field.name, unit.types.get(field.ty.ty)) {
            (Some(own), _) if own == name => return Some((field.offset, field.bits)),
            (None, Type::Record(inner)) => {
                if let Some((offset, bits)) = find(unit, *inner, name) {
                    return Some((offset + field.offset, bits));
                }
            }
            _ => {}
        }
    }
    None
}

fn compare(flag: &str, model: DataModel) {
    let directory = std::env::temp_dir().join(format!("ravel-layouts-{}-{model:?}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("temporary files can be made");
    let mut dice = Prng::new(24);
    let mut samples: Vec<Sample> = (0..N_RECORDS).map(|index| sample(&mut dice, &format!("s{index}"))).collect();
    let text: String = samples.iter().map(|sample| sample.text.as_str()).collect();
    let unit = accept(&format!("{PRELUDE}{text}"), model);
    let theirs = ask_compiler(&samples, flag, &directory);
    let is_asked = theirs.is_some();
    if !is_asked {
        println!("skipped: cc cannot assemble with {flag}");
    } else if theirs != Some(our_answers(&unit, &samples)) {
        // Find the first record that differs, which is what a person wants to see.
        let all = std::mem::take(&mut samples);
        for (index, sample) in all.into_iter().enumerate() {
            let text = sample.text.replace(&format!("s{index}"), "s0");
            let one = [Sample { text: text.clone(), ..sample }];
            let unit = accept(&format!("{PRELUDE}{text}"), model);
            let ours = our_answers(&unit, &one);
            let theirs = ask_compiler(&one, flag, &directory).expect("it could be asked before");
            let differing: Vec<_> = (0..ours.len().max(theirs.len()))
                .map(|at| (at, ours.get(at), theirs.get(at)))
                .filter(|(_, ours, theirs)| ours != theirs)
                .take(8)
                .collect();
            assert!(differing.is_empty(), "{model:?}: {text} differs at (byte, ours, theirs) {differing:?}");
        }
        panic!("the layouts differ together but not one by one");
    }
    std::fs::remove_dir_all(&directory).expect("temporary files can be removed");
}

#[test]
fn layouts_agree_with_the_compiler_in_64_bits() {
    compare("-m64", DataModel::Lp64);
}

#[test]
fn layouts_agree_with_the_compiler_in_32_bits() {
    compare("-m32", DataModel::Ilp32);
}
