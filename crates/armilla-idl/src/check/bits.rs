//! Bitmasks and bitsets (IDL 4.2, 7.4.13.4.3).

use super::Checker;
use super::scope::Target;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{BitField, Bitmask, Bitset, DeclId, DeclKind, Flag, Primitive, Type};
use crate::parse::ast;
use crate::source::Span;
use std::collections::HashMap;

/// The maximum number of bits of a bitmask and of a bitset's field.
const MAX_BITS: u32 = 64;
/// The bits of a bitmask without `@bit_bound`.
const DEFAULT_BITS: u32 = 32;

impl Checker<'_, '_> {
    pub(super) fn bitmask(&mut self, body: &ast::Bitmask, docs: &[String]) {
        let bound = match body.bound {
            Some(bound) => self.bits(u128::from(bound.value), bound.span),
            None => Some(DEFAULT_BITS),
        };
        let bound = bound.unwrap_or(DEFAULT_BITS);
        let mut taken: HashMap<u64, Span> = HashMap::new();
        let mut names: HashMap<String, Span> = HashMap::new();
        let mut flags: Vec<Flag> = Vec::new();
        for (name, position) in &body.flags {
            let next = flags.last().map_or(0, |last| u64::from(last.position) + 1);
            let position = position.map_or(next, |position| position.value);
            if position >= u64::from(bound) {
                let message =
                    format!("bit {position} is beyond the {bound} bits of `{}`", body.name.text);
                self.error(Code::BadBits, name.span, message);
                continue;
            }
            let first = taken.insert(position, name.span);
            self.twice(first, name.span, "two flags have the same bit");
            let first = names.insert(super::scope::key(&name.text), name.span);
            self.twice(first, name.span, "two flags have the same name");
            flags.push(Flag {
                name: name.text.clone(),
                position: position as u32,
                span: name.span,
            });
        }
        self.add(&body.name, docs, DeclKind::Bitmask(Bitmask { bound, flags }));
    }

    pub(super) fn bitset(&mut self, body: &ast::Bitset, docs: &[String]) {
        let base = body.base.as_ref().and_then(|name| {
            self.base_type(name, "a bitset", |kind| matches!(kind, DeclKind::Bitset(_)))
        });
        let mut names: HashMap<String, Span> = HashMap::new();
        let mut fields = Vec::new();
        for field in &body.fields {
            let bits = self.positive(&field.bits, "the size of a field");
            let bits = bits.and_then(|bits| self.bits(u128::from(bits), field.bits.span));
            let ty = field.ty.as_ref().and_then(|spec| self.field_type(spec));
            let Some(bits) = bits else { continue };
            if field.names.is_empty() {
                fields.push(BitField { name: None, bits, ty });
            }
            for name in &field.names {
                let first = names.insert(super::scope::key(&name.text), name.span);
                self.twice(first, name.span, "two fields have the same name");
                fields.push(BitField { name: Some(name.text.clone()), bits, ty });
            }
        }
        self.add(&body.name, docs, DeclKind::Bitset(Bitset { base, fields }));
    }

    fn field_type(&mut self, spec: &ast::TypeSpec) -> Option<Primitive> {
        let ty = self.ty(spec)?;
        match self.model.resolve(&ty) {
            Type::Primitive(primitive) if !primitive.is_float() => Some(*primitive),
            _ => {
                self.error(
                    Code::BadType,
                    spec.span,
                    "a field is an integer, an octet or a boolean",
                );
                None
            }
        }
    }

    /// `count` if it is a valid number of bits; otherwise reports it.
    fn bits(&mut self, count: u128, span: Span) -> Option<u32> {
        let bits = u32::try_from(count).ok().filter(|bits| (1..=MAX_BITS).contains(bits));
        if bits.is_none() {
            let message = format!("there can be 1 to {MAX_BITS} bits, this is {count}");
            self.error(Code::BadBits, span, message);
        }
        bits
    }

    fn twice(&mut self, first: Option<Span>, span: Span, message: &str) {
        if let Some(first) = first {
            let error = Diagnostic::error(Code::BadBits, span, message);
            self.session.report(error.secondary(first, "first used here"));
        }
    }

    /// Resolves the base of a struct or a bitset.
    pub(super) fn base_type(
        &mut self,
        name: &ast::ScopedName,
        what: &str,
        fits: impl Fn(&DeclKind) -> bool,
    ) -> Option<DeclId> {
        let target = self.resolve(name)?;
        if let Target::Decl(id) = target
            && let Type::Named(id) = *self.model.resolve(&Type::Named(id))
            && fits(&self.model.get(id).kind)
        {
            if !self.incomplete.contains_key(&id) {
                return Some(id);
            }
            let last = name.rest.last().unwrap_or(&name.first);
            let message = format!("`{}` is not defined yet and cannot be a base", last.text);
            self.error(Code::BadBase, name.span(), message);
            return None;
        }
        self.wrong_kind(Code::BadBase, name, target, what);
        None
    }
}
