//! Same-host endpoints: what peers get, and what those get that say something wrong or nothing.

use armilla_ipc::shm::same_host::{Carrier, SameHostAcceptor, Users, connect};
use armilla_ipc::{Address, Stream, StreamOptions, UnixConnector, UnixStream};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};
use std::io::ErrorKind;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{fs::File, thread};

const LONG: Duration = Duration::from_secs(20);

/// An acceptor for this user, with a thread that answers each stream by what it receives.
fn echo(has_memory: impl Fn() -> bool + Send + Sync + 'static) -> Arc<SameHostAcceptor> {
    let acceptor = SameHostAcceptor::bind(Users::Own, has_memory, StreamOptions::default());
    let acceptor = Arc::new(acceptor.unwrap());
    let accepting = acceptor.clone();
    thread::spawn(move || {
        while let Some(stream) = accepting.accept().unwrap() {
            thread::spawn(move || {
                let mut buffer = [0; 64];
                while let Ok(count @ 1..) = stream.recv(&mut buffer) {
                    stream.send_all(&buffer[..count]).unwrap();
                }
            });
        }
    });
    acceptor
}

/// What a client that wants this gets, and that it works.
fn gets(acceptor: &SameHostAcceptor, wanted: Carrier) -> Carrier {
    let options = StreamOptions::default();
    let connected = connect(&acceptor.name(), (wanted, &options), &Users::Own, LONG);
    let (stream, carrier) = connected.unwrap();
    stream.set_recv_timeout(Some(LONG)).unwrap();
    for text in [&b"one"[..], b"another"] {
        stream.send_all(text).unwrap();
        let mut answer = vec![0; text.len()];
        stream.recv_all(&mut answer).unwrap();
        assert_eq!(answer, text);
    }
    assert_eq!(Carrier::of(&*stream), Some(carrier));
    assert_eq!(stream.credentials().unwrap().process, std::process::id());
    carrier
}

#[test]
fn a_peer_gets_what_it_wants_as_far_as_the_acceptor_has_it() {
    let has = Arc::new(AtomicBool::new(true));
    let asked = has.clone();
    let acceptor = echo(move || asked.load(Ordering::SeqCst));
    assert_eq!(gets(&acceptor, Carrier::Memory), Carrier::Memory);
    assert_eq!(gets(&acceptor, Carrier::Socket), Carrier::Socket);
    has.store(false, Ordering::SeqCst);
    assert_eq!(gets(&acceptor, Carrier::Memory), Carrier::Socket);
    acceptor.close();
}

#[test]
fn a_user_whom_one_side_does_not_want_is_refused_by_either() {
    let options = StreamOptions::default();
    let nobody = Users::Only(vec![u32::MAX - 1]);
    let error = |acceptor: &SameHostAcceptor, users: &Users| {
        let wanted = (Carrier::Memory, &options);
        connect(&acceptor.name(), wanted, users, LONG).map(|(_, carrier)| carrier).unwrap_err()
    };
    let ours = echo(|| true);
    assert_eq!(error(&ours, &nobody).kind(), ErrorKind::PermissionDenied);
    let others = SameHostAcceptor::bind(nobody, || true, options.clone()).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| assert!(others.accept().unwrap().is_none()));
        assert_eq!(error(&others, &Users::Own).kind(), ErrorKind::PermissionDenied);
        others.close();
    });
    ours.close();
    assert_eq!(error(&ours, &Users::Own).kind(), ErrorKind::ConnectionRefused, "it is closed");
}

#[test]
fn a_client_that_gets_no_answer_has_waited_no_longer_than_it_wanted() {
    let options = StreamOptions::default();
    let silent = SameHostAcceptor::bind(Users::Own, || true, options.clone()).unwrap();
    let wanted = (Carrier::Memory, &options);
    let limit = Duration::from_millis(20);
    let error = connect(&silent.name(), wanted, &Users::Own, limit).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
}

/// A peer that speaks for itself.
fn stranger(acceptor: &SameHostAcceptor) -> UnixStream {
    let address: &Address = acceptor.local();
    let stream = UnixConnector::default().connect(address, Some(LONG)).unwrap();
    stream.set_recv_timeout(Some(LONG)).unwrap();
    stream
}

/// As where rules for the system calls of a process, or its limits, forbid it to map the memory.
#[test]
fn a_peer_of_which_the_memory_cannot_be_had_gets_the_socket() {
    let acceptor = echo(|| true);
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let memory = memfd_create("not to be written", flags).unwrap();
    ftruncate(&memory, 3 * 4096).unwrap();
    let seals = SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE | SealFlags::SEAL;
    fcntl_add_seals(&memory, seals).unwrap();
    let stream = stranger(&acceptor);
    stream.send_with_descriptors(b"ARMSHM\0\x02\x0c\x0c", &[memory.as_fd()]).unwrap();
    let mut answer = [0; 6];
    stream.recv_all(&mut answer[..1]).unwrap();
    stream.send_all(b"hello").unwrap();
    stream.recv_all(&mut answer[1..]).unwrap();
    assert_eq!(&answer, b"Shello");
    acceptor.close();
}

#[test]
fn strangers_who_say_nothing_or_something_wrong_keep_nobody_waiting() {
    let acceptor = echo(|| true);
    let silent: Vec<_> = (0..300).map(|_| stranger(&acceptor)).collect();
    let no_memory = File::open("/dev/null").unwrap();
    let memory = [&b"ARMSHM\0\x02"[..], &[12, 12]].concat();
    let sayings: [(&[u8], bool); 9] = [
        (b"GET / HTTP/1.1\r\n\r\n", false),
        (b"A", false),
        (b"ARMSOC\0\x02\0\0", false),
        (b"ARMSHM\0\x01\x0c\x0c", true),
        (&memory, false),
        (&memory, true),
        (b"ARMSHM\0\x02\xff\x00", true),
        (b"ARMSOC\0\x01\0\0", true),
        (b"ARMSOC\0\x01", false),
    ];
    for (said, passes) in sayings {
        let stream = stranger(&acceptor);
        match passes {
            true => stream.send_with_descriptors(said, &[no_memory.as_fd()]).unwrap(),
            false => stream.send_all(said).unwrap(),
        }
        let end = stream.recv(&mut [0; 8]);
        let is_over = match &end {
            Ok(count) => *count == 0,
            Err(error) => error.kind() == ErrorKind::ConnectionReset,
        };
        assert!(is_over, "{}: {end:?}", said.escape_ascii());
    }
    assert_eq!(gets(&acceptor, Carrier::Memory), Carrier::Memory);
    drop(silent);
    acceptor.close();
}
