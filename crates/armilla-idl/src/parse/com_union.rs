//! Unions for interfaces of COM: `union switch (long kind) { case 1: double level; default: ; }`, and
//! those whose tag is a member or a parameter beside them (`switch_is`).

use super::ast::DefinitionKind;
use super::com_ast::{ComArm, ComDefinitionKind, ComField, ComTypeSpec, ComUnion};
use super::com_type::plain;
use super::{Parsed, Parser};

impl Parser<'_, '_, '_> {
    /// What stands behind `union` and its name.
    pub(super) fn com_union(&mut self) -> Parsed<ComUnion> {
        let mut tag = None;
        if self.eat_word("switch").is_some() {
            self.expect("(")?;
            tag = Some(self.com_type()?);
            if !self.at(")") {
                self.com_name("the name of the tag")?;
            }
            self.expect(")")?;
            // What C calls the union within the struct that MIDL makes of it.
            if !self.at("{") {
                self.com_name("the name of the union")?;
            }
        }
        let opened = self.expect("{")?;
        let outer = self.name_behind_body(None);
        let mut arms = Vec::new();
        self.nested(|parser| {
            while !parser.at("}") && !parser.at_end() {
                arms.push(parser.com_arm(&outer)?);
            }
            Ok(())
        })?;
        self.expect_end_of(opened)?;
        Ok(ComUnion { tag, arms })
    }

    /// `case 1: case 2: long a;`, `[case(1, 2)] long a;` or `[default] ;`
    fn com_arm(&mut self, outer: &str) -> Parsed<ComArm> {
        let mut arm = ComArm { labels: Vec::new(), default: false, field: None };
        let mut attributes = Vec::new();
        loop {
            if self.eat_word("case").is_some() {
                self.com_labels(":", &mut arm)?;
            } else if self.at_word("default") && self.peek_second().is(":") {
                self.bump();
                self.bump();
                arm.default = true;
            } else if self.at("[") && self.peek_second().is_word("case") {
                self.bump();
                self.bump();
                self.expect("(")?;
                self.com_labels(")", &mut arm)?;
                self.eat(",");
                self.midl_block(&mut attributes)?;
            } else if self.at("[") && self.peek_second().is_word("default") {
                self.bump();
                self.bump();
                self.eat(",");
                self.midl_block(&mut attributes)?;
                arm.default = true;
            } else {
                break;
            }
        }
        if self.eat(";").is_some() || self.at("}") {
            return Ok(arm);
        }
        let mut fields = Vec::new();
        self.com_fields(outer, &mut fields)?;
        arm.field = fields.pop().map(|mut field| {
            field.attributes.append(&mut attributes);
            field
        });
        Ok(arm)
    }

    fn com_labels(&mut self, end: &str, arm: &mut ComArm) -> Parsed<()> {
        loop {
            arm.labels.push(self.expression()?);
            if self.eat(",").is_none() {
                return self.expect(end).map(|_| ());
            }
        }
    }

    /// Unions within a struct have the tag that a member beside them has.
    pub(super) fn tag_unions(&mut self, fields: &[ComField]) {
        for field in fields {
            let Some(tag) = switch(field, fields) else { continue };
            let super::ast::TypeKind::Named(name) = &field.ty.ty.kind else { continue };
            for definition in &mut self.pending {
                if let DefinitionKind::ComType(definition) = &mut definition.kind
                    && definition.name.span == name.first.span
                    && let ComDefinitionKind::Union(union) = &mut definition.kind
                {
                    union.tag.get_or_insert_with(|| tag.clone());
                }
            }
        }
    }
}

/// The type of the member that `switch_is` of another one names.
fn switch(field: &ComField, fields: &[ComField]) -> Option<ComTypeSpec> {
    let attribute = field.attributes.iter().find(|it| it.name == "switch_is")?;
    let text = attribute.text.as_deref()?;
    let named = |it: &&ComField| {
        text.split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(|word| plain(word) == it.name.text)
    };
    fields.iter().find(named).map(|it| it.ty.clone())
}
