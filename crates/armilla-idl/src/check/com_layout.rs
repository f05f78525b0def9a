//! How large values are in C, for `sizeof`: as the compilers of Windows place them, for 32 bits and for 64.

use super::Checker;
use super::com_types::known;
use super::scope::Target;
use crate::model::{ComAlias, ComDefinition, ComType, DeclKind};
use crate::parse::plain;

/// Names of Windows for integers that are as wide as pointers.
const AS_WIDE_AS_POINTERS: &[&str] = &[
    "INT_PTR",
    "LONG_PTR",
    "LRESULT",
    "LPARAM",
    "UINT_PTR",
    "ULONG_PTR",
    "DWORD_PTR",
    "SIZE_T",
    "WPARAM",
];

/// Words before a name that say of which kind its type is, and others that change no size.
const PASSED: &[&str] = &["const", "volatile", "struct", "union", "enum", "interface", "signed"];

impl Checker<'_, '_> {
    /// How many octets the type of these words takes. `None` if they name no type; `Some(None)` if that
    /// depends on the machine, as pointers do, or on the value.
    pub(super) fn com_size_of(&self, words: &[&str]) -> Option<Option<i64>> {
        let mut words: Vec<_> = words.iter().copied().filter(|it| !PASSED.contains(it)).collect();
        let unsigned = words.iter().position(|it| *it == "unsigned");
        if let Some(at) = unsigned {
            words.remove(at);
        }
        if words.len() > 1 && words.last() == Some(&"int") {
            words.pop();
        }
        Some(Some(match &words[..] {
            [] | ["int" | "long" | "__int32"] => 4,
            ["char" | "byte" | "boolean" | "small" | "__int8"] => 1,
            ["short" | "wchar_t" | "__int16"] => 2,
            ["hyper" | "__int64"] | ["long", "long"] => 8,
            ["float"] => 4,
            ["double"] => 8,
            [name] if unsigned.is_none() => return self.com_size_of_name(name),
            _ => return None,
        }))
    }

    fn com_size_of_name(&self, name: &str) -> Option<Option<i64>> {
        let of_alias = |alias: &ComAlias| match alias.stars {
            0 => self.com_octets(&alias.ty),
            _ => None,
        };
        if self.is_windows(name) {
            let wide = AS_WIDE_AS_POINTERS.contains(&name);
            return Some(known(name).filter(|_| !wide).and_then(|known| of_alias(&known.alias)));
        }
        let (_, Target::Decl(id)) = self.declared(&plain(name))? else { return Some(None) };
        let ty = match &self.model.get(id).kind {
            DeclKind::ComType(ComDefinition::Alias(alias)) => return Some(of_alias(alias)),
            DeclKind::ComType(ComDefinition::Struct(_)) => ComType::Struct(id),
            DeclKind::ComType(ComDefinition::Enum(_)) => ComType::Enum(id),
            DeclKind::ComType(_) | DeclKind::Com(_) => return Some(None),
            _ => return None,
        };
        Some(self.com_octets(&ty))
    }

    fn com_octets(&self, ty: &ComType) -> Option<i64> {
        self.com_layout(ty).and_then(|(size, _)| i64::try_from(size).ok())
    }

    /// The size of a value and its alignment. A union has its tag or leaves it to another member, and what
    /// holds a pointer is larger on some machines.
    fn com_layout(&self, ty: &ComType) -> Option<(u64, u64)> {
        Some(match ty {
            ComType::I1 | ComType::U1 => (1, 1),
            ComType::I2 | ComType::U2 | ComType::VariantBool => (2, 2),
            // An enum is an `int`, however it travels.
            ComType::I4 | ComType::U4 | ComType::R4 | ComType::Enum(_) => (4, 4),
            ComType::I8 | ComType::U8 | ComType::R8 => (8, 8),
            ComType::Date | ComType::Currency => (8, 8),
            ComType::Guid => (16, 4),
            ComType::Decimal => (16, 8),
            ComType::Fixed(element, count) => {
                let (size, alignment) = self.com_layout(element)?;
                (size.checked_mul((*count).into())?, alignment)
            }
            ComType::Struct(id) => match &self.model.get(*id).kind {
                DeclKind::ComType(ComDefinition::Struct(fields)) if !fields.is_empty() => {
                    let (mut end, mut widest) = (0u64, 1);
                    for field in fields {
                        let (size, alignment) = self.com_layout(&field.ty)?;
                        end = end.next_multiple_of(alignment).checked_add(size)?;
                        widest = alignment.max(widest);
                    }
                    (end.next_multiple_of(widest), widest)
                }
                _ => return None,
            },
            _ => return None,
        })
    }
}
