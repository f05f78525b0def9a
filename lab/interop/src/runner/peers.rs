//! The servers and clients of all ORBs, with the same options.

use super::Step;
use super::process::{Process, TemporaryDirectory};
use super::results::Group;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The versions of GIOP.
pub const VERSIONS: [&str; 3] = ["1.0", "1.1", "1.2"];

/// The time limit for the start and the end of a server.
const SHORT: Duration = Duration::from_secs(15);

/// The time limit for all checks of a client.
const LONG: Duration = Duration::from_secs(60);

/// The ORB of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orb {
    /// Armilla's.
    Us,
    /// omniORB's.
    Omni,
    /// omniORBpy's, which has a server only.
    OmniPy,
    /// JacORB's.
    Jac,
}

impl Orb {
    /// As the names of groups have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Us => "us",
            Self::Omni => "omni",
            Self::OmniPy => "omnipy",
            Self::Jac => "jac",
        }
    }

    /// The option that limits the version of GIOP, and its value. JacORB limits its references
    /// alone: as a client it speaks the version that the server's reference has.
    pub fn max_giop(self, version: &str) -> [&str; 2] {
        match (self, version) {
            (Self::Us, _) => ["-ORBMaxGIOPVersion", version],
            (Self::Omni | Self::OmniPy, _) => ["-ORBmaxGIOPVersion", version],
            (Self::Jac, "1.0") => ["--property", "jacorb.giop_minor_version=0"],
            (Self::Jac, "1.1") => ["--property", "jacorb.giop_minor_version=1"],
            (Self::Jac, _) => ["--property", "jacorb.giop_minor_version=2"],
        }
    }

    /// The option that makes the ORB listen at a port of the loopback, 0 being any.
    pub(super) fn endpoint(self, port: u16) -> [String; 2] {
        match (self, port) {
            (Self::Us, _) => ["-ORBEndpoint".into(), format!("iiop://127.0.0.1:{port}")],
            (Self::Jac, _) => ["--property".into(), format!("OAPort={port}")],
            (Self::Omni | Self::OmniPy, port) => {
                let port = if port == 0 { String::new() } else { port.to_string() };
                ["-ORBendPoint".into(), format!("giop:tcp:127.0.0.1:{port}")]
            }
        }
    }

    /// The options of a server whose native code set is UTF-8.
    pub const fn utf8_server(self) -> &'static [&'static str] {
        match self {
            Self::Us => &["-ORBNativeCharCodeSet", "UTF-8"],
            Self::Omni | Self::OmniPy => &["-ORBnativeCharCodeSet", "UTF-8"],
            Self::Jac => &["--property", "jacorb.native_char_codeset=UTF8"],
        }
    }
}

/// Where the programs are.
#[derive(Debug)]
pub struct Programs {
    /// Our own: beside the runner.
    ours: PathBuf,
    /// omniORB's: as `make -C lab/interop/omniorb` puts them.
    omni: PathBuf,
    /// omniORBpy's: as `make -C lab/interop/omniorbpy` puts them.
    omnipy: PathBuf,
    /// JacORB's: as `make -C lab/interop/jacorb` puts them.
    pub(super) jac: PathBuf,
    /// The folder `interop`.
    pub(super) home: PathBuf,
}

impl Programs {
    /// Finds the programs.
    ///
    /// # Errors
    /// When the runner does not know where it is itself.
    pub fn locate() -> Step<Self> {
        let runner = std::env::current_exe()?;
        let beside = runner.parent().ok_or("the runner is in no directory")?;
        Ok(Self::at(beside))
    }

    /// The programs, ours being in `ours`.
    pub fn at(ours: &Path) -> Self {
        let home = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let peers = ["omniorb", "omniorbpy", "jacorb"];
        let [omni, omnipy, jac] = peers.map(|peer| home.join("target").join(peer));
        Self { ours: ours.to_owned(), omni, omnipy, jac, home }
    }

    fn path(&self, orb: Orb, name: &str) -> PathBuf {
        match orb {
            Orb::Us => self.ours.join(format!("interop-{name}")),
            Orb::Omni => self.omni.join(name),
            Orb::OmniPy => self.omnipy.join(name),
            Orb::Jac => self.jac.join(name),
        }
    }
}

/// A server that runs, and the reference to its object.
#[derive(Debug)]
pub struct Server {
    orb: Orb,
    process: Process,
    /// The reference, as a string.
    pub ior: String,
}

impl Server {
    /// Starts a server at a port of its own, and waits until it has published its object.
    ///
    /// # Errors
    /// When it does not begin.
    pub fn start<S: AsRef<OsStr>>(
        programs: &Programs,
        directory: &TemporaryDirectory,
        orb: Orb,
        options: &[S],
    ) -> Step<Self> {
        Self::start_at(programs, directory, orb, 0, options)
    }

    /// Starts a server at this port.
    ///
    /// # Errors
    /// When it does not begin.
    pub fn start_at<S: AsRef<OsStr>>(
        programs: &Programs,
        directory: &TemporaryDirectory,
        orb: Orb,
        port: u16,
        options: &[S],
    ) -> Step<Self> {
        let file = directory.path().join("ior");
        // Of the server before.
        if file.exists() {
            fs::remove_file(&file)?;
        }
        let mut command = Command::new(programs.path(orb, "server"));
        command.arg("--ior-file").arg(&file).args(options);
        command.args(orb.endpoint(port));
        let mut process = Process::start(&mut command, directory.path())?;
        let ior = process.wait_for("it was ready", SHORT, || fs::read_to_string(&file).ok())?;
        Ok(Self { orb, process, ior: ior.trim().to_owned() })
    }

    /// Asks the server to end, and waits until it has. How a peer ends is its own affair: while
    /// omniORB destroys itself, a thread of it may crash over a request that a client has given up.
    ///
    /// # Errors
    /// When it does not end, or ours not in order.
    pub fn end(mut self) -> Step {
        let status = self.process.terminate(SHORT)?;
        match status.success() || self.orb != Orb::Us {
            true => Ok(()),
            false => {
                Err(format!("the server ended with {status}: {}", self.process.output()).into())
            }
        }
    }
}

/// A client about to run.
#[derive(Debug)]
pub struct Client<'a> {
    programs: &'a Programs,
    orb: Orb,
    arguments: Vec<String>,
}

impl<'a> Client<'a> {
    /// A client for the object that `reference` is: any object URL.
    pub fn new(programs: &'a Programs, orb: Orb, reference: &str) -> Self {
        // Where a reply does not come (see expected-failures.txt), five seconds show it too.
        let options: &[&str] = match orb {
            Orb::Us => &["-ORBCallTimeout", "5000"],
            Orb::Omni | Orb::OmniPy | Orb::Jac => &[],
        };
        let arguments = options.iter().chain([&reference]).map(ToString::to_string).collect();
        Self { programs, orb, arguments }
    }

    /// With more options, each with its value if it takes one.
    #[must_use]
    pub fn options<S: ToString>(mut self, options: &[S]) -> Self {
        self.arguments.splice(0..0, options.iter().map(ToString::to_string));
        self
    }

    /// Making only the checks that these filters let through.
    #[must_use]
    pub fn only(mut self, filters: &[&str]) -> Self {
        self.arguments.extend(filters.iter().map(ToString::to_string));
        self
    }

    /// The program and its arguments.
    pub(super) fn command(&self) -> (PathBuf, &[String]) {
        (self.programs.path(self.orb, "client"), &self.arguments)
    }

    /// Runs it, and adds its checks to `group`, each with `prefix` before its name.
    ///
    /// # Errors
    /// When it does not run to its end.
    pub fn run(&self, directory: &TemporaryDirectory, prefix: &str, group: &mut Group) -> Step {
        let (program, arguments) = self.command();
        let mut command = Command::new(program);
        let mut process = Process::start(command.args(arguments), directory.path())?;
        let status = process.wait(LONG)?;
        group.take_report(prefix, &process.output(), status.code())
    }
}
