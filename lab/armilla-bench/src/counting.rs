//! Counting the instructions of a call in user space, client and server together: a cost that does
//! not depend on the load of the machine.
//!
//! `valgrind --tool=callgrind` counts. The instructions of a call are the difference of two runs
//! divided by the difference of their lengths, which excludes start, connection and commands.
//! Between the runs, `vgdb` lets valgrind write its counts.

use crate::machine::{Machine, Placement};
use crate::outcome::Absent;
use crate::peers::{Peers, is_there};
use crate::process::{Running, Start};
use crate::program::{C, Kind, Program, Transport};
use crate::record::{Cell, Metric, Record};
use crate::task::Step;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// The approximate time to start and observe a program.
const JOB: Duration = Duration::from_millis(2500);

/// The time limit for valgrind to write its counts, and the polling interval.
const TIME_LIMIT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// A request to count the instructions of a program at a step.
#[derive(Clone, Copy)]
pub(crate) struct CountRequest<'a> {
    pub(crate) program: &'a Program,
    pub(crate) transport: Transport,
    /// The size of the socket queues in octets, 0 for the system's.
    pub(crate) queue: usize,
    pub(crate) step: &'a Step,
}

impl CountRequest<'_> {
    /// Whether the same processes can serve both requests.
    fn runs_with(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.program, other.program);
        let same = (ours.kind, ours.options) == (theirs.kind, theirs.options)
            && (ours.kind != Kind::Peer || ours.name == theirs.name);
        same && (self.transport, self.queue) == (other.transport, other.queue)
    }

    fn is_same(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.step, other.step);
        (&ours.prepare, ours.task) == (&theirs.prepare, theirs.task)
    }

    /// The lengths of the two runs: long enough to be exact, short enough to be fast.
    fn lengths(&self) -> [u32; 2] {
        let Step { cell, task, .. } = self.step;
        let few = match task.units {
            // Call each object equally often.
            _ if cell.objects > 1 => cell.objects,
            // Gathered messages are sent in batches.
            _ if task.workload.is_flood() => 500,
            1024.. => 10,
            _ => 100,
        };
        [few, 3 * few]
    }

    fn record(&self, count: f64) -> Record {
        let metric = Metric::Instructions;
        Record {
            cell: self.step.cell.clone(),
            program: self.program.name.to_owned(),
            style: self.program.style(),
            metric,
            unit: metric.unit(),
            median: count,
            p1: count,
            p99: count,
            min: count,
            max: count,
            repetitions: 1,
            ratio_to_c: None,
            ratio_to_one: None,
            ratio_to_sequence: None,
            gain: None,
        }
    }
}

/// Checks that valgrind is installed.
pub(crate) fn check() -> Result<(), Absent> {
    match is_there("valgrind") && is_there("vgdb") {
        true => Ok(()),
        false => {
            let remedy = "apt install valgrind; it counts instructions".to_owned();
            Err(Absent { program: "valgrind", remedy })
        }
    }
}

/// The number of programs to start for the requests, and their approximate time.
pub(crate) fn expected(requests: &[CountRequest<'_>]) -> (usize, Duration) {
    let jobs = jobs(requests).len();
    let (many, together) = (u32::try_from(jobs).unwrap_or(u32::MAX), Machine::processors().max(1));
    (jobs, JOB * many / u32::try_from(together).unwrap_or(u32::MAX))
}

/// The results of counting.
#[derive(Default)]
pub(crate) struct Counted {
    /// In the order of the requests.
    pub(crate) records: Vec<Record>,
    pub(crate) failures: Vec<String>,
    /// The number of programs that there was no time for.
    pub(crate) left_out: usize,
}

/// Serves the requests, as many programs at once as there are processors: none disturbs the others.
/// Says before each program, by `begin`, which cell comes first.
/// After `deadline` no more programs are started.
pub(crate) fn count(
    peers: &Peers,
    congestion: &str,
    requests: &[CountRequest<'_>],
    deadline: Option<Instant>,
    mut begin: impl FnMut(&Cell),
) -> Counted {
    let jobs = jobs(requests);
    let (next, counts) = (AtomicUsize::new(0), Mutex::new(vec![None; requests.len()]));
    let left_out = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let lock_failures = || failures.lock().unwrap_or_else(PoisonError::into_inner);
    let (started, beginnings) = mpsc::channel();
    let work = |started: mpsc::Sender<usize>| {
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            if peers.stop().load(Ordering::Relaxed) {
                return;
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                left_out.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            started.send(job[0]).ok();
            let members: Vec<CountRequest<'_>> = job.iter().map(|place| requests[*place]).collect();
            match count_one(peers, congestion, &members) {
                Ok(found) => {
                    let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
                    job.iter().zip(found).for_each(|(place, count)| counts[*place] = count);
                }
                Err(_) if peers.stop().load(Ordering::Relaxed) => return,
                Err(failure) => lock_failures().push(failure),
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            let started = started.clone();
            scope.spawn(|| work(started));
        }
        drop(started);
        for first in beginnings {
            begin(&requests[first].step.cell);
        }
    });
    let counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    let records =
        requests.iter().zip(counts).filter_map(|(request, count)| Some(request.record(count?)));
    let mut records: Vec<Record> = records.collect();
    compare(&mut records);
    let failures = failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    Counted { records, failures, left_out: left_out.into_inner() }
}

/// Sets the ratios to plain sockets in the same cell.
fn compare(records: &mut [Record]) {
    let plain: Vec<Record> = records.iter().filter(|r| r.program == C.name).cloned().collect();
    for record in records {
        let same = plain.iter().find(|plain| plain.cell == record.cell);
        record.ratio_to_c = same.map(|plain| record.median / plain.median);
    }
}

/// Groups the requests that the same processes can serve, by index; no group is empty.
fn jobs(requests: &[CountRequest<'_>]) -> Vec<Vec<usize>> {
    let mut jobs: Vec<Vec<usize>> = Vec::new();
    for (place, this) in requests.iter().enumerate() {
        match jobs.iter_mut().find(|job| requests[job[0]].runs_with(this)) {
            Some(job) => job.push(place),
            None => jobs.push(vec![place]),
        }
    }
    jobs
}

/// Counts one program at all of its steps; `None` for a step that it does not support.
fn count_one(
    peers: &Peers,
    congestion: &str,
    requests: &[CountRequest<'_>],
) -> Result<Vec<Option<f64>>, String> {
    let Some(first) = requests.first() else { return Ok(Vec::new()) };
    let mut observed = Observed::start(peers, congestion, first)?;
    let mut counts: Vec<Option<f64>> = Vec::new();
    for (place, this) in requests.iter().enumerate() {
        let before = requests[..place].iter().position(|earlier| earlier.is_same(this));
        counts.push(match before {
            Some(before) => counts[before],
            None => observed.count(this)?,
        });
    }
    Ok(counts)
}

/// A program under observation.
struct Observed<'a> {
    peers: &'a Peers,
    running: Running,
    /// The observed processes, and the prefixes of their output files.
    sides: Vec<(u32, PathBuf)>,
    /// The number of dumps so far.
    written: u32,
}

impl<'a> Observed<'a> {
    fn start(
        peers: &'a Peers,
        congestion: &str,
        request: &CountRequest<'_>,
    ) -> Result<Self, String> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let files = ["server", "client"]
            .map(|side| peers.scratch().join(format!("instructions-{number}-{side}")));
        let prefix = |file: &PathBuf| callgrind(peers, file);
        let alone = matches!(request.program.kind, Kind::Adapter | Kind::Codec);
        let start = Start {
            program: request.program,
            transport: request.transport,
            placement: Placement::Unpinned,
            queue: request.queue,
            congestion,
            link: None,
            prefixes: [if alone { Vec::new() } else { prefix(&files[0]) }, prefix(&files[1])],
        };
        let running = Running::start(peers, &start)?;
        let sides = running.processes().into_iter().zip(files).skip(usize::from(alone));
        Ok(Self { peers, sides: sides.collect(), running, written: 0 })
    }

    /// The instructions of one call; `None` if the program does not support it.
    fn count(&mut self, request: &CountRequest<'_>) -> Result<Option<f64>, String> {
        let Step { prepare, task, .. } = request.step;
        if let Some(command) = prepare.as_ref().filter(|_| !request.program.is_raw())
            && self.running.carry_out(command)?.is_none()
        {
            return Ok(None);
        }
        let lengths @ [few, many] = request.lengths();
        let mut run = |count| self.running.carry_out(&task.command(request.program, count));
        // The first run includes one-time work.
        if run(few)?.is_none() {
            return Ok(None);
        }
        self.write()?;
        let mut counted = [0; 2];
        for (length, counted) in lengths.into_iter().zip(&mut counted) {
            self.running.carry_out(&task.command(request.program, length))?;
            *counted = self.write()?;
        }
        let more = counted[1] as f64 - counted[0] as f64;
        Ok(Some(more / f64::from(many - few)).filter(|each| *each > 0.0))
    }

    /// Lets all sides write their counts since the last dump, and returns the sum.
    fn write(&mut self) -> Result<u64, String> {
        self.written += 1;
        let ask = |(process, _): &(u32, PathBuf)| ask(self.peers, *process, "dump");
        let asked: Vec<_> = self.sides.iter().map(ask).collect();
        asked.into_iter().try_for_each(|asked| told(self.peers, asked))?;
        let number = self.written;
        let totals = self.sides.iter().map(|(_, file)| {
            let file = format!("{}.{number}", file.display());
            let text = fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
            total(&text).ok_or_else(|| format!("{file} has no total"))
        });
        totals.sum()
    }
}

/// The prefix of a command that writes its instruction counts to `file`.
pub(crate) fn callgrind(peers: &Peers, file: &Path) -> Vec<String> {
    let out = format!("--callgrind-out-file={}", file.display());
    ["valgrind", "-q", "--tool=callgrind", &pipes(peers), &out].map(str::to_owned).to_vec()
}

/// The directory of the pipes between valgrind and vgdb: that of the run, because a killed process
/// leaves its pipes behind.
fn pipes(peers: &Peers) -> String {
    format!("--vgdb-prefix={}", peers.scratch().join("vgdb").display())
}

/// Sends a command to the valgrind of a process: `dump` writes the counts, `zero` resets them.
///
/// # Errors
/// `vgdb` cannot reach valgrind.
pub(crate) fn tell_valgrind(peers: &Peers, process: u32, order: &str) -> Result<(), String> {
    told(peers, ask(peers, process, order))
}

fn ask(peers: &Peers, process: u32, order: &str) -> io::Result<Child> {
    let mut command = Command::new("vgdb");
    command.args([pipes(peers), format!("--pid={process}"), order.to_owned()]).stdin(Stdio::null());
    // Ctrl-C must not reach vgdb, which may then wait forever.
    command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let child = command.spawn()?;
    peers.reaper().register(child.id());
    Ok(child)
}

fn told(peers: &Peers, asked: io::Result<Child>) -> Result<(), String> {
    let ended = asked.and_then(|mut child| {
        let ended = end(peers, &mut child);
        peers.reaper().unregister(child.id());
        ended
    });
    match ended {
        Ok(Some(status)) if status.success() => Ok(()),
        Ok(Some(_)) => Err("vgdb cannot ask valgrind; is ptrace allowed?".into()),
        Ok(None) => Err("vgdb waits for valgrind".into()),
        Err(error) => Err(format!("vgdb: {error}")),
    }
}

/// The exit status; `None` after the time limit, or if the run was stopped.
fn end(peers: &Peers, child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let started = Instant::now();
    loop {
        let ended = child.try_wait()?;
        if ended.is_some() {
            return Ok(ended);
        }
        if started.elapsed() > TIME_LIMIT || peers.stop().load(Ordering::Relaxed) {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// The total in a file of callgrind.
fn total(text: &str) -> Option<u64> {
    let line = text.lines().rev().find_map(|line| line.strip_prefix("totals:"))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ORB;
    use crate::task::Task;
    use crate::workload::Workload;

    fn step(workload: Workload, objects: u32) -> Step {
        let task = Task::of(workload, 0);
        let cell = Cell { objects, ..Cell::of_void() };
        Step { prepare: None, cell, task }
    }

    #[test]
    fn programs_are_started_once_for_all_that_they_do() {
        let (void, flood) = (step(Workload::Void, 1), step(Workload::FloodVoid, 1));
        let static_orb = Program::orb("static", &[]);
        let request =
            |program, step| CountRequest { program, transport: Transport::Tcp, queue: 0, step };
        let all = [request(&ORB, &void), request(&C, &void), request(&static_orb, &flood)];
        assert_eq!(jobs(&all), [vec![0, 2], vec![1]]);
    }

    #[test]
    fn what_is_counted_is_compared_with_plain_sockets_in_the_same_cell() {
        let (void, many) = (step(Workload::Void, 1), step(Workload::Void, 100));
        let count = |program, step, count| {
            CountRequest { program, transport: Transport::Tcp, queue: 0, step }.record(count)
        };
        let mut records =
            [count(&ORB, &void, 2000.0), count(&C, &void, 400.0), count(&ORB, &many, 9.0)];
        compare(&mut records);
        assert_eq!(records.map(|record| record.ratio_to_c), [Some(5.0), Some(1.0), None]);
    }

    #[test]
    fn every_object_has_as_many_turns() {
        let step = step(Workload::Void, 1000);
        let request =
            CountRequest { program: &ORB, transport: Transport::Tcp, queue: 0, step: &step };
        assert!(request.lengths().iter().all(|length| length.is_multiple_of(1000)));
    }

    #[test]
    fn totals_are_read() {
        assert_eq!(total("events: Ir\nsummary: 7\n\ntotals: 12\n"), Some(12));
        assert_eq!(total("events: Ir\n"), None);
    }
}
