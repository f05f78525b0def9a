//! `armilla bench`: the experiments.

use crate::failure::{Doing, Failure, Outcome};
use crate::interrupt::{on_interrupt, unless_interrupted};
use crate::output::{outcome, print};
use armilla_bench::{Experiment, Outcome as Results, Placement, Plan, Transport, Worker};
use clap::{Args, ValueEnum};
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The first argument of a process that one of the experiments starts.
const WORKER: &str = "bench-worker";

/// Re-run the published experiments on this machine, side by side with plain sockets and peers
///
/// Ctrl-C ends a run, keeps what is finished and makes the exit status 130; a second one ends it at once.
#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// What to run
    #[arg(value_enum)]
    what: What,
    /// Fewer sizes and repetitions: all of it in less than five minutes
    #[arg(long)]
    quick: bool,
    /// The peers to compare with beside plain sockets: ace,omniorb unless given; on request ice,
    /// grpc, capnp, jacorb; "all" for all of them, "none" for none
    #[arg(long, value_delimiter = ',', value_parser = peer)]
    peers: Option<Vec<String>>,
    /// The transports: tcp, unix, shm, and tcp-100mbit between two network namespaces; those of each
    /// experiment unless given
    #[arg(long, value_delimiter = ',', value_parser = transport)]
    transports: Option<Vec<Transport>>,
    /// Where the two processes of a program run: one-core, one-core-each or unpinned; as each experiment
    /// has it unless given
    #[arg(long, value_parser = placement)]
    placement: Option<Placement>,
    /// Write the results as JSON; "-" is standard output, in place of the tables
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a page with tables and charts; "-" likewise
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum What {
    /// E1: floods of data through sockets, wrappers and brokers
    Ttcp,
    /// E2: the latency of calls, with every payload, at many objects
    Latency,
    /// E3: finding object and operation, with every strategy
    Demux,
    /// E4: what each optimization contributes
    Ladder,
    /// E5: one call for many items against a call for each
    Batch,
    /// E1: where the time goes, function by function, for sender and receiver
    Functions,
    /// Every experiment
    All,
}

impl Bench {
    /// The table of functions is made over one transport, at one place, and printed: other wishes shall
    /// not be passed over in silence.
    fn refuse_for_functions(&self) -> Outcome {
        let wishes = [
            (self.quick, "--quick"),
            (self.transports.is_some(), "--transports"),
            (self.placement.is_some(), "--placement"),
            (self.json.is_some(), "--json"),
            (self.html.is_some(), "--html"),
        ];
        match wishes.into_iter().find(|(wished, _)| *wished) {
            Some((_, name)) => Err(Failure::usage(format_args!(
                "bench functions prints a table of what it always measures: it takes no {name}"
            ))),
            None => Ok(()),
        }
    }
}

impl What {
    fn experiments(self) -> Vec<Experiment> {
        match self {
            Self::Ttcp => vec![Experiment::Ttcp],
            Self::Latency => vec![Experiment::Latency],
            Self::Demux => vec![Experiment::Demux],
            Self::Ladder => vec![Experiment::Ladder],
            Self::Batch => vec![Experiment::Batch],
            Self::Functions => Vec::new(),
            Self::All => Experiment::ALL.to_vec(),
        }
    }
}

impl Bench {
    /// The peers that were named; `None` leaves the choice.
    fn peers(&self) -> Outcome<Option<Vec<String>>> {
        let Some(names) = &self.peers else { return Ok(None) };
        let alone = names.iter().find(|name| matches!(name.as_str(), ALL | NONE));
        Ok(Some(match alone {
            Some(name) if names.len() > 1 => {
                return Err(Failure::usage(format_args!("--peers {name} goes with no other name")));
            }
            Some(name) if name == ALL => armilla_bench::peer_names().map(str::to_owned).collect(),
            Some(_) => Vec::new(),
            None => names.clone(),
        }))
    }

    /// The files that are to be written.
    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.json.iter().chain(&self.html)
    }

    /// What cannot be written shall not be measured for a quarter of an hour first.
    fn check_files(&self) -> Outcome {
        self.files().filter(|path| !is_output(path)).try_for_each(|path| {
            let opened = match fs::metadata(path) {
                // Who reads a pipe would take this for its end.
                Ok(file) if file.file_type().is_fifo() => Ok(()),
                _ => OpenOptions::new().append(true).create(true).open(path).map(drop),
            };
            opened.doing(format_args!("cannot write {}", path.display()))
        })?;
        match (&self.json, &self.html) {
            (Some(json), Some(html)) if is_same(json, html) => {
                Err(Failure::usage("--json and --html name the same file"))
            }
            _ => Ok(()),
        }
    }

    /// Writes the results wherever they are wanted: what cannot be written somewhere is not lost elsewhere.
    fn write(&self, results: &Results) -> Outcome {
        let write = |path: Option<&PathBuf>, text: &dyn Fn() -> String| match path {
            Some(path) if is_output(path) => print(format_args!("{}", text())),
            Some(path) => {
                fs::write(path, text()).doing(format_args!("cannot write {}", path.display()))
            }
            None => Ok(()),
        };
        let json = write(self.json.as_ref(), &|| results.json());
        let html = write(self.html.as_ref(), &|| results.html());
        // Last, because who reads it may stop before its end.
        let tables = match self.files().any(|path| is_output(path)) {
            true => Ok(()),
            false => outcome(results.print(&mut io::stdout().lock())),
        };
        json.and(html).and(tables)
    }
}

/// Whether a path means standard output. That file is not opened a second time: what is written to it by
/// one way would overwrite what came by the other.
fn is_output(path: &Path) -> bool {
    ["-", "/dev/stdout"].iter().any(|name| path.as_os_str() == *name)
}

/// Whether two paths lead to one file, which would keep only what is written last.
fn is_same(one: &Path, other: &Path) -> bool {
    let file = |path| fs::metadata(path).ok().filter(fs::Metadata::is_file);
    let place = |path| file(path).map(|file| (file.dev(), file.ino()));
    is_output(one) && is_output(other) || place(one).is_some_and(|one| Some(one) == place(other))
}

/// What stands for all peers, and for none.
const ALL: &str = "all";
const NONE: &str = "none";

/// A name in a list, which may be written with blanks behind the commas.
fn peer(name: &str) -> Result<String, String> {
    let known = || armilla_bench::peer_names().chain([ALL, NONE]);
    match known().find(|peer| *peer == name.trim()) {
        Some(name) => Ok(name.to_owned()),
        None => Err(format!("one of {}", known().collect::<Vec<_>>().join(", "))),
    }
}

fn transport(name: &str) -> Result<Transport, String> {
    // What is measured within one process is measured whatever the transport.
    let between = Transport::parse(name.trim()).filter(|transport| *transport != Transport::Memory);
    between.ok_or_else(|| "one of tcp, unix, shm, tcp-100mbit".into())
}

fn placement(name: &str) -> Result<Placement, String> {
    Placement::parse(name).ok_or_else(|| "one of one-core, one-core-each, unpinned".into())
}

/// Runs what was asked for; Ctrl-C ends it early and keeps what is finished.
pub(crate) fn run(bench: &Bench) -> Outcome {
    let plan = Plan {
        experiments: bench.what.experiments(),
        quick: bench.quick,
        peers: bench.peers()?,
        transports: bench.transports.clone(),
        placement: bench.placement,
    };
    if matches!(bench.what, What::Functions) {
        bench.refuse_for_functions()?;
        let stop = stop_on_signal()?;
        let functions = armilla_bench::functions(&plan, &stop).doing("cannot observe")?;
        print(format_args!("{functions}"))?;
        return unless_interrupted(stop.load(Ordering::Relaxed));
    }
    bench.check_files()?;
    let results = armilla_bench::run(&plan, &stop_on_signal()?).doing("cannot measure")?;
    bench.write(&results)?;
    unless_interrupted(results.interrupted)?;
    match results.records.is_empty() {
        true => Err(Failure::because("nothing could be measured: see what failed")),
        false => Ok(()),
    }
}

/// What becomes true when the process is asked to end.
fn stop_on_signal() -> Outcome<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    on_interrupt(
        "what is finished is kept (once more ends at once and keeps nothing)",
        move || {
            stopped.store(true, Ordering::Relaxed);
        },
    )?;
    Ok(stop)
}

/// Runs one side of one program, if the process was started for that.
pub(crate) fn worker(arguments: &[String]) -> Option<Outcome> {
    let [first, words @ ..] = arguments else { return None };
    let run = || {
        let worker = Worker::parse(words).map_err(Failure::usage)?;
        worker.run().map_err(Failure::because)
    };
    (first == WORKER).then(run)
}
