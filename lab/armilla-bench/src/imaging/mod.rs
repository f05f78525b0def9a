//! E6: images of 10 to 40 MiB moved through the ORB, over stream endpoints that the ORB signals, by
//! plain sockets, and by other brokers.
//!
//! All ways of a cell take turns, round by round, and move the same files. Each transfer is checked
//! when its time has been taken. A ratio compares with plain C sockets in the same round.

mod bars;
mod page;
mod program;
mod report;
#[cfg(test)]
mod tests;

use crate::images::{self, Study};
use crate::line::Line;
use crate::machine::{Machine, congestion};
use crate::network::Link;
use crate::outcome::Absent;
use crate::peers::Peers;
use crate::program::Transport;
use crate::record::median;
use program::{C, FLOW_UNIX, Hosts, Running, Transfer, WAYS, Way};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What of the experiment is to be run.
#[derive(Debug, Clone, Default)]
pub struct ImagingPlan {
    /// Fewer images and rounds: less than a minute.
    pub quick: bool,
    /// The other brokers, `omniorb` and `grpc`; `None` for those that are installed.
    pub peers: Option<Vec<String>>,
    /// The sizes of single images in MiB; `None` for 10, 20 and 40.
    pub sizes: Option<Vec<u64>>,
    /// One host (`Tcp`) and links; `None` for one host and links of 1,000 and 155 Mbit/s.
    pub transports: Option<Vec<Transport>>,
    /// The delay of links, one way. Default: 1 ms.
    pub link_delay: Option<Duration>,
}

/// The delay of links, one way: some 200 km of fibre.
const DELAY: Duration = Duration::from_millis(1);

impl ImagingPlan {
    /// The peers that can take part.
    pub const PEERS: [&'static str; 2] = ["omniorb", "grpc"];

    fn sizes(&self) -> Vec<u64> {
        let usual: &[u64] = if self.quick { &[10, 40] } else { &[10, 20, 40] };
        self.sizes.clone().unwrap_or_else(|| usual.to_vec())
    }

    /// The slices of the series.
    const fn slices(&self) -> u32 {
        if self.quick { 40 } else { 500 }
    }

    /// Where it is measured.
    fn places(&self) -> Vec<Transport> {
        let links = [Line::Ethernet1000, Line::Atm155].map(Transport::Link);
        let usual = || [&[Transport::Tcp][..], &links].concat();
        self.transports.clone().unwrap_or_else(usual)
    }

    /// What is measured at a place: everything on one host, but for the smaller images with several
    /// viewers in a quick run; over a link what does not take too long.
    fn loads(&self, transport: Transport, studies: &[Study]) -> Vec<Load> {
        let delay = self.link_delay.unwrap_or(DELAY);
        let place = Place::of(transport, delay);
        let most = studies.iter().map(|study| study.size).max().unwrap_or(0);
        let chosen = |study: &Study, viewers: u32| match place.mbits {
            Some(rate) => {
                let bits = study.octets() as f64 * 8.0 * f64::from(viewers);
                bits / (rate as f64 * 1e6) <= if self.quick { 0.6 } else { 10.0 }
            }
            None => !self.quick || study.size == most || study.count > 1 || viewers == 1,
        };
        let all = studies.iter().flat_map(|study| [1, 4].map(|viewers| (study, viewers)));
        let all = all.filter(|(study, viewers)| chosen(study, *viewers));
        all.map(|(study, viewers)| Load { place, study: *study, viewers }).collect()
    }

    /// The rounds at a place.
    const fn rounds(&self, place: Place) -> usize {
        match (self.quick, place.mbits) {
            (true, None) => 5,
            (true, Some(_)) => 2,
            (false, None) => 15,
            (false, Some(_)) => 5,
        }
    }
}

/// Where server and viewers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The transport by its name.
    pub transport: &'static str,
    /// The rate of the link between them in Mbit/s; `None` on one host.
    pub mbits: Option<u64>,
    /// The delay of the link in one direction, in microseconds.
    pub delay: u64,
}

impl Place {
    fn of(transport: Transport, delay: Duration) -> Self {
        let (mbits, delay) = match transport {
            Transport::Link(line) => (Some(line.rate() / 1_000_000), delay.as_micros() as u64),
            _ => (None, 0),
        };
        Self { transport: transport.name(), mbits, delay }
    }

    /// The place in words.
    pub fn describe(self) -> String {
        match self.mbits {
            None => "one host".to_owned(),
            Some(rate) => {
                format!("{rate} Mbit/s, {} ms each way", self.delay as f64 / 1000.0)
            }
        }
    }
}

/// What is fetched where, by how many at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Load {
    place: Place,
    study: Study,
    viewers: u32,
}

/// The result of one way in one cell.
#[derive(Debug, Clone, Serialize)]
pub struct ImagingCell {
    /// Where server and viewers were.
    pub place: Place,
    /// What each viewer fetched.
    pub images: String,
    /// The octets of one image, and how many images each viewer fetched one after the other.
    pub image_octets: u64,
    /// See above.
    pub image_count: u32,
    /// The viewers at once.
    pub viewers: u32,
    /// The way.
    pub way: &'static str,
    /// All viewers together, in MiB/s: median, least and most of the rounds.
    pub rate: f64,
    /// See above.
    pub rate_min: f64,
    /// See above.
    pub rate_max: f64,
    /// The median of the ratios to plain C sockets in the same round.
    pub ratio_to_c: Option<f64>,
    /// Processor seconds, user and system, of both processes for each GiB.
    pub processor_seconds_per_gib: f64,
    /// The most resident memory of the server, in octets.
    pub server_peak: u64,
    /// The rounds.
    pub rounds: usize,
}

/// The results of the experiment.
#[derive(Debug, Serialize)]
pub struct Imaging {
    /// The machine.
    pub machine: Machine,
    /// All cells, in the order in which they were measured.
    pub cells: Vec<ImagingCell>,
    /// What could not take part, and why.
    pub absent: Vec<Absent>,
    /// What failed.
    pub failures: Vec<String>,
    /// Whether the run was stopped early.
    pub interrupted: bool,
}

/// Runs the experiment until it ends or `stop` becomes true.
///
/// # Errors
/// Plain sockets cannot be compiled; the images cannot be written.
pub fn imaging(plan: &ImagingPlan, stop: &Arc<AtomicBool>) -> Result<Imaging, String> {
    let peers = Peers::open(stop).map_err(|error| error.to_string())?;
    let congestion = congestion();
    let mut results = Imaging {
        machine: Machine::this(&congestion),
        cells: Vec::new(),
        absent: Vec::new(),
        failures: Vec::new(),
        interrupted: false,
    };
    let ways = able(plan, &peers, &mut results)?;
    let directory = peers.scratch().join("images");
    eprintln!("writing images …");
    let studies = std::fs::create_dir_all(&directory)
        .and_then(|()| images::write(&directory, &plan.sizes(), plan.slices()))
        .map_err(|error| format!("cannot write images to {}: {error}", directory.display()))?;
    for transport in plan.places() {
        let loads = plan.loads(transport, &studies);
        let link = match transport {
            _ if stop.load(Ordering::Relaxed) => break,
            Transport::Link(line) => {
                let link = Link::make(peers.reaper(), line, plan.link_delay.unwrap_or(DELAY));
                match link {
                    Ok(link) => Some(link),
                    Err(error) => {
                        results.failures.push(format!("{}: {error}", transport.name()));
                        continue;
                    }
                }
            }
            _ => None,
        };
        let hosts = Hosts {
            peers: &peers,
            directory: &directory,
            congestion: &congestion,
            link: link.as_ref(),
        };
        Cells::start(&hosts, &ways, &mut results).measure(plan, &loads, stop, &mut results);
        results.failures.extend(link.as_ref().and_then(Link::failure));
    }
    std::fs::remove_dir_all(&directory).ok();
    results.interrupted = stop.load(Ordering::Relaxed);
    Ok(results)
}

/// The ways whose programs can be built. Who is missing is said.
fn able(plan: &ImagingPlan, peers: &Peers, results: &mut Imaging) -> Result<Vec<Way>, String> {
    let wanted = |way: &Way| match way.peer {
        None => true,
        Some(peer) if *peer == *C.peer.unwrap_or(peer) => true,
        Some(peer) => {
            plan.peers.as_ref().is_none_or(|all| all.iter().any(|name| peer.name.ends_with(name)))
        }
    };
    let mut able = Vec::new();
    for way in WAYS.iter().filter(|way| wanted(way)) {
        match way.peer.map_or(Ok(()), |peer| peers.make(peer)) {
            Ok(()) => able.push(*way),
            Err(absent) if way.name.starts_with('c') => {
                return Err(format!("plain sockets are missing: {}", absent.remedy));
            }
            Err(absent) if results.absent.contains(&absent) => {}
            Err(absent) => {
                eprintln!("ABSENT: {}: {}", absent.program, absent.remedy);
                results.absent.push(absent);
            }
        }
    }
    Ok(able)
}

/// The running programs of a place.
struct Cells {
    running: Vec<(Way, Running)>,
}

impl Cells {
    fn start(hosts: &Hosts<'_>, ways: &[Way], results: &mut Imaging) -> Self {
        let mut running = Vec::new();
        for way in ways.iter().filter(|way| hosts.link.is_none() || **way != FLOW_UNIX) {
            match Running::start(hosts, way) {
                Ok(started) => running.push((*way, started)),
                Err(error) => results.failures.push(error),
            }
        }
        Self { running }
    }

    fn measure(
        &mut self,
        plan: &ImagingPlan,
        loads: &[Load],
        stop: &AtomicBool,
        results: &mut Imaging,
    ) {
        for load in loads {
            let Load { place, study, viewers } = load;
            eprintln!("{}: {}, {viewers} at once", place.describe(), study.name());
            // The first round warms up, and is not counted.
            let mut rounds = Vec::new();
            for round in 0..=plan.rounds(*place) {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                rounds.push(self.round(load, round, results));
            }
            let rounds = rounds.get(1..).unwrap_or_default();
            let plain = self.running.iter().position(|(way, _)| *way == C);
            let cells = (0..self.running.len())
                .filter_map(|index| summary(load, self.running[index].0, index, plain, rounds));
            results.cells.extend(cells);
        }
    }

    /// One transfer of each way. Who begins changes with the round.
    fn round(&mut self, load: &Load, round: usize, results: &mut Imaging) -> Vec<Option<Transfer>> {
        let many = self.running.len();
        let mut transfers = vec![None; many];
        for turn in 0..many {
            let index = (turn + round) % many;
            let (way, running) = &mut self.running[index];
            match running.fetch(&load.study, load.viewers) {
                Ok(transfer) => transfers[index] = Some(transfer),
                Err(error) => {
                    let what = format!("{}: {}: {error}", load.place.describe(), way.name);
                    if !results.failures.contains(&what) {
                        results.failures.push(what);
                    }
                }
            }
        }
        transfers
    }
}

/// What the rounds of a way come to; `None` without any.
fn summary(
    load: &Load,
    way: Way,
    index: usize,
    plain: Option<usize>,
    rounds: &[Vec<Option<Transfer>>],
) -> Option<ImagingCell> {
    let Load { place, study, viewers } = load;
    let octets = study.octets() as f64 * f64::from(*viewers);
    let rate = |transfer: Transfer| octets / f64::from(1 << 20) / transfer.took.as_secs_f64();
    let all: Vec<Transfer> = rounds.iter().filter_map(|round| round[index]).collect();
    let rates: Vec<f64> = all.iter().map(|transfer| rate(*transfer)).collect();
    let ratios = rounds.iter().filter_map(|round| Some(rate(round[index]?) / rate(round[plain?]?)));
    let ratio = median(ratios);
    let used = median(all.iter().map(|transfer| transfer.used.as_secs_f64()));
    let first = rates.first()?;
    Some(ImagingCell {
        place: *place,
        images: study.name(),
        image_octets: study.size,
        image_count: study.count,
        viewers: *viewers,
        way: way.name,
        rate: median(rates.iter().copied()),
        rate_min: rates.iter().copied().fold(*first, f64::min),
        rate_max: rates.iter().copied().fold(*first, f64::max),
        ratio_to_c: Some(ratio).filter(|ratio| ratio.is_finite()),
        processor_seconds_per_gib: used / octets * f64::from(1 << 30),
        server_peak: all.iter().map(|transfer| transfer.peak).max().unwrap_or(0),
        rounds: all.len(),
    })
}
