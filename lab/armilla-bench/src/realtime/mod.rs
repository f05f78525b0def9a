//! E7: a high-priority client that calls periodically, beside load of low priority.
//!
//! Each cell has a server of its own. All variants of a cell follow one another, so that they meet
//! the same machine: first its floor (timer alone, plain sockets at both priorities), then the ORB
//! with lanes, and as controls the ORB with one pool for all, and omniORB.

mod calls;
mod mutex;
mod overload;
mod page;
mod process;
mod report;

use crate::latencies::Latencies;
use crate::machine::{Machine, Placement, congestion};
use crate::outcome::Absent;
use crate::peers::Peers;
use crate::program::OMNIORB_REALTIME;
use armilla_rt::{Platform, Scheduling};
use calls::Cells;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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
    /// All variants, in the order of a cell.
    pub const ALL: [Self; 5] =
        [Self::Timer, Self::Sockets, Self::Lanes, Self::OnePool, Self::OmniOrb];

    /// The variant with this name: `timer`, `sockets`, `lanes`, `pool` or `omniorb`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|variant| variant.word().eq_ignore_ascii_case(name))
    }

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
    /// The rates in calls a second. Default: 100 and 1,000.
    pub rates: Option<Vec<u32>>,
    /// How many periods each variant of a cell has. Default: what takes 15 s at 100 Hz and 10 s at
    /// 1 kHz. Runs of more than 20 s are divided, and the variants take turns, so that all meet the
    /// same machine.
    pub periods: Option<u32>,
    /// The numbers of low-priority clients, which call as fast as they can; 0 for none. Default: a
    /// selection, and other loads.
    pub clients: Option<Vec<u32>>,
    /// What takes part. Default: everything.
    pub variants: Option<Vec<Variant>>,
}

impl RealTimePlan {
    /// Whether a variant takes part.
    fn takes(&self, variant: Variant) -> bool {
        self.variants.as_ref().is_none_or(|variants| variants.contains(&variant))
    }
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
        _ if !calls || !plan.takes(Variant::OmniOrb) => (None, Vec::new()),
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
    let parts = plan.parts.clone().unwrap_or_else(|| RealTimePart::ALL.to_vec());
    if parts.contains(&RealTimePart::Mutex) {
        mutex::measure_all(plan.quick, stop, &mut results);
    }
    if parts.contains(&RealTimePart::Overload) {
        overload::measure_all(plan.quick, stop, &mut results);
    }
    if parts.contains(&RealTimePart::Calls) {
        let place = calls::Place { server_cpu, client_cpu, omniorb };
        Cells::of(&plan, place).measure_all(stop, &mut results);
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
