//! What is said at once? The parts of an object that are written one after the other in one statement, as an initialiser or a copy does, make one line,
//! and characters that follow each other make a text.

use crate::story::Effect;

/// So many parts of one object are told together.
const TOGETHER: usize = 3;
/// So many parts are shown.
const SHOWN: usize = 12;

/// The effects of a row in words.
pub(super) fn texts(effects: &[Effect]) -> Vec<String> {
    let mut texts = Vec::new();
    let mut at = 0;
    while at < effects.len() {
        let n = effects[at..].iter().take_while(|effect| goes_on(&effects[at], effect)).count().max(1);
        match together(&effects[at..at + n]) {
            Some(text) => texts.push(text),
            None => texts.extend(effects[at..at + n].iter().map(Effect::text)),
        }
        at += n;
    }
    texts
}

/// A part of an object with its value, and whether it was read.
fn part(effect: &Effect) -> Option<(&str, &str, bool)> {
    match effect {
        Effect::Write { name, new, .. } => Some((name, new, false)),
        Effect::Read { name, value, .. } => Some((name, value, true)),
        _ => None,
    }
}

/// The name of the object in that of its part.
fn object(name: &str) -> &str {
    let end = name.find(['.', '[']).into_iter().chain(name.find("->")).min();
    &name[..end.unwrap_or(name.len())]
}

fn goes_on(first: &Effect, next: &Effect) -> bool {
    match (part(first), part(next)) {
        (Some((a, _, a_is_read)), Some((b, _, b_is_read))) => object(a) == object(b) && a_is_read == b_is_read,
        _ => false,
    }
}

/// Parts of one object in one line, if they are enough or make a text.
fn together(effects: &[Effect]) -> Option<String> {
    let parts: Vec<(&str, &str, bool)> = effects.iter().filter_map(part).collect();
    let (first, _, is_read) = *parts.first()?;
    let name = object(first);
    let writers: Vec<Option<usize>> = effects.iter().filter_map(written_at).collect();
    let is_one_writer = writers.windows(2).all(|pair| pair[0] == pair[1]);
    let told = told_parts(&parts, name);
    let has_text = told.iter().any(|(_, value)| value.starts_with('"'));
    if parts.len() < TOGETHER && !has_text || parts.iter().any(|(part, ..)| *part == name) || !is_one_writer {
        return None;
    }
    let source = match writers.first() {
        Some(Some(step)) => format!(" (written at step {step})"),
        _ => String::new(),
    };
    let verb = if is_read { "reads " } else { "" };
    if let [(path, value)] = told.as_slice() {
        return Some(format!("{verb}{name}{path} = {value}{source}"));
    }
    let is_whole = told.iter().enumerate().all(|(at, (path, _))| *path == format!("[{at}]"));
    let word = |(path, value): &(String, String)| match is_whole {
        true => value.clone(),
        false => format!("{} = {value}", path.trim_start_matches("->").trim_start_matches('.')),
    };
    let mut words: Vec<String> = told.iter().take(SHOWN).map(word).collect();
    if told.len() > SHOWN {
        words.push(format!("… {} more", told.len() - SHOWN));
    }
    Some(format!("{verb}{name} = {{{}}}{source}", words.join(", ")))
}

fn written_at(effect: &Effect) -> Option<Option<usize>> {
    match effect {
        Effect::Read { written_at, .. } => Some(*written_at),
        _ => None,
    }
}

/// The paths in the object with their values; characters that follow each other are one text.
fn told_parts(parts: &[(&str, &str, bool)], name: &str) -> Vec<(String, String)> {
    let mut told = Vec::new();
    let mut at = 0;
    while at < parts.len() {
        let run = characters(&parts[at..]);
        if run.len() > 1 && run.iter().any(|c| *c != 0) {
            let end = run.iter().position(|c| *c == 0).unwrap_or(run.len());
            let text: String = run[..end].iter().map(|c| *c as char).collect();
            let array = parts[at].0.rsplit_once('[').map_or(name, |(array, _)| array);
            told.push((array[name.len()..].to_string(), format!("\"{text}\"")));
            at += run.len();
        } else {
            told.push((parts[at].0[name.len()..].to_string(), parts[at].1.to_string()));
            at += 1;
        }
    }
    told
}

/// The characters that the first parts are, one element of an array after the other.
fn characters(parts: &[(&str, &str, bool)]) -> Vec<u8> {
    let element = |name: &str| -> Option<(String, u64)> {
        let (array, index) = name.strip_suffix(']')?.rsplit_once('[')?;
        Some((array.to_string(), index.parse().ok()?))
    };
    let Some((array, first)) = parts.first().and_then(|(name, ..)| element(name)).filter(|(_, at)| *at == 0) else {
        return Vec::new();
    };
    let follows = |(at, (name, value, _)): (u64, &(&str, &str, bool))| {
        let is_next = element(name).is_some_and(|(other, index)| other == array && index == first + at);
        let code = value.strip_suffix('\'').map_or(*value, |quoted| quoted.split(' ').next().unwrap_or(quoted));
        let is_quoted = value.ends_with('\'');
        code.parse::<u8>().ok().filter(|code| is_next && (is_quoted || *code == 0))
    };
    (0..).zip(parts).map_while(follows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writes(parts: &[(&str, &str)]) -> Vec<String> {
        let write = |(name, new): &(&str, &str)| Effect::Write {
            name: name.to_string(),
            old: Some("0".into()),
            new: new.to_string(),
        };
        texts(&parts.iter().map(write).collect::<Vec<_>>())
    }

    #[test]
    fn initialisers_are_one_line() {
        assert_eq!(writes(&[("t[0]", "1"), ("t[1]", "2"), ("t[2]", "3")]), ["t = {1, 2, 3}"]);
        assert_eq!(writes(&[("a.x", "1"), ("a.y", "2"), ("a.z", "3")]), ["a = {x = 1, y = 2, z = 3}"]);
        assert_eq!(writes(&[("p->x", "1"), ("p->y", "2"), ("p->z", "3")]), ["p = {x = 1, y = 2, z = 3}"]);
        assert_eq!(writes(&[("a.x", "1"), ("b.y", "2"), ("a.z", "3")]).len(), 3);
    }

    #[test]
    fn characters_are_texts() {
        assert_eq!(writes(&[("s[0]", "104 'h'"), ("s[1]", "105 'i'"), ("s[2]", "0")]), ["s = \"hi\""]);
        let record = [("a.n", "1"), ("a.s[0]", "104 'h'"), ("a.s[1]", "0")];
        assert_eq!(writes(&record), ["a = {n = 1, s = \"h\"}"]);
        assert_eq!(writes(&[("s[0]", "104 'h'")]), ["s[0]: 0 → 104 'h'"]);
    }
}
