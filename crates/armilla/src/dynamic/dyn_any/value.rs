//! Valuetypes in dynamic values: what the handles of one share, and how graphs of them are compared.

use super::tree::{Content, DefaultBuilder};
use super::types::Types;
use super::views::in_order;
use super::{DynAny, DynAnyError, Result, invalid};
use armilla_cdr::value::NewValue;
use armilla_cdr::{Any, CdrResult, TypeCode, TypeCodeKind};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The state of a value as it was when somebody asked.
pub(super) type State = Arc<Vec<Arc<DynAny>>>;

/// A value. Every handle of it sees what is changed in it. Nobody keeps it locked while doing something
/// else: what a value leads to may lead back to it.
pub(super) struct Shared {
    /// Of which type it is.
    code: TypeCode,
    /// Those within the whole in which it was made.
    types: Types,
    /// The repository ids that it travels with; none says that it is of the expected type.
    ids: Vec<String>,
    chunked: bool,
    /// The state, that of bases first; what is in a box is all of its state.
    members: Mutex<State>,
}

/// `VM_CUSTOM` and `VM_ABSTRACT`, which have no state that a TypeCode describes.
const WITHOUT_STATE: [i16; 2] = [1, 2];

/// Why there is no looking into them.
pub(super) const NOT_DESCRIBED: &str =
    "no TypeCode describes the state of a custom or abstract valuetype";

/// Why a value is not read that could be truncated.
pub(super) const MUST_TRUNCATE: &str =
    "only a base of a valuetype in the value is known, and the value is to stay whole";

/// `VM_TRUNCATABLE`.
const TRUNCATABLE: i16 = 3;

impl Shared {
    /// A value that is about to be read.
    pub(super) fn begun(code: TypeCode, types: &Types, head: &NewValue<'_>) -> Self {
        let known = head.ids().iter().map(|id| String::from_utf8_lossy(id).into_owned());
        let ids = known.skip_while(|id| code.id() != Some(id)).collect();
        let (types, chunked) = (types.clone(), head.can_be_truncated());
        Self { code, types, ids, chunked, members: Mutex::default() }
    }

    /// A value with a state of nothing.
    fn new(code: &TypeCode, types: &Types) -> Result<Self> {
        let mut ids: Vec<String> = code.id().into_iter().map(str::to_owned).collect();
        let mut part = code;
        while let TypeCode::Value(value) | TypeCode::Event(value) = part
            && value.modifier == TRUNCATABLE
        {
            part = types.resolve(&value.base);
            ids.extend(part.id().map(str::to_owned));
        }
        let chunked = ids.len() > 1;
        let (code, members) = (code.clone(), Mutex::default());
        let value = Self { code, types: types.clone(), ids, chunked, members };
        let mut builder = DefaultBuilder::default();
        let members = value.members()?.into_iter().map(|ty| builder.make(ty, types));
        let members = members.collect::<Result<_>>()?;
        value.set(members);
        Ok(value)
    }

    /// The type as one of its own, where it is none of these.
    pub(super) fn type_beyond(&self, types: &Types) -> Option<TypeCode> {
        let is_described = self.code.id().is_some_and(|id| types.describes(id));
        (!is_described).then(|| self.type_code())
    }

    /// The type as one of its own.
    pub(super) fn type_code(&self) -> TypeCode {
        self.types.closed(&self.code)
    }

    #[cfg(feature = "json")]
    pub(super) const fn code(&self) -> &TypeCode {
        &self.code
    }

    pub(super) fn ids(&self) -> &[String] {
        &self.ids
    }

    pub(super) const fn is_chunked(&self) -> bool {
        self.chunked
    }

    /// Whether it can stand where a value of this type is expected.
    pub(super) fn is(&self, expected: &TypeCode) -> bool {
        self.types.may_stand_for(&self.code, expected)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set(&self, members: Vec<DynAny>) {
        let state = Arc::new(members.into_iter().map(Arc::new).collect());
        // What was there goes when the lock is free again.
        let _before = std::mem::replace(&mut *self.lock(), state);
    }

    /// Makes `changed` its member `index`, which was `original` when somebody began to change it. What
    /// others have made of the member since then goes for it if nothing was changed after all.
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

    /// Copies of its state.
    pub(super) fn copies(&self) -> Vec<DynAny> {
        self.state().iter().map(|part| (**part).clone()).collect()
    }

    /// What of the state nobody else has, for who frees the value.
    pub(super) fn take_state(&self) -> Vec<DynAny> {
        let state = std::mem::take(&mut *self.lock());
        Arc::into_inner(state).into_iter().flatten().filter_map(Arc::into_inner).collect()
    }

    /// The types of its state.
    ///
    /// # Errors
    /// When it has none that a TypeCode describes.
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

    /// The names of its state.
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

/// A valuetype and those that it inherits from, the most special one first.
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
        _ => Err(invalid("the base of a valuetype is none")),
    }
}

/// A valuetype or a boxed value, seen as such: `DynValue` and `DynValueBox` (CORBA 3.4 Part 1, 9.2.10
/// to 9.2.12). Its state is reached by the cursor like the members of a struct.
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

    /// The value, unless it is null or no valuetype.
    pub(super) const fn shared(&self) -> Option<&Arc<Shared>> {
        match &self.content {
            Content::Value(Some(shared)) => Some(shared),
            _ => None,
        }
    }
}

/// Which valuetype a [`DynAny`] is a handle of: the same for all its handles, and no other value's as long
/// as there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueIdentity(usize);

impl DynValue<'_> {
    /// Which value it is; `None` for null. Who walks through values that may lead back to themselves ends
    /// where one was met before:
    ///
    /// ```
    /// use armilla::TypeCode;
    /// use armilla::dynamic::{DynAny, ValueIdentity};
    /// use std::collections::HashSet;
    ///
    /// fn count(value: &mut DynAny, met: &mut HashSet<ValueIdentity>) -> usize {
    ///     let identity = value.as_value().ok().and_then(|value| value.identity());
    ///     if identity.is_some_and(|identity| !met.insert(identity)) {
    ///         return 0;
    ///     }
    ///     let parts = (0..value.component_count())
    ///         .filter_map(|index| Some(count(&mut *value.component(index)?, met)));
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

    /// Whether there is no value.
    pub const fn is_null(&self) -> bool {
        self.0.shared().is_none()
    }

    /// Makes it no value.
    pub fn set_to_null(&mut self) {
        self.0.content = Content::Value(None);
        self.0.rewind();
    }

    /// Makes it a new value with a state of nothing, if there was none.
    ///
    /// # Errors
    /// [`InconsistentTypeCode`](DynAnyError::InconsistentTypeCode) where there can be none: of an
    /// abstract or a custom valuetype, or of an abstract interface.
    pub fn set_to_value(&mut self) -> Result {
        if self.is_null() {
            self.0.content = Content::Value(Some(self.made()?));
            self.0.rewind();
        }
        Ok(())
    }

    /// A value of the declared type with a state of nothing.
    fn made(&self) -> Result<Arc<Shared>> {
        let code = self.0.resolved();
        if !code.is_valuetype() {
            let what = "an abstract interface does not say of which type its value is";
            return Err(DynAnyError::InconsistentTypeCode(what));
        }
        Shared::new(code, &self.0.types).map(Arc::new)
    }

    /// Makes it the same value as `other`, so that both share it.
    ///
    /// # Errors
    /// [`TypeMismatch`](DynAnyError::TypeMismatch) when `other` is no value of this type.
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

    /// The type that the value is of, which may inherit from the declared one; `None` for null.
    pub fn value_type(&self) -> Option<TypeCode> {
        self.0.shared().map(|shared| shared.type_code())
    }

    /// The names of its state, that of bases first; `value` is what is in a box.
    pub fn member_names(&self) -> Vec<String> {
        self.0.shared().map_or_else(Vec::new, |shared| shared.names())
    }

    /// The name of the member that the cursor is at.
    pub fn current_member_name(&self) -> Option<String> {
        self.member_names().into_iter().nth(self.0.current?)
    }

    /// The kind of the member that the cursor is at.
    pub fn current_member_kind(&self) -> Option<TypeCodeKind> {
        let state = self.0.shared()?.state();
        state.get(self.0.current?)?.resolved().kind()
    }

    /// Copies of its state, in the order of [`member_names`](Self::member_names); nothing for null
    /// (`get_members_as_dyn_any`).
    pub fn members(&self) -> Vec<DynAny> {
        self.0.shared().map_or_else(Vec::new, |shared| shared.copies())
    }

    /// Sets its whole state, in order; null becomes a new value (`set_members`). An empty name stands
    /// for any.
    ///
    /// # Errors
    /// `InvalidValue` when there are more or fewer members; `TypeMismatch` when one has another name
    /// or is of another type; as [`set_to_value`](Self::set_to_value) for null. Then nothing is
    /// changed.
    pub fn set_members<'v>(
        &mut self,
        members: impl IntoIterator<Item = (&'v str, &'v Any)>,
    ) -> Result {
        self.set_all(members, DynAny::set_any)
    }

    /// As [`set_members`](Self::set_members); the state leads to the same values then
    /// (`set_members_as_dyn_any`).
    ///
    /// # Errors
    /// As [`set_members`](Self::set_members).
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
            None => self.made()?,
        };
        let values = in_order(members, &new.names())?;
        let mut state = new.copies();
        state.iter_mut().zip(values).try_for_each(|(part, value)| assign(part, value))?;
        new.set(state);
        self.0.content = Content::Value(Some(new));
        self.0.rewind();
        Ok(())
    }

    /// What is in the box (`get_boxed_value_as_dyn_any`).
    ///
    /// # Errors
    /// [`TypeMismatch`](DynAnyError::TypeMismatch) when the value is no box, `InvalidValue` when it
    /// is null.
    pub fn boxed(&self) -> Result<DynAny> {
        self.check_box()?;
        self.members().pop().ok_or_else(|| DynAnyError::invalid("there is no box"))
    }

    /// Puts this into the box; null becomes a new box (`set_boxed_value`).
    ///
    /// # Errors
    /// [`TypeMismatch`](DynAnyError::TypeMismatch) when the value is no box, or one of another type.
    pub fn set_boxed(&mut self, value: &Any) -> Result {
        self.check_box()?;
        self.set_members([("", value)])
    }

    /// As [`set_boxed`](Self::set_boxed); the box leads to the same values then
    /// (`set_boxed_value_as_dyn_any`).
    ///
    /// # Errors
    /// As [`set_boxed`](Self::set_boxed).
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

/// A comparison of two values that may lead back to themselves: pairs that were met before are taken
/// to be the same.
#[derive(Default)]
pub(super) struct Comparison {
    met: HashSet<(usize, usize)>,
    /// The pairs of which the states are still to be compared: a line of values may be of any length.
    open: Vec<(Arc<Shared>, Arc<Shared>)>,
}

impl Comparison {
    pub(super) fn same(&mut self, a: &DynAny, b: &DynAny) -> bool {
        let (x, y) = (a.resolved(), b.resolved());
        // Types of parts follow from that of the whole, whose repository ids decide.
        (x.is_equivalent(y) || a.types.closed(x).is_equivalent(&b.types.closed(y)))
            && self.same_content(a, b)
            && self.same_states()
    }

    fn same_states(&mut self) -> bool {
        while let Some((a, b)) = self.open.pop() {
            let (x, y) = (a.state(), b.state());
            let same = a.code.is_equivalent(&b.code)
                && x.len() == y.len()
                && x.iter().zip(&*y).all(|(a, b)| self.same_content(a, b));
            if !same {
                return false;
            }
        }
        true
    }

    /// Whether both, of one type, have the same contents and lead to the very same values.
    fn is_same_as(a: &DynAny, b: &DynAny) -> bool {
        let mut comparison = Self::default();
        comparison.same_content(a, b) && comparison.open.is_empty()
    }

    fn all(&mut self, a: &[DynAny], b: &[DynAny]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same_content(a, b))
    }

    fn same_content(&mut self, a: &DynAny, b: &DynAny) -> bool {
        match (&a.content, &b.content) {
            (Content::Nothing, Content::Nothing) => true,
            (Content::Boolean(a), Content::Boolean(b)) => a == b,
            (Content::Char(a), Content::Char(b)) | (Content::Octet(a), Content::Octet(b)) => a == b,
            (Content::Float(a), Content::Float(b)) => a == b,
            (Content::Double(a), Content::Double(b)) => a == b,
            (Content::LongDouble(a), Content::LongDouble(b)) => a == b,
            (Content::String(a), Content::String(b))
            | (Content::WString(a), Content::WString(b)) => a == b,
            (Content::Fixed(a), Content::Fixed(b)) => a == b,
            (Content::Any(a), Content::Any(b)) => a == b || same_trees(a, b),
            (Content::TypeCode(a), Content::TypeCode(b)) => a == b,
            (Content::Reference(a), Content::Reference(b)) => a.profiles == b.profiles,
            (Content::Octets(a), Content::Octets(b)) => a == b,
            (Content::Parts(a), Content::Parts(b)) => self.all(a, b),
            (Content::Octets(octets), Content::Parts(parts))
            | (Content::Parts(parts), Content::Octets(octets)) => {
                octets.len() == parts.len()
                    && octets
                        .iter()
                        .zip(parts)
                        .all(|(octet, part)| part.content.number() == Some(i64::from(*octet)))
            }
            (Content::Union(a), Content::Union(b)) => {
                a.discriminator.content.number() == b.discriminator.content.number()
                    && match (&a.member, &b.member) {
                        (Some(a), Some(b)) => self.same_content(a, b),
                        (a, b) => a.is_none() && b.is_none(),
                    }
            }
            (Content::Value(Some(a)), Content::Value(Some(b))) => {
                let pair = (Arc::as_ptr(a).addr(), Arc::as_ptr(b).addr());
                if !Arc::ptr_eq(a, b) && self.met.insert(pair) {
                    self.open.push((a.clone(), b.clone()));
                }
                true
            }
            (Content::Value(a), Content::Value(b)) => a.is_none() && b.is_none(),
            (a, b) => a.number().is_some() && a.number() == b.number(),
        }
    }
}

/// Whether two anys hold the same, though perhaps not in the same octets: a valuetype may lie in
/// chunks or not.
fn same_trees(a: &Any, b: &Any) -> bool {
    match (DynAny::from_any(a), DynAny::from_any(b)) {
        (Ok(a), Ok(b)) => {
            let same = a == b;
            free_graph(a);
            free_graph(b);
            same
        }
        _ => false,
    }
}

/// Frees a value that nobody else has, cycles of valuetypes in it too.
fn free_graph(value: DynAny) {
    let mut open = vec![value];
    while let Some(mut value) = open.pop() {
        match std::mem::replace(&mut value.content, Content::Nothing) {
            Content::Parts(parts) => open.extend(parts),
            Content::Union(union) => open.extend(union.member),
            Content::Value(Some(shared)) => open.append(&mut shared.take_state()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freeing_a_graph_frees_its_cycles() {
        let next = ("next", TypeCode::recursive("IDL:N:1.0"), true);
        let code = TypeCode::value("IDL:N:1.0", "N", 0, TypeCode::Null, [next]);
        let mut node = DynAny::new(&code).unwrap();
        node.as_value().unwrap().set_to_value().unwrap();
        let itself = node.clone();
        node.component(0).unwrap().as_value().unwrap().share(&itself).unwrap();
        drop(itself);
        let seen = Arc::downgrade(node.shared().unwrap());
        assert_eq!(seen.strong_count(), 2);
        let any = node.to_any().unwrap();
        assert!(same_trees(&any, &any));
        free_graph(node);
        assert_eq!(seen.strong_count(), 0);
    }
}
