//! How is a program built of its words? Classes, members and statements; expressions are in `parse_expr`.
//!
//! Recursive descent with the usual precedence. The body of `if` and `while` without braces is one statement (the published tool takes
//! everything up to the closing brace). The first error ends the reading of a file.

use super::ast::{ClassDecl, Expr, ExprKind, MethodDecl, Name, Stmt, StmtKind, TypeName};
use super::lex::Token;
use ir::{Diagnostic, Span};

/// Deeper nesting is refused, so that no text can exhaust the stack.
const MAX_NESTING: u32 = 150;

pub(super) type Parsed<T> = Result<T, Diagnostic>;

pub(super) struct Parser {
    tokens: Vec<(Token, Span)>,
    at: usize,
    nesting: u32,
}

/// The classes and interfaces of a file.
pub(super) fn parse(tokens: Vec<(Token, Span)>) -> Parsed<Vec<ClassDecl>> {
    let mut parser = Parser { tokens, at: 0, nesting: 0 };
    let mut classes = Vec::new();
    while !matches!(parser.peek(), Token::End) {
        classes.push(parser.class()?);
    }
    Ok(classes)
}

impl Parser {
    pub(super) fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> &Token {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + ahead).min(last)].0
    }

    pub(super) fn span(&self) -> Span {
        self.tokens[self.at.min(self.tokens.len() - 1)].1
    }

    pub(super) fn bump(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(other) if *other == sign)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(other) if *other == word)
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.is_sign(text) || self.is_word(text);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn need(&mut self, text: &str) -> Parsed<()> {
        if self.eat(text) { Ok(()) } else { Err(self.expected(&format!("`{text}`"))) }
    }

    pub(super) fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.peek() {
            Token::Name(name) => format!("`{name}`"),
            Token::Word(word) | Token::Sign(word) => format!("`{word}`"),
            Token::End => "the end of the file".to_string(),
            Token::Int(value) => format!("`{value}`"),
            Token::Float(value) => format!("`{value}`"),
            Token::Char(_) => "a character".to_string(),
            Token::Text(_) => "a text".to_string(),
        };
        Diagnostic::error(self.span(), format!("expected {what}, found {found}"))
    }

    pub(super) fn name(&mut self) -> Parsed<Name> {
        let span = self.span();
        match self.peek().clone() {
            Token::Name(text) => {
                self.bump();
                Ok(Name { text, span })
            }
            _ => Err(self.expected("a name")),
        }
    }

    /// Runs a part one level deeper.
    pub(super) fn nested<T>(&mut self, part: impl FnOnce(&mut Parser) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            return Err(Diagnostic::error(self.span(), "this is nested too deeply"));
        }
        self.nesting += 1;
        let result = part(self);
        self.nesting -= 1;
        result
    }

    fn names(&mut self) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name()?];
        while self.eat(",") {
            names.push(self.name()?);
        }
        Ok(names)
    }

    fn class(&mut self) -> Parsed<ClassDecl> {
        let is_interface = match self.peek() {
            Token::Word("class") => false,
            Token::Word("interface") => true,
            _ => return Err(self.expected("`class` or `interface`")),
        };
        self.bump();
        let name = self.name()?;
        let extends = match self.eat("extends") {
            true if is_interface => self.names()?,
            true => vec![self.name()?],
            false => Vec::new(),
        };
        let implements = if !is_interface && self.eat("implements") { self.names()? } else { Vec::new() };
        let mut class = ClassDecl { name, is_interface, extends, implements, fields: Vec::new(), methods: Vec::new() };
        self.need("{")?;
        while !self.eat("}") {
            self.member(&mut class)?;
        }
        Ok(class)
    }

    fn member(&mut self, class: &mut ClassDecl) -> Parsed<()> {
        let span = self.span();
        let is_static = self.eat("static");
        let is_constructor = matches!((self.peek(), self.peek_at(1)), (Token::Name(_), Token::Sign("(")));
        if is_constructor {
            let name = self.name()?;
            if name.text != class.name.text || is_static || class.is_interface {
                let message =
                    format!("`{}` has no type; only a constructor of the class `{0}` would have none", name.text);
                return Err(Diagnostic::error(name.span, message));
            }
            let returns = TypeName { name: class.name.text.clone(), dims: 0, span };
            let method = self.method(name, returns, false, true)?;
            if method.body.is_none() {
                return Err(Diagnostic::error(method.name.span, format!("`{}` has no body", method.name.text)));
            }
            class.methods.push(method);
            return Ok(());
        }
        let ty = self.type_name(true)?;
        let name = self.name()?;
        if self.is_sign("(") {
            let method = self.method(name, ty, is_static, false)?;
            if method.body.is_none() && !class.is_interface {
                return Err(Diagnostic::error(method.name.span, format!("`{}` has no body", method.name.text)));
            }
            let clause = [&method.requires, &method.ensures, &method.exceptional].into_iter().flatten().next();
            if let (None, Some(clause)) = (&method.body, clause) {
                let message = format!("`{}` has no body, so nothing checks its specification", method.name.text);
                return Err(Diagnostic::error(clause.span, message));
            }
            if method.is_static && class.is_interface {
                return Err(Diagnostic::error(method.name.span, "interfaces have no static methods"));
            }
            class.methods.push(method);
            return Ok(());
        }
        if is_static || class.is_interface {
            let what = if is_static { "there are no static fields" } else { "interfaces have no fields" };
            return Err(Diagnostic::error(name.span, what));
        }
        if ty.name == "void" {
            return Err(Diagnostic::error(ty.span, "a field has a type other than void"));
        }
        self.need(";")?;
        class.fields.push((ty, name));
        Ok(())
    }

    fn method(&mut self, name: Name, returns: TypeName, is_static: bool, is_constructor: bool) -> Parsed<MethodDecl> {
        let mut params = Vec::new();
        self.need("(")?;
        while !self.eat(")") {
            if !params.is_empty() {
                self.need(",")?;
            }
            let ty = self.type_name(false)?;
            params.push((ty, self.name()?));
        }
        let requires = self.clause("requires")?;
        let ensures = self.clause("ensures")?;
        let exceptional = self.clause("exceptional")?;
        let (mut body, mut end) = (None, self.span());
        if !self.eat(";") {
            self.need("{")?;
            body = Some(self.stmts()?);
            end = self.span();
            self.need("}")?;
        }
        Ok(MethodDecl { name, is_static, is_constructor, returns, params, requires, ensures, exceptional, body, end })
    }

    /// A clause of a specification; its second part is one more condition.
    fn clause(&mut self, word: &str) -> Parsed<Option<Expr>> {
        if !self.eat(word) {
            return Ok(None);
        }
        self.need("(")?;
        let mut cond = self.expr()?;
        if self.eat(",") {
            let test = self.expr()?;
            let span = cond.span;
            cond = Expr { kind: ExprKind::Binary("&&", Box::new(cond), Box::new(test)), span };
        }
        self.need(")")?;
        Ok(Some(cond))
    }

    pub(super) fn type_name(&mut self, may_be_void: bool) -> Parsed<TypeName> {
        let span = self.span();
        let name = match self.peek().clone() {
            Token::Name(name) => name,
            Token::Word(word @ ("int" | "uint" | "bool" | "float" | "char" | "string")) => word.to_string(),
            Token::Word("void") if may_be_void => "void".to_string(),
            _ => return Err(self.expected("a type")),
        };
        self.bump();
        let mut dims = 0u8;
        while self.is_sign("[") && matches!(self.peek_at(1), Token::Sign("]")) {
            self.bump();
            self.bump();
            dims = dims
                .checked_add(1)
                .filter(|dims| *dims < 16)
                .ok_or_else(|| Diagnostic::error(span, "too many dimensions"))?;
        }
        if name == "void" && dims > 0 {
            return Err(Diagnostic::error(span, "there are no arrays of nothing"));
        }
        Ok(TypeName { name, dims, span })
    }

    fn stmts(&mut self) -> Parsed<Vec<Stmt>> {
        let mut stmts = Vec::new();
        while !self.is_sign("}") {
            stmts.push(self.stmt()?);
        }
        Ok(stmts)
    }

    fn block(&mut self) -> Parsed<Vec<Stmt>> {
        self.need("{")?;
        let stmts = self.stmts()?;
        self.need("}")?;
        Ok(stmts)
    }

    fn stmt(&mut self) -> Parsed<Stmt> {
        let span = self.span();
        let kind = self.nested(Parser::stmt_kind)?;
        Ok(Stmt { kind, span })
    }

    fn stmt_kind(&mut self) -> Parsed<StmtKind> {
        let token = self.peek().clone();
        let kind = match token {
            Token::Sign("{") => return Ok(StmtKind::Block(self.block()?)),
            Token::Sign(";") => StmtKind::Skip,
            Token::Word("int" | "uint" | "bool" | "float" | "char" | "string") => self.declaration()?,
            Token::Word("if") => return self.if_stmt(),
            Token::Word("while") => {
                self.bump();
                self.need("(")?;
                let cond = self.expr()?;
                self.need(")")?;
                return Ok(StmtKind::While { cond, body: Box::new(self.stmt()?) });
            }
            Token::Word("try") => {
                self.bump();
                let body = self.block()?;
                self.need("catch")?;
                return Ok(StmtKind::Try { body, handler: self.block()? });
            }
            Token::Word(word @ ("assert" | "assume" | "lock" | "unlock" | "fork")) => {
                self.bump();
                let operand = self.expr()?;
                match word {
                    "assert" => StmtKind::Assert(operand),
                    "assume" => StmtKind::Assume(operand),
                    "lock" => StmtKind::Lock(operand),
                    "unlock" => StmtKind::Unlock(operand),
                    _ => StmtKind::Fork(operand),
                }
            }
            Token::Word(word @ ("join" | "continue" | "break")) => {
                self.bump();
                match word {
                    "join" => StmtKind::Join,
                    "continue" => StmtKind::Continue,
                    _ => StmtKind::Break,
                }
            }
            Token::Word("return") => {
                self.bump();
                StmtKind::Return(if self.is_sign(";") { None } else { Some(self.expr()?) })
            }
            Token::Word("throw") => {
                self.bump();
                let span = self.span();
                match self.bump() {
                    Token::Text(text) => StmtKind::Throw(text),
                    _ => return Err(Diagnostic::error(span, "`throw` takes a text, as in `throw \"empty\";`")),
                }
            }
            _ if self.is_declaration() => self.declaration()?,
            _ => {
                let to = self.expr()?;
                match (self.eat(":="), &to.kind) {
                    (true, _) => StmtKind::Assign { value: self.expr()?, to },
                    (false, ExprKind::Call { .. } | ExprKind::Super { .. } | ExprKind::New { .. }) => {
                        StmtKind::Call(to)
                    }
                    (false, _) if self.is_sign(";") => {
                        return Err(Diagnostic::error(to.span, "this expression is no statement"));
                    }
                    (false, _) => return Err(self.expected("`:=`")),
                }
            }
        };
        self.need(";")?;
        Ok(kind)
    }

    /// Whether a statement that begins with a name is a declaration.
    fn is_declaration(&self) -> bool {
        matches!(
            (self.peek(), self.peek_at(1), self.peek_at(2)),
            (Token::Name(_), Token::Name(_), _) | (Token::Name(_), Token::Sign("["), Token::Sign("]"))
        )
    }

    fn declaration(&mut self) -> Parsed<StmtKind> {
        let ty = self.type_name(false)?;
        let name = self.name()?;
        let value = if self.eat(":=") { Some(self.expr()?) } else { None };
        Ok(StmtKind::Declare { ty, name, value })
    }

    fn if_stmt(&mut self) -> Parsed<StmtKind> {
        self.bump();
        self.need("(")?;
        let cond = self.expr()?;
        self.need(")")?;
        let then = Box::new(self.stmt()?);
        let otherwise = if self.eat("else") { Some(Box::new(self.stmt()?)) } else { None };
        Ok(StmtKind::If { cond, then, otherwise })
    }
}
