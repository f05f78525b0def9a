//! References, ids and servants that are unknown to a POA or belong to another one (CORBA 3.4 Part
//! 1, 15.3.9).

use armilla::{
    ExceptionKind, IdUniqueness, ImplicitActivation, Minor, Object, ObjectId, ObjectLookup, Orb,
    Poa, PoaError, RequestProcessing, SystemException,
};
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::{Arc, OnceLock};

fn probe() -> Arc<dyn Everything> {
    Arc::new(Probe::default())
}

fn refused<T: std::fmt::Debug>(result: Result<T, PoaError>, kind: ExceptionKind, minor: Minor) {
    let error = SystemException::from(result.unwrap_err());
    assert_eq!((error.kind(), error.minor()), (kind, minor), "{error}");
}

#[test]
fn ids_may_be_of_any_length_and_hold_any_octets() {
    let server = Server::start();
    let client = orbs::client();
    let long = |last: u8| [vec![b'x'; 65_535], vec![last]].concat();
    let ids = [
        vec![],
        vec![0],
        vec![0, 0],
        b"a\0b".to_vec(),
        b"a\0".to_vec(),
        b"\0child\0".to_vec(),
        vec![0xff; 16],
        vec![0; 16],
        b"\xa5AR\x01".to_vec(),
        long(0),
        long(1),
    ];
    let ids = ids.map(ObjectId::new);
    let lookups = [
        ObjectLookup::Active,
        ObjectLookup::Hashing,
        ObjectLookup::Perfect(ids.to_vec()),
        ObjectLookup::Linear,
    ];
    for (persistent, lookup) in lookups.iter().flat_map(|lookup| [(true, lookup), (false, lookup)])
    {
        let poa = server.root_poa().create_poa(format!("{persistent}\u{1}{}", lookups.len()));
        let poa = if persistent { poa.persistent() } else { poa };
        let poa = poa.user_ids().lookup(lookup.clone()).build().unwrap();
        let objects = ids.each_ref().map(|id| poa.activate_with_id(id.clone(), probe()).unwrap());
        for (number, (id, near)) in ids.iter().zip(&objects).enumerate() {
            let text = server.object_to_string(near).unwrap();
            let back = server.string_to_object(&text).unwrap();
            for reference in [near.object(), &back] {
                assert_eq!(poa.reference_to_id(reference), Ok(id.clone()));
            }
            let far = travel(near, &client);
            (0..=number).for_each(|_| assert!(far.increment().is_ok()));
            assert_eq!(near.count(), Ok(number as i32 + 1), "its own servant and no other");
        }
        poa.destroy(true, true).unwrap();
    }
}

#[test]
fn references_that_others_made_are_of_another_adapter() {
    let (one, two) = (Server::start(), Server::start());
    let persistent = |orb: &Orb| {
        let poa = orb.root_poa().create_poa("same").persistent().user_ids().build().unwrap();
        let reference = poa.activate_with_id("a", probe()).unwrap();
        (poa, reference)
    };
    let (poa, own) = persistent(&one);
    let (_, elsewhere) = persistent(&two);
    let child = poa.create_poa("same").persistent().user_ids().build().unwrap();
    let below = child.activate_with_id("a", probe()).unwrap();
    let lost = one.root_poa().create_poa("lost").user_ids().build().unwrap();
    let earlier: EverythingRef = lost.create_reference_with_id("a").unwrap();
    lost.destroy(true, true).unwrap();
    let lost = one.root_poa().create_poa("lost").user_ids().build().unwrap();
    lost.activate_with_id("a", probe()).unwrap();
    let url = one.string_to_object("corbaloc::127.0.0.1:1/a").unwrap();
    let strange: [Object; 6] = [
        Object::nil(),
        url,
        elsewhere.object().clone(),
        travel(&elsewhere, &one).object().clone(),
        one.local.object().clone(),
        below.object().clone(),
    ];
    for object in &strange {
        assert_eq!(poa.reference_to_id(object), Err(PoaError::WrongAdapter), "{object:?}");
        let servant = poa.reference_to_servant(object);
        assert_eq!(servant, Err(PoaError::WrongAdapter), "{object:?}");
    }
    assert_eq!(lost.reference_to_id(&earlier), Err(PoaError::WrongAdapter), "that was another");
    assert_eq!(poa.reference_to_id(&own), Ok("a".into()));
    let with_more = own.with_component(0x4558_0000, *b"\0more").unwrap();
    assert_eq!(poa.reference_to_id(&with_more), Ok("a".into()), "whatever it carries");
}

#[test]
fn a_reference_to_what_is_not_active_may_be_of_an_interface_that_is_known_by_name_only() {
    let server = Server::start();
    let root = server.root_poa();
    let object = root.create_object("IDL:armilla.org/Probe/Everything:1.0").unwrap();
    assert_eq!(object.is_a("IDL:armilla.org/Probe/Everything:1.0"), Ok(true), "it says so itself");
    let id = root.reference_to_id(&object).unwrap();
    assert_eq!(object.non_existent(), Ok(true));
    root.activate_with_id(id, probe()).unwrap();
    object.assume::<dyn Everything>().ping().unwrap();
    let users = root.create_poa("users").user_ids().build().unwrap();
    assert_eq!(users.create_object("IDL:a:1.0").unwrap_err(), PoaError::WrongPolicy);
}

#[test]
fn ids_for_objects_without_a_place_belong_to_one_poa() {
    let server = Server::start();
    let root = server.root_poa();
    let other = root.create_poa("other").build().unwrap();
    let [own, foreign] = [&root, &other].map(|poa| {
        let reference = poa.create_reference::<dyn Everything>().unwrap();
        poa.reference_to_id(&reference).unwrap()
    });
    // Of the last octets the first half counts.
    let mut next = own.as_bytes().to_vec();
    *next.last_mut().unwrap() += 1;
    for id in [foreign, ObjectId::new(next)] {
        refused(
            root.activate_with_id(id, probe()),
            ExceptionKind::BadParam,
            Minor::BAD_PARAM_INVALID_OBJECT_ID,
        );
    }
    root.activate_with_id(own, probe()).unwrap();
}

#[test]
fn ids_that_a_poa_will_make_one_day_are_not_its_own_yet() {
    let server = Server::start();
    let root = server.root_poa();
    let id = root.reference_to_id(&server.local).unwrap();
    // The generation of its place, and the place.
    for at in [15, 11] {
        let mut next = id.as_bytes().to_vec();
        next[at] += 1;
        let made = root.activate_with_id(ObjectId::new(next), probe());
        refused(made, ExceptionKind::BadParam, Minor::BAD_PARAM_INVALID_OBJECT_ID);
    }
}

/// Asks the POA for the id of the servant that it is.
struct Curious {
    orb: Orb,
    own: OnceLock<std::sync::Weak<Self>>,
}

impl Listener for Curious {
    fn hear(&self, expected: &str) -> Result<(), SystemException> {
        let poa = self.orb.poa_current()?.poa().clone();
        let this: Arc<dyn Listener> = self.own.get().unwrap().upgrade().unwrap();
        let id = poa.servant_to_id(&this);
        match expected {
            "" => assert_eq!(id, Err(PoaError::ServantNotActive)),
            "wrong" => assert_eq!(id, Err(PoaError::WrongPolicy)),
            _ => assert_eq!(id, Ok(expected.into())),
        }
        Ok(())
    }

    fn descend(&self, _: &EverythingRef, _: i32) -> Result<i32, SystemException> {
        Ok(0)
    }
}

#[test]
fn the_default_servant_and_no_other_learns_the_id_that_it_is_called_by() {
    let server = Server::start();
    let curious = || {
        let servant = Arc::new(Curious { orb: server.orb.clone(), own: OnceLock::new() });
        servant.own.set(Arc::downgrade(&servant)).unwrap();
        servant as Arc<dyn Listener>
    };
    let (default, own) = (curious(), curious());
    let poa = server.root_poa().create_poa("both").user_ids();
    let poa = poa.default_servant(default).build().unwrap();
    let active = poa.activate_with_id("active", own.clone()).unwrap();
    let passing: ListenerRef = poa.create_reference_with_id("passing").unwrap();
    let plain = server.root_poa().create_poa("plain").user_ids().multiple_ids().build().unwrap();
    let plain = plain.activate_with_id("plain", own.clone()).unwrap();
    for client in [server.orb.clone(), orbs::client()] {
        travel(&passing, &client).hear("passing").unwrap();
        travel(&active, &client).hear("").unwrap();
        travel(&plain, &client).hear("wrong").unwrap();
    }
    assert_eq!(poa.servant_to_id(&own), Err(PoaError::ServantNotActive), "outside of requests");
}

#[test]
fn each_question_is_refused_where_the_policies_do_not_answer_it() {
    let server = Server::start();
    let none = |poa: &Poa| {
        let id = ObjectId::from("a");
        let made = poa.create_object_with_id("IDL:a:1.0", "a").unwrap();
        [
            poa.id_to_reference(&id).map(drop),
            poa.id_to_servant(&id).map(drop),
            poa.reference_to_servant(&made).map(drop),
            poa.servant_to_id(&probe()).map(drop),
            poa.servant_to_reference(&probe()).map(drop),
            poa.deactivate(&id),
            poa.default_servant().map(drop),
            poa.servant_manager().map(drop),
        ]
    };
    use PoaError::{NoServant, ObjectNotActive, ServantNotActive, WrongPolicy};
    let built = |name: &str| server.root_poa().create_poa(name).user_ids();
    let lost = Err(WrongPolicy);
    let unknown = Err(ObjectNotActive);
    let plain = built("plain").build().unwrap();
    let idle = Err(ServantNotActive);
    let expected = [&unknown, &unknown, &unknown, &idle, &idle, &unknown, &lost, &lost];
    assert_eq!(none(&plain).each_ref(), expected);
    let many = built("many").policy(IdUniqueness::Multiple).build().unwrap();
    let expected = [&unknown, &unknown, &unknown, &lost, &lost, &unknown, &lost, &lost];
    assert_eq!(none(&many).each_ref(), expected);
    let default = built("default").multiple_ids().policy(RequestProcessing::DefaultServant);
    let default = default.policy(armilla::ServantRetention::NonRetain).build().unwrap();
    let (empty, no_default) = (Err(NoServant), unknown.clone());
    let expected = [&lost, &no_default, &no_default, &idle, &lost, &lost, &empty, &lost];
    assert_eq!(none(&default).each_ref(), expected);
    let located = built("located").policy(RequestProcessing::ServantManager);
    let located = located.policy(armilla::ServantRetention::NonRetain).build().unwrap();
    let expected = [&lost, &lost, &lost, &lost, &lost, &lost, &lost, &Ok(())];
    assert_eq!(none(&located).each_ref(), expected);
    let foreign = located.reference_to_servant(&server.local);
    assert_eq!(foreign, Err(WrongPolicy), "whosever the reference is");
    let implicit = server.root_poa().create_poa("implicit").policy(ImplicitActivation::On);
    let implicit = implicit.multiple_ids().build().unwrap();
    let ids = [(); 2].map(|()| implicit.servant_to_id(&probe()).unwrap());
    assert_ne!(ids[0], ids[1]);
}
