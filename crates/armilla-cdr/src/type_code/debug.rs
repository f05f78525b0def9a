//! The `Debug` form of TypeCodes.

use super::{TYPE_CODE_DEPTH_LIMIT, TypeCode};
use crate::key_table::KeyTable;
use alloc::format;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::fmt::{Debug, DebugStruct, Formatter, Result};

impl Debug for TypeCode {
    /// Shows each named part once in full and afterwards by its repository id, so the output is
    /// linear in the number of parts. Parts below [`TYPE_CODE_DEPTH_LIMIT`] are omitted.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        DebugView { code: self, seen: &RefCell::default(), depth: 0 }.fmt(f)
    }
}

/// A part of a type, with the parts that were shown before.
#[derive(Clone, Copy)]
struct DebugView<'c> {
    code: &'c TypeCode,
    seen: &'c RefCell<KeyTable<()>>,
    depth: usize,
}

impl<'c> DebugView<'c> {
    const fn part(self, code: &'c TypeCode) -> Self {
        Self { code, depth: self.depth + 1, ..self }
    }

    /// Whether it was shown before, with its parts.
    fn is_known(&self) -> bool {
        let identity = self.code.identity().filter(|_| self.code.id().is_some());
        identity.is_some_and(|identity| !self.seen.borrow_mut().insert(identity, ()))
    }
}

impl Debug for DebugView<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let code = self.code;
        let kind = match code.kind() {
            Some(kind) => format!("{kind:?}"),
            None => "Recursive".into(),
        };
        if self.depth > TYPE_CODE_DEPTH_LIMIT {
            return f.write_str("..");
        }
        match code {
            TypeCode::Sequence(content, bound) | TypeCode::Array(content, bound) => {
                f.debug_tuple(&kind).field(&self.part(content)).field(bound).finish()
            }
            TypeCode::String(bound) | TypeCode::WString(bound) => {
                f.debug_tuple(&kind).field(bound).finish()
            }
            TypeCode::Fixed { digits, scale } => {
                f.debug_tuple(&kind).field(digits).field(scale).finish()
            }
            _ => match code.id() {
                None => f.write_str(&kind),
                Some(id) if matches!(code, TypeCode::Recursive(_)) || self.is_known() => {
                    f.debug_tuple(&kind).field(&id).finish()
                }
                Some(id) => {
                    let mut shown = f.debug_struct(&kind);
                    shown.field("id", &id).field("name", &code.name().unwrap_or_default());
                    self.contents(&mut shown);
                    shown.finish()
                }
            },
        }
    }
}

impl DebugView<'_> {
    /// Shows the parameters of a type with a repository id.
    fn contents(&self, shown: &mut DebugStruct<'_, '_>) {
        match self.code {
            TypeCode::Struct(code) | TypeCode::Exception(code) => {
                let members = code.members.iter().map(|m| (&m.name, self.part(&m.ty)));
                shown.field("members", &members.collect::<Vec<_>>());
            }
            TypeCode::Union(code) => {
                shown.field("discriminator", &self.part(&code.discriminator));
                shown.field("default", &code.default);
                let cases = code.cases.iter().map(|c| (c.label, &c.name, self.part(&c.ty)));
                shown.field("cases", &cases.collect::<Vec<_>>());
            }
            TypeCode::Enum(code) => {
                shown.field("enumerators", &code.enumerators);
            }
            TypeCode::Alias(code) | TypeCode::ValueBox(code) => {
                shown.field("type", &self.part(&code.ty));
            }
            TypeCode::Value(code) | TypeCode::Event(code) => {
                shown.field("modifier", &code.modifier).field("base", &self.part(&code.base));
                let members = code.members.iter().map(|m| (&m.name, self.part(&m.ty), m.public));
                shown.field("members", &members.collect::<Vec<_>>());
            }
            _ => {}
        }
    }
}
