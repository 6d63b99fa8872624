//! What does a witness say about where it comes from? The program by name and hash, the question, the time.

use super::Kind;
use crate::request::Request;
use report::witness::{Envelope, Witness, graphml, specification, witness, yaml};
use report::{Answer, Outcome};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The form that a file's ending asks for; an error if there is none, or the language has no witnesses.
pub(super) fn kind(path: &Path, request: &Request) -> Result<Kind, String> {
    if !request.language.has_witnesses {
        return Err(format!("--witness: there is no form of witnesses for {}", request.language.name));
    }
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("graphml") => Ok(Kind::Graph),
        Some("yml" | "yaml") => Ok(Kind::Sequence),
        _ => Err(format!("--witness {}: a witness ends in .graphml or .yml", path.display())),
    }
}

/// The witness of an answer; an error in words if it has none.
pub(super) fn text(kind: Kind, answer: &Answer, inputs: &[PathBuf], entry: &str) -> Result<String, String> {
    let found = witness(answer, kind == Kind::Sequence)?;
    let mut files = Vec::new();
    for input in inputs {
        let bytes = std::fs::read(input).map_err(|error| format!("{}: {error}", input.display()))?;
        files.push((input.display().to_string(), sha256(&bytes)));
    }
    let mut asked: Vec<String> = match &answer.outcome {
        Outcome::Unsafe { ending, .. } => specification(ending.property, entry).into_iter().collect(),
        _ => answer.properties.iter().filter_map(|property| specification(property, entry)).collect(),
    };
    asked.dedup();
    if asked.is_empty() {
        return Err(format!("no property file has words for {}", what(&found)));
    }
    let data_model = answer.data_model.ok_or("nobody knows the sizes of its types")?;
    let mut envelope = Envelope {
        files,
        data_model,
        uuid: String::new(),
        creation_time: iso(SystemTime::now()),
        specification: asked.join("\n"),
    };
    let form = if kind == Kind::Graph { graphml } else { yaml };
    envelope.uuid = uuid(&Sha256::digest(form(&envelope, &found)));
    Ok(form(&envelope, &found))
}

fn what(found: &Witness) -> &'static str {
    match found {
        Witness::Violation { property, .. } => property.describe(),
        Witness::Correctness(..) => "what was asked",
    }
}

/// The SHA-256 of a text, as witnesses write it.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A name made of a hash, in the form of a UUID of version 8, whose bits are the maker's choice.
fn uuid(hash: &[u8]) -> String {
    let text = hex(hash);
    format!("{}-{}-8{}-a{}-{}", &text[..8], &text[8..12], &text[13..16], &text[17..20], &text[20..32])
}

/// A time in UTC as ISO 8601 has it.
fn iso(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// The date so many days after 1970 began.
fn date(days: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let (mut year, mut left) = (1970, days);
    while left >= 365 + u64::from(is_leap(year)) {
        left -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while left >= lengths[month] {
        left -= lengths[month];
        month += 1;
    }
    (year, month as u64 + 1, left + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_102_444_800, "2100-01-01T00:00:00Z"),
        ] {
            assert_eq!(iso(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
    }

    #[test]
    fn names_have_the_form_of_a_uuid() {
        let name = uuid(&Sha256::digest(b""));
        assert_eq!(name, "e3b0c442-98fc-8c14-aafb-f4c8996fb924");
    }
}
