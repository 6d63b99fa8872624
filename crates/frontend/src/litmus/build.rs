//! Putting a litmus test together: initial values, sizes, and what is observed.
//!
//! Sizes that the text leaves open are guessed so that tests of one size stay of one size: a location has the size of the largest access that
//! obviously goes to it (the registers of the address hold their initial values), else 4 bytes; a register is observed with as many bytes as
//! the largest access of the test, at least 4. In C everything has 8 bytes.

use super::coder::{Coder, Draft, Locations, address_of, location_at};
use super::header::Header;
use super::init::{Initialised, Item, Type, Value};
use super::question::{Part, Proposition, Question, Right};
use super::{Thread, canonical_register};
use ir::litmus::expr::mask;
use ir::litmus::{
    ADDRESS_STRIDE, Dialect, Formula, Location, LocationId, Observable, Observed, Operand, Place, Reg, Test, evaluate,
};
use ir::{Diagnostic, Sources, Span};
use std::collections::BTreeMap;

/// Makes the locations that the initial state declares, in its order, so that their addresses are known.
pub(super) fn declare(items: &[Item], locations: &mut Locations) -> Result<(), Diagnostic> {
    for item in items {
        if let Initialised::Location { name, length } = &item.target {
            let id = locations.id(name, item.span)?;
            let draft = locations.get(id);
            draft.kind = item.kind.or(draft.kind);
            draft.length = length.or(draft.length);
        }
    }
    for item in items {
        if let Some(value) = &item.value {
            value_of(value, locations, item.span)?;
        }
    }
    for item in items {
        initialise(item, locations)?;
    }
    Ok(())
}

fn initialise(item: &Item, locations: &mut Locations) -> Result<(), Diagnostic> {
    match (&item.target, &item.value) {
        (Initialised::Location { name, .. }, Some(value)) => {
            let values = match value {
                Value::List(values) => {
                    values.iter().map(|value| value_of(value, locations, item.span)).collect::<Result<Vec<u64>, _>>()?
                }
                value => vec![value_of(value, locations, item.span)?],
            };
            let id = locations.id(name, item.span)?;
            let draft = locations.get(id);
            if matches!(value, Value::List(_)) && draft.length.is_none() {
                draft.length = Some(values.len());
            }
            draft.init = values;
        }
        (Initialised::Element { name, index }, Some(value)) => {
            let value = value_of(value, locations, item.span)?;
            let id = locations.id(name, item.span)?;
            let draft = locations.get(id);
            if *index as u64 >= ADDRESS_STRIDE {
                return Err(Diagnostic::error(item.span, format!("`{name}` has no element {index}")));
            }
            let length = draft.length.unwrap_or(0).max(index + 1);
            draft.length = Some(length);
            draft.init.resize(draft.init.len().max(index + 1), 0);
            draft.init[*index] = value;
        }
        _ => {}
    }
    Ok(())
}

fn value_of(value: &Value, locations: &mut Locations, span: Span) -> Result<u64, Diagnostic> {
    match value {
        Value::Number(value) => Ok(*value),
        Value::Address { name, offset } => Ok(locations.address(name, span)?.wrapping_add(*offset)),
        Value::Element { name, index } => {
            let id = locations.id(name, span)?;
            let size = locations.get(id).kind.map_or(4, |kind| kind.size);
            Ok(address_of(id).wrapping_add(index.wrapping_mul(u64::from(size))))
        }
        Value::Content { name } => {
            let id = locations.id(name, span)?;
            Ok(locations.get(id).init.first().copied().unwrap_or(0))
        }
        Value::List(values) => {
            for value in values {
                value_of(value, locations, span)?;
            }
            Ok(0)
        }
    }
}

/// Ends a thread: resolves labels and gives registers their initial values and declared types.
pub(super) fn thread(
    mut coder: Coder<'_, '_>,
    number: u32,
    dialect: Dialect,
    items: &[Item],
) -> Result<Thread, Diagnostic> {
    coder.resolve()?;
    if !dialect.is_c() {
        coder.registers.iter_mut().for_each(|register| register.size = UNKNOWN);
    }
    let named = |coder: &mut Coder<'_, '_>, name: &str, span: Span| -> Result<Reg, Diagnostic> {
        let canonical = canonical_register(dialect, name);
        let canonical = canonical.ok_or_else(|| not_a_register(name, dialect, span))?;
        let is_new = coder.find_register(&canonical).is_none();
        let reg = coder.register(&canonical);
        if is_new && !dialect.is_c() {
            coder.registers[reg.0 as usize].size = UNKNOWN;
        }
        Ok(reg)
    };
    for item in items {
        let Initialised::Register { thread, name } = &item.target else {
            continue;
        };
        if *thread != number {
            continue;
        }
        let reg = named(&mut coder, name, item.span)?;
        let value = match &item.value {
            Some(value) => Some(value_of(value, coder.locations, item.span)?),
            None => None,
        };
        let register = &mut coder.registers[reg.0 as usize];
        register.init = value.unwrap_or(register.init);
        if let Some(kind) = item.kind.filter(|_| !dialect.is_c()) {
            register.size = kind.size;
            register.signed = kind.signed;
        }
    }
    Ok(Thread { number, place: Place::default(), registers: coder.registers, code: coder.code })
}

/// The size of a register that nobody declared, until the whole test is known.
const UNKNOWN: u8 = 0;

fn not_a_register(name: &str, dialect: Dialect, span: Span) -> Diagnostic {
    Diagnostic::error(span, format!("`{name}` is not a register of {}", dialect.name()))
}

/// Puts the test together.
pub(super) fn test(
    header: Header,
    dialect: Dialect,
    items: &[Item],
    mut locations: Locations,
    mut threads: Vec<Thread>,
    question: &Question,
) -> Result<Test, Diagnostic> {
    for item in items {
        if let Initialised::Register { thread, .. } = &item.target
            && !threads.iter().any(|known| known.number == *thread)
        {
            return Err(Diagnostic::error(item.span, format!("there is no thread P{thread}")));
        }
    }
    let word = word_size(dialect, &threads);
    for register in threads.iter_mut().flat_map(|thread| &mut thread.registers) {
        if register.size == UNKNOWN {
            register.size = word;
        }
    }
    let mut observing =
        Observing { dialect, locations: &mut locations, threads: &mut threads, word, parts: BTreeMap::new() };
    for (part, kind, span) in &question.shown {
        observing.show(part, *kind, *span)?;
    }
    observing.note(&question.condition, true)?;
    if let Some(filter) = &question.filter {
        observing.note(filter, false)?;
    }
    let parts = observing.parts;
    let finished = finish_locations(dialect, &locations, &threads);
    for location in &finished {
        if location.size() > ADDRESS_STRIDE / 2 {
            return Err(Diagnostic::unsupported(
                Span::NOWHERE,
                format!("`{}` is too large for a litmus test", location.name),
            ));
        }
    }
    let mut observed: Vec<Observed> = parts.into_values().collect();
    for part in &mut observed {
        if let Observable::Memory { location, element } = part.what {
            let location = &finished[location.0 as usize];
            part.size = location.element_size;
            part.signed = location.signed;
            if element as usize >= location.init.len() {
                let message = format!("`{}` has no element {element}", location.name);
                return Err(Diagnostic::error(Span::NOWHERE, message));
            }
        }
    }
    let mut test = Test {
        name: header.name,
        dialect,
        info: header.info,
        threads: threads
            .into_iter()
            .map(|thread| ir::litmus::Thread {
                number: thread.number,
                place: thread.place,
                registers: thread.registers,
                code: thread.code,
            })
            .collect(),
        locations: finished,
        observed,
        filter: None,
        quantifier: question.quantifier,
        condition: Formula::Constant(true),
        sources: Sources::default(),
    };
    test.condition = formula(&test, &question.condition, &locations)?;
    test.filter = question.filter.as_ref().map(|filter| formula(&test, filter, &locations)).transpose()?;
    Ok(test)
}

/// The size of what nobody declared.
fn word_size(dialect: Dialect, threads: &[Thread]) -> u8 {
    if dialect.is_c() {
        return 8;
    }
    let accesses = threads.iter().flat_map(|thread| &thread.code).filter_map(|instr| instr.op.access());
    accesses.map(|(_, size)| size).max().unwrap_or(4).max(4)
}

fn finish_locations(dialect: Dialect, locations: &Locations, threads: &[Thread]) -> Vec<Location> {
    let mut largest = vec![0; locations.drafts.len()];
    for thread in threads {
        let value_of = |reg: Reg| thread.registers[reg.0 as usize].init;
        for (address, size) in thread.code.iter().filter_map(|instr| instr.op.access()) {
            let place = location_at(evaluate(address, &value_of));
            if let Some(known) = place.and_then(|id| largest.get_mut(id.0 as usize)) {
                *known = size.max(*known);
            }
        }
    }
    let finish = |(draft, largest): (&Draft, u8)| {
        let needs_more =
            draft.init.iter().any(|value| *value > u64::from(u32::MAX) && (*value as i64) < i64::from(i32::MIN));
        let element_size = match draft.kind {
            _ if dialect.is_c() => 8,
            Some(kind) => kind.size,
            None if largest > 0 => largest.max(if draft.length.is_some() { 1 } else { 4 }),
            None if needs_more => 8,
            None => 4,
        };
        let mut init: Vec<u64> = draft.init.iter().map(|value| value & mask(element_size * 8)).collect();
        init.resize(draft.length.unwrap_or(1).clamp(1, ADDRESS_STRIDE as usize), 0);
        Location {
            name: draft.name.clone(),
            element_size,
            init,
            is_array: draft.length.is_some(),
            signed: draft.kind.is_none_or(|kind| kind.signed),
            is_atomic: !draft.is_plain,
        }
    };
    locations.drafts.iter().zip(largest).map(finish).collect()
}

/// Sorts observed parts: registers by thread, then memory; names by their letters and then by their number.
type Key = (u32, String, u64, u32);

struct Observing<'o> {
    dialect: Dialect,
    locations: &'o mut Locations,
    threads: &'o mut Vec<Thread>,
    word: u8,
    parts: BTreeMap<Key, Observed>,
}

impl Observing<'_> {
    fn note(&mut self, proposition: &Proposition, shown: bool) -> Result<(), Diagnostic> {
        match proposition {
            Proposition::Constant(_) => Ok(()),
            Proposition::Equal(left, right, span) => {
                self.add(left, shown, None, *span)?;
                match right {
                    Right::Part(part) => self.add(part, shown, None, *span),
                    Right::Address { name, .. } | Right::Element { name, .. } => {
                        self.locations.id(name, *span).map(|_| ())
                    }
                    Right::Number(_) => Ok(()),
                }
            }
            Proposition::Not(inner) => self.note(inner, shown),
            Proposition::And(parts) | Proposition::Or(parts) => {
                parts.iter().try_for_each(|part| self.note(part, shown))
            }
            Proposition::Implies(left, right) => {
                self.note(left, shown)?;
                self.note(right, shown)
            }
        }
    }

    /// What `locations` lists; an array stands for all of its elements.
    fn show(&mut self, part: &Part, kind: Option<Type>, span: Span) -> Result<(), Diagnostic> {
        if let Part::Location { name, index: None } = part {
            let id = self.locations.id(name, span)?;
            if let Some(length) = self.locations.get(id).length {
                let mut elements = 0..u32::try_from(length.min(ADDRESS_STRIDE as usize)).unwrap_or(u32::MAX);
                return elements.try_for_each(|index| {
                    self.add(&Part::Location { name: name.clone(), index: Some(index) }, true, kind, span)
                });
            }
        }
        self.add(part, true, kind, span)
    }

    fn add(&mut self, part: &Part, shown: bool, kind: Option<Type>, span: Span) -> Result<(), Diagnostic> {
        let (key, what, size, signed) = match part {
            Part::Register { thread, name } => {
                let index = self.threads.iter().position(|known| known.number == *thread);
                let index = index.ok_or_else(|| Diagnostic::error(span, format!("there is no thread P{thread}")))?;
                let name =
                    canonical_register(self.dialect, name).ok_or_else(|| not_a_register(name, self.dialect, span))?;
                let word = self.word;
                let registers = &mut self.threads[index].registers;
                let reg = registers.iter().position(|register| register.name == name).unwrap_or_else(|| {
                    // A register that the code never mentions keeps its initial value, 0.
                    registers.push(ir::litmus::Register { name: name.clone(), init: 0, size: word, signed: true });
                    registers.len() - 1
                });
                let register = &mut registers[reg];
                if let Some(kind) = kind {
                    register.size = kind.size;
                    register.signed = kind.signed;
                }
                let (letters, digits) = split_name(&name);
                let what = Observable::Register { thread: index, reg: Reg(reg as u32) };
                ((*thread, letters, digits, 0), what, register.size, register.signed)
            }
            Part::Location { name, index } => {
                let id = self.locations.id(name, span)?;
                let element = index.unwrap_or(0);
                if index.is_some() && self.locations.get(id).length.is_none_or(|length| element as usize >= length) {
                    return Err(Diagnostic::error(span, format!("`{name}` has no element {element}")));
                }
                let (letters, digits) = split_name(name);
                ((u32::MAX, letters, digits, element), Observable::Memory { location: id, element }, 0, true)
            }
        };
        let entry = self.parts.entry(key).or_insert(Observed { what, size, signed, shown });
        entry.shown |= shown;
        Ok(())
    }
}

/// A name's beginning and the number at its end.
fn split_name(name: &str) -> (String, u64) {
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (letters.to_string(), name[letters.len()..].parse().unwrap_or(0))
}

fn formula(test: &Test, proposition: &Proposition, locations: &Locations) -> Result<Formula, Diagnostic> {
    let all =
        |parts: &[Proposition]| parts.iter().map(|part| formula(test, part, locations)).collect::<Result<Vec<_>, _>>();
    Ok(match proposition {
        Proposition::Constant(value) => Formula::Constant(*value),
        Proposition::Not(inner) => Formula::Not(Box::new(formula(test, inner, locations)?)),
        Proposition::And(parts) => Formula::And(all(parts)?),
        Proposition::Or(parts) => Formula::Or(all(parts)?),
        Proposition::Implies(left, right) => {
            Formula::Implies(Box::new(formula(test, left, locations)?), Box::new(formula(test, right, locations)?))
        }
        Proposition::Equal(left, right, _) => {
            let index = index_of(test, left, locations);
            let address = |name: &str| {
                let id = locations.find(name).expect("every name was noted");
                (id, address_of(id))
            };
            let value = match right {
                Right::Part(part) => {
                    let other = index_of(test, part, locations);
                    return Ok(Formula::Equal(index, Operand::Observed(other)));
                }
                Right::Number(value) => *value,
                Right::Address { name, offset } => address(name).1.wrapping_add(*offset),
                Right::Element { name, index } => {
                    let (LocationId(id), start) = address(name);
                    let size = u64::from(test.locations[id as usize].element_size);
                    start.wrapping_add(index.wrapping_mul(size))
                }
            };
            let observed = &test.observed[index];
            Formula::Equal(index, Operand::Value(observed.cut(value)))
        }
    })
}

fn index_of(test: &Test, part: &Part, locations: &Locations) -> usize {
    let matches = |observed: &Observed| match (part, observed.what) {
        (Part::Register { thread, name }, Observable::Register { thread: index, reg }) => {
            let known = &test.threads[index];
            known.number == *thread
                && canonical_register(test.dialect, name).as_deref()
                    == Some(known.registers[reg.0 as usize].name.as_str())
        }
        (Part::Location { name, index }, Observable::Memory { location, element }) => {
            locations.find(name) == Some(location) && index.unwrap_or(0) == element
        }
        _ => false,
    };
    test.observed.iter().position(matches).expect("every part was noted")
}
