//! One suite that every kind of datagram socket must pass. A kind says how its test sockets are
//! made, see [`Sockets`], and gets its tests by one line of [`datagram_conformance!`]; a transport,
//! whose sockets can be connected too, says where they are, see [`TestTransport`], and gets all of
//! them.

use crate::signals;
use armilla_ipc::datagram::{Batch, ConnectedDatagram, Datagram, DatagramTransport};
use std::fmt::Debug;
use std::io::{ErrorKind, IoSlice, IoSliceMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// More than any step of a test may take on a loaded machine; only a failing test waits so long.
const LONG: Duration = Duration::from_secs(20);

/// A kind of socket under test.
pub(crate) trait Sockets {
    type Addr: Clone + Debug + PartialEq + Send + Sync;
    type Socket: Datagram<Addr = Self::Addr>;

    /// A new socket, under what address it is reached, and under which its datagrams come.
    fn make() -> (Self::Socket, Self::Addr, Self::Addr);
}

/// Where a transport under test can meet.
pub(crate) trait TestTransport: DatagramTransport {
    /// An address that no socket has.
    fn fresh() -> Self::Addr;
}

impl<T: TestTransport> Sockets for T {
    type Addr = T::Addr;
    type Socket = T::Socket;

    fn make() -> (T::Socket, T::Addr, T::Addr) {
        let socket = T::bind(&T::fresh()).unwrap();
        let address = socket.local().unwrap();
        (socket, address.clone(), address)
    }
}

/// A new socket, and where it is reached.
fn bind<T: Sockets>() -> (T::Socket, T::Addr) {
    let (socket, address, _) = T::make();
    socket.set_recv_timeout(Some(LONG)).unwrap();
    (socket, address)
}

/// A new socket, and under what address its datagrams come.
fn source<T: Sockets>() -> (T::Socket, T::Addr) {
    let (socket, _, name) = T::make();
    (socket, name)
}

/// Two sockets connected to each other.
fn pair<T: TestTransport>() -> (T::Connected, T::Connected) {
    let ((a, at_a), (b, at_b)) = (bind::<T>(), bind::<T>());
    (T::connect(a, &at_b).unwrap(), T::connect(b, &at_a).unwrap())
}

pub(crate) fn datagrams_arrive_whole_with_their_sender<T: Sockets>() {
    let ((a, at_a), (b, at_b)) = (source::<T>(), bind::<T>());
    for size in [0, 1, 2, 1_400, 9_000] {
        let sent: Vec<u8> = (0..size).map(|n| n as u8).collect();
        a.send_to(&sent, &at_b).unwrap();
        let mut buffer = [0; 10_000];
        let (received, from) = b.recv_from(&mut buffer).unwrap();
        assert_eq!((received.length, received.whole, &from), (size, size, &at_a));
        assert!(!received.is_truncated());
        assert_eq!(buffer[..size], sent);
    }
}

pub(crate) fn a_datagram_that_does_not_fit_says_so<T: Sockets>() {
    let ((a, _), (b, at_b)) = (bind::<T>(), bind::<T>());
    a.send_to(b"abcdef", &at_b).unwrap();
    a.send_to(b"gh", &at_b).unwrap();
    let mut buffer = [0; 4];
    let (received, _) = b.recv_from(&mut buffer).unwrap();
    assert_eq!((received.length, received.whole), (4, 6));
    assert!(received.is_truncated());
    assert_eq!(&buffer, b"abcd");
    let (received, _) = b.recv_from(&mut buffer).unwrap();
    assert_eq!((received.length, &buffer[..2]), (2, &b"gh"[..]), "the rest is gone");
}

pub(crate) fn a_reception_times_out_in_bounded_time<T: Sockets>() {
    let (a, _) = bind::<T>();
    let timeout = Duration::from_millis(30);
    a.set_recv_timeout(Some(timeout)).unwrap();
    let start = Instant::now();
    let error = a.recv_from(&mut [0; 8]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert!(error.to_string().contains("30ms"), "{error}");
    assert_eq!(a.recv_batch(&mut Batch::new(4, 8)).unwrap_err().kind(), ErrorKind::TimedOut);
    assert!((timeout..LONG).contains(&start.elapsed()));
}

pub(crate) fn an_attempt_does_not_wait<T: Sockets>() {
    let ((a, at_a), (b, at_b)) = (source::<T>(), bind::<T>());
    assert_eq!(b.try_recv_from(&mut [0; 8]).unwrap_err().kind(), ErrorKind::WouldBlock);
    a.try_send_to(b"abcdef", &at_b).unwrap();
    let start = Instant::now();
    let (received, from) = loop {
        match b.try_recv_from(&mut [0; 4]) {
            Err(error) if error.kind() == ErrorKind::WouldBlock && start.elapsed() < LONG => {}
            other => break other.unwrap(),
        }
    };
    assert_eq!((received.length, received.whole, from), (4, 6, at_a));
}

pub(crate) fn an_attempt_between_connected_sockets_does_not_wait<T: TestTransport>() {
    let (c, d) = pair::<T>();
    let start = Instant::now();
    assert_eq!(d.try_recv(&mut [0; 8]).unwrap_err().kind(), ErrorKind::WouldBlock);
    // Until the queue is full, or for ever where what does not fit is lost.
    let full = (0..100_000).find_map(|_| c.try_send(&[7; 999]).err());
    assert!(full.is_none_or(|error| error.kind() == ErrorKind::WouldBlock));
    let first = loop {
        match d.try_recv(&mut [0; 1000]) {
            Err(error) if error.kind() == ErrorKind::WouldBlock && start.elapsed() < LONG => {}
            other => break other.unwrap(),
        }
    };
    assert_eq!((first.length, first.whole), (999, 999));
}

pub(crate) fn parts_travel_as_one_datagram<T: Sockets>() {
    let ((a, at_a), (b, at_b)) = (source::<T>(), bind::<T>());
    let sent = ["", "head", "", "and payload"].map(|part| IoSlice::new(part.as_bytes()));
    a.send_vectored_to(&sent, &at_b).unwrap();
    let (mut head, mut payload) = ([0; 4], [0; 8]);
    let parts = &mut [IoSliceMut::new(&mut head), IoSliceMut::new(&mut payload)];
    let (received, from) = b.recv_vectored_from(parts).unwrap();
    assert_eq!((received.length, received.whole, from), (12, 15, at_a));
    assert_eq!((&head, &payload), (b"head", b"and payl"));
}

pub(crate) fn parts_travel_between_connected_sockets<T: TestTransport>() {
    let sent = ["head", "", "and payload"].map(|part| IoSlice::new(part.as_bytes()));
    let (mut head, mut payload) = ([0; 4], [0; 8]);
    let (c, d) = pair::<T>();
    c.send_vectored(&sent).unwrap();
    let parts = &mut [IoSliceMut::new(&mut payload), IoSliceMut::new(&mut head)];
    assert_eq!(d.recv_vectored(parts).unwrap().whole, 15);
    d.set_recv_timeout(Some(Duration::from_millis(5))).unwrap();
    assert_eq!(d.recv_vectored(parts).unwrap_err().kind(), ErrorKind::TimedOut);
    assert_eq!((&payload, &head), (b"headand ", b"payl"));
}

pub(crate) fn more_parts_than_the_system_takes_are_refused_and_not_cut<T: TestTransport>() {
    let (a, b) = pair::<T>();
    let sent = vec![IoSlice::new(b"."); 1025];
    let error = a.send_vectored(&sent).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::EMSGSIZE), "{error}");
    a.send_vectored(&sent[..1024]).unwrap();
    assert_eq!(b.recv(&mut [0; 2000]).unwrap().length, 1024);
    a.send_vectored(&[]).unwrap();
    assert_eq!(b.recv(&mut [0; 8]).unwrap().whole, 0, "an empty datagram is one");
    a.send(b"whole").unwrap();
    let received = b.recv(&mut []).unwrap();
    assert_eq!((received.length, received.whole), (0, 5));
}

pub(crate) fn a_batch_that_fails_half_way_says_how_much_was_sent<T: Sockets>() {
    let ((a, _), (b, at_b)) = (bind::<T>(), bind::<T>());
    let (good, long) = (vec![1; 10], vec![2; 8 << 20]);
    let list = [(&good[..], &at_b), (&good[..], &at_b), (&long[..], &at_b), (&good[..], &at_b)];
    assert_eq!(a.send_batch(&list).unwrap(), 2);
    let error = a.send_batch(&list[2..]).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::EMSGSIZE), "the rest brings the error to light");
    for _ in 0..2 {
        assert_eq!(b.recv_from(&mut [0; 16]).unwrap().0.whole, 10);
    }
    assert_eq!(b.try_recv_from(&mut [0; 16]).unwrap_err().kind(), ErrorKind::WouldBlock);
}

pub(crate) fn an_address_in_use_is_named<T: TestTransport>() {
    let (_a, at_a) = bind::<T>();
    let error = T::bind(&at_a).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::AddrInUse);
    assert!(error.to_string().contains("cannot bind to"), "{error}");
}

pub(crate) fn a_batch_arrives_in_order_with_its_senders<T: Sockets>() {
    let ((a, at_a), (b, at_b)) = (source::<T>(), bind::<T>());
    let payloads: Vec<Vec<u8>> = (0..150_usize).map(|n| vec![n as u8; n % 7]).collect();
    let mut seen = 0;
    thread::scope(|scope| {
        scope.spawn(|| {
            for part in payloads.chunks(5) {
                let list: Vec<_> = part.iter().map(|bytes| (&bytes[..], &at_b)).collect();
                assert_eq!(a.send_batch(&list).unwrap(), list.len());
            }
        });
        let mut batch = Batch::new(64, 4);
        while seen < payloads.len() {
            let count = b.recv_batch(&mut batch).unwrap();
            assert_eq!((count, batch.len()), (batch.iter().count(), count));
            for arrival in batch.iter() {
                let sent = &payloads[seen];
                assert_eq!(arrival.bytes, &sent[..sent.len().min(4)]);
                assert_eq!(arrival.truncated, sent.len() > 4);
                assert_eq!(arrival.from, Some(&at_a));
                seen += 1;
            }
        }
    });
}

pub(crate) fn connected_sockets_talk_to_each_other_alone<T: TestTransport>() {
    let (a, b) = pair::<T>();
    assert_eq!((a.peer().unwrap(), b.peer().unwrap()), (b.local().unwrap(), a.local().unwrap()));
    a.send(b"hello").unwrap();
    let mut buffer = [0; 8];
    assert_eq!(b.recv(&mut buffer).unwrap().length, 5);
    assert_eq!(a.send_batch(&[b"x", b"yz"]).unwrap(), 2);
    let mut batch = Batch::new(8, 8);
    let mut lengths = Vec::new();
    while lengths.len() < 2 {
        b.recv_batch(&mut batch).unwrap();
        lengths.extend(batch.iter().map(|arrival| arrival.bytes.len()));
    }
    assert_eq!(lengths, [1, 2]);

    // Refused at the sender or dropped at the receiver, but never received.
    let (stranger, _) = bind::<T>();
    stranger.set_send_timeout(Some(LONG)).unwrap();
    let _ = stranger.send_to(b"psst", &b.local().unwrap());
    a.send(b"friend").unwrap();
    assert_eq!(b.recv(&mut buffer).unwrap().length, 6);
}

pub(crate) fn a_peer_that_has_gone_is_noticed<T: TestTransport>() {
    let (a, b) = pair::<T>();
    drop(b);
    let start = Instant::now();
    // UDP learns it from the answer to a datagram.
    let error = loop {
        match a.send(b"anybody?") {
            Ok(()) => thread::yield_now(),
            Err(error) => break error,
        }
        assert!(start.elapsed() < LONG, "nobody says that the peer has gone");
    };
    let kind = error.kind();
    assert!(matches!(kind, ErrorKind::ConnectionRefused | ErrorKind::NotConnected), "{error}");
}

pub(crate) fn a_datagram_too_long_is_refused<T: Sockets>() {
    let ((a, _), (_b, at_b)) = (bind::<T>(), bind::<T>());
    let error = a.send_to(&vec![0; 8 << 20], &at_b).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::EMSGSIZE), "{error}");
}

pub(crate) fn a_signal_interrupts_nothing<T: Sockets>() {
    let ((a, _), (b, at_b)) = (bind::<T>(), bind::<T>());
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let receiver = scope.spawn(|| {
            let this = signals::this_thread();
            let done = &done;
            scope.spawn(move || signals::pester(this, done, LONG));
            // Each waits, for a while at least, with a timeout: the kernel does not restart it.
            for _ in 0..10 {
                assert_eq!(b.recv_from(&mut [0; 8]).unwrap().0.length, 3);
            }
            let mut batch = Batch::new(4, 8);
            assert_eq!(b.recv_batch(&mut batch).unwrap(), 1);
            done.store(true, Ordering::Relaxed);
        });
        for _ in 0..11 {
            thread::sleep(Duration::from_millis(3));
            a.send_to(b"abc", &at_b).unwrap();
        }
        receiver.join().unwrap();
    });
}

/// Runs the suite: `datagram_conformance!(sockets Kind)` what every socket does, and
/// `datagram_conformance!(Transport)` beyond that what those do that have an address to themselves
/// and can be connected.
macro_rules! datagram_conformance {
    (sockets $kind:ty) => {
        datagram_conformance!($kind:
            datagrams_arrive_whole_with_their_sender,
            a_datagram_that_does_not_fit_says_so,
            a_reception_times_out_in_bounded_time,
            an_attempt_does_not_wait,
            parts_travel_as_one_datagram,
            a_batch_that_fails_half_way_says_how_much_was_sent,
            a_batch_arrives_in_order_with_its_senders,
            a_datagram_too_long_is_refused,
            a_signal_interrupts_nothing,
        );
    };
    ($transport:ty) => {
        datagram_conformance!(sockets $transport);
        datagram_conformance!($transport:
            an_attempt_between_connected_sockets_does_not_wait,
            parts_travel_between_connected_sockets,
            more_parts_than_the_system_takes_are_refused_and_not_cut,
            an_address_in_use_is_named,
            connected_sockets_talk_to_each_other_alone,
            a_peer_that_has_gone_is_noticed,
        );
    };
    ($transport:ty: $($test:ident),* $(,)?) => {
        $(
            #[test]
            fn $test() {
                datagrams::$test::<$transport>();
            }
        )*
    };
}
pub(crate) use datagram_conformance;
