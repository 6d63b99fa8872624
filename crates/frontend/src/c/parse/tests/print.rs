//! A compact notation of syntax trees for tests.
//!
//! Types are spelled from the outside in, as one says them; every operation is in parentheses; attributes follow with
//! `@`, with `@@` if they stood among the specifiers.

use crate::c::ast::*;

pub(super) fn unit(unit: &TranslationUnit) -> String {
    let mut out = String::new();
    for item in &unit.items {
        match item {
            ExternalDeclaration::Function(definition) => out += &function(definition),
            ExternalDeclaration::Declaration(item) => out += &declaration(item),
            ExternalDeclaration::StaticAssert(assert) => out += &format!("static_assert {}", expr(&assert.condition)),
            ExternalDeclaration::Asm(statement, _) => out += &format!("asm {:?}", statement.template),
        }
        if !out.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}

fn function(definition: &FunctionDefinition) -> String {
    let parameters: String = definition.old_style_parameters.iter().map(declaration).collect();
    let parameters = if parameters.is_empty() { parameters } else { format!("[{parameters}] ") };
    let head = declared(&definition.specifiers, &definition.declarator);
    format!("{head} {parameters}{}\n", block(&definition.body))
}

fn declaration(item: &Declaration) -> String {
    let mut out = String::new();
    for InitDeclarator { declarator, initializer: value } in &item.declarators {
        out += &declared(&item.specifiers, declarator);
        if let Some(value) = value {
            out += &format!(" = {}", initializer(value));
        }
        out.push('\n');
    }
    if item.declarators.is_empty() { base_type(&item.specifiers) + "\n" } else { out }
}

fn declared(specifiers: &DeclSpecifiers, declarator: &Declarator) -> String {
    let mut out = String::new();
    if let Some(storage) = specifiers.storage {
        out += &format!("{storage:?} ").to_lowercase();
    }
    for (is_set, word) in [
        (specifiers.is_inline, "inline "),
        (specifiers.is_noreturn, "noreturn "),
        (specifiers.is_thread_local, "thread "),
    ] {
        out += if is_set { word } else { "" };
    }
    for alignment in &specifiers.alignments {
        out += &match alignment {
            Alignment::Type(name) => format!("_Alignas[{}] ", type_name(name)),
            Alignment::Expr(bytes) => format!("_Alignas({}) ", expr(bytes)),
        };
    }
    if let Some(name) = &declarator.name {
        out += &format!("{name}: ");
    }
    out += &derived(&declarator.derivations, &base_type(specifiers));
    out += &attributes(&declarator.attributes, "@");
    out += &attributes(&specifiers.attributes, "@@");
    if let Some(label) = &declarator.asm_label {
        out += &format!(" asm({label})");
    }
    out
}

fn derived(derivations: &[Derivation], base: &str) -> String {
    let mut out = String::new();
    for derivation in derivations {
        match &derivation.kind {
            DerivationKind::Pointer(set) => out += &format!("{}pointer ", qualifiers(*set)),
            DerivationKind::Array { size, is_static, qualifiers: set } => {
                out += if *is_static { "array static " } else { "array " };
                out += &qualifiers(*set);
                match size {
                    ArraySize::Unspecified => {}
                    ArraySize::Star => out += "* ",
                    ArraySize::Expr(size) => out += &format!("{} ", expr(size)),
                }
            }
            DerivationKind::Function(Parameters::Identifiers(names)) => {
                let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
                out += &format!("function({}) ", names.join(", "));
            }
            DerivationKind::Function(Parameters::Prototype { parameters, is_variadic }) => {
                let mut shown: Vec<String> =
                    parameters.iter().map(|parameter| declared(&parameter.specifiers, &parameter.declarator)).collect();
                if *is_variadic {
                    shown.push("...".to_string());
                }
                out += &format!("function({}) ", shown.join(", "));
            }
        }
    }
    out + base
}

fn qualifiers(set: Qualifiers) -> String {
    let words = [
        (set.is_const, "const "),
        (set.is_volatile, "volatile "),
        (set.is_restrict, "restrict "),
        (set.is_atomic, "_Atomic "),
    ];
    words.into_iter().filter(|(is_set, _)| *is_set).map(|(_, word)| word).collect()
}

fn base_type(specifiers: &DeclSpecifiers) -> String {
    let base = match &specifiers.type_specifier {
        TypeSpecifier::Builtin(builtin) => spelling(*builtin).to_string(),
        TypeSpecifier::Complex(builtin) => format!("_Complex {}", spelling(*builtin)),
        TypeSpecifier::Record(specifier) => record(specifier),
        TypeSpecifier::Enum(specifier) => enumeration(specifier),
        TypeSpecifier::TypedefName(name) => name.to_string(),
        TypeSpecifier::TypeofExpr(operand) => format!("typeof({})", expr(operand)),
        TypeSpecifier::TypeofType(name) => format!("typeof[{}]", type_name(name)),
        TypeSpecifier::Atomic(name) => format!("_Atomic({})", type_name(name)),
        TypeSpecifier::Auto => "auto".to_string(),
        TypeSpecifier::ImplicitInt => "implicit".to_string(),
    };
    qualifiers(specifiers.qualifiers) + &base
}

fn spelling(builtin: BuiltinType) -> &'static str {
    match builtin {
        BuiltinType::Void => "void",
        BuiltinType::Bool => "_Bool",
        BuiltinType::Char => "char",
        BuiltinType::SignedChar => "signed char",
        BuiltinType::UnsignedChar => "unsigned char",
        BuiltinType::Short => "short",
        BuiltinType::UnsignedShort => "unsigned short",
        BuiltinType::Int => "int",
        BuiltinType::UnsignedInt => "unsigned int",
        BuiltinType::Long => "long",
        BuiltinType::UnsignedLong => "unsigned long",
        BuiltinType::LongLong => "long long",
        BuiltinType::UnsignedLongLong => "unsigned long long",
        BuiltinType::Int128 => "__int128",
        BuiltinType::UnsignedInt128 => "unsigned __int128",
        BuiltinType::Float => "float",
        BuiltinType::Double => "double",
        BuiltinType::LongDouble => "long double",
        BuiltinType::Float16 => "_Float16",
        BuiltinType::BFloat16 => "__bf16",
        BuiltinType::Float32 => "_Float32",
        BuiltinType::Float64 => "_Float64",
        BuiltinType::Float128 => "_Float128",
        BuiltinType::Float32x => "_Float32x",
        BuiltinType::Float64x => "_Float64x",
        BuiltinType::Decimal32 => "_Decimal32",
        BuiltinType::Decimal64 => "_Decimal64",
        BuiltinType::Decimal128 => "_Decimal128",
        BuiltinType::VaList => "va_list",
    }
}

fn tagged(keyword: &str, tag: &Option<Name>) -> String {
    tag.as_ref().map_or(keyword.to_string(), |tag| format!("{keyword} {tag}"))
}

fn record(specifier: &RecordSpecifier) -> String {
    let keyword = if specifier.kind == RecordKind::Struct { "struct" } else { "union" };
    let mut out = tagged(keyword, &specifier.tag);
    if let Some(members) = &specifier.members {
        let members: Vec<String> = members.iter().map(member).collect();
        out += &format!("{{{}}}", members.join(", "));
    }
    out + &attributes(&specifier.attributes, "@")
}

fn member(member: &Member) -> String {
    let field = match member {
        Member::StaticAssert(assert) => return format!("static_assert {}", expr(&assert.condition)),
        Member::Field(field) => field,
    };
    if field.declarators.is_empty() {
        return base_type(&field.specifiers);
    }
    let shown: Vec<String> = field
        .declarators
        .iter()
        .map(|FieldDeclarator { declarator, bit_width }| {
            let unnamed = if declarator.name.is_none() { ": " } else { "" };
            let width = bit_width.as_ref().map_or(String::new(), |width| format!(" : {}", expr(width)));
            format!("{unnamed}{}{width}", declared(&field.specifiers, declarator))
        })
        .collect();
    shown.join(", ")
}

fn enumeration(specifier: &EnumSpecifier) -> String {
    let mut out = tagged("enum", &specifier.tag);
    if let Some(underlying) = &specifier.underlying {
        out += &format!(" : {}", type_name(underlying));
    }
    if let Some(enumerators) = &specifier.enumerators {
        let shown: Vec<String> = enumerators
            .iter()
            .map(|constant| match &constant.value {
                Some(value) => format!("{} = {}", constant.name, expr(value)),
                None => constant.name.to_string(),
            })
            .collect();
        out += &format!("{{{}}}", shown.join(", "));
    }
    out + &attributes(&specifier.attributes, "@")
}

fn attributes(list: &[Attribute], mark: &str) -> String {
    let with = |word: &str, value: &Option<Box<Expr>>| match value {
        Some(value) => format!("{word}({})", expr(value)),
        None => word.to_string(),
    };
    list.iter()
        .map(|attribute| {
            let shown = match &attribute.kind {
                AttributeKind::Packed => "packed".to_string(),
                AttributeKind::Aligned(None) => "aligned".to_string(),
                AttributeKind::Aligned(Some(Alignment::Expr(bytes))) => format!("aligned({})", expr(bytes)),
                AttributeKind::Aligned(Some(Alignment::Type(name))) => format!("aligned[{}]", type_name(name)),
                AttributeKind::NoReturn => "noreturn".to_string(),
                AttributeKind::Cleanup(name) => format!("cleanup({name})"),
                AttributeKind::Constructor(priority) => with("constructor", priority),
                AttributeKind::Destructor(priority) => with("destructor", priority),
                AttributeKind::Weak => "weak".to_string(),
                AttributeKind::Alias(symbol) => format!("alias({symbol})"),
                AttributeKind::Mode(mode) => format!("mode({mode})"),
                AttributeKind::VectorSize(bytes) => format!("vector_size({})", expr(bytes)),
                AttributeKind::TransparentUnion => "transparent_union".to_string(),
                AttributeKind::PragmaPack(bytes) => format!("pack({bytes})"),
                AttributeKind::GnuInline => "gnu_inline".to_string(),
                AttributeKind::Unmodelled(name) => format!("unmodelled({name})"),
            };
            format!(" {mark}{shown}")
        })
        .collect()
}

fn type_name(name: &TypeName) -> String {
    declared(&name.specifiers, &name.declarator)
}

fn initializer(value: &Initializer) -> String {
    match &value.kind {
        InitializerKind::Expr(value) => expr(value),
        InitializerKind::List(items) => {
            let shown: Vec<String> = items
                .iter()
                .map(|item| {
                    let eq = if item.designators.is_empty() { "" } else { " = " };
                    designators(&item.designators) + eq + &initializer(&item.initializer)
                })
                .collect();
            format!("{{{}}}", shown.join(", "))
        }
    }
}

fn designators(list: &[Designator]) -> String {
    list.iter()
        .map(|designator| match designator {
            Designator::Field(name, _) => format!(".{name}"),
            Designator::Index(index) => format!("[{}]", expr(index)),
            Designator::Range(first, last) => format!("[{} ... {}]", expr(first), expr(last)),
        })
        .collect()
}

fn block(block: &Block) -> String {
    let items: Vec<String> = block.items.iter().map(|item| stmt(item).trim_end().replace('\n', " ")).collect();
    format!("{{{}}}", items.join(" "))
}

fn stmt(statement: &Stmt) -> String {
    let optional = |value: &Option<Box<Expr>>| value.as_ref().map_or(String::new(), |value| expr(value));
    match &statement.kind {
        StmtKind::Empty => ";".to_string(),
        StmtKind::Expr(value) => format!("{};", expr(value)),
        StmtKind::Block(inner) => block(inner),
        StmtKind::Declaration(item) => declaration(item),
        StmtKind::StaticAssert(assert) => format!("static_assert {}", expr(&assert.condition)),
        StmtKind::NestedFunction(definition) => function(definition),
        StmtKind::LocalLabels(labels) => {
            let labels: Vec<&str> = labels.iter().map(|(name, _)| name.as_str()).collect();
            format!("__label__ {};", labels.join(", "))
        }
        StmtKind::If { condition, then, otherwise } => {
            let otherwise = otherwise.as_ref().map_or(String::new(), |otherwise| format!(" else {}", stmt(otherwise)));
            format!("if ({}) {}{otherwise}", expr(condition), stmt(then))
        }
        StmtKind::While { condition, body } => format!("while ({}) {}", expr(condition), stmt(body)),
        StmtKind::DoWhile { body, condition } => format!("do {} while ({});", stmt(body), expr(condition)),
        StmtKind::For { init, condition, step, body } => {
            let init = init.as_ref().map_or(String::new(), |init| stmt(init));
            let init = init.trim_end_matches([';', '\n']);
            format!("for ({init}; {}; {}) {}", optional(condition), optional(step), stmt(body))
        }
        StmtKind::Switch { value, body } => format!("switch ({}) {}", expr(value), stmt(body)),
        StmtKind::Case { low, high, body } => {
            let high = high.as_ref().map_or(String::new(), |high| format!(" ... {}", expr(high)));
            format!("case {}{high}: {}", expr(low), stmt(body))
        }
        StmtKind::Default(body) => format!("default: {}", stmt(body)),
        StmtKind::Label { name, body } => format!("{name}: {}", stmt(body)),
        StmtKind::Goto(label) => format!("goto {label};"),
        StmtKind::ComputedGoto(target) => format!("goto *{};", expr(target)),
        StmtKind::Break => "break;".to_string(),
        StmtKind::Continue => "continue;".to_string(),
        StmtKind::Return(None) => "return;".to_string(),
        StmtKind::Return(Some(value)) => format!("return {};", expr(value)),
        StmtKind::Asm(statement) => asm(statement),
    }
}

fn asm(statement: &AsmStatement) -> String {
    let mut out = "asm ".to_string();
    out += if statement.is_volatile { "volatile " } else { "" };
    out += if statement.is_goto { "goto " } else { "" };
    out += &format!("{:?}", statement.template);
    if !statement.is_basic {
        for operands in [&statement.outputs, &statement.inputs] {
            out += " :";
            for operand in operands {
                let name = operand.name.as_ref().map_or(String::new(), |name| format!("[{name}]"));
                out += &format!(" {name}{}({})", operand.constraint, expr(&operand.value));
            }
        }
        out += &format!(" :{}{}", if statement.clobbers.is_empty() { "" } else { " " }, statement.clobbers.join(" "));
        for label in &statement.labels {
            out += &format!(" : {label}");
        }
    }
    out + ";"
}

fn exprs(list: &[Expr]) -> String {
    list.iter().map(expr).collect::<Vec<_>>().join(", ")
}

fn expr(value: &Expr) -> String {
    match &value.kind {
        ExprKind::Identifier(name) => name.to_string(),
        ExprKind::Integer(literal) => integer(literal),
        ExprKind::Float(literal) => float(literal),
        ExprKind::Char(literal) => format!("{}'{}'", prefix(literal.encoding), literal.value(true)),
        ExprKind::String(literal) => format!("{}{:?}", prefix(literal.encoding), literal.to_text()),
        ExprKind::FunctionName => "__func__".to_string(),
        ExprKind::Unary { op: op @ (UnaryOp::PostIncrement | UnaryOp::PostDecrement), operand } => {
            format!("({}{})", expr(operand), op.symbol())
        }
        ExprKind::Unary { op, operand } => format!("({}{})", op.symbol(), expr(operand)),
        ExprKind::Binary { op, left, right } => format!("({} {} {})", expr(left), op.symbol(), expr(right)),
        ExprKind::Assign { op, target, value } => {
            format!("({} {}= {})", expr(target), op.map_or("", BinaryOp::symbol), expr(value))
        }
        ExprKind::Conditional { condition, then: Some(then), otherwise } => {
            format!("({} ? {} : {})", expr(condition), expr(then), expr(otherwise))
        }
        ExprKind::Conditional { condition, then: None, otherwise } => {
            format!("({} ?: {})", expr(condition), expr(otherwise))
        }
        ExprKind::Comma(parts) => format!("({})", exprs(parts)),
        ExprKind::Index { base, index } => format!("{}[{}]", expr(base), expr(index)),
        ExprKind::Call { callee, arguments } => format!("{}({})", expr(callee), exprs(arguments)),
        ExprKind::Member { base, field, is_arrow, .. } => {
            format!("{}{}{field}", expr(base), if *is_arrow { "->" } else { "." })
        }
        ExprKind::Cast { type_name: name, operand } => format!("({}){}", type_name(name), expr(operand)),
        ExprKind::CompoundLiteral { type_name: name, initializer: value } => {
            format!("({}){}", type_name(name), initializer(value))
        }
        ExprKind::SizeofExpr(operand) => format!("sizeof({})", expr(operand)),
        ExprKind::SizeofType(name) => format!("sizeof[{}]", type_name(name)),
        ExprKind::AlignofExpr { operand, is_preferred } => format!("{}({})", alignof(*is_preferred), expr(operand)),
        ExprKind::AlignofType { type_name: name, is_preferred } => {
            format!("{}[{}]", alignof(*is_preferred), type_name(name))
        }
        ExprKind::Generic { control, associations } => {
            let control = match &**control {
                GenericControl::Expr(control) => expr(control),
                GenericControl::Type(name) => type_name(name),
            };
            let shown: Vec<String> = associations
                .iter()
                .map(|association| {
                    let label = association.type_name.as_ref().map_or("default".to_string(), type_name);
                    format!("{label}: {}", expr(&association.value))
                })
                .collect();
            format!("_Generic({control}, {})", shown.join(", "))
        }
        ExprKind::StmtExpr(inner) => format!("({})", block(inner)),
        ExprKind::LabelAddress(name) => format!("&&{name}"),
        ExprKind::VaArg { list, type_name: name } => format!("va_arg({}, {})", expr(list), type_name(name)),
        ExprKind::Offsetof { type_name: name, designators: path } => {
            format!("offsetof({}, {})", type_name(name), designators(path))
        }
        ExprKind::TypesCompatible(left, right) => {
            format!("types_compatible({}, {})", type_name(left), type_name(right))
        }
        ExprKind::ChooseExpr { condition, then, otherwise } => {
            format!("choose({}, {}, {})", expr(condition), expr(then), expr(otherwise))
        }
        ExprKind::ConvertVector { value, type_name: name } => {
            format!("convertvector({}, {})", expr(value), type_name(name))
        }
    }
}

fn alignof(is_preferred: bool) -> &'static str {
    if is_preferred { "__alignof__" } else { "_Alignof" }
}

fn prefix(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Plain => "",
        Encoding::Utf8 => "u8",
        Encoding::Utf16 => "u",
        Encoding::Utf32 => "U",
        Encoding::Wide => "L",
    }
}

fn integer(literal: &IntegerLiteral) -> String {
    let length = match literal.length {
        IntegerLength::Int => "",
        IntegerLength::Long => "l",
        IntegerLength::LongLong => "ll",
    };
    let value = if literal.is_decimal { literal.value.to_string() } else { format!("{:#x}", literal.value) };
    let unsigned = if literal.is_unsigned { "u" } else { "" };
    format!("{value}{unsigned}{length}{}", if literal.is_imaginary { "i" } else { "" })
}

fn float(literal: &FloatLiteral) -> String {
    let suffix = match literal.suffix {
        FloatSuffix::Double => String::new(),
        FloatSuffix::Float => "f".to_string(),
        FloatSuffix::LongDouble => "l".to_string(),
        other => format!("{other:?}"),
    };
    format!("{:?}{suffix}{}", literal.value, if literal.is_imaginary { "i" } else { "" })
}
