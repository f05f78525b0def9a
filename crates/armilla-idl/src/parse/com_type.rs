//! Types, names and attributes as MIDL writes them.

use super::ast::{DefinitionKind, Expr, Name, ScopedName, TypeKind, TypeSpec};
use super::com_ast::{ComTypeSpec, MidlAttribute};
use super::{Parsed, Parser};
use crate::lex::{TokenKind, keyword};
use crate::model::Primitive;
use crate::source::Span;

/// Words that say how a compiler of C calls a function or reaches memory.
const CALLING: &[&str] = &[
    "__RPC_FAR",
    "RPC_FAR",
    "FAR",
    "far",
    "__stdcall",
    "_stdcall",
    "__cdecl",
    "_cdecl",
    "__fastcall",
    "STDMETHODCALLTYPE",
    "WINAPI",
    "CALLBACK",
    "pascal",
    "volatile",
];

impl Parser<'_, '_, '_> {
    /// A name that MIDL allows: the keywords of IDL are none of its own.
    pub(super) fn com_name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek();
        if token.kind != TokenKind::Identifier {
            return Err(self.unexpected(what));
        }
        self.bump();
        Ok(Name { text: plain(&token.text), span: token.span })
    }

    /// The name of something that is declared elsewhere.
    fn com_reference(&mut self, what: &str) -> Parsed<ScopedName> {
        let absolute = self.eat("::").is_some();
        let first = self.com_name(what)?;
        let mut rest = Vec::new();
        while self.eat("::").is_some() {
            rest.push(self.com_name("a name after `::`")?);
        }
        Ok(ScopedName { absolute, first, rest })
    }

    /// `[4][]` behind a name.
    pub(super) fn com_dimensions(&mut self) -> Parsed<Vec<Option<Expr>>> {
        let mut dimensions = Vec::new();
        while self.eat("[").is_some() {
            let open = self.at("]") || self.at("*") && self.bump().is("*");
            dimensions.push(if open { None } else { Some(self.expression()?) });
            self.expect("]")?;
        }
        Ok(dimensions)
    }

    /// Attributes in brackets, annotations and directions, in any order.
    pub(super) fn midl_attributes(&mut self) -> Parsed<Vec<MidlAttribute>> {
        let mut attributes = Vec::new();
        loop {
            if self.eat("[").is_some() {
                self.midl_block(&mut attributes)?;
            } else if self.eat("@").is_some() {
                attributes.push(self.midl_attribute()?);
            } else if let Some(direction) =
                ["in", "out", "inout"].into_iter().find(|word| self.at_word(word))
            {
                let span = self.bump().span;
                let names = if direction == "inout" { &["in", "out"][..] } else { &[direction] };
                attributes.extend(names.iter().map(|name| MidlAttribute::plain(name, span)));
            } else {
                return Ok(attributes);
            }
        }
    }

    /// The attributes up to `]`.
    pub(super) fn midl_block(&mut self, attributes: &mut Vec<MidlAttribute>) -> Parsed<()> {
        while !self.at("]") {
            // Old files have a `,` too many.
            if self.eat(",").is_some() {
                continue;
            }
            attributes.push(self.midl_attribute()?);
            if self.eat(",").is_none() {
                break;
            }
        }
        self.expect("]").map(|_| ())
    }

    /// `name` or `name(…)`. The words in parentheses are kept as they are.
    fn midl_attribute(&mut self) -> Parsed<MidlAttribute> {
        let token = self.peek();
        if token.kind != TokenKind::Identifier {
            return Err(self.unexpected("the name of an attribute"));
        }
        self.bump();
        let mut attribute = MidlAttribute::plain(&token.text, token.span);
        if attribute.name == "switch_type" && self.eat("(").is_some() {
            attribute.ty = Some(Box::new(self.nested(Self::com_type)?));
            self.expect(")")?;
        } else if self.eat("(").is_some() {
            attribute.text = Some(self.midl_text()?);
        }
        attribute.span = token.span.to(self.previous());
        Ok(attribute)
    }

    /// What stands up to the `)` of an attribute.
    fn midl_text(&mut self) -> Parsed<String> {
        let mut text = String::new();
        let mut open = 0;
        loop {
            if self.at_end() || ["{", "}", ";"].iter().any(|sign| self.at(sign)) {
                return Err(self.unexpected("`)`"));
            }
            if self.at(")") && open == 0 {
                self.bump();
                return Ok(text);
            }
            let before = self.previous();
            let token = self.bump();
            match &*token.text {
                "(" => open += 1,
                ")" => open -= 1,
                _ => {}
            }
            let apart = token.kind == TokenKind::Identifier && before.end != token.span.start;
            if apart && text.ends_with(|c: char| c.is_alphanumeric()) {
                text.push(' ');
            }
            text.push_str(token.text.trim_matches('"'));
        }
    }

    /// A type and its stars.
    pub(super) fn com_type(&mut self) -> Parsed<ComTypeSpec> {
        self.eat_word("const");
        let start = self.peek().span;
        // MIDL may repeat what kind of type a name has.
        if !self.peek_second().is("{") && self.eat_word("interface").is_some() {
            let token = self.peek();
            let name = Name { text: plain(&token.text), span: token.span };
            self.com_pending(DefinitionKind::ComForward(name), Vec::new());
        } else if !self.peek_second().is("{") {
            let _ = ["struct", "enum", "union"].iter().any(|word| self.eat_word(word).is_some());
        }
        let array = self.at_word("SAFEARRAY") && self.peek_second().is("(");
        let ty = if array { self.safe_array()? } else { self.com_base_type()? };
        let stars = self.com_stars();
        let ty = TypeSpec { span: start.to(self.previous()), ..ty };
        Ok(ComTypeSpec { ty, stars })
    }

    /// Stars, and the words of compilers of C among them.
    pub(super) fn com_stars(&mut self) -> usize {
        let mut stars = 0;
        loop {
            if self.eat("*").is_some() {
                stars += 1;
            } else if self.eat_word("const").is_none()
                && !CALLING.iter().any(|word| self.eat_word(word).is_some())
            {
                return stars;
            }
        }
    }

    /// `SAFEARRAY(T)`: the type of the elements travels with the array.
    fn safe_array(&mut self) -> Parsed<TypeSpec> {
        let first = self.com_name("`SAFEARRAY`")?;
        self.expect("(")?;
        self.nested(Self::com_type)?;
        self.expect(")")?;
        let span = first.span;
        Ok(named(first, span))
    }

    fn com_base_type(&mut self) -> Parsed<TypeSpec> {
        let token = self.peek();
        let sign = ["unsigned", "signed"].into_iter().find(|word| token.is_word(word));
        let word = if sign.is_some() { self.peek_second() } else { token };
        let unsigned = sign == Some("unsigned");
        let primitive = match &*word.text {
            "int" | "__int32" if unsigned => Primitive::ULong,
            "int" | "__int32" => Primitive::Long,
            "hyper" | "__int64" if unsigned => Primitive::ULongLong,
            "hyper" | "__int64" => Primitive::LongLong,
            "char" | "__int8" if sign == Some("signed") => Primitive::Int8,
            "small" | "__int8" if !unsigned => Primitive::Int8,
            "char" | "byte" | "small" | "__int8" => Primitive::Octet,
            "__int16" if unsigned => Primitive::UShort,
            "__int16" => Primitive::Short,
            "wchar_t" => Primitive::WChar,
            "short" if sign == Some("signed") => Primitive::Short,
            "long" if sign == Some("signed") => Primitive::Long,
            _ if keyword::TYPES.contains(&&*word.text) && !word.is_word("void") => {
                let ty = self.nested(Self::simple_type)?;
                self.eat_word("int");
                return Ok(ty);
            }
            // `unsigned` alone, and names.
            _ if sign.is_none() => {
                let name = self.com_reference("a type")?;
                return Ok(TypeSpec { span: name.span(), kind: TypeKind::Named(name) });
            }
            _ => {
                self.bump();
                let kind =
                    TypeKind::Primitive(if unsigned { Primitive::ULong } else { Primitive::Long });
                return Ok(TypeSpec { kind, span: token.span });
            }
        };
        if sign.is_some() {
            self.bump();
        }
        self.bump();
        Ok(TypeSpec { kind: TypeKind::Primitive(primitive), span: token.span.to(self.previous()) })
    }
}

/// Whether a word is one of compilers of C.
pub(super) fn is_calling(word: &str) -> bool {
    CALLING.contains(&word)
}

/// A name without the underscores before it, which mean nothing.
pub(crate) fn plain(name: &str) -> String {
    match name.trim_start_matches('_') {
        digits if digits.starts_with(|c: char| c.is_ascii_digit()) => format!("n{digits}"),
        plain => plain.to_owned(),
    }
}

impl MidlAttribute {
    /// An attribute without parentheses.
    pub(crate) fn plain(name: &str, span: Span) -> Self {
        Self { name: name.to_owned(), text: None, ty: None, span }
    }
}

/// The type of that name.
pub(super) fn named(first: Name, span: Span) -> TypeSpec {
    let name = ScopedName { absolute: false, first, rest: Vec::new() };
    TypeSpec { kind: TypeKind::Named(name), span }
}
