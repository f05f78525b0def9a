//! The state that the handles of a valuetype share.

use super::types::Types;
use super::{DynAny, Result, invalid};
use armilla_cdr::value::NewValue;
use armilla_cdr::{CdrResult, TypeCode};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A snapshot of the state of a value.
pub(super) type State = Arc<Vec<Arc<DynAny>>>;

/// The value that its handles share; all see a change. No thread does other work while it holds the
/// lock, because the values that the state refers to may refer back to this one.
pub(super) struct Shared {
    /// The type of the value.
    code: TypeCode,
    /// The named types within the type of the dynamic value in which this value was created.
    types: Types,
    /// The repository ids that are sent with the value. Empty if it has the declared type.
    ids: Vec<String>,
    chunked: bool,
    /// The state, with that of the bases first. The state of a boxed value is its content.
    members: Mutex<State>,
}

/// `VM_CUSTOM` and `VM_ABSTRACT`: no TypeCode describes the state of these types.
const WITHOUT_STATE: [i16; 2] = [1, 2];

/// The error for the types in [`WITHOUT_STATE`].
pub(super) const NOT_DESCRIBED: &str =
    "no TypeCode describes the state of a custom or abstract valuetype";

/// The error for a value that would have to be truncated.
pub(super) const MUST_TRUNCATE: &str =
    "only a base of a valuetype in the value is known, and the value must not be truncated";

/// `VM_TRUNCATABLE`.
const TRUNCATABLE: i16 = 3;

/// The most repository ids that a value names. A TypeCode from elsewhere may have itself as a base.
const MAX_IDS: usize = 64;

/// The repository id of a valuetype, and those of the types to which it may be truncated.
fn truncatable_ids(code: &TypeCode, types: &Types) -> Vec<String> {
    let mut ids: Vec<String> = code.id().into_iter().map(str::to_owned).collect();
    let mut part = code;
    while let TypeCode::Value(value) | TypeCode::Event(value) = part
        && value.modifier == TRUNCATABLE
        && ids.len() < MAX_IDS
    {
        part = types.resolve(&value.base);
        ids.extend(part.id().map(str::to_owned));
    }
    ids
}

impl Shared {
    /// A value whose state the decoder will set.
    pub(super) fn begun(code: TypeCode, types: &Types, head: &NewValue<'_>) -> Self {
        let known = head.ids().iter().map(|id| String::from_utf8_lossy(id).into_owned());
        let mut ids: Vec<String> = known.skip_while(|id| code.id() != Some(id)).collect();
        if ids.is_empty() {
            // The value may be moved to where another type is declared.
            ids = truncatable_ids(&code, types);
        }
        let (types, chunked) = (types.clone(), head.can_be_truncated());
        Self { code, types, ids, chunked, members: Mutex::default() }
    }

    /// Creates a value whose members `make` makes, each of its type.
    pub(super) fn new(
        code: &TypeCode,
        types: &Types,
        mut make: impl FnMut(TypeCode, &Types) -> Result<DynAny>,
    ) -> Result<Self> {
        let ids = truncatable_ids(code, types);
        let chunked = ids.len() > 1;
        let (code, members) = (code.clone(), Mutex::default());
        let value = Self { code, types: types.clone(), ids, chunked, members };
        let members = value.members()?.into_iter().map(|ty| make(ty, types));
        let members = members.collect::<Result<_>>()?;
        value.set(members);
        Ok(value)
    }

    /// The type as a self-contained TypeCode, if `types` does not describe it.
    pub(super) fn type_beyond(&self, types: &Types) -> Option<TypeCode> {
        let is_described = self.code.id().is_some_and(|id| types.describes(id));
        (!is_described).then(|| self.type_code())
    }

    /// The type as a self-contained TypeCode.
    pub(super) fn type_code(&self) -> TypeCode {
        self.types.closed(&self.code)
    }

    pub(super) const fn code(&self) -> &TypeCode {
        &self.code
    }

    pub(super) fn ids(&self) -> &[String] {
        &self.ids
    }

    pub(super) const fn is_chunked(&self) -> bool {
        self.chunked
    }

    /// Whether the value conforms to the declared type `expected`.
    pub(super) fn is(&self, expected: &TypeCode) -> bool {
        self.types.may_stand_for(&self.code, expected)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set(&self, members: Vec<DynAny>) {
        let state = Arc::new(members.into_iter().map(Arc::new).collect());
        // Drop the previous state after the release of the lock.
        let _before = std::mem::replace(&mut *self.lock(), state);
    }

    /// Replaces the member `index` by `changed`, which began as a copy of `original`. If it equals
    /// `original`, as `is_same` compares them, a change that another handle has made to the member
    /// meanwhile is kept.
    pub(super) fn put(
        &self,
        index: usize,
        original: &Arc<DynAny>,
        changed: DynAny,
        is_same: fn(&DynAny, &DynAny) -> bool,
    ) {
        let mut state = self.lock();
        let Some(now) = state.get(index) else { return };
        if !Arc::ptr_eq(now, original) && is_same(original, &changed) {
            return;
        }
        let before = std::mem::replace(&mut Arc::make_mut(&mut state)[index], Arc::new(changed));
        drop(state);
        drop(before);
    }

    pub(super) fn count(&self) -> usize {
        self.lock().len()
    }

    pub(super) fn state(&self) -> State {
        self.lock().clone()
    }

    /// Copies of the members.
    pub(super) fn copies(&self) -> Vec<DynAny> {
        self.state().iter().map(|part| (**part).clone()).collect()
    }

    /// Takes the members that no other handle shares, for freeing the value.
    pub(super) fn take_state(&self) -> Vec<DynAny> {
        let state = std::mem::take(&mut *self.lock());
        Arc::into_inner(state).into_iter().flatten().filter_map(Arc::into_inner).collect()
    }

    /// The types of the members.
    ///
    /// # Errors
    /// `Invalid` when no TypeCode describes the state.
    pub(super) fn members(&self) -> CdrResult<Vec<TypeCode>> {
        if let TypeCode::ValueBox(code) = &self.code {
            return Ok(vec![code.ty.clone()]);
        }
        let parts = parts(&self.code, &self.types)?;
        let members = parts.iter().rev().flat_map(|part| match part {
            TypeCode::Value(code) | TypeCode::Event(code) => code.members.as_slice(),
            _ => &[],
        });
        Ok(members.map(|member| member.ty.clone()).collect())
    }

    /// The names of the members.
    pub(super) fn names(&self) -> Vec<String> {
        if let TypeCode::ValueBox(_) = &self.code {
            return vec!["value".to_owned()];
        }
        let parts = parts(&self.code, &self.types).unwrap_or_default();
        let names = parts.iter().rev().flat_map(|part| {
            (0..part.member_count().unwrap_or_default()).filter_map(|index| part.member_name(index))
        });
        names.map(str::to_owned).collect()
    }
}

/// A valuetype and its bases, the most derived type first.
fn parts<'c>(code: &'c TypeCode, types: &'c Types) -> CdrResult<Vec<&'c TypeCode>> {
    let (mut parts, mut next) = (Vec::new(), code);
    while let TypeCode::Value(value) | TypeCode::Event(value) = next {
        if WITHOUT_STATE.contains(&value.modifier) {
            return Err(invalid(NOT_DESCRIBED));
        }
        if parts.len() == armilla_cdr::type_code::TYPE_CODE_DEPTH_LIMIT {
            return Err(invalid("a valuetype has too many bases"));
        }
        parts.push(next);
        next = types.resolve(&value.base);
    }
    match next {
        TypeCode::Null => Ok(parts),
        _ => Err(invalid("the base of a valuetype is not a valuetype")),
    }
}
