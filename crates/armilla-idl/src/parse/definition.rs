//! The rules of definitions in a file or a module.

use super::annotation::Annotation;
use super::ast::{Definition, DefinitionKind, ForwardKind, Item, TypeKind};
use super::{Failed, Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::TokenKind;
use crate::model::Flavour;

impl Parser<'_, '_, '_> {
    /// The whole source.
    pub(super) fn specification(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while self.items(&mut items, Self::definition).is_ok() {
            if self.at_end() {
                break;
            }
            // An unmatched `}`.
            let _: Failed = self.unexpected("a declaration");
            self.bump();
            self.eat(";");
        }
        items
    }

    /// Items up to, not including, the `}` of the scope or the end of the source.
    pub(super) fn items(
        &mut self,
        items: &mut Vec<Item>,
        rule: impl Fn(&mut Self) -> Parsed<DefinitionKind>,
    ) -> Parsed<()> {
        loop {
            self.peek();
            items.append(&mut self.marks);
            if self.at("}") || self.at_end() {
                return Ok(());
            }
            if let Some(span) = self.eat(";") {
                let message = "this `;` ends no declaration";
                let error = Diagnostic::error(Code::Syntax, span, message);
                self.session.report(error.help("remove it"));
                continue;
            }
            let start = self.next;
            match self.documented(&rule) {
                Ok(definition) => items.push(Item::Definition(Box::new(definition))),
                Err(Failed) => {
                    self.recover(start);
                }
            }
        }
    }

    /// A definition with its comments.
    fn documented(
        &mut self,
        rule: impl Fn(&mut Self) -> Parsed<DefinitionKind>,
    ) -> Parsed<Definition> {
        let mut docs = self.docs();
        let kind = rule(self)?;
        let ends_with_brace = matches!(
            kind,
            DefinitionKind::Module { .. }
                | DefinitionKind::Interface { .. }
                | DefinitionKind::Com(_)
                | DefinitionKind::ComType(_)
                | DefinitionKind::ComGroup(_)
                | DefinitionKind::Value(_)
                | DefinitionKind::Component(_)
                | DefinitionKind::Home(_)
                | DefinitionKind::PortType { .. }
                | DefinitionKind::Template(_)
                | DefinitionKind::Bitmask(_)
                | DefinitionKind::Bitset(_)
                | DefinitionKind::Struct(_)
                | DefinitionKind::Exception(_)
                | DefinitionKind::Union(_)
                | DefinitionKind::Enum(_)
        );
        // A comment after `};` repeats the name of the body; it is not documentation.
        if !ends_with_brace {
            docs.append(&mut self.trailing);
        }
        Ok(Definition { docs, kind })
    }

    pub(super) fn definition(&mut self) -> Parsed<DefinitionKind> {
        if let Some(declared) = self.annotation_declaration()? {
            return Ok(declared);
        }
        if self.in_midl() {
            return self.midl_definition();
        }
        if self.begins_com() {
            return self.com_definition();
        }
        let annotations = self.annotations();
        let token = self.peek();
        if token.kind == TokenKind::Identifier {
            match &*token.text {
                "module" => return self.module(),
                "interface" => return self.interface(Flavour::Unconstrained),
                "local" => return self.flavoured_interface(Flavour::Local),
                "abstract" if self.peek_second().is_word("interface") => {
                    return self.flavoured_interface(Flavour::Abstract);
                }
                "abstract" | "custom" | "valuetype" => return self.value(),
                "eventtype" if self.begins_definition() => return self.value(),
                "alias" if self.begins_alias() => {
                    self.bump();
                    return self.instance().map(DefinitionKind::Instance);
                }
                "attribute" | "readonly" | "oneway" | "void" => {
                    let what = if token.is_word("attribute") || token.is_word("readonly") {
                        "an attribute"
                    } else {
                        "an operation"
                    };
                    let message = format!("{what} can only be declared in an interface");
                    let diagnostic = Diagnostic::error(Code::Syntax, token.span, message);
                    return Err(self.fail(diagnostic));
                }
                _ => {}
            }
        }
        if let Some(kind) = self.component_definition()? {
            return Ok(kind);
        }
        match self.data_definition(&annotations)? {
            Some(kind) => Ok(kind),
            None => Err(self.unexpected("a declaration")),
        }
    }

    /// A type, a constant or an exception: a definition that modules and interfaces have in common.
    /// `None` if the next token begins none.
    pub(super) fn data_definition(
        &mut self,
        annotations: &[Annotation],
    ) -> Parsed<Option<DefinitionKind>> {
        let token = self.peek();
        let kind = match &*token.text {
            _ if token.kind != TokenKind::Identifier => return Ok(None),
            "typedef" => self.typedef()?,
            "const" => self.constant()?,
            "exception" => self.exception()?,
            "struct" => match self.forward(ForwardKind::Struct)? {
                Some(forward) => forward,
                None => self.structure()?,
            },
            "union" => match self.forward(ForwardKind::Union)? {
                Some(forward) => forward,
                None => self.union()?,
            },
            "enum" => self.enumeration()?,
            "native" => self.native()?,
            "typeid" | "typeprefix" | "import" if self.begins_identity() => self.identity()?,
            "bitmask" if self.begins_body() => self.bitmask(annotations)?,
            "bitset" if self.begins_body() => self.bitset()?,
            _ => return Ok(None),
        };
        let is_prefix =
            matches!(kind, DefinitionKind::TypePrefix { .. } | DefinitionKind::ModulePrefix { .. });
        if is_prefix && self.lacks_semicolon() {
            return Ok(Some(kind));
        }
        self.expect_semicolon(match &kind {
            DefinitionKind::Typedef { .. } => "the typedef",
            DefinitionKind::Const { .. } => "the constant",
            DefinitionKind::Exception(_) => "the exception",
            DefinitionKind::Struct(_) => "the struct",
            DefinitionKind::Union(_) => "the union",
            DefinitionKind::Enum(_) => "the enum",
            _ => "the declaration",
        })?;
        Ok(Some(kind))
    }

    pub(super) fn module(&mut self) -> Parsed<DefinitionKind> {
        self.bump();
        // The template of an instance may be a scoped name.
        if self.at("::") || ["<", "::"].iter().any(|sign| self.peek_second().is(sign)) {
            return self.template_or_instance();
        }
        let name = self.name("the name of the module")?;
        let opened = self.expect("{")?;
        let mut items = Vec::new();
        let clean = self.session.diagnostics.error_count();
        self.nested(|parser| parser.items(&mut items, Self::definition))?;
        let has_definition = items.iter().any(|item| matches!(item, Item::Definition(_)));
        if !has_definition && clean == self.session.diagnostics.error_count() {
            self.empty(name.span, "a module needs at least one declaration");
        }
        self.expect_end_of(opened)?;
        self.expect_semicolon("the module")?;
        Ok(DefinitionKind::Module { name, items })
    }

    /// `struct S;` or `union U;`
    fn forward(&mut self, kind: ForwardKind) -> Parsed<Option<DefinitionKind>> {
        let after = self.peek_second();
        let is_forward = after.kind == TokenKind::Identifier
            && self.tokens.get(self.next + 2).is_some_and(|token| token.is(";"));
        if !is_forward {
            return Ok(None);
        }
        self.bump();
        let name = self.name("a name")?;
        Ok(Some(DefinitionKind::Forward { kind, name }))
    }

    fn native(&mut self) -> Parsed<DefinitionKind> {
        self.bump();
        let name = self.name("the name of the native type")?;
        Ok(DefinitionKind::Native { name })
    }

    fn typedef(&mut self) -> Parsed<DefinitionKind> {
        self.bump();
        let ty = self.type_spec()?;
        let declarators = self.declarators()?;
        Ok(DefinitionKind::Typedef { ty, declarators })
    }

    fn constant(&mut self) -> Parsed<DefinitionKind> {
        self.bump();
        let ty = self.simple_type()?;
        if let TypeKind::Fixed(..) = ty.kind {
            let message = "the digits of a `fixed` constant are those of its value";
            let error = Diagnostic::error(Code::AnonymousType, ty.span, message);
            self.session.report(error.help("write `fixed` alone, or the name of a `typedef`"));
        }
        let name = self.name("the name of the constant")?;
        self.expect("=")?;
        let value = self.expression()?;
        Ok(DefinitionKind::Const { ty, name, value })
    }
}
