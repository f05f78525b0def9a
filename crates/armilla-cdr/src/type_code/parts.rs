//! The direct parts of a type, and its depth.

use super::{TYPE_CODE_DEPTH_LIMIT, TypeCode};
use crate::key_table::KeyTable;

impl TypeCode {
    /// Calls `visit` with each direct part of this type.
    pub(super) fn each_part<'c>(&'c self, mut visit: impl FnMut(&'c Self)) {
        match self {
            Self::Struct(code) | Self::Exception(code) => {
                code.members.iter().for_each(|member| visit(&member.ty));
            }
            Self::Union(code) => {
                visit(&code.discriminator);
                code.cases.iter().for_each(|case| visit(&case.ty));
            }
            Self::Sequence(ty, _) | Self::Array(ty, _) => visit(ty),
            Self::Alias(code) | Self::ValueBox(code) => visit(&code.ty),
            Self::Value(code) | Self::Event(code) => {
                visit(&code.base);
                code.members.iter().for_each(|member| visit(&member.ty));
            }
            _ => {}
        }
    }

    /// Whether the type nests no deeper than
    /// [`TYPE_CODE_DEPTH_LIMIT`](super::TYPE_CODE_DEPTH_LIMIT).
    pub(super) fn fits_depth_limit(&self) -> bool {
        Depths::default().height(self, TYPE_CODE_DEPTH_LIMIT).is_some()
    }
}

/// The number of nesting levels of the types that were visited, including the types themselves.
#[derive(Default)]
struct Depths(KeyTable<usize>);

impl Depths {
    /// The depth of `code`; `None` if it is more than `limit`.
    fn height(&mut self, code: &TypeCode, limit: usize) -> Option<usize> {
        let Some(identity) = code.identity() else { return Some(0) };
        if let Some(known) = self.0.get(identity) {
            return Some(*known).filter(|known| *known <= limit);
        }
        let limit = limit.checked_sub(1)?;
        let mut highest = Some(0);
        code.each_part(|part| {
            highest = highest.and_then(|highest| Some(self.height(part, limit)?.max(highest)));
        });
        let height = highest? + 1;
        self.0.insert(identity, height);
        Some(height)
    }
}
