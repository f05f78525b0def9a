//! A picture of a simulation: which task runs when, as SVG.

use crate::analysis::{OperationVerdict, Report, Verdict};
use crate::simulation::{Scenario, Simulated, simulate};
use crate::system::System;
use crate::time::Nanos;
use std::cmp::Reverse;
use std::fmt::Write;

/// The width of the picture, for which its text has the size of ordinary text. It scales.
const WIDTH: f64 = 390.0;
const MARGIN: f64 = 8.0;
/// The height of a task with its label.
const ROW: f64 = 34.0;
/// The most stretches of execution that one picture shows.
const MOST_SLICES: usize = 4_000;
/// The most tasks.
const MOST_ROWS: usize = 200;

/// The critical instant as SVG: all tasks are released together, and each has a line with its
/// executions, its releases (a line upwards) and its deadlines (a line downwards). What runs after
/// its deadline is marked. The colours follow the light or dark mode of the viewer.
///
/// It shows the time until the last of the first deadlines, or as much of it as has 4,000
/// executions.
pub fn critical_instant(system: &System, report: &Report) -> String {
    let shown = report.operations.iter().map(|one| one.deadline.0.max(one.period.0)).max();
    let mut until = Nanos(shown.unwrap_or(1).max(1));
    let least = report.operations.iter().map(|one| one.period.0).min().unwrap_or(1).max(1);
    until = Nanos(until.0.min(least.saturating_mul(500)));
    let mut scenario = Scenario::of(system, report, until);
    scenario.record = true;
    scenario.quantum = Nanos((least / 10).max(1));
    let mut simulated = simulate(system, &scenario);
    if simulated.slices.len() > MOST_SLICES {
        simulated.slices.truncate(MOST_SLICES);
        until = simulated.slices.last().map_or(until, |slice| slice.end);
    }
    Picture { system, report, simulated, until, text: String::new() }.draw()
}

struct Picture<'a> {
    system: &'a System,
    report: &'a Report,
    simulated: Simulated,
    until: Nanos,
    text: String,
}

const STYLE: &str = "\
:root{color-scheme:light dark}
svg{background:#fff;font:11px system-ui,sans-serif}
text{fill:#1a1a1a}.faint{fill:#5c5c5c}.late-text{fill:#b3261e}
.lane{fill:#eef0f3}.run{fill:#2f6fb3}.critical{fill:#7a3fa0}.late{fill:#d33a2c}
.release{stroke:#2b7a3d}.deadline{stroke:#b3261e}.axis{stroke:#9aa0a6}
@media (prefers-color-scheme:dark){svg{background:#15181c}text{fill:#e8eaed}.faint{fill:#a7adb5}
.late-text{fill:#ff8a7d}.lane{fill:#252a31}.run{fill:#6aa9ec}.critical{fill:#c08be6}
.late{fill:#ff6b5c}.release{stroke:#6fce85}.deadline{stroke:#ff8a7d}.axis{stroke:#5f6670}}
";

impl Picture<'_> {
    fn draw(mut self) -> String {
        let report = self.report;
        let rows = rows(self.system, report);
        let processors = self.system.processors().len() as f64;
        let height = 52.0 + rows.len() as f64 * ROW + processors * 20.0 + 34.0;
        let title = format!("{}: the critical instant", self.report.strategy);
        self.put(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
             width=\"100%\" style=\"max-width:1100px\" role=\"img\" aria-label=\"{}\">\n\
             <style>{STYLE}</style>\n",
            escape(&title)
        ));
        self.put(format_args!(
            "<text x=\"{MARGIN}\" y=\"18\" font-size=\"13\" font-weight=\"600\">{}</text>\n",
            escape(&title)
        ));
        let verdict = match self.report.is_schedulable() {
            true => "schedulable",
            false => "not schedulable",
        };
        self.put(format_args!(
            "<text x=\"{MARGIN}\" y=\"34\" class=\"faint\">{verdict}; up: release, down: \
             deadline; violet: critical, red: late</text>\n"
        ));
        let mut y = 46.0;
        for processor in 0..self.system.processors().len() {
            let name = escape(&self.system.processors()[processor]);
            let used = self.report.processors.get(processor);
            let used = used.map_or(0, |one| one.utilisation.parts_per_million());
            self.put(format_args!(
                "<text x=\"{MARGIN}\" y=\"{}\" font-weight=\"600\">{name}, {}.{} % used</text>\n",
                y + 12.0,
                used / 10_000,
                used / 1_000 % 10
            ));
            y += 20.0;
            for (task, verdict) in &rows {
                if self.system.processors()[processor] == verdict.processor {
                    self.row(*task, verdict, y);
                    y += ROW;
                }
            }
        }
        self.axis(46.0, y);
        self.text.push_str("</svg>\n");
        self.text
    }

    fn row(&mut self, task: usize, verdict: &OperationVerdict, y: f64) {
        let name: String = verdict.name.chars().take(34).collect();
        let priority = verdict.priority.map_or(String::new(), |native| format!("{native} "));
        let late = verdict.verdict != Verdict::Schedulable;
        let response = match verdict.response.bound() {
            Some(bound) => Nanos(bound).to_string(),
            None => "no bound".to_owned(),
        };
        self.put(format_args!(
            "<text x=\"{MARGIN}\" y=\"{0}\">{priority}{1}</text>\n\
             <text x=\"{2}\" y=\"{0}\" text-anchor=\"end\" class=\"{3}\">{response} of {4}</text>\n\
             <rect class=\"lane\" x=\"{MARGIN}\" y=\"{5}\" width=\"{6}\" height=\"12\"/>\n",
            y + 10.0,
            escape(&name),
            WIDTH - MARGIN,
            if late { "late-text" } else { "faint" },
            verdict.deadline,
            y + 16.0,
            WIDTH - 2.0 * MARGIN,
        ));
        let releases: Vec<u64> = (self.simulated.releases.iter())
            .filter(|(of, time)| *of == task && time.0 <= self.until.0)
            .map(|(_, time)| time.0)
            .collect();
        self.slices(task, verdict, &releases, y);
        for release in releases {
            let up = self.x(release);
            self.put(format_args!("<path class=\"release\" d=\"M{up} {}v-15\"/>\n", y + 28.0));
            let deadline = release.saturating_add(verdict.deadline.0);
            if deadline <= self.until.0 {
                let down = self.x(deadline);
                let top = y + 17.0;
                self.put(format_args!("<path class=\"deadline\" d=\"M{down} {top}v14\"/>\n"));
            }
        }
    }

    /// The executions of a task; those after the deadline of the oldest release that has not ended
    /// are late.
    fn slices(&mut self, task: usize, verdict: &OperationVerdict, releases: &[u64], y: f64) {
        let wcet = self.system.tasks()[task].wcet.0 * u64::from(self.system.tasks()[task].threads);
        let kind = if verdict.criticality.is_critical() { "critical" } else { "run" };
        let mut done = 0_u64;
        let slices: Vec<_> =
            self.simulated.slices.iter().filter(|slice| slice.task == task).copied().collect();
        for slice in slices {
            let job = (done / wcet.max(1)) as usize;
            let deadline = releases
                .get(job)
                .map_or(u64::MAX, |release| release.saturating_add(verdict.deadline.0));
            done += slice.end.0 - slice.start.0;
            let middle = deadline.clamp(slice.start.0, slice.end.0);
            for (start, end, class) in
                [(slice.start.0, middle, kind), (middle, slice.end.0, "late")]
            {
                let (from, to) = (self.x(start), self.x(end));
                if end > start {
                    self.put(format_args!(
                        "<rect class=\"{class}\" x=\"{from}\" y=\"{}\" width=\"{:.2}\" \
                         height=\"12\"/>\n",
                        y + 16.0,
                        (to - from).max(0.3)
                    ));
                }
            }
        }
    }

    /// The axis of time, with a few round marks.
    fn axis(&mut self, top: f64, bottom: f64) {
        let step = round_step(self.until.0);
        let mut mark = 0_u64;
        while mark <= self.until.0 {
            let x = self.x(mark);
            let anchor = if mark == 0 { "start" } else { "middle" };
            let label = if mark == 0 { "0".to_owned() } else { Nanos(mark).to_string() };
            self.put(format_args!(
                "<path class=\"axis\" stroke-dasharray=\"1 4\" d=\"M{x} {top}V{bottom}\"/>\n"
            ));
            if x < WIDTH - 4.0 * MARGIN {
                let y = bottom + 14.0;
                self.put(format_args!(
                    "<text class=\"faint\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{label}</text>\n"
                ));
            }
            let Some(next) = mark.checked_add(step) else { break };
            mark = next;
        }
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        _ = self.text.write_fmt(text);
    }

    /// The place of a moment from the left.
    fn x(&self, time: u64) -> f64 {
        let share = time.min(self.until.0) as f64 / self.until.0 as f64;
        ((MARGIN + share * (WIDTH - 2.0 * MARGIN)) * 100.0).round() / 100.0
    }
}

/// The tasks that the picture shows, the most urgent ones first.
fn rows<'r>(system: &System, report: &'r Report) -> Vec<(usize, &'r OperationVerdict)> {
    let number = |name: &str| system.tasks().iter().position(|task| task.name == name);
    let own = report.operations.iter().filter(|one| one.in_thread_of.is_none());
    let mut rows: Vec<_> =
        own.filter_map(|one| number(&one.name).map(|task| (task, one))).collect();
    rows.sort_by_key(|(_, one)| (Reverse(one.priority), Reverse(one.criticality), one.deadline));
    rows.truncate(MOST_ROWS);
    rows
}

/// A round step of which at most six fit into the time, so that their labels have room.
fn round_step(time: u64) -> u64 {
    let target = time.div_ceil(MOST_STEPS).max(1);
    let power = 10_u64.pow(target.ilog10());
    let steps = [1, 2, 5, 10].into_iter().map(|digit| power.saturating_mul(digit));
    steps.into_iter().find(|step| *step >= target).unwrap_or(u64::MAX)
}

/// The most steps of the axis of time.
const MOST_STEPS: u64 = 6;

/// The text with the signs of XML replaced.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // XML has no control characters.
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_labels_of_the_axis_have_room_and_are_round() {
        for time in [1, 2, 6, 7, 99, 100, 199, 200, 201, 999_999, u64::MAX] {
            let step = round_step(time);
            assert!(time / step <= MOST_STEPS, "{time}: {step}");
            assert!(time < 6 || time / step >= 2, "{time}: {step}");
        }
        assert_eq!(
            [60, 100, 200].map(|ms| round_step(ms * 1_000_000)),
            [10, 20, 50].map(|ms| ms * 1_000_000)
        );
    }
}
