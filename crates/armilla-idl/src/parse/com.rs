//! Interfaces of COM: `@uuid("…") interface I : IUnknown { … };`, and the same as MIDL writes it, with
//! attributes in brackets and pointers.

use super::ast::{DefinitionKind, Name, TypeKind};
use super::com_ast::{ComInterface, ComMethod, ComParameter, ComTypeSpec, MidlAttribute};
use super::{Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};

impl Parser<'_, '_, '_> {
    /// An interface of COM, behind its attributes.
    pub(super) fn com_interface(
        &mut self,
        attributes: Vec<MidlAttribute>,
    ) -> Parsed<DefinitionKind> {
        self.bump();
        let name = self.com_name("the name of the interface")?;
        if self.eat(";").is_some() {
            return Ok(DefinitionKind::ComForward(name));
        }
        let base = match self.eat(":") {
            Some(_) => Some(self.scoped_name("the name of the base interface")?),
            None => None,
        };
        if self.at(",") {
            let message = "an interface of COM has one base";
            let error = Diagnostic::error(Code::BadCom, self.peek().span, message);
            return Err(self.fail(error.help("an object has further interfaces by QueryInterface")));
        }
        let local = attributes.iter().any(|it| it.name == "local");
        let opened = self.expect("{")?;
        let mut methods = Vec::new();
        self.nested(|parser| {
            while !parser.at("}") && !parser.at_end() {
                parser.com_member(local, &mut methods)?;
            }
            Ok(())
        })?;
        self.expect_end_of(opened)?;
        // MIDL needs no `;` here.
        self.eat(";");
        Ok(DefinitionKind::Com(ComInterface { attributes, name, base, methods }))
    }

    /// A method, an attribute, which is one or two methods, or a type, which MIDL allows there.
    fn com_member(&mut self, local: bool, methods: &mut Vec<ComMethod>) -> Parsed<()> {
        if self.begins_midl_type() {
            return self.com_inner_type();
        }
        let mut docs = self.docs();
        let attributes = self.midl_attributes()?;
        let readonly = self.eat_word("readonly").is_some();
        if readonly || self.at_word("attribute") {
            return self.com_attribute(readonly, &docs, methods);
        }
        if self.at_word("typedef") {
            return self.com_inner_type();
        }
        let local = local || attributes.iter().any(|it| it.name == "local");
        let result = self.com_type()?;
        let name = self.com_name("the name of the method")?;
        self.expect("(")?;
        let parameters = match local {
            true => self.local_parameters()?,
            false => self.com_parameters()?,
        };
        self.expect(")")?;
        self.expect_semicolon("the method")?;
        docs.append(&mut self.trailing);
        if !local && !is_hresult(&result) {
            let message = format!("`{}` does not return an HRESULT", name.text);
            let error = Diagnostic::error(Code::BadCom, result.ty.span, message);
            let help = "every method of COM says with an HRESULT whether it succeeded; a result is \
                        an `out` parameter";
            self.session.report(error.help(help));
        }
        methods.push(ComMethod { docs, attributes, name, local, parameters });
        Ok(())
    }

    /// A type between methods: it belongs to the scope around the interface.
    fn com_inner_type(&mut self) -> Parsed<()> {
        let docs = self.docs();
        let kind = self.definition()?;
        self.com_pending(kind, docs);
        Ok(())
    }

    /// The parameters of a method that never travels: they may be anything that C has.
    fn local_parameters(&mut self) -> Parsed<Vec<ComParameter>> {
        let mut open = 0;
        while !(self.at_end() || open == 0 && self.at(")")) {
            match &*self.bump().text {
                "(" => open += 1,
                ")" => open -= 1,
                _ => {}
            }
        }
        Ok(Vec::new())
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
            let attribute = |name: &&str| MidlAttribute::plain(name, ty.ty.span);
            let value = Name { text: "value".to_owned(), span: name.span };
            let attributes = directions.iter().map(attribute).collect();
            let parameter =
                ComParameter { attributes, ty: ty.clone(), name: value, dimensions: Vec::new() };
            let attributes = vec![attribute(&how)];
            let (docs, name, parameters) = (docs.clone(), name.clone(), vec![parameter]);
            methods.push(ComMethod { docs, attributes, name, local: false, parameters });
        }
        Ok(())
    }

    pub(super) fn com_parameters(&mut self) -> Parsed<Vec<ComParameter>> {
        let mut parameters = Vec::new();
        if self.at_word("void") && self.peek_second().is(")") {
            self.bump();
        }
        while !self.at(")") {
            let attributes = self.midl_attributes()?;
            let ty = self.com_type()?;
            let name = self.com_name("the name of the parameter")?;
            let dimensions = self.com_dimensions()?;
            parameters.push(ComParameter { attributes, ty, name, dimensions });
            if self.eat(",").is_none() {
                break;
            }
        }
        Ok(parameters)
    }
}

fn is_hresult(result: &ComTypeSpec) -> bool {
    match &result.ty.kind {
        TypeKind::Named(name) => {
            let hresult = matches!(&*name.first.text, "HRESULT" | "SCODE");
            result.stars == 0 && name.rest.is_empty() && hresult
        }
        _ => false,
    }
}
