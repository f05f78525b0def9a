//! A profile by function of sender and receiver in the bulk transfer of E1, as in the study.
//!
//! `perf` provides the shares by sampling. Without `perf`, or without permission, `valgrind
//! --tool=callgrind` provides shares of the instructions outside the kernel. callgrind also counts
//! the calls of functions, and `strace -c` those of system calls, each in a run of its own. Missing
//! tools are listed in the output.

use crate::counting::{self, tell_valgrind};
use crate::machine::{Machine, Placement, congestion};
use crate::outcome::Absent;
use crate::peers::{Peers, is_there};
use crate::plan::Plan;
use crate::process::{Running, Start};
use crate::program::{ACE, C, IPC, Kind, OMNIORB, ORB, Program, Transport, peer_names};
use crate::published;
use crate::workload::Workload;
use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
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

/// The profile of one side.
#[derive(Debug, Default)]
struct Side {
    /// Name and share in percent.
    functions: Vec<(String, f64)>,
    /// The share of the kernel, where it is known.
    kernel: Option<f64>,
}

/// Numbers of calls by name.
type Calls = HashMap<String, u64>;

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
    let peers = Peers::open(stop)?;
    let stopped = || stop.load(Ordering::Relaxed);
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
            Ok(()) => jobs.extend(workloads(&program).iter().map(|w| (program.clone(), *w))),
            Err(_) if stopped() => {}
            // Writing to a string cannot fail.
            Err(Absent { program, remedy }) => drop(writeln!(out, "absent: {program} ({remedy})")),
        }
    }
    for (place, (program, workload)) in jobs.iter().enumerate() {
        if stopped() {
            break;
        }
        eprintln!("[{} of {}] {}, {} …", place + 1, jobs.len(), program.name, workload.name());
        match observe(&peers, program, *workload, sampler) {
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

/// The profiled floods. Programs without a protocol have no strings.
fn workloads(program: &Program) -> &'static [Workload] {
    match program.is_raw() {
        true => &[Workload::FloodSequence],
        false => &[Workload::FloodSequence, Workload::FloodString],
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
    workload: Workload,
    sampler: Option<Tool>,
) -> Result<String, String> {
    let run = |tool: Tool, count| flood(peers, program, workload, tool, count);
    let many = if sampler == Some(Tool::Perf) { SAMPLED } else { MESSAGES };
    let sampled = sampler.map(|tool| run(tool, many)).transpose()?;
    let counted = Tool::Callgrind.check().is_ok().then(|| run(Tool::Callgrind, MESSAGES));
    let traced = Tool::Strace.check().is_ok().then(|| run(Tool::Strace, MESSAGES));
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
        table(&mut out, (program.name, workload.name(), side), &spent, &calls, &system);
    }
    Ok(out)
}

/// Runs a flood under a tool, and returns the files of receiver and sender.
fn flood(
    peers: &Peers,
    program: &Program,
    workload: Workload,
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
    let command = |count| match program.is_raw() {
        true => workload.raw_command(BUFFER, count),
        false => format!("call {} {BUFFER} {count} train", workload.name()),
    };
    if tool == Tool::Callgrind && is_there("vgdb") {
        // What a program does when it starts, and only the first time, is more than the flood
        // takes.
        running.carry_out(&command(1))?;
        let zero = |process| tell_valgrind(peers, process, "zero");
        running.processes().into_iter().try_for_each(zero)?;
    }
    running.carry_out(&command(count))?;
    running.finish();
    Ok(files)
}

fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

/// What `perf` has recorded.
fn perf(file: &Path) -> Result<Side, String> {
    let words = ["report", "--stdio", "-q", "--no-children", "-F", "overhead,sym", "-i"];
    let output = Command::new("perf").args(words).arg(file).output();
    let output = output.map_err(|error| error.to_string())?;
    Ok(of_report(&String::from_utf8_lossy(&output.stdout)))
}

/// Lines such as `12.34%  [k] tcp_sendmsg`.
fn of_report(text: &str) -> Side {
    let mut side = Side { kernel: Some(0.0), ..Side::default() };
    for line in text.lines() {
        let Some((share, rest)) = line.trim().split_once('%') else { continue };
        let Ok(share) = share.parse::<f64>() else { continue };
        let Some((kind, name)) = rest.trim().split_once(' ') else { continue };
        let name = name.split("  ").next().unwrap_or(name).trim();
        match kind {
            "[k]" => side.kernel = side.kernel.map(|sum| sum + share),
            _ => match side.functions.iter_mut().find(|(known, _)| known == plain(name)) {
                Some((_, sum)) => *sum += share,
                None => side.functions.push((plain(name).to_owned(), share)),
            },
        }
    }
    side
}

/// What a function is called whichever tool names it: without its parameters, and one of the C
/// library as programs know it, not by the variant for this processor.
fn plain(name: &str) -> &str {
    // Behind an @ stands the version of a library.
    let name = name.split('@').next().unwrap_or(name);
    let name = match name.find('(') {
        Some(place) if place > 0 && !name.starts_with('<') => &name[..place],
        _ => name,
    };
    let Some(within) = name.strip_prefix("__") else { return name };
    let within = within.strip_prefix("GI_").unwrap_or(within).trim_start_matches('_');
    let within = within.strip_prefix("libc_").unwrap_or(within);
    let variant = ["_avx", "_evex", "_sse"].iter().find_map(|variant| within.find(variant));
    match variant.map_or(within, |place| &within[..place]) {
        // One piece of code under two names.
        "memmove" => "memcpy",
        known => known,
    }
}

/// The shares and calls in a file of callgrind: `fn=` names what the following costs belong to,
/// `cfn=` and `calls=` what it calls; names are written once and then known by their number.
fn callgrind(text: &str) -> (Side, Calls) {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let (mut costs, mut calls) = (HashMap::<&str, u64>::new(), Calls::new());
    let (mut here, mut called, mut inclusive) = ("", "", false);
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("fn=") {
            here = resolve(&mut names, rest);
        } else if let Some(rest) = line.strip_prefix("cfn=") {
            called = resolve(&mut names, rest);
        } else if let Some(rest) = line.strip_prefix("calls=") {
            let count = rest.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
            *calls.entry(plain(called).to_owned()).or_default() += count;
            // The next line is what the call cost, callees included.
            inclusive = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) {
            let cost = line.split(' ').nth(1).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
            if !std::mem::take(&mut inclusive) {
                *costs.entry(plain(here)).or_default() += cost;
            }
        }
    }
    let total = costs.values().sum::<u64>().max(1) as f64;
    let share = |(name, cost): (&str, u64)| (name.to_owned(), cost as f64 * 100.0 / total);
    let mut functions: Vec<_> = costs.into_iter().map(share).collect();
    functions.sort_by(|a, b| b.1.total_cmp(&a.1));
    (Side { functions, kernel: None }, calls)
}

/// The name in `(12) name`, or the one that `(12)` stood for before.
fn resolve<'t>(names: &mut HashMap<&'t str, &'t str>, rest: &'t str) -> &'t str {
    let Some((id, name)) = rest.split_once(')') else { return rest };
    match name.trim() {
        "" => names.get(id).copied().unwrap_or(rest),
        name => {
            // Recursion is told apart by a number behind an apostrophe.
            let name = name.split('\'').next().unwrap_or(name);
            names.insert(id, name);
            name
        }
    }
}

/// Lines of a number and a system call.
fn strace(text: &str) -> Vec<(String, u64)> {
    let mut calls: Vec<(String, u64)> = text
        .lines()
        .filter_map(|line| {
            let (count, name) = line.trim().split_once(' ')?;
            let name = name.trim();
            (name != "total").then_some((name.to_owned(), count.parse().ok()?))
        })
        .collect();
    calls.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    calls
}

fn table(
    out: &mut String,
    (program, workload, side): (&str, &str, &str),
    spent: &Side,
    calls: &Calls,
    system: &[(String, u64)],
) {
    let _ =
        writeln!(out, "\n{program} · {workload} · {side}\n{:>8} {:>9}  function", "share", "calls");
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
    if let Some(published) = published::functions(program, workload, side) {
        let _ = writeln!(out, "published: {published}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_perf_are_read() {
        let side = of_report(
            "\n    60.50%  [k] tcp_sendmsg_locked\n     9.50%  [.] <A as B>::c\n     2%  x\n",
        );
        assert_eq!(side.kernel, Some(60.5));
        assert_eq!(side.functions, [("<A as B>::c".to_owned(), 9.5)]);
    }

    #[test]
    fn files_of_callgrind_are_read() {
        let text =
            "fn=(1) main\n16 400\ncfn=(2) memcpy\ncalls=3 50\n16 9000\n\nfn=(2)\n7 600\n+3 0\n";
        let (side, calls) = callgrind(text);
        assert_eq!(side.functions, [("memcpy".to_owned(), 60.0), ("main".to_owned(), 40.0)]);
        assert_eq!(calls["memcpy"], 3);
    }

    #[test]
    fn functions_have_one_name_whichever_tool_tells_it() {
        let of_perf =
            "__memmove_avx512_unaligned_erms __libc_recv __GI___libc_write __strlen_evex cdr::raw";
        let of_callgrind =
            "__memcpy_avx_unaligned_erms recv write __strlen_avx2 cdr::raw(char const*)";
        let names = of_perf.split(' ').zip(of_callgrind.splitn(5, ' '));
        assert!(names.clone().all(|(perf, callgrind)| plain(perf) == plain(callgrind)));
        let known: Vec<_> = names.map(|(perf, _)| plain(perf)).collect();
        assert_eq!(known, ["memcpy", "recv", "write", "strlen", "cdr::raw"]);
        for whole in ["<A as B<fn()>>::c", "(anonymous namespace)::d", "futex_wait"] {
            assert_eq!(plain(whole), whole);
        }
        assert_eq!(plain("clock_nanosleep@GLIBC_2.2.5"), "clock_nanosleep");
        let twice = of_report(" 2%  [.] __send\n 1%  [.] __GI___send\n");
        assert_eq!(twice.functions, [("send".to_owned(), 3.0)]);
    }

    #[test]
    fn summaries_of_strace_are_read() {
        let text = "    calls syscall\n--------- --------\n      527 sendto\n       12 read\n\
                    \x20     539 total\n";
        assert_eq!(strace(text), [("sendto".to_owned(), 527), ("read".to_owned(), 12)]);
    }
}
