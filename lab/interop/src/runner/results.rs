//! The results of the groups: read from what clients print, counted, printed.

use super::Step;
use super::document::Document;
use super::expected::Expected;
use crate::report::Outcome;

/// The checks of a group.
#[derive(Debug)]
pub struct Group {
    name: String,
    checks: Vec<Check>,
}

#[derive(Debug)]
struct Check {
    name: String,
    /// Why it failed, if it did.
    failure: Option<String>,
}

impl Group {
    /// A group without checks.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), checks: Vec::new() }
    }

    /// Makes a check.
    pub fn check(&mut self, name: &str, body: impl FnOnce() -> Outcome) {
        match body() {
            Ok(()) => self.checks.push(Check { name: name.to_owned(), failure: None }),
            Err(error) => self.failed(name, &error.to_string()),
        }
    }

    /// Notes a check that failed.
    pub fn failed(&mut self, name: &str, why: &str) {
        let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
        self.checks.push(Check { name: name.to_owned(), failure: Some(why) });
    }

    /// Takes the checks out of what a client printed: `ok NAME`, `FAILED NAME: WHY`, and at the end
    /// `N passed, N failed`. Other lines are left alone.
    ///
    /// # Errors
    /// When the client did not come to its end, miscounted, or ended with a status that does not
    /// fit.
    pub fn take_report(&mut self, prefix: &str, output: &str, status: Option<i32>) -> Step {
        let (mut passed, mut failed) = (0, 0);
        let mut totals = None;
        for line in output.lines() {
            if let Some(name) = line.strip_prefix("ok ") {
                passed += 1;
                self.checks.push(Check { name: format!("{prefix}{name}"), failure: None });
            } else if let Some(rest) = line.strip_prefix("FAILED ") {
                failed += 1;
                let (name, why) = rest.split_once(": ").unwrap_or((rest, "no reason given"));
                self.failed(&format!("{prefix}{name}"), why);
            } else if let Some(counts) = parse_totals(line) {
                totals = Some(counts);
            }
        }
        match totals {
            None => {
                let last: Vec<_> = output.lines().rev().take(3).collect();
                Err(format!("the client broke off ({status:?}); at last: {last:?}").into())
            }
            Some(counts) if counts != (passed, failed) => {
                Err(format!("the client counted {counts:?}, its lines are {passed}, {failed}")
                    .into())
            }
            Some(_) if passed + failed == 0 => Err("the client made no check".into()),
            Some(_) if status != Some(i32::from(failed > 0)) => {
                Err(format!("the client ended with {status:?} after {failed} failures").into())
            }
            Some(_) => Ok(()),
        }
    }
}

/// The counts in a line `N passed, N failed`.
fn parse_totals(line: &str) -> Option<(u32, u32)> {
    let (passed, failed) = line.strip_suffix(" failed")?.split_once(" passed, ")?;
    Some((passed.parse().ok()?, failed.parse().ok()?))
}

/// The results of all groups so far.
#[derive(Debug)]
pub struct Results {
    filter: String,
    expected: Expected,
    document: Document,
    passed: u32,
    failed: u32,
}

impl Results {
    /// No results yet of the groups whose names contain `filter`.
    pub fn new(filter: &str, expected: Expected) -> Self {
        let document = Document::default();
        Self { filter: filter.to_owned(), expected, document, passed: 0, failed: 0 }
    }

    /// Whether the filter lets a group through.
    pub fn wants(&self, group: &str) -> bool {
        group.contains(&self.filter)
    }

    /// Counts the checks of a group, and prints a line for it and one for each failure. Failures
    /// that are expected count as neither; those that do not come, though they always should, count
    /// as failed.
    pub fn take(&mut self, group: Group) {
        let (mut passed, mut failures, mut notes) = (0, Vec::new(), Vec::new());
        let mut missing = self.expected.of(&group.name);
        for check in &group.checks {
            let known = missing.iter().position(|known| known.check == check.name);
            let known = known.map(|index| missing.swap_remove(index));
            let reason = known.map(|known| known.reason.as_str());
            self.document.note(&group.name, &check.name, reason);
            match (&check.failure, known) {
                (None, Some(known)) if known.always => {
                    failures.push(unexpected(&check.name, "passes"));
                }
                (None, _) => passed += 1,
                (Some(why), None) => failures.push(format!("{}: {why}", check.name)),
                (Some(_), Some(known)) => notes.push(format!("{}: {}", check.name, known.reason)),
            }
        }
        failures.extend(missing.iter().map(|known| unexpected(&known.check, "was not made")));
        if group.checks.is_empty() {
            failures.push("no check was made".to_owned());
        }
        self.passed += passed;
        self.failed += failures.len() as u32;
        print_group(&group.name, passed, &failures, &notes);
    }

    /// What the groups have shown of each mechanism.
    pub(super) const fn document(&self) -> &Document {
        &self.document
    }

    /// Whether all groups were wanted, and nothing failed so far.
    pub(super) const fn is_whole(&self) -> bool {
        self.filter.is_empty() && self.failed == 0
    }

    /// Prints the totals. Whether something was checked and nothing failed.
    pub fn finish(mut self) -> bool {
        if self.passed + self.failed == 0 {
            println!("FAILED runner: no group has {:?} in its name", self.filter);
            self.failed = 1;
        }
        println!("{} passed, {} failed", self.passed, self.failed);
        self.failed == 0
    }
}

fn unexpected(check: &str, what: &str) -> String {
    format!("{check}: {what}, although expected-failures.txt has it: take it out there")
}

fn print_group(name: &str, passed: u32, failures: &[String], notes: &[String]) {
    let verdict = if failures.is_empty() { "ok    " } else { "FAILED" };
    let mut line = format!("{verdict} {name}: {passed} passed");
    if !failures.is_empty() {
        line += &format!(", {} failed", failures.len());
    }
    if !notes.is_empty() {
        line += &format!(", {} failed as expected", notes.len());
    }
    println!("{line}");
    failures.iter().for_each(|failure| println!("       FAILED {failure}"));
    notes.iter().for_each(|note| println!("       expected {note}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "noise\nok a/b\nFAILED c/d: why: not\nok e/f\n2 passed, 1 failed\n";

    fn taken(expected: &str) -> (u32, u32) {
        let mut group = Group::new("us-to-us/1.1");
        group.take_report("x/", REPORT, Some(1)).unwrap();
        let mut results = Results::new("", expected.parse().unwrap());
        results.take(group);
        (results.passed, results.failed)
    }

    #[test]
    fn a_report_is_read_line_by_line() {
        let mut group = Group::new("g");
        group.take_report("x/", REPORT, Some(1)).unwrap();
        let names: Vec<_> = group.checks.iter().map(|check| check.name.as_str()).collect();
        assert_eq!(names, ["x/a/b", "x/c/d", "x/e/f"]);
        assert_eq!(group.checks[1].failure.as_deref(), Some("why: not"));
    }

    #[test]
    fn a_report_that_does_not_add_up_is_an_error() {
        let take = |output, status| Group::new("g").take_report("", output, status);
        assert!(take("ok a/b\n", Some(0)).is_err(), "broken off");
        assert!(take("ok a/b\n2 passed, 0 failed\n", Some(0)).is_err(), "miscounted");
        assert!(take("0 passed, 0 failed\n", Some(1)).is_err(), "nothing checked");
        assert!(take("ok a/b\n1 passed, 0 failed\n", Some(1)).is_err(), "the status");
        assert!(take("ok a/b\n1 passed, 0 failed\n", None).is_err(), "killed");
        assert!(take("ok a/b\n1 passed, 0 failed\n", Some(0)).is_ok());
    }

    #[test]
    fn expected_failures_count_as_neither() {
        assert_eq!(taken(""), (2, 1));
        assert_eq!(taken("us-to-us/1.1 x/c/d it is known"), (2, 0));
        assert_eq!(taken("us-to-us/1.0 x/c/d of another group"), (2, 1));
        assert_eq!(taken("us-to-us/1.1 x/c/d? at times\nus-to-us/1.1 x/a/b? too"), (2, 0));
    }

    #[test]
    fn expected_failures_that_do_not_come_are_failures() {
        assert_eq!(taken("us-to-us/1.1 x/c/d known\nus-to-us/1.1 x/a/b mended"), (1, 1));
        assert_eq!(taken("us-to-us/1.1 x/c/d known\nus-to-us/1.1 x/none never made"), (2, 1));
    }

    #[test]
    fn a_group_without_checks_has_failed() {
        let mut results = Results::new("", Expected::default());
        results.take(Group::new("g"));
        assert_eq!((results.passed, results.failed), (0, 1));
    }
}
