//! What is sent arrives, whole, once and in order.

use super::{LONG, Pair, TestTransport, fresh_path, pattern, recv_exact};
use armilla_ipc::zero_copy::{Relay, Spliceable, send_file};
use armilla_ipc::{Stream, StreamOptions};
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::net::Shutdown;
use std::thread;
use std::time::Duration;

pub(crate) fn every_size_is_echoed<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    let sizes = [0, 1, 2, 3, 7, 8, 12, 127, 1460, 4096, 65_535, 65_536, 200_001, 1 << 20];
    thread::scope(|scope| {
        scope.spawn(|| {
            for size in sizes {
                let mut buffer = vec![0; size];
                recv_exact(&server, &mut buffer);
                server.send_all(&buffer).unwrap();
            }
        });
        for size in sizes {
            let sent = pattern(size);
            client.send_all(&sent).unwrap();
            let mut received = vec![0; size];
            recv_exact(&client, &mut received);
            assert!(sent == received, "{size} bytes came back changed");
        }
    });
}

pub(crate) fn bytes_are_received_behind_others<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    let sent = pattern(100_000);
    thread::scope(|scope| {
        scope.spawn(|| client.send_all(&sent).unwrap());
        let mut received = Vec::new();
        assert_eq!(server.recv_append(&mut received).unwrap(), 0, "no room");
        while received.len() < sent.len() {
            received.reserve_exact(1 + (sent.len() - received.len()) / 2);
            let (before, room) = (received.len(), received.capacity() - received.len());
            let count = server.recv_append(&mut received).unwrap();
            assert!(count > 0 && count <= room && received.len() == before + count);
            assert!(received == sent[..received.len()], "the bytes changed");
        }
        server.set_recv_timeout(Some(Duration::from_millis(10))).unwrap();
        received.reserve(1);
        let error = server.recv_append(&mut received).unwrap_err();
        assert_eq!((error.kind(), &received), (ErrorKind::TimedOut, &sent));
    });
}

pub(crate) fn many_parts_arrive_in_order<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    // Around the kernel's limit of 1,024 parts per call; every third part is empty.
    for (count, length) in [(0, 0), (1, 9), (2, 0), (16, 100), (1024, 3), (1025, 3), (5000, 70)] {
        let bytes = pattern(count * length);
        let mut rest = &bytes[..];
        let mut slices = Vec::new();
        for number in 0..count {
            let (part, behind) = rest.split_at(if number % 3 == 2 { 0 } else { length });
            slices.push(IoSlice::new(part));
            rest = behind;
        }
        let bytes = &bytes[..bytes.len() - rest.len()];
        thread::scope(|scope| {
            scope.spawn(|| client.send_all_vectored(&slices).unwrap());
            let mut received = vec![0; bytes.len()];
            recv_exact(&server, &mut received);
            assert!(bytes == received, "{count} parts of {length} bytes arrived changed");
        });
    }
}

pub(crate) fn a_sender_outruns_tiny_buffers<T: TestTransport>() {
    let options =
        StreamOptions { send_buffer: Some(1), recv_buffer: Some(1), ..StreamOptions::default() };
    let Pair { client, server, .. } = Pair::<T>::with(&options);
    let bytes = pattern(100_000);
    let parts: Vec<_> = bytes.chunks(777).map(IoSlice::new).collect();
    thread::scope(|scope| {
        scope.spawn(|| {
            client.send_all(&bytes).unwrap();
            client.send_all_vectored(&parts).unwrap();
        });
        let mut received = vec![0; 2 * bytes.len()];
        recv_exact(&server, &mut received);
        assert!(received[..bytes.len()] == bytes[..], "the single buffer arrived changed");
        assert!(received[bytes.len()..] == bytes[..], "the parts arrived changed");
    });
}

pub(crate) fn a_full_stream_reports_how_much_had_left<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    client.set_send_timeout(Some(Duration::from_millis(30))).unwrap();
    let bytes = pattern(64 << 20);
    let error = client.send_all(&bytes).unwrap_err();
    assert_eq!(error.source.kind(), ErrorKind::TimedOut, "{error}");
    assert!(error.to_string().contains(&error.sent.to_string()), "{error}");

    let parts: Vec<_> = bytes.chunks(100_000).map(IoSlice::new).collect();
    let again = client.send_all_vectored(&parts).unwrap_err();
    assert_eq!(again.source.kind(), ErrorKind::TimedOut, "{again}");

    // The counts are true: exactly so many bytes come out at the other end.
    drop(client);
    let mut received = vec![0; error.sent + again.sent];
    recv_exact(&server, &mut received);
    assert!(received[..error.sent] == bytes[..error.sent]);
    assert!(received[error.sent..] == bytes[..again.sent]);
    assert_eq!(server.recv(&mut [0; 1]).unwrap(), 0);
}

pub(crate) fn every_size_is_echoed_in_parts<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    for size in [3, 10, 1_000, 50_000] {
        let sent = pattern(size);
        let (head, tail) = sent.split_at(size / 3);
        thread::scope(|scope| {
            scope.spawn(|| {
                let parts = [IoSlice::new(head), IoSlice::new(tail)];
                match size {
                    10 => client.with_timeout(LONG).send_all_vectored(&parts).unwrap(),
                    _ => client.send_all_vectored(&parts).unwrap(),
                }
            });
            let mut received = vec![0; size];
            let (first, second) = received.split_at_mut(size / 2);
            let parts = &mut [IoSliceMut::new(first), IoSliceMut::new(second)];
            server.recv_all_vectored(parts).unwrap();
            assert!(sent == received, "{size} bytes arrived changed");
        });
    }
}

pub(crate) fn parts_are_filled_in_order<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    client.send_all(b"abcdef").unwrap();
    let (mut first, mut second, mut third) = ([0; 2], [0; 3], [b'.'; 4]);
    let mut count = 0;
    while count < 6 {
        // A transport may give less than has arrived, in pieces of its own.
        let mut all = [&mut first[..], &mut second, &mut third].map(IoSliceMut::new);
        let mut parts = &mut all[..];
        IoSliceMut::advance_slices(&mut parts, count);
        count += server.recv_vectored(parts).unwrap();
    }
    assert_eq!((&first, &second, &third), (b"ab", b"cde", b"f..."));
    let none = &mut [IoSliceMut::new(&mut [])];
    assert_eq!(server.recv_vectored(none).unwrap(), 0);
    assert_eq!(server.recv(&mut []).unwrap(), 0);
    server.recv_all(&mut []).unwrap();
}

pub(crate) fn single_sends_and_receptions_add_up<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    let bytes = pattern(3 << 20);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut sent = 0;
            while sent < bytes.len() {
                let (near, far) = bytes[sent..].split_at((bytes.len() - sent) / 2);
                let count = match sent % 2 {
                    0 => client.send(&bytes[sent..]),
                    _ => client.send_vectored(&[IoSlice::new(near), IoSlice::new(far)]),
                };
                sent += count.unwrap();
            }
        });
        let mut received = vec![0; bytes.len()];
        recv_exact(&server, &mut received);
        assert!(received == bytes);
    });
}

pub(crate) fn nothing_to_send_sends_nothing<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    let (nothing, empty) = (&[][..], [IoSlice::new(b""), IoSlice::new(b"")]);
    assert_eq!(client.send(b"").unwrap(), 0);
    client.send_all(b"").unwrap();
    for parts in [nothing, &empty] {
        assert_eq!(client.send_vectored(parts).unwrap(), 0);
        assert_eq!(client.try_send_vectored(parts).unwrap(), 0);
        client.send_all_vectored(parts).unwrap();
    }
    let error = server.with_timeout(Duration::ZERO).recv(&mut [0; 1]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut, "neither a byte nor the end");
    client.send_all(b"x").unwrap();
    server.set_recv_timeout(Some(LONG)).unwrap();
    assert_eq!(server.recv(&mut [0; 8]).unwrap(), 1);
}

pub(crate) fn bytes_that_come_one_by_one_are_put_together<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    let bytes = pattern(500);
    thread::scope(|scope| {
        scope.spawn(|| bytes.iter().for_each(|byte| client.send_all(&[*byte]).unwrap()));
        let mut received = vec![0; bytes.len()];
        server.recv_all(&mut received).unwrap();
        assert_eq!(received, bytes);
    });
}

pub(crate) fn an_early_end_tells_how_much_had_arrived<T: TestTransport>() {
    let Pair { client, server, .. } = Pair::<T>::new();
    server.set_recv_timeout(Some(Duration::from_millis(30))).unwrap();
    client.send_all(b"abc").unwrap();
    let mut buffer = [0; 5];
    let error = server.recv_all(&mut buffer).unwrap_err();
    assert_eq!((error.received, error.source.kind()), (3, ErrorKind::TimedOut), "{error}");
    assert_eq!(&buffer, b"abc\0\0");

    client.send_all(b"de").unwrap();
    let (mut first, mut second) = ([0; 1], [0; 5]);
    let parts = &mut [IoSliceMut::new(&mut first), IoSliceMut::new(&mut second)];
    let error = server.recv_all_vectored(parts).unwrap_err();
    assert_eq!((error.received, error.source.kind()), (2, ErrorKind::TimedOut), "{error}");
    assert_eq!((&first, &second), (b"d", b"e\0\0\0\0"));

    drop(client);
    let error = server.recv_all(&mut buffer).unwrap_err();
    assert_eq!((error.received, error.source.kind()), (0, ErrorKind::UnexpectedEof), "{error}");
}

pub(crate) fn the_kernel_moves_bytes_of_a_file_and_of_another_stream<
    T: TestTransport<Stream: Spliceable>,
>() {
    let (here, there) = (Pair::<T>::new(), Pair::<T>::new());
    let path = fresh_path();
    let bytes = pattern(700_000);
    std::fs::write(&path, &bytes).unwrap();
    let file = std::fs::File::open(&path).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            send_file(&here.client, &file, 1000, bytes.len() as u64 - 1000).unwrap();
            // More than a step of the relay may take is still on its way when it starts to wait.
            thread::sleep(Duration::from_millis(20));
            here.client.send_all(b"the end").unwrap();
            here.client.shutdown(Shutdown::Both).unwrap();
        });
        scope.spawn(|| {
            let mut received = vec![0; bytes.len() - 1000 + 7];
            recv_exact(&there.server, &mut received);
            assert!(received[..bytes.len() - 1000] == bytes[1000..]);
            assert_eq!(&received[bytes.len() - 1000..], b"the end");
        });
        let moved = Relay::new().unwrap().run(&here.server, &there.client);
        assert_eq!(moved.unwrap(), bytes.len() as u64 - 1000 + 7);
    });
    std::fs::remove_file(path).unwrap();

    let timeout = Duration::from_millis(20);
    let quiet = Pair::<T>::new();
    quiet.server.set_recv_timeout(Some(timeout)).unwrap();
    let error = Relay::new().unwrap().run(&quiet.server, &there.client).unwrap_err();
    assert_eq!(error.source.kind(), ErrorKind::TimedOut, "{error}");
    quiet.client.set_send_timeout(Some(timeout)).unwrap();
    let large = std::fs::File::open("/proc/self/exe").unwrap();
    let length = large.metadata().unwrap().len();
    let error = (0..100).find_map(|_| send_file(&quiet.client, &large, 0, length).err()).unwrap();
    assert_eq!(error.source.kind(), ErrorKind::TimedOut, "{error}");

    drop(quiet.server);
    let error = (0..100).find_map(|_| send_file(&quiet.client, &large, 0, length).err()).unwrap();
    let kind = error.source.kind();
    assert!(matches!(kind, ErrorKind::BrokenPipe | ErrorKind::ConnectionReset), "{error}");
}

pub(crate) fn standard_readers_and_writers_work_on_streams_and_on_references_to_them<
    T: TestTransport,
>()
where
    for<'s> &'s T::Stream: Read + Write,
{
    let Pair { client, server, .. } = Pair::<T>::new();
    let server: Box<dyn Stream> = Box::new(server);
    let bytes = pattern(300_000);
    thread::scope(|scope| {
        // One thread writes while another reads, through two references to one stream.
        scope.spawn(|| {
            writeln!(&client, "{}", bytes.len()).unwrap();
            (&client).write_all(&bytes).unwrap();
        });
        scope.spawn(|| {
            let mut lines = BufReader::new(&*server);
            let mut size = String::new();
            lines.read_line(&mut size).unwrap();
            let mut body = vec![0; size.trim().parse().unwrap()];
            lines.read_exact(&mut body).unwrap();
            let mut out = BufWriter::new(&*server);
            io::copy(&mut &body[..], &mut out).unwrap();
            out.flush().unwrap();
        });
        let mut back = vec![0; bytes.len()];
        (&client).read_exact(&mut back).unwrap();
        assert!(back == bytes, "the bytes came back changed");
    });
}
