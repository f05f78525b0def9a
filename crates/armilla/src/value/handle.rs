//! Handles of values: `Value`, and the snapshots of their state.

use super::shared::{AnyState, Shared};
use super::{Extends, State, ValueBase, Valuetype, cycles};
use std::any::TypeId;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

/// A handle of a value of the valuetype `T`, or of a type that inherits from it.
///
/// Clones denote the same value: all see a change, and a value to which two others refer arrives as
/// one value on the other side of a call, also in a cycle. `==` and `Hash` compare the identity of
/// the value, not its state. A traversal of a graph can thus keep the visited values in a set, and
/// a program can associate local data with a value in a map. A value may be null in IDL, so members
/// and parameters have the type `Option<Value<T>>`. Any thread may use a handle.
///
/// Values are reference-counted. A cycle that the program builds is not freed by itself: remove a
/// reference of the cycle, or end the last handle with [`break_cycles`](Value::break_cycles). The
/// ORB frees received cycles that are no longer in use, at the latest after further cycles have
/// arrived.
pub struct Value<T: ?Sized> {
    pub(super) shared: Arc<Shared>,
    of: PhantomData<fn(&T)>,
}

/// The state of a value as it was at one moment. Later changes do not change it.
pub struct Snapshot<T> {
    state: Arc<dyn AnyState>,
    of: PhantomData<fn(&T)>,
}

impl<T: State> Value<T> {
    /// Creates a value with this state.
    pub fn new(state: T) -> Self {
        Self::of(Arc::new(Shared::new(state)))
    }

    /// A snapshot of the state. If the type of the value inherits from `T`, it is the part of `T`.
    ///
    /// # Panics
    /// While the value is being decoded. Only an implementation of
    /// [`CustomMarshal`](crate::CustomMarshal) can have a handle then.
    pub fn get(&self) -> Snapshot<T> {
        let state = self.shared.state().expect("a value can be used when it has been read");
        Snapshot { state, of: PhantomData }
    }

    /// Changes the state. `change` must not use the value itself, because it runs under its lock.
    ///
    /// # Panics
    /// As [`get`](Self::get).
    pub fn update<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        // The value has the type of its handle; every constructor of handles checks it.
        self.shared.update(change).expect("a value can be used when it has been read")
    }
}

impl<T: Valuetype + ?Sized> Value<T> {
    pub(super) const fn of(shared: Arc<Shared>) -> Self {
        Self { shared, of: PhantomData }
    }

    /// The repository id of the type of the value, which may inherit from `T`.
    pub fn repository_id(&self) -> &'static str {
        self.shared.kind.repository_id
    }

    /// Drops this handle and frees the value even if it is part of a cycle, unless it is reachable
    /// from another handle. Cycles through values of `custom` types are not found.
    pub fn break_cycles(self) {
        cycles::collect_with(self.shared);
    }

    /// The same value, typed as a base of `T`.
    pub fn upcast<B: Valuetype + ?Sized>(&self) -> Value<B>
    where
        T: Extends<B>,
    {
        Value::of(self.shared.clone())
    }

    /// The same value, typed as `D`, if it is of that type.
    pub fn downcast<D: Valuetype + ?Sized>(&self) -> Option<Value<D>> {
        self.shared.is(TypeId::of::<D>()).then(|| Value::of(self.shared.clone()))
    }
}

impl Shared {
    /// Whether the value is of this type.
    pub(super) fn is(&self, wanted: TypeId) -> bool {
        wanted == TypeId::of::<ValueBase>() || (self.kind.is)(wanted)
    }
}

impl<T: State> From<T> for Value<T> {
    fn from(state: T) -> Self {
        Self::new(state)
    }
}

impl<T: ?Sized> Clone for Value<T> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone(), of: PhantomData }
    }
}

impl<T: ?Sized> PartialEq for Value<T> {
    /// Whether both are the same value.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl<T: ?Sized> Eq for Value<T> {}

impl<T: ?Sized> Hash for Value<T> {
    /// Hashes the identity of the value, not its state. So a handle may be a key of a map, although
    /// clippy warns of it (`mutable_key_type`).
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.shared).hash(state);
    }
}

impl<T: ?Sized> fmt::Debug for Value<T> {
    /// Shows only the type, because the state may refer back to the value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Value({})", self.shared.kind.repository_id)
    }
}

impl<T: State> Deref for Snapshot<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // As for `Value::update`.
        let part = self.state.part(TypeId::of::<T>()).and_then(|part| part.downcast_ref());
        part.expect("a value has the type of its handle")
    }
}

impl<T: State + fmt::Debug> fmt::Debug for Snapshot<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
