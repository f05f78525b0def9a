//! `armilla rt`: what this host grants of real time, and what operations take.

use crate::output;
use armilla_ipc::random;
use armilla_rt::{Measurement, Platform, PlatformReport, Scheduling};
use armilla_schedule::MeasuredTimes;
use armilla_terminal::{Context, Failure, Outcome, say};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

/// How long a program may take to end after a signal.
const PATIENCE: Duration = Duration::from_secs(5);

/// The arguments of `armilla rt`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Rt {
    /// Show what the host grants: asked for, granted, why not, and how to get it
    Doctor(Doctor),
    /// Run a program, and write the worst cases that it measured as a table for `armilla schedule`
    Measure(Measure),
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "The program takes part with armilla_rt::Measurement::from_environment. Processes that it\n\
                  starts do so too. It is to end by itself, or is interrupted after --seconds.\n\n\
                  A measurement need not have met the worst case, therefore the margin."
)]
pub(crate) struct Measure {
    /// Where to write the table; without it to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// By how many per cent each worst case is enlarged
    #[arg(long, value_name = "PERCENT", default_value_t = 20)]
    margin: u32,
    /// Interrupt the program (SIGINT) after this time; if that does not end it, SIGTERM follows
    /// after 5 s, and SIGKILL after 5 s more
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<u64>,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without options, asks for what a real-time process usually needs: fifo:90, locked\n\
                  memory and a timer slack of 1 ns. Nothing is changed. The exit status is 1 if\n\
                  --strict is given and any row says `no` or `partly`."
)]
pub(crate) struct Doctor {
    /// A class that threads will have: fifo:1-99, rr:1-99, deadline:RUNTIME/DEADLINE/PERIOD (500us,
    /// 10ms), other, batch, other:NICE, batch:NICE, idle
    #[arg(long, value_name = "CLASS")]
    scheduling: Vec<Scheduling>,
    /// Ask for locked memory
    #[arg(long)]
    lock_memory: bool,
    /// The CPUs to run on, such as 2,3
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    cpus: Vec<usize>,
    /// The CPUs run nothing else
    #[arg(long)]
    exclusive: bool,
    /// Threads poll instead of sleeping
    #[arg(long)]
    busy_poll: bool,
    /// The timer slack, in nanoseconds
    #[arg(long, value_name = "NANOSECONDS")]
    timer_slack: Option<u64>,
    /// Fail unless every row says `yes` or `unknown`
    #[arg(long)]
    strict: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(rt: &Rt) -> Outcome {
    match rt {
        Rt::Doctor(doctor) => doctor.run(),
        Rt::Measure(measure) => measure.run(),
    }
}

impl Measure {
    fn run(&self) -> Outcome {
        // The program writes there, so that nobody else must have made it, or be able to.
        let name = format!("armilla-measure-{:016x}", random::number()?);
        let directory = std::env::temp_dir().join(name);
        let made = DirBuilder::new().mode(0o700).create(&directory);
        made.context(format_args!("cannot create {}", directory.display()))?;
        let measured = self.measure(&directory);
        // What is left there is of no use to anybody.
        fs::remove_dir_all(&directory).ok();
        let table = measured?.to_table(self.margin);
        match &self.output {
            Some(path) => {
                output::write(path, table).context(format_args!("cannot write {}", path.display()))
            }
            None => armilla_terminal::print(format_args!("{table}")),
        }
    }

    /// Runs the program, and joins what its processes have measured.
    fn measure(&self, directory: &Path) -> Outcome<MeasuredTimes> {
        let [program, arguments @ ..] = &self.program[..] else {
            return Err(Failure::usage("a program is needed after --"));
        };
        let name = program.display();
        let mut command = Command::new(program);
        command.args(arguments).env(Measurement::VARIABLE, directory);
        if self.output.is_none() {
            // Standard output is for the table.
            command.stdout(io::stderr());
        }
        let mut child = command.spawn().context(format_args!("cannot run {name}"))?;
        let status = self.wait(&mut child).context(format_args!("cannot wait for {name}"))?;
        let mut measured = MeasuredTimes::new();
        let files = fs::read_dir(directory).context("cannot read what was measured")?;
        for file in files {
            let path = file.context("cannot read what was measured")?.path();
            let text = fs::read_to_string(&path)
                .context(format_args!("cannot read {}", path.display()))?;
            let times: MeasuredTimes = text
                .parse()
                .map_err(|wrong| Failure::because(format!("{}: {wrong}", path.display())))?;
            measured.merge(&times);
        }
        match measured == MeasuredTimes::new() {
            true => Err(Failure::because(format!(
                "{name} has measured nothing, and ended with {status}; does it use \
                 armilla_rt::Measurement::from_environment?"
            ))),
            false => Ok(measured),
        }
    }

    fn wait(&self, child: &mut Child) -> io::Result<ExitStatus> {
        let Some(seconds) = self.seconds else { return child.wait() };
        let mut due = Instant::now() + Duration::from_secs(seconds);
        let mut signals = [Signal::INT, Signal::TERM, Signal::KILL].into_iter();
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            if Instant::now() >= due
                && let Some(signal) = signals.next()
            {
                kill_process(Pid::from_child(child), signal)?;
                due += PATIENCE;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Doctor {
    fn run(&self) -> Outcome {
        let report = self.platform().report();
        match self.json {
            true => say!("{:#}", to_json(&report))?,
            false => armilla_terminal::print(format_args!("{report}"))?,
        }
        match self.strict && !report.is_complete() {
            true => Err(Failure::Reported),
            false => Ok(()),
        }
    }

    fn platform(&self) -> Platform {
        let asked = !self.scheduling.is_empty()
            || self.lock_memory
            || !self.cpus.is_empty()
            || self.exclusive
            || self.busy_poll
            || self.timer_slack.is_some();
        if !asked {
            return Platform::real_time();
        }
        let mut platform = Platform::new().cpus(self.cpus.iter().copied());
        for scheduling in &self.scheduling {
            platform = platform.scheduling(*scheduling);
        }
        if self.lock_memory {
            platform = platform.lock_memory();
        }
        if self.exclusive {
            platform = platform.exclusive_cpus();
        }
        if self.busy_poll {
            platform = platform.busy_poll();
        }
        match self.timer_slack {
            Some(nanos) => platform.timer_slack(Duration::from_nanos(nanos)),
            None => platform,
        }
    }
}

fn to_json(report: &PlatformReport) -> serde_json::Value {
    let findings = report.findings().iter().map(|finding| {
        json!({
            "topic": finding.topic,
            "asked": finding.asked,
            "granted": finding.grant.word(),
            "found": finding.found,
            "remedy": finding.remedy,
        })
    });
    json!({ "granted": report.is_granted(), "findings": findings.collect::<Vec<_>>() })
}
