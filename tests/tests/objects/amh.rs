//! Asynchronous method handling: deferred replies of servants.

use armilla::codegen::{Dispatched, Interface, IsA, ServerCall, Upcast};
use armilla::{
    Collocation, Completion, ExceptionKind, Minor, Ref, ResponseHandler, SystemException, Version,
};
use armilla_giop::{MessageKind, cancel_request};
use armilla_tests::alone::alone;
use armilla_tests::gate::{PATIENCE, eventually};
use armilla_tests::orbs::{self, CONCURRENCIES, Server};
use armilla_tests::peer::{self, Wire, answered};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// An interface with one operation, `long ask(in long question)`, whose servants reply later.
trait Oracle: Send + Sync + 'static {
    fn ask_amh(&self, question: i32, reply: ResponseHandler<i32>);
}

impl Interface for dyn Oracle {
    const REPOSITORY_ID: &'static str = "IDL:armilla.org/Oracle:1.0";
    const BASES: &'static [&'static str] = &[];

    fn dispatch(&self, call: &mut ServerCall<'_>) -> Dispatched {
        let question = call.arguments().i32()?;
        self.ask_amh(
            question,
            call.response_handler(|answer, out| {
                out.put_i32(*answer);
                Ok(())
            }),
        );
        Ok(())
    }

    fn upcast(servant: Arc<Self>, target: &mut Upcast<'_>) {
        target.offer::<dyn Oracle>(|| servant);
    }
}

impl IsA<dyn Oracle> for dyn Oracle {}

fn ask(oracle: &Ref<dyn Oracle>, question: i32) -> Result<i32, SystemException> {
    let arguments = |out: &mut armilla::Encoder<'_>| {
        out.put_i32(question);
        Ok(())
    };
    oracle.invoke("ask", arguments, |input| input.i32())
}

/// Keeps what it is asked until the test answers.
#[derive(Default)]
struct Silent {
    asked: Mutex<Vec<(i32, ResponseHandler<i32>)>>,
}

impl Silent {
    fn take(&self) -> Vec<(i32, ResponseHandler<i32>)> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }

    fn await_asked(&self, count: usize) {
        eventually("the questions", || self.asked.lock().unwrap().len() >= count);
    }
}

impl Oracle for Silent {
    fn ask_amh(&self, question: i32, reply: ResponseHandler<i32>) {
        self.asked.lock().unwrap().push((question, reply));
    }
}

/// A server with a silent oracle, for each concurrency; and the oracle's key.
fn each(test: impl Fn(&Server, &Silent, &Ref<dyn Oracle>)) {
    for concurrency in CONCURRENCIES {
        let server = Server::of(orbs::listening_with(|s| s.concurrency = concurrency));
        let silent = Arc::new(Silent::default());
        let local = server.root_poa().activate(silent.clone() as Arc<dyn Oracle>).unwrap();
        test(&server, &silent, &orbs::travel(&local, &orbs::client()));
    }
}

fn request(oracle: &Ref<dyn Oracle>, id: u32, question: i32) -> Vec<u8> {
    let key = oracle.object().ior().iiop_profiles().next().unwrap().unwrap().object_key;
    let order = armilla_cdr::ByteOrder::NATIVE;
    let request = peer::request(Version::V1_2, order, &key, "ask", |out| {
        out.put_i32(question);
        Ok(())
    });
    peer::numbered(id, &request)
}

#[test]
fn a_thousand_requests_wait_without_threads_and_are_answered_in_any_order() {
    alone(|| {
        each(|server, silent, oracle| {
            let mut wire = Wire::connect(server.address());
            let requests: Vec<_> =
                (0..1_000).flat_map(|id| request(oracle, id, id as i32)).collect();
            let threads = || std::fs::read_dir("/proc/self/task").unwrap().count();
            let before = threads();
            wire.send(&requests);
            silent.await_asked(1_000);
            assert!(threads() < before + 200, "{} more threads", threads() - before);
            let mut asked = silent.take();
            let odd: Vec<_> = asked.extract_if(.., |(question, _)| *question % 2 == 1).collect();
            let answering = thread::spawn(move || {
                odd.into_iter()
                    .rev()
                    .for_each(|(question, reply)| reply.complete(Ok(question * 2)));
            });
            asked.into_iter().for_each(|(question, reply)| reply.complete(Ok(question * 2)));
            let mut answers: Vec<_> = (0..1_000)
                .map(|_| {
                    let reply = wire.message().unwrap();
                    let answer = i32::from_ne_bytes(*reply.last_chunk().unwrap());
                    (answered(&reply), answer)
                })
                .collect();
            answers.sort_unstable();
            assert!(answers.iter().enumerate().all(|(n, a)| *a == (n as u32, n as i32 * 2)));
            answering.join().unwrap();
        });
    });
}

#[test]
fn a_client_waits_for_the_reply_and_gets_exceptions_too() {
    each(|_, silent, oracle| {
        thread::scope(|scope| {
            let call = scope.spawn(|| ask(oracle, 6));
            silent.await_asked(1);
            assert!(!call.is_finished());
            let (question, reply) = silent.take().remove(0);
            assert!(!reply.is_cancelled());
            reply.complete(Ok(question * 7));
            assert_eq!(call.join().unwrap().unwrap(), 42);

            let call = scope.spawn(|| ask(oracle, 0));
            silent.await_asked(1);
            let no = SystemException::new(ExceptionKind::NoPermission, Minor(7), Completion::No);
            silent.take().remove(0).1.complete(Err(no));
            let error = call.join().unwrap().unwrap_err();
            assert_eq!((error.kind(), error.minor()), (ExceptionKind::NoPermission, Minor(7)));
        });
    });
}

#[test]
fn a_dropped_response_handler_is_reported_to_the_client() {
    each(|_, silent, oracle| {
        thread::scope(|scope| {
            let call = scope.spawn(|| ask(oracle, 1));
            silent.await_asked(1);
            drop(silent.take());
            let error = call.join().unwrap().unwrap_err();
            let got = (error.kind(), error.minor(), error.completed());
            assert_eq!(got, (ExceptionKind::NoResponse, Minor::REPLY_ABANDONED, Completion::Maybe));
            assert!(error.to_string().contains("gave up the right to reply"), "{error}");
        });
    });
}

#[test]
fn a_dropped_future_cancels_its_call() {
    each(|server, silent, oracle| {
        let mut wire = Wire::connect(server.address());
        wire.send(&[request(oracle, 1, 1), request(oracle, 2, 2)].concat());
        silent.await_asked(2);
        let [(_, first), (_, second)] = silent.take().try_into().unwrap();
        wire.send(&cancel_request(Version::V1_2, 1));
        eventually("the first is given up", || first.is_cancelled());
        assert!(!second.is_cancelled());
        first.complete(Ok(1));
        second.complete(Ok(2));
        assert_eq!(answered(&wire.message().unwrap()), 2, "the first has no reply");
        wire.send(&request(oracle, 3, 3));
        silent.await_asked(1);
        let (_, third) = silent.take().remove(0);
        drop(wire);
        eventually("the client is gone", || third.is_cancelled());
        third.complete(Ok(3));
    });
}

#[test]
fn a_server_that_shuts_down_waits_for_replies_that_come_later() {
    each(|server, silent, oracle| {
        let mut idle = Wire::connect(server.address());
        let mut wire = Wire::connect(server.address());
        wire.send(&request(oracle, 1, 1));
        silent.await_asked(1);
        let (_, reply) = silent.take().remove(0);
        thread::scope(|scope| {
            let ending = scope.spawn(|| server.shutdown());
            assert_eq!(idle.until_end(), [MessageKind::CloseConnection]);
            // A request that comes now is not begun any more, and so not answered.
            wire.send(&request(oracle, 2, 2));
            assert!(!ending.is_finished());
            reply.complete(Ok(1));
            assert_eq!(wire.until_end(), [MessageKind::Reply, MessageKind::CloseConnection]);
        });
        assert!(silent.take().is_empty());
    });
}

#[test]
fn a_plain_method_waits_for_the_handle() {
    let (sender, handles) = mpsc::channel::<ResponseHandler<String>>();
    let answering = thread::spawn(move || {
        let handle = handles.recv_timeout(PATIENCE).unwrap();
        assert!(!handle.is_cancelled());
        handle.complete(Ok("later".to_owned()));
        drop(handles.recv_timeout(PATIENCE).unwrap());
    });
    let wait = || ResponseHandler::wait_for(|reply| sender.send(reply).unwrap());
    assert_eq!(wait().unwrap(), "later");
    assert_eq!(wait().unwrap_err().kind(), ExceptionKind::NoResponse);
    answering.join().unwrap();
}

/// Takes its time, and never replies.
struct Slow;

impl Oracle for Slow {
    fn ask_amh(&self, _: i32, reply: ResponseHandler<i32>) {
        thread::sleep(Duration::from_millis(300));
        std::mem::forget(reply);
    }
}

#[test]
fn within_the_process_the_time_of_the_method_is_that_of_the_call() {
    let server = Server::of(orbs::listening_with(|settings| {
        settings.collocation = Collocation::ThroughPoa;
    }));
    let slow = server.root_poa().activate(Arc::new(Slow) as Arc<dyn Oracle>).unwrap();
    let begun = Instant::now();
    let error = ask(&slow.with_timeout(Duration::from_millis(400)), 1).unwrap_err();
    let elapsed = begun.elapsed();
    assert_eq!((error.kind(), error.completed()), (ExceptionKind::Timeout, Completion::Maybe));
    assert!(elapsed < Duration::from_millis(600), "the wait had the limit anew: {elapsed:?}");
}
