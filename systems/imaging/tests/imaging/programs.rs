//! The program in processes of its own: to be measured, limited and killed.

use crate::common::Scratch;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long something may take that happens at once on an idle machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until something is so.
pub(crate) fn wait_until(what: &str, mut so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !so() {
        assert!(begun.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// A server, a locator or a cache.
pub(crate) struct Program {
    child: Child,
    /// Commands of a shell before it.
    before: String,
    arguments: Vec<String>,
    pub(crate) url: String,
    /// Addresses for browsers and for modalities, if it has them.
    pub(crate) web: String,
    pub(crate) modalities: String,
}

impl Program {
    /// A server with a page.
    pub(crate) fn serve(store: &Path) -> Self {
        Self::start(&["serve", "--http", "127.0.0.1:0", "--store", store.to_str().unwrap()])
    }

    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_after("", arguments)
    }

    /// The same at another endpoint for calls.
    pub(crate) fn start_at(endpoint: &str, arguments: &[&str]) -> Self {
        let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Self::try_start("", &arguments, endpoint).expect("it is ready")
    }

    /// Begins it in a shell that has run `before`, and waits until it is ready.
    pub(crate) fn start_after(before: &str, arguments: &[&str]) -> Self {
        let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Self::try_start(before, &arguments, "iiop://127.0.0.1:0").expect("it is ready")
    }

    fn try_start(before: &str, arguments: &[String], endpoint: &str) -> Option<Self> {
        let mut child = Command::new("sh")
            .args(["-c", &format!("{before}\nexec \"$0\" \"$@\"")])
            .arg(env!("CARGO_BIN_EXE_armilla-imaging"))
            .args(arguments)
            .args(["-ORBEndpoint", endpoint])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let Some(url) = ready.trim().strip_prefix("ready ").map(str::to_owned) else {
            child.wait().unwrap();
            lines.for_each(|line| eprintln!("{}", line.unwrap_or_default()));
            return None;
        };
        let (mut web, mut modalities) = (String::new(), String::new());
        let wants = |option: &str| arguments.iter().any(|argument| argument == option);
        while wants("--http") && web.is_empty() || wants("--dicom") && modalities.is_empty() {
            let line = lines.next().unwrap().unwrap();
            if let Some(url) = line.strip_prefix("web: http://") {
                url.trim_end_matches('/').clone_into(&mut web);
            } else if let Some(at) = line.strip_prefix("modalities: ARMILLA at ") {
                at.clone_into(&mut modalities);
            }
        }
        // What it says later must not fill the pipe.
        thread::spawn(move || lines.for_each(drop));
        let (before, arguments) = (before.to_owned(), arguments.to_vec());
        Some(Self { child, before, arguments, url, web, modalities })
    }

    /// Ends it as `kill -9` does.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again where it was.
    pub(crate) fn restart(&mut self) {
        let at = self.url.split("::").nth(1).unwrap().split('/').next().unwrap();
        let endpoint = format!("iiop://{at}");
        wait_until("it is ready again", || {
            // Another process may have its port for a moment.
            let again = Self::try_start(&self.before, &self.arguments, &endpoint);
            again.map(|again| *self = again).is_some()
        });
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The most that it has had in memory, in KiB.
    pub(crate) fn peak(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim_end_matches("kB").trim().parse().unwrap()
    }

    /// How many threads it has for flows and associations, and how many descriptors.
    pub(crate) fn holds(&self) -> (usize, usize) {
        let entries = |what: &str| {
            let entries = fs::read_dir(format!("/proc/{}/{what}", self.id())).unwrap();
            entries.flatten().map(|entry| entry.path())
        };
        // The system keeps 15 characters of a name; a thread may end meanwhile.
        let name = |task: PathBuf| fs::read_to_string(task.join("comm")).unwrap_or_default();
        let serves = |name: &String| ["armilla-flow", "dicom-associati"].contains(&name.trim());
        (entries("task").map(name).filter(serves).count(), entries("fd").count())
    }

    /// Begins to ask for something below `/dicomweb`.
    pub(crate) fn ask(&self, path: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.web).unwrap();
        let head = format!("GET /dicomweb/{path} HTTP/1.0\r\nHost: localhost\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        stream
    }

    /// The status of `/healthz`.
    pub(crate) fn health(&self) -> u16 {
        let mut stream = TcpStream::connect(&self.web).unwrap();
        stream.write_all(b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().parse().unwrap()
    }

    /// The body of an answer, of whose octets only the number counts.
    pub(crate) fn get(&self, path: &str) -> usize {
        let mut stream = self.ask(path);
        let (mut count, mut buffer) = (0, vec![0; 64 << 10]);
        loop {
            let more = stream.read(&mut buffer).unwrap();
            if count == 0 {
                assert!(buffer.starts_with(b"HTTP/1.0 200"), "{path}");
            }
            count += more;
            if more == 0 {
                return count;
            }
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A command that ends by itself.
pub(crate) fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_armilla-imaging")).args(arguments).output().unwrap()
}

/// The names of the files in a directory.
pub(crate) fn names(directory: &Path) -> Vec<String> {
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<_> =
        fs::read_dir(directory).unwrap().map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

/// Images with so many pixels in a row, in two stores; their identifiers.
pub(crate) fn in_both(scratch: &Scratch, stores: &[&str; 2], edge: u16, count: u16) -> Vec<String> {
    let path = scratch.file("both.dcm");
    let stores =
        stores.map(|name| armilla_imaging::store::Store::open(&scratch.file(name), 0).unwrap());
    let store = |number| {
        let uid = crate::common::write_image(&path, "1.2.3", number, edge, number);
        stores.iter().for_each(|store| drop(store.import(&path).unwrap()));
        uid
    };
    (1..=count).map(store).collect()
}
