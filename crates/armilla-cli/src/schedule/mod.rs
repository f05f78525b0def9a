//! `armilla schedule`: whether operations meet their deadlines.

mod json;
mod sources;
mod tables;

use crate::output;
use armilla_schedule::{
    AnalysisOptions, PriorityRange, Report, Strategy, System, analyse, timeline,
};
use armilla_terminal::{Context, Failure, Outcome, print, say};
use clap::Args;
use std::path::{Path, PathBuf};

/// Prove that operations meet their deadlines, or say which do not
///
/// FILE is IDL with annotations of timing, or a table of tasks in TOML (*.toml). Each file is a
/// process, named by it without its extension. What a later file says of an operation replaces
/// what an earlier one said: measured times or processors can stand in a file of their own.
///
/// In IDL:
///
///     interface Filter {
///       @period(10 ms) @deadline(8 ms) @wcet(300 us) @criticality(high)
///       @calls("Hud::draw", delay = 200 us) @holds("track", 20 us)
///       void update(in Sample latest);
///     };
///
/// In TOML:
///
///     [[task]]
///     name = "Filter::update"
///     processor = "cpu1"
///     period = "10 ms"
///     wcet = "300 us"
///     calls = [{ operation = "Hud::draw", oneway = true, delay = "200 us" }]
///     sections = [{ resource = "track", length = "20 us" }]
///
/// The output has a table for each strategy: the priority of each operation, its longest response,
/// its deadline, the slack between the two and the longest time for which less urgent operations
/// block it; then what to change if a deadline can be missed. docs/scheduling.md explains the
/// analysis.
#[derive(Debug, Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Exit status:
  0  every deadline is met, by the chosen strategy or by at least one of those compared
  1  a deadline can be missed
  2  a file or an option is wrong

Examples:
  armilla schedule nav.idl
  armilla schedule --strategy rm --svg timeline.svg sensors.idl nav.idl board.toml
  armilla schedule --json nav.toml | jq '.reports[].schedulable'"
)]
pub(crate) struct Schedule {
    /// IDL files and tables of tasks
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// rm (rate monotonic), dm (deadline monotonic), edf (earliest deadline first) or muf (maximum
    /// urgency first); without it all are compared
    #[arg(short, long, value_parser = |text: &str| text.parse::<Strategy>())]
    strategy: Option<Strategy>,
    /// Native priorities that operations may get; a greater number is more urgent
    #[arg(long, value_name = "LOWEST-HIGHEST", default_value = "1-99", value_parser = range)]
    priorities: PriorityRange,
    /// Threads that execute the operations of each processor. Several have a CPU each, and an
    /// operation that has begun runs to its end: as a scheduler with several threads runs them
    #[arg(long, value_name = "COUNT", default_value = "1",
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    threads: u16,
    /// Write a timeline of the critical instant: of the chosen strategy, or of the first one that
    /// meets all deadlines
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print JSON: times in nanoseconds, factors in thousandths
    #[arg(long)]
    json: bool,
    /// Do not look for the factor by which execution times may grow
    #[arg(long)]
    quick: bool,
    /// Search included IDL files in this directory too
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
}

fn range(text: &str) -> Result<PriorityRange, String> {
    // The separator is the first `-` after the first digit, so that numbers may be negative.
    let form = || format!("`{text}` is no range; write LOWEST-HIGHEST, as in 1-99");
    let digit = text.find(|c: char| c.is_ascii_digit()).ok_or_else(form)?;
    let dash = text[digit..].find('-').ok_or_else(form)? + digit;
    let number = |part: &str| part.parse::<i32>().map_err(|_| form());
    PriorityRange::new(number(&text[..dash])?, number(&text[dash + 1..])?)
}

pub(crate) fn run(schedule: &Schedule) -> Outcome {
    if schedule.threads > 1 && schedule.svg.is_some() {
        let what = "--svg draws processors of one thread each; leave it out, or --threads";
        return Err(Failure::usage(what));
    }
    let description = sources::read(&schedule.files, &schedule.include)?;
    let set = description.finish().map_err(Failure::usage)?;
    let system = System::new(set).map_err(Failure::usage)?;
    let strategies = match &schedule.strategy {
        Some(strategy) => std::slice::from_ref(strategy),
        None => &Strategy::ALL,
    };
    let mut reports = Vec::new();
    for strategy in strategies {
        let question = AnalysisOptions {
            range: schedule.priorities,
            sensitivity: !schedule.quick,
            threads: usize::from(schedule.threads),
            ..AnalysisOptions::of(*strategy)
        };
        reports.push(analyse(&system, question).map_err(Failure::usage)?);
    }
    if let Some(path) = &schedule.svg {
        write_timeline(&system, &reports, path)?;
    }
    if schedule.json {
        say!("{}", json::reports(&reports))?;
    } else {
        for report in &reports {
            print(format_args!("{}", tables::report(report)))?;
        }
        if reports.len() > 1 {
            print(format_args!("{}", tables::comparison(&reports)))?;
        }
    }
    match reports.iter().any(Report::is_schedulable) {
        true => Ok(()),
        false => Err(Failure::Reported),
    }
}

fn write_timeline(system: &System, reports: &[Report], path: &Path) -> Outcome {
    let Some(report) = reports.iter().find(|one| one.is_schedulable()).or(reports.first()) else {
        return Ok(());
    };
    let svg = timeline::critical_instant(system, report);
    output::write(path, svg).context(format_args!("cannot write {}", path.display()))
}
