//! Declaration specifiers: `static const unsigned long int` and everything else before a declarator.
//!
//! The words come in any order and are counted, then reduced to one type. A typedef name is a type only while no other
//! type has been seen: in `unsigned T` the `T` is what is being declared.

use ir::Span;

use crate::c::ast::{
    Alignment, BuiltinType, DeclSpecifiers, Declarator, Qualifiers, StorageClass, TypeName, TypeSpecifier,
};
use crate::c::lex::{Keyword, Punct, TokenKind};
use crate::c::parse::{Failed, Parse, Parser};

/// Counts of the type words seen so far.
#[derive(Default)]
struct TypeWords {
    n_signed: u8,
    n_unsigned: u8,
    n_short: u8,
    n_long: u8,
    n_int: u8,
    n_complex: u8,
    /// `char`, `float`, `double`, ... and how many of them.
    base: Option<BuiltinType>,
    n_bases: u8,
}

impl TypeWords {
    fn is_empty(&self) -> bool {
        let n_words =
            [self.n_signed, self.n_unsigned, self.n_short, self.n_long, self.n_int, self.n_complex, self.n_bases];
        n_words.iter().all(|&n| n == 0)
    }

    /// Whether `_Complex` stands alone, which `_Float64` may follow.
    fn may_add_predeclared(&self) -> bool {
        let n_others = [self.n_signed, self.n_unsigned, self.n_short, self.n_long, self.n_int, self.n_bases];
        self.n_complex > 0 && n_others.iter().all(|&n| n == 0)
    }

    /// Counts a keyword if it is a type word.
    fn count(&mut self, keyword: Keyword) -> bool {
        let base = match keyword {
            Keyword::Void => BuiltinType::Void,
            Keyword::Bool => BuiltinType::Bool,
            Keyword::Char => BuiltinType::Char,
            Keyword::Float => BuiltinType::Float,
            Keyword::Double => BuiltinType::Double,
            Keyword::Int128 => BuiltinType::Int128,
            Keyword::Decimal32 => BuiltinType::Decimal32,
            Keyword::Decimal64 => BuiltinType::Decimal64,
            Keyword::Decimal128 => BuiltinType::Decimal128,
            _ => {
                let counter = match keyword {
                    Keyword::Signed => &mut self.n_signed,
                    Keyword::Unsigned => &mut self.n_unsigned,
                    Keyword::Short => &mut self.n_short,
                    Keyword::Long => &mut self.n_long,
                    Keyword::Int => &mut self.n_int,
                    Keyword::Complex => &mut self.n_complex,
                    _ => return false,
                };
                *counter = counter.saturating_add(1);
                return true;
            }
        };
        self.add_base(base);
        true
    }

    fn add_base(&mut self, base: BuiltinType) {
        self.base = Some(base);
        self.n_bases = self.n_bases.saturating_add(1);
    }

    /// The type that the words make together, if they make one.
    fn reduce(&self) -> Option<TypeSpecifier> {
        let sign = match (self.n_signed, self.n_unsigned) {
            (0, 0) => None,
            (_, 0) => Some(false),
            (0, _) => Some(true),
            _ => return None,
        };
        let has_length = self.n_short > 0 || self.n_long > 0;
        if self.n_bases > 1 || self.n_int > 1 || self.n_complex > 1 || self.n_bases > 0 && self.n_int > 0 {
            return None;
        }
        let unsigned = sign == Some(true);
        let pick = |plain, when_unsigned| if unsigned { when_unsigned } else { plain };
        let builtin = match self.base {
            Some(BuiltinType::Char) if !has_length => match sign {
                None => BuiltinType::Char,
                Some(false) => BuiltinType::SignedChar,
                Some(true) => BuiltinType::UnsignedChar,
            },
            Some(BuiltinType::Int128) if !has_length => pick(BuiltinType::Int128, BuiltinType::UnsignedInt128),
            Some(BuiltinType::Double) if sign.is_none() && self.n_short == 0 && self.n_long == 1 => {
                BuiltinType::LongDouble
            }
            Some(base) if !has_length && sign.is_none() => base,
            Some(_) => return None,
            // `_Complex` alone is `_Complex double`.
            None if self.n_complex > 0 && self.n_int == 0 && sign.is_none() && !has_length => BuiltinType::Double,
            None => match (self.n_short, self.n_long) {
                (0, 0) => pick(BuiltinType::Int, BuiltinType::UnsignedInt),
                (1, 0) => pick(BuiltinType::Short, BuiltinType::UnsignedShort),
                (0, 1) => pick(BuiltinType::Long, BuiltinType::UnsignedLong),
                (0, 2) => pick(BuiltinType::LongLong, BuiltinType::UnsignedLongLong),
                _ => return None,
            },
        };
        Some(if self.n_complex > 0 { TypeSpecifier::Complex(builtin) } else { TypeSpecifier::Builtin(builtin) })
    }
}

impl Parser<'_> {
    /// Whether the token `ahead` of the current one can begin a type name.
    pub(in crate::c::parse) fn is_type_ahead(&self, ahead: usize) -> bool {
        match self.kind_ahead(self.skip_extension(ahead)) {
            TokenKind::Identifier(name) => self.scopes.is_typedef(name),
            TokenKind::Keyword(keyword) => match keyword {
                Keyword::Const | Keyword::Volatile | Keyword::Restrict | Keyword::Atomic => true,
                Keyword::Struct | Keyword::Union | Keyword::Enum | Keyword::Typeof | Keyword::AutoType => true,
                Keyword::Attribute | Keyword::Alignas | Keyword::Nullability => true,
                _ => TypeWords::default().count(keyword),
            },
            _ => false,
        }
    }

    fn skip_extension(&self, mut ahead: usize) -> usize {
        while self.kind_ahead(ahead) == TokenKind::Keyword(Keyword::Extension) {
            ahead += 1;
        }
        ahead
    }

    /// Whether a declaration begins `ahead` of the current token.
    pub(in crate::c::parse) fn is_declaration_ahead(&self, ahead: usize) -> bool {
        let ahead = self.skip_extension(ahead);
        match self.kind_ahead(ahead) {
            TokenKind::Keyword(keyword) => match keyword {
                Keyword::Typedef | Keyword::Extern | Keyword::Static | Keyword::Auto | Keyword::Register => true,
                Keyword::Inline | Keyword::NoReturn | Keyword::ThreadLocal | Keyword::StaticAssert => true,
                _ => self.is_type_ahead(ahead),
            },
            _ => self.is_type_ahead(ahead),
        }
    }

    /// Whether the current token is a name that only makes sense as a type nobody has declared: `foo_t x`.
    pub(in crate::c::parse) fn is_unknown_type(&self) -> bool {
        matches!(self.kind(), TokenKind::Identifier(name) if !self.scopes.is_typedef(name))
            && matches!(self.kind_ahead(1), TokenKind::Identifier(_))
    }

    /// Parses declaration specifiers. Where a type must come (`must_be_type`), an unknown name is reported as such.
    pub(in crate::c::parse) fn specifiers(&mut self, must_be_type: bool) -> Parse<DeclSpecifiers> {
        let first = self.span();
        let mut words = TypeWords::default();
        let mut named: Option<TypeSpecifier> = None;
        let mut result = DeclSpecifiers {
            storage: None,
            is_thread_local: false,
            is_inline: false,
            is_noreturn: false,
            qualifiers: Qualifiers::default(),
            type_specifier: TypeSpecifier::ImplicitInt,
            alignments: Vec::new(),
            attributes: Vec::new(),
            span: first,
        };
        let began_at = self.at;
        loop {
            let token = self.token();
            let keyword = match token.kind {
                TokenKind::Identifier(name) if named.is_none() && words.may_add_predeclared() => {
                    let Some(builtin) = self.scopes.predeclared(name) else { break };
                    words.add_base(builtin);
                    self.bump();
                    continue;
                }
                TokenKind::Identifier(name) if named.is_none() && words.is_empty() => {
                    if !self.scopes.is_typedef(name) {
                        let is_type = self.is_unknown_type()
                            || must_be_type && self.kind_ahead(1) == TokenKind::Punct(Punct::Star);
                        if !is_type {
                            break;
                        }
                        self.report_unknown_type();
                        self.scopes.assume_typedef(name);
                    }
                    self.bump();
                    match self.scopes.predeclared(name) {
                        Some(builtin) => words.add_base(builtin),
                        None => named = Some(TypeSpecifier::TypedefName(self.name(name))),
                    }
                    continue;
                }
                TokenKind::Keyword(keyword) => keyword,
                TokenKind::Punct(Punct::LeftBracket) if self.is_attribute() => Keyword::Attribute,
                _ => break,
            };
            if words.count(keyword) {
                if named.is_some() {
                    return Err(self.two_types(token.span));
                }
                self.bump();
                continue;
            }
            let storage = match keyword {
                Keyword::Typedef => Some(StorageClass::Typedef),
                Keyword::Extern => Some(StorageClass::Extern),
                Keyword::Static => Some(StorageClass::Static),
                Keyword::Auto => Some(StorageClass::Auto),
                Keyword::Register => Some(StorageClass::Register),
                _ => None,
            };
            if storage.is_some() {
                if result.storage.is_some() {
                    let message = "more than one storage class in a declaration";
                    return Err(self.fail(token.span, message, "keep one of typedef, extern, static, auto, register"));
                }
                result.storage = storage;
                self.bump();
                continue;
            }
            match keyword {
                Keyword::ThreadLocal => result.is_thread_local = true,
                Keyword::Inline => result.is_inline = true,
                Keyword::NoReturn => result.is_noreturn = true,
                Keyword::Extension | Keyword::Nullability => {}
                Keyword::Const | Keyword::Volatile | Keyword::Restrict => {
                    self.qualifier(&mut result.qualifiers);
                    continue;
                }
                Keyword::Alignas => {
                    self.bump();
                    result.alignments.push(self.alignment()?);
                    continue;
                }
                Keyword::Attribute => {
                    self.attributes(&mut result.attributes)?;
                    continue;
                }
                Keyword::Atomic if self.kind_ahead(1) != TokenKind::Punct(Punct::LeftParen) => {
                    self.qualifier(&mut result.qualifiers);
                    continue;
                }
                Keyword::Atomic
                | Keyword::Struct
                | Keyword::Union
                | Keyword::Enum
                | Keyword::Typeof
                | Keyword::AutoType => {
                    if named.is_some() || !words.is_empty() {
                        return Err(self.two_types(token.span));
                    }
                    named = Some(self.nested(|parser| parser.structured_type(keyword))?);
                    continue;
                }
                _ => break,
            }
            self.bump();
        }
        if self.at == began_at && must_be_type {
            return Err(self.expected("a type", "write a type such as `int`, or declare the name with typedef first"));
        }
        result.span = if self.at > began_at { self.from(first) } else { first };
        result.type_specifier = match named {
            Some(named) => named,
            None if words.is_empty() => TypeSpecifier::ImplicitInt,
            None => match words.reduce() {
                Some(reduced) => reduced,
                None => {
                    let note = "use one of the combinations that C has, such as `unsigned long`";
                    return Err(self.fail(result.span, "these words do not make a type together", note));
                }
            },
        };
        Ok(result)
    }

    /// Consumes a qualifier if one stands here.
    pub(in crate::c::parse) fn qualifier(&mut self, qualifiers: &mut Qualifiers) -> bool {
        match self.kind() {
            TokenKind::Keyword(Keyword::Const) => qualifiers.is_const = true,
            TokenKind::Keyword(Keyword::Volatile) => qualifiers.is_volatile = true,
            TokenKind::Keyword(Keyword::Restrict) => qualifiers.is_restrict = true,
            TokenKind::Keyword(Keyword::Atomic) => qualifiers.is_atomic = true,
            TokenKind::Keyword(Keyword::Nullability) => {}
            _ => return false,
        }
        self.bump();
        true
    }

    fn structured_type(&mut self, keyword: Keyword) -> Parse<TypeSpecifier> {
        match keyword {
            Keyword::Struct | Keyword::Union => self.record().map(|record| TypeSpecifier::Record(Box::new(record))),
            Keyword::Enum => self.enumeration().map(|enumeration| TypeSpecifier::Enum(Box::new(enumeration))),
            Keyword::AutoType => {
                self.bump();
                Ok(TypeSpecifier::Auto)
            }
            Keyword::Atomic => {
                self.bump();
                self.expect(Punct::LeftParen, "after `_Atomic`")?;
                let type_name = self.type_name()?;
                self.expect(Punct::RightParen, "after the type")?;
                Ok(TypeSpecifier::Atomic(Box::new(type_name)))
            }
            _ => {
                self.bump();
                self.expect(Punct::LeftParen, "after `typeof`")?;
                let specifier = if self.is_type_ahead(0) {
                    TypeSpecifier::TypeofType(Box::new(self.type_name()?))
                } else {
                    TypeSpecifier::TypeofExpr(Box::new(self.expression()?))
                };
                self.expect(Punct::RightParen, "after the operand of `typeof`")?;
                Ok(specifier)
            }
        }
    }

    /// The parenthesised operand of `_Alignas`.
    fn alignment(&mut self) -> Parse<Alignment> {
        self.expect(Punct::LeftParen, "after `_Alignas`")?;
        let alignment = if self.is_type_ahead(0) {
            Alignment::Type(Box::new(self.nested(|parser| parser.type_name())?))
        } else {
            Alignment::Expr(Box::new(self.nested(|parser| parser.conditional())?))
        };
        self.expect(Punct::RightParen, "after the alignment")?;
        Ok(alignment)
    }

    /// A type as in a cast.
    pub(in crate::c::parse) fn type_name(&mut self) -> Parse<TypeName> {
        let first = self.span();
        let specifiers = self.specifiers(true)?;
        let declarator: Declarator = self.abstract_declarator()?;
        Ok(TypeName { specifiers, declarator, span: self.from(first) })
    }

    fn report_unknown_type(&mut self) {
        let message = format!("`{}` is not a known type", String::from_utf8_lossy(self.spelling(self.token())));
        let note = "declare it with typedef, or include the header that declares it";
        self.fail(self.span(), message, note);
    }

    fn two_types(&mut self, span: Span) -> Failed {
        self.fail(span, "a second type in one declaration", "remove one of the types, or separate them with `;`")
    }
}
