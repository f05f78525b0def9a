//! How diagnostics look. Everything here is presentation; nothing else knows `annotate-snippets`.

use super::{Diagnostic, Diagnostics, Label, Severity};
use crate::source::{FileId, Sources};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

/// Renders all diagnostics and a last line that counts them.
pub(super) fn render(diagnostics: &Diagnostics, coloured: bool) -> String {
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
        let mut snippet = Snippet::source(sources.text(file))
            .path(sources.path(file).to_string_lossy())
            .fold(true);
        if file == primary.span.file {
            snippet = snippet.annotation(annotation(AnnotationKind::Primary, primary));
        }
        let others = secondary.iter().filter(|label| label.span.file == file);
        snippet.annotations(others.map(|label| annotation(AnnotationKind::Context, label)))
    };
    files.into_iter().map(snippet).collect()
}

fn annotation(kind: AnnotationKind, label: &Label) -> Annotation<'_> {
    let annotation = kind.span(label.span.start as usize..label.span.end as usize);
    if label.text.is_empty() { annotation } else { annotation.label(&label.text) }
}
