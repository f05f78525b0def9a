//! A repository that is started again, and one with an activator on another host.

use crate::served;
use armilla::{ExceptionKind, Orb};
use armilla_imr::corba::{
    Activator as _, ActivatorRef, EndSignal, Launch, LogStream, Repository, Secret,
};
use armilla_imr::model::{Activation, Definition, ServerStage};
use armilla_imr::{Activator, ImplementationRepository, Store};
use armilla_store::faults::{Fault, Faults};
use served::{Directory, Served, call, eventually, process};
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

/// A repository with a store on the disk.
fn stored(endpoint: &str, directory: Directory) -> Served {
    let mut store = None;
    // The repository before may still be writing.
    eventually("the store is free", || {
        store = Store::open(directory.path().join("store")).ok();
        store.is_some()
    });
    let store = store.unwrap();
    Served::by(ImplementationRepository::builder().store(store), endpoint, directory)
}

/// Ends the repository without its servers, and starts it again at the same address.
fn restart(served: Served) -> Served {
    let endpoint = format!("iiop://{}", served.address());
    let directory = served.end_without_servers();
    stored(&endpoint, directory)
}

#[test]
fn servers_outlive_the_repository_and_are_found_again() {
    let served = stored("iiop://127.0.0.1:0", Directory::new());
    served.imr.define(served.parrot("s", &[]), false).unwrap();
    served.imr.reference().start("s").unwrap();
    let polly = served.polly("s");
    let before = process(&polly).unwrap();
    eventually("it is stored", || served.status("s").stage == ServerStage::Running);

    let served = restart(served);
    let polly = served.polly("s");
    assert_eq!(process(&polly).unwrap(), before);
    let status = served.status("s");
    assert_eq!((status.starts, status.runs.len()), (0, 1));
    assert_eq!(status.runs[0].process, Some(before));

    // Its end is noticed, although it is nobody's child here.
    call(&polly, "exit", 0).unwrap_err();
    eventually("its end is noticed", || served.status("s").runs.is_empty());
    let after = process(&polly).unwrap();
    assert_ne!(before, after);

    // One that ends while there is no repository is started by the next call.
    let served = served;
    let (polly, text) = (served.polly("s"), served.client.object_to_string(&polly).unwrap());
    drop(polly);
    let client = Orb::new().unwrap();
    let direct = client.string_to_object(&text).unwrap();
    let number = process(&direct).unwrap();
    let endpoint = format!("iiop://{}", served.address());
    let directory = served.end_without_servers();
    call(&direct, "exit", 0).unwrap_err();
    // Until its process is gone, it may take a call that it does not answer.
    let process_directory = format!("/proc/{number}");
    eventually("it is gone", || !Path::new(&process_directory).exists());
    let served = stored(&endpoint, directory);
    let last = process(&direct).unwrap();
    assert_ne!(last, after);
    assert_eq!(served.status("s").starts, 1);
    client.shutdown();
}

#[test]
fn definitions_that_were_removed_do_not_come_back() {
    let served = stored("iiop://127.0.0.1:0", Directory::new());
    for name in ["a", "b"] {
        served.imr.define(served.parrot(name, &[]), false).unwrap();
    }
    served.imr.reference().remove("a").unwrap();
    let served = restart(served);
    let names: Vec<String> = served.imr.list().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["b"]);
}

#[test]
fn a_server_that_has_failed_or_was_stopped_stays_so() {
    let served = stored("iiop://127.0.0.1:0", Directory::new());
    let mut failing = served.parrot("failing", &["--fail"]);
    failing.failure_limit = 1;
    served.imr.define(failing, false).unwrap();
    served.imr.define(served.parrot("stopped", &[]), false).unwrap();
    served.imr.define(served.parrot("keeps", &[]), false).unwrap();
    let repository = served.imr.reference();
    repository.start("failing").unwrap();
    repository.stop("stopped").unwrap();
    eventually("it has failed", || served.status("failing").stage == ServerStage::Failed);
    let before = served.status("failing");
    let is_stored = |served: &Served| {
        let store = served.directory.path().join("store/imr.redb");
        let octets = std::fs::read(store).unwrap();
        octets.windows(14).any(|found| found == b"\"stopped\":true")
            && octets.windows(13).any(|found| found == b"\"failed\":true")
    };
    eventually("it is stored", || is_stored(&served));

    let served = restart(served);
    let after = served.status("failing");
    assert_eq!((after.stage, after.failures), (ServerStage::Failed, 1));
    assert!(after.reason.is_some() && after.reason == before.reason, "{:?}", after.reason);
    assert_eq!(served.status("stopped").stage, ServerStage::Held);
    assert_eq!(served.status("keeps").stage, ServerStage::Stopped);
    // What makes good again is kept, too.
    served.imr.reference().start("stopped").unwrap();
    eventually("it runs", || served.status("stopped").stage == ServerStage::Running);
    eventually("it is stored", || !is_stored(&served));
    let served = restart(served);
    assert_eq!(served.status("stopped").stage, ServerStage::Running);
}

#[test]
fn a_server_that_starts_with_the_repository_and_was_stopped_or_failed_is_not_started() {
    let served = stored("iiop://127.0.0.1:0", Directory::new());
    let mut definition = served.parrot("a", &[]);
    definition.activation = Activation::AtStart;
    served.imr.define(definition, false).unwrap();
    eventually("it runs", || served.status("a").stage == ServerStage::Running);
    served.imr.reference().stop("a").unwrap();
    eventually("it has ended", || served.status("a").stage == ServerStage::Held);
    // The record that it ended is the last; what comes before it is on the disk with it.
    served.imr.define(Definition::new("mark"), false).unwrap();
    let served = restart(served);
    let status = served.status("a");
    assert_eq!((status.stage, status.starts), (ServerStage::Held, 0));
}

#[test]
fn a_store_that_cannot_be_written_is_no_health() {
    let directory = Directory::new();
    let faults = Faults::below(directory.path()).unwrap();
    let served = stored("iiop://127.0.0.1:0", directory);
    served.imr.check().unwrap();
    for fault in [Fault::Device, Fault::Full] {
        faults.fail(fault, 0, true);
        eventually("that is noticed", || served.imr.check().is_err());
        let why = served.imr.check().unwrap_err();
        assert!(why.contains("store") && why.contains("cannot be written"), "{why}");
        faults.heal();
        eventually("it has recovered", || served.imr.check().is_ok());
    }
}

/// What the operator reads, what the repository says and what it says after a restart agree.
#[test]
fn a_command_that_the_disk_refuses_changes_nothing() {
    let directory = Directory::new();
    let faults = Faults::below(directory.path()).unwrap();
    let served = stored("iiop://127.0.0.1:0", directory);
    let mut other = Definition::new("a");
    served.imr.define(other.clone(), false).unwrap();
    other.directory = Some("/elsewhere".into());
    let repository = served.imr.reference();
    let before = repository.definition("a").unwrap();
    for fault in [Fault::Device, Fault::Full] {
        faults.fail(fault, 0, true);
        repository.remove("a").unwrap_err();
        served.imr.define(other.clone(), true).unwrap_err();
        served.imr.define(Definition::new("b"), false).unwrap_err();
        let names: Vec<String> = served.imr.list().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a"], "{fault:?}");
        assert_eq!(repository.definition("a").unwrap(), before, "{fault:?}");
        faults.heal();
    }
    let served = restart(served);
    assert_eq!(served.imr.reference().definition("a").unwrap(), before);
    served.imr.reference().remove("a").unwrap();
    assert!(restart(served).imr.list().is_empty());
}

#[test]
fn a_store_belongs_to_one_repository_and_damage_is_refused() {
    let directory = Directory::new();
    let store = Store::open(directory.path()).unwrap();
    let taken = Store::open(directory.path()).unwrap_err().to_string();
    assert!(taken.contains("another implementation repository"), "{taken}");
    drop(store);
    let file = directory.path().join("imr.redb");
    let mut octets = std::fs::read(&file).unwrap();
    octets.iter_mut().take(4096).for_each(|octet| *octet ^= 0x5a);
    std::fs::write(&file, octets).unwrap();
    assert!(Store::open(directory.path()).is_err());
}

#[test]
fn an_activator_starts_servers_on_its_host() {
    let served = Served::new();
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let logs = served.directory.path().join("there");
    let activator = Activator::builder(served.imr.url(), logs).host("there").serve(&orb).unwrap();
    eventually("it has registered", || {
        served.imr.reference().hosts().unwrap().contains(&"there".to_owned())
    });
    let mut definition = served.parrot("far", &[]);
    definition.host = Some("there".to_owned());
    served.imr.define(definition.clone(), false).unwrap();
    served.imr.reference().start("far").unwrap();
    let polly = served.polly("far");
    let first = process(&polly).unwrap();
    // The server may register before the activator has answered.
    eventually("its host is known", || served.status("far").runs[0].host == "there");
    call(&polly, "exit", 5).unwrap_err();
    // Until its process is gone, it may take a call that it does not answer.
    eventually("its end is reported", || served.status("far").failures == 1);
    assert_ne!(process(&polly).unwrap(), first);
    let reason = served.status("far").reason.unwrap();
    assert!(reason.contains("exit status 5"), "{reason}");
    let out = served.imr.reference().log("far", LogStream::Output, 100);
    assert!(String::from_utf8(out.unwrap()).unwrap().contains("serving"));
    served.stop_all();

    definition.host = Some("nowhere".to_owned());
    served.imr.define(definition, true).unwrap();
    served.imr.reference().start("far").unwrap();
    eventually("it has failed", || served.status("far").failures >= 2);
    let reason = served.status("far").reason.unwrap();
    assert!(reason.contains("\"nowhere\" has no activator"), "{reason}");
    drop(activator);
    orb.shutdown();
}

/// What strangers who know where an activator is ask of it.
fn ask_everything(activator: &ActivatorRef, proof: &Secret, file: &Path) -> [ExceptionKind; 4] {
    fn kind<T: Debug, E: Debug>(outcome: Result<T, armilla::Error<E>>) -> ExceptionKind {
        match outcome {
            Err(armilla::Error::System(exception)) => exception.kind(),
            other => panic!("{other:?}"),
        }
    }
    let definition = Definition {
        command: vec!["/bin/touch".to_owned(), file.display().to_string()],
        ..Definition::new("stranger")
    };
    let what = Launch {
        run: 7,
        name: "stranger".to_owned(),
        definition: serde_json::to_string(&definition).unwrap(),
        repository: String::new(),
    };
    let own = std::process::id();
    [
        kind(activator.start(proof, &what)),
        kind(activator.log(proof, "far", LogStream::Output, 100)),
        activator.signal(proof, 7, EndSignal::Kill).unwrap_err().kind(),
        activator.watch(proof, 7, own, 1).unwrap_err().kind(),
    ]
}

#[test]
fn an_activator_serves_nobody_but_its_repository() {
    let served = Served::new();
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let logs = served.directory.path().join("there");
    let activator = Activator::builder(served.imr.url(), logs).host("there").serve(&orb).unwrap();
    orb.perform_work().unwrap();
    let text = orb.object_to_string(activator.reference()).unwrap();
    let stranger: ActivatorRef = served.client.string_to_object(&text).unwrap().assume();
    let file = served.directory.path().join("made-by-a-stranger");
    for proof in [[0; 32], [0xff; 32], std::array::from_fn(|at| at.try_into().unwrap())] {
        let kinds = ask_everything(&stranger, &proof, &file);
        assert_eq!(kinds, [ExceptionKind::NoPermission; 4]);
        // The repository itself in the same process knows no more of the secret.
        let kinds = ask_everything(activator.reference(), &proof, &file);
        assert_eq!(kinds, [ExceptionKind::NoPermission; 4]);
    }
    assert!(!file.exists());
    drop(activator);
    orb.shutdown();
}

#[test]
fn an_activator_listens_where_its_repository_is() {
    let orb = Orb::new().unwrap();
    let at = |host: &str| Activator::endpoint(&orb, &format!("corbaloc::{host}:1/r"));
    assert_eq!(at("127.0.0.1").unwrap(), "iiop://127.0.0.1:0");
    assert_eq!(at("localhost").unwrap(), "iiop://127.0.0.1:0");
    let unknown = at("no-such-host.invalid").unwrap_err();
    assert_eq!(unknown.kind(), ExceptionKind::Transient);
    assert!(unknown.to_string().contains("-ORBEndpoint"), "{unknown}");
    orb.shutdown();
}

#[test]
fn what_changes_is_told() {
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let names = seen.clone();
    let builder = ImplementationRepository::builder();
    let builder = builder.on_change(move |name| names.lock().unwrap().push(name.to_owned()));
    let served = Served::by(builder, "iiop://127.0.0.1:0", Directory::new());
    served.imr.define(served.parrot("told", &[]), false).unwrap();
    served.imr.reference().start("told").unwrap();
    eventually("it runs", || served.status("told").stage == ServerStage::Running);
    assert!(seen.lock().unwrap().iter().all(|name| name == "told"));
    assert!(!seen.lock().unwrap().is_empty());
}
