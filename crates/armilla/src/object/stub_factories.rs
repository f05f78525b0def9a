//! Stub factories: smart proxies that a program puts before objects of other processes.
//!
//! A factory is registered for an interface, and optionally for a tagged component of references.

use crate::client::Object;
use crate::object::Ref;
use crate::runtime::{Orb, Part, PartSlot};
use crate::server::Interface;
use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::iter;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// Creates a stub from the data of the component (empty in a factory for all objects) and the
/// reference to the object without this stub.
type Factory<I> = Arc<dyn Fn(&[u8], Ref<I>) -> Option<Arc<I>> + Send + Sync>;

/// A [`Factory`] of the interface in its key.
type AnyFactory = Box<dyn Any + Send + Sync>;

/// How many of the factories for an object apply. The order is: the factory for all objects with
/// the interface, then the factories for the components of the reference. A reference that a
/// factory gets has the stubs of the preceding factories only, and keeps this limit when its
/// policies change.
#[derive(Clone, Copy)]
pub(crate) struct FactoryLimit(usize);

impl FactoryLimit {
    /// All factories apply.
    pub(crate) const ALL: Self = Self(usize::MAX);
}

/// The factories of an ORB, by interface and component. A factory without a component is for all
/// objects.
type Factories = HashMap<(TypeId, Option<u32>), AnyFactory>;

/// The factories of an ORB. The table exists once the program has registered a factory, so that an
/// ORB without factories tests one pointer only.
#[derive(Default)]
pub(crate) struct StubFactories(OnceLock<RwLock<Factories>>);

impl Part for StubFactories {
    const SLOT: PartSlot = PartSlot::StubFactories;
}

impl StubFactories {
    /// The stub for `object`, which is in another process, from the factories within `limit`.
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
        // No lock while a factory runs: it may register factories, or create references.
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
    /// The factories that run in this thread: interface, object and position in the order.
    static RUNNING: RefCell<Vec<(TypeId, Object, FactoryLimit)>> =
        const { RefCell::new(Vec::new()) };
}

/// Marks that a factory runs in this thread, until it is dropped.
struct RunningFactory;

impl RunningFactory {
    fn begin(interface: TypeId, object: &Object, place: usize) -> Self {
        let asked = (interface, object.clone(), FactoryLimit(place));
        RUNNING.with_borrow_mut(|all| all.push(asked));
        Self
    }

    /// Lowers `limit` while factories for the same object run in this thread. References that a
    /// factory creates then have the same stubs as the reference that it got; otherwise it would be
    /// called recursively.
    fn limit(interface: TypeId, object: &Object, limit: FactoryLimit) -> FactoryLimit {
        RUNNING.with_borrow(|all| {
            let same = all.iter().filter(|(ty, other, _)| *ty == interface && other == object);
            FactoryLimit(same.map(|(.., limit)| limit.0).fold(limit.0, usize::min))
        })
    }
}

impl Drop for RunningFactory {
    fn drop(&mut self) {
        // Drop the object outside of the borrow: it may be the last reference that keeps the ORB.
        let ended = RUNNING.with_borrow_mut(Vec::pop);
        drop(ended);
    }
}

impl Orb {
    pub(crate) fn stub_factories(&self) -> &StubFactories {
        self.part()
    }

    /// Registers a factory for smart proxies: stubs for objects with the interface `I` whose
    /// references carry the tagged component `component`. Calls through a `Ref<I>` to such an
    /// object call the stub. The factory gets the data of the component and the reference without
    /// the stub, through which the stub calls the object.
    ///
    /// * The ORB calls the factory when it receives or resolves a reference, when the program
    ///   narrows one, and when a reference gets other policies. `None` means no stub. References
    ///   that exist already do not change.
    /// * If a reference carries several such components, the stub of the last one is outermost.
    /// * The factory replaces one for the same interface and component. To remove a factory,
    ///   register one that always returns `None`.
    /// * References to the same object that a factory receives or narrows while it runs have the
    ///   same stubs as the reference that it got.
    /// * Calls of objects in this process, dynamic calls and asynchronous calls do not use the
    ///   stub.
    ///
    /// ```no_run
    /// # use armilla_cos_naming::{BindingIterator, BindingIteratorRef};
    /// # use std::sync::Arc;
    /// # use armilla::Orb;
    /// # fn example(orb: &Orb, prefetching: fn(BindingIteratorRef) -> Arc<dyn BindingIterator>) {
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

    /// Registers a factory for smart proxies for all objects with the interface `I`, with any
    /// components; otherwise like [`register_stub_factory`](Self::register_stub_factory). The stubs
    /// of factories for components are outside of its stub.
    pub fn register_stub_factory_for_all<I: Interface + ?Sized>(
        &self,
        factory: impl Fn(Ref<I>) -> Option<Arc<I>> + Send + Sync + 'static,
    ) {
        self.stub_factories().insert::<I>(None, Arc::new(move |_data, plain| factory(plain)));
    }
}
