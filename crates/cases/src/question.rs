//! What shall be checked? Property names of the command line and property files (`.prp`) become a set of properties.
//!
//! A property file is read by its content, never by its name: every `CHECK( init(main()), LTL(...) )` in it counts, with
//! spaces wherever its author put them. A formula that is not known is an error that quotes it; nothing is skipped.
//! `unreach-call` covers error calls and failing assertions alike: the field's tasks use both for the same thing.

use ir::{Properties, Property};

/// What `--property` accepts, with what each word means.
pub const WORDS: &[(&str, &str, &[Property])] = &[
    ("reach", "reach_error(), __VERIFIER_error() or ERROR: is reached", &[Property::ErrorCall]),
    ("assert", "an assert fails", &[Property::Assertion]),
    ("race", "two unordered accesses to one place, at least one a write", &[Property::Race]),
    ("deadlock", "threads wait for each other for ever", &[Property::Deadlock]),
    (
        "memsafety",
        "invalid accesses, invalid frees, memory lost at the end",
        &[Property::Deref, Property::Free, Property::MemTrack],
    ),
    ("overflow", "signed arithmetic overflows", &[Property::Overflow]),
    ("division", "division by zero, or of the smallest number by -1", &[Property::Division]),
    (
        "misuse",
        "the thread library is used in a way that means nothing: unlocking what is not held, joining twice",
        &[Property::Misuse],
    ),
    ("termination", "some execution never ends (not part of `all`)", &[Property::Termination]),
    (
        "liveness",
        "threads wait in loops for ever though they have seen every write; under models in cat (not part of `all`)",
        &[Property::Liveness],
    ),
    ("memcleanup", "memory not freed at the end (not part of `all`)", &[Property::MemCleanup]),
    // The field's names for the same things.
    ("unreach-call", "reach and assert", &[Property::ErrorCall, Property::Assertion]),
    ("no-data-race", "race", &[Property::Race]),
    ("no-deadlock", "deadlock", &[Property::Deadlock]),
    ("valid-memsafety", "memsafety", &[Property::Deref, Property::Free, Property::MemTrack]),
    ("valid-deref", "invalid accesses only", &[Property::Deref]),
    ("valid-free", "invalid frees only", &[Property::Free]),
    ("valid-memtrack", "lost memory only", &[Property::MemTrack]),
    ("valid-memcleanup", "memcleanup", &[Property::MemCleanup]),
    ("no-overflow", "overflow", &[Property::Overflow]),
    ("no-misuse", "misuse", &[Property::Misuse]),
    ("no-division-by-zero", "division", &[Property::Division]),
];

/// How many of `WORDS` are our own; the rest are aliases.
pub const N_OWN_WORDS: usize = 11;

/// What a bare `ravel verify` checks: what no correct program does, whatever it is for.
pub fn default_properties() -> Properties {
    basic_properties().with(Property::Race)
}

/// Likewise without data races, for programs that live with them.
pub fn basic_properties() -> Properties {
    Properties::of(&[
        Property::ErrorCall,
        Property::Assertion,
        Property::Deadlock,
        Property::Deref,
        Property::Free,
        Property::Division,
        Property::Misuse,
    ])
}

/// What `--property all` checks: everything that is wrong in any program. Running for ever and ending without freeing
/// everything are what some programs mean to do; these are checked only when asked for by name.
pub fn all_properties() -> Properties {
    let is_wrong =
        |property: &Property| !matches!(property, Property::MemCleanup | Property::Termination | Property::Liveness);
    Property::ALL.into_iter().filter(is_wrong).fold(Properties::NONE, Properties::with)
}

/// The set that a comma-separated list of words names.
pub fn from_words(list: &str) -> Result<Properties, String> {
    let mut set = Properties::NONE;
    for word in list.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        set = set.union(match word {
            "all" => all_properties(),
            "default" => default_properties(),
            "basic" => basic_properties(),
            _ => match WORDS.iter().find(|(name, ..)| *name == word) {
                Some((_, _, properties)) => Properties::of(properties),
                None => return Err(format!("no property is called `{word}`; there are: {}", words())),
            },
        });
    }
    if set.is_empty() { Err(format!("no property is named; there are: {}", words())) } else { Ok(set) }
}

/// All our own words, for messages.
pub fn words() -> String {
    let mut words: Vec<&str> = WORDS[..N_OWN_WORDS].iter().map(|(name, ..)| *name).collect();
    words.extend(["all", "default", "basic"]);
    words.join(", ")
}

/// What a property file asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PropertyFile {
    /// What must not happen.
    pub properties: Properties,
    /// The function that `init(...)` names.
    pub entry: String,
}

/// Reads the content of a property file.
pub fn from_property_file(text: &str) -> Result<PropertyFile, String> {
    let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut file = PropertyFile { properties: Properties::NONE, entry: String::new() };
    let mut rest = dense.as_str();
    while let Some(start) = rest.find("CHECK(") {
        let body_start = start + "CHECK(".len();
        let len = closing_parenthesis(&rest[body_start..])
            .ok_or_else(|| format!("`{}` has no closing parenthesis", shorten(&rest[start..])))?;
        let body = &rest[body_start..body_start + len];
        let (entry, formula) = split_check(body).ok_or_else(|| {
            format!(
                "`CHECK({})` is not understood; a check reads `CHECK( init(main()), LTL(G ! call(reach_error())) )`",
                shorten(body)
            )
        })?;
        if !file.entry.is_empty() && file.entry != entry {
            return Err(format!("the checks start at different functions, `{}` and `{entry}`", file.entry));
        }
        file.entry = entry.to_string();
        file.properties = file.properties.union(formula_properties(formula)?);
        rest = &rest[body_start + len + 1..];
    }
    if file.properties.is_empty() {
        return Err("no `CHECK( init(main()), LTL(...) )` in it".to_string());
    }
    Ok(file)
}

/// The length of the text before the parenthesis that closes one already open.
fn closing_parenthesis(text: &str) -> Option<usize> {
    let mut depth = 1usize;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(index);
        }
    }
    None
}

/// `init(main()),LTL(F)` in its two parts.
fn split_check(body: &str) -> Option<(&str, &str)> {
    let (entry, formula) = body.strip_prefix("init(")?.split_once("()),")?;
    let formula = formula.strip_prefix("LTL(")?;
    let len = closing_parenthesis(formula)?;
    (len + 1 == formula.len()).then_some((entry, &formula[..len]))
}

/// What a formula without spaces means.
fn formula_properties(formula: &str) -> Result<Properties, String> {
    let properties: &[Property] = match formula {
        "G!call(reach_error())" | "G!call(__VERIFIER_error())" | "G!call(__assert_fail())" => {
            &[Property::ErrorCall, Property::Assertion]
        }
        "G!data-race" => &[Property::Race],
        "G!overflow" => &[Property::Overflow],
        "Gvalid-free" => &[Property::Free],
        "Gvalid-deref" => &[Property::Deref],
        "Gvalid-memtrack" => &[Property::MemTrack],
        "Gvalid-memcleanup" => &[Property::MemCleanup],
        "G!deadlock" => &[Property::Deadlock],
        "Fend" => &[Property::Termination],
        _ => return Err(format!("the formula `{}` is not one that ravel knows", shorten(formula))),
    };
    Ok(Properties::of(properties))
}

/// A piece of text that fits into a message.
fn shorten(text: &str) -> String {
    if text.chars().count() <= 80 { text.to_string() } else { text.chars().take(77).chain("...".chars()).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[Property]) {
        let file = from_property_file(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(file.properties, Properties::of(expected), "{text}");
        assert_eq!(file.entry, "main", "{text}");
    }

    #[test]
    fn property_files_are_read_by_content() {
        let reach = [Property::ErrorCall, Property::Assertion];
        check("CHECK( init(main()), LTL(G ! call(reach_error())) )\n", &reach);
        check("CHECK(init(main()),LTL(G!call( reach_error( ) )))", &reach);
        check("CHECK( init(main()), LTL(G ! data-race) )", &[Property::Race]);
        check("CHECK( init(main()), LTL(G ! overflow) )", &[Property::Overflow]);
        check("CHECK( init(main()), LTL(F end) )", &[Property::Termination]);
        check("CHECK( init(main()), LTL(G ! deadlock) )", &[Property::Deadlock]);
        check("CHECK( init(main()), LTL(G valid-memcleanup) )", &[Property::MemCleanup]);
        check(
            "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
             CHECK( init(main()), LTL(G valid-memtrack) )\n\n",
            &[Property::Free, Property::Deref, Property::MemTrack],
        );
    }

    #[test]
    fn odd_property_files_are_refused() {
        for (text, part) in [
            ("", "no `CHECK"),
            ("garbage", "no `CHECK"),
            ("CHECK( init(main()), LTL(G ! call(reach_error())", "closing parenthesis"),
            ("CHECK( init(main()), LTL(G p) )", "`Gp`"),
            ("CHECK( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )", "not understood"),
            ("CHECK(init(main()),LTL(Fend))CHECK(init(other()),LTL(Fend))", "different functions"),
        ] {
            let error = from_property_file(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn words_name_sets() {
        assert_eq!(from_words("race, deadlock"), Ok(Properties::of(&[Property::Race, Property::Deadlock])));
        assert_eq!(from_words("unreach-call"), from_words("reach,assert"));
        assert!(from_words("all").is_ok_and(|set| set.has(Property::Race) && !set.has(Property::MemCleanup)));
        assert!(from_words("tidy").is_err_and(|error| error.contains("`tidy`") && error.contains("memsafety")));
        assert!(from_words(",").is_err());
    }
}
