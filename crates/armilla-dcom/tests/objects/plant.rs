//! A server and clients of it.

use crate::study::{TEST_SERVER, TEST_SERVER_CLASS, TestServer};
use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::client::{Client, ClientOptions, Proxy};
use armilla_dcom::server::{Caller, Object, ObjectCall, Server, ServerBuilder, ServerOptions};
use armilla_dcom::{Clock, ClockHand};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

pub(crate) const LONG: Duration = Duration::from_secs(120);
pub(crate) const COUNTED_CLASS: Uuid = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d12");

armilla_dcerpc::ndr_interface! {
    /// Says in which chain of calls it was called, and by whom.
    pub(crate) const COUNTED = "6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d11", 0, 0;
    /// The causality of the call.
    3 => Chain(()) -> ChainOut;
    /// Panics.
    4 => Panic(()) -> ();
}

armilla_dcerpc::ndr_parameters! {
    pub(crate) struct ChainOut {
        pub(crate) causality: Uuid,
    }
}

/// An object that is counted while it exists.
pub(crate) struct Counted(Arc<AtomicUsize>);

impl Counted {
    pub(crate) fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Object for Counted {
    fn supports(&self, iid: Uuid) -> bool {
        iid == COUNTED.uuid || iid == TEST_SERVER.uuid
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        match (call.iid, call.opnum) {
            (iid, _) if iid == TEST_SERVER.uuid => TestServer.call(call),
            (_, 3) => call.answer(&ChainOut { causality: call.causality }),
            (_, 4) => panic!("as the test wants it"),
            _ => Err(Status::OPERATION_OUT_OF_RANGE),
        }
    }
}

/// A server whose objects are counted, with the clock of its references.
pub(crate) struct Plant {
    pub(crate) server: Server,
    pub(crate) hand: ClockHand,
    pub(crate) objects: Arc<AtomicUsize>,
}

pub(crate) fn plant() -> Plant {
    plant_with(|_| {}, |builder| builder)
}

pub(crate) fn plant_with(
    change: impl FnOnce(&mut ServerOptions),
    build: impl FnOnce(ServerBuilder) -> ServerBuilder,
) -> Plant {
    let (clock, hand) = Clock::driven();
    let mut options = ServerOptions { clock, ..ServerOptions::new("PLANT") };
    change(&mut options);
    let objects = Arc::new(AtomicUsize::new(0));
    let count = objects.clone();
    let counted = move |_: &Caller<'_>| Ok(Arc::new(Counted::new(&count)) as Arc<dyn Object>);
    let study = |_: &Caller<'_>| Ok(Arc::new(TestServer) as Arc<dyn Object>);
    let builder = ServerBuilder::new(options)
        .account("operator", "secret")
        .class(COUNTED_CLASS, counted)
        .class(TEST_SERVER_CLASS, study);
    let server = build(builder).listen("127.0.0.1:0").unwrap();
    Plant { server, hand, objects }
}

pub(crate) fn options(password: &str) -> ClientOptions {
    let credentials = Credentials::new("", "operator", password);
    ClientOptions { timeout: LONG, ..ClientOptions::new(credentials) }
}

pub(crate) fn client() -> Client {
    Client::new(options("secret")).unwrap()
}

impl Plant {
    /// How clients name the host.
    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1[{}]", self.server.address().port())
    }

    pub(crate) fn counted(&self, client: &Client) -> Proxy {
        client.activate(&self.host(), COUNTED_CLASS, COUNTED.uuid).unwrap()
    }

    pub(crate) fn alive(&self) -> usize {
        self.objects.load(Ordering::SeqCst)
    }
}
