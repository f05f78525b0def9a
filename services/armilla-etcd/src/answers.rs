//! What a cluster answers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

/// A key of the store with its value, as JSON has it: octets in base 64, numbers as texts.
#[derive(Debug, Deserialize)]
pub struct KeyValue {
    key: String,
    #[serde(default)]
    value: String,
    #[serde(default)]
    mod_revision: String,
}

impl KeyValue {
    /// The key.
    pub fn key(&self) -> Vec<u8> {
        STANDARD.decode(&self.key).unwrap_or_default()
    }

    /// The value.
    pub fn value(&self) -> Vec<u8> {
        STANDARD.decode(&self.value).unwrap_or_default()
    }

    /// The revision of the cluster that the last change of the key has made.
    pub fn revision(&self) -> u64 {
        self.mod_revision.parse().unwrap_or_default()
    }
}

/// The state of the cluster when it answered.
#[derive(Debug, Default, Deserialize)]
struct Header {
    #[serde(default)]
    revision: String,
}

/// The keys of a range.
#[derive(Debug, Deserialize)]
pub struct Range {
    #[serde(default)]
    header: Header,
    /// The keys that were found, in their order.
    #[serde(default)]
    pub kvs: Vec<KeyValue>,
    /// Whether there are more than were asked for.
    #[serde(default)]
    pub more: bool,
}

impl Range {
    /// The revision of the cluster when it answered.
    pub fn revision(&self) -> u64 {
        self.header.revision.parse().unwrap_or_default()
    }
}

/// The result of a transaction.
#[derive(Debug, Deserialize)]
pub struct Txn {
    #[serde(default)]
    header: Header,
    /// Whether its condition held.
    #[serde(default)]
    pub succeeded: bool,
    #[serde(default)]
    responses: Vec<TxnResponse>,
}

#[derive(Debug, Deserialize)]
struct TxnResponse {
    response_range: Option<Range>,
}

impl Txn {
    /// The revision that the transaction made.
    pub fn revision(&self) -> u64 {
        self.header.revision.parse().unwrap_or_default()
    }

    /// The keys that its part number `index` has read.
    pub fn read(&self, index: usize) -> Option<&KeyValue> {
        self.responses.get(index)?.response_range.as_ref()?.kvs.first()
    }
}

/// What a watch says.
#[derive(Debug, Deserialize)]
pub(crate) struct WatchLine {
    pub(crate) result: Option<WatchResult>,
}

/// Changes, in their order, or the end of a watch.
#[derive(Debug, Deserialize)]
pub struct WatchResult {
    /// Whether the cluster has ended the watch.
    #[serde(default)]
    pub canceled: bool,
    /// The oldest revision that the cluster still has, if the watch wanted an older one.
    #[serde(default)]
    pub compact_revision: String,
    /// What has happened.
    #[serde(default)]
    pub events: Vec<Event>,
}

/// A change of a key.
#[derive(Debug, Deserialize)]
pub struct Event {
    /// `DELETE`, or nothing.
    #[serde(default, rename = "type")]
    kind: String,
    /// The key, as it is now.
    pub kv: KeyValue,
}

impl Event {
    /// Whether the key is gone.
    pub fn is_deletion(&self) -> bool {
        self.kind == "DELETE"
    }
}
