//! Servants that call themselves.

use super::in_time;
use armilla::interceptor::{ClientInterceptor, ServerInterceptor};
use armilla::{ExceptionKind, Orb, SystemException};
use armilla_tests::orbs;
use armilla_tests::probe::*;
use std::sync::{Arc, Mutex};

/// Calls itself, by whatever reference it was given.
struct Echo(Arc<Mutex<Option<ListenerRef>>>);

impl Listener for Echo {
    fn hear(&self, text: &str) -> Result<(), SystemException> {
        let myself = self.0.lock().unwrap().clone().unwrap();
        if text.is_empty() { Ok(()) } else { myself.hear(&text[1..]) }
    }

    fn descend(&self, _: &EverythingRef, _: i32) -> Result<i32, SystemException> {
        Ok(0)
    }
}

/// Sees all calls, those within the process too.
struct Onlooker;

impl ClientInterceptor for Onlooker {}
impl ServerInterceptor for Onlooker {}

fn reaches_itself(orb: &Orb) {
    let client = orbs::client();
    let myself = Arc::default();
    let poa = orb.root_poa().create_poa("single").single_thread().persistent().user_ids();
    let poa = poa.build().unwrap();
    let near = poa.activate_with_id("me", listener::tie(Echo(Arc::clone(&myself)))).unwrap();
    let url = orb.publish("me", &near).unwrap();
    for name in [orb.object_to_string(&near).unwrap(), url.clone()] {
        let found: ListenerRef = orb.resolve(&name).unwrap();
        assert_eq!(found.object().locate(), Ok(true), "{name}");
        *myself.lock().unwrap() = Some(found);
        for caller in [near.clone(), orbs::travel(&near, &client)] {
            in_time(move || caller.hear("again")).unwrap();
        }
    }
    // A name that stands for itself ends, too.
    let found = orb.string_to_object(&url).unwrap();
    orb.publish("me", &found).unwrap();
    assert_eq!(found.locate(), Ok(false));
    assert_eq!(found.non_existent().unwrap_err().kind(), ExceptionKind::Transient);
    orb.shutdown();
}

#[test]
fn a_servant_that_is_called_by_one_thread_reaches_itself_by_any_name_that_it_has() {
    reaches_itself(&orbs::listening());
    let watched = orbs::builder().client_interceptor(Onlooker).server_interceptor(Onlooker);
    reaches_itself(&watched.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
}
