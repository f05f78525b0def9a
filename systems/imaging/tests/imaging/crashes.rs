//! Servers and locators that are killed in the middle of transfers. `soak` of this example kills many
//! more.

use crate::common::{Scratch, write_image};
use crate::programs::{Program, in_both, names, run, wait_until};
use armilla::Orb;
use armilla_imaging::fetch::{fetch, send};
use armilla_imaging::idl::{Image, Query, ServerRef, Source, SourceRef};
use armilla_imaging::query::everything;
use sha2::{Digest as _, Sha256};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Two servers with the same images and two locators of both. The stores are `one` and `two`.
struct House {
    programs: [Program; 4],
    /// Both locators, for who goes on with the other one.
    locators: String,
}

impl House {
    fn new(scratch: &Scratch) -> Self {
        let [one, two] = ["one", "two"].map(|name| Program::serve(&scratch.file(name)));
        let locator = || Program::start(&["locate", &one.url, &two.url]);
        let (near, far) = (locator(), locator());
        let address = |locator: &Program| {
            let rest = locator.url.strip_prefix("corbaloc:").unwrap();
            rest.split('/').next().unwrap().to_owned()
        };
        let locators = format!("corbaloc:{},{}/ImageLocator", address(&near), address(&far));
        Self { programs: [one, two, near, far], locators }
    }
}

fn source(url: &str) -> SourceRef {
    Orb::new().unwrap().resolve(url).unwrap()
}

fn only(images: &[Image], uid: &str) -> Image {
    images.iter().find(|image| image.uid == uid).unwrap().clone()
}

#[test]
fn a_viewer_goes_on_behind_what_came_when_server_and_locator_are_killed() {
    let scratch = Scratch::new();
    let uids = in_both(&scratch, &["one", "two"], 2048, 1);
    let house = House::new(&scratch);
    let [mut one, two, mut near, far] = house.programs;
    // Who asks only one locator.
    let asked = source(&near.url);
    let (images, missing) = asked.find(&everything()).unwrap();
    assert!(missing.is_empty());
    let image = only(&images, &uids[0]);
    let (flows, victims) = (RefCell::new(Vec::new()), Cell::new(Some((&mut one, &mut near))));
    let begin = |_, there| {
        // More than the socket holds is still to come.
        if let Some((server, locator)) = victims.take() {
            server.kill();
            locator.kill();
        }
        flows.borrow_mut().push(there);
    };
    let path = fetch(&asked, &image, &scratch.0, &begin).unwrap();
    assert!(digest(&path) == image.sha256);
    let flows = flows.into_inner();
    assert!(flows.len() == 2 && flows[1] < image.size, "{flows:?}");

    // One who knows both locators finds it still, and learns who is missing.
    let (images, missing) = source(&house.locators).find(&everything()).unwrap();
    assert_eq!((images.len(), missing.len()), (1, 1));
    assert_eq!(missing[0].server, one.url);
    let found = run(&["find", &house.locators]);
    let said = String::from_utf8(found.stderr).unwrap();
    assert!(found.status.success() && said.contains(&one.url), "{said}");
    assert!(String::from_utf8(found.stdout).unwrap().contains(&image.uid));
    drop((two, far));
    let found = run(&["find", &house.locators]);
    assert!(!found.status.success() && !found.stderr.is_empty(), "nobody answers");
}

#[test]
fn a_browser_gets_all_of_a_file_whose_server_is_killed_in_the_middle() {
    let scratch = Scratch::new();
    let uids = in_both(&scratch, &["one", "two"], 3072, 1);
    let [mut one, two] = ["one", "two"].map(|name| Program::serve(&scratch.file(name)));
    let locator = Program::start(&["locate", &one.url, &two.url, "--http", "127.0.0.1:0"]);
    let path = "studies/1.2.3/series/1.2.3.1/instances";
    let mut answer = locator.ask(&format!("{path}/{}?accept=application/dicom", uids[0]));
    let mut octets = vec![0; 64 << 10];
    answer.read_exact(&mut octets).unwrap();
    one.kill();
    answer.read_to_end(&mut octets).unwrap();
    let begin = octets.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    assert!(octets[begin..] == fs::read(scratch.file("both.dcm")).unwrap());
}

#[test]
fn an_image_whose_file_is_gone_is_named_and_the_others_come() {
    let scratch = Scratch::new();
    let uids = in_both(&scratch, &["one", "two"], 64, 3);
    let lost = scratch.file("one").join(format!("images/{}.dcm", uids[1]));
    let mut one = Program::serve(&scratch.file("one"));
    let into = scratch.file("fetched");
    let fetch = |url: &str| run(&["fetch", url, "--into", into.to_str().unwrap()]);
    fs::remove_file(&lost).unwrap();
    let fetched = fetch(&one.url);
    let said = String::from_utf8(fetched.stderr).unwrap();
    assert!(!fetched.status.success() && said.contains(&uids[1]), "{said}");
    assert!(said.contains("1 of 3 images did not come"), "{said}");
    assert_eq!(String::from_utf8(fetched.stdout).unwrap().lines().count(), 2);

    // After a restart it is not offered any more, and a replica brings it back.
    one.kill();
    one.restart();
    let server: ServerRef = Orb::new().unwrap().resolve(&one.url).unwrap();
    assert!(server.holders(&uids[1]).is_err());
    assert_eq!(server.find(&everything()).unwrap().0.len(), 2);
    let replica = scratch.file("two").join(format!("images/{}.dcm", uids[1]));
    assert_eq!(send(&server, &replica).unwrap().uid, uids[1]);
    assert!(fetch(&one.url).status.success());
    assert_eq!(names(&into).len(), 3);
}

fn digest(path: &Path) -> Vec<u8> {
    Sha256::digest(fs::read(path).unwrap()).to_vec()
}

/// What the threads around the killing share.
#[derive(Default)]
struct Progress {
    over: AtomicBool,
    fetched: AtomicU64,
    stored: AtomicU64,
    /// Errors that viewers and senders were told.
    told: AtomicU64,
}

impl Progress {
    fn transfers(&self) -> u64 {
        self.fetched.load(Ordering::Relaxed) + self.stored.load(Ordering::Relaxed)
    }

    fn goes_on(&self) -> bool {
        !self.over.load(Ordering::Relaxed)
    }

    fn note<T, E: ToString>(&self, outcome: Result<T, E>, count: &AtomicU64) -> Option<T> {
        match outcome {
            Ok(value) => {
                count.fetch_add(1, Ordering::Relaxed);
                Some(value)
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                self.told.fetch_add(1, Ordering::Relaxed);
                // Whoever is down needs the processor to come back.
                thread::sleep(Duration::from_millis(5));
                None
            }
        }
    }
}

/// Fetches the images of the study again and again; all of them once more at the end.
fn view(progress: &Progress, locators: &str, into: &Path, expected: &BTreeMap<String, Vec<u8>>) {
    fs::create_dir_all(into).unwrap();
    let source = source(locators);
    let query = Query { study: "1.2.3".to_owned(), ..everything() };
    let (mut last, mut at) = (false, 0);
    loop {
        let Some((images, _)) = progress.note(source.find(&query), &AtomicU64::new(0)) else {
            continue;
        };
        // One server at most is down, so no image is.
        assert_eq!(images.len(), expected.len());
        let image = &images[at % images.len()];
        let fetched = fetch(&source, image, into, &|_, _| {});
        let Some(path) = progress.note(fetched, &progress.fetched) else { continue };
        assert!(digest(&path) == expected[&image.uid], "{}", image.uid);
        at += 1;
        last |= !progress.goes_on() && at % images.len() == 0;
        if last && at % images.len() == 0 && names(into).len() == images.len() {
            return;
        }
        if !last {
            fs::remove_file(path).unwrap();
        }
    }
}

/// Sends new images to a server, and returns those that it has acknowledged.
fn fill(progress: &Progress, url: &str, file: &Path, study: &str) -> BTreeMap<String, Vec<u8>> {
    let server: ServerRef = Orb::new().unwrap().resolve(url).unwrap();
    let mut acknowledged = BTreeMap::new();
    for number in 1.. {
        let uid = write_image(file, study, number, 128, number);
        // What was not acknowledged is sent again: it may be there, or not.
        while progress.goes_on() {
            if progress.note(send(&server, file), &progress.stored).is_some() {
                acknowledged.insert(uid, digest(file));
                break;
            }
        }
        if !progress.goes_on() {
            break;
        }
    }
    acknowledged
}

/// Kills one program after the other in the middle of transfers, each of which is over only when
/// others went on without it.
fn kill(progress: &Progress, programs: &mut [Program; 4], kills: usize) {
    for at in 0..kills {
        // At another place of the transfers each time.
        let before = progress.transfers();
        let some = (at as u64 * 7) % 5 + 2;
        wait_until("transfers go on", || progress.transfers() >= before + some);
        let killed = &mut programs[at % 4];
        killed.kill();
        let before = progress.fetched.load(Ordering::Relaxed);
        wait_until("viewers go on", || progress.fetched.load(Ordering::Relaxed) >= before + 2);
        killed.restart();
    }
}

#[test]
fn what_is_killed_in_the_middle_of_transfers_loses_nothing() {
    let kills = std::env::var("ARMILLA_KILLS").map_or(4, |kills| kills.parse().unwrap());
    let scratch = Scratch::new();
    let uids = in_both(&scratch, &["one", "two"], 700, 3);
    let of = |uid: &String| digest(&scratch.file("one").join(format!("images/{uid}.dcm")));
    let expected: BTreeMap<_, _> = uids.iter().map(|uid| (uid.clone(), of(uid))).collect();
    let House { mut programs, locators } = House::new(&scratch);
    let urls = [0, 1].map(|at| programs[at].url.clone());
    let progress = Progress::default();
    let into = [0, 1].map(|at| scratch.file(&format!("viewer{at}")));
    let files = [0, 1].map(|at| scratch.file(&format!("new{at}.dcm")));
    let studies = ["1.2.100", "1.2.101"];
    let acknowledged = thread::scope(|scope| {
        let progress = &progress;
        for into in &into {
            let (locators, expected) = (&locators, &expected);
            scope.spawn(move || view(progress, locators, into, expected));
        }
        let fillers = [0, 1].map(|at| {
            let (url, file) = (&urls[at], &files[at]);
            scope.spawn(move || fill(progress, url, file, studies[at]))
        });
        kill(progress, &mut programs, kills);
        progress.over.store(true, Ordering::Relaxed);
        fillers.map(|filler| filler.join().unwrap())
    });
    // Once more, and nobody may have kept anything in memory only.
    programs.iter_mut().for_each(Program::kill);
    programs.iter_mut().for_each(Program::restart);
    for (at, acknowledged) in acknowledged.iter().enumerate() {
        assert!(!acknowledged.is_empty());
        let store = scratch.file(["one", "two"][at]);
        let source = source(&urls[at]);
        let query = Query { study: studies[at].to_owned(), ..everything() };
        let (found, _) = source.find(&query).unwrap();
        for (uid, expected) in acknowledged {
            let path = fetch(&source, &only(&found, uid), &scratch.0, &|_, _| {}).unwrap();
            assert!(digest(&path) == *expected, "{uid}");
            fs::remove_file(path).unwrap();
        }
        assert!(names(&store.join("incoming")).is_empty());
        assert_eq!(names(&store.join("images")).len(), found.len() + uids.len());
        assert_eq!(names(&into[at]).len(), uids.len(), "parts stay behind");
    }
    let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
    println!(
        "{kills} kills, {} images fetched, {} stored and acknowledged, {} errors told",
        count(&progress.fetched),
        count(&progress.stored),
        count(&progress.told)
    );
}
