//! Diagnostics as JSON lines, for editors and scripts.

use super::{Diagnostic, Diagnostics, Label, Severity};
use crate::json::Json;
use crate::source::{Sources, Span};

impl Diagnostics {
    /// The diagnostics as JSON, one object on a line each: `severity`, `code`, `message`, `notes`,
    /// `help`, and `labels`, the primary one first. A label has `file`, `line`, `column`,
    /// `end_line`, `end_column` and `text`. Lines and columns are counted from 1, columns in
    /// characters; the end is exclusive; `text` may be empty.
    ///
    /// ```
    /// use armilla_idl::{Options, parse_str};
    ///
    /// let errors = parse_str("t.idl", "typedef Missing T;", &Options::new()).unwrap_err();
    /// assert!(errors.json_lines().starts_with(r#"{"severity":"error","code":"E0401""#));
    /// ```
    pub fn json_lines(&self) -> String {
        let mut text = String::new();
        for diagnostic in self.iter() {
            object(diagnostic, self.sources()).write(&mut text);
            text.push('\n');
        }
        text
    }
}

fn object(diagnostic: &Diagnostic, sources: &Sources) -> Json {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let labels = diagnostic.primary.iter().chain(&diagnostic.secondary);
    let labels = labels.map(|place| label(place, sources)).collect();
    let mut fields = vec![
        ("severity", Json::from(severity)),
        ("code", Json::from(diagnostic.code.as_str())),
        ("message", Json::from(diagnostic.message.as_str())),
        ("labels", Json::List(labels)),
        ("notes", Json::strings(diagnostic.notes.iter().cloned())),
    ];
    if let Some(help) = &diagnostic.help {
        fields.push(("help", Json::from(help.as_str())));
    }
    Json::Object(fields)
}

fn label(label: &Label, sources: &Sources) -> Json {
    let span = label.span;
    let (line, column) = sources.line_column(span);
    let (end_line, end_column) = sources.line_column(Span { start: span.end, ..span });
    let number = |value: usize| Json::Integer(value as i128);
    Json::Object(vec![
        ("file", Json::from(sources.path(span.file).to_string_lossy().into_owned())),
        ("line", number(line)),
        ("column", number(column)),
        ("end_line", number(end_line)),
        ("end_column", number(end_column)),
        ("text", Json::from(label.text.as_str())),
    ])
}
