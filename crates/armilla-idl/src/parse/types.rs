//! The rules of types.

use super::ast::{Definition, TypeKind, TypeSpec};
use super::{Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::TokenKind;
use crate::model::Primitive;

impl Parser<'_, '_, '_> {
    /// Any type, including a struct, union or enum that is declared inline.
    pub(super) fn type_spec(&mut self) -> Parsed<TypeSpec> {
        let docs = self.docs();
        let start = self.peek();
        if start.kind == TokenKind::Identifier {
            let kind = match &*start.text {
                "struct" => Some(self.nested(Self::structure)?),
                "union" => Some(self.nested(Self::union)?),
                "enum" => Some(self.enumeration()?),
                _ => None,
            };
            if let Some(kind) = kind {
                let kind = TypeKind::Constructed(Box::new(Definition { docs, kind }));
                return Ok(TypeSpec { kind, span: start.span });
            }
        }
        self.simple_type()
    }

    /// The type of a parameter, a result or an attribute, which must have a name.
    pub(super) fn parameter_type(&mut self, what: &str) -> Parsed<TypeSpec> {
        let ty = self.type_spec()?;
        let anonymous = matches!(
            ty.kind,
            TypeKind::Sequence(..)
                | TypeKind::Map(..)
                | TypeKind::Fixed(..)
                | TypeKind::Constructed(_)
        );
        if anonymous {
            let message = format!("the type of {what} must have a name");
            let diagnostic = Diagnostic::error(Code::AnonymousType, ty.span, message);
            let help = match ty.kind {
                TypeKind::Sequence(..) => "declare the sequence with `typedef` and use that name",
                TypeKind::Map(..) => "declare the map with `typedef` and use that name",
                TypeKind::Fixed(..) => {
                    "declare the fixed-point type with `typedef` and use that name"
                }
                _ => "declare the type outside and use its name",
            };
            self.session.report(diagnostic.help(help));
            return Ok(TypeSpec { kind: TypeKind::Unsupported, ..ty });
        }
        Ok(ty)
    }

    /// A type that is not declared inline.
    pub(super) fn simple_type(&mut self) -> Parsed<TypeSpec> {
        self.annotations();
        let start = self.peek();
        if start.kind != TokenKind::Identifier && !start.is("::") {
            return Err(self.unexpected("a type"));
        }
        let kind = match &*start.text {
            "sequence" => self.sequence()?,
            "string" => {
                self.bump();
                TypeKind::String(self.bound()?)
            }
            "wstring" => {
                self.bump();
                TypeKind::WString(self.bound()?)
            }
            "fixed" => self.fixed()?,
            "map" if self.peek_second().is("<") => self.map()?,
            "Object" => self.single(TypeKind::Object),
            "any" => self.single(TypeKind::Any),
            "ValueBase" => self.single(TypeKind::ValueBase),
            "void" => {
                let message = "`void` is only for the result of an operation";
                return Err(self.fail(Diagnostic::error(Code::BadType, start.span, message)));
            }
            _ => match self.primitive()? {
                Some(primitive) => TypeKind::Primitive(primitive),
                None => TypeKind::Named(self.scoped_name("a type")?),
            },
        };
        let span = start.span.to(self.previous());
        Ok(TypeSpec { kind, span })
    }

    fn single(&mut self, kind: TypeKind) -> TypeKind {
        self.bump();
        kind
    }

    fn primitive(&mut self) -> Parsed<Option<Primitive>> {
        let token = self.peek();
        let primitive = match &*token.text {
            "short" => Primitive::Short,
            "long" => {
                self.bump();
                return Ok(Some(if self.eat_word("long").is_some() {
                    Primitive::LongLong
                } else if self.eat_word("double").is_some() {
                    Primitive::LongDouble
                } else {
                    Primitive::Long
                }));
            }
            "unsigned" => return self.unsigned().map(Some),
            "float" => Primitive::Float,
            "double" => Primitive::Double,
            "char" => Primitive::Char,
            "wchar" => Primitive::WChar,
            "boolean" => Primitive::Boolean,
            "octet" => Primitive::Octet,
            _ => return Ok(None),
        };
        self.bump();
        Ok(Some(primitive))
    }

    fn unsigned(&mut self) -> Parsed<Primitive> {
        self.bump();
        if self.eat_word("short").is_some() {
            Ok(Primitive::UShort)
        } else if self.eat_word("long").is_none() {
            Err(self.unexpected("`short` or `long` after `unsigned`"))
        } else if self.eat_word("long").is_some() {
            Ok(Primitive::ULongLong)
        } else {
            Ok(Primitive::ULong)
        }
    }

    fn sequence(&mut self) -> Parsed<TypeKind> {
        self.bump();
        self.expect("<")?;
        let element = self.nested(Self::simple_type)?;
        let bound = match self.eat(",") {
            Some(_) => Some(self.bound_expression()?),
            None => None,
        };
        self.close_angle()?;
        Ok(TypeKind::Sequence(Box::new(element), bound))
    }

    fn map(&mut self) -> Parsed<TypeKind> {
        self.bump();
        self.expect("<")?;
        let key = self.nested(Self::simple_type)?;
        if self.eat(",").is_none() {
            return Err(self.unexpected("`,` and the type of the values"));
        }
        let value = self.nested(Self::simple_type)?;
        let bound = match self.eat(",") {
            Some(_) => Some(self.bound_expression()?),
            None => None,
        };
        self.close_angle()?;
        Ok(TypeKind::Map(Box::new(key), Box::new(value), bound))
    }

    /// `fixed<5, 2>`, or `fixed` alone, which is the type of a constant.
    fn fixed(&mut self) -> Parsed<TypeKind> {
        self.bump();
        if self.eat("<").is_none() {
            return Ok(TypeKind::FixedConstant);
        }
        let digits = self.bound_expression()?;
        if self.eat(",").is_none() {
            return Err(self.unexpected("`,` and the digits behind the point"));
        }
        let scale = self.bound_expression()?;
        self.close_angle()?;
        Ok(TypeKind::Fixed(Box::new(digits), Box::new(scale)))
    }

    /// `<10>` after `string`.
    fn bound(&mut self) -> Parsed<Option<super::ast::Expr>> {
        if self.eat("<").is_none() {
            return Ok(None);
        }
        let bound = self.bound_expression()?;
        self.close_angle()?;
        Ok(Some(bound))
    }

    /// Consumes one `>`, which may be the first half of a `>>`.
    pub(super) fn close_angle(&mut self) -> Parsed<()> {
        if self.half_angle {
            self.half_angle = false;
            self.bump();
        } else if self.at(">>") {
            self.half_angle = true;
        } else {
            self.expect(">")?;
        }
        Ok(())
    }
}
