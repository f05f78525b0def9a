//! E7: a high-priority client that calls periodically, beside load of low priority.
//!
//! Each cell has a server of its own. All variants of a cell follow one another, so that they meet
//! the same machine: first its floor (timer alone, plain sockets at both priorities), then the ORB
//! with lanes, and as controls the ORB with one pool for all, and omniORB.

mod mutex;
mod overload;
mod process;
mod report;

use crate::latencies::Latencies;
use crate::machine::{Machine, Placement, congestion};
use crate::outcome::Absent;
use crate::peers::Peers;
use crate::program::OMNIORB_REALTIME;
use armilla_rt::{Platform, Scheduling};
use process::Process;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub use mutex::{MutexKind, MutexWait};
pub use overload::{OverloadOperation, OverloadRun};

/// A part of the experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RealTimePart {
    /// Periodic calls beside load.
    Calls,
    /// A server at 120 % load under each strategy.
    Overload,
    /// The wait for a mutex behind a holder of low priority.
    Mutex,
}

impl RealTimePart {
    /// All parts.
    pub const ALL: [Self; 3] = [Self::Calls, Self::Overload, Self::Mutex];

    /// The part with this name: `calls`, `overload` or `mutex`.
    pub fn parse(name: &str) -> Option<Self> {
        let named = |part: &Self| format!("{part:?}").eq_ignore_ascii_case(name);
        Self::ALL.into_iter().find(named)
    }
}

/// What takes part in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// The timer alone: no call is made.
    Timer,
    /// Plain sockets with an endpoint and threads for each priority.
    Sockets,
    /// Real-time CORBA: a lane for each priority.
    Lanes,
    /// The ORB with one pool of one thread, without priorities.
    OnePool,
    /// omniORB on both sides. It has no priorities; its high-priority client is real-time.
    OmniOrb,
}

impl Variant {
    const ALL: [Self; 5] = [Self::Timer, Self::Sockets, Self::Lanes, Self::OnePool, Self::OmniOrb];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timer => "timer",
            Self::Sockets => "sockets",
            Self::Lanes => "lanes",
            Self::OnePool => "one pool",
            Self::OmniOrb => "omniORB",
        }
    }

    /// Its name for the processes.
    const fn word(self) -> &'static str {
        match self {
            Self::OnePool => "pool",
            other => other.name(),
        }
    }
}

/// The load beside the high-priority client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Load {
    /// `calls`, `churn`, `hog`, `connections` or `malformed`.
    pub kind: &'static str,
    /// How many clients or threads.
    pub clients: u32,
    /// How much of a processor low-priority calls ask for together, in percent; 100 means as much
    /// as they can.
    pub percent: u32,
}

impl Load {
    const IDLE: Self = Self { kind: "idle", clients: 0, percent: 0 };

    const fn calls(clients: u32, percent: u32) -> Self {
        Self { kind: "calls", clients, percent }
    }

    const fn other(kind: &'static str, clients: u32) -> Self {
        Self { kind, clients, percent: 100 }
    }

    /// The load in words.
    pub fn describe(&self) -> String {
        match self.kind {
            "idle" => "idle".to_owned(),
            "calls" if self.percent < 100 => {
                format!("{} clients at {} %", self.clients, self.percent)
            }
            "calls" => format!("{} clients", self.clients),
            "churn" => format!("{} clients, allocating", self.clients),
            "hog" => format!("{} busy threads", self.clients),
            "connections" => format!("{} × connect, close", self.clients),
            _ => format!("{} × malformed", self.clients),
        }
    }
}

const LOADS: [Load; 10] = [
    Load::IDLE,
    Load::calls(1, 100),
    Load::calls(4, 100),
    Load::calls(16, 77),
    Load::calls(16, 100),
    Load::calls(64, 100),
    Load::other("churn", 16),
    Load::other("hog", 4),
    Load::other("connections", 2),
    Load::other("malformed", 2),
];
const FEW_LOADS: [Load; 4] =
    [Load::IDLE, Load::calls(16, 77), Load::calls(16, 100), Load::calls(64, 100)];

/// The result of one variant in one cell.
#[derive(Debug, Clone, Serialize)]
pub struct Cell {
    /// Calls a second.
    pub rate: u32,
    /// The load.
    pub load: Load,
    /// What was measured.
    pub variant: Variant,
    /// The latencies.
    pub latencies: Latencies,
}

/// The results of the experiment.
#[derive(Debug, Serialize)]
pub struct RealTime {
    /// The machine.
    pub machine: Machine,
    /// What the machine grants of real time, as `armilla rt doctor` prints it.
    pub platform: String,
    /// All cells, in the order in which they were measured.
    pub cells: Vec<Cell>,
    /// What became of the operations of an overloaded server.
    pub overload: Vec<OverloadRun>,
    /// How long threads waited for a mutex.
    pub mutexes: Vec<MutexWait>,
    /// Where servers and clients ran.
    pub placement: Placement,
    /// What could not take part, and why.
    pub absent: Vec<Absent>,
    /// What failed.
    pub failures: Vec<String>,
    /// Whether the run was stopped early.
    pub interrupted: bool,
}

/// What of the experiment is to be run.
#[derive(Debug, Clone, Default)]
pub struct RealTimePlan {
    /// The parts to run; `None` for all.
    pub parts: Option<Vec<RealTimePart>>,
    /// Fewer loads and periods.
    pub quick: bool,
    /// Whether omniORB takes part; `None` if it is installed.
    pub omniorb: Option<bool>,
    /// Where servers and clients run. Default: both on all processors.
    pub placement: Option<Placement>,
}

/// Runs the experiment until it ends or `stop` becomes true.
///
/// # Errors
/// If omniORB was asked for and is missing or cannot be built, or the processors are too few for
/// the placement.
pub fn realtime(plan: RealTimePlan, stop: &Arc<AtomicBool>) -> Result<RealTime, String> {
    let placement = plan.placement.unwrap_or(Placement::Unpinned);
    let (server_cpu, client_cpu) = placement.cpus();
    if placement == Placement::OneCoreEach && server_cpu == client_cpu {
        return Err("the placement one-core-each needs two processors".to_owned());
    }
    let calls = plan.parts.as_ref().is_none_or(|parts| parts.contains(&RealTimePart::Calls));
    let (omniorb, absent) = match plan.omniorb {
        _ if !calls => (None, Vec::new()),
        Some(false) => (None, Vec::new()),
        asked => match omniorb(stop) {
            Ok(program) => (Some(program), Vec::new()),
            Err(absent) if asked.is_some() => {
                return Err(format!("omniORB was asked for, and is missing: {}", absent.remedy));
            }
            Err(absent) => (None, vec![absent]),
        },
    };
    let asked = Platform::new().scheduling(Scheduling::Fifo { priority: 90 }).lock_memory();
    let mut results = RealTime {
        machine: Machine::this(&congestion()),
        platform: asked.report().to_string(),
        cells: Vec::new(),
        overload: Vec::new(),
        mutexes: Vec::new(),
        placement,
        absent,
        failures: Vec::new(),
        interrupted: false,
    };
    let parts = plan.parts.unwrap_or_else(|| RealTimePart::ALL.to_vec());
    if parts.contains(&RealTimePart::Mutex) {
        mutex::measure_all(plan.quick, stop, &mut results);
    }
    if parts.contains(&RealTimePart::Overload) {
        overload::measure_all(plan.quick, stop, &mut results);
    }
    if parts.contains(&RealTimePart::Calls) {
        Place { server_cpu, client_cpu, omniorb }.measure_all(plan.quick, stop, &mut results);
    }
    Ok(results)
}

/// Builds the program of omniORB.
fn omniorb(stop: &Arc<AtomicBool>) -> Result<PathBuf, Absent> {
    let absent = |error: std::io::Error| Absent {
        program: OMNIORB_REALTIME.name,
        remedy: error.to_string(),
    };
    let peers = Peers::open(stop).map_err(absent)?;
    peers.make(&OMNIORB_REALTIME)?;
    Ok(peers.binary(OMNIORB_REALTIME.name))
}

/// Where a cell is measured, and with what.
struct Place {
    server_cpu: Option<usize>,
    client_cpu: Option<usize>,
    omniorb: Option<PathBuf>,
}

impl Place {
    fn variants(&self) -> impl Iterator<Item = Variant> {
        let omniorb = self.omniorb.is_some();
        Variant::ALL.into_iter().filter(move |variant| omniorb || *variant != Variant::OmniOrb)
    }

    /// Measures all cells until `stop` becomes true.
    fn measure_all(&self, quick: bool, stop: &AtomicBool, results: &mut RealTime) {
        let loads = if quick { &FEW_LOADS[..] } else { &LOADS[..] };
        // 100 Hz for 15 s, 1 kHz for 10 s.
        let rates = if quick { [(100, 300), (1000, 2000)] } else { [(100, 1500), (1000, 10_000)] };
        let cells = rates.iter().flat_map(|rate| loads.iter().map(move |load| (*rate, *load)));
        for ((rate, periods), load) in cells {
            for variant in self.variants() {
                if stop.load(Ordering::Relaxed) {
                    results.interrupted = true;
                    return;
                }
                let what = format!("{rate} Hz, {}, {}", load.describe(), variant.name());
                eprintln!("{what}");
                match self.measure(rate, periods, load, variant) {
                    Ok(latencies) => {
                        results.cells.push(Cell { rate, load, variant, latencies });
                    }
                    Err(error) => results.failures.push(format!("{what}: {error}")),
                }
            }
        }
    }

    /// Measures one variant in one cell, with processes of its own.
    fn measure(
        &self,
        rate: u32,
        periods: u32,
        load: Load,
        variant: Variant,
    ) -> Result<Latencies, String> {
        let word = format!("variant={}", variant.word());
        // The timer alone meets the same load, of plain sockets.
        let served = match variant {
            Variant::Timer => format!("variant={}", Variant::Sockets.word()),
            _ => word.clone(),
        };
        let program = self.omniorb.as_deref().filter(|_| variant == Variant::OmniOrb);
        let mut server =
            Process::start(program, self.server_cpu, "server", "127.0.0.1", &[&served])?;
        let line = server.line()?;
        let (low, high) =
            line.split_once(' ').ok_or_else(|| format!("the server said {line:?}"))?;
        let mut disturbing = None;
        if load.clients > 0 {
            let options = [
                served.as_str(),
                &format!("clients={}", load.clients),
                &format!("load={}", load.kind),
                &format!("percent={}", load.percent),
            ];
            // What is no call is the same for all.
            let program = program.filter(|_| matches!(load.kind, "calls" | "churn"));
            let mut started = Process::start(program, self.client_cpu, "load", low, &options)?;
            started.line()?;
            disturbing = Some(started);
            // Connections are made, and caches are warm.
            std::thread::sleep(std::time::Duration::from_millis(300));
        }
        let options = [word.as_str(), &format!("rate={rate}"), &format!("periods={periods}")];
        let mut client = Process::start(program, self.client_cpu, "high", high, &options)?;
        let line = client.line()?;
        drop(disturbing);
        Latencies::parse(&line).ok_or_else(|| format!("the client said {line:?}"))
    }
}
