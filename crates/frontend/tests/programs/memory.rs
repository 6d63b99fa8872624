//! Memory: what is valid, what leaks, and that copies keep their meaning.

use crate::{holds, safe, violates};
use ir::Property::{Deref, Free, MemCleanup, MemTrack};

#[test]
fn invalid_accesses() {
    for body in [
        "int *p = 0; *p = 1;",
        "int a[3]; int i = 3; a[i] = 1;",
        "int *p = malloc(8); p[2] = 1; free(p);",
        "int *p = malloc(4); free(p); *p = 1;",
        "char *s = \"abc\"; s[0] = 'x';",
        "int *p = (int *)123456; *p = 1;",
        "struct { int a; } *p = calloc(1, 2); p->a = 1;",
    ] {
        violates(Deref, &format!("int main(void) {{ {body} return 0; }}"));
    }
}

#[test]
fn invalid_frees() {
    for body in ["int x; free(&x);", "int *p = malloc(4); free(p); free(p);", "int *p = malloc(8); free(p + 1);"] {
        violates(Free, &format!("int main(void) {{ {body} return 0; }}"));
    }
    safe(&[Free, Deref, MemCleanup], "int main(void) { free(0); int *p = malloc(4); *p = 2; free(p); return 0; }");
}

#[test]
fn leaks() {
    violates(MemTrack, "int main(void) { malloc(4); return 0; }");
    violates(MemCleanup, "int *p; int main(void) { p = malloc(4); return 0; }");
    safe(&[MemTrack], "int *p; int main(void) { p = malloc(4); return 0; }");
}

#[test]
fn copies() {
    holds(
        "void *memcpy(void *, const void *, size_t); void *memset(void *, int, size_t); void *memmove(void *, const void *, size_t);
         struct s { int a; char b; long c[3]; double d; }; struct s g = { 1, 2, { 3, 4, 5 }, 6.5 }; int big[40];",
        "struct s x, y; memset(&x, 0, sizeof x); memcpy(&y, &g, sizeof g); int a[5] = { 1, 2, 3, 4, 5 }; memmove(a + 1, a, 3 * sizeof(int));
         int n = 2; int b[3]; memset(b, 255, sizeof b); memcpy(b, a, n * sizeof(int)); for (int i = 0; i < 40; i++) big[i] = i; int c[40]; memcpy(c, big, sizeof big);
         struct { int v[30]; } u = { { 9 } }, w = u; unsigned char raw[sizeof(int)]; int q = 0x01020304; memcpy(raw, &q, sizeof q);",
        &[
            "x.a == 0 && x.c[2] == 0 && x.d == 0",
            "y.a == 1 && y.b == 2 && y.c[0] == 3 && y.c[2] == 5 && y.d == 6.5",
            "a[0] == 1 && a[1] == 1 && a[2] == 2 && a[3] == 3 && a[4] == 5",
            "b[0] == 1 && b[1] == 1 && b[2] == -1",
            "c[39] == 39 && c[0] == 0 && w.v[0] == 9 && w.v[29] == 0",
            "raw[0] == 4 && raw[3] == 1",
            "memcpy(&x, &y, sizeof x) == &x && x.c[1] == 4",
        ],
    );
}

#[test]
fn resized_blocks_keep_their_contents() {
    holds(
        "",
        "int *p = malloc(2 * sizeof(int)); p[0] = 1; p[1] = 2; p = realloc(p, 4 * sizeof(int)); p[3] = 4; int *q = realloc(0, 4); *q = 9;",
        &["p[0] == 1 && p[1] == 2 && p[3] == 4 && *q == 9"],
    );
    violates(Deref, "int main(void) { int *p = malloc(4); int *q = realloc(p, 8); *p = 1; free(q); return 0; }");
}

#[test]
fn alloca_ends_with_the_function() {
    holds(
        "int f(int n) { int *p = __builtin_alloca(n * sizeof(int)); p[n - 1] = 3; return p[n - 1]; }",
        "",
        &["f(2) == 3 && f(5) == 3"],
    );
    violates(Deref, "int *f(void) { int *p = __builtin_alloca(4); *p = 1; return p; } int main(void) { return *f(); }");
}

#[test]
fn blocks_are_told_apart_where_some_are_resized() {
    crate::runs(
        "void *malloc(size_t); void *realloc(void *, size_t); void free(void *);
         struct table { int n; char *names[2]; };
         int main(void) {
             struct table *table = malloc(sizeof *table);
             char **list = malloc(2 * sizeof *list);
             table->n = 2;
             for (int i = 0; i < table->n; i++) list[i] = \"a\";
             list = realloc(list, 3 * sizeof *list);
             list[2] = \"b\";
             if (table->n != 2 || list[1][0] != 'a') reach_error();
             free(list); free(table);
             return 0;
         }",
    );
}

#[test]
fn unions_of_pointers_and_floats_hold_what_was_written() {
    crate::safe(
        &[ir::Property::ErrorCall, ir::Property::Deref],
        "union value { double number; char *text; };
         static char hello[] = \"hello\";
         int main(void) {
             union value a[2];
             a[0].number = 1.5;
             a[1].text = hello;
             for (int i = 0; i < 2; i++)
                 if (i == 0 ? a[i].number != 1.5 : a[i].text[0] != 'h') reach_error();
             return 0;
         }",
    );
}
