//! Callbacks that shut their ORB down: none waits for itself (CORBA 3.4 Part 1, 8.2.3.4).

use super::Stage;
use armilla::{Minor, Orb, Poa, SystemException};
use armilla_tests::gate::PATIENCE;
use armilla_tests::orbs::{self, CONCURRENCIES};
use armilla_tests::probe::*;
use std::collections::BTreeMap;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

/// Fails where `work` does not come to its end.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(PATIENCE).expect("it hangs, or panicked")
}

/// Where a program's code may be that the ORB calls.
const PLACES: [&str; 24] = [
    "AdapterActivator::unknown_adapter",
    "ClientInterceptor::destroy",
    "IorInterceptor::adapter_destroyed",
    "IorInterceptor::components_established",
    "IorInterceptor::destroy",
    "IorInterceptor::establish_components",
    "IorInterceptor::manager_state_changed",
    "PoaExtension::after_upcall",
    "PoaExtension::answer",
    "PoaExtension::before_upcall",
    "ServantActivator::etherealize",
    "ServantActivator::incarnate",
    "ServantLocator::postinvoke",
    "ServantLocator::preinvoke",
    "ServerInterceptor::destroy",
    "ServerInterceptor::processing_mode",
    "ServerInterceptor::receive_request",
    "ServerInterceptor::receive_request_service_contexts",
    "ServerInterceptor::send_exception",
    "ServerInterceptor::send_other",
    "ServerInterceptor::send_reply",
    "a servant",
    "the locator of keys",
    "the locator of names",
];

#[test]
fn no_callback_waits_for_the_shutdown_of_its_own_orb() {
    for concurrency in CONCURRENCIES {
        let stage = Stage::new(concurrency);
        let answers = Arc::new(Mutex::new(BTreeMap::new()));
        let (orb, written) = (stage.orb.clone(), answers.clone());
        stage.meddler.tell(move |place| {
            // Elsewhere it may be the program's own thread.
            if PLACES.contains(&place) {
                let answer = orb.try_shutdown(true).map_err(|error| error.minor());
                written.lock().unwrap().insert(place, answer);
            }
        });
        let stage = in_time(move || {
            stage.call_all();
            stage.orb.try_shutdown(true).unwrap();
            stage
        });
        let answers = answers.lock().unwrap();
        for place in PLACES {
            let answer = answers.get(place);
            assert_eq!(answer, Some(&Err(Minor::BAD_INV_ORDER_WOULD_DEADLOCK)), "{place}");
        }
        stage.client.shutdown();
    }
}

/// What came of a shutdown in the drop of a servant.
type Answer = Result<(), Minor>;

/// Tries to shut its ORB down when it is dropped.
struct Last(Orb, Sender<Answer>);

impl Drop for Last {
    fn drop(&mut self) {
        self.1.send(self.0.try_shutdown(true).map_err(|error| error.minor())).ok();
    }
}

impl Listener for Last {
    fn hear(&self, _: &str) -> Result<(), SystemException> {
        let current = self.0.poa_current()?;
        current.poa().deactivate(current.object_id())?;
        Ok(())
    }

    fn descend(&self, _: &EverythingRef, _: i32) -> Result<i32, SystemException> {
        Ok(0)
    }
}

#[test]
fn the_drop_of_a_servant_waits_for_no_shutdown_that_waits_for_it() {
    let called = CONCURRENCIES.map(|concurrency| (concurrency, true));
    for (concurrency, called) in called.into_iter().chain([(CONCURRENCIES[0], false)]) {
        let orb = orbs::listening_with(|settings| settings.concurrency = concurrency);
        let (sender, receiver) = channel();
        let servant: Arc<dyn Listener> = Arc::new(Last(orb.clone(), sender));
        let object = orb.root_poa().activate(servant).unwrap();
        let client = orbs::client();
        let far = orbs::travel(&object, &client);
        drop(object);
        in_time(move || {
            if called {
                far.hear("").unwrap();
            } else {
                orb.shutdown();
            }
            let answer = receiver.recv_timeout(PATIENCE).unwrap();
            assert_eq!(answer, Err(Minor::BAD_INV_ORDER_WOULD_DEADLOCK), "called: {called}");
            orb.shutdown();
        });
        client.shutdown();
    }
}

#[test]
fn a_callback_may_begin_a_shutdown_that_others_wait_for() {
    for waits in [false, true] {
        let orb = orbs::listening();
        let poa = orb.root_poa().create_poa("made").persistent().user_ids().build().unwrap();
        let object: ListenerRef = poa.create_reference_with_id("it").unwrap();
        poa.destroy(true, true).unwrap();
        let ending = orb.clone();
        orb.root_poa().set_activator(move |_: &Poa, _: &str| {
            match waits {
                true => ending.shutdown(),
                false => ending.try_shutdown(false).unwrap(),
            }
            false
        });
        let client = orbs::client();
        let far = orbs::travel(&object, &client);
        in_time(move || {
            far.hear("").unwrap_err();
            // Returns when the ORB has ended.
            orb.run().unwrap();
        });
        client.shutdown();
    }
}
