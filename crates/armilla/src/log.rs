//! Reports to the operator: `tracing` events, and lines on standard error while the program has set
//! no subscriber.
//!
//! Only what an operator must know belongs here, at the levels `warn` and `error`: without a
//! subscriber it would be lost, so it goes to standard error. Other events, such as the
//! [spans](crate::observe::Spans) of requests, use `tracing` directly.

use std::fmt::{Display, Write};

/// Reports an event at the level `warn` or `error`: `report!(warn, "text", name = value, …)`.
/// Each value implements `Display` and is evaluated once.
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

/// Writes one line to standard error: `armilla: warn: TEXT (peer tcp://…, error …)`.
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
