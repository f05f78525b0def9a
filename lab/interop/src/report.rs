//! The report of a run: named checks with one line for each, and the totals.

use std::error::Error;
use std::fmt::Display;

/// The result of a check. The message of an error is the reason that is printed.
pub type Outcome = Result<(), Box<dyn Error>>;

/// Runs named checks (`operation/case`), prints a line for each, and counts.
#[derive(Debug, Default)]
pub struct Report {
    filters: Vec<String>,
    passed: u32,
    failed: u32,
}

impl Report {
    /// Filters are substrings of the names of checks. A filter that starts with `!` excludes.
    /// Without filters, all checks run.
    pub fn new(filters: Vec<String>) -> Self {
        Self { filters, ..Self::default() }
    }

    /// Runs a check, unless the filters exclude it.
    pub fn check(&mut self, operation: &str, case: &str, body: impl FnOnce() -> Outcome) {
        let name = format!("{operation}/{case}");
        if !wants(&self.filters, &name) {
            return;
        }
        match body() {
            Ok(()) => {
                self.passed += 1;
                println!("ok {name}");
            }
            Err(why) => {
                self.failed += 1;
                println!("FAILED {name}: {}", one_line(&why.to_string()));
            }
        }
    }

    /// The numbers of checks that passed and failed.
    pub const fn totals(&self) -> (u32, u32) {
        (self.passed, self.failed)
    }

    /// Prints the totals. Returns whether a check ran and none failed.
    pub fn finish(&self) -> bool {
        println!("{} passed, {} failed", self.passed, self.failed);
        self.passed > 0 && self.failed == 0
    }
}

/// Whether the filters include a name.
pub fn wants(filters: &[String], name: &str) -> bool {
    let (excluded, asked): (Vec<_>, Vec<_>) = filters.iter().partition(|f| f.starts_with('!'));
    !excluded.iter().any(|filter| name.contains(&filter[1..]))
        && (asked.is_empty() || asked.iter().any(|filter| name.contains(filter.as_str())))
}

/// `text` without line breaks, so that a check is one line of the report.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Fails with `what` unless `holds`.
///
/// # Errors
/// When it does not hold.
pub fn expect(holds: bool, what: impl Display) -> Outcome {
    if holds { Ok(()) } else { Err(what.to_string().into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_ask_for_names_and_exclude_names() {
        let wanted = |filters: &[&str], name: &str| {
            wants(&filters.iter().map(ToString::to_string).collect::<Vec<_>>(), name)
        };
        assert!(wanted(&[], "echo_string/empty"));
        assert!(wanted(&["string", "long"], "echo_string/empty"));
        assert!(!wanted(&["long"], "echo_string/empty"));
        assert!(!wanted(&["string", "!empty"], "echo_string/empty"));
        assert!(wanted(&["!100_kb"], "echo_string/empty"));
    }

    #[test]
    fn checks_are_counted_and_go_on_after_a_failure() {
        let mut report = Report::new(vec!["!left_out".into()]);
        report.check("a", "right", || Ok(()));
        report.check("a", "wrong", || expect(false, "two\nlines"));
        report.check("a", "left_out", || panic!("it must not run"));
        report.check("b", "right", || Ok(()));
        assert_eq!(report.totals(), (2, 1));
        assert!(!report.finish());
        assert!(!Report::default().finish(), "nothing ran");
    }
}
