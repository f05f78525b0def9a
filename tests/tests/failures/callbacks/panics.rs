//! Panics of the program's code: each ends its call with the truthful outcome, and takes no thread,
//! permit or place of a request along.

use super::Stage;
use armilla::{Completion, Concurrency, EndpointGroupOptions, ExceptionKind, Orb, SystemException};
use armilla_tests::orbs::{self, CONCURRENCIES};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// More often than there may be requests in progress.
const OFTEN: usize = 6;

/// What the client gets; `None` where it does not notice.
type Outcome = Option<(ExceptionKind, Completion)>;

const UNNOTICED: Outcome = None;
const NOT_EXECUTED: Outcome = Some((ExceptionKind::Unknown, Completion::No));
const PERHAPS: Outcome = Some((ExceptionKind::Unknown, Completion::Maybe));
const NO_ADAPTER: Outcome = Some((ExceptionKind::ObjAdapter, Completion::No));
const NOT_LOCATED: Outcome = Some((ExceptionKind::Transient, Completion::No));

/// The code that panics, the call that leads there, and what comes of it.
const PANICS: &[(&str, &str, Outcome)] = &[
    ("ServerInterceptor::processing_mode", "plain", NOT_EXECUTED),
    ("ServerInterceptor::receive_request_service_contexts", "plain", NOT_EXECUTED),
    ("ServerInterceptor::reads_values", "plain", UNNOTICED),
    ("ServerInterceptor::receive_request", "plain", NOT_EXECUTED),
    ("ServerInterceptor::send_reply", "plain", PERHAPS),
    ("ServerInterceptor::send_exception", "failing", PERHAPS),
    ("ServerInterceptor::send_other", "name", NOT_EXECUTED),
    ("the drop of a kept value", "plain", UNNOTICED),
    ("IorInterceptor::establish_components", "POA", UNNOTICED),
    ("IorInterceptor::components_established", "POA", NO_ADAPTER),
    ("IorInterceptor::manager_state_changed", "POA", UNNOTICED),
    ("IorInterceptor::adapter_destroyed", "POA", UNNOTICED),
    ("AdapterActivator::unknown_adapter", "made", NO_ADAPTER),
    ("ServantActivator::incarnate", "incarnated", NOT_EXECUTED),
    ("ServantActivator::etherealize", "incarnated", UNNOTICED),
    ("ServantLocator::preinvoke", "located", NOT_EXECUTED),
    ("ServantLocator::postinvoke", "located", PERHAPS),
    ("PoaExtension::answer", "extended", PERHAPS),
    ("PoaExtension::before_upcall", "extended", NOT_EXECUTED),
    ("PoaExtension::after_upcall", "extended", UNNOTICED),
    ("the locator of names", "name", NOT_EXECUTED),
    ("the locator of keys", "key", NOT_LOCATED),
    ("a servant", "plain", PERHAPS),
    ("a servant", "located", PERHAPS),
    ("the drop of a servant", "brief", UNNOTICED),
    ("the drop of a servant", "located", UNNOTICED),
    ("the results of an operation", "now", PERHAPS),
    ("the results of an operation", "later", PERHAPS),
];

fn outcome(result: Result<(), SystemException>) -> Outcome {
    result.err().map(|exception| (exception.kind(), exception.completed()))
}

#[test]
fn a_panic_ends_its_call_truthfully_and_nothing_else() {
    for concurrency in CONCURRENCIES {
        let stage = Stage::new(concurrency);
        stage.call_all();
        for (place, call, expected) in PANICS {
            for turn in 0..OFTEN {
                stage.meddler.tell(move |here| assert!(here != *place, "as told"));
                let got = outcome(stage.call(call));
                // What follows the reply may still be to come.
                stage.meddler.await_place(place);
                stage.meddler.tell_nothing();
                assert_eq!(got, *expected, "{place}, in turn {turn}, {concurrency:?}");
            }
            stage.call_all();
        }
        stage.client.shutdown();
        stage.orb.shutdown();
    }
}

#[test]
fn threads_whose_hook_panics_serve_all_the_same() {
    let orb = orbs::listening();
    let (_probe, near) = orbs::activate(&orb);
    let begun = Arc::new(AtomicUsize::new(0));
    for concurrency in CONCURRENCIES {
        let mut options = EndpointGroupOptions::new(["iiop://127.0.0.1:0".to_owned()], concurrency);
        options.prestarted_threads = usize::from(concurrency == Concurrency::ThreadPerConnection);
        let counted = begun.clone();
        options.on_thread_start = Some(Arc::new(move || {
            counted.fetch_add(1, SeqCst);
            panic!("as told");
        }));
        let group = orb.open_endpoint_group(options).unwrap();
        let before = begun.load(SeqCst);
        let client = orbs::client();
        through(&group, &near, &client);
        client.shutdown();
        assert!(before > 0 || begun.load(SeqCst) > 0, "no thread has begun");
        group.close();
    }
    orb.shutdown();
}

/// Calls an object over the endpoints of a group.
fn through(
    group: &armilla::EndpointGroup,
    near: &armilla_tests::probe::EverythingRef,
    client: &Orb,
) {
    use armilla_giop::ior::IiopProfile;
    use armilla_tests::probe::*;
    let mut ior = near.object().ior();
    let (host, port) = group.addresses()[0].clone();
    for profile in &mut ior.profiles {
        let mut iiop = IiopProfile::decode_data(&profile.data).unwrap();
        (iiop.host, iiop.port) = (host.as_str().into(), port);
        *profile = iiop.to_tagged().unwrap();
    }
    let far: EverythingRef = client.string_to_object(&ior.to_text().unwrap()).unwrap().assume();
    (0..3).for_each(|_| far.ping().unwrap());
}
