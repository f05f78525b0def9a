//! Makes a part of a recursive type self-contained.

use super::{
    AliasCode, CaseCode, MemberCode, StateCode, StructCode, TYPE_CODE_DEPTH_LIMIT, TypeCode,
    UnionCode, ValueCode,
};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The largest number of parts that are visited. It bounds the time for types that refer to one
/// another in many ways.
const MAX_PARTS: u32 = 10_000;

impl TypeCode {
    /// The same type, made self-contained: each [`Recursive`](Self::Recursive) code that names no
    /// enclosing type is replaced by the type that `find` returns for its repository id. So a part
    /// of a larger type becomes a type of its own. Codes that `find` does not know stay, and so do
    /// parts below [`TYPE_CODE_DEPTH_LIMIT`].
    ///
    /// ```
    /// use armilla_cdr::TypeCode;
    /// use armilla_cdr::type_code::TypeIndex;
    ///
    /// let nodes = TypeCode::sequence(TypeCode::recursive("IDL:Node:1.0"), 0);
    /// let node = TypeCode::structure("IDL:Node:1.0", "Node", [("children", nodes.clone())]);
    /// let index = TypeIndex::new(&node);
    /// let closed = nodes.closed(|id| index.find(id).cloned());
    /// assert_eq!(closed, TypeCode::sequence(node, 0));
    /// ```
    #[must_use]
    pub fn closed(&self, find: impl Fn(&str) -> Option<Self>) -> Self {
        let (enclosing, left, depth) = (Vec::new(), MAX_PARTS, 0);
        Closing { find: &find, enclosing, left, depth }.part(self).unwrap_or_else(|| self.clone())
    }
}

struct Closing<'f> {
    find: &'f dyn Fn(&str) -> Option<TypeCode>,
    enclosing: Vec<alloc::string::String>,
    left: u32,
    depth: usize,
}

impl Closing<'_> {
    /// The replacement of `code`; `None` if it stays.
    fn part(&mut self, code: &TypeCode) -> Option<TypeCode> {
        self.left = self.left.checked_sub(1)?;
        if let TypeCode::Recursive(id) = code {
            if self.enclosing.iter().any(|enclosing| **enclosing == **id) {
                return None;
            }
            let found = (self.find)(id)?;
            return Some(self.part(&found).unwrap_or(found));
        }
        if self.depth > TYPE_CODE_DEPTH_LIMIT {
            return None;
        }
        self.depth += 1;
        code.id().into_iter().for_each(|id| self.enclosing.push(id.into()));
        let made = self.made(code);
        self.depth -= 1;
        code.id().into_iter().for_each(|_| drop(self.enclosing.pop()));
        made
    }

    fn made(&mut self, code: &TypeCode) -> Option<TypeCode> {
        Some(match code {
            TypeCode::Struct(code) => TypeCode::Struct(self.structure(code)?),
            TypeCode::Exception(code) => TypeCode::Exception(self.structure(code)?),
            TypeCode::Union(code) => self.union(code)?,
            TypeCode::Sequence(element, bound) => TypeCode::sequence(self.part(element)?, *bound),
            TypeCode::Array(element, length) => TypeCode::array(self.part(element)?, *length),
            TypeCode::Alias(code) => TypeCode::Alias(self.alias(code)?),
            TypeCode::ValueBox(code) => TypeCode::ValueBox(self.alias(code)?),
            TypeCode::Value(code) => TypeCode::Value(self.value(code)?),
            TypeCode::Event(code) => TypeCode::Event(self.value(code)?),
            _ => return None,
        })
    }

    /// The replacements of several types, which include those that stay; `None` if all stay.
    fn parts<'t>(&mut self, types: impl Iterator<Item = &'t TypeCode>) -> Option<Vec<TypeCode>> {
        let mut changed = false;
        let parts = types.map(|ty| match self.part(ty) {
            Some(part) => {
                changed = true;
                part
            }
            None => ty.clone(),
        });
        let parts = parts.collect();
        changed.then_some(parts)
    }

    fn structure(&mut self, code: &StructCode) -> Option<Arc<StructCode>> {
        let types = self.parts(code.members.iter().map(|member| &member.ty))?;
        let members = code.members.iter().zip(types);
        let members = members.map(|(member, ty)| MemberCode { name: member.name.clone(), ty });
        let (id, name) = (code.id.clone(), code.name.clone());
        Some(Arc::new(StructCode { id, name, members: members.collect() }))
    }

    fn union(&mut self, code: &UnionCode) -> Option<TypeCode> {
        let types = self.parts(code.cases.iter().map(|case| &case.ty))?;
        let cases = code.cases.iter().zip(types).map(|(case, ty)| CaseCode {
            label: case.label,
            name: case.name.clone(),
            ty,
        });
        Some(TypeCode::Union(Arc::new(UnionCode { cases: cases.collect(), ..code.clone() })))
    }

    fn alias(&mut self, code: &AliasCode) -> Option<Arc<AliasCode>> {
        let ty = self.part(&code.ty)?;
        Some(Arc::new(AliasCode { ty, ..code.clone() }))
    }

    fn value(&mut self, code: &ValueCode) -> Option<Arc<ValueCode>> {
        let members = code.members.iter().map(|member| &member.ty);
        let mut types = self.parts(members.chain([&code.base]))?;
        let base = types.pop()?;
        let members = code.members.iter().zip(types).map(|(member, ty)| StateCode {
            name: member.name.clone(),
            ty,
            public: member.public,
        });
        let members = members.collect();
        Some(Arc::new(ValueCode { base, members, ..code.clone() }))
    }
}
