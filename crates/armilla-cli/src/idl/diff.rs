//! `armilla idl diff`: lists the changes between two versions of an IDL file, and their impact on
//! the wire format.

use super::{Format, Input};
use armilla_idl::Compilation;
use armilla_idl::diff::{Finding, Impact, diff};
use armilla_idl::source::Span;
use armilla_terminal::{Failure, Outcome, say};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The arguments of `armilla idl diff`.
#[derive(Debug, clap::Args)]
#[command(after_help = "With --format json, each change is one JSON object on a line of standard \
                        output.\n\nExit status: 0 without breaking changes, 1 with breaking \
                        changes, 2 if the files cannot be compared.")]
pub(crate) struct Diff {
    /// The old version of the IDL file
    old: PathBuf,
    /// The new version of the IDL file
    new: PathBuf,
    #[command(flatten)]
    input: Input,
}

pub(super) fn run(arguments: &Diff) -> Outcome {
    let read = |path: &Path| {
        armilla_idl::parse(path, &arguments.input.options()).map_err(|errors| {
            arguments.input.print(&errors);
            Failure::usage(format_args!("{} cannot be compared", path.display()))
        })
    };
    let (old, new) = (read(&arguments.old)?, read(&arguments.new)?);
    let format = arguments.input.format;
    let findings = diff(&old.model, &new.model);
    for finding in &findings {
        match format {
            Format::Text => print_text(finding, &old, &new)?,
            Format::Json => say!("{}", as_json(finding, &old, &new))?,
        }
    }
    let count = |impact| findings.iter().filter(|finding| finding.impact == impact).count();
    let breaking = count(Impact::Breaking);
    if format == Format::Text {
        let source = match count(Impact::Source) {
            0 => String::new(),
            count => format!("{count} source only, "),
        };
        say!("{breaking} breaking, {source}{} compatible", count(Impact::Compatible))?;
    }
    if breaking > 0 { Err(Failure::Reported) } else { Ok(()) }
}

fn print_text(finding: &Finding, old: &Compilation, new: &Compilation) -> Outcome {
    say!("{}: {}: {}", finding.impact.as_str(), finding.name, finding.message)?;
    for (when, span, compilation) in [("was at", finding.old, old), ("is at", finding.new, new)] {
        if let Some(span) = span {
            let (line, column) = compilation.sources().line_column(span);
            let path = compilation.sources().path(span.file).display();
            say!("  {when} {path}:{line}:{column}")?;
        }
    }
    say!("  {}\n", finding.why)
}

fn as_json(finding: &Finding, old: &Compilation, new: &Compilation) -> Value {
    json!({
        "impact": finding.impact.as_str(),
        "change": finding.change,
        "name": finding.name,
        "message": finding.message,
        "why": finding.why,
        "old": finding.old.map(|span| place(span, old)),
        "new": finding.new.map(|span| place(span, new)),
    })
}

fn place(span: Span, compilation: &Compilation) -> Value {
    let (line, column) = compilation.sources().line_column(span);
    let path = compilation.sources().path(span.file).display().to_string();
    json!({ "file": path, "line": line, "column": column })
}
