//! What an operator must hear: events for whatever `tracing` subscriber the program has set, and
//! lines on standard error while it has set none.

use std::fmt::{Display, Write};

/// Reports at the level `warn` or `error`. The fields are values that display themselves.
macro_rules! report {
    ($level:ident, $text:literal $(, $field:ident = $value:expr)* $(,)?) => {
        match ($(&$value,)*) {
            ($($field,)*) => {
                tracing::$level!($($field = %$field,)* $text);
                if !tracing::dispatcher::has_been_set() {
                    $crate::log::to_stderr(
                        stringify!($level),
                        $text,
                        &[$((stringify!($field), $field as &dyn std::fmt::Display)),*],
                    );
                }
            }
        }
    };
}

pub(crate) use report;

/// Writes one line: `armilla: warn: closed: … (peer tcp://…, error …)`.
#[cold]
pub(crate) fn to_stderr(level: &str, text: &str, fields: &[(&str, &dyn Display)]) {
    let mut line = format!("armilla: {level}: {text}");
    for (index, (name, value)) in fields.iter().enumerate() {
        let before = if index == 0 { " (" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(line, "{before}{name} {value}");
    }
    if !fields.is_empty() {
        line.push(')');
    }
    eprintln!("{line}");
}
