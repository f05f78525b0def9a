//! Set-ups that are wrong. Each has its row in the table of `docs/security.md`, "When it does not
//! work": the exception with its minor code, whether it was executed, and what is to be done, which
//! the error says too. What may have run is not tried again.

mod handshakes;
mod identity;
mod peers;
mod set_up;

use armilla::{Completion, ExceptionKind, Minor, SystemException};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A set-up, and what has to come of it.
struct Case {
    /// As the table has it.
    what: &'static str,
    /// What the call, or the building of the ORB, ends with, as the table has it.
    ends: &'static str,
    /// What the error says.
    says: &'static [&'static str],
    /// How often the operation has run, and how many requests the server has recorded.
    ran: i32,
    recorded: usize,
    /// What the last of the records says.
    record: &'static str,
    attempt: Box<dyn Fn() -> Vec<Came>>,
}

impl Case {
    fn new(
        what: &'static str,
        ends: &'static str,
        says: &'static [&'static str],
        attempt: impl Fn() -> Vec<Came> + 'static,
    ) -> Self {
        let attempt = Box::new(attempt);
        Self { what, ends, says, ran: 0, recorded: 0, record: "", attempt }
    }

    /// The same where the server has a record of so many requests, and the last line says this.
    fn recorded(self, recorded: usize, record: &'static str) -> Self {
        Self { recorded, record, ..self }
    }

    /// The same where the operation has run so often.
    fn ran(self, ran: i32) -> Self {
        Self { ran, ..self }
    }

    fn check(&self) {
        for Came { error, ran, records } in (self.attempt)() {
            let text = error.to_string();
            assert_eq!(ends(&error), self.ends, "{text}");
            for part in self.says {
                assert!(text.contains(part), "{part:?} is missing in: {text}");
            }
            let advises = text.contains("hint: ") || text.contains("call again");
            // What is not built says it in the reason, and what may have run is the caller's to judge.
            let told =
                [error.kind() == ExceptionKind::Initialize, error.completed() != Completion::No];
            let advises = advises || told.contains(&true);
            assert!(advises, "nothing says what to do: {text}");
            assert_eq!(ran, self.ran, "how often it ran: {text}");
            assert_eq!(records.len(), self.recorded, "{records:?}");
            let last = records.last().map(String::as_str).unwrap_or_default();
            assert!(last.contains(self.record), "{:?} is missing in: {last}", self.record);
        }
    }
}

/// What has come of a set-up.
struct Came {
    error: SystemException,
    /// How often the operation has run.
    ran: i32,
    /// What the server has recorded, by line.
    records: Vec<String>,
}

impl Came {
    fn of(error: SystemException, ran: i32) -> Self {
        Self { error, ran, records: Vec::new() }
    }
}

/// An exception as the table has it.
fn ends(error: &SystemException) -> String {
    let mut ends = format!("`{}`", error.kind().name());
    for (minor, name) in [
        (Minor::TLS_CERTIFICATE_REFUSED, "TLS_CERTIFICATE_REFUSED"),
        (Minor::TLS_HANDSHAKE_FAILED, "TLS_HANDSHAKE_FAILED"),
        (Minor::TLS_NEEDED, "TLS_NEEDED"),
        (Minor::SHARE_USED_UP, "SHARE_USED_UP"),
    ] {
        if error.minor() == minor {
            ends.push_str(&format!(", `{name}`"));
        }
    }
    let text = error.to_string();
    if let Some(numbers) = text.split("CSIv2 error ").nth(1).and_then(|it| it.split(')').next()) {
        ends.push_str(&format!(", CSIv2 {numbers}"));
    }
    match error.completed() {
        Completion::No => {}
        other => ends.push_str(&format!(", {other}")),
    }
    ends
}

fn cases() -> Vec<Case> {
    [set_up::cases(), handshakes::cases(), peers::cases(), identity::cases()]
        .into_iter()
        .flatten()
        .collect()
}

#[test]
fn every_wrong_set_up_says_what_is_wrong_and_what_to_do() {
    let mut failed = Vec::new();
    for case in cases() {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| case.check())) {
            eprintln!("{}: failed", case.what);
            failed.push(panic);
        }
    }
    if let Some(first) = failed.into_iter().next() {
        resume_unwind(first);
    }
}

#[test]
fn the_page_has_a_row_for_each_of_them() {
    let page = include_str!("../../../../../docs/security.md");
    let section = page.split("\n## When it does not work\n").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows: Vec<(&str, &str)> = section
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
        .map(|row| {
            let columns: Vec<&str> = row.split(" | ").collect();
            assert!(columns.len() == 3 && !columns[2].is_empty(), "{row}");
            (columns[0], columns[1])
        })
        .skip(1)
        .collect();
    let cases = cases();
    let expected: Vec<(&str, &str)> = cases.iter().map(|case| (case.what, case.ends)).collect();
    assert_eq!(rows, expected);
    assert!(rows.len() >= 30);
}
