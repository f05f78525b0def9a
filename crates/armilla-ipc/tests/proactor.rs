//! The proactor, the kernel's and the emulated one: the same tests for both.

#![cfg(feature = "proactor")]

use armilla_ipc::proactor::{AttachedSocket, Backend, OperationResult, Proactor};
use armilla_ipc::reactor::{Reactor, Timer};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// More than any step may take on a loaded machine.
const LONG: Duration = Duration::from_secs(20);

/// Every kind of proactor that there is here.
fn kinds() -> Vec<Proactor> {
    let mut kinds = vec![Proactor::with(Backend::Emulated).unwrap()];
    match Proactor::with(Backend::IoUring) {
        Ok(uring) => kinds.push(uring),
        Err(error) => println!("no io_uring: {error}"),
    }
    kinds
}

/// A completion that keeps what it is told.
type Log = Arc<Mutex<Vec<OperationResult>>>;

fn keep(log: &Log) -> Arc<impl Fn(&Proactor, OperationResult) + Send + Sync + use<>> {
    let log = Arc::clone(log);
    Arc::new(move |_: &Proactor, done| log.lock().unwrap().push(done))
}

/// Turns until `count` operations are complete.
fn until(proactor: &Proactor, log: &Log, count: usize) -> Vec<OperationResult> {
    while log.lock().unwrap().len() < count {
        proactor.handle_events(Some(LONG)).unwrap();
    }
    std::mem::take(&mut *log.lock().unwrap())
}

fn pair(proactor: &Proactor) -> (AttachedSocket, UnixStream) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    (proactor.attach(Arc::new(ours)).unwrap(), theirs)
}

#[test]
fn bytes_are_received_into_the_buffer_and_the_end_is_zero() {
    for proactor in kinds() {
        let (log, (source, mut peer)) = (Log::default(), pair(&proactor));
        peer.write_all(b"hello").unwrap();
        proactor.receive(&source, vec![0; 16], keep(&log)).unwrap();
        let done = until(&proactor, &log, 1).remove(0);
        assert_eq!(&done.buffer[..done.result.unwrap()], b"hello");
        assert_eq!(done.buffer.len(), 16);

        proactor.receive(&source, done.buffer, keep(&log)).unwrap();
        assert_eq!(
            proactor.handle_events(Some(Duration::from_millis(5))).unwrap(),
            0,
            "nothing to receive"
        );
        drop(peer);
        assert_eq!(until(&proactor, &log, 1).remove(0).result.unwrap(), 0);
    }
}

#[test]
fn a_send_goes_on_until_the_last_byte() {
    for proactor in kinds() {
        let (log, (source, mut peer)) = (Log::default(), pair(&proactor));
        let reader = thread::spawn(move || {
            let mut all = Vec::new();
            peer.read_to_end(&mut all).unwrap();
            all
        });
        let bytes: Vec<u8> = (0..3_000_000_u32).map(|n| (n >> 4) as u8).collect();
        proactor.send(&source, bytes.clone(), keep(&log)).unwrap();
        assert_eq!(until(&proactor, &log, 1).remove(0).result.unwrap(), bytes.len());
        proactor.detach(&source);
        drop((source, proactor));
        assert!(reader.join().unwrap() == bytes);
    }
}

#[test]
fn both_directions_are_under_way_at_once_but_no_direction_twice() {
    for proactor in kinds() {
        let (log, (source, mut peer)) = (Log::default(), pair(&proactor));
        proactor.receive(&source, vec![0; 8], keep(&log)).unwrap();
        let again = proactor.receive(&source, vec![0; 8], keep(&log)).unwrap_err();
        assert_eq!(again.kind(), ErrorKind::ResourceBusy);
        proactor.send(&source, b"out".to_vec(), keep(&log)).unwrap();
        assert_eq!(until(&proactor, &log, 1).remove(0).result.unwrap(), 3);
        peer.write_all(b"in").unwrap();
        assert_eq!(until(&proactor, &log, 1).remove(0).result.unwrap(), 2);
    }
}

#[test]
fn peers_are_accepted() {
    for (number, proactor) in kinds().into_iter().enumerate() {
        let name = format!("armilla-proactor-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let listener = proactor.attach(Arc::new(UnixListener::bind(&path).unwrap())).unwrap();
        let log = Log::default();
        for _ in 0..3 {
            proactor.accept(&listener, keep(&log)).unwrap();
            assert_eq!(proactor.handle_events(Some(Duration::from_millis(2))).unwrap(), 0);
            let mut client = UnixStream::connect(&path).unwrap();
            let done = until(&proactor, &log, 1).remove(0);
            let mut server = UnixStream::from(done.peer.unwrap());
            client.write_all(b"x").unwrap();
            server.read_exact(&mut [0; 1]).unwrap();
        }
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn detaching_cancels_what_is_under_way_and_what_would_follow() {
    for proactor in kinds() {
        let (log, (source, mut peer)) = (Log::default(), pair(&proactor));
        proactor.receive(&source, vec![0; 8], keep(&log)).unwrap();
        proactor.handle_events(Some(Duration::ZERO)).unwrap();
        thread::scope(|scope| scope.spawn(|| proactor.detach(&source)).join().unwrap());
        let done = until(&proactor, &log, 1).remove(0);
        let code = rustix::io::Errno::CANCELED.raw_os_error();
        assert_eq!(done.result.unwrap_err().raw_os_error(), Some(code));
        drop(done.source);
        proactor.detach(&source);
        let error = proactor.receive(&source, vec![0; 8], keep(&log)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotConnected);
        drop(source);
        assert_eq!(peer.read(&mut [0; 1]).unwrap(), 0, "the socket is closed");
    }
}

#[test]
fn many_operations_are_under_way_at_once() {
    const MANY: usize = 150;
    for proactor in kinds() {
        let log = Log::default();
        let mut pairs: Vec<_> = (0..MANY).map(|_| pair(&proactor)).collect();
        let all_receive = |pairs: &[(AttachedSocket, UnixStream)]| {
            for (source, _) in pairs {
                proactor.receive(source, vec![0; 8], keep(&log)).unwrap();
            }
        };
        all_receive(&pairs);
        for (number, (_, peer)) in pairs.iter_mut().enumerate() {
            peer.write_all(&(number as u32).to_ne_bytes()).unwrap();
        }
        let mut numbers: Vec<_> = until(&proactor, &log, MANY)
            .into_iter()
            .map(|done| {
                assert_eq!(done.result.unwrap(), 4);
                u32::from_ne_bytes(done.buffer[..4].try_into().unwrap())
            })
            .collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..MANY as u32), "each has been told once");

        all_receive(&pairs);
        pairs.iter().for_each(|(source, _)| proactor.detach(source));
        let cancelled = until(&proactor, &log, MANY);
        assert!(cancelled.into_iter().all(|done| done.result.is_err()));
    }
}

#[test]
fn an_operation_started_by_another_thread_wakes_the_running_one() {
    for proactor in kinds() {
        let (log, (source, mut peer)) = (Log::default(), pair(&proactor));
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(10)); // most likely waiting by now
                proactor.send(&source, b"now".to_vec(), keep(&log)).unwrap();
            });
            until(&proactor, &log, 1);
        });
        peer.read_exact(&mut [0; 3]).unwrap();
    }
}

#[test]
fn the_reactor_within_is_served_too() {
    for proactor in kinds() {
        let count = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&count);
        let tick = move |reactor: &Reactor, _: Timer| {
            if counter.fetch_add(1, Ordering::SeqCst) == 2 {
                reactor.stop();
            }
            Some(Duration::from_millis(1))
        };
        proactor.reactor().arm(Duration::ZERO, Arc::new(tick));
        proactor.run().unwrap();
        assert_eq!(count.load(Ordering::SeqCst), 3);
    }
}

#[test]
fn dropping_a_proactor_takes_its_operations_back() {
    for proactor in kinds() {
        let (log, (source, peer)) = (Log::default(), pair(&proactor));
        proactor.receive(&source, vec![0; 1 << 16], keep(&log)).unwrap();
        proactor.handle_events(Some(Duration::ZERO)).unwrap();
        drop((proactor, source));
        assert!(log.lock().unwrap().is_empty());
        drop(peer);
    }
}

#[test]
fn without_io_uring_the_reactor_stands_in() {
    let without = thread::spawn(|| {
        forbid::io_uring();
        assert!(Proactor::with(Backend::IoUring).is_err());
        let proactor = Proactor::new().unwrap();
        let (log, (source, mut peer)) = (Log::default(), pair(&proactor));
        proactor.receive(&source, vec![0; 8], keep(&log)).unwrap();
        peer.write_all(b"hello").unwrap();
        assert_eq!(until(&proactor, &log, 1).remove(0).result.unwrap(), 5);
        proactor.backend()
    });
    assert_eq!(without.join().unwrap(), Backend::Emulated);
}

/// Makes the calling thread one of an older kernel, or of one whose operator forbids io_uring.
mod forbid {
    #![allow(unsafe_code)]

    use libc::{BPF_ABS, BPF_JEQ, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, sock_filter};

    pub(super) fn io_uring() {
        let step = |code: u32, jt, jf, k| sock_filter { code: code as u16, jt, jf, k };
        let number = libc::SYS_io_uring_setup as u32;
        let refusal = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned();
        let mut filter = [
            step(BPF_LD | BPF_W | BPF_ABS, 0, 0, 0), // the number of the system call
            step(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, number),
            step(BPF_RET | BPF_K, 0, 0, refusal),
            step(BPF_RET | BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
        ];
        let program = libc::sock_fprog { len: 4, filter: filter.as_mut_ptr() };
        // SAFETY: plain numbers, and a program that lives until the call has copied it.
        unsafe {
            assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
            let mode = libc::SECCOMP_MODE_FILTER;
            assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program, 0, 0), 0);
        }
    }
}
