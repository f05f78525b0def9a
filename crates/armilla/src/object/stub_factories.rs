//! What stands before objects in a client, made by factories that components of references name.

use crate::client::Object;
use crate::object::Ref;
use crate::runtime::{Orb, Part, PartSlot};
use crate::server::Interface;
use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::iter;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// Makes what stands before an object: given the octets of the component, none where it is for all
/// objects, and the reference as it is without the factory.
type Factory<I> = Arc<dyn Fn(&[u8], Ref<I>) -> Option<Arc<I>> + Send + Sync>;

/// A [`Factory`] of the interface by which it is found.
type AnyFactory = Box<dyn Any + Send + Sync>;

/// How many of the factories for an object have their say: first the one for all objects with the interface,
/// then those for the components of the reference. What a factory is given has what those before it have
/// made, and no more, whatever becomes of it.
#[derive(Clone, Copy)]
pub(crate) struct FactoryLimit(usize);

impl FactoryLimit {
    /// For all of them.
    pub(crate) const ALL: Self = Self(usize::MAX);
}

/// The factories of an ORB, by interface and component; without one it is for all objects.
type Factories = HashMap<(TypeId, Option<u32>), AnyFactory>;

/// The factories of an ORB, if there are any.
#[derive(Default)]
pub(crate) struct StubFactories(OnceLock<RwLock<Factories>>);

impl Part for StubFactories {
    const SLOT: PartSlot = PartSlot::StubFactories;
}

impl StubFactories {
    /// What shall stand before `object`, which lives elsewhere, as these of the factories have it.
    #[inline]
    pub(crate) fn stub<I: Interface + ?Sized>(
        &self,
        object: &Object,
        limit: FactoryLimit,
    ) -> Option<(Arc<I>, FactoryLimit)> {
        self.0.get().and_then(|known| stub(known, object, limit))
    }

    fn insert<I: Interface + ?Sized>(&self, component: Option<u32>, factory: Factory<I>) {
        let known = self.0.get_or_init(RwLock::default);
        let mut known = known.write().unwrap_or_else(PoisonError::into_inner);
        known.insert((TypeId::of::<I>(), component), Box::new(factory));
    }
}

#[cold]
fn stub<I: Interface + ?Sized>(
    known: &RwLock<Factories>,
    object: &Object,
    limit: FactoryLimit,
) -> Option<(Arc<I>, FactoryLimit)> {
    let limit = RunningFactory::limit(TypeId::of::<I>(), object, limit);
    let mut outermost = None;
    let components = object.components();
    let sources = iter::once((None, &[][..]))
        .chain(components.iter().map(|component| (Some(component.id), &component.data[..])));
    for (place, (component, data)) in sources.enumerate().take(limit.0) {
        // Factories may register others, or make references that ask for some.
        let factory = {
            let known = known.read().unwrap_or_else(PoisonError::into_inner);
            let found = known.get(&(TypeId::of::<I>(), component));
            found.and_then(|found| found.downcast_ref::<Factory<I>>()).cloned()
        };
        let Some(factory) = factory else { continue };
        let before = outermost.clone().map(|stub| (stub, FactoryLimit(place)));
        let _running = RunningFactory::begin(TypeId::of::<I>(), object, place);
        outermost = factory(data, Ref::with_stub(object.clone(), before)).or(outermost);
    }
    outermost.map(|stub| (stub, limit))
}

thread_local! {
    /// The interfaces, objects and components for which factories run in this thread.
    static RUNNING: RefCell<Vec<(TypeId, Object, FactoryLimit)>> = const { RefCell::new(Vec::new()) };
}

/// A factory runs in this thread.
struct RunningFactory;

impl RunningFactory {
    fn begin(interface: TypeId, object: &Object, place: usize) -> Self {
        let asked = (interface, object.clone(), FactoryLimit(place));
        RUNNING.with_borrow_mut(|all| all.push(asked));
        Self
    }

    /// Those of `limit` that stand before what is made while factories run for the same object: what
    /// stands before the reference that they were given.
    fn limit(interface: TypeId, object: &Object, limit: FactoryLimit) -> FactoryLimit {
        RUNNING.with_borrow(|all| {
            let same = all.iter().filter(|(ty, other, _)| *ty == interface && other == object);
            FactoryLimit(same.map(|(.., limit)| limit.0).fold(limit.0, usize::min))
        })
    }
}

impl Drop for RunningFactory {
    fn drop(&mut self) {
        // Not freed within the borrow: it may be the last that keeps an ORB.
        let ended = RUNNING.with_borrow_mut(Vec::pop);
        drop(ended);
    }
}

impl Orb {
    pub(crate) fn stub_factories(&self) -> &StubFactories {
        self.part()
    }

    /// Lets `factory` make what stands before objects with the interface `I` whose references carry
    /// the component `component`: a smart proxy. Calls through a `Ref<I>` to such an object are calls
    /// of what it made, which has the reference without it to call the object by.
    ///
    /// The factory is asked whenever a reference becomes a `Ref<I>` by being received, resolved or
    /// narrowed, or gets other policies; `None` leaves the object as it is. Where a reference carries
    /// several such components, the last stands outermost. References that exist already stay what they
    /// are, and calls of objects in this process go to their servants. A factory that was registered
    /// for the same interface and component is replaced; one that always declines takes it away.
    /// References to the same object that a factory itself receives or narrows while it runs are like the
    /// one that it is given. Dynamic calls, and those of which the reply is a future, go to the object
    /// itself.
    ///
    /// ```no_run
    /// # use armilla_cos_naming::{BindingIterator, BindingIteratorRef};
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
        self.stub_factories().insert(Some(component), Arc::new(factory));
    }

    /// Lets `factory` make what stands before all objects with the interface `I`, whatever their references
    /// carry; otherwise like [`register_stub_factory`](Self::register_stub_factory). What factories for
    /// components make stands before it.
    pub fn register_stub_factory_for_all<I: Interface + ?Sized>(
        &self,
        factory: impl Fn(Ref<I>) -> Option<Arc<I>> + Send + Sync + 'static,
    ) {
        self.stub_factories().insert::<I>(None, Arc::new(move |_data, plain| factory(plain)));
    }
}
