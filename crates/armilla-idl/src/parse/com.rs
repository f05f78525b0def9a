//! Interfaces of COM: `@uuid("…") interface I : IUnknown { … };`, and the same as MIDL writes it, with
//! attributes in brackets and pointers.

use super::ast::{
    ComInterface, ComMethod, ComParameter, ComTypeSpec, DefinitionKind, MidlAttribute,
};
use super::{Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::TokenKind;
use crate::model::Primitive;
use crate::parse::ast::{Name, ScopedName, TypeKind, TypeSpec};
use crate::source::Span;

impl Parser<'_, '_, '_> {
    /// An interface of COM, behind its attributes.
    pub(super) fn com_interface(
        &mut self,
        attributes: Vec<MidlAttribute>,
    ) -> Parsed<DefinitionKind> {
        self.bump();
        let name = self.name("the name of the interface")?;
        let base = match self.eat(":") {
            Some(_) => Some(self.scoped_name("the name of the base interface")?),
            None => None,
        };
        if self.at(",") {
            let message = "an interface of COM has one base";
            let error = Diagnostic::error(Code::BadCom, self.peek().span, message);
            return Err(self.fail(error.help("an object has further interfaces by QueryInterface")));
        }
        let opened = self.expect("{")?;
        let mut methods = Vec::new();
        self.nested(|parser| {
            while !parser.at("}") && !parser.at_end() {
                parser.com_member(&mut methods)?;
            }
            Ok(())
        })?;
        self.expect_end_of(opened)?;
        // MIDL needs no `;` here.
        self.eat(";");
        Ok(DefinitionKind::Com(ComInterface { attributes, name, base, methods }))
    }

    /// A method, or an attribute, which is one or two methods.
    fn com_member(&mut self, methods: &mut Vec<ComMethod>) -> Parsed<()> {
        let mut docs = self.docs();
        let attributes = self.midl_attributes()?;
        let readonly = self.eat_word("readonly").is_some();
        if readonly || self.at_word("attribute") {
            return self.com_attribute(readonly, &docs, methods);
        }
        let result = self.com_type()?;
        let name = self.com_name("the name of the method")?;
        self.expect("(")?;
        let parameters = self.com_parameters()?;
        self.expect(")")?;
        self.expect_semicolon("the method")?;
        docs.append(&mut self.trailing);
        if !is_hresult(&result) {
            let message = format!("`{}` does not return an HRESULT", name.text);
            let error = Diagnostic::error(Code::BadCom, result.ty.span, message);
            let help = "every method of COM says with an HRESULT whether it succeeded; a result is \
                        an `out` parameter";
            self.session.report(error.help(help));
        }
        methods.push(ComMethod { docs, attributes, name, parameters });
        Ok(())
    }

    /// `readonly attribute T name;`
    fn com_attribute(
        &mut self,
        readonly: bool,
        docs: &[String],
        methods: &mut Vec<ComMethod>,
    ) -> Parsed<()> {
        if self.eat_word("attribute").is_none() {
            return Err(self.unexpected("`attribute`"));
        }
        let ty = self.com_type()?;
        let name = self.com_name("the name of the attribute")?;
        self.expect_semicolon("the attribute")?;
        let mut docs = docs.to_vec();
        docs.append(&mut self.trailing);
        for (how, directions, shown) in
            [("propget", &["out", "retval"][..], true), ("propput", &["in"][..], !readonly)]
        {
            if !shown {
                continue;
            }
            let attribute = |name: &&str| MidlAttribute {
                name: (*name).to_owned(),
                text: None,
                span: ty.ty.span,
            };
            let value = Name { text: "value".to_owned(), span: name.span };
            let attributes = directions.iter().map(attribute).collect();
            let parameter =
                ComParameter { attributes, ty: ty.clone(), name: value, brackets: false };
            let attributes = vec![attribute(&how)];
            let (docs, name) = (docs.clone(), name.clone());
            methods.push(ComMethod { docs, attributes, name, parameters: vec![parameter] });
        }
        Ok(())
    }

    fn com_parameters(&mut self) -> Parsed<Vec<ComParameter>> {
        let mut parameters = Vec::new();
        if self.at_word("void") && self.peek_second().is(")") {
            self.bump();
        }
        while !self.at(")") {
            let attributes = self.midl_attributes()?;
            let ty = self.com_type()?;
            let name = self.com_name("the name of the parameter")?;
            let brackets = self.eat("[").is_some();
            if brackets {
                self.expect("]")?;
            }
            parameters.push(ComParameter { attributes, ty, name, brackets });
            if self.eat(",").is_none() {
                break;
            }
        }
        Ok(parameters)
    }

    /// A name that MIDL allows: the keywords of IDL are none of its own.
    pub(super) fn com_name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek();
        if token.kind != TokenKind::Identifier {
            return Err(self.unexpected(what));
        }
        self.bump();
        let text = token.text.strip_prefix('_').unwrap_or(&token.text).to_owned();
        Ok(Name { text, span: token.span })
    }

    /// Attributes in brackets, annotations and directions, in any order.
    pub(super) fn midl_attributes(&mut self) -> Parsed<Vec<MidlAttribute>> {
        let mut attributes = Vec::new();
        loop {
            if self.eat("[").is_some() {
                while !self.at("]") {
                    attributes.push(self.midl_attribute()?);
                    if self.eat(",").is_none() {
                        break;
                    }
                }
                self.expect("]")?;
            } else if self.eat("@").is_some() {
                attributes.push(self.midl_attribute()?);
            } else if let Some(direction) =
                ["in", "out", "inout"].into_iter().find(|word| self.at_word(word))
            {
                let span = self.bump().span;
                let names = if direction == "inout" { &["in", "out"][..] } else { &[direction] };
                attributes.extend(names.iter().map(|name| MidlAttribute {
                    name: (*name).to_owned(),
                    text: None,
                    span,
                }));
            } else {
                return Ok(attributes);
            }
        }
    }

    /// `name` or `name(…)`. The words in parentheses are kept as they are.
    fn midl_attribute(&mut self) -> Parsed<MidlAttribute> {
        let token = self.peek();
        if token.kind != TokenKind::Identifier {
            return Err(self.unexpected("the name of an attribute"));
        }
        let (name, start) = (self.bump().text.to_string(), token.span);
        let mut text = None;
        if self.eat("(").is_some() {
            let mut inner = String::new();
            while !self.at(")") {
                if self.at_end() || ["{", "}", ";"].iter().any(|sign| self.at(sign)) {
                    return Err(self.unexpected("`)`"));
                }
                inner.push_str(self.bump().text.trim_matches('"'));
            }
            self.expect(")")?;
            text = Some(inner);
        }
        Ok(MidlAttribute { name, text, span: start.to(self.previous()) })
    }

    /// A type and its stars.
    pub(super) fn com_type(&mut self) -> Parsed<ComTypeSpec> {
        self.eat_word("const");
        let start = self.peek().span;
        // MIDL may repeat what kind of type a name has.
        if !self.peek_second().is("{") && self.eat_word("struct").is_none() {
            self.eat_word("enum");
        }
        let array = self.at_word("SAFEARRAY") && self.peek_second().is("(");
        let ty = if array { self.safe_array()? } else { self.com_base_type()? };
        self.eat_word("const");
        let mut stars = 0;
        while self.eat("*").is_some() {
            stars += 1;
            self.eat_word("const");
        }
        let ty = TypeSpec { span: start.to(self.previous()), ..ty };
        Ok(ComTypeSpec { ty, stars })
    }

    /// `SAFEARRAY(T)`: the type of the elements travels with the array.
    fn safe_array(&mut self) -> Parsed<TypeSpec> {
        let first = self.identifier("`SAFEARRAY`")?;
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
            "int" if unsigned => Primitive::ULong,
            "int" => Primitive::Long,
            "hyper" | "__int64" if unsigned => Primitive::ULongLong,
            "hyper" | "__int64" => Primitive::LongLong,
            "char" if sign == Some("signed") => Primitive::Int8,
            "small" if !unsigned => Primitive::Int8,
            "char" | "byte" | "small" => Primitive::Octet,
            "wchar_t" => Primitive::WChar,
            _ => return self.nested(Self::simple_type),
        };
        if sign.is_some() {
            self.bump();
        }
        self.bump();
        Ok(TypeSpec { kind: TypeKind::Primitive(primitive), span: token.span.to(self.previous()) })
    }
}

fn named(first: Name, span: Span) -> TypeSpec {
    let name = ScopedName { absolute: false, first, rest: Vec::new() };
    TypeSpec { kind: TypeKind::Named(name), span }
}

fn is_hresult(result: &ComTypeSpec) -> bool {
    match &result.ty.kind {
        TypeKind::Named(name) => {
            result.stars == 0 && name.rest.is_empty() && name.first.text == "HRESULT"
        }
        _ => false,
    }
}
