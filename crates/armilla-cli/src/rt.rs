//! `armilla rt`: what this host grants of real time.

use crate::failure::{Failure, Outcome};
use crate::output::say;
use armilla_rt::{Platform, PlatformReport, Scheduling};
use serde_json::json;
use std::time::Duration;

/// The arguments of `armilla rt`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Rt {
    /// Show what the host grants: asked for, granted, why not, and how to get it
    Doctor(Doctor),
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without options, asks for what a real-time process usually needs: fifo:90, locked\n\
                  memory and a timer slack of 1 ns. Nothing is changed. The exit status is 1 if\n\
                  --strict is given and anything that was asked for is not granted."
)]
pub(crate) struct Doctor {
    /// A class that threads will have: fifo:1-99, rr:1-99, other, batch, other:NICE, batch:NICE, idle
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
    /// Fail unless everything is granted
    #[arg(long)]
    strict: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(rt: &Rt) -> Outcome {
    match rt {
        Rt::Doctor(doctor) => doctor.run(),
    }
}

impl Doctor {
    fn run(&self) -> Outcome {
        let report = self.platform().report();
        match self.json {
            true => say!("{:#}", to_json(&report))?,
            false => crate::output::print(format_args!("{report}"))?,
        }
        match self.strict && !report.is_granted() {
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
