//! The types within the type of a value, for parts that name an enclosing one.

use armilla_cdr::TypeCode;
use armilla_cdr::type_code::TypeIndex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The named types within the type of the whole; nothing where no part could ask for one.
#[derive(Clone, Default)]
pub(super) struct Types(Option<Arc<BTreeMap<String, TypeCode>>>);

impl Types {
    /// Those within `root`.
    pub(super) fn of(root: &TypeCode) -> Self {
        if is_simple(root) {
            return Self(None);
        }
        let index = TypeIndex::new(root);
        let types = index.iter().map(|(id, code)| (id.to_owned(), code.clone()));
        Self(Some(Arc::new(types.collect())))
    }

    /// The type with this repository id.
    pub(super) fn find(&self, id: &str) -> Option<&TypeCode> {
        self.0.as_ref()?.get(id)
    }

    /// What `code` stands for. A recursive code that names no type is itself.
    pub(super) fn resolve<'c>(&'c self, code: &'c TypeCode) -> &'c TypeCode {
        let mut code = code.resolved();
        // Each step leads to a type that is not recursive, and no typedef contains only itself.
        for _ in 0..armilla_cdr::type_code::TYPE_CODE_DEPTH_LIMIT {
            let TypeCode::Recursive(id) = code else { break };
            match self.find(id) {
                Some(found) => code = found.resolved(),
                None => break,
            }
        }
        code
    }

    /// `code` as a type of its own.
    pub(super) fn closed(&self, code: &TypeCode) -> TypeCode {
        match &self.0 {
            Some(types) => code.closed(|id| types.get(id).cloned()),
            None => code.clone(),
        }
    }
}

/// Whether no part of the type can name another by its repository id.
fn is_simple(code: &TypeCode) -> bool {
    match code {
        TypeCode::Struct(code) | TypeCode::Exception(code) => {
            code.members.len() < 16 && code.members.iter().all(|member| is_basic(&member.ty))
        }
        TypeCode::Sequence(element, _) | TypeCode::Array(element, _) => is_simple(element),
        TypeCode::Alias(code) => is_simple(&code.ty),
        code => is_basic(code),
    }
}

const fn is_basic(code: &TypeCode) -> bool {
    !matches!(
        code,
        TypeCode::Struct(_)
            | TypeCode::Exception(_)
            | TypeCode::Union(_)
            | TypeCode::Sequence(..)
            | TypeCode::Array(..)
            | TypeCode::Alias(_)
            | TypeCode::Recursive(_)
            | TypeCode::Value(_)
            | TypeCode::Event(_)
            | TypeCode::ValueBox(_)
            | TypeCode::AbstractInterface(_)
    )
}
