//! References as text and in files, and their comparison.

use armilla::{ExceptionKind, Ior, Minor, Object};
use armilla_giop::ior::{IiopProfile, TaggedComponent};
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::fs;
use std::time::SystemTime;

#[test]
fn a_reference_survives_as_text() {
    let server = Server::start();
    let client = orbs::client();
    let text = server.object_to_string(&server.local).unwrap();
    assert!(text.starts_with("IOR:"), "{text}");
    let remote: EverythingRef = client.resolve(&text).unwrap();
    assert_eq!(client.object_to_string(&remote).unwrap(), text);
    remote.ping().unwrap();
    let upper = text.to_uppercase();
    client.resolve::<dyn Everything>(&upper).unwrap().ping().unwrap();
}

#[test]
fn a_reference_that_comes_home_is_collocated() {
    let server = Server::start();
    let home = travel(&travel(&server.local, &orbs::client()), &server);
    assert!(home.local().is_some());
    assert_eq!(home, server.local);
}

/// Where a transient object key has the number of its ORB, after the four octets of its format.
fn incarnation(server: &Server) -> u64 {
    let profile = server.local.object().ior().iiop_profiles().next().unwrap().unwrap();
    u64::from_be_bytes(*profile.object_key[4..].first_chunk().unwrap())
}

/// Who knows when a server started, and its process id, cannot make up keys of its objects.
#[test]
fn keys_of_transient_objects_cannot_be_guessed() {
    let [one, two] = [(); 2].map(|()| incarnation(&Server::start()));
    let same_bits = (!(one ^ two)).count_ones();
    assert!((8..=56).contains(&same_bits), "{one:#x} and {two:#x} are alike");
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let guess = u64::try_from(now.as_nanos()).unwrap() ^ u64::from(std::process::id()) << 40;
    let hour = 3_600_000_000_000;
    for guess in [guess, u64::try_from(now.as_nanos()).unwrap()] {
        assert!(one.abs_diff(guess) > hour && two.abs_diff(guess) > hour, "{one:#x}, {two:#x}");
    }
}

#[test]
fn the_nil_reference_survives_as_text() {
    let orb = orbs::client();
    let text = orb.object_to_string(Object::nil()).unwrap();
    assert!(orb.string_to_object(&text).unwrap().is_nil());
    let error = orb.resolve::<dyn Everything>(&text).unwrap_err();
    assert_eq!((error.kind(), error.minor()), (ExceptionKind::InvObjref, Minor::NIL_REFERENCE));
}

#[test]
fn references_are_equal_when_they_lead_to_the_same_object() {
    let server = Server::start();
    let client = orbs::client();
    let (one, same) = (server.remote(&client), server.remote(&client));
    let (_, other) = orbs::activate(&server);
    assert_eq!(one, same);
    assert_eq!(one, server.local);
    assert_ne!(server.local, other);
    assert_ne!(one.object(), &Object::nil());
    assert_eq!(Object::nil(), Object::default());
    assert_eq!(one.upcast::<dyn Counted>().object(), one.object());
}

#[test]
#[allow(clippy::mutable_key_type)] // Calls do not change what references are compared by.
fn chance_octets_in_components_make_no_other_object() {
    let server = Server::start();
    let client = orbs::client();
    let ior = server.local.object().ior();
    let with = |change: &dyn Fn(&mut IiopProfile)| {
        let mut profile = ior.iiop_profiles().next().unwrap().unwrap();
        change(&mut profile);
        let profiles = vec![profile.to_tagged().unwrap()];
        let changed = Ior { profiles, ..ior.clone() };
        client.string_to_object(&changed.to_text().unwrap()).unwrap()
    };
    let plain = with(&|_| ());
    // TAO leaves whatever was in memory in the octets that align the second one.
    let chance = with(&|profile| {
        profile.components.push(TaggedComponent { id: 1, data: vec![1, 0x48, 0x9c, 0x9c] });
    });
    assert!(plain.is_equivalent(&chance));
    assert_eq!(plain.hash_up_to(u32::MAX), chance.hash_up_to(u32::MAX));
    assert!(
        [plain.clone()].into_iter().collect::<std::collections::HashSet<_>>().contains(&chance)
    );
    assert_ne!(plain, with(&|profile| profile.port += 1));
    assert_ne!(plain, with(&|profile| profile.host.push('x')));
    assert_ne!(plain, with(&|profile| profile.object_key.push(0)));
    // With port 0 the address is in a component.
    let secure = |data: u8| {
        with(&move |profile| {
            profile.port = 0;
            profile.components.push(TaggedComponent { id: 20, data: vec![data; 8] });
        })
    };
    assert_eq!(secure(1), secure(1));
    assert_ne!(secure(1), secure(2));
    // There, too, what aligns numbers is chance: in the component and in others.
    let ssl = |chance: u8, port: u8| {
        with(&move |profile| {
            profile.port = 0;
            let address = vec![1, chance, 0x20, 0, 0x20, 0, port, 0x12];
            let orb_type = vec![1, chance, chance, chance, 0, 0x4f, 0x41, 0x54];
            profile.components = [(20, address), (0, orb_type)]
                .map(|(id, data)| TaggedComponent { id, data })
                .to_vec();
        })
    };
    assert_eq!(ssl(0x48, 1), ssl(0x9c, 1));
    assert_eq!(ssl(0x48, 1).hash_up_to(u32::MAX), ssl(0x9c, 1).hash_up_to(u32::MAX));
    assert_ne!(ssl(0, 1), ssl(0, 2));
}

#[test]
fn a_file_holds_a_reference() {
    let server = Server::start();
    let client = orbs::client();
    let directory = std::env::temp_dir().join(format!("armilla-tests-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let file = |name: &str, content: &str| {
        let path = directory.join(name);
        fs::write(&path, content).unwrap();
        format!("file://{}", path.display())
    };
    let text = server.object_to_string(&server.local).unwrap();
    let url = file("probe with space.ior", &format!("\n {text}\n\n")).replace(' ', "%20");
    client.resolve::<dyn Everything>(&url).unwrap().ping().unwrap();

    // Nobody will ever write into it.
    let pipe = directory.join("pipe");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let large = "x".repeat((1 << 20) + 1);
    let wrong = [
        (file("loop", "file:///anything"), "refers to another file"),
        (file("empty", ""), "begins no object reference"),
        (file("large", &large), "too many for a reference"),
        (format!("file://{}/missing", directory.display()), "No such file"),
        (format!("file://{}", directory.display()), "directory"),
        (format!("file://{}", pipe.display()), "a pipe or a device"),
        ("file:///dev/zero".to_owned(), "a pipe or a device"),
    ];
    for (url, expected) in wrong {
        let error = client.string_to_object(&url).unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::BadParam);
        assert!(error.to_string().contains(expected), "{url}: {error}");
    }
    fs::remove_dir_all(&directory).unwrap();
}

#[test]
#[allow(clippy::mutable_key_type)] // What changes in a reference is not what it is compared by.
fn equivalent_references_have_the_same_hash() {
    use std::collections::HashSet;
    let (server, client) = (Server::start(), orbs::client());
    let poa = server.root_poa().create_poa("hashed").user_ids().build().unwrap();
    let without_hint = poa.create_reference_with_id::<dyn Everything>("one").unwrap();
    let one: EverythingRef =
        poa.activate_with_id("one", everything::tie(Probe::default())).unwrap();
    let far = orbs::travel(&one, &client);
    assert!(one.object().is_equivalent(far.object()) && one == without_hint);
    let objects: HashSet<_> = [&one, &far, &without_hint, &server.local].into_iter().collect();
    assert_eq!(objects.len(), 2);
    for maximum in [0, 1, 1000, u32::MAX] {
        let hash = one.object().hash_up_to(maximum);
        assert!(hash <= maximum);
        assert_eq!(hash, far.object().hash_up_to(maximum));
        assert_eq!(hash, without_hint.object().hash_up_to(maximum));
    }
    let nil = EverythingRef::nil();
    assert!(nil == EverythingRef::default() && !objects.contains(&nil));
}
