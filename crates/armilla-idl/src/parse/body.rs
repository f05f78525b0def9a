//! The rules of structs, exceptions, unions and enums.

use super::ast::{BodyItem, Declarator, DefinitionKind, Enum, Label, Member, Struct, Union};
use super::{Failed, Parsed, Parser, begins_line};
use crate::diagnostics::{Code, Diagnostic};

impl Parser<'_, '_, '_> {
    pub(super) fn structure(&mut self) -> Parsed<DefinitionKind> {
        self.bump();
        let name = self.name("the name of the struct")?;
        let base = match self.eat(":") {
            Some(_) => Some(self.scoped_name("the name of the base struct")?),
            None => None,
        };
        let body = self.members(Self::member)?;
        if body.is_empty() && base.is_none() {
            let message = format!("the struct `{}` is empty", name.text);
            let warning = Diagnostic::warning(Code::EmptyStruct, name.span, message);
            self.session.report(warning.note("only compilers for IDL 4 accept that"));
        }
        let body = body.items;
        Ok(DefinitionKind::Struct(Struct { name, base, body }))
    }

    pub(super) fn exception(&mut self) -> Parsed<DefinitionKind> {
        self.bump();
        let name = self.name("the name of the exception")?;
        let body = self.members(Self::member)?.items;
        Ok(DefinitionKind::Exception(Struct { name, base: None, body }))
    }

    pub(super) fn union(&mut self) -> Parsed<DefinitionKind> {
        self.bump();
        let name = self.name("the name of the union")?;
        if self.eat_word("switch").is_none() {
            return Err(self.unexpected("`switch`"));
        }
        self.expect("(")?;
        let discriminator = self.nested(Self::type_spec)?;
        self.expect(")")?;
        let body = self.members(Self::case)?;
        if body.is_empty() {
            self.empty(name.span, "a union needs at least one case");
        }
        let body = body.items;
        Ok(DefinitionKind::Union(Union { name, discriminator, body }))
    }

    pub(super) fn enumeration(&mut self) -> Parsed<DefinitionKind> {
        self.bump();
        let name = self.name("the name of the enum")?;
        let opened = self.expect("{")?;
        let mut enumerators = Vec::new();
        while !self.at("}") {
            let mut docs = self.docs();
            self.annotations();
            let enumerator = self.name("an enumerator")?;
            docs.append(&mut self.trailing);
            let comma = self.eat(",");
            docs.append(&mut self.trailing);
            enumerators.push((enumerator, docs));
            match comma {
                None => break,
                Some(span) if self.at("}") => {
                    let message = "another enumerator must follow this `,`";
                    self.session.report(Diagnostic::error(Code::Syntax, span, message));
                }
                Some(_) => {}
            }
        }
        self.expect_end_of(opened)?;
        if enumerators.is_empty() {
            self.empty(name.span, "an enum needs at least one enumerator");
        }
        Ok(DefinitionKind::Enum(Enum { name, enumerators }))
    }

    pub(super) fn empty(&mut self, span: crate::source::Span, message: &str) {
        self.session.report(Diagnostic::error(Code::Empty, span, message));
    }

    /// Members in braces; `rule` parses one.
    fn members(&mut self, rule: impl Fn(&mut Self) -> Parsed<Member>) -> Parsed<Body> {
        let opened = self.expect("{")?;
        let mut body = Vec::new();
        let mut failed = false;
        // If a line begins a declaration, the `}` is missing.
        while !self.at("}") && !self.at_end() && !self.at_definition() {
            body.extend(self.marks.drain(..).map(BodyItem::Marker));
            let mut docs = self.docs();
            let start = self.next;
            match self.nested(&rule) {
                Ok(mut member) => {
                    docs.append(&mut self.trailing);
                    member.docs = docs;
                    body.push(BodyItem::Member(member));
                }
                Err(Failed) => {
                    failed = true;
                    self.recover(start);
                }
            }
        }
        body.extend(self.marks.drain(..).map(BodyItem::Marker));
        self.expect_end_of(opened)?;
        Ok(Body { items: body, failed })
    }

    fn at_definition(&mut self) -> bool {
        let token = self.peek();
        begins_line(token) && !token.is_word("case")
    }

    fn member(&mut self) -> Parsed<Member> {
        self.annotations();
        let ty = self.type_spec()?;
        let declarators = self.declarators()?;
        self.expect_semicolon("the member")?;
        Ok(Member { docs: Vec::new(), ty, declarators, labels: Vec::new() })
    }

    fn case(&mut self) -> Parsed<Member> {
        let mut labels = Vec::new();
        loop {
            self.annotations();
            if self.eat_word("case").is_some() {
                labels.push(Label::Case(self.expression()?));
            } else if let Some(span) = self.eat_word("default") {
                labels.push(Label::Default(span));
            } else if labels.is_empty() {
                return Err(self.unexpected("`case` or `default`"));
            } else {
                break;
            }
            self.expect(":")?;
        }
        let ty = self.type_spec()?;
        let declarators = vec![self.declarator()?];
        self.expect_semicolon("the member")?;
        Ok(Member { docs: Vec::new(), ty, declarators, labels })
    }

    pub(super) fn declarators(&mut self) -> Parsed<Vec<Declarator>> {
        let mut declarators = vec![self.declarator()?];
        while self.eat(",").is_some() {
            declarators.push(self.declarator()?);
        }
        Ok(declarators)
    }

    fn declarator(&mut self) -> Parsed<Declarator> {
        let name = self.name("a name")?;
        let mut dimensions = Vec::new();
        while self.eat("[").is_some() {
            dimensions.push(self.expression()?);
            self.expect("]")?;
        }
        Ok(Declarator { name, dimensions })
    }
}

/// The items in the braces of a struct, an exception or a union.
struct Body {
    items: Vec<BodyItem>,
    /// Whether unparsed tokens follow.
    failed: bool,
}

impl Body {
    fn is_empty(&self) -> bool {
        !self.failed && !self.items.iter().any(|item| matches!(item, BodyItem::Member(_)))
    }
}
