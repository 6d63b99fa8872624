//! What must a run count? Lines that pin how well an algorithm does, beside the verdict.
//!
//! ```text
//! // counts[cegar.por=aware]: explored actions <= 50
//! // counts[cegar.por=aware cegar.coi=none]: explored actions < [cegar.por=source cegar.coi=none]
//! ```
//!
//! The knobs in brackets say which run; they belong to one engine, which must decide the case. What is counted is a statistic of the answer (`--json`), and is
//! compared with a number or with the same statistic of another run. A reduction that is switched off, or has stopped reducing, then fails a test
//! though all verdicts stay right.

/// One `counts` line.
#[derive(Clone, PartialEq, Debug)]
pub struct Count {
    /// The run.
    pub knobs: Knobs,
    /// What it counts.
    pub statistic: String,
    /// How it compares.
    pub relation: Relation,
    /// With what.
    pub bound: Bound,
}

/// (Knob with its engine's name, value).
pub type Knobs = Vec<(String, String)>;

/// How two counts compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Relation {
    Less,
    AtMost,
    Equal,
    AtLeast,
    More,
}

/// What a count is compared with.
#[derive(Clone, PartialEq, Debug)]
pub enum Bound {
    /// A number.
    Number(f64),
    /// The same statistic of another run.
    Run(Knobs),
}

const RELATIONS: [(&str, Relation); 5] = [
    ("<=", Relation::AtMost),
    (">=", Relation::AtLeast),
    ("<", Relation::Less),
    (">", Relation::More),
    ("=", Relation::Equal),
];

impl Count {
    /// Reads what stands in the brackets of `counts[…]` and after its colon.
    pub fn parse(knobs: &str, rest: &str) -> Result<Count, String> {
        let found = RELATIONS.iter().find_map(|(sign, relation)| Some((rest.split_once(sign)?, *relation)));
        let ((statistic, bound), relation) = found.ok_or_else(|| format!("`{rest}` compares nothing: < <= = >= >"))?;
        let bound = bound.trim();
        let bound = match bound.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(knobs) => Bound::Run(self::knobs(knobs)?),
            None => Bound::Number(bound.parse().map_err(|_| format!("`{bound}` is neither a number nor [KNOBS]"))?),
        };
        Ok(Count { knobs: self::knobs(knobs)?, statistic: statistic.trim().to_string(), relation, bound })
    }

    /// The engine that runs.
    pub fn engine(&self) -> &str {
        self.knobs[0].0.split('.').next().unwrap_or_default()
    }
}

impl Relation {
    /// Whether it holds.
    pub fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Relation::Less => a < b,
            Relation::AtMost => a <= b,
            Relation::Equal => (a - b).abs() < 1e-9,
            Relation::AtLeast => a >= b,
            Relation::More => a > b,
        }
    }
}

fn knobs(text: &str) -> Result<Knobs, String> {
    let knob = |word: &str| match word.split_once('=') {
        Some((name, value)) if name.contains('.') => Ok((name.to_string(), value.to_string())),
        _ => Err(format!("`{word}` is not engine.knob=value")),
    };
    let knobs: Knobs = text.split_whitespace().map(knob).collect::<Result<_, _>>()?;
    let engine = |(name, _): &(String, String)| name.split('.').next().map(str::to_string);
    let first = knobs.first().ok_or("the brackets of `counts` name no knob")?;
    match knobs.iter().find(|other| engine(other) != engine(first)) {
        Some((name, _)) => Err(format!("`{name}` is a knob of another engine")),
        None => Ok(knobs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read() {
        let count = Count::parse("cegar.por=aware cegar.coi=none", "explored actions < [cegar.por=source]");
        let count = count.expect("it is one");
        assert_eq!((count.engine(), count.statistic.as_str()), ("cegar", "explored actions"));
        assert_eq!(count.relation, Relation::Less);
        assert_eq!(count.bound, Bound::Run(vec![("cegar.por".to_string(), "source".to_string())]));
        let count = Count::parse("explicit.por=dpor", "states<=95").expect("it is one");
        assert_eq!((count.relation, count.bound), (Relation::AtMost, Bound::Number(95.0)));
        for (knobs, rest) in [
            ("", "states < 3"),
            ("por=x", "states < 3"),
            ("a.x=1 b.y=2", "n < 3"),
            ("a.x=1", "n is 3"),
            ("a.x=1", "n < many"),
        ] {
            assert!(Count::parse(knobs, rest).is_err(), "{knobs}: {rest}");
        }
    }

    #[test]
    fn relations_hold() {
        for (relation, holds) in [
            (Relation::Less, [true, false, false]),
            (Relation::AtMost, [true, true, false]),
            (Relation::Equal, [false, true, false]),
            (Relation::AtLeast, [false, true, true]),
            (Relation::More, [false, false, true]),
        ] {
            assert_eq!([1.0, 2.0, 3.0].map(|a| relation.holds(a, 2.0)), holds, "{relation:?}");
        }
    }
}
