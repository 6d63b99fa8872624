//! What is shown of an engine, and what can be set about it? Its name, knobs with kinds, and settings that were checked against them.
//!
//! An engine declares its knobs; `Settings::of` reads names and values and refuses what is not declared, naming what is. So an engine that looks at a
//! setting finds one of the values that it has declared, and a misspelt one never measures something else.

use std::collections::BTreeMap;

/// What the command line shows of an engine.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub describe: &'static str,
    /// Its options.
    pub knobs: &'static [Knob],
}

/// An option of an engine, set by `--engine-name.knob value`.
#[derive(Clone, Copy, Debug)]
pub struct Knob {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What it is when nobody says anything.
    pub default: &'static str,
    /// What it does.
    pub help: &'static str,
}

/// What a knob may be.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// `on` or `off`.
    Flag,
    /// A whole number, at least zero.
    Number,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Text of a form of its own, which may be given several times: how it is described, and what is wrong with a text, if anything.
    Form(&'static str, fn(&str) -> Option<String>),
}

/// A value that a knob may have.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Value {
    Flag(bool),
    Number(u64),
    Word(&'static str),
    Text(String),
}

impl Knob {
    /// Its values, as they are typed: `none|source`, `N`.
    pub fn values(&self) -> String {
        match self.kind {
            Kind::Flag => "on|off".to_string(),
            Kind::Number => "N".to_string(),
            Kind::Choice(words) => words.join("|"),
            Kind::Form(form, _) => form.to_string(),
        }
    }

    /// What is wrong with a value, if anything.
    pub fn misspelt(&self, text: &str) -> Option<String> {
        self.read(text).err()
    }

    fn read(&self, text: &str) -> Result<Value, String> {
        match self.kind {
            Kind::Flag => match text {
                "on" => Ok(Value::Flag(true)),
                "off" => Ok(Value::Flag(false)),
                _ => Err(format!("`{text}` is neither on nor off")),
            },
            Kind::Number => text.parse().map(Value::Number).map_err(|_| format!("`{text}` is not a number")),
            Kind::Choice(words) => match words.iter().find(|word| **word == text) {
                Some(word) => Ok(Value::Word(word)),
                None => Err(format!("`{text}` is none of {}", words.join(", "))),
            },
            Kind::Form(_, misspelt) => misspelt(text).map_or_else(|| Ok(Value::Text(text.to_string())), Err),
        }
    }
}

/// What was set, each value checked against its knob.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings(BTreeMap<&'static str, Value>);

impl Settings {
    /// Reads settings of the engine that has these knobs; an error names what is allowed.
    pub fn of<'a>(
        engine: &str,
        knobs: &'static [Knob],
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Settings, String> {
        let mut settings = Settings::default();
        for (name, text) in pairs {
            let Some(knob) = knobs.iter().find(|knob| knob.name == name) else {
                let names: Vec<&str> = knobs.iter().map(|knob| knob.name).collect();
                let known = if names.is_empty() { "none".to_string() } else { names.join(", ") };
                return Err(format!("the engine {engine} has no knob `{name}`; it has {known}"));
            };
            let value = knob.read(text).map_err(|what| format!("{engine}.{name}: {what}"))?;
            settings.0.insert(knob.name, value);
        }
        Ok(settings)
    }

    /// Whether a flag is on.
    pub fn flag(&self, knob: &Knob) -> bool {
        matches!(self.value(knob), Value::Flag(true))
    }

    /// A number.
    pub fn number(&self, knob: &Knob) -> u64 {
        match self.value(knob) {
            Value::Number(number) => number,
            other => unreachable!("the knob {} is {other:?}, not a number", knob.name),
        }
    }

    /// A number of threads of the machine: as many as it has where the knob is 0.
    pub fn threads(&self, knob: &Knob) -> usize {
        match usize::try_from(self.number(knob)).unwrap_or(usize::MAX) {
            0 => crate::schedule::cores::available(),
            n => n,
        }
    }

    /// One of the words of a choice.
    pub fn word(&self, knob: &Knob) -> &'static str {
        match self.value(knob) {
            Value::Word(word) => word,
            other => unreachable!("the knob {} is {other:?}, not a word", knob.name),
        }
    }

    /// A text of the knob's form.
    pub fn text(&self, knob: &Knob) -> String {
        match self.value(knob) {
            Value::Text(text) => text,
            other => unreachable!("the knob {} is {other:?}, not a text", knob.name),
        }
    }

    fn value(&self, knob: &Knob) -> Value {
        let read = || knob.read(knob.default).expect("defaults are values (a test looks at all of them)");
        self.0.get(knob.name).cloned().unwrap_or_else(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOBS: &[Knob] = &[
        Knob { name: "por", kind: Kind::Choice(&["none", "source"]), default: "source", help: "" },
        Knob { name: "depth", kind: Kind::Number, default: "7", help: "" },
        Knob { name: "match", kind: Kind::Flag, default: "on", help: "" },
    ];

    #[test]
    fn settings_are_checked() {
        let settings = Settings::of("e", KNOBS, [("por", "none"), ("match", "off")]).expect("they are declared");
        assert_eq!(settings.word(&KNOBS[0]), "none");
        assert_eq!((settings.number(&KNOBS[1]), settings.flag(&KNOBS[2])), (7, false));
        for (pair, part) in [
            (("prr", "none"), "no knob `prr`; it has por, depth, match"),
            (("por", "sorce"), "e.por: `sorce` is none of none, source"),
            (("depth", "deep"), "e.depth: `deep` is not a number"),
            (("depth", "-1"), "not a number"),
            (("match", "yes"), "e.match: `yes` is neither on nor off"),
        ] {
            let error = Settings::of("e", KNOBS, [pair]).expect_err("it is not declared");
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn defaults_are_values() {
        for about in crate::all() {
            for knob in about.knobs {
                assert_eq!(knob.misspelt(knob.default), None, "{}.{}", about.name, knob.name);
            }
        }
    }
}
