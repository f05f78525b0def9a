//! Removes the optional names from TypeCodes.

use super::{
    AliasCode, CaseCode, EnumCode, MemberCode, NamedCode, StateCode, StructCode,
    TYPE_CODE_DEPTH_LIMIT, TypeCode, UnionCode, ValueCode,
};
use crate::key_table::KeyTable;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

impl TypeCode {
    /// The same type without its name and the names of its members (`get_compact_typecode`, CORBA
    /// 3.4 Part 1, 8.11.1). It is equivalent to this type. Repository ids stay. Parts below
    /// [`TYPE_CODE_DEPTH_LIMIT`] are unchanged.
    ///
    /// ```
    /// use armilla_cdr::TypeCode;
    ///
    /// let point = TypeCode::structure("IDL:Point:1.0", "Point", [("x", TypeCode::Long)]);
    /// let compact = point.compact();
    /// assert_eq!((compact.name(), compact.member_name(0)), (Some(""), Some("")));
    /// assert!(compact.is_equivalent(&point));
    /// ```
    #[must_use]
    pub fn compact(&self) -> Self {
        Compaction::default().of(self)
    }
}

/// The compact forms of parts, so that shared parts stay shared.
#[derive(Default)]
struct Compaction {
    known: KeyTable<TypeCode>,
    depth: usize,
}

impl Compaction {
    fn of(&mut self, code: &TypeCode) -> TypeCode {
        let key = code.identity();
        if let Some(known) = key.and_then(|key| self.known.get(key)) {
            return known.clone();
        }
        if self.depth > TYPE_CODE_DEPTH_LIMIT {
            return code.clone();
        }
        self.depth += 1;
        let compact = self.make(code);
        self.depth -= 1;
        if let Some(key) = key {
            self.known.insert(key, compact.clone());
        }
        compact
    }

    fn make(&mut self, code: &TypeCode) -> TypeCode {
        match code {
            TypeCode::ObjectReference(code) => TypeCode::ObjectReference(named(code)),
            TypeCode::AbstractInterface(code) => TypeCode::AbstractInterface(named(code)),
            TypeCode::LocalInterface(code) => TypeCode::LocalInterface(named(code)),
            TypeCode::Native(code) => TypeCode::Native(named(code)),
            TypeCode::Component(code) => TypeCode::Component(named(code)),
            TypeCode::Home(code) => TypeCode::Home(named(code)),
            TypeCode::Struct(code) => TypeCode::Struct(self.structure(code)),
            TypeCode::Exception(code) => TypeCode::Exception(self.structure(code)),
            TypeCode::Union(code) => TypeCode::Union(self.union(code)),
            TypeCode::Enum(code) => TypeCode::Enum(Arc::new(EnumCode {
                id: code.id.clone(),
                name: String::new(),
                enumerators: code.enumerators.iter().map(|_| String::new()).collect(),
            })),
            TypeCode::Sequence(element, bound) => TypeCode::sequence(self.of(element), *bound),
            TypeCode::Array(element, length) => TypeCode::array(self.of(element), *length),
            TypeCode::Alias(code) => TypeCode::Alias(self.alias(code)),
            TypeCode::ValueBox(code) => TypeCode::ValueBox(self.alias(code)),
            TypeCode::Value(code) => TypeCode::Value(self.value(code)),
            TypeCode::Event(code) => TypeCode::Event(self.value(code)),
            other => other.clone(),
        }
    }

    fn structure(&mut self, code: &StructCode) -> Arc<StructCode> {
        let member = |m: &MemberCode| MemberCode { name: String::new(), ty: self.of(&m.ty) };
        let members: Vec<_> = code.members.iter().map(member).collect();
        Arc::new(StructCode { id: code.id.clone(), name: String::new(), members })
    }

    fn union(&mut self, code: &UnionCode) -> Arc<UnionCode> {
        let discriminator = self.of(&code.discriminator);
        let case = |case: &CaseCode| CaseCode {
            label: case.label,
            name: String::new(),
            ty: self.of(&case.ty),
        };
        let cases = code.cases.iter().map(case).collect();
        let (id, default) = (code.id.clone(), code.default);
        Arc::new(UnionCode::new(id, String::new(), discriminator, default, cases))
    }

    fn alias(&mut self, code: &AliasCode) -> Arc<AliasCode> {
        let ty = self.of(&code.ty);
        Arc::new(AliasCode { id: code.id.clone(), name: String::new(), ty })
    }

    fn value(&mut self, code: &ValueCode) -> Arc<ValueCode> {
        let base = self.of(&code.base);
        let member =
            |m: &StateCode| StateCode { name: String::new(), ty: self.of(&m.ty), public: m.public };
        let members = code.members.iter().map(member).collect();
        let (id, modifier) = (code.id.clone(), code.modifier);
        Arc::new(ValueCode { id, name: String::new(), modifier, base, members })
    }
}

fn named(code: &NamedCode) -> Arc<NamedCode> {
    Arc::new(NamedCode { id: code.id.clone(), name: String::new() })
}
