//! The JSON interface of an etcd cluster: any member answers, and the next one is asked when one
//! does not.

use armilla_store::StoreError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt;
use std::io::{BufRead, BufReader};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use ureq::Agent;

/// The time limit of one question to one member.
const QUESTION: Duration = Duration::from_secs(2);

/// How long all members are asked in turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a member that said "not now" is left alone.
const PAUSE: Duration = Duration::from_millis(50);

/// The largest answer, in octets.
const LARGEST: u64 = 256 << 20;

/// A key of the store with its value, as JSON has it: octets in base 64, numbers as texts.
#[derive(Debug, Deserialize)]
pub(super) struct KeyValue {
    key: String,
    #[serde(default)]
    value: String,
    #[serde(default)]
    mod_revision: String,
}

impl KeyValue {
    pub(super) fn key(&self) -> Vec<u8> {
        STANDARD.decode(&self.key).unwrap_or_default()
    }

    pub(super) fn value(&self) -> Vec<u8> {
        STANDARD.decode(&self.value).unwrap_or_default()
    }

    pub(super) fn revision(&self) -> u64 {
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
pub(super) struct Range {
    #[serde(default)]
    header: Header,
    #[serde(default)]
    pub(super) kvs: Vec<KeyValue>,
    #[serde(default)]
    pub(super) more: bool,
}

impl Range {
    /// The revision of the cluster when it answered.
    pub(super) fn revision(&self) -> u64 {
        self.header.revision.parse().unwrap_or_default()
    }
}

/// The result of a transaction.
#[derive(Debug, Deserialize)]
pub(super) struct Txn {
    #[serde(default)]
    header: Header,
    /// Whether its condition held.
    #[serde(default)]
    pub(super) succeeded: bool,
    #[serde(default)]
    responses: Vec<TxnResponse>,
}

#[derive(Debug, Deserialize)]
struct TxnResponse {
    response_range: Option<Range>,
}

impl Txn {
    /// The revision that the transaction made.
    pub(super) fn revision(&self) -> u64 {
        self.header.revision.parse().unwrap_or_default()
    }

    /// The keys that its part number `index` has read.
    pub(super) fn read(&self, index: usize) -> Option<&KeyValue> {
        self.responses.get(index)?.response_range.as_ref()?.kvs.first()
    }
}

/// What a watch says.
#[derive(Debug, Deserialize)]
struct WatchLine {
    result: Option<WatchResult>,
}

/// Changes, in their order, or the end of a watch.
#[derive(Debug, Deserialize)]
pub(super) struct WatchResult {
    #[serde(default)]
    pub(super) canceled: bool,
    /// The oldest revision that the cluster still has, if the watch wanted an older one.
    #[serde(default)]
    pub(super) compact_revision: String,
    #[serde(default)]
    pub(super) events: Vec<Event>,
}

/// A change of a key.
#[derive(Debug, Deserialize)]
pub(super) struct Event {
    /// `DELETE`, or nothing.
    #[serde(default, rename = "type")]
    kind: String,
    pub(super) kv: KeyValue,
}

impl Event {
    pub(super) fn is_deletion(&self) -> bool {
        self.kind == "DELETE"
    }
}

/// Why no member has answered.
#[derive(Debug)]
pub(super) enum Unanswered {
    /// None was there; a change that was asked for may have been made.
    Unreachable(String),
    /// One refused.
    Refused(String),
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(why) => write!(
                f,
                "no member has answered for {} s: {why}; check the addresses, and that most \
                 members run",
                PATIENCE.as_secs()
            ),
            Self::Refused(why) => write!(f, "the cluster refuses: {why}"),
        }
    }
}

/// The members of a cluster.
pub(super) struct Gateway {
    agent: Agent,
    members: Vec<String>,
    /// The member that is asked first.
    current: AtomicUsize,
}

/// Octets as JSON has them.
pub(super) fn base64(octets: &[u8]) -> String {
    STANDARD.encode(octets)
}

impl Gateway {
    /// A cluster with these members, each `HOST:PORT`.
    pub(super) fn new(members: Vec<String>) -> Self {
        let config = Agent::config_builder().http_status_as_error(false).proxy(None).build();
        Self { agent: config.into(), members, current: AtomicUsize::new(0) }
    }

    /// The members, as an address.
    pub(super) fn address(&self) -> String {
        format!("etcd://{}", self.members.join(","))
    }

    pub(super) fn error(&self, why: &dyn fmt::Display) -> StoreError {
        StoreError::new(self.address(), format!("cannot be used: {why}"))
    }

    fn url(&self, member: usize, path: &str) -> String {
        let count = self.members.len().max(1);
        let member = self.members.get(member % count).map_or("localhost:2379", String::as_str);
        format!("http://{member}/v3/{path}")
    }

    /// Asks the members in turn until one answers.
    pub(super) fn ask<T: for<'d> Deserialize<'d>>(
        &self,
        path: &str,
        question: &Value,
    ) -> Result<T, Unanswered> {
        let body = question.to_string();
        let begun = Instant::now();
        loop {
            let member = self.current.load(Ordering::Relaxed);
            match self.ask_one(&self.url(member, path), &body) {
                Ok(octets) => {
                    return serde_json::from_slice(&octets).map_err(|error| {
                        Unanswered::Refused(format!("the answer is malformed: {error}"))
                    });
                }
                Err(Unanswered::Unreachable(_)) if begun.elapsed() < PATIENCE => {}
                Err(error) => return Err(error),
            }
            self.go_on_from(member);
            std::thread::sleep(PAUSE);
        }
    }

    /// Goes on to the next member, unless another thread has done so.
    fn go_on_from(&self, member: usize) {
        let (next, order) = (member.wrapping_add(1), Ordering::Relaxed);
        self.current.compare_exchange(member, next, order, order).ok();
    }

    /// Goes on to the next member.
    pub(super) fn go_on(&self) {
        self.current.fetch_add(1, Ordering::Relaxed);
    }

    fn ask_one(&self, url: &str, body: &str) -> Result<Vec<u8>, Unanswered> {
        let gone = |error: ureq::Error| Unanswered::Unreachable(format!("{url}: {error}"));
        let request = self.agent.post(url).config().timeout_global(Some(QUESTION)).build();
        let mut response = request.send(body).map_err(gone)?;
        let octets =
            response.body_mut().with_config().limit(LARGEST).read_to_vec().map_err(gone)?;
        match response.status().as_u16() {
            200 => Ok(octets),
            // The gateway says 503 for a member that has no leader, 504 for one that waits for it.
            status @ 500.. => Err(Unanswered::Unreachable(said(url, status, &octets))),
            status => Err(Unanswered::Refused(said(url, status, &octets))),
        }
    }

    /// The keys from `first` to before `end`, at a revision, or the latest one if it is 0; at most
    /// `limit` of them, or all if that is 0.
    pub(super) fn range(
        &self,
        first: &[u8],
        end: &[u8],
        revision: u64,
        limit: usize,
    ) -> Result<Range, Unanswered> {
        let question = json!({
            "key": base64(first), "range_end": base64(end),
            "revision": revision.to_string(), "limit": limit.to_string(),
        });
        self.ask("kv/range", &question)
    }

    /// Hands over what happens to the keys from `first` to before `end` from a revision on, for at
    /// most this time, or until `take` returns `false`. The next watch asks another member.
    pub(super) fn watch(
        &self,
        (first, end): (&[u8], &[u8]),
        from: u64,
        at_most: Duration,
        mut take: impl FnMut(WatchResult) -> bool,
    ) -> Result<(), String> {
        let question = json!({"create_request": {
            "key": base64(first), "range_end": base64(end), "start_revision": from.to_string(),
        }});
        let member = self.current.load(Ordering::Relaxed);
        let url = self.url(member, "watch");
        let request = self.agent.post(&url).config().timeout_global(Some(at_most)).build();
        let response = request.send(question.to_string()).map_err(|error| error.to_string())?;
        let mut lines = BufReader::new(response.into_body().into_reader());
        let mut line = Vec::new();
        loop {
            line.clear();
            match lines.read_until(b'\n', &mut line) {
                Ok(1..) => {}
                Ok(0) => return Err("the member ended the watch".to_owned()),
                Err(error) => return Err(error.to_string()),
            }
            let said: WatchLine = serde_json::from_slice(&line).map_err(|e| e.to_string())?;
            let result = said.result.ok_or("the member refused the watch")?;
            if !take(result) {
                return Ok(());
            }
        }
    }
}

/// What a member said instead of an answer.
fn said(url: &str, status: u16, octets: &[u8]) -> String {
    let text = serde_json::from_slice::<Value>(octets).ok();
    let text = text.and_then(|value| value.get("error")?.as_str().map(str::to_owned));
    format!("{url}: {} (status {status})", text.unwrap_or_default())
}
