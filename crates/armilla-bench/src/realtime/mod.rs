//! E7: a high-priority client that calls periodically, beside load of low priority.
//!
//! Each cell has a server of its own. All variants of a cell follow one another, so that they meet
//! the same machine: first its floor (timer alone, plain sockets at both priorities), then the ORB
//! with lanes, and as the control the ORB with one pool for all.

mod process;
mod report;

use crate::latencies::Latencies;
use crate::machine::{Machine, congestion};
use armilla_rt::{Platform, Scheduling};
use process::Process;
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering};

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
}

impl Variant {
    const ALL: [Self; 4] = [Self::Timer, Self::Sockets, Self::Lanes, Self::OnePool];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timer => "timer",
            Self::Sockets => "sockets",
            Self::Lanes => "lanes",
            Self::OnePool => "one pool",
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
    /// What failed.
    pub failures: Vec<String>,
    /// Whether the run was stopped early.
    pub interrupted: bool,
}

/// Runs the experiment until it ends or `stop` becomes true.
pub fn realtime(quick: bool, stop: &AtomicBool) -> RealTime {
    let asked = Platform::new().scheduling(Scheduling::Fifo { priority: 90 }).lock_memory();
    let platform = asked.report().to_string();
    let mut results = RealTime {
        machine: Machine::this(&congestion()),
        platform,
        cells: Vec::new(),
        failures: Vec::new(),
        interrupted: false,
    };
    let loads = if quick { &FEW_LOADS[..] } else { &LOADS[..] };
    // 100 Hz for 15 s, 1 kHz for 10 s.
    let rates = if quick { [(100, 300), (1000, 2000)] } else { [(100, 1500), (1000, 10_000)] };
    for (rate, periods) in rates {
        for load in loads {
            for variant in Variant::ALL {
                if stop.load(Ordering::Relaxed) {
                    results.interrupted = true;
                    return results;
                }
                eprintln!("{rate} Hz, {}: {}", load.describe(), variant.name());
                match measure(rate, periods, *load, variant) {
                    Ok(latencies) => {
                        results.cells.push(Cell { rate, load: *load, variant, latencies });
                    }
                    Err(error) => results.failures.push(format!(
                        "{rate} Hz, {}, {}: {error}",
                        load.describe(),
                        variant.name()
                    )),
                }
            }
        }
    }
    results
}

/// Measures one variant in one cell, with processes of its own.
fn measure(rate: u32, periods: u32, load: Load, variant: Variant) -> Result<Latencies, String> {
    let word = format!("variant={}", variant.word());
    // The timer alone meets the same load, of plain sockets.
    let served = match variant {
        Variant::Timer => format!("variant={}", Variant::Sockets.word()),
        _ => word.clone(),
    };
    let mut server = Process::start("server", "127.0.0.1", &[&served])?;
    let line = server.line()?;
    let (low, high) = line.split_once(' ').ok_or_else(|| format!("the server said {line:?}"))?;
    let mut disturbing = None;
    if load.clients > 0 {
        let options = [
            served.as_str(),
            &format!("clients={}", load.clients),
            &format!("load={}", load.kind),
            &format!("percent={}", load.percent),
        ];
        let mut started = Process::start("load", low, &options)?;
        started.line()?;
        disturbing = Some(started);
        // Connections are made, and caches are warm.
        std::thread::sleep(std::time::Duration::from_millis(300));
    }
    let options = [word.as_str(), &format!("rate={rate}"), &format!("periods={periods}")];
    let mut client = Process::start("high", high, &options)?;
    let line = client.line()?;
    drop(disturbing);
    Latencies::parse(&line).ok_or_else(|| format!("the client said {line:?}"))
}
