//! Tests of the lexer: kinds of tokens, places through markers and splices, and bytes that are no C.

use ir::Sources;

use super::*;

/// Tokens as text, with `line:column` in front of each when `with_places`.
fn show(text: &[u8], with_places: bool) -> (String, Vec<String>) {
    let mut sources = Sources::default();
    let lexed = lex(&mut sources, "t.c", text, &Originals::default());
    let mut shown = Vec::new();
    for token in &lexed.tokens {
        let spelling = String::from_utf8_lossy(&lexed.text[token.start as usize..token.end as usize]).into_owned();
        let label = match token.kind {
            TokenKind::Identifier(name) => format!("id:{}", lexed.names[name.0 as usize]),
            TokenKind::Keyword(keyword) => format!("{keyword:?}"),
            TokenKind::Punct(punct) => punct.text().to_string(),
            TokenKind::Number => format!("num:{spelling}"),
            TokenKind::Char(_) => format!("char:{spelling}"),
            TokenKind::String(_) => format!("str:{spelling}"),
            TokenKind::End => "end".to_string(),
        };
        let place = format!("{}:{}:{} ", sources.path(token.span), token.span.line, token.span.column);
        shown.push(if with_places { place + &label } else { label });
    }
    (shown.join(" "), lexed.diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect())
}

fn tokens(text: &str) -> String {
    let (shown, problems) = show(text.as_bytes(), false);
    assert!(problems.is_empty(), "{text}: {problems:?}");
    shown
}

#[test]
fn kinds() {
    for (text, expected) in [
        ("", "end"),
        ("int x$y = 0x1p-3f;", "Int id:x$y = num:0x1p-3f ; end"),
        ("a+++b>>=c...", "id:a ++ + id:b >>= id:c ... end"),
        ("__inline__ __const__ __volatile__ __restrict", "Inline Const Volatile Restrict end"),
        ("<: :> <% %>", "[ ] { } end"),
        ("L\"a\" u8\"b\" u'c' '\\'' \"\\\"\"", "str:L\"a\" str:u8\"b\" char:u'c' char:'\\'' str:\"\\\"\" end"),
        ("a/*x*/b//y\nc", "id:a id:b id:c end"),
        (".5 a.b 1.e+5 1+2", "num:.5 id:a . id:b num:1.e+5 num:1 + num:2 end"),
        ("caf\u{e9} caf\\u00e9", "id:caf\u{e9} id:caf\u{e9} end"),
        ("i\\\nnt x", "Int id:x end"),
        ("#pragma once\nx\n# ident \"a\"\n", "id:x end"),
        ("\u{feff}x", "id:x end"),
    ] {
        assert_eq!(tokens(text), expected, "{text}");
    }
}

#[test]
fn spellings_of_one_name_are_one_identifier() {
    let lexed = lex(&mut Sources::default(), "t.c", "\u{e9} \\u00e9 \\U000000e9".as_bytes(), &Originals::default());
    assert_eq!(lexed.names.len(), PREDECLARED_TYPES.len() + 1);
}

#[test]
fn places_follow_markers_and_splices() {
    for (text, expected) in [
        ("a\n  b", "t.c:1:1 id:a t.c:2:3 id:b t.c:2:4 end"),
        ("# 12 \"u.c\" 1 3\na\nb\n#line 40\nc", "u.c:12:1 id:a u.c:13:1 id:b u.c:40:1 id:c u.c:40:2 end"),
        ("a \\\n b\nc", "t.c:1:1 id:a t.c:2:2 id:b t.c:3:1 id:c t.c:3:2 end"),
        ("/* \n\n */ a", "t.c:3:5 id:a t.c:3:6 end"),
        ("/* \\\n */ a", "t.c:2:5 id:a t.c:2:6 end"),
        ("// x \\\n y\na", "t.c:3:1 id:a t.c:3:2 end"),
        ("# 3 \"a\\\\b.c\"\nx", "a\\b.c:3:1 id:x a\\b.c:3:2 end"),
    ] {
        let (shown, problems) = show(text.as_bytes(), true);
        assert!(problems.is_empty(), "{text}: {problems:?}");
        assert_eq!(shown, expected, "{text}");
    }
}

#[test]
fn pack_pragmas_are_followed() {
    let text = "a\n#pragma pack(push, 2)\nb\n#pragma pack(1)\nc\n#pragma pack(pop)\nd";
    let lexed = lex(&mut Sources::default(), "t.c", text.as_bytes(), &Originals::default());
    assert_eq!(lexed.packs, [(1, Some(2)), (2, Some(1)), (3, None)]);
}

#[test]
fn problems_are_named() {
    for (text, expected) in [
        (&b"a \x01\x02 b"[..], "stray byte 0x01"),
        (b"\xff\xfe\xff", "stray byte 0xff"),
        (b"a @ b", "stray `@`"),
        (b"x # y", "stray `#`"),
        (b"/* never", "never closed"),
        (b"\"abc\nx", "not closed"),
        (b"'abc", "not closed"),
        (b"\"abc\\", "not closed"),
        (b"#include <a.h>\n#define X", "`#include` is a preprocessor directive"),
        (b"# 12 foo", "malformed"),
        (b"#pragma pack(3)", "malformed"),
        (b"#pragma omp parallel", "`#pragma omp` is ignored"),
        (b"\0\0\0", "stray byte 0x00"),
    ] {
        let (_, problems) = show(text, false);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains(expected), "{problems:?}");
    }
}

#[test]
fn binary_input_stops_early() {
    let noise: Vec<u8> = (0..100_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let (_, problems) = show(&noise, false);
    assert!((1..=DIAGNOSTIC_LIMIT).contains(&problems.len()));
}
