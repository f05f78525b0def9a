//! A host of COM that takes connections and says nothing.

use crate::generated::plant::{Boiler, BoilerRef};
use crate::site::BOILER_CLASS;
use armilla::{Error, ExceptionKind, Orb};
use armilla_bridge::{Bridge, BridgeOptions, ComClass};
use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcom::client::{Client, ClientOptions};
use std::net::TcpListener;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

const CALLS: usize = 12;

#[test]
fn calls_to_a_silent_host_wait_together() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let mut options = BridgeOptions::default();
    let idl = include_str!("../idl/shop.idl").to_owned();
    options.idl.push(("shop.idl".to_owned(), idl));
    let host = format!("127.0.0.1[{}]", silent.local_addr().unwrap().port());
    let interface = "IDL:Plant/Boiler:1.0".to_owned();
    options.com.insert("boiler".to_owned(), ComClass { host, class: BOILER_CLASS, interface });
    let mut client = ClientOptions::new(Credentials::new("SITE", "operator", "secret"));
    client.timeout = Duration::from_secs(2);
    let bridge = Bridge::new(&orb, options, Some(Client::new(client).unwrap())).unwrap();
    let boiler: BoilerRef = bridge.com_object("boiler").unwrap().narrow().unwrap();
    let together = Barrier::new(CALLS);
    thread::scope(|scope| {
        for _ in 0..CALLS {
            scope.spawn(|| {
                together.wait();
                let Err(Error::System(error)) = boiler.add(1, 1) else { panic!("it answered") };
                assert_ne!(error.kind(), ExceptionKind::Unknown, "{error}");
            });
        }
    });
    silent.set_nonblocking(true).unwrap();
    let attempts = std::iter::from_fn(|| silent.accept().ok()).count();
    // One, unless a call came late.
    assert!((1..=CALLS / 3).contains(&attempts), "{attempts} of {CALLS} asked the host");
}
