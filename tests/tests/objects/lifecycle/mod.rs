//! Deactivation of objects during calls: a servant is etherealized after its last call, every
//! waiting thread wakes, and nothing happens twice.

mod kept_references;
mod servants;

use armilla::{
    AnyServant, ObjectId, Poa, ServantActivator, ServantManager, ServantManagerError,
    SystemException,
};
use armilla_tests::orbs::Server;
use armilla_tests::probe::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};
use std::thread;

/// What became of the servants of a POA.
#[derive(Default)]
struct Fates {
    made: AtomicUsize,
    given_back: AtomicUsize,
    /// Servants that were called after they had gone back, or went back while they were called.
    disturbed: AtomicUsize,
}

/// A servant that knows whether it may be called.
struct Fragile {
    fates: Arc<Fates>,
    inside: AtomicUsize,
    gone: AtomicBool,
    /// Its object, and what it does in its innermost call.
    own: OnceLock<ListenerRef>,
    innermost: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Fragile {
    fn new(fates: &Arc<Fates>) -> Self {
        fates.made.fetch_add(1, SeqCst);
        let fates = fates.clone();
        let (inside, gone) = Default::default();
        Self { fates, inside, gone, own: OnceLock::new(), innermost: OnceLock::new() }
    }

    fn guarded<R>(&self, call: impl FnOnce() -> R) -> R {
        self.inside.fetch_add(1, SeqCst);
        let result = call();
        if self.gone.load(SeqCst) {
            self.fates.disturbed.fetch_add(1, SeqCst);
        }
        self.inside.fetch_sub(1, SeqCst);
        result
    }
}

impl Listener for Fragile {
    fn hear(&self, _text: &str) -> Result<(), SystemException> {
        self.guarded(thread::yield_now);
        Ok(())
    }

    fn descend(&self, partner: &EverythingRef, depth: i32) -> Result<i32, SystemException> {
        self.guarded(|| match (depth, self.own.get()) {
            (0, _) | (_, None) => {
                self.innermost.get().inspect(|what| what());
                Ok(0)
            }
            (_, Some(own)) => Ok(1 + own.descend(partner, depth - 1)?),
        })
    }
}

/// Makes them, and takes them back.
struct Maker(Arc<Fates>);

impl ServantActivator for Maker {
    fn incarnate(&self, _id: &ObjectId, _adapter: &Poa) -> Result<AnyServant, ServantManagerError> {
        let servant: Arc<dyn Listener> = Arc::new(Remembered::new(Fragile::new(&self.0)));
        Ok(servant.into())
    }

    fn etherealize(
        &self,
        _id: &ObjectId,
        _adapter: &Poa,
        servant: AnyServant,
        _cleanup_in_progress: bool,
        _remaining_activations: bool,
    ) {
        let servant: Arc<dyn Listener> = servant.downcast().unwrap();
        // The text says that this is no call.
        servant.hear(GOING).unwrap();
        self.0.given_back.fetch_add(1, SeqCst);
    }
}

const GOING: &str = "you are going";

/// A `Fragile` that hears when it goes back.
struct Remembered(Fragile);

impl Remembered {
    fn new(servant: Fragile) -> Self {
        Self(servant)
    }
}

impl Listener for Remembered {
    fn hear(&self, text: &str) -> Result<(), SystemException> {
        if text != GOING {
            return self.0.hear(text);
        }
        let twice = self.0.gone.swap(true, SeqCst);
        if twice || self.0.inside.load(SeqCst) > 0 {
            self.0.fates.disturbed.fetch_add(1, SeqCst);
        }
        Ok(())
    }

    fn descend(&self, partner: &EverythingRef, depth: i32) -> Result<i32, SystemException> {
        self.0.descend(partner, depth)
    }
}

fn made_on_demand(server: &Server) -> (Poa, Arc<Fates>) {
    let fates = Arc::new(Fates::default());
    let manager = server.create_poa_manager("group").unwrap();
    manager.activate().unwrap();
    let poa = server.root_poa().create_poa("made").user_ids().manager(&manager);
    let poa = poa.servant_manager(ServantManager::activator(Maker(fates.clone())));
    (poa.build().unwrap(), fates)
}

fn check(fates: &Fates) {
    assert_eq!(fates.disturbed.load(SeqCst), 0);
    assert_eq!(fates.given_back.load(SeqCst), fates.made.load(SeqCst));
}
