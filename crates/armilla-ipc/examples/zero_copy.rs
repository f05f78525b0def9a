//! What sending without a copy saves over the loopback, for each size: a file through a buffer
//! against `send_file`, a buffer sent plainly against `ZeroCopy`, a relay through a buffer against
//! `Relay`. Medians of interleaved rounds, in microseconds for a message.
//!
//! ```text
//! cargo run --release -p armilla-ipc --example zero_copy
//! ```

use armilla_ipc::zero_copy::{Relay, ZeroCopy, send_file};
use armilla_ipc::{Address, Stream, StreamOptions, TcpAcceptor, TcpConnector, TcpStream};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::net::Shutdown;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

const ROUNDS: usize = 11;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("   bytes  file: copied  sendfile   send: copied  in place   relay: copied   splice");
    for size in [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20] {
        let mut file = scratch_file(size)?;
        let bytes: Arc<[u8]> = vec![7; size].into();
        let mut times = [const { Vec::new() }; 6];
        for _ in 0..ROUNDS {
            times[0]
                .push(sending(size, |stream, count| copy_file(stream, &mut file, size, count))?);
            times[1].push(sending(size, |stream, count| {
                (0..count).try_for_each(|_| Ok(send_file(stream, &file, 0, size as u64)?))
            })?);
            times[2].push(sending(size, |stream, count| {
                (0..count).try_for_each(|_| Ok(stream.send_all(&bytes)?))
            })?);
            times[3].push(sending(size, |stream, count| {
                let mut sender = ZeroCopy::new(stream)?;
                (0..count).try_for_each(|_| sender.send(Arc::clone(&bytes)))?;
                sender.wait(None)
            })?);
            times[4].push(relaying(size, copy_stream)?);
            times[5]
                .push(relaying(size, |from, to| Ok(Relay::new()?.run(from, to).map(|_| ())?))?);
        }
        let [a, b, c, d, e, f] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[ROUNDS / 2]
        });
        println!("{size:8} {a:13.1} {b:9.1} {c:14.1} {d:9.1} {e:15.1} {f:8.1}");
    }
    Ok(())
}

/// A file with `size` bytes that no name stands for.
fn scratch_file(size: usize) -> io::Result<File> {
    let path = std::env::temp_dir().join(format!("zero-copy-{}", std::process::id()));
    let mut file = File::options().read(true).write(true).create_new(true).open(&path)?;
    std::fs::remove_file(path)?;
    file.write_all(&vec![7; size])?;
    Ok(file)
}

fn pair() -> io::Result<(TcpStream, TcpStream)> {
    let options = StreamOptions { congestion: Some("reno".into()), ..StreamOptions::default() };
    let acceptor = TcpAcceptor::bind(&Address::tcp("127.0.0.1", 0), &options)?;
    let client = TcpConnector::new(options).connect(acceptor.local(), None)?;
    Ok((client, acceptor.accept()?.expect("the acceptor is open")))
}

/// Microseconds for each of several messages of `size` bytes that `send` sends.
fn sending(size: usize, send: impl FnOnce(&TcpStream, usize) -> io::Result<()>) -> io::Result<f64> {
    let count = (16 << 20) / size;
    let (near, far) = pair()?;
    let reader = thread::spawn(move || drain(&far, size * count));
    let start = Instant::now();
    send(&near, count)?;
    reader.join().expect("the reader does not panic")?;
    Ok(start.elapsed().as_secs_f64() * 1e6 / count as f64)
}

/// Microseconds for each of several messages of `size` bytes that pass through `relay`.
fn relaying(
    size: usize,
    relay: impl FnOnce(&TcpStream, &TcpStream) -> io::Result<()>,
) -> io::Result<f64> {
    let count = (16 << 20) / size;
    let ((source, input), (output, sink)) = (pair()?, pair()?);
    let reader = thread::spawn(move || drain(&sink, size * count));
    let start = Instant::now();
    let writer = thread::spawn(move || {
        let bytes = vec![7; size];
        (0..count).try_for_each(|_| source.send_all(&bytes))?;
        source.shutdown(Shutdown::Write)
    });
    relay(&input, &output)?;
    writer.join().expect("the writer does not panic")?;
    reader.join().expect("the reader does not panic")?;
    Ok(start.elapsed().as_secs_f64() * 1e6 / count as f64)
}

fn drain(stream: &TcpStream, mut left: usize) -> io::Result<()> {
    let mut buffer = vec![0; 256 << 10];
    while left > 0 {
        left -= stream.recv(&mut buffer)?;
    }
    Ok(())
}

fn copy_file(stream: &TcpStream, file: &mut File, size: usize, count: usize) -> io::Result<()> {
    let mut buffer = vec![0; size.min(256 << 10)];
    for _ in 0..count {
        file.rewind()?;
        while let read @ 1.. = file.read(&mut buffer)? {
            stream.send_all(&buffer[..read])?;
        }
    }
    Ok(())
}

fn copy_stream(from: &TcpStream, to: &TcpStream) -> io::Result<()> {
    let mut buffer = vec![0; 256 << 10];
    while let read @ 1.. = from.recv(&mut buffer)? {
        to.send_all(&buffer[..read])?;
    }
    Ok(())
}
