//! Object groups: a call goes to the primary, and after a failure to the next member, under the
//! same identity.

use armilla::{Completion, ExceptionKind, Heartbeat, Ior, Orb, Policies, SystemException, Version};
use armilla_giop::ior::{Component, FtGroup, FtPrimary, IiopProfile};
use armilla_giop::{FtGroupVersion, FtRequest, Message, ReplyStatus, decode_request};
use armilla_tests::orbs;
use armilla_tests::peer::{self, Peer, Request, Wire, done, put_ior, reply};
use armilla_tests::probe::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

/// The version of the group that references of these tests have.
const VERSION: u32 = 3;

/// A group of the members at these ports.
fn group(ports: &[u16], primary: usize, version: u32) -> Ior {
    let mut ior = peer::ior(ports, Version::V1_2);
    for (index, tagged) in ior.profiles.iter_mut().enumerate() {
        let mut profile = IiopProfile::decode_data(&tagged.data).unwrap();
        let group = FtGroup { domain: "bank".into(), group: 9, version };
        profile.components.push(group.to_tagged().unwrap());
        if index == primary {
            profile.components.push(FtPrimary(true).to_tagged().unwrap());
        }
        *tagged = profile.to_tagged().unwrap();
    }
    ior
}

/// What a request says of the group and of itself.
type Identity = (Option<FtGroupVersion>, Option<FtRequest>);

fn identity(request: &Request) -> Identity {
    let message = Message::parse(&request.octets).unwrap().unwrap();
    let contexts = decode_request(&message).unwrap().0.contexts;
    let version = contexts.find(FtGroupVersion::ID);
    let request = contexts.find(FtRequest::ID);
    (
        version.map(|data| FtGroupVersion::decode_data(data).unwrap()),
        request.map(|data| FtRequest::decode_data(data).unwrap()),
    )
}

/// A member that tells of each request, and then does as `act` says.
fn member(
    seen: &Sender<Identity>,
    act: impl Fn(&mut Wire, &Request) -> bool + Send + Sync + 'static,
) -> Peer {
    let seen = seen.clone();
    Peer::start(move |_, mut wire| {
        while let Some(request) = wire.request() {
            seen.send(identity(&request)).ok();
            if !act(&mut wire, &request) {
                return;
            }
        }
    })
}

fn answers(wire: &mut Wire, request: &Request) -> bool {
    wire.send(&done(request))
}

/// Takes the request and loses the connection: nobody knows whether it was executed.
fn dies(_: &mut Wire, _: &Request) -> bool {
    false
}

fn call(remote: &EverythingRef, asynchronous: bool) -> Result<(), SystemException> {
    match asynchronous {
        false => remote.ping(),
        true => remote.ping_async().wait(),
    }
}

fn channel() -> (Sender<Identity>, Receiver<Identity>, Orb) {
    let (seen, all) = mpsc::channel();
    (seen, all, orbs::client())
}

#[test]
fn the_primary_is_called_first_with_the_version_and_an_identity_for_each_call() {
    let (seen, all, client) = channel();
    let [backup, primary] = [0, 1].map(|_| member(&seen, answers));
    let remote = peer::resolve(&client, &group(&[backup.port(), primary.port()], 1, VERSION));
    for asynchronous in [false, true] {
        call(&remote, asynchronous).unwrap();
    }
    let calls: Vec<_> = all.try_iter().collect();
    assert!(calls.iter().all(|(version, _)| *version == Some(FtGroupVersion(VERSION))));
    let [one, other] = [0, 1].map(|index| calls[index].1.clone().unwrap());
    assert_eq!(one.client_id, other.client_id);
    assert_ne!(one.retention_id, other.retention_id);
    assert_eq!((primary.connections() > 0, backup.connections()), (true, 0));
}

#[test]
fn a_call_that_may_last_for_ever_has_no_limit() {
    let (seen, _all, client) = channel();
    let member = member(&seen, answers);
    let remote = peer::resolve(&client, &group(&[member.port()], 0, VERSION));
    for asynchronous in [false, true] {
        call(&remote.with_timeout(Duration::MAX), asynchronous).unwrap();
    }
}

#[test]
fn a_call_that_may_have_been_executed_goes_on_as_the_same_request() {
    for asynchronous in [false, true] {
        let (seen, all, client) = channel();
        let (primary, backup) = (member(&seen, dies), member(&seen, answers));
        let gone = peer::dead_port();
        let ports = [gone, primary.port(), backup.port()];
        call(&peer::resolve(&client, &group(&ports, 1, VERSION)), asynchronous).unwrap();
        let calls: Vec<_> = all.try_iter().collect();
        assert_eq!((calls.len(), &calls[0]), (2, &calls[1]));
    }
}

#[test]
fn a_reference_of_no_group_is_not_called_again_and_says_nothing_of_groups() {
    let (seen, all, client) = channel();
    let (first, second) = (member(&seen, dies), member(&seen, answers));
    let ports = [first.port(), second.port()];
    let error = peer::resolve(&client, &peer::ior(&ports, Version::V1_2)).ping().unwrap_err();
    assert_eq!(error.completed(), Completion::Maybe, "{error}");
    assert_eq!(all.try_iter().collect::<Vec<_>>(), [(None, None)]);
}

#[test]
fn a_member_that_is_not_the_primary_sends_the_call_on() {
    let (seen, all, client) = channel();
    let transient = member(&seen, |wire, request| {
        wire.send(&reply(
            request.version,
            request.order,
            request.id,
            ReplyStatus::SystemException,
            |out| {
                out.put_string("IDL:omg.org/CORBA/TRANSIENT:1.0")?;
                out.put_u32(1);
                out.put_u32(1);
                Ok(())
            },
        ))
    });
    let primary = member(&seen, answers);
    let ports = [transient.port(), primary.port()];
    peer::resolve(&client, &group(&ports, 0, VERSION)).ping().unwrap();
    assert_eq!(all.try_iter().count(), 2);
}

#[test]
fn a_newer_group_takes_the_place_of_the_reference_for_good() {
    for asynchronous in [false, true] {
        let (seen, all, client) = channel();
        let primary = member(&seen, answers);
        let newer = group(&[primary.port()], 0, VERSION + 1);
        let old = refers_to(&seen, newer);
        let remote = peer::resolve(&client, &group(&[old.port()], 0, VERSION));
        call(&remote, asynchronous).unwrap();
        call(&remote, asynchronous).unwrap();
        let calls: Vec<_> = all.try_iter().collect();
        let versions: Vec<_> = calls.iter().map(|(version, _)| version.unwrap().0).collect();
        assert_eq!(versions, [VERSION, VERSION + 1, VERSION + 1]);
        assert_eq!(calls[0].1, calls[1].1, "the forwarded request is the same");
    }
}

/// A member that sends calls on to the members of a newer group.
fn refers_to(seen: &Sender<Identity>, newer: Ior) -> Peer {
    member(seen, move |wire, request| {
        let status = ReplyStatus::LocationForwardPerm;
        let (version, order) = (request.version, request.order);
        wire.send(&reply(version, order, request.id, status, |out| put_ior(&newer, out)))
    })
}

#[test]
fn when_no_member_of_the_latest_view_can_be_reached_those_of_earlier_views_are_asked() {
    for asynchronous in [false, true] {
        let (seen, all, client) = channel();
        let stays = member(&seen, answers);
        let (others, _others) = mpsc::channel();
        let gone = peer::dead_port();
        let newest = group(&[gone], 0, VERSION + 2);
        // It knows the newest view once, and then is gone too.
        let is_first = AtomicBool::new(true);
        let left = member(&others, move |wire, request| {
            let (version, order) = (request.version, request.order);
            let status = ReplyStatus::LocationForwardPerm;
            is_first.swap(false, Ordering::SeqCst)
                && wire
                    .send(&reply(version, order, request.id, status, |out| put_ior(&newest, out)))
        });
        let first = refers_to(&others, group(&[left.port(), stays.port()], 0, VERSION + 1));
        let remote = peer::resolve(&client, &group(&[first.port()], 0, VERSION));
        call(&remote, asynchronous).unwrap();
        let versions: Vec<_> = all.try_iter().map(|(version, _)| version.unwrap().0).collect();
        assert_eq!(versions, [VERSION + 2]);
    }
}

#[test]
fn a_silent_member_is_left_after_its_heartbeats() {
    let (seen, all, client) = channel();
    let (silent, alive) = (member(&seen, |_, _| true), member(&seen, answers));
    let half = Duration::from_millis(100);
    let heartbeat = Some(Heartbeat { interval: half, timeout: half });
    let remote = peer::resolve(&client, &group(&[silent.port(), alive.port()], 0, VERSION))
        .with_policies(Policies { heartbeat, ..Policies::default() });
    let begun = Instant::now();
    remote.ping().unwrap();
    assert!(begun.elapsed() >= 2 * half);
    let calls: Vec<_> = all.try_iter().collect();
    assert_eq!((calls.len(), &calls[0]), (2, &calls[1]));
}

#[test]
fn when_all_members_are_gone_the_call_ends_with_its_request_and_says_what_is_known() {
    let (seen, all, client) = channel();
    let policies =
        Policies { request_duration: Some(Duration::from_millis(200)), ..Policies::default() };
    let gone = [peer::dead_port(), peer::dead_port()];
    let error = peer::resolve(&client, &group(&gone, 0, VERSION))
        .with_policies(policies.clone())
        .ping()
        .unwrap_err();
    assert_eq!((error.kind(), error.completed()), (ExceptionKind::Transient, Completion::No));
    let dying = member(&seen, dies);
    let begun = Instant::now();
    let error = peer::resolve(&client, &group(&[dying.port(), gone[0]], 0, VERSION))
        .with_policies(policies)
        .ping()
        .unwrap_err();
    assert_eq!(error.completed(), Completion::Maybe, "{error}");
    assert!(begun.elapsed() >= Duration::from_millis(200));
    assert!(all.try_iter().count() > 1, "members are tried again and again");
}

#[test]
fn groups_are_the_same_whatever_the_version_of_their_membership() {
    let client = orbs::client();
    let of = |ports: &[u16], version| peer::resolve(&client, &group(ports, 0, version));
    let (old, new) = (of(&[1, 2], 1), of(&[3], 2));
    assert!(old.object().is_equivalent(new.object()));
    assert_eq!(old.object().hash_up_to(1000), new.object().hash_up_to(1000));
    let member = peer::resolve(&client, &peer::ior(&[1, 2], Version::V1_2));
    assert!(!old.object().is_equivalent(member.object()));
}
