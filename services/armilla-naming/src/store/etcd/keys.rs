//! Contexts and bindings as keys and values of etcd.
//!
//! Below a prefix there are `c/CONTEXT` with the time of creation, and `b/CONTEXT/STEP` with the
//! binding as in a file; numbers of contexts have 16 hexadecimal digits. `head` has the format and
//! the number of the next context, and changes with every commit. `w/WRITER` has the number of the
//! last commit of an instance.

use super::super::codec::{decode, encode};
use crate::model::{Bound, Change, ContextId, Step};

/// The version of the format.
const FORMAT: u64 = 1;

/// The keys below a prefix.
#[derive(Debug)]
pub(super) struct Keys {
    prefix: String,
}

/// What a key with its value stands for.
pub(super) enum Row {
    Head { next: u64 },
    Context { context: ContextId, created: u32 },
    Binding { context: ContextId, step: Step, bound: Bound },
    Writer,
}

impl Keys {
    pub(super) fn new(prefix: &str) -> Self {
        Self { prefix: format!("{}/", prefix.trim_matches('/')) }
    }

    /// All keys: the first one, and the one behind the last.
    pub(super) fn all(&self) -> (Vec<u8>, Vec<u8>) {
        let first = self.prefix.clone().into_bytes();
        let mut end = first.clone();
        // The prefix ends with a slash.
        end.pop();
        end.push(b'/' + 1);
        (first, end)
    }

    /// The keys of all instances.
    pub(super) fn writers(&self) -> (Vec<u8>, Vec<u8>) {
        (format!("{}w/", self.prefix).into_bytes(), format!("{}w0", self.prefix).into_bytes())
    }

    pub(super) fn head(&self) -> Vec<u8> {
        format!("{}head", self.prefix).into_bytes()
    }

    pub(super) fn writer(&self, id: u64) -> Vec<u8> {
        format!("{}w/{id:016x}", self.prefix).into_bytes()
    }

    fn context(&self, context: ContextId) -> Vec<u8> {
        format!("{}c/{:016x}", self.prefix, context.0).into_bytes()
    }

    fn binding(&self, context: ContextId, step: &Step) -> Vec<u8> {
        format!("{}b/{:016x}/{}", self.prefix, context.0, step.as_str()).into_bytes()
    }

    /// The value of the head.
    pub(super) fn head_value(next: u64) -> Vec<u8> {
        format!("{FORMAT} {next}").into_bytes()
    }

    /// The key that a change is about, and its new value; `None` removes it. A change of a transaction
    /// has none: a shared tree takes no part in transactions.
    pub(super) fn write(&self, change: &Change) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
        Some(match change {
            Change::Create { context, created } => {
                (self.context(*context), Some(created.to_string().into_bytes()))
            }
            Change::Destroy { context } => (self.context(*context), None),
            Change::Bind { context, step, bound } => {
                (self.binding(*context, step), Some(encode(step.as_str(), bound)))
            }
            Change::Unbind { context, step } => (self.binding(*context, step), None),
            Change::Reserve { .. } | Change::Prepare { .. } | Change::Settle { .. } => return None,
        })
    }

    /// What a key with its value stands for.
    ///
    /// # Errors
    /// It is damaged, or another program wrote it.
    pub(super) fn read(&self, key: &[u8], value: &[u8]) -> Result<Row, String> {
        let found = self.place(key)?;
        Ok(match found {
            Place::Head => Row::Head { next: next_of(value)? },
            Place::Writer => Row::Writer,
            Place::Context(context) => {
                let created = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
                let created = created.ok_or_else(|| format!("{}: no time", shown(key)))?;
                Row::Context { context, created }
            }
            Place::Binding(context, step) => {
                let bound = decode(step.as_str(), value);
                let bound =
                    bound.ok_or_else(|| format!("{}: its checksum is wrong", shown(key)))?;
                Row::Binding { context, step, bound }
            }
        })
    }

    /// The change that another instance has made by removing a key.
    pub(super) fn removal(&self, key: &[u8]) -> Result<Option<Change>, String> {
        Ok(match self.place(key)? {
            Place::Context(context) => Some(Change::Destroy { context }),
            Place::Binding(context, step) => Some(Change::Unbind { context, step }),
            Place::Head | Place::Writer => None,
        })
    }

    fn place(&self, key: &[u8]) -> Result<Place, String> {
        let unknown = || format!("the key {} is none of the naming service", shown(key));
        let text = std::str::from_utf8(key).map_err(|_| unknown())?;
        let text = text.strip_prefix(&self.prefix).ok_or_else(unknown)?;
        let number = |digits: &str| u64::from_str_radix(digits, 16).map(ContextId).ok();
        let place = match text.split_once('/') {
            None if text == "head" => Some(Place::Head),
            Some(("w", _)) => Some(Place::Writer),
            Some(("c", context)) => number(context).map(Place::Context),
            Some(("b", rest)) => rest.split_once('/').and_then(|(context, step)| {
                Some(Place::Binding(number(context)?, Step::from_text(step)?))
            }),
            _ => None,
        };
        place.ok_or_else(unknown)
    }
}

enum Place {
    Head,
    Writer,
    Context(ContextId),
    Binding(ContextId, Step),
}

/// The number of the next context in the value of the head.
fn next_of(value: &[u8]) -> Result<u64, String> {
    let text = String::from_utf8_lossy(value);
    let (format, next) = text.split_once(' ').unwrap_or((&text, ""));
    match (format.parse::<u64>(), next.parse()) {
        (Ok(FORMAT), Ok(next)) => Ok(next),
        (Ok(format), _) if format != FORMAT => Err(format!(
            "it has format {format}, and this program knows format {FORMAT}: use the program that \
             wrote it"
        )),
        _ => Err(format!("its head is {text:?}")),
    }
}

/// A key as people read it.
fn shown(key: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(key).replace('\0', "."))
}
