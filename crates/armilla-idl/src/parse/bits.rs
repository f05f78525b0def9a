//! The rules of bitmasks and bitsets (IDL 4.2, 7.4.13).

use super::annotation::Annotation;
use super::ast::{BitField, Bitmask, Bitset, DefinitionKind, Number};
use super::{Parsed, Parser};

impl Parser<'_, '_, '_> {
    /// Whether a name and a body follow the next token. In older IDL `bitset` is an ordinary name.
    pub(super) fn begins_body(&mut self) -> bool {
        let third = self.peek_third();
        third.is("{") || third.is(":")
    }

    pub(super) fn bitmask(&mut self, annotations: &[Annotation]) -> Parsed<DefinitionKind> {
        self.bump();
        let name = self.name("the name of the bitmask")?;
        let bound = self.annotated(annotations, "bit_bound");
        let opened = self.expect("{")?;
        let mut flags = Vec::new();
        while !self.at("}") {
            let annotations = self.annotations();
            let flag = self.name("a flag")?;
            flags.push((flag, self.annotated(&annotations, "position")));
            if self.eat(",").is_none() {
                break;
            }
        }
        self.expect_end_of(opened)?;
        if flags.is_empty() {
            self.empty(name.span, "a bitmask needs at least one flag");
        }
        Ok(DefinitionKind::Bitmask(Bitmask { name, bound, flags }))
    }

    /// The argument of the annotation `name`.
    fn annotated(&mut self, annotations: &[Annotation], name: &str) -> Option<Number> {
        let annotation = annotations.iter().find(|annotation| annotation.name == name)?;
        if annotation.number.is_none() {
            self.unsupported(annotation.span, &format!("`@{name}` without a plain number"));
        }
        annotation.number
    }

    pub(super) fn bitset(&mut self) -> Parsed<DefinitionKind> {
        self.bump();
        let name = self.name("the name of the bitset")?;
        let base = match self.eat(":") {
            Some(_) => Some(self.scoped_name("the name of the base bitset")?),
            None => None,
        };
        let opened = self.expect("{")?;
        let mut fields = Vec::new();
        while !self.at("}") && !self.at_end() {
            self.annotations();
            fields.push(self.bit_field()?);
        }
        self.expect_end_of(opened)?;
        Ok(DefinitionKind::Bitset(Bitset { name, base, fields }))
    }

    fn bit_field(&mut self) -> Parsed<BitField> {
        if self.eat_word("bitfield").is_none() {
            return Err(self.unexpected("`bitfield`"));
        }
        self.expect("<")?;
        let bits = self.bound_expression()?;
        let ty = match self.eat(",") {
            Some(_) => Some(self.nested(Self::simple_type)?),
            None => None,
        };
        self.close_angle()?;
        let mut names = Vec::new();
        while !self.at(";") {
            names.push(self.name("the name of the field")?);
            if self.eat(",").is_none() {
                break;
            }
        }
        self.expect_semicolon("the field")?;
        Ok(BitField { bits, ty, names })
    }
}
