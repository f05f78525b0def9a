//! The state that the handles of one value share.

use super::State;
use crate::runtime::Orb;
use armilla_cdr::{CdrResult, Context, Decoder, Encoder, TypeCode};
use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard, TryLockError};
use std::thread;

/// The description of a concrete valuetype: its repository id, its TypeCode and its decoder.
#[derive(Clone, Copy)]
pub struct Kind {
    pub(super) repository_id: &'static str,
    pub(super) type_code: fn() -> TypeCode,
    pub(super) is: fn(TypeId) -> bool,
    pub(super) decode: fn(&mut Decoder<'_>) -> CdrResult<Arc<dyn AnyState>>,
}

impl Kind {
    /// The description of the type `T`.
    pub const fn of<T: State>() -> Self {
        let (type_code, is) = (T::type_code, T::is);
        Self { repository_id: T::REPOSITORY_ID, type_code, is, decode: decode::<T> }
    }

    /// The TypeCode of the values of this type.
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

/// A value. A reader clones the `Arc` of the state and releases the lock. A writer that is not the
/// only owner of the state changes a copy. So no thread runs code of the program under a read lock.
pub(super) struct Shared {
    pub(super) kind: Kind,
    /// `None` while the decoder reads the value.
    state: RwLock<Option<Arc<dyn AnyState>>>,
}

impl Shared {
    pub(super) fn new<T: State>(state: T) -> Self {
        Self { kind: Kind::of::<T>(), state: RwLock::new(Some(Arc::new(state))) }
    }

    /// A value whose state the decoder will set.
    pub(super) const fn without_state(kind: Kind) -> Self {
        Self { kind, state: RwLock::new(None) }
    }

    /// The state; `None` while the decoder reads it.
    pub(super) fn state(&self) -> Option<Arc<dyn AnyState>> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Locks the state for the collector of cycles; `None` if another thread has the lock.
    pub(super) fn try_lock(&self) -> Option<RwLockWriteGuard<'_, Option<Arc<dyn AnyState>>>> {
        match self.state.try_write() {
            Ok(state) => Some(state),
            Err(TryLockError::Poisoned(state)) => Some(state.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    pub(super) fn set(&self, state: Arc<dyn AnyState>) {
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = Some(state);
    }

    /// Changes the part of the type `T`. Returns `None` if the state has no such part.
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
    /// The states that this thread has yet to drop; `None` while it drops none.
    static DROPPING: RefCell<Option<Vec<Arc<dyn AnyState>>>> = const { RefCell::new(None) };
}

impl Drop for Shared {
    /// Drops a chain of values in a loop. Recursion would exhaust the stack for a long chain. If
    /// the drop of a state panics, the panic goes on when the whole chain is gone.
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let Some(state) = state else { return };
        let (mut next, mut panicked) = (enqueue(state), None);
        while let Some(state) = next.take() {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(state))) {
                panicked = Some(panic);
            }
            next = DROPPING.with_borrow_mut(|states| match states.as_mut()?.pop() {
                None => {
                    *states = None;
                    None
                }
                state => state,
            });
        }
        if let Some(panic) = panicked.filter(|_| !thread::panicking()) {
            resume_unwind(panic);
        }
    }
}

/// Queues the state if this thread is dropping another one; returns it otherwise.
fn enqueue(state: Arc<dyn AnyState>) -> Option<Arc<dyn AnyState>> {
    let mut state = Some(state);
    // The list no longer exists while the thread ends. The caller then drops the state.
    let _ended = DROPPING.try_with(|states| match &mut *states.borrow_mut() {
        Some(states) => states.extend(state.take()),
        none => *none = Some(Vec::new()),
    });
    state
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static DROPPED: AtomicUsize = AtomicUsize::new(0);

    /// A state with a member of the program, which panics when it is dropped, or not.
    struct Member {
        panics: bool,
        next: Option<Arc<Shared>>,
    }

    impl Drop for Member {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, Ordering::Relaxed);
            assert!(!self.panics, "on purpose");
        }
    }

    impl AnyState for Member {
        fn ids(&self) -> &'static [&'static str] {
            &[]
        }

        fn is_custom(&self) -> bool {
            false
        }

        fn encode<'p>(&'p self, _: &mut Encoder<'p>) -> CdrResult {
            Ok(())
        }

        fn part(&self, _: TypeId) -> Option<&dyn Any> {
            None
        }

        fn part_mut(&mut self, _: TypeId) -> Option<&mut dyn Any> {
            None
        }

        fn copy(&self) -> Arc<dyn AnyState> {
            Arc::new(Self { panics: self.panics, next: self.next.clone() })
        }
    }

    fn value(panics: bool, next: Option<Arc<Shared>>) -> Arc<Shared> {
        let kind = Kind {
            repository_id: "",
            type_code: || TypeCode::Null,
            is: |_| false,
            decode: |input| Err(input.invalid_enum("nothing", 0)),
        };
        let shared = Shared::without_state(kind);
        shared.set(Arc::new(Member { panics, next }));
        Arc::new(shared)
    }

    #[test]
    fn a_panic_in_a_drop_leaves_the_thread_free_to_drop_other_values() {
        let chain = value(true, Some(value(true, Some(value(false, None)))));
        assert!(catch_unwind(AssertUnwindSafe(|| drop(chain))).is_err());
        assert_eq!(DROPPED.load(Ordering::Relaxed), 3, "all of the chain");
        drop(value(false, None));
        assert_eq!(DROPPED.load(Ordering::Relaxed), 4);
    }

    #[test]
    fn a_value_whose_change_panicked_is_not_kept_from_the_collector() {
        let value = value(false, None);
        let change = || {
            let _state = value.state.write();
            panic!("on purpose");
        };
        assert!(catch_unwind(AssertUnwindSafe(change)).is_err());
        assert!(value.try_lock().is_some());
        std::mem::forget(value);
    }
}
