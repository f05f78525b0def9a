//! The reports as tables for people.

use armilla_schedule::{
    Bound, BoundResult, Nanos, OperationVerdict, ProcessorVerdict, Report, Response, Verdict,
};
use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{CellAlignment, Table, TableComponent};
use std::fmt::Write;

/// One strategy: processors, operations, reasons and advice.
pub(crate) fn report(report: &Report) -> String {
    let mut text = format!("{}\n", sentence(report));
    for processor in &report.processors {
        // Writing to a string cannot fail.
        _ = writeln!(text, "  {}", utilisation(processor));
    }
    _ = writeln!(text, "{}", operations(report));
    for note in &report.notes {
        _ = writeln!(text, "note: {note}");
    }
    for operation in &report.operations {
        if let Some(reason) = &operation.reason {
            _ = writeln!(text, "{}: {reason}", operation.name);
        }
        if let Some(advice) = &operation.advice {
            _ = writeln!(text, "  {advice}");
        }
    }
    text + "\n"
}

fn sentence(report: &Report) -> String {
    let verdict = match report.is_schedulable() {
        true => "every deadline is met",
        false => "NOT schedulable",
    };
    let name = report.strategy.to_string();
    let growth = match report.growth {
        Some(0) => "; no execution times at all would fit".to_owned(),
        Some(factor) if factor < 1_000 => {
            format!("; execution times would have to shrink to {}", per_cent(factor * 1_000))
        }
        Some(factor) => format!("; execution times may grow to {}", per_cent(factor * 1_000)),
        None => String::new(),
    };
    format!("{} ({}): {verdict}{growth}", capital(&name), report.strategy.abbreviation())
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Parts of a million as per cent with one decimal, rounded down.
fn per_cent(parts: u64) -> String {
    format!("{}.{} %", parts / 10_000, parts / 1_000 % 10)
}

fn utilisation(processor: &ProcessorVerdict) -> String {
    let used = per_cent(processor.utilisation.parts_per_million());
    let bounds: Vec<String> = processor.bounds.iter().map(bound).collect();
    format!("{}: {used} used; {}", processor.name, bounds.join("; "))
}

fn bound(result: &BoundResult) -> String {
    let name = match result.bound {
        Bound::LiuLayland => "bound of Liu and Layland",
        Bound::Hyperbolic => "hyperbolic bound",
        Bound::Full => "bound",
    };
    let limit = result.limit.map_or(String::new(), |limit| format!(" {}", per_cent(limit)));
    match result.holds {
        Ok(true) => format!("{name}{limit} met"),
        Ok(false) => format!("{name}{limit} exceeded"),
        Err(obstacle) => format!("{name} not applicable ({obstacle})"),
    }
}

/// A table with lines only around it and below its head.
fn empty() -> Table {
    let mut table = Table::new();
    table.load_preset(UTF8_HORIZONTAL_ONLY);
    table.remove_style(TableComponent::HorizontalLines);
    table.remove_style(TableComponent::MiddleIntersections);
    table
}

fn operations(report: &Report) -> Table {
    let mut table = empty();
    let order = if report.strategy.is_dynamic() { "criticality" } else { "priority" };
    table.set_header([
        "operation",
        "process",
        "processor",
        order,
        "period",
        "response",
        "deadline",
        "slack",
        "blocked",
        "verdict",
    ]);
    let mut sorted: Vec<&OperationVerdict> = report.operations.iter().collect();
    sorted.sort_by_key(|one| (one.processor.clone(), std::cmp::Reverse(one.priority)));
    for one in sorted {
        let order = match one.priority {
            Some(priority) => priority.to_string(),
            None => one.criticality.to_string(),
        };
        let slack = match one.slack() {
            None => "–".to_owned(),
            Some(slack) => {
                let size = u64::try_from(slack.unsigned_abs()).unwrap_or(u64::MAX);
                format!("{}{}", if slack < 0 { "−" } else { "" }, Nanos(size))
            }
        };
        let name = match &one.in_thread_of {
            Some(caller) => format!("{} (in {caller})", one.name),
            None => one.name.clone(),
        };
        table.add_row([
            name,
            one.process.clone(),
            one.processor.clone(),
            order,
            one.period.to_string(),
            response(one.response),
            one.deadline.to_string(),
            slack,
            one.blocking.to_string(),
            verdict(one.verdict).to_owned(),
        ]);
    }
    for column in 3..9 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn response(response: Response) -> String {
    match response {
        Response::AtMost(time) => Nanos(time).to_string(),
        Response::Unproven(time) => format!("≥ {}?", Nanos(time)),
        Response::Unbounded => "unbounded".to_owned(),
    }
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Schedulable => "in time",
        Verdict::Late => "LATE",
        Verdict::Unproven => "UNPROVEN",
    }
}

/// All strategies beside each other.
pub(crate) fn comparison(reports: &[Report]) -> String {
    let mut table = empty();
    table.set_header(["strategy", "verdict", "late operations", "execution times may become"]);
    for report in reports {
        let late = report.operations.iter().filter(|one| one.verdict != Verdict::Schedulable);
        table.add_row([
            report.strategy.to_string(),
            if report.is_schedulable() { "schedulable" } else { "NOT schedulable" }.to_owned(),
            late.count().to_string(),
            report.growth.map_or("–".to_owned(), |factor| per_cent(factor * 1_000)),
        ]);
    }
    format!("{table}\n")
}
