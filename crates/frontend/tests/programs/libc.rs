//! The C library: each row a condition that the standard says is true.

use crate::{holds, safe, violates};
use ir::Property::Assertion;

#[test]
fn strings() {
    holds(
        "size_t strlen(const char *); char *strcpy(char *, const char *); char *strncpy(char *, const char *, size_t); char *strcat(char *, const char *);
         int strcmp(const char *, const char *); int strncmp(const char *, const char *, size_t); char *strchr(const char *, int); char *strrchr(const char *, int);
         char *strstr(const char *, const char *); int memcmp(const void *, const void *, size_t); void *memchr(const void *, int, size_t); char *strdup(const char *);
         char *strncat(char *, const char *, size_t); size_t strspn(const char *, const char *);",
        "char a[16], b[16]; strcpy(a, \"hello\"); strncpy(b, a, 8); strcat(a, \" you\"); char *d = strdup(a); strncat(b, \"abcdef\", 2);",
        &[
            "strlen(a) == 9 && strlen(\"\") == 0",
            "strcmp(b, \"helloab\") == 0 && strcmp(\"a\", \"b\") < 0 && strcmp(\"b\", \"a\") > 0",
            "strncmp(a, \"help\", 3) == 0 && strncmp(a, \"help\", 4) < 0",
            "strchr(a, 'l') == a + 2 && strrchr(a, 'l') == a + 3 && strchr(a, 'z') == 0 && *strchr(a, 0) == 0",
            "strstr(a, \"you\") == a + 6 && strstr(a, \"me\") == 0 && strstr(a, \"\") == a",
            "memcmp(\"ab\", \"ac\", 2) < 0 && memcmp(\"ab\", \"ac\", 1) == 0 && memchr(a, 'o', 5) == a + 4",
            "strcmp(d, a) == 0 && d != a",
            "strspn(\"aabc\", \"ab\") == 3",
        ],
    );
}

#[test]
fn numbers() {
    holds(
        "int abs(int); long labs(long); int atoi(const char *); int toupper(int); int isdigit(int); int isspace(int); int ffs(int);",
        "",
        &[
            "abs(-4) == 4 && labs(-5L) == 5",
            "atoi(\" -42x\") == -42 && atoi(\"7\") == 7 && atoi(\"\") == 0",
            "toupper('q') == 'Q'",
        ],
    );
}

#[test]
fn printing_does_nothing_but_evaluate() {
    holds("int n;", "printf(\"%d %s\\n\", n++, \"x\"); printf(\"done\");", &["n == 1"]);
}

#[test]
fn texts_are_made_as_c_says() {
    // The columns: a call, what it returns, the text. Once with constants and once with numbers that are known at run time only.
    let rows: &[(&str, i32, &str)] = &[
        ("\"%d|%i|%u\", M1, P7, P7", 6, "-1|7|7"),
        ("\"%5d|%-5d|%05d\", P7, P7, M1", 17, "    7|7    |-0001"),
        ("\"%+d|% d|%+d\", P7, P7, M1", 8, "+7| 7|-1"),
        ("\"%.3d|%6.2d|%.0d\", P7, P7, Z0", 11, "007|    07|"),
        ("\"%x|%X|%#x|%#o|%o\", P255, P255, P255, P7, P255", 17, "ff|FF|0xff|07|377"),
        ("\"%#x|%#o|%.0x\", Z0, Z0, Z0", 4, "0|0|"),
        ("\"%hhd|%hd|%hhu\", P255, P255, P255", 10, "-1|255|255"),
        ("\"%ld|%lu|%zu\", (long)M1, (unsigned long)P7, (unsigned long)P255", 8, "-1|7|255"),
        ("\"%lld|%llx\", (long long)M1, (long long)M1", 19, "-1|ffffffffffffffff"),
        ("\"%*d|%-*d|%*d\", 4, P7, 4, P7, -4, P7", 14, "   7|7   |7   "),
        ("\"%c%c%%\", P7 + 90, 'b'", 3, "ab%"),
        ("\"%s|%5s|%-5s|%.2s\", text, text, text, text", 18, "abc|  abc|abc  |ab"),
        ("\"%.*s|%.*s\", 1, text, -1, text", 5, "a|abc"),
    ];
    let declarations = "int snprintf(char *, size_t, const char *, ...); int strcmp(const char *, const char *); int printf(const char *, ...);
        int minus = -1, seven = 7, nought = 0, full = 255; char text[4] = \"abc\";";
    for is_known in [true, false] {
        let mut conditions = Vec::new();
        for (call, length, text) in rows {
            let mut call = (*call).to_string();
            for (name, constant, variable) in
                [("M1", "(-1)", "minus"), ("P7", "7", "seven"), ("Z0", "0", "nought"), ("P255", "255", "full")]
            {
                call = call.replace(name, if is_known { constant } else { variable });
            }
            conditions.push(format!("snprintf(0, 0, {call}) == {length}"));
            conditions.push(format!("snprintf(b, 32, {call}) == {length} && strcmp(b, \"{text}\") == 0"));
            let (cut, _) = text.split_at(3.min(text.len()));
            conditions.push(format!("snprintf(b, 4, {call}) == {length} && strcmp(b, \"{cut}\") == 0 && b[4] == '#'"));
        }
        for condition in conditions {
            let setup = "char b[32]; for (int i = 0; i < 32; i++) b[i] = '#';";
            holds(declarations, setup, &[&condition]);
        }
    }
}

#[test]
fn reading_gives_any_number() {
    let program = |condition: &str| {
        format!(
            "int scanf(const char *, ...); int main(void) {{ unsigned char c = 200; int r = scanf(\"%hhu\", &c); c = c & 3;
                 if (r == 1) __VERIFIER_assert({condition}); else __VERIFIER_assert(r == -1 || r == 0); return 0; }}"
        )
    };
    violates(Assertion, &program("c != 3"));
    safe(&[Assertion], &program("c <= 3"));
}

#[test]
fn random_numbers_are_not_negative() {
    let program = |condition: &str| {
        format!("int rand(void); int main(void) {{ int r = rand(); __VERIFIER_assert({condition}); return 0; }}")
    };
    safe(&[Assertion], &program("r >= 0"));
    violates(Assertion, &program("r != 3"));
}

#[test]
fn errno_belongs_to_the_thread() {
    safe(
        &[Assertion],
        "int *__errno_location(void); sem_t s;
         int main(void) { *__errno_location() = 0; sem_init(&s, 0, 0); sem_trywait(&s); __VERIFIER_assert(*__errno_location() == 11); return 0; }",
    );
}

#[test]
fn a_definition_of_the_user_wins() {
    holds(
        "int abs(int n) { return n + 100; } int printf(const char *f, ...) { return 55; }",
        "",
        &["abs(-1) == 99", "printf(\"x\") == 55"],
    );
}
