//! Unions: the discriminator, the labels and `default` (IDL 4.2, 7.4.1.4.4).

use super::Checker;
use super::expected::Expected;
use super::forward::empty_union;
use super::scope::{ScopeKind, Target};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{Case, ConstValue, DeclId, DeclKind, Primitive, Type};
use crate::parse::ast::{self, BodyItem, Label};
use crate::source::Span;
use std::collections::HashMap;

/// The labels of a union so far.
struct Labels {
    /// The expected type of a label; `None` if the discriminator is not valid.
    expected: Option<Expected>,
    /// The number of values of the discriminator.
    values: i128,
    seen: HashMap<i128, Span>,
    default: Option<Span>,
}

impl Checker<'_, '_> {
    pub(super) fn union(&mut self, union: &ast::Union, docs: &[String]) -> DeclId {
        let id = self.define(&union.name, docs, DeclKind::Union(empty_union()));
        self.incomplete.insert(id, None);
        let outer = self.enter(ScopeKind::Body, Some(id), &union.name);
        let discriminator = self.ty(&union.discriminator);
        let mut labels = Labels {
            expected: discriminator.as_ref().and_then(|ty| self.expected(ty)),
            values: 0,
            seen: HashMap::new(),
            default: None,
        };
        if let Some(ty) = &discriminator {
            match self.count_values(ty) {
                Some(values) => labels.values = values,
                None => {
                    labels.expected = None;
                    let message = "a union can only be switched on an integer, a character, a \
                                   `boolean` or an enum";
                    self.error(Code::BadType, union.discriminator.span, message);
                }
            }
        }
        let mut cases = Vec::new();
        for item in &union.body {
            match item {
                BodyItem::Member(member) => cases.extend(self.case(member, &mut labels)),
                BodyItem::Marker(marker) => self.items(std::slice::from_ref(marker)),
            }
        }
        self.check_default(&labels);
        let nested = std::mem::take(&mut self.scope_mut().members);
        self.leave(outer);
        self.incomplete.remove(&id);
        if let (DeclKind::Union(union), Some(discriminator)) =
            (&mut self.model.declarations[id.index()].kind, discriminator)
        {
            *union = crate::model::Union { nested, discriminator, cases };
        }
        self.record_local(id);
        id
    }

    fn case(&mut self, member: &ast::Member, labels: &mut Labels) -> Option<Case> {
        let mut values = Vec::new();
        let mut default = false;
        for label in &member.labels {
            match label {
                Label::Case(value) => values.extend(self.label(value, labels)),
                Label::Default(span) => {
                    default = true;
                    if let Some(first) = labels.default {
                        let message = "a union has at most one `default`";
                        let error = Diagnostic::error(Code::UselessDefault, *span, message);
                        self.session.report(error.secondary(first, "the first one is here"));
                    }
                    labels.default.get_or_insert(*span);
                }
            }
        }
        let ty = self.ty(&member.ty);
        let declarator = member.declarators.first()?;
        let member = self.member(ty.as_ref(), declarator, &member.docs, Target::Member)?;
        Some(Case { labels: values, default, member })
    }

    fn label(&mut self, value: &ast::Expr, labels: &mut Labels) -> Option<ConstValue> {
        let expected = labels.expected.clone()?;
        let span = value.span;
        let value = self.evaluate(value, &expected)?;
        let number = match &value {
            ConstValue::Integer(value) => *value,
            ConstValue::Boolean(value) => i128::from(*value),
            ConstValue::Char(value) => i128::from(*value),
            ConstValue::Enumerator(_, index) => i128::from(*index),
            ConstValue::WChar(unit) => i128::from(*unit),
            ConstValue::Float(_)
            | ConstValue::LongDouble(_)
            | ConstValue::String(_)
            | ConstValue::WString(_)
            | ConstValue::Fixed(_) => return None,
        };
        if let Some(first) = labels.seen.insert(number, span) {
            let message = "two cases have the same label";
            let error = Diagnostic::error(Code::DuplicateLabel, span, message);
            self.session.report(error.secondary(first, "first used here"));
        }
        Some(value)
    }

    fn check_default(&mut self, labels: &Labels) {
        let Some(span) = labels.default else { return };
        if labels.values > 0 && labels.seen.len() as i128 >= labels.values {
            let message = "the other cases cover all values, so `default` is never selected";
            self.error(Code::UselessDefault, span, message);
        }
    }

    /// The number of values of a discriminator of the type `ty`; `None` if it cannot be one.
    fn count_values(&self, ty: &Type) -> Option<i128> {
        match self.model.resolve(ty) {
            Type::Primitive(primitive) => match primitive {
                Primitive::Boolean => Some(2),
                Primitive::Char | Primitive::Octet | Primitive::Int8 | Primitive::UInt8 => {
                    Some(256)
                }
                Primitive::Short | Primitive::UShort | Primitive::WChar => Some(1 << 16),
                Primitive::Long | Primitive::ULong => Some(1 << 32),
                Primitive::LongLong | Primitive::ULongLong => Some(1 << 64),
                Primitive::Float | Primitive::Double | Primitive::LongDouble => None,
            },
            Type::Named(id) => match &self.model.get(*id).kind {
                DeclKind::Enum(body) => Some(body.enumerators.len() as i128),
                _ => None,
            },
            _ => None,
        }
    }
}
