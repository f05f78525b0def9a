//! The text form of diagnostics. Only this module depends on `annotate-snippets`.

use super::{Diagnostic, Diagnostics, Label, Severity};
use crate::source::{FileId, Sources};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use std::io::{IsTerminal, Write};

impl Diagnostics {
    /// The diagnostics as plain text: for each its message, `file:line:column`, the source line
    /// with a caret, notes and help.
    pub fn render(&self) -> String {
        render(self, false)
    }

    /// Prints the diagnostics to standard error, coloured if that is a terminal.
    pub fn print(&self) {
        let stderr = std::io::stderr();
        let coloured = stderr.is_terminal() && std::env::var_os("NO_COLOR").is_none();
        // If standard error is closed, there is no other channel for the error.
        let _ = stderr.lock().write_all(render(self, coloured).as_bytes());
    }

    /// Prints the diagnostics and ends the process with status 1.
    pub fn exit(&self) -> ! {
        self.print();
        std::process::exit(1)
    }
}

/// Renders all diagnostics, and a last line with the number of errors.
fn render(diagnostics: &Diagnostics, coloured: bool) -> String {
    let renderer = if coloured { Renderer::styled() } else { Renderer::plain() };
    let mut text = String::new();
    for diagnostic in &diagnostics.list {
        text.push_str(&renderer.render(&[group(diagnostic, &diagnostics.sources)]));
        text.push_str("\n\n");
    }
    let errors = diagnostics.error_count();
    if errors > 0 {
        let plural = if errors == 1 { "" } else { "s" };
        text.push_str(&format!("{errors} error{plural}"));
        if diagnostics.suppressed > 0 {
            text.push_str(&format!(", the first {} are shown", diagnostics.errors()));
        }
        text.push('\n');
    }
    text
}

fn group<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(&diagnostic.message).id(diagnostic.code.as_str());
    let mut group = Group::with_title(title);
    if let Some(primary) = &diagnostic.primary {
        group = group.elements(snippets(primary, &diagnostic.secondary, sources));
        if let Some(include) = sources.included_at(primary.span.file) {
            let (line, _) = sources.line_column(include);
            let path = sources.path(include.file).display();
            group = group.element(Level::NOTE.message(format!("included at {path}:{line}")));
        }
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help));
    }
    group
}

/// One snippet for each file that has a label, the primary one first.
fn snippets<'a>(
    primary: &'a Label,
    secondary: &'a [Label],
    sources: &'a Sources,
) -> Vec<Snippet<'a, Annotation<'a>>> {
    let mut files: Vec<FileId> = vec![primary.span.file];
    for label in secondary {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    let snippet = |file: FileId| {
        let others = secondary.iter().filter(|label| label.span.file == file);
        let first = (primary.span.file == file).then_some((AnnotationKind::Primary, primary));
        let labels: Vec<(AnnotationKind, &Label)> =
            first.into_iter().chain(others.map(|label| (AnnotationKind::Context, label))).collect();
        excerpt(file, &labels, sources)
    };
    files.into_iter().map(snippet).collect()
}

/// The lines of `file` from the first label to the last: rendering must not scan a large file.
fn excerpt<'a>(
    file: FileId,
    labels: &[(AnnotationKind, &'a Label)],
    sources: &'a Sources,
) -> Snippet<'a, Annotation<'a>> {
    let text = sources.text(file);
    let first = labels.iter().map(|(_, label)| label.span).min_by_key(|span| span.start);
    let last = labels.iter().map(|(_, label)| label.span.end as usize).max();
    let (first, last) = match (first, last) {
        (Some(first), Some(last)) => (first, last),
        _ => return Snippet::source(""),
    };
    let (line, _) = sources.line_column(first);
    let start = text[..first.start as usize].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[last..].find('\n').map_or(text.len(), |newline| last + newline);
    let annotations = labels.iter().map(|(kind, label)| {
        let span = label.span.start as usize - start..label.span.end as usize - start;
        let annotation = kind.span(span);
        if label.text.is_empty() { annotation } else { annotation.label(&label.text) }
    });
    Snippet::source(&text[start..end])
        .line_start(line)
        .path(sources.path(file).to_string_lossy())
        .fold(true)
        .annotations(annotations)
}
