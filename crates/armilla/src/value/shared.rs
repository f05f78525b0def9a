//! What the handles of one value share, whatever its type.

use super::State;
use crate::runtime::Orb;
use armilla_cdr::{CdrResult, Context, Decoder, Encoder, TypeCode};
use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

/// A concrete valuetype as a value of it is made: its repository id, and how its state is read.
#[derive(Clone, Copy)]
pub struct Kind {
    pub(super) repository_id: &'static str,
    pub(super) type_code: fn() -> TypeCode,
    pub(super) is: fn(TypeId) -> bool,
    pub(super) decode: fn(&mut Decoder<'_>) -> CdrResult<Arc<dyn AnyState>>,
}

impl Kind {
    /// That of the type `T`.
    pub const fn of<T: State>() -> Self {
        let (type_code, is) = (T::type_code, T::is);
        Self { repository_id: T::REPOSITORY_ID, type_code, is, decode: decode::<T> }
    }

    /// The type of its values.
    pub(crate) fn type_code(&self) -> TypeCode {
        (self.type_code)()
    }
}

impl Context for Orb {
    fn value_type(&self, repository_id: &str) -> Option<TypeCode> {
        self.value_type_code(repository_id)
    }

    fn copy_custom(
        &self,
        repository_id: &str,
        input: &mut Decoder<'_>,
        out: &mut Encoder<'_>,
    ) -> Option<CdrResult> {
        let kind = self.value_kind(repository_id)?;
        let state = match (kind.decode)(input) {
            Ok(state) => state,
            Err(error) => return Some(Err(error)),
        };
        Some(out.with_copies(|out| state.encode(out)))
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kind({})", self.repository_id)
    }
}

fn decode<T: State>(input: &mut Decoder<'_>) -> CdrResult<Arc<dyn AnyState>> {
    Ok(Arc::new(T::decode(input)?))
}

/// The state of a value of any type.
pub(super) trait AnyState: Send + Sync {
    fn ids(&self) -> &'static [&'static str];
    fn is_custom(&self) -> bool;
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult;
    fn part(&self, wanted: TypeId) -> Option<&dyn Any>;
    fn part_mut(&mut self, wanted: TypeId) -> Option<&mut dyn Any>;
    fn copy(&self) -> Arc<dyn AnyState>;
}

impl<T: State> AnyState for T {
    fn ids(&self) -> &'static [&'static str] {
        T::IDS
    }

    fn is_custom(&self) -> bool {
        T::CUSTOM
    }

    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        armilla_cdr::Encode::encode(self, out)
    }

    fn part(&self, wanted: TypeId) -> Option<&dyn Any> {
        State::part(self, wanted)
    }

    fn part_mut(&mut self, wanted: TypeId) -> Option<&mut dyn Any> {
        State::part_mut(self, wanted)
    }

    fn copy(&self) -> Arc<dyn AnyState> {
        Arc::new(self.clone())
    }
}

/// A value. Readers take the state as it is and keep it; a writer who is not alone with it changes a
/// copy. So nobody holds the lock while something else is done, and no two locks are held at once.
pub(super) struct Shared {
    pub(super) kind: Kind,
    /// `None` while it is being read from a message.
    state: RwLock<Option<Arc<dyn AnyState>>>,
}

impl Shared {
    pub(super) fn new<T: State>(state: T) -> Self {
        Self { kind: Kind::of::<T>(), state: RwLock::new(Some(Arc::new(state))) }
    }

    /// A value that is about to be read.
    pub(super) const fn with_base(kind: Kind) -> Self {
        Self { kind, state: RwLock::new(None) }
    }

    /// The state; `None` while it is being read.
    pub(super) fn state(&self) -> Option<Arc<dyn AnyState>> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The state, to be taken; `None` while somebody uses it.
    pub(super) fn try_lock(&self) -> Option<RwLockWriteGuard<'_, Option<Arc<dyn AnyState>>>> {
        self.state.try_write().ok()
    }

    pub(super) fn set(&self, state: Arc<dyn AnyState>) {
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = Some(state);
    }

    /// Changes the part of the type `T`; `None` when there is none.
    pub(super) fn update<T: Any, R>(&self, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let state = state.as_mut()?;
        if Arc::get_mut(state).is_none() {
            *state = state.copy();
        }
        let part = Arc::get_mut(state)?.part_mut(TypeId::of::<T>())?;
        part.downcast_mut().map(change)
    }
}

thread_local! {
    /// The states that are yet to be dropped, while one is.
    static DROPPING: RefCell<Option<Vec<Arc<dyn AnyState>>>> = const { RefCell::new(None) };
}

impl Drop for Shared {
    /// Drops a chain of values one after the other: within one another, a long one would use up the
    /// stack.
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let Some(state) = state else { return };
        let mut next = enqueue(state);
        while next.take().is_some() {
            next = DROPPING.with_borrow_mut(|states| match states.as_mut()?.pop() {
                None => {
                    *states = None;
                    None
                }
                state => state,
            });
        }
    }
}

/// Leaves the state to the one who is dropping another in this thread; gives it back if nobody is.
fn enqueue(state: Arc<dyn AnyState>) -> Option<Arc<dyn AnyState>> {
    let mut state = Some(state);
    // When the thread ends there is no list any more; then it is dropped stack_position.
    let _ended = DROPPING.try_with(|states| match &mut *states.borrow_mut() {
        Some(states) => states.extend(state.take()),
        none => *none = Some(Vec::new()),
    });
    state
}
