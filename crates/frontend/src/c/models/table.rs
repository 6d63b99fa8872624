//! Which library functions are modelled, and what does each model take for granted? A table for the documentation, from the texts themselves.
//!
//! The first comment of a text is what it is about. A comment before a function says what holds of that function; functions without one share a row, and
//! those that only models use are left out.

use std::fmt::Write;

/// A group of functions that one remark is about.
struct Group {
    remark: String,
    functions: Vec<String>,
}

/// The table: a heading for each text, a row for each remark.
pub(super) fn of_texts(texts: &[(&str, &str)]) -> String {
    let mut table = String::new();
    for (name, text) in texts.iter().filter(|(name, _)| name.ends_with(".c")) {
        let (about, groups) = read(text);
        if groups.is_empty() {
            continue;
        }
        let short = name.trim_start_matches("<ravel>/");
        let _ = writeln!(table, "### `{short}`\n{about}\n\n| functions | what the model does or assumes |\n|---|---|");
        for group in groups {
            let names: Vec<String> = group.functions.iter().map(|name| format!("`{name}`")).collect();
            let _ = writeln!(table, "| {} | {} |", names.join(", "), group.remark.replace('|', "\\|"));
        }
        table.push('\n');
    }
    table
}

/// What a text is about, and its functions by remark.
fn read(text: &str) -> (String, Vec<Group>) {
    let mut about = None;
    let mut groups: Vec<Group> = Vec::new();
    let mut remark = String::new();
    let mut comment: Option<String> = None;
    let mut plain = Vec::new();
    for line in text.lines() {
        if let Some(open) = &mut comment {
            let part = line.trim().trim_start_matches('*').trim();
            open.push(' ');
            open.push_str(part.trim_end_matches("*/").trim());
        } else if line.starts_with("/*") {
            comment = Some(line.trim_start_matches("/*").trim_end_matches("*/").trim().to_string());
        }
        if comment.is_some() {
            if line.ends_with("*/") {
                let said = comment.take().unwrap_or_default();
                match about {
                    None => about = Some(said),
                    Some(_) => remark = said,
                }
            }
            continue;
        }
        if line.starts_with("static ")
            || line.starts_with("struct ") && line.ends_with('{')
            || line.starts_with("enum ")
        {
            remark.clear();
        }
        let Some(function) = defined(line) else { continue };
        match std::mem::take(&mut remark) {
            said if said.is_empty() => plain.push(function),
            said => groups.push(Group { remark: said, functions: vec![function] }),
        }
    }
    if !plain.is_empty() {
        groups.push(Group { remark: String::new(), functions: plain });
    }
    (about.unwrap_or_default(), groups)
}

/// The function that a line begins to define, if others can call it.
fn defined(line: &str) -> Option<String> {
    let is_other =
        ["static ", "typedef ", "extern ", "enum ", "#", "}", " "].iter().any(|start| line.starts_with(start));
    if is_other || line.ends_with(';') || line.ends_with('{') {
        return None;
    }
    let (head, _) = line.split_once('(')?;
    let name = head.rsplit([' ', '*']).next()?;
    (!name.is_empty() && name != head).then(|| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "<!-- models: generated, RAVEL_BLESS=1 cargo test -p frontend table -->\n";
    const END: &str = "<!-- end of models -->\n";

    #[test]
    fn remarks_go_with_the_functions_behind_them() {
        let text = "/* About\n * it. */\n\n/* One. */\nint f(int a)\n{\n    g(a);\n}\n\nlong *h(void)\n{\n}\n\nstatic int k(void)\n{\n}\n\nint m(void)\n{\n}\n";
        let (about, groups) = read(text);
        assert_eq!(about, "About it.");
        let shown: Vec<(&str, Vec<&str>)> = groups
            .iter()
            .map(|group| (group.remark.as_str(), group.functions.iter().map(String::as_str).collect()))
            .collect();
        assert_eq!(shown, [("One.", vec!["f"]), ("", vec!["h", "m"])]);
    }

    #[test]
    fn the_page_has_the_table_of_today() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/c-support.md");
        let page = std::fs::read_to_string(path).expect("the page is there");
        let (before, rest) = page.split_once(START).expect("the table has a beginning");
        let (found, after) = rest.split_once(END).expect("the table has an end");
        let table = of_texts(&super::super::TEXTS);
        if std::env::var_os("RAVEL_BLESS").is_some() {
            let page = format!("{before}{START}{table}{END}{after}");
            std::fs::write(path, page).expect("the page can be written");
            return;
        }
        assert_eq!(found, table, "write it anew with RAVEL_BLESS=1");
    }
}
