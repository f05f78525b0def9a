//! `armilla bench`: the experiments.

use armilla_bench::{
    Experiment, ImagingPlan, Outcome as Results, Placement, Plan, RealTimePart, RealTimePlan,
    Transport, Variant, Worker,
};
use armilla_terminal::{
    Context, Failure, Outcome, on_interrupt, outcome, print, unless_interrupted,
};
use clap::{Args, ValueEnum};
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The first argument of a process that one of the experiments starts.
const WORKER: &str = "bench-worker";

/// Repeat the published experiments on this machine, next to plain sockets and other brokers
///
/// Ctrl-C ends the run, keeps the finished results and sets the exit status to 130. A second Ctrl-C
/// ends it at once.
#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// The experiment to run
    #[arg(value_enum, value_name = "EXPERIMENT")]
    what: What,
    /// Use fewer sizes and repetitions, no profiles: all experiments take less than five minutes
    #[arg(long)]
    quick: bool,
    /// Peers to compare with, in addition to plain sockets: ace, omniorb, ice, grpc, capnp, jacorb,
    /// tao, all or none [default: ace,omniorb]
    #[arg(long, value_delimiter = ',', value_parser = peer)]
    peers: Option<Vec<String>>,
    /// Transports: tcp, unix, shm, and between two network namespaces tcp-10mbit, tcp-100mbit,
    /// tcp-155mbit, tcp-1gbit [default: those of each experiment]
    #[arg(long, value_delimiter = ',', value_parser = transport)]
    transports: Option<Vec<Transport>>,
    /// Where the two processes of a program run: one-core, one-core-each or unpinned [default: that
    /// of each experiment]
    #[arg(long, value_parser = placement)]
    placement: Option<Placement>,
    /// The delay of links between network namespaces, one way, in microseconds [default: 20]
    #[arg(long, value_name = "MICROSECONDS", value_parser = micros)]
    link_delay: Option<u32>,
    /// Parts of the experiment "realtime": calls, overload, mutex [default: all]
    #[arg(long, value_delimiter = ',', value_parser = part)]
    part: Option<Vec<RealTimePart>>,
    #[command(flatten)]
    calls: CallOptions,
    /// Sizes of the single images of the experiment "imaging", in MiB [default: 10,20,40]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=1024))]
    sizes: Option<Vec<u64>>,
    /// Write the results as JSON; "-" writes to standard output in place of the tables
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write an HTML page with tables and charts; "-" writes to standard output in place of the
    /// tables
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// What of the calls of "realtime" is measured.
#[derive(Debug, Args)]
struct CallOptions {
    /// Rates of the experiment "realtime", in calls a second [default: 100,1000]
    #[arg(long, value_name = "HZ", value_delimiter = ',',
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rate: Option<Vec<u32>>,
    /// Periods of each program of "realtime" in each cell [default: 15 s at 100 Hz, 10 s at 1 kHz];
    /// programs take turns of 20 s
    #[arg(long, value_name = "COUNT",
          value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    periods: Option<u32>,
    /// Numbers of saturating low-priority clients of "realtime", 0 for none [default: a selection,
    /// and other loads]
    #[arg(long, value_name = "COUNT", value_delimiter = ',',
          value_parser = clap::value_parser!(u32).range(0..=1000))]
    clients: Option<Vec<u32>>,
    /// What takes part in "realtime": timer, sockets, lanes, pool, omniorb [default: all]
    #[arg(long, value_delimiter = ',', value_parser = variant)]
    variants: Option<Vec<Variant>>,
}

impl CallOptions {
    /// The option that was given first, if any.
    fn given(&self) -> Option<&'static str> {
        let options = [
            (self.rate.is_some(), "--rate"),
            (self.periods.is_some(), "--periods"),
            (self.clients.is_some(), "--clients"),
            (self.variants.is_some(), "--variants"),
        ];
        options.into_iter().find_map(|(is_set, name)| is_set.then_some(name))
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum What {
    /// E1: bulk transfer through sockets, wrappers and brokers
    Ttcp,
    /// E2: latency of calls, by payload and by number of objects
    Latency,
    /// E3: lookup of object and operation, by strategy
    Demux,
    /// E4: gain of each optimization
    Ladder,
    /// E5: one call for many items against one call for each
    Batch,
    /// E2: what one of a thousand calls takes longer than; not part of "all"
    Tails,
    /// E1: profile by function, for sender and receiver
    Functions,
    /// E7: a high-priority client beside low-priority ones, a server at 120 % load, mutexes; not
    /// part of "all"
    Realtime,
    /// E6: images of 10 to 40 MiB through the ORB, by flows and by others; not part of "all"
    Imaging,
    /// Every experiment
    All,
}

impl Bench {
    /// Rejects options that have no effect on the table of functions, which always uses one
    /// transport and one placement.
    fn refuse_for_functions(&self) -> Outcome {
        let options = [
            (self.quick, "--quick"),
            (self.transports.is_some(), "--transports"),
            (self.placement.is_some(), "--placement"),
            (self.link_delay.is_some(), "--link-delay"),
            (self.json.is_some(), "--json"),
            (self.html.is_some(), "--html"),
        ];
        match options.into_iter().find(|(is_set, _)| *is_set) {
            Some((_, name)) => {
                Err(Failure::usage(format_args!("{name} has no effect on bench functions")))
            }
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
            Self::Tails => vec![Experiment::Tails],
            Self::Functions | Self::Imaging | Self::Realtime => Vec::new(),
            Self::All => Experiment::ALL.to_vec(),
        }
    }
}

impl Bench {
    /// The peers that were named; `None` selects the default.
    fn peers(&self) -> Outcome<Option<Vec<String>>> {
        let Some(names) = &self.peers else { return Ok(None) };
        let alone = names.iter().find(|name| matches!(name.as_str(), ALL | NONE));
        Ok(Some(match alone {
            Some(name) if names.len() > 1 => {
                return Err(Failure::usage(format_args!("--peers {name} excludes any other name")));
            }
            Some(name) if name == ALL => armilla_bench::peer_names().map(str::to_owned).collect(),
            Some(_) => Vec::new(),
            None => names.clone(),
        }))
    }

    fn names_all_peers(&self) -> bool {
        self.peers.iter().flatten().any(|name| name == ALL)
    }

    /// The files to write.
    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.json.iter().chain(&self.html)
    }

    /// Checks that every file can be written, before a measurement of a quarter of an hour.
    fn check_files(&self) -> Outcome {
        self.files().filter(|path| !is_output(path)).try_for_each(|path| {
            let opened = match fs::metadata(path) {
                // Closing the FIFO again would look like the end of the data to its reader.
                Ok(file) if file.file_type().is_fifo() => Ok(()),
                _ => OpenOptions::new().append(true).create(true).open(path).map(drop),
            };
            opened.context(format_args!("cannot write {}", path.display()))
        })?;
        match (&self.json, &self.html) {
            (Some(json), Some(html)) if is_same(json, html) => {
                Err(Failure::usage("--json and --html name the same file"))
            }
            _ => Ok(()),
        }
    }

    /// Runs the real-time experiment.
    fn realtime(&self) -> Outcome {
        let links = [
            (self.transports.is_some(), "--transports"),
            (self.link_delay.is_some(), "--link-delay"),
        ];
        if let Some((_, name)) = links.into_iter().find(|(is_set, _)| *is_set) {
            return Err(Failure::usage(format_args!("{name} has no effect on bench realtime")));
        }
        let peers = self.peers()?;
        let other = peers.iter().flatten().find(|peer| *peer != "omniorb");
        if let Some(other) = other.filter(|_| !self.names_all_peers()) {
            let what = format_args!("bench realtime compares with omniorb, and not with {other}");
            return Err(Failure::usage(what));
        }
        let plan = RealTimePlan {
            parts: self.part.clone(),
            quick: self.quick,
            omniorb: peers.map(|peers| !peers.is_empty()),
            placement: self.placement,
            rates: self.calls.rate.clone(),
            periods: self.calls.periods,
            clients: self.calls.clients.clone(),
            variants: self.calls.variants.clone(),
        };
        let results = armilla_bench::realtime(plan, &stop_on_signal()?);
        let results = results.map_err(Failure::because)?;
        self.write_texts(&|| results.json(), &|| results.html(), &|| {
            print(format_args!("{results}"))
        })?;
        unless_interrupted(results.interrupted)?;
        let parts =
            [results.cells.is_empty(), results.overload.is_empty(), results.mutexes.is_empty()];
        match parts == [true; 3] {
            true => Err(Failure::because("nothing was measured; the table lists the failures")),
            false => Ok(()),
        }
    }

    /// Runs the imaging experiment.
    fn imaging(&self) -> Outcome {
        if self.placement.is_some() {
            return Err(Failure::usage("--placement has no effect on bench imaging"));
        }
        let local = |transport: &&Transport| {
            matches!(transport, Transport::SameHost | Transport::Unix | Transport::Shm)
        };
        if let Some(other) = self.transports.iter().flatten().find(local) {
            let what = format!("bench imaging runs over tcp and links, not {}", other.name());
            return Err(Failure::usage(what));
        }
        let peers = self.peers()?;
        let known = |peer: &&String| !ImagingPlan::PEERS.contains(&peer.as_str());
        let other = peers.iter().flatten().find(known);
        if let Some(other) = other.filter(|_| !self.names_all_peers()) {
            let known = ImagingPlan::PEERS.join(" and ");
            let what = format_args!("bench imaging compares with {known}, and not with {other}");
            return Err(Failure::usage(what));
        }
        let plan = ImagingPlan {
            quick: self.quick,
            peers,
            sizes: self.sizes.clone(),
            transports: self.transports.clone(),
            link_delay: self.link_delay.map(|micros| Duration::from_micros(micros.into())),
        };
        let results = armilla_bench::imaging(&plan, &stop_on_signal()?);
        let results = results.map_err(Failure::because)?;
        self.write_texts(&|| results.json(), &|| results.html(), &|| {
            print(format_args!("{results}"))
        })?;
        unless_interrupted(results.interrupted)?;
        match results.cells.is_empty() {
            true => Err(Failure::because("nothing was measured; the table lists the failures")),
            false => Ok(()),
        }
    }

    /// Writes the results to all destinations. A destination that fails does not affect the others.
    fn write(&self, results: &Results) -> Outcome {
        self.write_texts(&|| results.json(), &|| results.html(), &|| {
            outcome(results.print(&mut io::stdout().lock()))
        })
    }

    fn write_texts(
        &self,
        json: &dyn Fn() -> String,
        html: &dyn Fn() -> String,
        tables: &dyn Fn() -> Outcome,
    ) -> Outcome {
        let write = |path: Option<&PathBuf>, text: &dyn Fn() -> String| match path {
            Some(path) if is_output(path) => print(format_args!("{}", text())),
            Some(path) => {
                fs::write(path, text()).context(format_args!("cannot write {}", path.display()))
            }
            None => Ok(()),
        };
        let json = write(self.json.as_ref(), json);
        let html = write(self.html.as_ref(), html);
        // Last, because the reader of standard output may close it early.
        let tables = match self.files().any(|path| is_output(path)) {
            true => Ok(()),
            false => tables(),
        };
        json.and(html).and(tables)
    }
}

/// Whether a path means standard output. That file is not opened a second time: the two descriptors
/// would overwrite each other's output.
fn is_output(path: &Path) -> bool {
    ["-", "/dev/stdout"].iter().any(|name| path.as_os_str() == *name)
}

/// Whether two paths lead to the same file, which would keep only the last output.
fn is_same(one: &Path, other: &Path) -> bool {
    let file = |path| fs::metadata(path).ok().filter(fs::Metadata::is_file);
    let place = |path| file(path).map(|file| (file.dev(), file.ino()));
    is_output(one) && is_output(other) || place(one).is_some_and(|one| Some(one) == place(other))
}

/// The names that select all peers, and no peer.
const ALL: &str = "all";
const NONE: &str = "none";

/// A name in a list. Blanks may follow the commas.
fn peer(name: &str) -> Result<String, String> {
    let known = || armilla_bench::peer_names().chain([ALL, NONE]);
    match known().find(|peer| *peer == name.trim()) {
        Some(name) => Ok(name.to_owned()),
        None => Err(format!("expected one of {}", known().collect::<Vec<_>>().join(", "))),
    }
}

fn transport(name: &str) -> Result<Transport, String> {
    // Cells within one process run whatever the transport.
    let between = Transport::parse(name.trim()).filter(|transport| *transport != Transport::Memory);
    between.ok_or_else(|| {
        "expected one of tcp, same-host, unix, shm, tcp-10mbit, tcp-100mbit, tcp-155mbit, tcp-1gbit"
            .into()
    })
}

/// A delay of at most a second.
fn micros(text: &str) -> Result<u32, String> {
    let micros = text.parse().ok().filter(|micros| *micros <= 1_000_000);
    micros.ok_or_else(|| "expected microseconds, at most 1000000".into())
}

fn part(name: &str) -> Result<RealTimePart, String> {
    let known = || "expected one of calls, overload, mutex".to_owned();
    RealTimePart::parse(name.trim()).ok_or_else(known)
}

fn variant(name: &str) -> Result<Variant, String> {
    let known = || "expected one of timer, sockets, lanes, pool, omniorb".to_owned();
    Variant::parse(name.trim()).ok_or_else(known)
}

fn placement(name: &str) -> Result<Placement, String> {
    Placement::parse(name).ok_or_else(|| "expected one of one-core, one-core-each, unpinned".into())
}

/// Runs an experiment. Ctrl-C ends it early and keeps the finished results.
pub(crate) fn run(bench: &Bench) -> Outcome {
    let plan = Plan {
        experiments: bench.what.experiments(),
        quick: bench.quick,
        peers: bench.peers()?,
        transports: bench.transports.clone(),
        placement: bench.placement,
        link_delay: bench.link_delay.map(|micros| Duration::from_micros(micros.into())),
    };
    if !matches!(bench.what, What::Realtime) {
        if bench.part.is_some() {
            return Err(Failure::usage("--part chooses parts of bench realtime"));
        }
        if let Some(option) = bench.calls.given() {
            let what = format_args!("{option} chooses what of bench realtime is measured");
            return Err(Failure::usage(what));
        }
    }
    if bench.sizes.is_some() && !matches!(bench.what, What::Imaging) {
        return Err(Failure::usage("--sizes chooses the images of bench imaging"));
    }
    if matches!(bench.what, What::Functions) {
        bench.refuse_for_functions()?;
        let stop = stop_on_signal()?;
        let functions = armilla_bench::functions(&plan, &stop).context("cannot profile")?;
        print(format_args!("{functions}"))?;
        return unless_interrupted(stop.load(Ordering::Relaxed));
    }
    bench.check_files()?;
    match bench.what {
        What::Realtime => return bench.realtime(),
        What::Imaging => return bench.imaging(),
        _ => {}
    }
    let results = armilla_bench::run(&plan, &stop_on_signal()?).context("cannot measure")?;
    bench.write(&results)?;
    unless_interrupted(results.interrupted)?;
    match results.records.is_empty() {
        true => Err(Failure::because("nothing was measured; the tables list the failures")),
        false => Ok(()),
    }
}

/// A flag that SIGINT and SIGTERM set.
fn stop_on_signal() -> Outcome<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    on_interrupt(
        "finished results are kept (a second Ctrl-C ends at once and keeps nothing)",
        move || {
            stopped.store(true, Ordering::Relaxed);
        },
    )?;
    Ok(stop)
}

/// Runs one side of one program if the process was started as a worker of an experiment.
pub(crate) fn worker(arguments: &[String]) -> Option<Outcome> {
    let [first, words @ ..] = arguments else { return None };
    let run = || {
        let worker = Worker::parse(words).map_err(Failure::usage)?;
        worker.run().map_err(Failure::because)
    };
    (first == WORKER).then(run)
}
