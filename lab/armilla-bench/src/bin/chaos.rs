//! `chaos [CALLS [-ORB…]]` calls a server that is killed, stopped, ended in order and started anew
//! all the time, while connections are cut at either end, and checks that the outcome of every call
//! is true: what has returned was executed once, what has failed with `COMPLETED_NO` never, what
//! failed otherwise once at most, and every call ended in its time. The server notes each execution in a file before it answers, so nothing
//! is lost with it. The `-ORB…` options are those of both sides: `-ORBSameHost off` is TCP.
//!
//! `chaos serve FILE [-ORB…]` is the server.

use armilla::{Completion, Orb, SystemException};
use armilla_bench::bench::{self, Library, LibraryRef, StringSeq};
use rustix::fd::OwnedFd;
use rustix::net::sockopt::socket_type;
use rustix::net::{Shutdown, SocketAddrUnix, SocketType, getpeername, getsockname, shutdown};
use rustix::process::{
    Pid, PidfdFlags, PidfdGetfdFlags, Signal, kill_process, pidfd_getfd, pidfd_open,
};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// How many threads call at once.
const THREADS: u32 = 4;

/// The time limit of a call, and how much later it may end on a busy machine.
const LIMIT: Duration = Duration::from_millis(300);
const LATE: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.first().map(String::as_str) {
        Some("serve") => serve(&arguments[1..]).map(|()| true),
        _ => run(&arguments),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            eprintln!("usage: chaos [CALLS [-ORB…]]");
            ExitCode::from(2)
        }
    }
}

/// Notes the number of each call.
struct Notary(File);

impl Library for Notary {
    fn get_single_string(&self, number: u32) -> Result<String, SystemException> {
        // The file is open for appending: a note is written whole, or not at all.
        (&self.0).write_all(&number.to_le_bytes()).map_err(|_| internal())?;
        Ok(number.to_string())
    }

    fn get_multiple_strings(&self, _: u32, _: u32) -> Result<StringSeq, SystemException> {
        Ok(StringSeq::default())
    }
}

fn internal() -> SystemException {
    let (kind, minor) = (armilla::ExceptionKind::Internal, armilla::Minor::default());
    SystemException::new(kind, minor, Completion::Maybe)
}

fn serve(arguments: &[String]) -> Outcome {
    let (file, options) = arguments.split_first().ok_or("the file is missing")?;
    let notes = OpenOptions::new().append(true).create(true).open(file)?;
    let builder = Orb::builder().listen("iiop://127.0.0.1:0")?;
    let orb = builder.arguments(options.iter().cloned())?.build()?;
    let library = orb.root_poa().activate(bench::library::tie(Notary(notes)))?;
    println!("{}", orb.object_to_string(&library)?);
    Ok(orb.run()?)
}

/// A server process.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(file: &str, options: &[String]) -> Outcome<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("serve").arg(file).args(options).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut url = String::new();
        let output = child.stdout.take().ok_or("no output")?;
        BufReader::new(output).read_line(&mut url)?;
        Ok(Self { child, url: url.trim().to_owned() })
    }

    fn pid(&self) -> Outcome<Pid> {
        let process = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        Ok(process.ok_or("no process")?)
    }

    fn signal(&self, signal: Signal) -> Outcome {
        Ok(kill_process(self.pid()?, signal)?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Of a process that has ended nothing is left to kill.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// What the threads share.
struct Shared {
    target: Mutex<LibraryRef>,
    next: AtomicU32,
    calls: u32,
    over: AtomicBool,
    /// By number: the completion of a call that has failed; `Yes` if it has returned.
    ended: Mutex<Vec<Option<Completion>>>,
    /// How often calls ended so, by the kind of the exception.
    kinds: Mutex<BTreeMap<String, u32>>,
    ways: Mutex<BTreeMap<String, u32>>,
    late: AtomicU32,
    wrong: AtomicU32,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Makes calls until there are enough.
    fn call(&self) {
        loop {
            let number = self.next.fetch_add(1, Relaxed);
            if number >= self.calls {
                return;
            }
            let target = lock(&self.target).clone();
            let begun = Instant::now();
            let outcome = target.get_single_string(number);
            if begun.elapsed() > LIMIT + LATE {
                self.late.fetch_add(1, Relaxed);
            }
            let (completion, kind) = match &outcome {
                Ok(text) => {
                    if *text != number.to_string() {
                        self.wrong.fetch_add(1, Relaxed);
                    }
                    (Completion::Yes, "returned".to_owned())
                }
                Err(error) => {
                    (error.completed(), format!("{:?}, {:?}", error.kind(), error.completed()))
                }
            };
            let way = target.object().way().map_or_else(String::new, |way| way.to_string());
            *lock(&self.ways).entry(way).or_default() += 1;
            *lock(&self.kinds).entry(kind).or_default() += 1;
            lock(&self.ended)[number as usize] = Some(completion);
        }
    }
}

/// Pseudorandom numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) % limit
    }
}

/// Whether a socket is a connection to another process, over TCP or of the same host: of a pair
/// that a process has made for itself neither end has a name.
fn is_connection(socket: &OwnedFd) -> bool {
    let (Ok(SocketType::STREAM), Ok(Some(peer)), Ok(own)) =
        (socket_type(socket), getpeername(socket), getsockname(socket))
    else {
        return false;
    };
    [peer, own].into_iter().any(|name| match SocketAddrUnix::try_from(name) {
        // None has an empty one.
        Ok(name) => name.abstract_name().or(name.path_bytes()).is_some_and(|name| !name.is_empty()),
        Err(_) => true,
    })
}

/// The connections of a process, as our own descriptors.
fn connections(process: Pid) -> Outcome<Vec<OwnedFd>> {
    let handle = pidfd_open(process, PidfdFlags::empty())?;
    let mut found = Vec::new();
    for entry in fs::read_dir(format!("/proc/{}/fd", process.as_raw_nonzero()))? {
        let number = entry?.file_name().to_str().ok_or("no number")?.parse()?;
        // It may be closed meanwhile.
        let Ok(file) = pidfd_getfd(&handle, number, PidfdGetfdFlags::empty()) else { continue };
        if is_connection(&file) {
            found.push(file);
        }
    }
    Ok(found)
}

/// Cuts one of the connections of a process, wholly or in one direction, without its knowledge.
fn cut(process: Pid, random: &mut Random) -> Outcome<&'static str> {
    let connections = connections(process)?;
    if connections.is_empty() {
        return Ok("without a connection to cut");
    }
    let victim = &connections[random.below(connections.len() as u64) as usize];
    let how = match random.below(4) {
        0 => Shutdown::Read,
        1 => Shutdown::Write,
        _ => Shutdown::Both,
    };
    // The peer may have ended it first.
    shutdown(victim, how).ok();
    Ok(match process == rustix::process::getpid() {
        true => "cut off at the client",
        false => "cut off",
    })
}

/// Disturbs the server until all calls are made. Returns how often it did what.
fn disturb(
    shared: &Shared,
    mut server: Server,
    client: &Orb,
    (file, options): (&str, &[String]),
) -> Outcome<BTreeMap<&'static str, u32>> {
    let (mut random, mut done) = (Random(0x9e37_79b9_7f4a_7c15), BTreeMap::new());
    while !shared.over.load(Relaxed) {
        thread::sleep(Duration::from_millis(5 + random.below(60)));
        let what = match random.below(16) {
            0..6 => "killed",
            6..9 => "ended in order",
            9..12 => "stopped",
            12..14 => cut(server.pid()?, &mut random)?,
            _ => cut(rustix::process::getpid(), &mut random)?,
        };
        *done.entry(what).or_default() += 1;
        match what {
            "killed" => server.signal(Signal::KILL)?,
            "ended in order" => server.signal(Signal::INT)?,
            "stopped" => {
                server.signal(Signal::STOP)?;
                // Now and then for longer than a call may take.
                thread::sleep(Duration::from_millis(1 + random.below(450)));
                server.signal(Signal::CONT)?;
                continue;
            }
            _ => continue,
        }
        server.child.wait()?;
        server = Server::start(file, options)?;
        let target = client.string_to_object(&server.url)?.assume();
        *lock(&shared.target) = target;
    }
    Ok(done)
}

fn run(arguments: &[String]) -> Outcome<bool> {
    let (calls, options) = match arguments.split_first() {
        Some((calls, options)) if !calls.starts_with('-') => (calls.parse()?, options),
        _ => (100_000, arguments),
    };
    let file = std::env::temp_dir().join(format!("armilla-chaos-{}", std::process::id()));
    let name = file.to_string_lossy().into_owned();
    let server = Server::start(&name, options)?;
    let client = Orb::builder().arguments(options.iter().cloned())?;
    let client = client.settings(|settings| settings.call_timeout = Some(LIMIT)).build()?;
    let shared = Shared {
        target: Mutex::new(client.string_to_object(&server.url)?.assume()),
        next: AtomicU32::new(0),
        calls,
        over: AtomicBool::new(false),
        ended: Mutex::new(vec![None; calls as usize]),
        kinds: Mutex::default(),
        ways: Mutex::default(),
        late: AtomicU32::new(0),
        wrong: AtomicU32::new(0),
    };
    let begun = Instant::now();
    let done = thread::scope(|scope| {
        let disturber = scope.spawn(|| {
            disturb(&shared, server, &client, (&name, options)).map_err(|e| e.to_string())
        });
        let callers: Vec<_> = (0..THREADS).map(|_| scope.spawn(|| shared.call())).collect();
        let whole = callers.into_iter().all(|caller| caller.join().is_ok());
        shared.over.store(true, Relaxed);
        let done = disturber.join().map_err(|_| "the disturber has panicked".to_owned())??;
        if whole { Ok(done) } else { Err("a caller has panicked".to_owned()) }
    });
    // The server is dead by now, so nothing is executed any more.
    let notes = fs::read(&file)?;
    fs::remove_file(&file).ok();
    let mut executed = vec![0_u32; calls as usize];
    for note in notes.chunks_exact(4) {
        let number = u32::from_le_bytes([note[0], note[1], note[2], note[3]]);
        executed[number as usize] += 1;
    }
    println!(
        "{calls} calls in {:.1} s; the server was: {:?}",
        begun.elapsed().as_secs_f64(),
        done?
    );
    lock(&shared.ways).iter().for_each(|(way, count)| println!("  by {way}: {count}"));
    lock(&shared.kinds).iter().for_each(|(kind, count)| println!("  {kind}: {count}"));
    let false_ones = lock(&shared.ended)
        .iter()
        .zip(&executed)
        .filter(|(ended, count)| {
            !matches!(
                (ended, count),
                (Some(Completion::Yes), 1)
                    | (Some(Completion::No), 0)
                    | (Some(Completion::Maybe), 0..=1)
            )
        })
        .count();
    let (late, wrong) = (shared.late.load(Relaxed), shared.wrong.load(Relaxed));
    println!("false outcomes: {false_ones}; wrong results: {wrong}; too late: {late}");
    client.shutdown();
    Ok(false_ones == 0 && wrong == 0 && late == 0)
}
