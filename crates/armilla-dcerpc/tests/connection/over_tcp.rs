//! The driver: clients and servers over TCP.

use armilla_dcerpc::client::Call;
use armilla_dcerpc::driver::{self, Connection, DriverError, Listener, ListenerOptions, Service};
use armilla_dcerpc::management::{InquireInterfaces, MANAGEMENT};
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::security::ntlm::{Credentials, NtHash};
use armilla_dcerpc::server::{Access, ServerCall};
use armilla_dcerpc::{Status, SyntaxId};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

const ECHO: SyntaxId = SyntaxId::literal("5f1a9c3e-8e0b-4b1c-9d55-0b6f2d7a4c05", 1, 0);
pub(crate) const LONG: Duration = Duration::from_secs(60);

#[derive(Clone, Default)]
pub(crate) struct Echo(Arc<(Mutex<bool>, Condvar)>);

impl Echo {
    pub(crate) const INTERFACE: SyntaxId = ECHO;

    /// Lets calls of operation 4 end.
    pub(crate) fn go_on(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    fn wait(&self) {
        let guard = self.0.0.lock().unwrap();
        drop(self.0.1.wait_while(guard, |go_on| !*go_on).unwrap());
    }
}

impl Service for Echo {
    fn interfaces(&self) -> Vec<(SyntaxId, Access)> {
        vec![(ECHO, Access::Secured)]
    }

    fn call(&self, call: &ServerCall) -> Result<Vec<u8>, Status> {
        match call.opnum {
            0 => Ok(call.stub.clone()),
            1 => Ok(call.principal.as_ref().map_or(Vec::new(), |it| it.to_string().into_bytes())),
            3 => panic!("as the test wants it"),
            4 => {
                self.wait();
                Ok(Vec::new())
            }
            _ => Err(Status::OPERATION_OUT_OF_RANGE),
        }
    }

    fn hash(&self, user: &str, _: &str) -> Option<NtHash> {
        (user == "operator").then(|| NtHash::of("secret"))
    }
}

fn listener(max_connections: usize) -> Listener {
    let options = ListenerOptions { max_connections, ..ListenerOptions::new("SERVER") };
    driver::listen("127.0.0.1:0", Echo::default(), options).unwrap()
}

fn connect(listener: &Listener, password: &str) -> Result<Connection, DriverError> {
    let mut connection = Connection::connect(listener.address(), LONG)?;
    let credentials = Credentials::new("plant", "operator", password);
    connection.bind(&[ECHO], Some((driver::spnego(credentials), AuthLevel::Privacy)))?;
    Ok(connection)
}

#[test]
fn large_and_small_calls_come_back() {
    let listener = listener(10);
    let mut connection = connect(&listener, "secret").unwrap();
    for size in [0, 12, 200_000] {
        let stub = vec![size as u8; size];
        let (_, back) = connection.call_stub(&Call::new(ECHO, 0, &stub)).unwrap();
        assert_eq!(back, stub);
    }
    let (_, name) = connection.call_stub(&Call::new(ECHO, 1, b"")).unwrap();
    assert_eq!(name, b"plant\\operator");
    connection.alter(MANAGEMENT).unwrap();
    let found = connection.call::<InquireInterfaces>(&()).unwrap();
    assert_eq!(found.interfaces.get().unwrap().count, 1);
    let error = connection.call_stub(&Call::new(ECHO, 2, b"")).unwrap_err();
    assert!(error.to_string().contains("no operation of this number"), "{error}");
}

#[test]
fn a_wrong_password_is_told() {
    let error = connect(&listener(10), "wrong").unwrap_err();
    assert!(matches!(error, DriverError::Client(_)), "{error:?}");
}

#[test]
fn connections_beyond_the_limit_are_closed() {
    let listener = listener(1);
    let mut first = connect(&listener, "secret").unwrap();
    // The server has seen the proof.
    first.call_stub(&Call::new(ECHO, 0, b"")).unwrap();
    assert!(connect(&listener, "secret").is_err());
    drop(first);
}

#[test]
fn a_listener_that_is_dropped_listens_no_more_and_ends_its_connections() {
    let listener = listener(2);
    let address = listener.address();
    let mut open = connect(&listener, "secret").unwrap();
    open.call_stub(&Call::new(ECHO, 0, b"")).unwrap();
    drop(listener);
    // A call that was on its way is answered.
    let begun = Instant::now();
    while open.call_stub(&Call::new(ECHO, 0, b"")).is_ok() {
        assert!(begun.elapsed() < LONG);
    }
    assert!(Connection::connect(address, LONG).is_err());
}
