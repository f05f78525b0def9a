//! Servers behind a repository, as clients and operators meet them.

use crate::served;
use armilla::{Completion, ExceptionKind, Minor};
use armilla_imr::corba::Repository;
use armilla_imr::model::{Activation, ServerStage};
use served::{Served, call, eventually, process};
use std::time::Duration;

#[test]
fn the_first_call_starts_the_server_and_later_ones_go_there_directly() {
    let served = Served::new();
    served.imr.define(served.parrot("p", &[]), false).unwrap();
    served.imr.reference().start("p").unwrap();
    let polly = served.polly("p");
    eventually("it runs", || served.status("p").stage == ServerStage::Running);
    served.imr.reference().stop("p").unwrap();
    eventually("it has ended", || served.status("p").stage == ServerStage::Held);
    let refused = process(&polly).unwrap_err();
    assert_eq!((refused.kind(), refused.completed()), (ExceptionKind::Transient, Completion::No));
    assert!(refused.to_string().contains("operator"), "{refused}");

    let mut definition = served.parrot("p", &[]);
    definition.start_timeout = Duration::from_secs(50);
    served.imr.define(definition, true).unwrap();
    served.imr.reference().start("p").unwrap();
    let first = process(&polly).unwrap();
    let forwards = served.status("p").forwards;
    for _ in 0..10 {
        assert_eq!(process(&polly).unwrap(), first);
    }
    assert_eq!(served.status("p").forwards, forwards, "the client stays with the server");

    // The server dies, and the client finds the next one by itself.
    let died = call(&polly, "exit", 3).unwrap_err();
    assert_ne!(died.completed(), Completion::No, "{died}");
    // Until its process is gone, it may take a call that it does not answer.
    eventually("its end is reported", || served.status("p").failures == 1);
    let second = process(&polly).unwrap();
    assert_ne!(first, second);
    let status = served.status("p");
    assert_eq!((status.failures, status.stage), (1, ServerStage::Running));
    assert!(status.reason.unwrap().contains("exit status 3"));
}

#[test]
fn many_clients_wait_for_one_start() {
    let served = Served::new();
    let gate = served.directory.path().join("gate");
    let arguments = ["--await", gate.to_str().unwrap()];
    served.imr.define(served.parrot("many", &arguments), false).unwrap();
    std::fs::write(&gate, "").unwrap();
    served.imr.reference().start("many").unwrap();
    let polly = served.polly("many");
    process(&polly).unwrap();
    served.imr.reference().stop("many").unwrap();
    eventually("it has ended", || served.status("many").runs.is_empty());
    std::fs::remove_file(&gate).unwrap();
    let starts = served.status("many").starts;
    served.imr.reference().start("many").unwrap();
    let text = served.client.object_to_string(&polly).unwrap();
    let processes: Vec<u32> = std::thread::scope(|scope| {
        let calls = (0..200).map(|_| {
            scope.spawn(|| {
                let client = armilla::Orb::new().unwrap();
                let answer = process(&client.string_to_object(&text).unwrap()).unwrap();
                client.shutdown();
                answer
            })
        });
        let calls: Vec<_> = calls.collect();
        eventually("they wait", || served.status("many").waiting == 200);
        // A thread for each of the first 64 connections, and 200 of this test.
        println!("threads while 200 clients wait: {}", threads());
        std::fs::write(&gate, "").unwrap();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert!(processes.iter().all(|process| *process == processes[0]));
    assert_eq!(served.status("many").starts, starts + 1);
}

/// How many threads this process has.
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

#[test]
fn a_crash_loop_is_said_and_not_fed() {
    let served = Served::new();
    let mut definition = served.parrot("norwegian", &[]);
    served.imr.define(definition.clone(), false).unwrap();
    served.imr.reference().start("norwegian").unwrap();
    let polly = served.polly("norwegian");
    process(&polly).unwrap();
    served.imr.reference().stop("norwegian").unwrap();
    eventually("it has ended", || served.status("norwegian").runs.is_empty());

    definition.command.push("--fail".to_owned());
    definition.back_off = Duration::from_millis(10);
    definition.failure_limit = 3;
    served.imr.define(definition, true).unwrap();
    served.imr.reference().start("norwegian").unwrap();
    for _ in 0..3 {
        let failed = process(&polly).unwrap_err();
        assert_eq!((failed.kind(), failed.completed()), (ExceptionKind::Transient, Completion::No));
        assert_eq!(failed.minor(), Minor::SERVER_NOT_RUNNING);
        let text = failed.to_string();
        assert!(text.contains("exit status 1") && text.contains("no more"), "{text}");
    }
    let status = served.status("norwegian");
    assert_eq!((status.stage, status.starts, status.failures), (ServerStage::Failed, 4, 3));
}

#[test]
fn a_replacement_under_load_loses_no_call() {
    let served = Served::new();
    served.imr.define(served.parrot("r", &[]), false).unwrap();
    served.imr.reference().start("r").unwrap();
    let polly = served.polly("r");
    let text = served.client.object_to_string(&polly).unwrap();
    let first = process(&polly).unwrap();
    let ended = std::sync::atomic::AtomicBool::new(false);
    let order = std::sync::atomic::Ordering::Relaxed;
    std::thread::scope(|scope| {
        let clients = (0..8).map(|_| {
            scope.spawn(|| {
                let client = armilla::Orb::new().unwrap();
                let polly = client.string_to_object(&text).unwrap();
                let mut calls = 0;
                while !ended.load(order) {
                    call(&polly, "wait", calls % 3).unwrap_or_else(|error| panic!("{error}"));
                    calls += 1;
                }
                client.shutdown();
                calls
            })
        });
        let clients: Vec<_> = clients.collect();
        for _ in 0..3 {
            let starts = served.status("r").starts;
            served.imr.reference().replace("r").unwrap();
            eventually("the new one serves alone", || {
                let status = served.status("r");
                status.starts == starts + 1
                    && status.stage == ServerStage::Running
                    && status.runs.len() == 1
            });
        }
        ended.store(true, order);
        let calls: u32 = clients.into_iter().map(|client| client.join().unwrap()).sum();
        println!("{calls} calls while the server was replaced 3 times");
    });
    assert_ne!(process(&polly).unwrap(), first);
    assert_eq!(served.status("r").failures, 0);
}

#[test]
fn each_client_gets_a_process_of_its_own() {
    let served = Served::new();
    let mut definition = served.parrot("own", &[]);
    served.imr.define(definition.clone(), false).unwrap();
    served.imr.reference().start("own").unwrap();
    let polly = served.polly("own");
    let text = served.client.object_to_string(&polly).unwrap();
    served.imr.reference().stop("own").unwrap();
    eventually("it has ended", || served.status("own").runs.is_empty());
    definition.activation = Activation::PerClient;
    served.imr.define(definition, true).unwrap();
    served.imr.reference().start("own").unwrap();
    let clients: Vec<_> = (0..3).map(|_| armilla::Orb::new().unwrap()).collect();
    let mut processes: Vec<u32> = clients
        .iter()
        .map(|client| process(&client.string_to_object(&text).unwrap()).unwrap())
        .collect();
    processes.sort_unstable();
    processes.dedup();
    assert_eq!(processes.len(), 3);
}

#[test]
fn unknown_keys_are_no_objects() {
    let served = Served::new();
    let object = served.client.string_to_object(&format!("corbaloc::{}/nobody", served.address()));
    let object = object.unwrap();
    let refused = process(&object).unwrap_err();
    assert_eq!(
        (refused.kind(), refused.completed()),
        (ExceptionKind::ObjectNotExist, Completion::No)
    );
    let text = refused.to_string();
    assert!(text.contains("no server is registered for it") && text.contains("nobody"), "{text}");
    assert!(!text.contains("never will again"), "{text}");
    assert!(!object.locate().unwrap());

    // A key of ours names the POA that no pattern has.
    served.imr.define(served.parrot("known", &[]), false).unwrap();
    served.imr.reference().start("known").unwrap();
    let polly = served.polly("known");
    process(&polly).unwrap();
    served.imr.reference().stop("known").unwrap();
    eventually("it has ended", || served.status("known").runs.is_empty());
    served.imr.reference().remove("known").unwrap();
    let text = process(&polly).unwrap_err().to_string();
    assert!(text.contains("POA \"known\""), "{text}");
}
