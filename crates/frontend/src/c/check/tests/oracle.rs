//! Types and implicit conversions against clang's own syntax tree.
//!
//! Some thousand expressions are generated: all pairs of arithmetic types with the operators taking turns, compound
//! assignments, conditionals, casts, bit-fields and pointers. Both trees are printed in one notation and compared. What
//! differs by design is printed alike: `a[i]` as `*(a + i)`, `&*p` as `p`, and conditions, indices and operands of
//! further conversions without their promotion, which keeps their value.

use std::process::Command;

use ir::DataModel;
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::super::super::typed::{Expr, ExprKind, StmtKind, Unit};
use super::super::super::types::QualType;
use super::accept;

const PRELUDE: &str = "
    enum colour { RED, GREEN = 5 }; enum sign { MINUS = -1, PLUS };
    struct pair { int a; char b; short c; int e[3]; struct pair *next; };
    struct bits { int s : 5; unsigned u : 3; unsigned full : 32; _Bool flag : 1; unsigned char uc : 4; long long ll : 40; };
    _Bool b; char c; signed char sc; unsigned char uc; short s; unsigned short us; int i; unsigned u; long l;
    unsigned long ul; long long ll; unsigned long long ull; float f; double d; enum colour col; enum sign sig;
    struct bits bf; struct pair pr, *pp; int *p, *q, **ppp; const int *cp; void *vp; char *str; int arr[10], mat[3][4];
    const int ci; volatile int vi; int fn(int, char, double); int (*fp)(int, char, double); void proc(void);
    int open(const char *, ...); int old();\n";

const INTEGERS: &[&str] = &[
    "b", "c", "sc", "uc", "s", "us", "i", "u", "l", "ul", "ll", "ull", "col", "sig", "bf.s", "bf.u", "bf.full",
    "bf.flag", "bf.uc", "vi", "ci",
];
const FLOATS: &[&str] = &["f", "d"];
const LITERALS: &[&str] =
    &["1", "1u", "1l", "1ull", "2147483648", "0xffffffff", "'a'", "1.0f", "1.0", "GREEN", "MINUS"];

/// What is to be agreed on, one expression each.
fn expressions() -> Vec<String> {
    let any_operators = ["+", "-", "*", "/", "<", "==", ">=", "!=", "&&", "||"];
    let integer_operators = ["%", "<<", ">>", "&", "|", "^"];
    let mut rows: Vec<String> = Vec::new();
    let operands: Vec<&str> = INTEGERS.iter().chain(FLOATS).chain(LITERALS).copied().collect();
    let mut turn = 0;
    for (left_index, left) in operands.iter().enumerate() {
        for right in &operands {
            turn += 1;
            let is_integer = |operand: &str| !FLOATS.contains(&operand) && !operand.contains(".0");
            rows.push(format!("{left} {} {right}", any_operators[turn % any_operators.len()]));
            if is_integer(left) && is_integer(right) {
                rows.push(format!("{left} {} {right}", integer_operators[turn % integer_operators.len()]));
            }
            let is_variable = left_index < INTEGERS.len() + FLOATS.len() && *left != "ci";
            if is_variable {
                let operators = ["=", "+=", "-=", "*=", "/="];
                rows.push(format!("{left} {} {right}", operators[turn % operators.len()]));
                if is_integer(left) && is_integer(right) && turn % 2 == 0 {
                    let operators = ["<<=", "%=", "&=", ">>=", "|=", "^="];
                    rows.push(format!("{left} {} {right}", operators[turn / 2 % operators.len()]));
                }
            }
            if turn % 3 == 0 {
                rows.push(format!("i ? {left} : {right}"));
                rows.push(format!("{left} ?: {right}"));
            }
        }
        rows.extend(["-", "+", "!"].iter().map(|op| format!("{op}{left}")));
        rows.push(format!("fn({left}, {left}, {left})"));
        rows.push(format!("open(str, {left})"));
        rows.push(format!("old({left})"));
        rows.push(format!("p[(long){left}]"));
        rows.push(format!("(i, {left}) + 1"));
        for target in
            ["_Bool", "char", "unsigned short", "int", "unsigned", "long", "unsigned long long", "float", "double"]
        {
            rows.push(format!("({target}){left} + u"));
        }
    }
    for variable in INTEGERS.iter().chain(FLOATS).filter(|variable| **variable != "ci") {
        rows.extend(["++{}", "--{}", "{}++", "{}--"].map(|step| step.replace("{}", variable)));
    }
    for integer in INTEGERS {
        rows.extend(
            [
                "~{}",
                "p + {}",
                "{} + p",
                "p - {}",
                "p += {}",
                "str -= {}",
                "arr[{}]",
                "{}[arr]",
                "&mat[{}][1]",
                "(char *)(long){}",
            ]
            .map(|row| row.replace("{}", integer)),
        );
    }
    rows.extend(POINTERS.iter().map(|row| (*row).to_string()));
    rows
}

const POINTERS: &[&str] = &[
    "p - q",
    "p == q",
    "p != 0",
    "0 == p",
    "p < q",
    "vp == p",
    "p = 0",
    "p = vp",
    "vp = p",
    "cp = p",
    "p == cp",
    "*p",
    "&*p",
    "*&i",
    "&i",
    "&arr",
    "*arr",
    "arr",
    "mat[1]",
    "&mat[1]",
    "*mat[1]",
    "**mat",
    "mat[1] + 1",
    "p++",
    "--p",
    "!p",
    "p && q",
    "p || i",
    "i ? p : 0",
    "i ? 0 : p",
    "i ? p : q",
    "i ? p : cp",
    "i ? p : vp",
    "i ? cp : vp",
    "p ?: q",
    "i ? proc() : proc()",
    "(long)p",
    "(void *)p",
    "(char *)p + 1",
    "(_Bool)p",
    "b = p",
    "pr.b + 1",
    "pp->b + pp->c",
    "pr = *pp",
    "pp->next->next->a",
    "&pp->e[1]",
    "pp->e[i]",
    "(*pp).a = 1",
    "(&pr)->a",
    "fn",
    "fp = fn",
    "fp = &fn",
    "fp(1, 2, 3)",
    "(*fp)(1, 2, 3)",
    "(**fp)(c, c, c)",
    "fp == fn",
    "proc()",
    "old(f, c, p)",
    "open(\"x\", f, c, s)",
    "*ppp",
    "**ppp",
    "ppp[1][2]",
    "str = \"abc\"",
    "\"abc\"[1]",
    "(void)i",
    "i = l = c",
    "i, l",
    "i ? pr : *pp",
    "(i ? pr : *pp).a + 1",
    "(bf.u = 3) - 4",
    "vi += vi",
    "i = ci",
    "-2147483648",
    "0x7fffffffffffffff + 1u",
    "sizeof(int) + 0 * i",
    "1 ? 2 : 3.0",
    "i + (char)300",
    "(unsigned char)c << 4",
    "col == RED",
    "col = 2",
    "sig = PLUS",
    "c = 'a' + 1",
    "p[1] = p[0]",
    "pp->next = pp",
    "!(i == l)",
    "!!d",
    "-(-c)",
    "~(c & uc)",
    "(c + c) / (s * us)",
    "i << (l & 63)",
    "p - 1 < q + 1",
    "&p[1] - &q[2]",
    "*p++ = *q++",
    "i += p - q",
    "us * us",
    "uc - uc < 0",
];

/// The notation in which both trees are printed.
fn node(head: &str, parts: &[String], ty: &str) -> String {
    format!("({head} {}):{ty}", parts.join(" "))
}

/// Prints our tree.
struct Ours<'a>(&'a Unit);

impl Ours<'_> {
    fn ty(&self, ty: QualType) -> String {
        self.0.types.text(ty)
    }

    fn print(&self, expr: &Expr) -> String {
        let ty = self.ty(QualType::plain(expr.ty.ty));
        let print = |expr: &Expr| self.print(expr);
        match &expr.kind {
            ExprKind::Int(value) => format!("{value}:{ty}"),
            ExprKind::Float(value) => format!("{value}:{ty}"),
            ExprKind::String(_) => "string".to_string(),
            ExprKind::Symbol(symbol) => self.0.symbols[symbol.0 as usize].name.clone(),
            ExprKind::Deref(pointer) => format!("(* {})", print(pointer)),
            ExprKind::Member { base, offset, bits } => {
                format!("(at {offset}.{} {})", bits.map_or(0, |(first, _)| first), print(base))
            }
            ExprKind::Load(lvalue) => node("load", &[print(lvalue)], &ty),
            ExprKind::AddressOf(lvalue) => node("&", &[print(lvalue)], &ty),
            ExprKind::Decay(lvalue) => node("decay", &[print(lvalue)], &ty),
            ExprKind::Unary(op, operand) => node(op.symbol(), &[print(operand)], &ty),
            ExprKind::Binary(op, left, right) => node(op.symbol(), &[print(left), print(right)], &ty),
            ExprKind::PointerAdd { pointer, index, is_sub, .. } => {
                node(if *is_sub { "-" } else { "+" }, &[print(pointer), self.without_promotion(index)], &ty)
            }
            ExprKind::PointerDiff { left, right, .. } => node("-", &[print(left), print(right)], &ty),
            ExprKind::LogicalAnd(left, right) => node("&&", &[print(left), print(right)], &ty),
            ExprKind::LogicalOr(left, right) => node("||", &[print(left), print(right)], &ty),
            ExprKind::Conditional { cond, then, otherwise } => {
                let then = then.as_ref().map_or("-".to_string(), |then| print(then));
                node("?", &[print(cond), then, print(otherwise)], &ty)
            }
            ExprKind::Assign(target, value) => node("=", &[print(target), print(value)], &ty),
            ExprKind::AssignOp { op, lhs, rhs, compute, size } => {
                let rhs = if size.is_some() { self.without_promotion(rhs) } else { print(rhs) };
                let compute = self.ty(QualType::plain(*compute));
                node(&format!("{}=", op.symbol()), &[print(lhs), rhs, compute], &ty)
            }
            ExprKind::Step { lvalue, is_increment, is_postfix, .. } => {
                let op = if *is_increment { "++" } else { "--" };
                node(&format!("{}{op}", if *is_postfix { "post" } else { "pre" }), &[print(lvalue)], &ty)
            }
            ExprKind::Cast(operand) if operand.ty.ty == expr.ty.ty => print(operand),
            ExprKind::Cast(operand) => node("cast", &[print(operand)], &ty),
            ExprKind::Call { callee, args } => {
                let parts: Vec<String> = std::iter::once(print(callee)).chain(args.iter().map(print)).collect();
                node("call", &parts, &ty)
            }
            ExprKind::Comma(first, second) => node(",", &[print(first), print(second)], &ty),
            other => format!("{other:?}"),
        }
    }

    fn without_promotion(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Cast(operand) if self.0.types.is_integer(operand.ty.ty) && !self.ty(expr.ty).contains("long") => {
                self.print(operand)
            }
            _ => self.print(expr),
        }
    }
}

/// Prints clang's tree.
struct Theirs {
    /// Members as `(at offset.bit`, by name; no two records share a name.
    member: FxHashMap<String, String>,
    constant: FxHashMap<String, i128>,
}

impl Theirs {
    fn ty(&self, node: &Value) -> String {
        let ty = &node["type"];
        let text = ty["desugaredQualType"].as_str().or(ty["qualType"].as_str()).unwrap_or("?");
        // Qualifiers of the node's own type are not those of its value.
        if text.ends_with('*') { text.to_string() } else { text.replace("const ", "").replace("volatile ", "") }
    }

    fn parts(&self, node: &Value) -> Vec<String> {
        node["inner"].as_array().map_or(Vec::new(), |inner| inner.iter().map(|part| self.print(part)).collect())
    }

    fn print(&self, value: &Value) -> String {
        let ty = self.ty(value);
        let inner = |index: usize| &value["inner"][index];
        match value["kind"].as_str().unwrap_or("") {
            "ParenExpr" | "ConstantExpr" | "OpaqueValueExpr" => self.print(inner(0)),
            "IntegerLiteral" => format!("{}:{ty}", value["value"].as_str().unwrap_or("?")),
            "CharacterLiteral" => format!("{}:{ty}", value["value"]),
            "FloatingLiteral" => {
                let number: f64 = value["value"].as_str().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN);
                format!("{number}:{ty}")
            }
            "StringLiteral" => "string".to_string(),
            "UnaryExprOrTypeTraitExpr" => format!("4:{ty}"),
            "DeclRefExpr" => {
                let name = value["referencedDecl"]["name"].as_str().unwrap_or("?");
                self.constant.get(name).map_or(name.to_string(), |constant| format!("{constant}:{ty}"))
            }
            "MemberExpr" => {
                let name = value["name"].as_str().unwrap_or("?");
                let base = self.print(inner(0));
                let base = if value["isArrow"] == true { self.target_of(&base) } else { base };
                format!("{} {base})", self.member.get(name).map_or("?", |place| place))
            }
            "ImplicitCastExpr" | "CStyleCastExpr" => self.cast(value, &ty),
            "ArraySubscriptExpr" => {
                let (base, index) = (inner(0), inner(1));
                let (base, index) = if self.ty(base).contains('*') { (base, index) } else { (index, base) };
                let pointer = self.ty(base);
                format!("(* {})", node("+", &[self.print(base), self.without_promotion(index)], &pointer))
            }
            "UnaryOperator" => self.unary(value, &ty),
            "BinaryOperator" => self.binary(value, &ty),
            "CompoundAssignOperator" => {
                let rhs = if ty.ends_with('*') { self.without_promotion(inner(1)) } else { self.print(inner(1)) };
                let compute = self.ty(&serde_json::json!({ "type": value["computeLHSType"] }));
                node(value["opcode"].as_str().unwrap_or("?"), &[self.print(inner(0)), rhs, compute], &ty)
            }
            "ConditionalOperator" => {
                node("?", &[self.without_promotion(inner(0)), self.print(inner(1)), self.print(inner(2))], &ty)
            }
            "BinaryConditionalOperator" => {
                node("?", &[self.without_promotion(inner(0)), "-".to_string(), self.print(inner(3))], &ty)
            }
            "CallExpr" => {
                let mut parts = self.parts(value);
                if let Some(callee) = parts.first_mut() {
                    *callee = callee.strip_prefix("(decay ").map_or(callee.clone(), |callee| {
                        callee.split(')').next().unwrap_or(callee).trim_start_matches("(* ").to_string()
                    });
                    // A function reached through `*` is the pointer itself.
                    if let Some(value) = inner(0)["inner"].get(0).map(|inner| self.print(inner)) {
                        let mut value = value.as_str();
                        while let Some(pointer) = value.strip_prefix("(* ").and_then(|rest| rest.strip_suffix(')')) {
                            value = pointer.strip_prefix("(decay ").map_or(pointer, |rest| {
                                rest.rsplit_once("):").map_or(rest, |(designator, _)| designator)
                            });
                            *callee = value.to_string();
                        }
                    }
                }
                node("call", &parts, &ty)
            }
            other => format!("unknown {other}"),
        }
    }

    fn cast(&self, value: &Value, ty: &str) -> String {
        let operand = &value["inner"][0];
        let head = match value["castKind"].as_str().unwrap_or("") {
            "LValueToRValue" => "load",
            "ArrayToPointerDecay" | "FunctionToPointerDecay" => "decay",
            _ if self.ty(operand) == ty => return self.print(operand),
            _ => return node("cast", &[self.without_promotion(operand)], ty),
        };
        node(head, &[self.print(operand)], ty)
    }

    fn unary(&self, value: &Value, ty: &str) -> String {
        let operand = &value["inner"][0];
        let printed = self.print(operand);
        let op = value["opcode"].as_str().unwrap_or("?");
        match op {
            "+" => printed,
            "*" => self.target_of(&printed),
            "&" => match printed.strip_prefix("(* ").and_then(|rest| rest.strip_suffix(')')) {
                Some(pointer) => pointer.to_string(),
                None => node("&", &[printed], ty),
            },
            "!" => node("!", &[self.without_promotion(operand)], ty),
            "++" | "--" => {
                let when = if value["isPostfix"] == true { "post" } else { "pre" };
                node(&format!("{when}{op}"), &[printed], ty)
            }
            _ => node(op, &[printed], ty),
        }
    }

    /// `*pointer`, where `*&x` is `x`.
    fn target_of(&self, pointer: &str) -> String {
        match pointer.strip_prefix("(& ").and_then(|rest| rest.rsplit_once("):")) {
            Some((object, _)) => object.to_string(),
            None => format!("(* {pointer})"),
        }
    }

    fn binary(&self, value: &Value, ty: &str) -> String {
        let (left, right) = (&value["inner"][0], &value["inner"][1]);
        let op = value["opcode"].as_str().unwrap_or("?");
        let is_pointer = |node: &Value| self.ty(node).contains('*');
        match op {
            "&&" | "||" => node(op, &[self.without_promotion(left), self.without_promotion(right)], ty),
            "+" | "-" if is_pointer(left) && !is_pointer(right) => {
                node(op, &[self.print(left), self.without_promotion(right)], ty)
            }
            "+" if is_pointer(right) => node(op, &[self.print(right), self.without_promotion(left)], ty),
            _ => node(op, &[self.print(left), self.print(right)], ty),
        }
    }

    /// A condition or index without the promotion that does not change its value.
    fn without_promotion(&self, value: &Value) -> String {
        let is_promotion = value["kind"] == "ImplicitCastExpr" && value["castKind"] == "IntegralCast";
        self.print(if is_promotion { &value["inner"][0] } else { value })
    }
}

fn clang_tree(text: &str, flag: &str, name: &str) -> Option<Value> {
    let path = std::env::temp_dir().join(format!("ravel-oracle-{}-{name}.c", std::process::id()));
    std::fs::write(&path, text).expect("temporary files can be made");
    let output = Command::new("clang")
        .args(["-w", flag, "-Xclang", "-ast-dump=json", "-fsyntax-only", "-ferror-limit=0"])
        .arg(&path)
        .output();
    std::fs::remove_file(&path).expect("the file was just made");
    let output = output.ok()?;
    assert!(output.status.success(), "clang refuses: {}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).expect("clang prints JSON"))
}

fn compare(model: DataModel, flag: &str) {
    let rows = expressions();
    let functions: Vec<String> =
        rows.iter().enumerate().map(|(index, row)| format!("void test{index}(void) {{ {row}; }}")).collect();
    let text = format!("{PRELUDE}{}\n", functions.join("\n"));
    let Some(tree) = clang_tree(&text, flag, flag) else {
        println!("skipped: clang is not installed");
        return;
    };
    let unit = accept(&text, model);
    let mut theirs = Theirs { member: FxHashMap::default(), constant: FxHashMap::default() };
    for record in &unit.types.records {
        for field in record.fields.iter().flatten() {
            let place = format!("(at {}.{}", field.offset, field.bits.map_or(0, |(first, _)| first));
            theirs.member.insert(field.name.clone().unwrap_or_default(), place);
        }
    }
    for constants in unit.types.enums.iter().map(|defined| &defined.constants) {
        theirs.constant.extend(constants.iter().cloned());
    }
    let bodies: FxHashMap<&str, &Value> = tree["inner"]
        .as_array()
        .expect("a unit has declarations")
        .iter()
        .filter_map(|item| Some((item["name"].as_str()?, &item["inner"][0]["inner"][0])))
        .collect();
    let mut differences = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let name = format!("test{index}");
        let function = &unit.functions[index];
        assert_eq!(unit.symbols[function.symbol.0 as usize].name, name, "functions are in order");
        let StmtKind::Block(stmts) = &function.body.kind else { panic!("a body is a block") };
        let StmtKind::Expr(expr) = &stmts[0].kind else { panic!("{row} is an expression") };
        let (ours, theirs) = (Ours(&unit).print(expr), theirs.print(bodies[name.as_str()]));
        if ours != theirs {
            differences.push(format!("{row}\n  ours   {ours}\n  theirs {theirs}"));
        }
    }
    assert!(rows.len() > 1000);
    let shown = &differences[..differences.len().min(10)];
    assert!(differences.is_empty(), "{} of {} differ:\n{}", differences.len(), rows.len(), shown.join("\n"));
}

#[test]
fn conversions_agree_with_clang_in_64_bits() {
    compare(DataModel::Lp64, "-m64");
}

#[test]
fn conversions_agree_with_clang_in_32_bits() {
    compare(DataModel::Ilp32, "-m32");
}
