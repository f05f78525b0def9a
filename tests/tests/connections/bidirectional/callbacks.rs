//! Callbacks on the connection that the client opened.

use super::{accepting, unreachable, unreachable_with};
use armilla::{
    AcceptBidirectional, Any, ConnectionPolicy, ExceptionKind, Minor, Orb, Poa, ReplyFuture,
    Settings, SystemException,
};
use armilla_giop::MessageKind;
use armilla_tests::gate::PATIENCE;
use armilla_tests::orbs::{self, CONCURRENCIES, Server, travel};
use armilla_tests::peer::Wire;
use armilla_tests::probe::*;
use armilla_tests::servant::Ear;
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::thread;
use std::time::Duration;

/// An object of the client, in a POA that takes calls over connections that the client has made.
fn ear(client: &Orb) -> (Arc<Ear>, ListenerRef) {
    let poa = client.root_poa().create_poa("both ways").bidirectional().build().unwrap();
    let ear = Arc::new(Ear::default());
    let reference = poa.activate(ear.clone() as Arc<dyn Listener>).unwrap();
    ear.myself.set(reference.clone()).unwrap();
    (ear, reference)
}

fn hear(remote: &ListenerRef, text: &str) -> ReplyFuture<()> {
    remote.invoke_async("hear", |out| out.put_string(text), |_| Ok(()))
}

fn block(remote: &EverythingRef) -> ReplyFuture<()> {
    remote.invoke_async("block", |_| Ok(()), |_| Ok(()))
}

#[test]
fn an_unreachable_client_is_called_back_over_its_connection() {
    for concurrency in CONCURRENCIES {
        let server = Server::of(orbs::listening_with(|settings| {
            settings.accept_bidirectional = AcceptBidirectional::Checked;
            settings.concurrency = concurrency;
        }));
        let client = unreachable_with(|settings| settings.concurrency = concurrency);
        let (ear, me) = ear(&client);
        let remote = server.remote(&client);
        for text in ["first", "second", "third"] {
            remote.call_back(&me, text).unwrap();
        }
        assert_eq!(ear.heard(), ["first", "second", "third"], "{concurrency}");
    }
}

#[test]
fn it_is_called_back_by_none_who_does_not_accept_and_not_where_it_does_not_offer() {
    for (offers, accepts) in
        [(true, AcceptBidirectional::Never), (false, AcceptBidirectional::Checked)]
    {
        let server = accepting(accepts);
        let client = unreachable_with(|settings| settings.offer_bidirectional = offers);
        let (ear, me) = ear(&client);
        let error = server.remote(&client).call_back(&me, "in vain").unwrap_err();
        assert_eq!(error.minor(), Minor::CONNECT_FAILED, "{error}");
        assert!(ear.heard().is_empty());
    }
}

#[test]
fn objects_are_called_that_way_only_if_their_poa_says_so() {
    let server = accepting(AcceptBidirectional::Checked);
    let client = unreachable();
    let (ear, me) = Ear::activate(&client);
    let error = server.remote(&client).call_back(&me, "in vain").unwrap_err();
    assert_eq!(
        (error.kind(), error.minor()),
        (ExceptionKind::NoPermission, Minor::CONNECTION_NOT_BIDIRECTIONAL)
    );
    assert!(ear.heard().is_empty());
    let held = travel(&me, &server.orb);
    assert_eq!(held.object().locate(), Ok(false));
}

/// What the program would be asked for a request of any other client.
#[test]
fn neither_activators_nor_locators_are_asked_for_what_is_not_called_that_way() {
    let server = accepting(AcceptBidirectional::Checked);
    let client = unreachable();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let make = |parent: &Poa, name: &str, both: bool| {
        let poa = parent.create_poa(name).persistent().user_ids();
        let poa = if both { poa.bidirectional() } else { poa };
        poa.build().unwrap()
    };
    let root = client.root_poa();
    let both = make(&root, "both ways", true);
    let mut lost = Vec::new();
    for (parent, is_both) in [(&root, false), (&root, true), (&both, false), (&both, true)] {
        let poa = make(parent, "lost", is_both);
        lost.push((parent, is_both, poa.create_reference_with_id::<dyn Listener>("one").unwrap()));
        poa.destroy(true, true).unwrap();
    }
    client.set_key_locator({
        let asked = asked.clone();
        move |key, reply| {
            asked.lock().unwrap().push(format!("{:?}", key.octets()));
            reply.unknown();
        }
    });
    client.perform_work().unwrap();
    server.remote(&client).ping().unwrap();
    let held = |me: &ListenerRef| travel(me, &server.orb);
    for (parent, is_both, me) in &lost {
        let (is_both, log) = (*is_both, asked.clone());
        parent.set_activator(move |parent: &Poa, name: &str| {
            log.lock().unwrap().push(name.to_owned());
            let poa = make(parent, name, is_both);
            poa.activate_with_id("one", Arc::new(Ear::default()) as Arc<dyn Listener>).is_ok()
        });
        let may_make = parent.name() == "both ways";
        let heard = held(me).hear("").map_err(|error| error.minor());
        let refused = Err(Minor::CONNECTION_NOT_BIDIRECTIONAL);
        assert_eq!(heard, if may_make && is_both { Ok(()) } else { refused });
        assert_eq!(held(me).object().locate(), Ok(may_make && is_both));
        // The activator of a POA that may be called that way is asked, whatever it makes.
        let found = parent.find_poa("lost", false);
        assert_eq!(found.is_ok(), may_make);
        found.into_iter().for_each(|poa| poa.destroy(true, true).unwrap());
        assert_eq!(std::mem::take(&mut *asked.lock().unwrap()).is_empty(), !may_make);
        parent.clear_activator();
    }
    let (host, port) = &client.published_addresses().unwrap()[0];
    let url = format!("corbaloc:iiop:1.2@{host}:{port}/elsewhere");
    let elsewhere = server.orb.string_to_object(&url).unwrap();
    assert_eq!(elsewhere.locate(), Ok(false));
    let error = elsewhere.assume::<dyn Listener>().hear("").unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::ObjectNotExist, "{error}");
    let named = held(&lost[3].2).hear("").unwrap_err();
    assert_eq!(named.minor(), Minor::OBJECT_NOT_EXIST_NO_ADAPTER, "{named}");
    assert!(asked.lock().unwrap().is_empty(), "the locator was asked");
}

#[test]
fn the_server_calls_whenever_it_likes_and_in_every_style() {
    let server = accepting(AcceptBidirectional::Checked);
    let client = unreachable();
    let (ear, me) = ear(&client);
    server.remote(&client).ping().unwrap();
    let held = travel(&me, &server.orb);
    assert_eq!(held.object().locate(), Ok(true));
    assert_eq!(held.object().non_existent(), Ok(false));
    held.hear("twoway").unwrap();
    held.with_connection_policy(ConnectionPolicy::Multiplexed).hear("shared").unwrap();
    hear(&held, "asynchronous").wait().unwrap();
    let replies: Vec<ReplyFuture<()>> =
        (0..100).map(|number| hear(&held, &number.to_string())).collect();
    replies.into_iter().for_each(|reply| reply.wait().unwrap());
    assert_eq!(ear.heard().len(), 103);
    assert_eq!(ear.heard()[..3], ["twoway", "shared", "asynchronous"]);
}

#[test]
fn calls_nest_in_both_directions_on_one_connection() {
    let server = accepting(AcceptBidirectional::Checked);
    let client = unreachable();
    let (_, me) = ear(&client);
    assert_eq!(server.remote(&client).descend(&me, 40), Ok(40));
}

#[test]
fn many_calls_nest_in_both_directions_at_once() {
    let server = accepting(AcceptBidirectional::Checked);
    let client = unreachable();
    let (_, me) = ear(&client);
    let remote = server.remote(&client);
    remote.ping().unwrap();
    let held = travel(&me, &server.orb);
    let together = Barrier::new(8);
    thread::scope(|scope| {
        for thread in 0..8 {
            let (remote, held, me, server) = (&remote, &held, &me, &server);
            let together = &together;
            scope.spawn(move || {
                together.wait();
                for depth in 0..8 {
                    let nested = match thread % 2 {
                        0 => remote.descend(me, depth),
                        _ => held.descend(&server.local, depth),
                    };
                    assert_eq!(nested, Ok(depth));
                }
            });
        }
    });
}

/// Neither end may wait for the other to read before it reads itself.
#[test]
fn both_ends_send_more_than_the_connection_holds_at_once() {
    const SIZE: usize = 3 << 20;
    let server = accepting(AcceptBidirectional::Checked);
    let client = unreachable_with(|settings| settings.fragment_size = Some(1 << 16));
    let poa = client.root_poa().create_poa("both ways").bidirectional().build().unwrap();
    let mine =
        poa.activate(Arc::new(armilla_tests::servant::Probe::default()) as Arc<dyn Everything>);
    let mine: EverythingRef = mine.unwrap();
    let remote = server.remote(&client);
    remote.ping().unwrap();
    let held = travel(&mine, &server.orb);
    thread::scope(|scope| {
        for number in 0..8 {
            let called = if number % 2 == 0 { &remote } else { &held };
            scope.spawn(move || {
                let given = vec![number; SIZE];
                for _ in 0..3 {
                    let mut kept = Vec::new();
                    let (was, copy) = called.echo_octets(&given, &mut kept).unwrap();
                    assert!(was.is_empty() && copy == given && kept == given);
                }
            });
        }
    });
}

/// Calls its partner back, in the style that it is told, and says what came of it.
struct Chatterer {
    partner: ListenerRef,
    outcomes: Mutex<mpsc::Sender<Result<(), SystemException>>>,
}

impl Listener for Chatterer {
    fn hear(&self, style: &str) -> Result<(), SystemException> {
        let outcome = match style {
            "waiting" => self.partner.hear(style),
            _ => hear(&self.partner, style).wait(),
        };
        self.outcomes.lock().unwrap().send(outcome).ok();
        Ok(())
    }

    fn descend(&self, _: &EverythingRef, _: i32) -> Result<i32, SystemException> {
        Ok(0)
    }
}

#[test]
fn a_oneway_call_may_call_back() {
    let server = accepting(AcceptBidirectional::Checked);
    let client = unreachable();
    let (_, me) = ear(&client);
    let (sender, receiver) = mpsc::channel();
    // A thread in a oneway call is given up after a second, and another reads then.
    let partner = travel(&me, &server.orb).with_timeout(Duration::from_millis(900));
    let chatterer = Arc::new(Chatterer { partner, outcomes: Mutex::new(sender) });
    let local: ListenerRef = server.root_poa().activate(chatterer as Arc<dyn Listener>).unwrap();
    let remote = travel(&local, &client);
    for style in ["waiting", "asynchronous"] {
        let mut request = remote.object().request("hear");
        request.add_in("text", Any::new(style).unwrap());
        let call = || {
            request.send_oneway().unwrap();
            receiver.recv_timeout(PATIENCE).unwrap()
        };
        // The machine may be so busy that it takes as long once.
        let outcomes: Vec<_> = (0..5).map(|_| call()).take_while(Result::is_err).collect();
        assert!(outcomes.len() < 5, "{style}: {outcomes:?}");
    }
}

#[test]
fn a_callback_that_takes_too_long_ends_in_time_and_the_connection_serves_on() {
    let server = accepting(AcceptBidirectional::Checked);
    let client = unreachable();
    let poa = client.root_poa().create_poa("both ways").bidirectional().build().unwrap();
    let probe = Arc::new(armilla_tests::servant::Probe::default());
    let mine: EverythingRef = poa.activate(probe.clone() as Arc<dyn Everything>).unwrap();
    let remote = server.remote(&client);
    remote.ping().unwrap();
    let held = travel(&mine, &server.orb);
    let error = held.with_timeout(Duration::from_millis(30)).block().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::Timeout, "{error}");
    held.ping().unwrap();
    remote.ping().unwrap();
    drop(block(&held));
    probe.gate.open();
    held.ping().unwrap();
}

#[test]
fn a_lost_connection_fails_calls_in_progress_and_a_new_one_is_made() {
    let server = accepting(AcceptBidirectional::Checked);
    let client = unreachable();
    let poa = client.root_poa().create_poa("both ways").bidirectional().build().unwrap();
    let probe = Arc::new(armilla_tests::servant::Probe::default());
    let mine: EverythingRef = poa.activate(probe.clone() as Arc<dyn Everything>).unwrap();
    let dead = client.published_addresses().unwrap()[0].clone();
    server.remote(&client).ping().unwrap();
    let held = travel(&mine, &server.orb);
    let waiting = block(&held);
    probe.gate.await_waiting(1);
    probe.gate.open();
    waiting.wait().unwrap();
    client.shutdown();
    let error = held.ping().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::Transient, "{error}");
    // The same address, as when the client is started again.
    let again = orbs::builder()
        .publish_address(&format!("{}:{}", dead.0, dead.1))
        .unwrap()
        .settings(|settings| settings.offer_bidirectional = true)
        .build()
        .unwrap();
    let (ear, me) = ear(&again);
    server.remote(&again).call_back(&me, "back").unwrap();
    assert_eq!(ear.heard(), ["back"]);
    let error = held.ping().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::ObjectNotExist, "the object is gone: {error}");
}

#[test]
fn a_server_that_shuts_down_lets_calls_end_that_call_back() {
    let server = accepting(AcceptBidirectional::Checked);
    let client = unreachable();
    let (ear, me) = ear(&client);
    let remote = server.remote(&client);
    thread::scope(|scope| {
        let call = scope.spawn(|| remote.block_and_call_back(&me, "late"));
        server.probe.gate.await_waiting(1);
        let shutdown = scope.spawn(|| server.orb.shutdown());
        server.probe.gate.open();
        call.join().unwrap().unwrap();
        shutdown.join().unwrap();
    });
    assert_eq!(ear.heard(), ["late"]);
    let error = remote.ping().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::Transient, "{error}");
}

#[test]
fn a_connection_that_is_offered_is_not_closed_for_being_idle() {
    let brief = |settings: &mut Settings| {
        settings.accept_bidirectional = AcceptBidirectional::Checked;
        settings.server_idle = Duration::from_millis(40);
        settings.client_idle = Duration::from_millis(40);
    };
    let server = Server::of(orbs::listening_with(brief));
    let client = unreachable_with(brief);
    let (ear, me) = ear(&client);
    server.remote(&client).ping().unwrap();
    // Another connection is; when it has gone so would have this one.
    let other = orbs::client();
    let witness = Wire::connect(server.address());
    drop(other);
    assert_eq!(
        {
            let mut witness = witness;
            witness.until_end()
        },
        [MessageKind::CloseConnection]
    );
    travel(&me, &server.orb).hear("still there").unwrap();
    assert_eq!(ear.heard(), ["still there"]);
}
