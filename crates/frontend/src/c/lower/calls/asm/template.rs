//! The text of inline assembly, taken apart: labels, instructions and their operands, whatever the machine.

/// An operand as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Operand {
    /// `%0`, `%w1`, `%[name]`: an operand of the statement, and the letter that asks for a part of it.
    Arg(usize, Option<char>),
    /// `#1`, `$1`, `1`.
    Number(i64),
    /// A register that is zero, of so many bits.
    Zero(u32),
    /// `[%1, #8]`, `8(%1)`.
    Memory(Box<Operand>, i64),
    /// `1b` and `2f`.
    Label(u32, bool),
    /// Something else, as a register by its name.
    Other(String),
}

/// A piece of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Piece {
    /// `1:`
    Label(u32),
    /// An instruction in small letters, whether `lock` stands before it, and its operands.
    Instruction { name: String, is_locked: bool, operands: Vec<Operand> },
}

/// The pieces of a template whose operands have these names. What cannot be read is an instruction that nobody knows.
pub(super) fn pieces(template: &str, names: &[Option<&str>]) -> Vec<Piece> {
    let text = without_comments(template);
    let mut found = Vec::new();
    let mut is_locked = false;
    for part in text.split([';', '\n']) {
        let mut part = part.trim();
        while let Some((label, rest)) = part.split_once(':') {
            let Ok(number) = label.trim().parse() else { break };
            found.push(Piece::Label(number));
            part = rest.trim();
        }
        let (mut name, mut rest) = first_word(part);
        if name.eq_ignore_ascii_case("lock") {
            is_locked = true;
            (name, rest) = first_word(rest);
        }
        if name.is_empty() {
            continue;
        }
        let operands = split_operands(rest).into_iter().map(|operand| read_operand(operand, names)).collect();
        found.push(Piece::Instruction { name: plain_name(name), is_locked, operands });
        is_locked = false;
    }
    if is_locked {
        // A prefix of nothing.
        found.push(Piece::Instruction { name: "lock".to_string(), is_locked, operands: Vec::new() });
    }
    found
}

fn first_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim())
}

/// Without `/* */` and what follows `//`.
fn without_comments(template: &str) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, comment)) = rest.split_once("/*") {
        text += before;
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    text += rest;
    let lines = text.lines().map(|line| line.split_once("//").map_or(line, |(code, _)| code));
    lines.collect::<Vec<_>>().join("\n")
}

/// An instruction without what Power's compilers fill in (`lwz%U1%X1`), and without hints for branches (`bne-`).
fn plain_name(name: &str) -> String {
    let name = name.split('%').next().unwrap_or(name);
    name.trim_end_matches(['-', '+']).to_ascii_lowercase()
}

/// What commas separate, but for those in brackets.
fn split_operands(text: &str) -> Vec<&str> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                found.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        found.push(text[start..].trim());
    }
    found
}

fn read_operand(text: &str, names: &[Option<&str>]) -> Operand {
    let other = || Operand::Other(text.to_ascii_lowercase());
    if let Some(number) = number(text) {
        return Operand::Number(number);
    }
    if let Some(argument) = argument(text, names) {
        return argument;
    }
    if let "wzr" | "xzr" | "zero" = text {
        return Operand::Zero(if text == "wzr" { 32 } else { 64 });
    }
    if let Some(digits) = text.strip_suffix(['b', 'f'])
        && let Ok(label) = digits.parse()
    {
        return Operand::Label(label, text.ends_with('b'));
    }
    if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let (base, offset) = inner.split_once(',').unwrap_or((inner, "0"));
        return match (argument(base.trim(), names), number(offset.trim())) {
            (Some(base), Some(offset)) => Operand::Memory(Box::new(base), offset),
            _ => other(),
        };
    }
    if let Some((offset, base)) = text.strip_suffix(')').and_then(|rest| rest.split_once('(')) {
        let offset = if offset.trim().is_empty() { Some(0) } else { number(offset.trim()) };
        return match (argument(base.trim(), names), offset) {
            (Some(base), Some(offset)) => Operand::Memory(Box::new(base), offset),
            _ => other(),
        };
    }
    other()
}

fn number(text: &str) -> Option<i64> {
    let text = text.trim_start_matches(['#', '$']);
    let (is_negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let value = match digits.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok()?,
        // What begins with a zero is octal, which nobody means.
        None if digits.len() > 1 && digits.starts_with('0') => return None,
        None => digits.parse().ok().filter(|value| *value >= 0)?,
    };
    Some(if is_negative { -value } else { value })
}

/// `%0`, `%w0`, `%[name]`, `%w[name]`.
fn argument(text: &str, names: &[Option<&str>]) -> Option<Operand> {
    let rest = text.strip_prefix('%')?;
    let letter = rest.chars().next().filter(char::is_ascii_alphabetic);
    let rest = &rest[letter.map_or(0, char::len_utf8)..];
    let index = match rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(name) => names.iter().position(|own| *own == Some(name))?,
        None => rest.parse().ok().filter(|index| *index < names.len())?,
    };
    Some(Operand::Arg(index, letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, operands: &[Operand]) -> Piece {
        Piece::Instruction { name: name.to_string(), is_locked: false, operands: operands.to_vec() }
    }

    #[test]
    fn templates_come_apart() {
        let names = [None, None, Some("to")];
        let arg = |index| Operand::Arg(index, None);
        let memory = |index, offset| Operand::Memory(Box::new(arg(index)), offset);
        for (template, expected) in [
            ("", vec![]),
            ("// nothing\n/* at ; all */", vec![]),
            ("1: ldxr %w0, [%1]\n cbnz %w0, 1b", {
                let half = Operand::Arg(0, Some('w'));
                let load = one("ldxr", &[half.clone(), memory(1, 0)]);
                vec![Piece::Label(1), load, one("cbnz", &[half, Operand::Label(1, true)])]
            }),
            ("lwz%U1%X1 %0, %1; bne- 2f", {
                vec![one("lwz", &[arg(0), arg(1)]), one("bne", &[Operand::Label(2, false)])]
            }),
            ("sd %1, -8(%[to])", vec![one("sd", &[arg(1), memory(2, -8)])]),
            ("ldr %0, [%1, #16]", vec![one("ldr", &[arg(0), memory(1, 16)])]),
            ("mov %0, %%eax", vec![one("mov", &[arg(0), Operand::Other("%%eax".to_string())])]),
            ("stlr wzr, [%0]", vec![one("stlr", &[Operand::Zero(32), memory(0, 0)])]),
            ("mov %0, $010", vec![one("mov", &[arg(0), Operand::Other("$010".to_string())])]),
            ("dmb ish", vec![one("dmb", &[Operand::Other("ish".to_string())])]),
        ] {
            assert_eq!(pieces(template, &names), expected, "{template}");
        }
        for template in ["lock; xaddl %0, %1", "lock xaddl %0, %1", "LOCK\n\txaddl %0,%1"] {
            let locked = Piece::Instruction { name: "xaddl".into(), is_locked: true, operands: vec![arg(0), arg(1)] };
            assert_eq!(pieces(template, &names), [locked], "{template}");
        }
    }
}
