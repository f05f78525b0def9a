//! Types for interfaces of COM: `@com struct S { … };`, `@com enum E { … };`, `@com typedef T A;`, and the
//! same as MIDL writes it, `typedef [public] struct tagS { … } S;`.

use super::ast::{
    ComDefinition, ComDefinitionKind, ComField, ComValue, DefinitionKind, MidlAttribute, Name,
};
use super::{Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};

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
        let mut attributes = self.midl_attributes()?;
        let (kind, name) = match &*self.peek().text {
            "interface" => return self.com_interface(attributes),
            "struct" | "enum" => {
                let (kind, name) = self.com_body()?;
                (kind, name.ok_or_else(|| self.unexpected("the name of the type"))?)
            }
            "typedef" => {
                self.bump();
                attributes.append(&mut self.midl_attributes()?);
                self.com_typedef()?
            }
            _ => return Err(self.not_of_com(&attributes)),
        };
        self.expect_semicolon("the type")?;
        Ok(DefinitionKind::ComType(ComDefinition { attributes, name, kind }))
    }

    fn not_of_com(&mut self, attributes: &[MidlAttribute]) -> super::Failed {
        let (span, found) = (self.peek().span, self.peek().text.clone());
        let message = format!(
            "attributes of COM stand before `interface`, `struct`, `enum` and `typedef`, not \
             before `{found}`"
        );
        let error = Diagnostic::error(Code::BadCom, span, message);
        let help = match &*found {
            "union" => "write the table of the union with `ndr_union!`, and its interface with it",
            _ if attributes.iter().any(|it| it.name == "com") => "leave out `@com`",
            _ => "nothing else is read: declare what else the file has by hand",
        };
        self.fail(error.help(help))
    }

    /// What stands between `typedef` and `;`.
    fn com_typedef(&mut self) -> Parsed<(ComDefinitionKind, Name)> {
        if self.at_word("union") {
            return Err(self.not_of_com(&[]));
        }
        // `struct S` without a body is the struct of that name.
        let body = ["struct", "enum"].iter().any(|word| self.at_word(word))
            && (self.peek_second().is("{")
                || self.tokens.get(self.next + 2).is_some_and(|token| token.is("{")));
        let kind = match body {
            true => self.com_body()?.0,
            false => ComDefinitionKind::Alias(self.com_type()?),
        };
        let name = self.com_name("the name of the type")?;
        if self.at(",") {
            let message = "a type of COM has one name";
            let error = Diagnostic::error(Code::BadCom, self.peek().span, message);
            return Err(self.fail(error.help(
                "write a `typedef` for each further name, and `*` at \
                                             its uses in place of a name for pointers",
            )));
        }
        Ok((kind, name))
    }

    /// `struct S { … }` or `enum E { … }`; the name may be missing.
    fn com_body(&mut self) -> Parsed<(ComDefinitionKind, Option<Name>)> {
        let is_struct = self.bump().is_word("struct");
        let name = match self.at("{") {
            true => None,
            false => Some(self.com_name("the name of the type")?),
        };
        let opened = self.expect("{")?;
        let kind = match is_struct {
            true => {
                let mut fields = Vec::new();
                self.nested(|parser| {
                    while !parser.at("}") && !parser.at_end() {
                        parser.com_fields(&mut fields)?;
                    }
                    Ok(())
                })?;
                ComDefinitionKind::Struct(fields)
            }
            false => ComDefinitionKind::Enum(self.com_values()?),
        };
        self.expect_end_of(opened)?;
        Ok((kind, name))
    }

    /// `[size_is(n)] long *a;` or `long b, c[3];`
    fn com_fields(&mut self, fields: &mut Vec<ComField>) -> Parsed<()> {
        let mut docs = self.docs();
        let attributes = self.midl_attributes()?;
        if self.at_word("union") {
            let message = "unions are not supported in structs of COM";
            let error = Diagnostic::error(Code::BadCom, self.peek().span, message);
            return Err(
                self.fail(error.help("write the tables with `ndr_union!` and `ndr_struct!`"))
            );
        }
        let ty = self.com_type()?;
        let first = fields.len();
        loop {
            let name = self.com_name("the name of the member")?;
            let mut dimensions = Vec::new();
            while self.eat("[").is_some() {
                if self.at("]") {
                    let message = "an array without a size is not supported in structs of COM";
                    let error = Diagnostic::error(Code::BadCom, self.peek().span, message);
                    return Err(self.fail(error.help(
                        "write a pointer with `size_is`, or a table \
                                                     with `ndr_struct!`",
                    )));
                }
                dimensions.push(self.expression()?);
                self.expect("]")?;
            }
            let (attributes, ty) = (attributes.clone(), ty.clone());
            fields.push(ComField { docs: Vec::new(), attributes, ty, name, dimensions });
            if self.eat(",").is_none() {
                break;
            }
        }
        self.expect_semicolon("the member")?;
        docs.append(&mut self.trailing);
        fields[first..].iter_mut().for_each(|field| field.docs.clone_from(&docs));
        Ok(())
    }

    /// The values of an enum.
    fn com_values(&mut self) -> Parsed<Vec<ComValue>> {
        let mut values = Vec::new();
        while !self.at("}") {
            let mut docs = self.docs();
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
