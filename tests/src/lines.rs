//! The log lines of a process. A test that waits for some runs in a process of its own.

use crate::gate::eventually;
use std::fmt::{Debug, Write};
use std::sync::Mutex;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Keeps every event as a line of text.
#[derive(Debug)]
struct Keeper;

/// A line that is being written.
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl Subscriber for Keeper {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= tracing::Level::WARN
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        LINES.lock().unwrap().push(line.0);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// Keeps the warnings and errors of the process from now on.
///
/// # Panics
/// When something else keeps them already.
pub fn keep() {
    tracing::subscriber::set_global_default(Keeper).unwrap();
}

/// Waits for a line with all of these words, and takes all lines out.
///
/// # Panics
/// When none comes.
pub fn await_line(words: &[&str]) {
    eventually(&format!("a line with {words:?}"), || {
        let lines = LINES.lock().unwrap();
        lines.iter().any(|line| words.iter().all(|word| line.contains(word)))
    });
    LINES.lock().unwrap().clear();
}
