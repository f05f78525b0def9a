//! Profiles by function of sender and receiver, as in the studies: of the bulk transfer of E1, of
//! the path of one request, and of a server with many objects (E2).
//!
//! `perf` provides the shares by sampling. Without `perf`, or without permission, `valgrind
//! --tool=callgrind` provides shares of the instructions outside the kernel. callgrind also counts
//! the calls of functions, and `strace -c` those of system calls, each in a run of its own. Missing
//! tools are listed in the output.

mod reading;

use crate::counting::{self, tell_valgrind};
use crate::machine::{Machine, Placement, congestion};
use crate::outcome::Absent;
use crate::peers::{Peers, is_there};
use crate::plan::Plan;
use crate::process::{Running, Start};
use crate::program::{ACE, C, IPC, Kind, OMNIORB, ORB, Program, Transport, peer_names};
use crate::published;
use crate::task::Task;
use crate::workload::Workload;
use reading::{Calls, Side, callgrind, perf, read, strace};
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The buffers and queues of the study's table.
const BUFFER: u32 = 128 * 1024;
const QUEUE: usize = 64 * 1024;

/// 64 MiB in such buffers, for callgrind; more for sampling.
const MESSAGES: u32 = 512;
const SAMPLED: u32 = 40_000;

/// Functions with a smaller share are not listed, in percent.
const LEAST: f64 = 0.4;

/// The profiled programs.
const PROGRAMS: [Program; 5] = [C, ACE, IPC, ORB, OMNIORB];

/// What is profiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Work {
    workload: Workload,
    units: u32,
    /// The number of calls; and if `perf` samples them.
    calls: [u32; 2],
    /// The number of objects that are called in turn.
    objects: u32,
    order: &'static str,
}

/// E1: most expensive functions.
const SEQUENCES: Work = Work {
    workload: Workload::FloodSequence,
    units: BUFFER,
    calls: [MESSAGES, SAMPLED],
    objects: 1,
    order: "train",
};
const STRINGS: Work = Work { workload: Workload::FloodString, ..SEQUENCES };

/// E2: the path of one request.
const REQUEST: Work =
    Work { workload: Workload::Structs, units: 1024, calls: [2000, SAMPLED], ..SEQUENCES };

/// E2: a server with 500 objects, 10 oneway calls each, in both orders.
const ROBIN: Work = Work {
    workload: Workload::OnewayVoid,
    units: 0,
    calls: [5000, 200_000],
    objects: 500,
    order: "robin",
};
const TRAIN: Work = Work { order: "train", ..ROBIN };

impl Work {
    /// The command that makes `count` calls.
    fn command(&self, program: &Program, count: u32) -> String {
        Task { order: self.order, ..Task::of(self.workload, self.units) }.command(program, count)
    }

    /// What the heading of a table says of it.
    fn name(&self) -> String {
        match (self.objects, self.units) {
            (1, 0 | BUFFER) => self.workload.name().to_owned(),
            (1, units) => format!("{} {units}", self.workload.name()),
            (objects, _) => format!("{}, {objects} objects, {}", self.workload.name(), self.order),
        }
    }
}

/// The tools that observe a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tool {
    Perf,
    Callgrind,
    Strace,
}

impl Tool {
    /// The prefix of a command for the tool to write `file`, whose path may contain blanks.
    fn prefix(self, peers: &Peers, file: &Path) -> Vec<String> {
        let words = match self {
            Self::Perf => "perf record -q -e cpu-clock -F 5000 -o",
            Self::Callgrind => return counting::callgrind(peers, file),
            Self::Strace => "strace -f -c -U calls,name -o",
        };
        words.split(' ').map(str::to_owned).chain([file.display().to_string()]).collect()
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Perf => "perf",
            Self::Callgrind => "valgrind",
            Self::Strace => "strace",
        }
    }

    /// Checks that the tool is installed and permitted; the error is the remedy.
    fn check(self) -> Result<(), &'static str> {
        let name = self.name();
        if !is_there(name) {
            return Err(match self {
                Self::Perf => "apt install linux-perf",
                Self::Callgrind => "apt install valgrind",
                Self::Strace => "apt install strace",
            });
        }
        let allowed = |words: &[&str]| {
            let output = Command::new(name).args(words).output();
            output.is_ok_and(|output| output.status.success())
        };
        match self {
            Self::Perf if !allowed(&["stat", "-e", "cpu-clock", "true"]) => {
                Err("sysctl kernel.perf_event_paranoid=1, or root")
            }
            _ => Ok(()),
        }
    }
}

/// The table of the functions of plain sockets, wrappers and brokers, as text.
///
/// # Errors
/// The files for the tools cannot be written, or no tool is installed.
pub fn functions(plan: &Plan, stop: &Arc<AtomicBool>) -> io::Result<String> {
    profiles(plan, &Peers::open(stop)?)
}

/// The same with peers that are known.
///
/// # Errors
/// The files for the tools cannot be written, or no tool is installed.
pub(crate) fn profiles(plan: &Plan, peers: &Peers) -> io::Result<String> {
    let stopped = || peers.stop().load(Ordering::Relaxed);
    let congestion = congestion();
    let (mut out, sampler) = heading(&Machine::this(&congestion))?;
    let named = |name: &&str| plan.peers.iter().flatten().any(|peer| peer == name);
    let others = |name: &&str| PROGRAMS.iter().all(|program| program.name != *name);
    for name in peer_names().filter(named).filter(others) {
        let _ = writeln!(out, "absent: {name} (not profiled)");
    }
    let mut jobs = Vec::new();
    for program in PROGRAMS {
        let wanted = program == C || program.kind != Kind::Peer || plan.wants_peer(program.name);
        if !wanted || stopped() {
            continue;
        }
        match peers.make(&program) {
            Ok(()) => jobs.extend(works(&program).iter().map(|work| (program.clone(), *work))),
            Err(_) if stopped() => {}
            // Writing to a string cannot fail.
            Err(Absent { program, remedy }) => drop(writeln!(out, "absent: {program} ({remedy})")),
        }
    }
    for (place, (program, work)) in jobs.iter().enumerate() {
        if stopped() {
            break;
        }
        eprintln!("[{} of {}] {}, {} …", place + 1, jobs.len(), program.name, work.name());
        match observe(peers, program, work, sampler) {
            Ok(table) => out.push_str(&table),
            Err(_) if stopped() => break,
            Err(failure) => drop(writeln!(out, "failed: {failure}")),
        }
    }
    if stopped() {
        out.push_str("\ninterrupted: only the finished results are above\n");
    }
    Ok(out)
}

/// What is profiled. Programs without a protocol have no strings and no objects.
fn works(program: &Program) -> &'static [Work] {
    match program.is_raw() {
        true => &[SEQUENCES],
        false => &[SEQUENCES, STRINGS, REQUEST, ROBIN, TRAIN],
    }
}

/// The head of the table, and the tool for the shares.
fn heading(machine: &Machine) -> io::Result<(String, Option<Tool>)> {
    let mut out = format!("{machine}\n");
    let (mut sampler, mut remedies) = (None, Vec::new());
    for tool in [Tool::Perf, Tool::Callgrind, Tool::Strace] {
        match tool.check() {
            Ok(()) if tool != Tool::Strace => sampler = sampler.or(Some(tool)),
            Ok(()) => {}
            Err(remedy) => {
                remedies.push(format!("{} ({remedy})", tool.name()));
                let _ = writeln!(out, "absent: {} ({remedy})", tool.name());
            }
        }
    }
    if remedies.len() == 3 {
        return Err(io::Error::other(format!("no tool is installed: {}", remedies.join(", "))));
    }
    let of = match sampler {
        Some(Tool::Perf) => "time (perf)",
        Some(_) => "instructions outside the kernel (callgrind)",
        None => "nothing (neither perf nor valgrind is installed)",
    };
    let _ = writeln!(
        out,
        "tcp, both sides on one core, {BUFFER} octets a buffer, queues of {QUEUE}; shares of {of}\n\
         functions with identical code are merged under one of their names"
    );
    Ok((out, sampler))
}

fn observe(
    peers: &Peers,
    program: &Program,
    work: &Work,
    sampler: Option<Tool>,
) -> Result<String, String> {
    let run = |tool: Tool, count| calls(peers, program, work, tool, count);
    let [few, sampled] = work.calls;
    let many = if sampler == Some(Tool::Perf) { sampled } else { few };
    let sampled = sampler.map(|tool| run(tool, many)).transpose()?;
    let counted = Tool::Callgrind.check().is_ok().then(|| run(Tool::Callgrind, few));
    let traced = Tool::Strace.check().is_ok().then(|| run(Tool::Strace, few));
    let (counted, traced) = (counted.transpose()?, traced.transpose()?);
    let mut out = String::new();
    for (place, side) in ["receiver", "sender"].into_iter().enumerate().rev() {
        let spent = match (&sampled, sampler) {
            (Some(files), Some(Tool::Perf)) => perf(&files[place])?,
            (Some(files), _) => callgrind(&read(&files[place])?).0,
            (None, _) => Side::default(),
        };
        let calls = counted.as_ref().map(|files| read(&files[place]));
        let calls = calls.transpose()?.map(|text| callgrind(&text).1).unwrap_or_default();
        let system = traced.as_ref().map(|files| read(&files[place])).transpose()?;
        let system = system.map(|text| strace(&text)).unwrap_or_default();
        table(&mut out, (program.name, work, side), &spent, &calls, &system);
    }
    Ok(out)
}

/// Makes calls under a tool, and returns the files of receiver and sender.
fn calls(
    peers: &Peers,
    program: &Program,
    work: &Work,
    tool: Tool,
    count: u32,
) -> Result<[PathBuf; 2], String> {
    let file = |side| peers.scratch().join(format!("{tool:?}-{side}"));
    let files = ["receiver", "sender"].map(file);
    let congestion = congestion();
    let start = Start {
        program,
        transport: Transport::Tcp,
        placement: Placement::OneCore,
        queue: QUEUE,
        congestion: &congestion,
        link: None,
        prefixes: [tool.prefix(peers, &files[0]), tool.prefix(peers, &files[1])],
    };
    let mut running = Running::start(peers, &start)?;
    let command = |count| work.command(program, count);
    if work.objects > 1 {
        running.carry_out(&format!("objects {}", work.objects))?;
    }
    if tool == Tool::Callgrind && is_there("vgdb") {
        // What a program does when it starts, and only the first time, is more than the calls
        // take.
        running.carry_out(&command(work.objects))?;
        let zero = |process| tell_valgrind(peers, process, "zero");
        running.processes().into_iter().try_for_each(zero)?;
    }
    running.carry_out(&command(count))?;
    running.finish();
    Ok(files)
}

fn table(
    out: &mut String,
    (program, work, side): (&str, &Work, &str),
    spent: &Side,
    calls: &Calls,
    system: &[(String, u64)],
) {
    let _ = writeln!(
        out,
        "\n{program} · {} · {side}\n{:>8} {:>9}  function",
        work.name(),
        "share",
        "calls"
    );
    let made: Vec<_> = system.iter().take(3).map(|(name, n)| format!("{name} {n}")).collect();
    let made = if made.is_empty() { String::new() } else { format!(" ({})", made.join(", ")) };
    let most = system.first().map_or("–".to_owned(), |(_, count)| count.to_string());
    let kernel = spent.kernel.map_or("–".to_owned(), |share| format!("{share:.1} %"));
    let _ = writeln!(out, "{kernel:>8} {most:>9}  system calls{made}");
    for (name, share) in spent.functions.iter().filter(|(_, share)| *share >= LEAST).take(8) {
        // Who was called before the flood is not called in it.
        let count = calls.get(name).filter(|count| **count > 0);
        let count = count.map_or("–".to_owned(), u64::to_string);
        let name: String = name.chars().take(100).collect();
        let _ = writeln!(out, "{:>8} {count:>9}  {name}", format!("{share:.1} %"));
    }
    if matches!(work.workload, Workload::Structs | Workload::OnewayVoid) {
        let _ = writeln!(out, "stages: {}", stages(spent));
    }
    if let Some(published) = published::functions(program, work.workload.name(), side) {
        let _ = writeln!(out, "published: {published}");
    }
}

/// The stages of a request, by what the names of their functions contain; the first that fits.
const STAGES: [(&str, &[&str]); 4] = [
    ("marshalling", &["cdr", "Cdr", "marshal", "Marshal", "encode", "decode", "BinStruct"]),
    ("demultiplexing and dispatch", &["poa", "dispatch", "omniObj", "Upcall", "upcall", "find"]),
    ("messages and connections", &["giop", "GIOP", "giopS", "client", "server", "ipc", "tcp"]),
    ("C library", &["mem", "str", "send", "recv", "malloc", "free", "pthread", "poll"]),
];

/// The share of each stage in percent: that of the kernel, where it is known, and of functions.
fn stages(spent: &Side) -> String {
    let mut shares = [0.0; STAGES.len() + 1];
    for (name, share) in &spent.functions {
        let fits = |(_, words): &(_, &[&str])| words.iter().any(|word| name.contains(word));
        shares[STAGES.iter().position(fits).unwrap_or(STAGES.len())] += share;
    }
    let names = STAGES.iter().map(|(name, _)| *name).chain(["other"]);
    let kernel = spent.kernel.map(|share| format!("system {share:.1} %"));
    let told = names.zip(shares).map(|(name, share)| format!("{name} {share:.1} %"));
    kernel.into_iter().chain(told).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_belong_to_stages() {
        let functions = [("armilla_cdr::put", 20.0), ("send", 5.0), ("main", 1.0)];
        let functions = functions.map(|(name, share)| (name.to_owned(), share)).to_vec();
        assert_eq!(
            stages(&Side { functions, kernel: Some(74.0) }),
            "system 74.0 %, marshalling 20.0 %, demultiplexing and dispatch 0.0 %, messages and \
             connections 0.0 %, C library 5.0 %, other 1.0 %"
        );
    }
}
