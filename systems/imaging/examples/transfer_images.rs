//! The three ways of moving an image (experiment E6), between two processes on one host:
//!
//! - through the ORB as `sequence<octet>`, in twoway calls of at most 4 MiB each;
//! - agreed on by a call, carried by a stream endpoint, over TCP and over a Unix-domain socket;
//! - by plain sockets: a connection for each image, 8 octets with the size, `sendfile`.
//!
//! ```text
//! cargo run --release -p armilla-imaging --example transfer_images [ROUNDS [VIEWERS]]
//! ```
//!
//! It prints medians over rounds, in which the ways take turns.

use armilla::Orb;
use armilla_imaging::audit::Guard;
use armilla_imaging::idl::{Image, Server, ServerRef, Source};
use armilla_imaging::query::everything;
use armilla_imaging::server::{ImageServer, ServerSettings};
use armilla_imaging::store::Store;
use armilla_stream::{FlowConsumer, FlowOptions, FlowRequest, Listener};
use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

#[path = "../tests/imaging/common.rs"]
#[allow(dead_code)] // the tests use more of it
mod common;

type Done<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// Edges of square images with 16 bits a pixel: 10, 20 and 40 MiB.
const EDGES: [u16; 3] = [2290, 3238, 4579];
const WAYS: [&str; 5] =
    ["plain sockets", "plain, Unix", "stream, TCP", "stream, Unix", "ORB, twoway"];
const CALL: u32 = 4 << 20;

fn main() -> Done {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "serve") {
        return serve();
    }
    let number = |at: usize, default| arguments.get(at).map_or(Ok(default), |text| text.parse());
    measure(number(0, 15)?, number(1, 1)?)
}

fn serve() -> Done {
    let scratch = common::Scratch::new();
    let store = Store::open(&scratch.file("store"), 0)?;
    for (number, edge) in EDGES.into_iter().enumerate() {
        let path = scratch.file("image");
        common::write_image(&path, "1.2.3", number as u16 + 1, edge, 0);
        store.import(&path)?;
    }
    let paths: Vec<_> = store.find(&everything()).iter().map(|i| store.path(&i.uid)).collect();
    let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
    let listener = Listener::builder().tcp("127.0.0.1", 0).unix().start()?;
    let name = "measured".to_owned();
    let guard = Guard::default();
    let settings = ServerSettings { name, store, listener, guard, procedures: None, through: None };
    let server = ImageServer::activate(&orb.root_poa(), settings)?;
    orb.perform_work()?;
    let tcp = TcpListener::bind("127.0.0.1:0")?;
    let local = scratch.file("plain");
    let unix = std::os::unix::net::UnixListener::bind(&local)?;
    println!("{} {}", tcp.local_addr()?, local.display());
    println!("{}", orb.object_to_string(server.object())?);
    let files = paths.clone();
    thread::spawn(move || {
        for stream in tcp.incoming().flatten() {
            let files = files.clone();
            thread::spawn(move || send_plain(stream, &files));
        }
    });
    thread::spawn(move || {
        for stream in unix.incoming().flatten() {
            let files = paths.clone();
            thread::spawn(move || send_plain(stream, &files));
        }
    });
    // Until the measuring process closes the pipe.
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// Sends the file whose number was asked for, by `sendfile`.
fn send_plain(mut stream: impl Read + Write + AsFd, files: &[impl AsRef<Path>]) -> io::Result<()> {
    let mut number = [0];
    stream.read_exact(&mut number)?;
    let file = File::open(&files[usize::from(number[0])])?;
    let mut left = file.metadata()?.len() as usize;
    stream.write_all(&(left as u64).to_be_bytes())?;
    while left > 0 {
        match rustix::fs::sendfile(&stream, &file, None, left)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            sent => left -= sent,
        }
    }
    Ok(())
}

struct Viewer {
    server: ServerRef,
    tcp: String,
    local: String,
    buffer: Vec<u8>,
}

impl Viewer {
    fn fetch(&mut self, way: &str, number: usize, image: &Image) -> Done<u64> {
        match way {
            "plain sockets" => {
                let stream = TcpStream::connect(&self.tcp)?;
                self.plain(stream, number)
            }
            "plain, Unix" => {
                let stream = UnixStream::connect(&self.local)?;
                self.plain(stream, number)
            }
            "ORB, twoway" => {
                let mut there = 0;
                while there < image.size {
                    there += self.server.read(&image.uid, there, CALL)?.len() as u64;
                }
                Ok(there)
            }
            way => {
                let transport = if way.ends_with("TCP") { "tcp" } else { "unix" };
                let connects = vec![transport.to_owned()];
                let request = FlowRequest { connects, ..FlowRequest::default() };
                let mut agreement = self.server.fetch(&image.uid, &request)?;
                // Plain sockets compare nothing, so this does not either.
                agreement.spec.algorithm = armilla_stream::Checksum::None;
                let mut consumer: FlowConsumer = agreement.collect(&FlowOptions::default())?;
                let mut there = 0;
                loop {
                    match consumer.read(&mut self.buffer)? {
                        0 => return Ok(there),
                        count => there += count as u64,
                    }
                }
            }
        }
    }

    fn plain(&mut self, mut stream: impl Read + Write, number: usize) -> Done<u64> {
        stream.write_all(&[number as u8])?;
        let mut size = [0; 8];
        stream.read_exact(&mut size)?;
        let size = u64::from_be_bytes(size);
        let mut left = size;
        while left > 0 {
            let most = left.min(self.buffer.len() as u64) as usize;
            match stream.read(&mut self.buffer[..most])? {
                0 => return Err("the plain connection was cut".into()),
                count => left -= count as u64,
            }
        }
        Ok(size)
    }
}

fn measure(rounds: usize, viewers: usize) -> Done {
    let mut server = Command::new(std::env::current_exe()?)
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut lines = BufReader::new(server.stdout.take().ok_or("no output")?).lines();
    let first = lines.next().ok_or("no address")??;
    let (tcp, local) = first.split_once(' ').ok_or("two addresses")?;
    let url = lines.next().ok_or("no reference")??;
    let orb = Orb::new()?;
    let reference: ServerRef = orb.resolve(&url)?;
    let (images, _) = reference.find(&everything())?;
    let mut all: Vec<_> = (0..viewers)
        .map(|_| Viewer {
            server: reference.clone(),
            tcp: tcp.to_owned(),
            local: local.to_owned(),
            buffer: vec![0; 256 << 10],
        })
        .collect();
    for (number, image) in images.iter().enumerate() {
        let mut times = WAYS.map(|_| Vec::new());
        for _ in 0..rounds {
            for (way, times) in WAYS.iter().zip(&mut times) {
                let begin = Instant::now();
                together(&mut all, way, number, image)?;
                times.push(begin.elapsed().as_secs_f64());
            }
        }
        let mebibytes = image.size as f64 * viewers as f64 / f64::from(1 << 20);
        println!("{} MiB, {viewers} at once", image.size >> 20);
        let medians = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        });
        for (at, (way, median)) in WAYS.iter().zip(medians).enumerate() {
            let base = if at == 1 || at == 3 { medians[1] } else { medians[0] };
            println!("  {way:<14} {:>6.0} MiB/s  {:.2}", mebibytes / median, base / median);
        }
    }
    drop(server.stdin.take());
    server.wait()?;
    Ok(())
}

fn together(all: &mut [Viewer], way: &str, number: usize, image: &Image) -> Done {
    thread::scope(|scope| {
        let fetch = |viewer: &'_ mut Viewer| viewer.fetch(way, number, image);
        let started: Vec<_> =
            all.iter_mut().map(|viewer| scope.spawn(move || fetch(viewer))).collect();
        for fetched in started {
            let there = fetched.join().map_err(|_| "a viewer failed")??;
            if there != image.size {
                return Err(format!("{there} octets came of {}", image.size).into());
            }
        }
        Ok(())
    })
}
