//! Valuetypes in dynamic values: the state that the handles of a value share, and `DynValue`.
//!
//! The comparison of graphs of values is in `comparison`.

use super::comparison::Comparison;
use super::tree::{Content, DefaultBuilder};
use super::types::Types;
use super::views::in_order;
use super::{DynAny, DynAnyError, Result, invalid};
use armilla_cdr::value::NewValue;
use armilla_cdr::{Any, CdrResult, TypeCode, TypeCodeKind};
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

    /// Creates a value whose members have default values.
    fn new(code: &TypeCode, types: &Types) -> Result<Self> {
        let ids = truncatable_ids(code, types);
        let chunked = ids.len() > 1;
        let (code, members) = (code.clone(), Mutex::default());
        let value = Self { code, types: types.clone(), ids, chunked, members };
        let mut builder = DefaultBuilder::default();
        let members = value.members()?.into_iter().map(|ty| builder.make(ty, types));
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
    /// `original`, a change that another handle has made to the member meanwhile is kept.
    pub(super) fn put(&self, index: usize, original: &Arc<DynAny>, changed: DynAny) {
        let mut state = self.lock();
        let Some(now) = state.get(index) else { return };
        if !Arc::ptr_eq(now, original) && Comparison::is_same_as(original, &changed) {
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

/// The view of a [`DynAny`] as a valuetype or a boxed value: `DynValue` and `DynValueBox` (CORBA
/// 3.4 Part 1, 9.2.10 to 9.2.12). The cursor moves through the members as through those of a
/// struct.
#[derive(Debug)]
pub struct DynValue<'d>(&'d mut DynAny);

impl DynAny {
    /// This value as a valuetype.
    ///
    /// # Errors
    /// [`TypeMismatch`](DynAnyError::TypeMismatch) when it is none.
    pub fn as_value(&mut self) -> Result<DynValue<'_>> {
        match self.content {
            Content::Value(_) => Ok(DynValue(self)),
            _ => Err(self.mismatch("a valuetype")),
        }
    }

    /// The shared value; `None` for null and for other types.
    pub(super) const fn shared(&self) -> Option<&Arc<Shared>> {
        match &self.content {
            Content::Value(Some(shared)) => Some(shared),
            _ => None,
        }
    }
}

/// The identity of a valuetype of which a [`DynAny`] is a handle. All handles of a value have the
/// same identity. It is unique while a handle exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueIdentity(usize);

impl DynValue<'_> {
    /// The identity of the value; `None` for null. A traversal of a graph with cycles stops at the
    /// values that it has visited before:
    ///
    /// ```
    /// use armilla::TypeCode;
    /// use armilla::dynamic::{DynAny, ValueIdentity};
    /// use std::collections::HashSet;
    ///
    /// fn count(value: &mut DynAny, visited: &mut HashSet<ValueIdentity>) -> usize {
    ///     let identity = value.as_value().ok().and_then(|value| value.identity());
    ///     if identity.is_some_and(|identity| !visited.insert(identity)) {
    ///         return 0;
    ///     }
    ///     let parts = (0..value.component_count())
    ///         .filter_map(|index| Some(count(&mut *value.component(index)?, visited)));
    ///     usize::from(identity.is_some()) + parts.sum::<usize>()
    /// }
    ///
    /// let next = ("next", TypeCode::recursive("IDL:Node:1.0"), true);
    /// let node = TypeCode::value("IDL:Node:1.0", "Node", 0, TypeCode::Null, [next]);
    /// let mut node = DynAny::new(&node)?;
    /// node.as_value()?.set_to_value()?;
    /// let itself = node.clone();
    /// node.component(0).unwrap().as_value()?.share(&itself)?;
    /// assert_eq!(count(&mut node, &mut HashSet::new()), 1);
    /// # Ok::<(), armilla::dynamic::DynAnyError>(())
    /// ```
    pub fn identity(&self) -> Option<ValueIdentity> {
        self.0.shared().map(|shared| ValueIdentity(Arc::as_ptr(shared).addr()))
    }

    /// Whether the value is null.
    pub const fn is_null(&self) -> bool {
        self.0.shared().is_none()
    }

    /// Sets it to null.
    pub fn set_to_null(&mut self) {
        self.0.content = Content::Value(None);
        self.0.rewind();
    }

    /// Replaces null by a new value whose members have default values.
    ///
    /// # Errors
    /// [`InconsistentTypeCode`](DynAnyError::InconsistentTypeCode) for an abstract or custom
    /// valuetype and for an abstract interface, because their TypeCodes describe no state.
    pub fn set_to_value(&mut self) -> Result {
        if self.is_null() {
            self.0.content = Content::Value(Some(self.new_value()?));
            self.0.rewind();
        }
        Ok(())
    }

    /// Creates a value of the declared type whose members have default values.
    fn new_value(&self) -> Result<Arc<Shared>> {
        let code = self.0.resolved();
        if !code.is_valuetype() {
            let what = "an abstract interface does not determine the type of its value";
            return Err(DynAnyError::InconsistentTypeCode(what));
        }
        Shared::new(code, &self.0.types).map(Arc::new)
    }

    /// Makes this a handle of the same value as `other`.
    ///
    /// # Errors
    /// [`TypeMismatch`](DynAnyError::TypeMismatch) when `other` is not a value of this type.
    pub fn share(&mut self, other: &DynAny) -> Result {
        match other.shared() {
            Some(shared) if !self.0.resolved().is_valuetype() || shared.is(self.0.resolved()) => {
                self.0.content = Content::Value(Some(shared.clone()));
                self.0.rewind();
                Ok(())
            }
            _ => Err(other.mismatch("a value of the type")),
        }
    }

    /// The type of the value, which may inherit from the declared type. `None` for null.
    pub fn value_type(&self) -> Option<TypeCode> {
        self.0.shared().map(|shared| shared.type_code())
    }

    /// The names of the members, with those of the bases first. The content of a boxed value has
    /// the name `value`.
    pub fn member_names(&self) -> Vec<String> {
        self.0.shared().map_or_else(Vec::new, |shared| shared.names())
    }

    /// The name of the member at the cursor.
    pub fn current_member_name(&self) -> Option<String> {
        self.member_names().into_iter().nth(self.0.current?)
    }

    /// The kind of the member at the cursor.
    pub fn current_member_kind(&self) -> Option<TypeCodeKind> {
        let state = self.0.shared()?.state();
        state.get(self.0.current?)?.resolved().kind()
    }

    /// Copies of the members, in the order of [`member_names`](Self::member_names): empty for null
    /// (`get_members_as_dyn_any`).
    pub fn members(&self) -> Vec<DynAny> {
        self.0.shared().map_or_else(Vec::new, |shared| shared.copies())
    }

    /// Sets all members, in order; null becomes a new value (`set_members`). An empty name matches
    /// every member.
    ///
    /// # Errors
    /// `InvalidValue` for a wrong number of members; `TypeMismatch` for a wrong name or type; those
    /// of [`set_to_value`](Self::set_to_value) for null. After an error the value is unchanged.
    pub fn set_members<'v>(
        &mut self,
        members: impl IntoIterator<Item = (&'v str, &'v Any)>,
    ) -> Result {
        self.set_all(members, DynAny::set_any)
    }

    /// Sets all members as [`set_members`](Self::set_members) does, but shares the valuetypes in
    /// them (`set_members_as_dyn_any`).
    ///
    /// # Errors
    /// Those of [`set_members`](Self::set_members).
    pub fn set_members_as_dyn_any<'v>(
        &mut self,
        members: impl IntoIterator<Item = (&'v str, &'v DynAny)>,
    ) -> Result {
        self.set_all(members, DynAny::assign)
    }

    fn set_all<'v, V: 'v>(
        &mut self,
        members: impl IntoIterator<Item = (&'v str, &'v V)>,
        assign: impl Fn(&mut DynAny, &V) -> Result,
    ) -> Result {
        let new = match self.0.shared() {
            Some(shared) => shared.clone(),
            None => self.new_value()?,
        };
        let values = in_order(members, &new.names())?;
        let mut state = new.copies();
        state.iter_mut().zip(values).try_for_each(|(part, value)| assign(part, value))?;
        new.set(state);
        self.0.content = Content::Value(Some(new));
        self.0.rewind();
        Ok(())
    }

    /// The content of a boxed value (`get_boxed_value_as_dyn_any`).
    ///
    /// # Errors
    /// [`TypeMismatch`](DynAnyError::TypeMismatch) for a type other than a boxed value,
    /// `InvalidValue` for null.
    pub fn boxed(&self) -> Result<DynAny> {
        self.check_box()?;
        self.members().pop().ok_or_else(|| DynAnyError::invalid("there is no box"))
    }

    /// Sets the content of a boxed value; null becomes a new value (`set_boxed_value`).
    ///
    /// # Errors
    /// [`TypeMismatch`](DynAnyError::TypeMismatch) for a type other than a boxed value, or a
    /// content of another type.
    pub fn set_boxed(&mut self, value: &Any) -> Result {
        self.check_box()?;
        self.set_members([("", value)])
    }

    /// Sets the content as [`set_boxed`](Self::set_boxed) does, but shares the valuetypes in it
    /// (`set_boxed_value_as_dyn_any`).
    ///
    /// # Errors
    /// Those of [`set_boxed`](Self::set_boxed).
    pub fn set_boxed_as_dyn_any(&mut self, value: &DynAny) -> Result {
        self.check_box()?;
        self.set_members_as_dyn_any([("", value)])
    }

    fn check_box(&self) -> Result {
        let code = self.0.shared().map_or_else(|| self.0.resolved(), |shared| &shared.code);
        match code {
            TypeCode::ValueBox(_) => Ok(()),
            _ => Err(self.0.mismatch("a boxed value")),
        }
    }
}
