//! Flows whose call has come over TLS: no octet of them goes to another host in clear.

use crate::common::content;
use armilla::{Error, Orb, SystemException};
use armilla_stream::{
    Checksum, FlowAgreement, FlowConsumer, FlowOptions, FlowProducer, FlowRequest, FlowSpec,
    FlowSummary, Listener, NoAgreement, Protected, StreamError,
};
use armilla_tls::{Authority, Issued, Pem, Tls, Verify};
use bank::bank::account::{WithdrawRaises, tie};
use bank::bank::{Account, AccountRef};
use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(86_400);

fn text(pem: &str) -> Pem {
    Pem::Text(pem.into())
}

/// An authority, and the ends that believe it.
struct Pki(Authority);

impl Pki {
    fn new() -> Self {
        Self(Authority::new("authority", DAY).unwrap())
    }

    fn issue(&self) -> Issued {
        self.0.issue("end", &["127.0.0.1"], DAY).unwrap()
    }

    fn tls(&self, own: Option<&Issued>) -> Tls {
        let tls = Tls::new().roots(text(&self.0.own().certificate)).verify(Verify::Peer);
        match own {
            Some(own) => tls.certificate(text(&own.certificate)).key(text(&own.key)),
            None => tls,
        }
    }
}

/// Agrees to a flow where a caller asks for the balance.
struct Store {
    listener: Listener,
    wanted: Arc<Mutex<FlowRequest>>,
    agreed: Sender<Result<FlowAgreement, NoAgreement>>,
    sent: Sender<Result<FlowSummary, StreamError>>,
}

impl Account for Store {
    fn balance(&self) -> Result<f64, SystemException> {
        let sent = self.sent.clone();
        let produce = move |producer: Result<FlowProducer, StreamError>| {
            let done = producer.and_then(|mut producer| {
                producer.write_all(&content(300_000))?;
                producer.finish()
            });
            sent.send(done).ok();
        };
        let request = self.wanted.lock().unwrap().clone();
        let agreed = self.listener.agree(&request, FlowSpec::sized(300_000), produce);
        self.agreed.send(agreed.map(|(agreement, _)| agreement)).ok();
        Ok(1.0)
    }

    fn deposit(&self, _: f64) -> Result<(), SystemException> {
        Ok(())
    }

    fn withdraw(&self, _: f64) -> Result<(), Error<WithdrawRaises>> {
        Ok(())
    }
}

/// A store whose server speaks TLS, and its caller.
struct World {
    orbs: [Orb; 2],
    account: AccountRef,
    wanted: Arc<Mutex<FlowRequest>>,
    agreed: Receiver<Result<FlowAgreement, NoAgreement>>,
    sent: Receiver<Result<FlowSummary, StreamError>>,
}

impl Drop for World {
    fn drop(&mut self) {
        self.orbs.iter().for_each(Orb::shutdown);
    }
}

impl World {
    fn new(pki: &Pki, own: &Issued, listener: Listener) -> Self {
        let server = Orb::builder().transport(pki.tls(Some(own)));
        let server = server.listen("ssliop://127.0.0.1:0").unwrap().build().unwrap();
        let wanted = Arc::<Mutex<FlowRequest>>::default();
        let ((agreed, agreements), (sent, summaries)) = (channel(), channel());
        let store = Store { listener, wanted: wanted.clone(), agreed, sent };
        let account: AccountRef = server.root_poa().activate(tie(store)).unwrap();
        let reference = server.object_to_string(&account).unwrap();
        let client = Orb::builder().transport(pki.tls(None)).build().unwrap();
        let account = client.resolve(&reference).unwrap();
        Self { orbs: [server, client], account, wanted, agreed: agreements, sent: summaries }
    }

    fn ask(&self, request: FlowRequest) -> Result<FlowAgreement, NoAgreement> {
        *self.wanted.lock().unwrap() = request;
        assert_eq!(self.account.balance(), Ok(1.0));
        self.agreed.recv().unwrap()
    }
}

/// Reads what the store sends.
fn read(mut consumer: FlowConsumer) {
    let mut found = Vec::new();
    consumer.read_to_end(&mut found).unwrap();
    assert!(found == content(300_000));
    consumer.finish().unwrap();
}

#[test]
fn a_flow_of_a_call_over_tls_goes_over_tls() {
    let pki = Pki::new();
    let own = pki.issue();
    let over = Protected::new(pki.tls(Some(&own)));
    let listener = Listener::builder().tcp("127.0.0.1", 0).protected(over, "127.0.0.1", 0);
    let world = World::new(&pki, &own, listener.start().unwrap());
    let options = FlowOptions::of(&world.orbs[1]);
    for _ in 0..2 {
        let request = FlowRequest::connecting_with(0, &options).with_checksum(Checksum::Sha256);
        let agreement = world.ask(request).unwrap();
        let at = &agreement.listens[0].r#where;
        assert!(at.len() == 1 && at[0].starts_with("ssliop://127.0.0.1:"), "{at:?}");
        read(agreement.collect(&options).unwrap());
        assert_eq!(world.sent.recv().unwrap().unwrap().octets, 300_000);
    }
    // Who does not believe the server gets no octet, and the error says why.
    let agreement = world.ask(FlowRequest::connecting_with(0, &options)).unwrap();
    let stranger = Some(Protected::new(Pki::new().tls(None)));
    let options = FlowOptions { protected: stranger, ..FlowOptions::default() };
    let refused = agreement.collect::<FlowConsumer>(&options).unwrap_err().to_string();
    assert!(refused.contains("certificate"), "{refused}");
}

#[test]
fn a_flow_of_a_call_over_tls_is_never_offered_in_clear() {
    let pki = Pki::new();
    let own = pki.issue();
    let plain = Listener::builder().tcp("127.0.0.1", 0).start().unwrap();
    let world = World::new(&pki, &own, plain);
    let refused = world.ask(FlowRequest::connecting(0)).unwrap_err().reason;
    assert!(refused.contains("ListenerBuilder::protected"), "{refused}");
    // Nor does a side with TLS take such an offer.
    let listener = Listener::builder().tcp("127.0.0.1", 0).start().unwrap();
    let (endpoint, _offer) = listener.offer::<FlowProducer>(0, &["tcp"]).unwrap();
    let protected = Some(Protected::new(pki.tls(None).required()));
    let options = FlowOptions { protected, ..FlowOptions::default() };
    assert!(!FlowRequest::connecting_with(0, &options).connects.contains(&"tcp".to_owned()));
    let connected =
        armilla_stream::connect::<FlowConsumer>(&endpoint, &FlowSpec::sized(0), &options);
    let refused = connected.unwrap_err().to_string();
    assert!(refused.contains("in clear"), "{refused}");
}

#[test]
fn a_token_for_tls_is_of_no_use_in_clear() {
    let pki = Pki::new();
    let own = pki.issue();
    let over = Protected::new(pki.tls(Some(&own)));
    let listener = Listener::builder().tcp("127.0.0.1", 0).protected(over, "127.0.0.1", 0);
    let listener = listener.start().unwrap();
    let clear = listener.addresses()[0].to_string();
    let world = World::new(&pki, &own, listener);
    let protected = Some(Protected::new(pki.tls(None)));
    let options = FlowOptions { protected, ..FlowOptions::default() };
    let mut agreement = world.ask(FlowRequest::connecting_with(0, &options)).unwrap();
    agreement.listens[0].r#where = vec![clear];
    let refused = agreement.collect::<FlowConsumer>(&FlowOptions::default()).unwrap_err();
    assert!(refused.to_string().contains("token"), "{refused}");
}

#[test]
fn a_caller_over_tls_that_listens_is_connected_to_over_tls() {
    let pki = Pki::new();
    let own = pki.issue();
    let side = || {
        let over = Protected::new(pki.tls(Some(&own)));
        Listener::builder().protected(over, "127.0.0.1", 0).start().unwrap()
    };
    let world = World::new(&pki, &own, side());
    let here = side();
    let (endpoint, offer) = here.offer::<FlowConsumer>(0, &["ssliop"]).unwrap();
    let agreement = world.ask(FlowRequest::listening(endpoint, 0)).unwrap();
    read(offer.wait(agreement.spec).unwrap());
    assert_eq!(world.sent.recv().unwrap().unwrap().octets, 300_000);

    let clear = Listener::builder().tcp("127.0.0.1", 0).start().unwrap();
    let (endpoint, _offer) = clear.offer::<FlowConsumer>(0, &["tcp"]).unwrap();
    let refused = world.ask(FlowRequest::listening(endpoint, 0)).unwrap_err().reason;
    assert!(refused.contains("in clear"), "{refused}");
}
