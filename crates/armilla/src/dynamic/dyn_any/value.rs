//! The view of a dynamic value as a valuetype: `DynValue`.
//!
//! The state of a value is in `shared`, the comparison of graphs of values in `comparison`.

use super::shared::Shared;
use super::tree::{Content, DefaultBuilder};
use super::views::in_order;
use super::{DynAny, DynAnyError, Result};
use armilla_cdr::{Any, TypeCode, TypeCodeKind};
use std::sync::Arc;

/// The view of a [`DynAny`] as a valuetype or a boxed value: `DynValue` and `DynValueBox` (CORBA
/// 3.4 Part 1, 9.2.10 to 9.2.12). The cursor moves through the members as through those of a
/// struct.
#[derive(Debug)]
#[doc(alias = "DynValueBox")]
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
        let mut builder = DefaultBuilder::default();
        Shared::new(code, &self.0.types, |ty, types| builder.make(ty, types)).map(Arc::new)
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
    #[doc(alias = "get_members")]
    #[doc(alias = "get_members_as_dyn_any")]
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
    #[doc(alias = "get_boxed_value")]
    #[doc(alias = "get_boxed_value_as_dyn_any")]
    pub fn boxed(&self) -> Result<DynAny> {
        self.check_box()?;
        self.members().pop().ok_or_else(|| DynAnyError::invalid("there is no box"))
    }

    /// Sets the content of a boxed value; null becomes a new value (`set_boxed_value`).
    ///
    /// # Errors
    /// [`TypeMismatch`](DynAnyError::TypeMismatch) for a type other than a boxed value, or a
    /// content of another type.
    #[doc(alias = "set_boxed_value")]
    pub fn set_boxed(&mut self, value: &Any) -> Result {
        self.check_box()?;
        self.set_members([("", value)])
    }

    /// Sets the content as [`set_boxed`](Self::set_boxed) does, but shares the valuetypes in it
    /// (`set_boxed_value_as_dyn_any`).
    ///
    /// # Errors
    /// Those of [`set_boxed`](Self::set_boxed).
    #[doc(alias = "set_boxed_value_as_dyn_any")]
    pub fn set_boxed_as_dyn_any(&mut self, value: &DynAny) -> Result {
        self.check_box()?;
        self.set_members_as_dyn_any([("", value)])
    }

    fn check_box(&self) -> Result {
        let code = self.0.shared().map_or_else(|| self.0.resolved(), |shared| shared.code());
        match code {
            TypeCode::ValueBox(_) => Ok(()),
            _ => Err(self.0.mismatch("a boxed value")),
        }
    }
}
