//! The JSON interface of an etcd cluster: any member answers, and the next one is asked when one
//! does not.

use crate::ClusterUser;
use crate::answers::{Range, WatchLine, WatchResult};
use armilla_store::StoreError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt;
use std::io::{BufRead, BufReader};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use ureq::typestate::WithBody;
use ureq::{Agent, RequestBuilder};

/// The time limit of one question to one member.
const QUESTION: Duration = Duration::from_secs(2);

/// How long all members are asked in turn while they say that they have no leader.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long they are asked in turn, each twice at least, while none says anything. If that was so
/// before, each is asked once.
const NOBODY: Duration = Duration::from_secs(1);

/// How long a member that said "not now" is left alone.
const PAUSE: Duration = Duration::from_millis(50);

/// The largest answer, in octets.
const LARGEST: u64 = 256 << 20;

/// Why no member has answered.
#[derive(Debug)]
pub enum Unanswered {
    /// A member did not answer; a change that was asked for may have been made.
    Unreachable(String),
    /// A member answers that it cannot do it now, and may do it yet: there is no leader.
    Busy(String),
    /// No member listens. Nothing was asked.
    Absent(String),
    /// One refused.
    Refused(String),
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(why) | Self::Busy(why) => write!(
                f,
                "no member of the etcd cluster has answered: {why}; check the addresses, and that \
                 most members run"
            ),
            Self::Absent(why) => write!(
                f,
                "no member of the etcd cluster listens: {why}; start etcd, or check the addresses"
            ),
            Self::Refused(why) => write!(f, "the cluster refuses: {why}"),
        }
    }
}

/// The members of a cluster.
pub struct Gateway {
    agent: Agent,
    members: Vec<String>,
    user: Option<ClusterUser>,
    /// What says to the cluster that the user has said the password. It ends when it is not used.
    token: Mutex<Option<String>>,
    /// The member that is asked first.
    current: AtomicUsize,
    /// Whether no member listened when the cluster was asked last.
    is_away: AtomicBool,
}

/// Octets as JSON has them.
pub fn base64(octets: &[u8]) -> String {
    STANDARD.encode(octets)
}

impl Gateway {
    /// A cluster with these members, each `HOST:PORT`, which is asked as this user.
    pub fn new(members: Vec<String>, user: Option<ClusterUser>) -> Self {
        let config = Agent::config_builder().http_status_as_error(false).proxy(None).build();
        let (agent, token) = (config.into(), Mutex::default());
        let (current, is_away) = Default::default();
        Self { agent, members, user, token, current, is_away }
    }

    /// The members, as an address.
    pub fn address(&self) -> String {
        format!("etcd://{}", self.members.join(","))
    }

    /// The error of a service that cannot use the cluster.
    pub fn error(&self, why: &dyn fmt::Display) -> StoreError {
        StoreError::new(self.address(), format!("cannot be used: {why}"))
    }

    fn url(&self, member: usize, path: &str) -> String {
        let count = self.members.len().max(1);
        let member = self.members.get(member % count).map_or("localhost:2379", String::as_str);
        format!("http://{member}/v3/{path}")
    }

    /// Asks the members in turn until one answers.
    ///
    /// # Errors
    /// None has answered, or one refuses.
    pub fn ask<T: for<'d> Deserialize<'d>>(
        &self,
        path: &str,
        question: &Value,
    ) -> Result<T, Unanswered> {
        let body = question.to_string();
        let begun = Instant::now();
        let mut asked = Asked::default();
        loop {
            let member = self.current.load(Ordering::Relaxed);
            let answer = self.ask_one(member, path, &body);
            asked.count(&answer);
            match answer {
                Ok(octets) => {
                    self.is_away.store(false, Ordering::Relaxed);
                    return serde_json::from_slice(&octets).map_err(|error| {
                        Unanswered::Refused(format!("the answer is malformed: {error}"))
                    });
                }
                Err(error @ Unanswered::Refused(_)) => return Err(error),
                Err(error) => {
                    if self.is_enough(&asked, begun.elapsed()) {
                        self.is_away.store(true, Ordering::Relaxed);
                        return Err(asked.failure(error));
                    }
                }
            }
            self.go_on_from(member);
            std::thread::sleep(PAUSE);
        }
    }

    /// Whether the members have been asked often enough.
    fn is_enough(&self, asked: &Asked, time: Duration) -> bool {
        let members = self.members.len();
        match self.is_away.load(Ordering::Relaxed) {
            true => asked.silent >= members,
            false => asked.silent >= 2 * members && time >= NOBODY || time >= PATIENCE,
        }
    }

    /// Goes on to the next member, unless another thread has done so.
    fn go_on_from(&self, member: usize) {
        let (next, order) = (member.wrapping_add(1), Ordering::Relaxed);
        self.current.compare_exchange(member, next, order, order).ok();
    }

    /// Goes on to the next member.
    pub fn go_on(&self) {
        self.current.fetch_add(1, Ordering::Relaxed);
    }

    /// Asks one member, and once more with a new token if the old one has ended.
    fn ask_one(&self, member: usize, path: &str, body: &str) -> Result<Vec<u8>, Unanswered> {
        let url = self.url(member, path);
        let had_token = self.token().is_some();
        let token = self.authenticated(member)?;
        match self.post(&url, token.as_deref(), body) {
            Err(Unanswered::Refused(why)) if had_token && why.contains("auth") => {
                self.forget_token();
                let token = self.authenticated(member)?;
                self.post(&url, token.as_deref(), body)
            }
            answer => answer,
        }
    }

    fn token(&self) -> Option<String> {
        self.token.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn forget_token(&self) {
        self.token.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// The token of the user, for which a member is asked unless there is one; `None` without a user.
    fn authenticated(&self, member: usize) -> Result<Option<String>, Unanswered> {
        #[derive(Deserialize)]
        struct Authenticated {
            token: String,
        }
        let Some(user) = &self.user else { return Ok(None) };
        if let Some(token) = self.token() {
            return Ok(Some(token));
        }
        let question = json!({"name": user.name, "password": user.password}).to_string();
        let answer = self.post(&self.url(member, "auth/authenticate"), None, &question)?;
        let Authenticated { token } = serde_json::from_slice(&answer)
            .map_err(|_| Unanswered::Refused("it gives the user no token".to_owned()))?;
        *self.token.lock().unwrap_or_else(PoisonError::into_inner) = Some(token.clone());
        Ok(Some(token))
    }

    fn request(
        &self,
        url: &str,
        token: Option<&str>,
        at_most: Duration,
    ) -> RequestBuilder<WithBody> {
        let request = self.agent.post(url);
        let request =
            token.into_iter().fold(request, |it, token| it.header("Authorization", token));
        request.config().timeout_global(Some(at_most)).build()
    }

    fn post(&self, url: &str, token: Option<&str>, body: &str) -> Result<Vec<u8>, Unanswered> {
        let gone = |error: ureq::Error| unasked(url, &error);
        let mut response = self.request(url, token, QUESTION).send(body).map_err(gone)?;
        let octets =
            response.body_mut().with_config().limit(LARGEST).read_to_vec().map_err(gone)?;
        match response.status().as_u16() {
            200 => Ok(octets),
            // The gateway says 503 for a member that has no leader, 504 for one that waits for it.
            status @ 500.. => Err(Unanswered::Busy(said(url, status, &octets))),
            status => Err(Unanswered::Refused(said(url, status, &octets))),
        }
    }

    /// The keys from `first` to before `end`, at a revision, or the latest one if it is 0; at most
    /// `limit` of them, or all if that is 0.
    ///
    /// # Errors
    /// Those of [`ask`](Self::ask).
    pub fn range(
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
    ///
    /// # Errors
    /// The member does not answer, or ends the watch.
    pub fn watch(
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
        let token = self.authenticated(member).map_err(|error| error.to_string())?;
        let request = self.request(&url, token.as_deref(), at_most);
        let response = request.send(question.to_string()).map_err(|error| error.to_string())?;
        let body = response.into_body().into_with_config().limit(LARGEST).reader();
        let mut lines = BufReader::new(body);
        let mut line = Vec::new();
        loop {
            line.clear();
            match lines.read_until(b'\n', &mut line) {
                Ok(1..) => {}
                Ok(0) => return Err("the member ended the watch".to_owned()),
                Err(error) => return Err(error.to_string()),
            }
            let said: WatchLine = serde_json::from_slice(&line).map_err(|e| e.to_string())?;
            let Some(result) = said.result else {
                self.forget_token();
                return Err("the member refused the watch".to_owned());
            };
            if !take(result) {
                return Ok(());
            }
        }
    }
}

/// What came of asking members in turn.
#[derive(Default)]
struct Asked {
    /// How many in a row say nothing.
    silent: usize,
    /// Whether one may have taken the question, and did not answer.
    is_undecided: bool,
}

impl Asked {
    fn count<T>(&mut self, answer: &Result<T, Unanswered>) {
        match answer {
            Err(Unanswered::Absent(_)) => self.silent += 1,
            Err(Unanswered::Unreachable(_)) => {
                (self.silent, self.is_undecided) = (self.silent + 1, true);
            }
            Err(Unanswered::Busy(_)) => (self.silent, self.is_undecided) = (0, true),
            Ok(_) | Err(Unanswered::Refused(_)) => self.silent = 0,
        }
    }

    /// The failure when no member says anything any more.
    fn failure(&self, last: Unanswered) -> Unanswered {
        match last {
            Unanswered::Absent(why) if self.is_undecided => Unanswered::Unreachable(why),
            last => last,
        }
    }
}

/// Why a member cannot be asked: nobody listens there, or nobody knows what became of the question.
fn unasked(url: &str, error: &ureq::Error) -> Unanswered {
    let what = format!("{url}: {error}");
    match error {
        ureq::Error::Io(io) if io.kind() == std::io::ErrorKind::ConnectionRefused => {
            Unanswered::Absent(what)
        }
        ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => Unanswered::Absent(what),
        _ => Unanswered::Unreachable(what),
    }
}

/// What a member said instead of an answer.
fn said(url: &str, status: u16, octets: &[u8]) -> String {
    let text = serde_json::from_slice::<Value>(octets).ok();
    let text = text.and_then(|value| value.get("error")?.as_str().map(str::to_owned));
    format!("{url}: {} (status {status})", text.unwrap_or_default())
}
