//! Programs that are read, and programs that are refused where the mistake is.

use super::read;

fn errors(text: &str) -> Vec<(u32, String)> {
    match read(&[("a.oox".to_string(), text.to_string())], "main") {
        Ok(_) => Vec::new(),
        Err(rejected) => rejected.diagnostics.into_iter().map(|d| (d.span.line, d.message)).collect(),
    }
}

#[test]
fn the_whole_language_is_read() {
    let text = "
interface Shape { int area(); int twice() { int a := this.area(); return 2 * a; } }
class Square implements Shape { int side; Square(int s) { this.side := s; } int area() { int s := this.side; return s * s; } }
class Base { int x; Base(int x) { this.x := x; } int get() { int x := this.x; return x; } }
class Derived extends Base {
    Derived() { super(1); }
    int get() { int x := super.get(); return x + 1; }
    int get(int k) { return k; }
}
class Main {
    static int[][] grid(uint n) { int[][] g := new int[2][3]; g[1][2] := 5; return g; }
    static void worker(Base b, string s, char c, float f) requires(b != null) exceptional(false) {
        lock b; b.x := b.x + 1; unlock b;
    }
    static void main(Shape s, Base b, float f, uint u)
        requires(b != null && (forall v, i : new_() : true) || true) { ; }
}";
    assert_eq!(errors(text)[0].0, 16, "calls are refused in specifications: {:?}", errors(text));
    let text = text.replace("(forall v, i : new_() : true)", "f < 1.5");
    let text = text.replace(
        "{ ; }",
        "{
        Derived d := new Derived();
        fork worker(d, \"text\", 'c', 1);
        join;
        /* a comment */
        if (!s instanceof Square && b.get() > 2 || s == null) { b := (Derived) b; } else throw \"no\";
        try { int a := 10 / d.get(3); while (a > 0) { a := a - 1; if (a == 5) break; else continue; } } catch { return; }
        int[][] g := grid(3);
        assert g[1][2] == 5 && #g == 2 && u >= 0;
    }",
    );
    assert_eq!(errors(&text), []);
}

#[test]
fn mistakes_are_found_where_they_are() {
    for (body, message) in [
        ("int x := true;", "expected int, found bool"),
        ("int x := 1; int x := 2;", "already a variable"),
        ("y := 1;", "no variable `y`"),
        ("Main.f(1);", "takes 2 arguments, 1 given"),
        ("Main.f(1, 2);", "expected bool, found int"),
        ("Main.g();", "no method `g`"),
        ("int x := 1 < 2 < 3;", "no `<`"),
        ("bool b := 1 == true;", "no `==`"),
        ("break;", "no loop"),
        ("return 1;", "returns nothing"),
        ("fork Main.h();", "returns int"),
        ("lock 1;", "only objects have a lock"),
        ("int x := #3;", "only arrays have a length"),
        ("Main m := new Nothing();", "no class `Nothing`"),
        ("this.x := 1;", "no variable `this`"),
        ("int x = 1;", "unexpected character"),
        ("int x := 1", "expected `;`"),
        ("uint u := 0 - 1;", "expected uint, found int"),
    ] {
        let text = format!(
            "class Main {{\n static void f(int a, bool b) {{ }}\n static int h() {{ return 1; }}\n static void main() {{\n{body}\n }}\n}}"
        );
        let found = errors(&text);
        assert!(found.iter().any(|(line, m)| (*line == 5 || *line == 6) && m.contains(message)), "{body}: {found:?}");
    }
}

#[test]
fn classes_must_fit_together() {
    for (text, message) in [
        ("class A extends B { } class B extends A { }", "its own supertype"),
        ("class A { } class A { }", "two classes"),
        ("interface I { int f(); } class A implements I { }", "has no `f`"),
        ("class A implements B { } class B { }", "no interface"),
        ("class A { int x; bool x; }", "already a field"),
        ("class A { int f(int x) { return x; } bool f(int y) { return true; } }", "already a method"),
        ("class A { Unknown u; }", "no type `Unknown`"),
    ] {
        let found = errors(&format!("{text} class Main {{ static void main() {{ }} }}"));
        assert!(found.iter().any(|(_, m)| m.contains(message)), "{text}: {found:?}");
    }
}
