//! Types for interfaces of COM: `@com struct S { … };`, `@com enum E { … };`, `@com typedef T A;`, and the
//! same as MIDL writes it, `typedef [public] struct tagS { … } S;`.

use super::ast::{Definition, DefinitionKind, Name};
use super::com_ast::{
    ComDefinition, ComDefinitionKind, ComField, ComTypeSpec, ComValue, MidlAttribute,
};
use super::com_type::{is_calling, named, plain};
use super::{Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::TokenKind;

impl Parser<'_, '_, '_> {
    /// Whether something of COM follows.
    pub(super) fn begins_com(&mut self) -> bool {
        let second = |words: &[&str], parser: &mut Self| {
            let second = parser.peek_second();
            words.iter().any(|word| second.is_word(word))
        };
        self.at("[")
            || self.at("@") && second(&["uuid", "com"], self)
            || self.at_word("typedef") && self.peek_second().is("[")
    }

    /// An interface of COM or a type for one, with its attributes.
    pub(super) fn com_definition(&mut self) -> Parsed<DefinitionKind> {
        let before = std::mem::take(&mut self.pending);
        let kind = self.midl_attributes().and_then(|attributes| self.com_behind(attributes));
        let mut all = std::mem::replace(&mut self.pending, before);
        let kind = kind?;
        if all.is_empty() {
            return Ok(kind);
        }
        // The comment before the whole belongs to its last part.
        all.push(Definition { docs: Vec::new(), kind });
        Ok(DefinitionKind::ComGroup(all))
    }

    /// Keeps a definition that stands within another one for the scope around that.
    pub(super) fn com_pending(&mut self, kind: DefinitionKind, docs: Vec<String>) {
        self.pending.push(Definition { docs, kind });
    }

    /// What follows the attributes.
    fn com_behind(&mut self, mut attributes: Vec<MidlAttribute>) -> Parsed<DefinitionKind> {
        let (kind, name) = match &*self.peek().text {
            "interface" => return self.com_interface(attributes),
            "struct" | "enum" | "union" => {
                let (kind, name) = self.com_body()?;
                let name = match (name, &kind) {
                    (Some(name), _) => name,
                    (None, ComDefinitionKind::Enum(values))
                        if self.in_midl() && !values.is_empty() =>
                    {
                        nameless(&values[0])
                    }
                    (None, _) => return Err(self.unexpected("the name of the type")),
                };
                (kind, name)
            }
            "typedef" => {
                self.bump();
                attributes.append(&mut self.midl_attributes()?);
                return self.com_typedef(attributes);
            }
            _ => match self.midl_behind(&attributes)? {
                Some(kind) => return Ok(kind),
                None => return Err(self.not_of_com(&attributes)),
            },
        };
        self.expect_semicolon("the type")?;
        Ok(DefinitionKind::ComType(ComDefinition { attributes, name, tag: None, kind }))
    }

    fn not_of_com(&mut self, attributes: &[MidlAttribute]) -> super::Failed {
        let (span, found) = (self.peek().span, self.peek().text.clone());
        let message = format!(
            "attributes of COM stand before `interface`, `struct`, `union`, `enum` and `typedef`, \
             not before `{found}`"
        );
        let error = Diagnostic::error(Code::BadCom, span, message);
        let help = match attributes.iter().any(|it| it.name == "com") {
            true => "leave out `@com`",
            false => "nothing else is read: declare what else the file has by hand",
        };
        self.fail(error.help(help))
    }

    /// Whether a body follows `struct`, `enum` or `union`, with a name or without.
    fn com_begins_body(&mut self) -> bool {
        let words = ["struct", "enum", "union"];
        let ahead = |at: usize, parser: &Self, sign: &str| {
            parser.tokens.get(parser.next + at).is_some_and(|token| token.is(sign))
        };
        words.iter().any(|word| self.at_word(word))
            && (ahead(1, self, "{")
                || ahead(2, self, "{")
                || self.at_word("union")
                    && [1, 2].iter().any(|at| {
                        self.tokens.get(self.next + at).is_some_and(|it| it.is_word("switch"))
                    }))
    }

    /// What stands between `typedef` and `;`: `struct tagS { … } S, *PS;`
    fn com_typedef(&mut self, attributes: Vec<MidlAttribute>) -> Parsed<DefinitionKind> {
        let (mut base, mut stars) = (None, 0);
        if self.com_begins_body() {
            let (kind, tag) = self.com_body()?;
            stars = self.com_stars();
            base = Some(self.com_named_body(attributes.clone(), kind, tag, stars)?);
            if stars == 0 && self.eat(",").is_none() {
                self.expect_semicolon("the type")?;
                return Ok(self.last_pending());
            }
            if stars == 0 {
                stars = self.com_stars();
            }
        }
        let ty = match base {
            Some(name) => named(name.clone(), name.span),
            None => {
                let ComTypeSpec { ty, stars: first } = self.com_type()?;
                stars = first;
                ty
            }
        };
        // A pointer to a function.
        if self.at("(") && self.in_midl() {
            let rest = self.tokens[self.next..].iter();
            let name =
                rest.filter(|it| it.kind == TokenKind::Identifier).find(|it| !is_calling(&it.text));
            let name = name.map(|it| Name { text: plain(&it.text), span: it.span });
            while !self.at_end() && self.eat(";").is_none() {
                self.bump();
            }
            return Ok(DefinitionKind::Unsupported { name });
        }
        loop {
            let name = self.com_name("the name of the type")?;
            let dimensions = self.com_dimensions()?;
            let kind = ComDefinitionKind::Alias(ComTypeSpec { ty: ty.clone(), stars }, dimensions);
            let attributes = attributes.clone();
            let definition = ComDefinition { attributes, name, tag: None, kind };
            self.com_pending(DefinitionKind::ComType(definition), Vec::new());
            if self.eat(",").is_none() {
                break;
            }
            stars = self.com_stars();
        }
        self.expect_semicolon("the type")?;
        Ok(self.last_pending())
    }

    /// Keeps the type of a body and returns its name: the one behind it, or the tag if that is one for
    /// pointers.
    fn com_named_body(
        &mut self,
        attributes: Vec<MidlAttribute>,
        kind: ComDefinitionKind,
        tag: Option<Name>,
        stars: usize,
    ) -> Parsed<Name> {
        let (name, tag) = match (stars, tag) {
            (0, Some(tag)) if self.at(";") => (tag, None),
            (0, None) if self.at(";") => match &kind {
                ComDefinitionKind::Enum(values) if !values.is_empty() => {
                    (nameless(&values[0]), None)
                }
                _ => return Err(self.unexpected("the name of the type")),
            },
            (0, tag) => (self.com_name("the name of the type")?, tag),
            (_, Some(tag)) => (tag, None),
            (_, None) => {
                let token = self.peek();
                let text = format!("{}_target", plain(&token.text));
                (Name { text, span: token.span }, None)
            }
        };
        let tag = tag.filter(|tag| !tag.text.eq_ignore_ascii_case(&name.text));
        let definition = ComDefinition { attributes, name: name.clone(), tag, kind };
        self.com_pending(DefinitionKind::ComType(definition), Vec::new());
        Ok(name)
    }

    fn last_pending(&mut self) -> DefinitionKind {
        match self.pending.pop() {
            Some(last) => last.kind,
            None => DefinitionKind::ComGroup(Vec::new()),
        }
    }

    /// `struct S { … }`, `enum E { … }` or `union U { … }`; the name may be missing.
    fn com_body(&mut self) -> Parsed<(ComDefinitionKind, Option<Name>)> {
        let word = self.bump();
        let name = match self.at("{") || self.at_word("switch") {
            true => None,
            false => Some(self.com_name("the name of the type")?),
        };
        if word.is_word("union") {
            return Ok((ComDefinitionKind::Union(self.com_union()?), name));
        }
        let opened = self.expect("{")?;
        let kind = match word.is_word("struct") {
            true => {
                let outer = self.name_behind_body(name.as_ref());
                let mut fields = Vec::new();
                self.nested(|parser| {
                    while !parser.at("}") && !parser.at_end() {
                        parser.com_fields(&outer, &mut fields)?;
                    }
                    Ok(())
                })?;
                self.tag_unions(&fields);
                ComDefinitionKind::Struct(fields)
            }
            false => ComDefinitionKind::Enum(self.com_values()?),
        };
        self.expect_end_of(opened)?;
        Ok((kind, name))
    }

    /// The name that the type of this body will have: bodies within it are named by it.
    pub(super) fn name_behind_body(&mut self, tag: Option<&Name>) -> String {
        let mut open = 1;
        for (index, token) in self.tokens[self.next..].iter().enumerate() {
            match &*token.text {
                "{" => open += 1,
                "}" => open -= 1,
                _ => {}
            }
            if open == 0 {
                let behind = self.tokens.get(self.next + index + 1);
                let behind = behind.filter(|token| token.kind == TokenKind::Identifier);
                let behind = behind.map(|token| plain(&token.text));
                return behind.or(tag.map(|tag| tag.text.clone())).unwrap_or_default();
            }
        }
        String::new()
    }

    /// `[size_is(n)] long *a;` or `long b, c[3];`
    pub(super) fn com_fields(&mut self, outer: &str, fields: &mut Vec<ComField>) -> Parsed<()> {
        let mut docs = self.docs();
        let attributes = self.midl_attributes()?;
        let ty = match self.com_begins_body() {
            true => self.com_inner_body(outer)?,
            false => self.com_type()?,
        };
        let first = fields.len();
        let mut stars = ty.stars;
        loop {
            let name = match self.at(";") {
                // A union of C without a name has that of its only purpose.
                true => Name { text: "value".to_owned(), span: ty.ty.span },
                false => self.com_name("the name of the member")?,
            };
            let dimensions = self.com_dimensions()?;
            let mut attributes = attributes.clone();
            if self.eat(":").is_some() {
                attributes.push(MidlAttribute::plain("bit field", name.span));
                self.expression()?;
            }
            let (attributes, ty) = (attributes, ComTypeSpec { ty: ty.ty.clone(), stars });
            fields.push(ComField { docs: Vec::new(), attributes, ty, name, dimensions });
            if self.eat(",").is_none() {
                break;
            }
            stars = self.com_stars();
        }
        self.expect_semicolon("the member")?;
        docs.append(&mut self.trailing);
        fields[first..].iter_mut().for_each(|field| field.docs.clone_from(&docs));
        Ok(())
    }

    /// A type in the place where it is used: it is declared before what it stands in.
    fn com_inner_body(&mut self, outer: &str) -> Parsed<ComTypeSpec> {
        let (kind, tag) = self.com_body()?;
        let stars = self.com_stars();
        let (text, span) = (plain(&self.peek().text), self.peek().span);
        let text = if text == ";" { "value" } else { &text };
        let text = format!("{outer}_{text}");
        let taken = |name: &str| {
            self.pending.iter().any(|it| match &it.kind {
                DefinitionKind::ComType(known) => known.name.text == name,
                _ => false,
            })
        };
        let mut numbered = (2..).map(|number| format!("{text}_{number}"));
        let text = match taken(&text) {
            true => numbered.find(|name| !taken(name)).unwrap_or_default(),
            false => text,
        };
        let name = tag.unwrap_or_else(|| Name { text: plain(&text), span });
        let (attributes, tag) = (Vec::new(), None);
        let definition = ComDefinition { attributes, name: name.clone(), tag, kind };
        self.com_pending(DefinitionKind::ComType(definition), Vec::new());
        Ok(ComTypeSpec { ty: named(name.clone(), name.span), stars })
    }

    /// The values of an enum.
    fn com_values(&mut self) -> Parsed<Vec<ComValue>> {
        let mut values = Vec::new();
        while !self.at("}") {
            let mut docs = self.docs();
            self.midl_attributes()?;
            let name = self.com_name("a name of a value")?;
            let value = match self.eat("=") {
                Some(_) => Some(self.expression()?),
                None => None,
            };
            docs.append(&mut self.trailing);
            let more = self.eat(",").is_some();
            docs.append(&mut self.trailing);
            values.push(ComValue { docs, name, value });
            if !more {
                break;
            }
        }
        Ok(values)
    }
}

/// The name of an enum without one: that of its first value, and `values`.
fn nameless(first: &ComValue) -> Name {
    Name { text: format!("{}_values", first.name.text), span: first.name.span }
}
