//! Storing, finding and fetching, from one server and from several.

use crate::common::{Scratch, serve, serve_to, write_image};
use armilla::Orb;
use armilla_imaging::audit::Guard;
use armilla_imaging::fetch::{fetch, send};
use armilla_imaging::idl::{
    Group, Level, Query, Refusal, Server, ServerRef, Source, SourceRef, View,
};
use armilla_imaging::locator::Locator;
use armilla_imaging::query::everything;
use armilla_imaging::store::{Store, StoreError};
use std::cell::Cell;
use std::fs;
use std::io::Write as _;

/// The server as another process knows it: through its reference.
fn reached(client: &Orb, server: (&Orb, &ServerRef)) -> (ServerRef, SourceRef, String) {
    let url = server.0.object_to_string(server.1.object()).unwrap();
    (client.resolve(&url).unwrap(), client.resolve(&url).unwrap(), url)
}

#[test]
fn what_is_sent_is_found_and_fetched_as_it_was() {
    let scratch = Scratch::new();
    let (orb, server, _) = serve(&scratch.file("store"), 0);
    let client = Orb::new().unwrap();
    let (server, source, _) = reached(&client, (&orb, &server));
    let path = scratch.file("sent.dcm");
    let uid = write_image(&path, "1.2.3", 4, 256, 0);
    let kept = send(&server, &path).unwrap();
    assert_eq!((kept.uid.as_str(), kept.rows, kept.number), (uid.as_str(), 256, 4));

    let query = Query { patient: "p?".into(), modality: "MR".into(), ..everything() };
    let (found, missing) = source.find(&query).unwrap();
    assert_eq!((found.len(), missing.len()), (1, 0));
    assert!(source.find(&Query { study: "9".into(), ..everything() }).unwrap().0.is_empty());

    let flows = Cell::new(0);
    let begin = |_, there| {
        assert_eq!(there, 0);
        flows.set(flows.get() + 1);
    };
    let fetched = fetch(&source, &found[0], &scratch.0, &begin).unwrap();
    assert!(fs::read(&fetched).unwrap() == fs::read(&path).unwrap());
    // What is there is not fetched again.
    fetch(&source, &found[0], &scratch.0, &begin).unwrap();
    assert_eq!(flows.get(), 1);
    // The same octets through the ORB.
    let octets = server.read(&uid, 100, 1000).unwrap();
    assert!(octets[..] == fs::read(&path).unwrap()[100..1100]);
    orb.shutdown();
}

#[test]
fn a_part_is_completed_and_a_damaged_one_brought_anew() {
    let scratch = Scratch::new();
    let (orb, server, store) = serve(&scratch.file("store"), 0);
    let client = Orb::new().unwrap();
    let (_, source, _) = reached(&client, (&orb, &server));
    let path = scratch.file("sent.dcm");
    let uid = write_image(&path, "1.2.3", 1, 128, 0);
    let image = store.import(&path).unwrap();
    let part = scratch.file(&format!("{uid}.part"));
    let octets = fs::read(&path).unwrap();
    for cut in [1, 1000, octets.len() - 1] {
        fs::write(&part, &octets[..cut]).unwrap();
        let begin = |_, there| assert_eq!(there, cut as u64);
        let fetched = fetch(&source, &image, &scratch.0, &begin).unwrap();
        assert!(fs::read(&fetched).unwrap() == octets);
        fs::remove_file(fetched).unwrap();
    }
    fs::write(&part, vec![7; 1000]).unwrap();
    let error = fetch(&source, &image, &scratch.0, &|_, _| {}).unwrap_err();
    assert!(error.to_string().contains("checksum"), "{error}");
    // Nothing of it is left to go on from.
    let fetched = fetch(&source, &image, &scratch.0, &|_, there| assert_eq!(there, 0)).unwrap();
    assert!(fs::read(fetched).unwrap() == octets);
    orb.shutdown();
}

#[test]
fn a_locator_answers_when_a_server_is_down_and_replicas_take_over() {
    let scratch = Scratch::new();
    let (one, first, near) = serve(&scratch.file("one"), 0);
    let (two, second, far) = serve(&scratch.file("two"), 0);
    let path = scratch.file("both.dcm");
    let both = write_image(&path, "1.2.3", 1, 64, 0);
    near.import(&path).unwrap();
    far.import(&path).unwrap();
    let alone = write_image(&path, "1.2.3", 2, 64, 0);
    near.import(&path).unwrap();

    let urls = vec![
        one.object_to_string(first.object()).unwrap(),
        two.object_to_string(second.object()).unwrap(),
    ];
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let locator = Locator::activate(&orb, urls, Guard::default()).unwrap();
    let (found, missing) = locator.find(&everything()).unwrap();
    assert_eq!(found.iter().map(|image| &image.uid).collect::<Vec<_>>(), [&both, &alone]);
    assert!(missing.is_empty());
    assert_eq!(locator.holders(&both).unwrap().len(), 2);
    assert_eq!(locator.holders(&alone).unwrap().len(), 1);
    assert!(locator.holders("9.9").is_err());

    one.shutdown();
    let (found, missing) = locator.find(&everything()).unwrap();
    assert_eq!((found.len(), missing.len()), (1, 1));
    let fetched = fetch(&locator, &found[0], &scratch.0, &|_, _| {}).unwrap();
    assert_eq!(fs::read(fetched).unwrap(), fs::read(far.path(&both)).unwrap());
    two.shutdown();
    orb.shutdown();
}

#[test]
fn a_study_of_which_two_servers_have_images_is_one() {
    let scratch = Scratch::new();
    let (one, first, near) = serve(&scratch.file("one"), 0);
    let (two, second, far) = serve(&scratch.file("two"), 0);
    let path = scratch.file("file");
    for number in 1..4 {
        write_image(&path, "1.2.3", number, 16, 0);
        near.import(&path).unwrap();
    }
    for (study, number) in [("1.2.3", 3), ("1.2.3", 4), ("1.2.4", 1)] {
        write_image(&path, study, number, 16, 0);
        far.import(&path).unwrap();
    }
    let urls = [(&one, &first), (&two, &second)]
        .map(|(orb, server)| orb.object_to_string(server.object()).unwrap());
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let locator = Locator::activate(&orb, urls.to_vec(), Guard::default()).unwrap();
    let shown = |by, limit| {
        let (groups, missing) = locator.groups(&Query { limit, ..Query::default() }, by).unwrap();
        assert!(missing.is_empty());
        let shown = |group: &Group| (group.first.study.clone(), group.images);
        groups.iter().map(shown).collect::<Vec<_>>()
    };
    assert_eq!(shown(Level::Studies, 9), [("1.2.3".to_owned(), 4), ("1.2.4".to_owned(), 1)]);
    assert_eq!(shown(Level::Series, 1), [("1.2.3".to_owned(), 4)]);
    assert_eq!(shown(Level::Instances, 9).len(), 5);
    assert_eq!(locator.members().unwrap().0.len(), 2);
    [one, two, orb].iter().for_each(Orb::shutdown);
}

#[test]
fn an_image_that_is_removed_is_gone_also_after_a_restart() {
    let scratch = Scratch::new();
    let (path, directory) = (scratch.file("file"), scratch.file("store"));
    let uid = write_image(&path, "1.2.3", 1, 64, 0);
    let store = Store::open(&directory, 0).unwrap();
    store.import(&path).unwrap();
    assert!(store.remove(&uid).unwrap() && !store.remove(&uid).unwrap());
    assert_eq!(store.usage(), (0, 0, 0));
    drop(store);
    assert!(Store::open(&directory, 0).unwrap().image(&uid).is_none());
    assert_eq!(fs::read_dir(directory.join("images")).unwrap().count(), 0);
}

#[test]
fn rules_hold_for_callers_through_the_orb() {
    let scratch = Scratch::new();
    let record = scratch.file("record");
    let rules = "allow read from local\nretain 30 days".parse().unwrap();
    let guard = Guard::new(rules, Some(&record)).unwrap();
    let (orb, server, store) = serve_to(&scratch.file("store"), 0, guard);
    let client = Orb::new().unwrap();
    let (far, source, _) = reached(&client, (&orb, &server));
    let path = scratch.file("file");
    let uid = write_image(&path, "1.2.3", 1, 16, 0);
    let error = send(&far, &path).unwrap_err();
    assert_eq!(error.refusal, Some(Refusal::Forbidden));
    store.import(&path).unwrap();
    assert_eq!(source.find(&everything()).unwrap().0.len(), 1);
    assert!(far.metadata(&uid).unwrap().contains("00080018"));
    let removed = far.remove(&uid).unwrap_err().to_string();
    assert!(removed.contains("do not allow"), "{removed}");
    // This process may, but for the days that images stay.
    let removed = server.remove(&uid).unwrap_err().to_string();
    assert!(removed.contains("30 days more"), "{removed}");
    let record = fs::read_to_string(record).unwrap();
    let outcomes: Vec<_> = record.lines().map(|line| line.contains("\"allowed\"")).collect();
    assert_eq!(outcomes, [false, true, true, false]);

    let (none, server, _) = serve_to(
        &scratch.file("none"),
        0,
        Guard::new("deny any from any".parse().unwrap(), None).unwrap(),
    );
    let (_, source, _) = reached(&client, (&none, &server));
    let refused = source.find(&everything()).unwrap_err().to_string();
    assert!(refused.contains("NO_PERMISSION") && refused.contains("read"), "{refused}");
    [orb, none].iter().for_each(Orb::shutdown);
}

#[test]
fn images_go_by_a_rule_only_when_their_time_has_come() {
    let scratch = Scratch::new();
    let path = scratch.file("file");
    write_image(&path, "1.2.3", 1, 16, 0);
    let store = Store::open(&scratch.file("store"), 0).unwrap();
    let stored = store.import(&path).unwrap().stored;
    let day = 86_400;
    assert!(store.expire(30, stored + 30 * day - 1).unwrap().is_empty());
    assert_eq!(store.expire(30, stored + 30 * day).unwrap().len(), 1);
    assert_eq!(store.usage().0, 0);
}

#[test]
fn a_full_disk_is_named_and_leaves_nothing_behind() {
    let scratch = Scratch::new();
    let (path, directory) = (scratch.file("file"), scratch.file("store"));
    write_image(&path, "1.2.3", 1, 64, 0);
    let store = Store::open_with_spare(&directory, 0, u64::MAX / 2).unwrap();
    let error = store.import(&path).unwrap_err().to_string();
    assert!(error.contains("no room"), "{error}");
    let mut unsized_ = store.receive_unsized().unwrap();
    let error = unsized_.write_all(&[0; 1000]).unwrap_err().to_string();
    assert!(error.contains("no room"), "{error}");
    drop(unsized_);
    assert_eq!((store.usage(), store.room()), ((0, 0, 0), 0));
    assert_eq!(fs::read_dir(directory.join("incoming")).unwrap().count(), 0);
}

#[test]
fn what_is_no_image_or_too_much_is_refused_and_leaves_nothing_behind() {
    let scratch = Scratch::new();
    let (orb, server, store) = serve(&scratch.file("store"), 20_000);
    let client = Orb::new().unwrap();
    let (server, _, _) = reached(&client, (&orb, &server));
    let path = scratch.file("file");
    fs::write(&path, b"no image").unwrap();
    let error = send(&server, &path).unwrap_err().to_string();
    assert!(error.contains("no DICOM object"), "{error}");

    write_image(&path, "1.2.3", 1, 64, 0);
    send(&server, &path).unwrap();
    let octets = fs::read(&path).unwrap();
    for length in (0..octets.len()).step_by(97).take(40) {
        // Truncated anywhere, it is refused or another image of the same name.
        let part = scratch.file("part");
        fs::write(&part, &octets[..length]).unwrap();
        assert!(send(&server, &part).is_err(), "{length} octets");
    }
    write_image(&path, "1.2.3", 1, 64, 9);
    let error = send(&server, &path).unwrap_err().to_string();
    assert!(error.contains("other contents"), "{error}");
    write_image(&path, "1.2.3", 2, 128, 0);
    let error = send(&server, &path).unwrap_err().to_string();
    assert!(error.contains("quota of 20000"), "{error}");

    let state = server.state().unwrap();
    assert_eq!((state.images, state.quota), (1, 20_000));
    assert_eq!(fs::read_dir(scratch.file("store").join("images")).unwrap().count(), 1);
    assert_eq!(store.usage().0, 1);
    orb.shutdown();
}

#[test]
fn what_was_acknowledged_is_there_after_a_restart_and_rests_are_not() {
    let scratch = Scratch::new();
    let (path, directory) = (scratch.file("file"), scratch.file("store"));
    let uid = write_image(&path, "1.2.3", 1, 64, 0);
    let store = Store::open(&directory, 0).unwrap();
    store.import(&path).unwrap();
    assert!(matches!(Store::open(&directory, 0), Err(StoreError::Index(_))), "it is held");
    drop(store);
    fs::write(directory.join("incoming/7.part"), b"rest").unwrap();
    fs::write(directory.join("images/1.2.9.dcm"), b"never entered").unwrap();

    let store = Store::open(&directory, 0).unwrap();
    assert_eq!(store.image(&uid).unwrap().patient, "P7");
    assert_eq!(fs::read_dir(directory.join("incoming")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(directory.join("images")).unwrap().count(), 1);
}

#[test]
fn pictures_have_the_window_and_size_that_are_asked_for() {
    let scratch = Scratch::new();
    let (orb, server, _) = serve(&scratch.file("store"), 0);
    let client = Orb::new().unwrap();
    let (server, _, _) = reached(&client, (&orb, &server));
    let path = scratch.file("file");
    let uid = write_image(&path, "1.2.3", 1, 64, 0);
    send(&server, &path).unwrap();
    let picture = |edge, centre, width| {
        let view = View { columns: edge, rows: edge, centre, width, ..View::default() };
        let png = server.picture(&uid, 0, &view).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        (info.width, info.height, pixels)
    };
    let (columns, rows, pixels) = picture(0, 0.0, 0.0);
    assert_eq!((columns, rows, pixels[0], pixels[64 * 64 - 1]), (64, 64, 0, 255));
    // Values below 10 are black, those from 20 on white.
    let (_, _, pixels) = picture(0, 15.0, 10.0);
    assert_eq!((pixels[9], pixels[20]), (0, 255));
    let (columns, rows, _) = picture(16, 0.0, 0.0);
    assert_eq!((columns, rows), (16, 16));
    assert!(server.picture(&uid, 1, &View::default()).is_err(), "there is one frame");
    orb.shutdown();
}

#[test]
fn a_sequence_of_unknown_kind_does_not_hide_an_image() {
    let scratch = Scratch::new();
    let (path, store) = (scratch.file("image"), scratch.file("store"));
    let uid = write_image(&path, "1.2.3", 1, 16, 0);
    let plain = std::fs::read(&path).unwrap();
    // As gateways write it that have no dictionary: UN, and implicit little-endian within.
    let sequence = [
        &b"\x09\x00\x10\x10UN\0\0\xff\xff\xff\xff"[..],
        b"\xfe\xff\x00\xe0\xff\xff\xff\xff",
        b"\x10\x00\x20\x00\x04\0\0\0P1  ",
        b"\x09\x00\x11\x10\xff\xff\xff\xff\xfe\xff\xdd\xe0\0\0\0\0",
        b"\xfe\xff\x0d\xe0\0\0\0\0\xfe\xff\xdd\xe0\0\0\0\0",
    ]
    .concat();
    let name = b"\x10\x00\x10\x00PN";
    let at = plain.windows(name.len()).position(|octets| octets == name).unwrap();
    std::fs::write(&path, [&plain[..at], &sequence, &plain[at..]].concat()).unwrap();

    let (orb, server, _) = serve(&store, 0);
    let image = send(&server, &path).unwrap();
    assert_eq!((image.patient.as_str(), image.rows), ("P7", 16));
    assert!(server.metadata(&uid).unwrap().contains("Doe^Jane"));
    let drawn = server.picture(&uid, 0, &View { quality: 90, ..View::default() }).unwrap();
    std::fs::write(&path, &plain).unwrap();
    let (other, elsewhere, _) = serve(&scratch.file("other"), 0);
    send(&elsewhere, &path).unwrap();
    let same = elsewhere.picture(&uid, 0, &View { quality: 90, ..View::default() }).unwrap();
    assert!(drawn == same);
    orb.shutdown();
    other.shutdown();
}

#[test]
fn who_may_not_store_learns_nothing_of_what_others_store() {
    let scratch = Scratch::new();
    let guard = Guard::new("allow read from any".parse().unwrap(), None).unwrap();
    let (orb, server, _) = serve_to(&scratch.file("store"), 0, guard);
    let client = Orb::new().unwrap();
    let (server, _, _) = reached(&client, (&orb, &server));
    let error = server.stored(1).unwrap_err().to_string();
    assert!(error.contains("do not allow you to store"), "{error}");
    orb.shutdown();
}

#[test]
fn a_locator_asks_its_own_clients() {
    let scratch = Scratch::new();
    let (orb, server, store) = serve(&scratch.file("store"), 0);
    let path = scratch.file("image");
    write_image(&path, "1.2.3", 1, 16, 0);
    store.import(&path).unwrap();
    let url = orb.object_to_string(server.object()).unwrap();
    let record = scratch.file("record");
    for (rules, found) in [("allow read from local", true), ("deny any from any", false)] {
        let guard = Guard::new(rules.parse().unwrap(), Some(&record)).unwrap();
        let own = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let locator = Locator::activate(&own, vec![url.clone()], guard).unwrap();
        own.perform_work().unwrap();
        let reader = Orb::new().unwrap();
        let far: SourceRef =
            reader.resolve(&own.object_to_string(locator.object()).unwrap()).unwrap();
        assert_eq!(far.find(&everything()).is_ok_and(|(images, _)| images.len() == 1), found);
        assert_eq!(far.groups(&everything(), Level::Studies).is_ok(), found);
        // What asks within the process has asked its own client.
        assert_eq!(locator.find(&everything()).unwrap().0.len(), 1);
        own.shutdown();
    }
    let record = fs::read_to_string(record).unwrap();
    assert_eq!(record.matches(r#""outcome":"allowed""#).count(), 2, "{record}");
    assert_eq!(record.matches(r#""outcome":"denied""#).count(), 2, "{record}");
    orb.shutdown();
}
