//! Descriptors that travel, credentials, and sending without copies.

#![cfg(all(feature = "pipe", feature = "zero-copy"))]

use armilla_ipc::pipe::{ReadEnd, WriteEnd};
use armilla_ipc::unix::MAX_DESCRIPTORS;
use armilla_ipc::zero_copy::{Relay, ZeroCopy, send_file};
use armilla_ipc::{
    Address, Stream, StreamOptions, TcpAcceptor, TcpConnector, TcpStream, UnixStream,
};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const LONG: Option<Duration> = Some(Duration::from_secs(20));

fn tcp_pair() -> (TcpStream, TcpStream) {
    let options = StreamOptions::default();
    let acceptor = TcpAcceptor::bind(&Address::tcp("127.0.0.1", 0), &options).unwrap();
    let client = TcpConnector::new(options).connect(acceptor.local(), LONG).unwrap();
    let server = acceptor.accept().unwrap().unwrap();
    for stream in [&client, &server] {
        stream.set_recv_timeout(LONG).unwrap();
        stream.set_send_timeout(LONG).unwrap();
    }
    (client, server)
}

#[test]
fn a_passed_descriptor_outlives_the_original() {
    let path = std::env::temp_dir().join(format!("armilla-passed-{}", std::process::id()));
    let mut file = File::create_new(&path).unwrap();
    file.write_all(b"contents").unwrap();
    let (near, far) = UnixStream::pair().unwrap();
    near.send_with_descriptors(b"take this", &[file.as_fd(), file.as_fd()]).unwrap();
    drop((near, file));

    let (mut text, mut descriptors) = ([0; 32], Vec::new());
    let count = far.recv_with_descriptors(&mut text, &mut descriptors).unwrap();
    assert_eq!((&text[..count], descriptors.len()), (&b"take this"[..], 2));
    let path_in = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&descriptors[0]));
    let mut copy = File::open(path_in).unwrap();
    let mut contents = String::new();
    copy.rewind().unwrap();
    copy.read_to_string(&mut contents).unwrap();
    assert_eq!(contents, "contents");
    assert_eq!(far.recv_with_descriptors(&mut text, &mut descriptors).unwrap(), 0);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn values_that_cannot_be_sent_are_refused_before_sending() {
    let (near, far) = UnixStream::pair().unwrap();
    let many = [near.as_fd(); MAX_DESCRIPTORS + 1];
    for (bytes, descriptors) in [(&b""[..], &many[..1]), (b"x", &many[..])] {
        let error = near.send_with_descriptors(bytes, descriptors).unwrap_err();
        assert_eq!((error.sent, error.source.kind()), (0, ErrorKind::InvalidInput));
    }
    near.send_with_descriptors(b"y", &many[..MAX_DESCRIPTORS]).unwrap();
    let mut descriptors = Vec::new();
    far.recv_with_descriptors(&mut [0; 1], &mut descriptors).unwrap();
    assert_eq!(descriptors.len(), MAX_DESCRIPTORS);
    UnixStream::from_descriptor(descriptors.remove(0)).unwrap();
    let (tcp, _peer) = tcp_pair();
    let foreign = tcp.as_fd().try_clone_to_owned().unwrap();
    assert_eq!(UnixStream::from_descriptor(foreign).unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn more_descriptors_than_fit_are_closed_and_told_of() {
    let (near, far) = UnixStream::pair().unwrap();
    let (carried, other) = UnixStream::pair().unwrap();
    other.set_recv_timeout(LONG).unwrap();
    let many = [carried.as_fd(); MAX_DESCRIPTORS + 1];
    let mut space = [std::mem::MaybeUninit::uninit(); 128];
    let mut control = rustix::net::SendAncillaryBuffer::new(&mut space);
    assert!(control.push(rustix::net::SendAncillaryMessage::ScmRights(&many)));
    let (bytes, flags) = ([std::io::IoSlice::new(b"x")], rustix::net::SendFlags::empty());
    rustix::net::sendmsg(&near, &bytes, &mut control, flags).unwrap();
    drop(carried);
    let mut descriptors = Vec::new();
    let error = far.recv_with_descriptors(&mut [0; 8], &mut descriptors).unwrap_err();
    assert_eq!((error.kind(), descriptors.len()), (ErrorKind::InvalidData, 0));
    assert_eq!(other.recv(&mut [0; 1]).unwrap(), 0, "all copies are closed");
}

#[test]
fn a_foreign_descriptor_is_accepted_only_as_its_own_kind() {
    let (near, far) = tcp_pair();
    let copy = || near.as_fd().try_clone_to_owned().unwrap();
    let adopted = TcpStream::from_descriptor(copy()).unwrap();
    assert_eq!((adopted.peer(), adopted.local()), (near.peer(), near.local()));
    adopted.send_all(b"hello").unwrap();
    far.recv_all(&mut [0; 5]).unwrap();
    for refused in [
        ReadEnd::from_descriptor(copy()).map(drop),
        UnixStream::from_descriptor(copy()).map(drop),
        TcpStream::from_descriptor(
            UnixStream::pair().unwrap().0.as_fd().try_clone_to_owned().unwrap(),
        )
        .map(drop),
        TcpStream::from_descriptor(File::open("/dev/null").unwrap().into()).map(drop),
    ] {
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::InvalidInput);
    }

    let mut child =
        Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let to_child = WriteEnd::from_descriptor(child.stdin.take().unwrap().into()).unwrap();
    let from_child = ReadEnd::from_descriptor(child.stdout.take().unwrap().into()).unwrap();
    from_child.set_timeout(LONG);
    to_child.send_all(b"through a child").unwrap();
    from_child.recv_all(&mut [0; 15]).unwrap();
    drop(to_child);
    assert_eq!(from_child.recv(&mut [0; 1]).unwrap(), 0);
    child.wait().unwrap();
}

#[test]
fn the_kernel_vouches_for_the_peer() {
    let (near, _far) = UnixStream::pair().unwrap();
    let peer = near.peer_credentials().unwrap();
    let stream: &dyn Stream = &near;
    assert_eq!(stream.credentials(), Some(peer));
    assert_eq!(peer.process, std::process::id());
    assert_eq!(peer.user, rustix::process::geteuid().as_raw());
    assert_eq!(peer.group, rustix::process::getegid().as_raw());
}

#[test]
fn a_part_of_a_file_is_sent() {
    let file = File::open(std::env::current_exe().unwrap()).unwrap();
    let mut contents = Vec::new();
    (&file).read_to_end(&mut contents).unwrap();
    let (near, far) = tcp_pair();
    let (offset, length) = (1_000, contents.len().min(3 << 20) - 1_000);
    thread::scope(|scope| {
        scope.spawn(|| send_file(&near, &file, offset as u64, length as u64).unwrap());
        let mut received = vec![0; length];
        far.recv_all(&mut received).unwrap();
        assert!(received == contents[offset..offset + length]);
    });
    let error = send_file(&near, &file, contents.len() as u64 - 5, 9).unwrap_err();
    assert_eq!((error.sent, error.source.kind()), (5, ErrorKind::UnexpectedEof));
}

#[test]
fn a_file_is_sent_within_a_limit_however_slowly_the_peer_takes_it() {
    let file = File::open(std::env::current_exe().unwrap()).unwrap();
    let (near, far) = tcp_pair();
    near.with_timeout(Duration::from_secs(20)).send_file(&file, 3, 5_000).unwrap();
    far.recv_all(&mut [0; 5_000]).unwrap();
    let limit = Duration::from_millis(50);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut some = vec![0; 20_000];
            while !done.load(Ordering::Relaxed) {
                far.recv(&mut some).unwrap();
                thread::sleep(Duration::from_millis(2));
            }
        });
        // Longer than the queues, and sent again and again, it lasts until the limit.
        let length = file.metadata().unwrap().len();
        let (start, mut sent) = (Instant::now(), 0);
        let error = loop {
            match near.with_timeout(limit).send_file(&file, 0, length) {
                Ok(()) => sent += length,
                Err(error) => break error,
            }
            assert!(start.elapsed() < LONG.unwrap(), "{sent} bytes and no limit");
        };
        done.store(true, Ordering::Relaxed);
        assert_eq!(error.source.kind(), ErrorKind::TimedOut, "{error}");
        assert!((error.sent as u64) < length);
    });
}

/// How often this thread has gone to sleep.
fn sleeps() -> u64 {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    count.unwrap().trim().parse().unwrap()
}

#[test]
fn waiting_for_a_stream_that_was_shut_down_sleeps() {
    let (near, _far) = tcp_pair();
    near.set_send_timeout(Some(Duration::from_millis(5))).unwrap();
    let mut sender = ZeroCopy::new(&near).unwrap();
    let large: Arc<[u8]> = vec![1; 64 << 20].into();
    assert_eq!(sender.send(large).unwrap_err().source.kind(), ErrorKind::TimedOut);
    near.shutdown(Shutdown::Both).unwrap();
    let before = sleeps();
    match sender.wait(Some(Duration::from_millis(400))) {
        Ok(()) => {} // copied at once, and confirmed by then
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::TimedOut);
            assert!(sleeps() - before > 3, "it asks again and again without a pause");
        }
    }
}

#[test]
fn a_relay_moves_a_stream_to_its_end() {
    let ((source, input), (output, sink)) = (tcp_pair(), UnixStream::pair().unwrap());
    let bytes: Vec<u8> = (0..3_000_000_u32).map(|n| (n >> 8) as u8).collect();
    thread::scope(|scope| {
        scope.spawn(|| {
            source.send_all(&bytes).unwrap();
            source.shutdown(Shutdown::Write).unwrap();
        });
        let moved = scope.spawn(|| Relay::new().unwrap().run(&input, &output).unwrap());
        let mut received = vec![0; bytes.len()];
        sink.recv_all(&mut received).unwrap();
        assert!(received == bytes);
        assert_eq!(moved.join().unwrap(), bytes.len() as u64);
    });
    input.set_recv_timeout(Some(Duration::from_millis(5))).unwrap();
    let (quiet, _source) = tcp_pair();
    quiet.set_recv_timeout(Some(Duration::from_millis(5))).unwrap();
    let error = Relay::new().unwrap().run(&quiet, &output).unwrap_err();
    assert_eq!((error.sent, error.source.kind()), (0, ErrorKind::TimedOut));
}

#[test]
fn a_relay_ends_within_its_limit_however_slowly_the_bytes_come() {
    let ((source, input), (output, sink)) = (tcp_pair(), UnixStream::pair().unwrap());
    let limit = Duration::from_millis(50);
    let done = AtomicBool::new(false);
    let error = thread::scope(|scope| {
        // A peer that drips never lets a single wait run out.
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                source.send_all(b".").unwrap();
                thread::sleep(Duration::from_millis(2));
            }
        });
        let start = Instant::now();
        let error = Relay::new().unwrap().with_timeout(limit).run(&input, &output).unwrap_err();
        done.store(true, Ordering::Relaxed);
        assert!(start.elapsed() >= limit);
        error
    });
    assert_eq!(error.source.kind(), ErrorKind::TimedOut, "{error}");
    let mut received = vec![0; error.sent];
    sink.recv_all(&mut received).unwrap();
    assert_eq!(sink.try_recv(&mut [0; 1]).unwrap_err().kind(), ErrorKind::WouldBlock);

    // Nor does it wait longer for one that takes nothing.
    let (source, input) = UnixStream::pair().unwrap();
    let bytes = vec![0; 8 << 20];
    thread::scope(|scope| {
        scope.spawn(|| source.send_all(&bytes));
        let error = Relay::new().unwrap().with_timeout(limit).run(&input, &output).unwrap_err();
        assert_eq!(error.source.kind(), ErrorKind::TimedOut, "{error}");
        assert!(error.sent < bytes.len());
        drop(input);
    });
}

#[test]
fn a_buffer_that_is_sent_in_place_is_kept_until_it_is_confirmed() {
    let (near, far) = tcp_pair();
    let bytes: Arc<[u8]> = (0..900_000_u32).map(|n| (n >> 6) as u8).collect();
    let mut sender = ZeroCopy::new(&near).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut received = vec![0; 2 * bytes.len()];
            far.recv_all(&mut received).unwrap();
            assert!(received[..bytes.len()] == bytes[..] && received[bytes.len()..] == bytes[..]);
        });
        sender.send(Arc::clone(&bytes)).unwrap();
        sender.send(Arc::clone(&bytes)).unwrap();
    });
    sender.wait(LONG).unwrap();
    assert_eq!(Arc::strong_count(&bytes), 1);
    assert!(sender.was_copied(), "on the loopback the kernel copies");

    let second = ZeroCopy::new(&near).unwrap_err();
    assert_eq!(second.kind(), ErrorKind::ResourceBusy, "confirmations would be confused");
    drop(sender);
    let small: Arc<[u8]> = vec![1; 10].into();
    let mut sender = ZeroCopy::new(&near).unwrap();
    for _ in 0..ZeroCopy::MAX_BUFFERS + 10 {
        sender.send(Arc::clone(&small)).unwrap();
        assert!(Arc::strong_count(&small) <= ZeroCopy::MAX_BUFFERS + 2);
    }
    sender.wait(LONG).unwrap();
    drop(sender);

    // Nobody reads, so the kernel cannot be done with it, nor can another one begin.
    near.set_send_timeout(Some(Duration::from_millis(5))).unwrap();
    let large: Arc<[u8]> = vec![1; 64 << 20].into();
    let mut sender = ZeroCopy::new(&near).unwrap();
    let error = sender.send(large).unwrap_err();
    assert_eq!(error.source.kind(), ErrorKind::TimedOut);
    assert!(error.to_string().contains("5ms"), "the error names the limit: {error}");
    drop(sender);
    match ZeroCopy::new(&near) {
        Ok(_) => {} // copied at once, and confirmed by then
        Err(error) => assert_eq!(error.kind(), ErrorKind::ResourceBusy),
    }
}
