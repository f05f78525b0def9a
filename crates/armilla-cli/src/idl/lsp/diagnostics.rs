//! Diagnostics of the compiler in the form of the protocol.

use super::position::Lines;
use super::uri;
use armilla_idl::Diagnostics;
use armilla_idl::diagnostics::{Diagnostic, Label, Severity};
use armilla_idl::source::{Sources, Span};
use lsp_types::{
    self as lsp, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Range,
};

/// The diagnostics of the compiled file. A diagnostic in an included file appears at the directive
/// that includes it.
pub(super) fn of(diagnostics: &Diagnostics) -> Vec<lsp::Diagnostic> {
    diagnostics.iter().map(|diagnostic| one(diagnostic, diagnostics.sources())).collect()
}

fn one(diagnostic: &Diagnostic, sources: &Sources) -> lsp::Diagnostic {
    let mut message = diagnostic.message.clone();
    let mut related: Vec<DiagnosticRelatedInformation> =
        diagnostic.secondary.iter().filter_map(|label| explained(label, sources)).collect();
    let mut range = Range::default();
    if let Some(primary) = &diagnostic.primary {
        if !primary.text.is_empty() {
            message.push_str(&format!(" ({})", primary.text));
        }
        let shown = in_compiled_file(primary.span, sources);
        if shown != primary.span {
            let (line, _) = sources.line_column(primary.span);
            let path = sources.path(primary.span.file).display();
            message = format!("{path}:{line}: {message}");
            let label = Label { span: primary.span, text: "here".to_owned() };
            related.extend(explained(&label, sources));
        }
        range = range_of(shown, sources);
    }
    for note in &diagnostic.notes {
        message.push_str(&format!("\nnote: {note}"));
    }
    if let Some(help) = &diagnostic.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    lsp::Diagnostic {
        range,
        severity: Some(match diagnostic.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(diagnostic.code.as_str().to_owned())),
        source: Some("armilla".to_owned()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        ..lsp::Diagnostic::default()
    }
}

/// `span`, or the directive of the compiled file that includes the file of `span`.
fn in_compiled_file(span: Span, sources: &Sources) -> Span {
    let mut span = span;
    while let Some(directive) = sources.included_at(span.file) {
        span = directive;
    }
    span
}

fn explained(label: &Label, sources: &Sources) -> Option<DiagnosticRelatedInformation> {
    let location = location(label.span, sources)?;
    Some(DiagnosticRelatedInformation { location, message: label.text.clone() })
}

/// The location of `span` in the form of the protocol.
pub(super) fn location(span: Span, sources: &Sources) -> Option<Location> {
    let uri = uri::from_path(sources.path(span.file))?;
    Some(Location::new(uri, range_of(span, sources)))
}

fn range_of(span: Span, sources: &Sources) -> Range {
    Lines::new(sources.text(span.file)).range(span.start as usize..span.end as usize)
}
