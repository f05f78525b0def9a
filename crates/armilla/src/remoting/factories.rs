//! What stands before objects in a client, made by factories that components of references name.

use crate::object::{Interface, Object, Ref};
use crate::orb::Orb;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// Makes what stands before an object: given the octets of the component and the reference as it is
/// without the factory.
type Factory<I> = Arc<dyn Fn(&[u8], Ref<I>) -> Option<Arc<I>> + Send + Sync>;

/// A [`Factory`] of the interface by which it is found.
type AnyFactory = Box<dyn Any + Send + Sync>;

/// The factories of an ORB, by interface and component.
#[derive(Default)]
pub(crate) struct StubFactories(OnceLock<RwLock<HashMap<(TypeId, u32), AnyFactory>>>);

impl StubFactories {
    /// What shall stand before `object`, which lives elsewhere.
    #[inline]
    pub(crate) fn stub<I: Interface + ?Sized>(&self, object: &Object) -> Option<Arc<I>> {
        self.0.get().and_then(|known| stub(known, object))
    }

    fn insert<I: Interface + ?Sized>(&self, component: u32, factory: Factory<I>) {
        let known = self.0.get_or_init(RwLock::default);
        let mut known = known.write().unwrap_or_else(PoisonError::into_inner);
        known.insert((TypeId::of::<I>(), component), Box::new(factory));
    }
}

#[cold]
fn stub<I: Interface + ?Sized>(
    known: &RwLock<HashMap<(TypeId, u32), AnyFactory>>,
    object: &Object,
) -> Option<Arc<I>> {
    let mut outermost = None;
    for component in object.components() {
        // Factories may register others, or make references that ask for some.
        let factory = {
            let known = known.read().unwrap_or_else(PoisonError::into_inner);
            let found = known.get(&(TypeId::of::<I>(), component.id));
            found.and_then(|found| found.downcast_ref::<Factory<I>>()).cloned()
        };
        let inner = Ref::behind(object.clone(), outermost.clone());
        if let Some(made) = factory.and_then(|factory| factory(&component.data, inner)) {
            outermost = Some(made);
        }
    }
    outermost
}

impl Orb {
    /// Lets `factory` make what stands before objects with the interface `I` whose references carry
    /// the component `component`: a smart proxy. Calls through a `Ref<I>` to such an object are calls
    /// of what it made, which has the reference without it to call the object by.
    ///
    /// The factory is asked whenever a reference becomes a `Ref<I>` by being received, resolved or
    /// narrowed, or gets other policies; `None` leaves the object as it is. Where a reference carries
    /// several such components, the last stands outermost. References that exist already stay what they
    /// are, and calls of objects in this process go to their servants. A factory that was registered
    /// for the same interface and component is replaced.
    ///
    /// ```no_run
    /// # use armilla::naming::{BindingIterator, BindingIteratorRef};
    /// # use std::sync::Arc;
    /// # fn example(orb: &armilla::Orb, prefetching: fn(BindingIteratorRef) -> Arc<dyn BindingIterator>) {
    /// const PREFETCH: u32 = 0x4558_0001;
    /// orb.register_stub_factory(PREFETCH, move |_component, plain: BindingIteratorRef| {
    ///     Some(prefetching(plain))
    /// });
    /// # }
    /// ```
    pub fn register_stub_factory<I: Interface + ?Sized>(
        &self,
        component: u32,
        factory: impl Fn(&[u8], Ref<I>) -> Option<Arc<I>> + Send + Sync + 'static,
    ) {
        self.stub_factories().insert(component, Arc::new(factory));
    }
}
