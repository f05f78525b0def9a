//! Who may see and change what a console shows.

use crate::limits::ConsoleLimits;
use crate::sessions::{Open, Secret, Sessions};
use crate::visitor::{Visitor, address};
use armilla_ipc::Address;
use armilla_security::{
    AccessFile, Audit, AuditOutcome, AuditRecord, Caller, GuessLimits, LoginRefused, Logins,
    PasswordFile, PasswordVerifier, Principal, Proof, Question, ScopedName,
};
use armilla_tls::Certificate;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// What rules call the pages of a console, in the place of a POA.
pub(crate) const ADAPTER: &str = "page";

/// Who may see and change what a console shows: who has logged in with a password, or shown a
/// certificate of the authorities that its TLS believes. Rules may say more. Clones share
/// everything.
///
/// ```no_run
/// use armilla_security::{AccessFile, PasswordFile};
/// use armilla_service::{Console, ConsoleAccess, Lifecycle};
///
/// let access = ConsoleAccess::new()
///     .passwords(PasswordFile::open("passwords")?, "bank")?
///     .rules(AccessFile::open("access.toml")?);
/// let console = Console::builder("127.0.0.1:0").access(access).start(&Lifecycle::new())?;
/// # drop(console);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// To rules, a page is an object of the POA `page`: its path is the id of the object, and the
/// operation is `view` for what reads and `change` for all else.
#[derive(Clone, Default)]
pub struct ConsoleAccess {
    passwords: Option<Passwords>,
    rules: Option<AccessFile>,
    audit: Option<Audit>,
    pub(crate) open_health: bool,
}

#[derive(Clone)]
struct Passwords {
    logins: Arc<Logins>,
    file: PasswordFile,
    realm: String,
}

impl ConsoleAccess {
    /// Nobody but clients with certificates, who may do everything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets users of this file log in by a password, and by the code of a second factor where they
    /// have one. A name without a domain is one of `realm`; without any, that is the domain of the
    /// users in the file. A change of the file ends all sessions.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn passwords(mut self, file: PasswordFile, realm: impl Into<String>) -> io::Result<Self> {
        let logins = Arc::new(Logins::new(file.clone(), GuessLimits::default())?);
        let realm = Some(realm.into()).filter(|realm| !realm.is_empty());
        let realm = realm.or_else(|| only_domain(&file)).unwrap_or_default();
        self.passwords = Some(Passwords { logins, file, realm });
        Ok(self)
    }

    /// Asks these rules who may do what; what none allows is denied.
    #[must_use]
    pub fn rules(mut self, rules: AccessFile) -> Self {
        self.rules = Some(rules);
        self
    }

    /// Records logins, refusals and changes. While the record cannot be written, and
    /// [`OnFailure::Refuse`](armilla_security::OnFailure) is set, nobody logs in or changes anything.
    #[must_use]
    pub fn audit(mut self, audit: Audit) -> Self {
        self.audit = Some(audit);
        self
    }

    /// Answers `/healthz` and `/metrics` to everybody, as a scraper may need.
    #[must_use]
    pub fn open_health(mut self) -> Self {
        self.open_health = true;
        self
    }
}

impl fmt::Debug for ConsoleAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConsoleAccess").field("rules", &self.rules).finish_non_exhaustive()
    }
}

/// Access as a running console grants it. Clones share it.
#[derive(Clone)]
pub(crate) struct Access {
    pub(crate) chosen: ConsoleAccess,
    pub(crate) sessions: Sessions,
    /// The name of the cookie. It has the port, because browsers keep cookies by host alone.
    pub(crate) cookie: String,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    logins: AtomicU64,
    refused: AtomicU64,
    denied: AtomicU64,
}

/// Why a login is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotLoggedIn {
    /// Whatever is wrong of what was shown.
    Wrong,
    /// Too many guesses.
    TooMany,
    /// It cannot be recorded, or the system fails.
    Failed,
}

impl Access {
    pub(crate) fn new(chosen: ConsoleAccess, limits: &ConsoleLimits, port: u16) -> Self {
        let cookie = format!("__Host-armilla-{port}");
        Self { chosen, sessions: Sessions::new(limits), cookie, counts: Arc::default() }
    }

    pub(crate) fn takes_passwords(&self) -> bool {
        self.chosen.passwords.is_some()
    }

    fn generation(&self) -> u64 {
        self.chosen.passwords.as_ref().map_or(0, |passwords| passwords.file.generation())
    }

    /// The session with this secret. `uses` says whether its user does something.
    pub(crate) fn session(&self, secret: &Secret, uses: bool) -> Option<Open> {
        self.sessions.find(secret, self.generation(), uses, Instant::now())
    }

    /// Whose certificate it is.
    pub(crate) fn by_certificate(certificate: &Certificate, peer: SocketAddr) -> Arc<Caller> {
        let name = Principal::DistinguishedName(certificate.subject.as_str().to_owned());
        Arc::new(Caller::new(name, Proof::Certificate, address(peer)))
    }

    /// Whether a caller may view or change the page at a path, and the line of the rule that says
    /// so.
    pub(crate) fn decide(
        &self,
        caller: &Caller,
        operation: &str,
        path: &str,
    ) -> Result<(), Option<usize>> {
        let Some(rules) = &self.chosen.rules else { return Ok(()) };
        let at = SystemTime::now();
        let decision = rules.rules().decide(&Question {
            caller,
            adapter: ADAPTER,
            object: path,
            interface: "",
            operation,
            at,
        });
        match decision.allowed {
            true => Ok(()),
            false => Err(decision.line),
        }
    }

    /// What handlers learn of a caller at a page.
    pub(crate) fn visitor(
        &self,
        caller: Arc<Caller>,
        (peer, over_tls): (SocketAddr, bool),
        path: &str,
    ) -> Visitor {
        let may_change = self.decide(&caller, "change", path).is_ok();
        Visitor { address: peer, over_tls, caller: Some((caller, may_change)) }
    }

    /// Logs a user in, and begins a session. Takes as long as Argon2id does, whatever is wrong.
    pub(crate) fn log_in(
        &self,
        (user, password, code): (&str, &str, &str),
        peer: SocketAddr,
        guessing: &Address,
    ) -> Result<Secret, NotLoggedIn> {
        let Some(passwords) = &self.chosen.passwords else { return Err(NotLoggedIn::Wrong) };
        if self.refuses() {
            return Err(NotLoggedIn::Failed);
        }
        let begun = Instant::now();
        let generation = passwords.file.generation();
        let mut user: ScopedName = user.trim().parse().unwrap_or_else(|_| ScopedName {
            // Of nobody: a name in a file has no such character.
            user: "\0".to_owned(),
            domain: None,
        });
        if user.domain.is_none() && !passwords.realm.is_empty() {
            user.domain = Some(passwords.realm.clone());
        }
        let code = Some(code.trim()).filter(|code| !code.is_empty());
        let checked = passwords.logins.check(&user, password.as_bytes(), code, guessing);
        let caller = Arc::new(Caller::new(Principal::User(user), Proof::Password, address(peer)));
        let refused = match checked {
            Ok(()) => {
                self.counts.logins.fetch_add(1, Ordering::Relaxed);
                self.note(
                    Some(&caller),
                    peer,
                    "/login",
                    "login",
                    AuditOutcome::Ok,
                    begun.elapsed(),
                );
                let secret = self.sessions.begin(caller, generation, Instant::now());
                return secret.map_err(|error| {
                    tracing::error!(%error, "a session cannot begin");
                    NotLoggedIn::Failed
                });
            }
            Err(refused) => refused,
        };
        self.counts.refused.fetch_add(1, Ordering::Relaxed);
        if refused == LoginRefused::TooManyGuesses {
            // Not recorded: whoever goes on would fill the record.
            return Err(NotLoggedIn::TooMany);
        }
        let why = AuditOutcome::Refused(refused_as(refused));
        // Who it was said to be, without a proof.
        let said = Caller::new(caller.principal().clone(), Proof::None, address(peer));
        self.note(Some(&said), peer, "/login", "login", why, begun.elapsed());
        Err(NotLoggedIn::Wrong)
    }

    /// Ends a session.
    pub(crate) fn log_out(&self, secret: &Secret, caller: &Caller, peer: SocketAddr) {
        self.sessions.end(secret);
        self.note(Some(caller), peer, "/logout", "logout", AuditOutcome::Ok, Duration::ZERO);
    }

    /// Whether nothing may be changed, because it could not be recorded.
    pub(crate) fn refuses(&self) -> bool {
        self.chosen.audit.as_ref().is_some_and(Audit::refuses)
    }

    /// Records that a caller was denied a page.
    pub(crate) fn note_denied(
        &self,
        caller: &Caller,
        peer: SocketAddr,
        (operation, path): (&str, &str),
        line: Option<usize>,
    ) {
        self.counts.denied.fetch_add(1, Ordering::Relaxed);
        let outcome = AuditOutcome::Denied(line);
        self.note(Some(caller), peer, path, operation, outcome, Duration::ZERO);
    }

    /// Records something, if there is a record.
    pub(crate) fn note(
        &self,
        caller: Option<&Caller>,
        peer: SocketAddr,
        path: &str,
        operation: &str,
        outcome: AuditOutcome<'_>,
        duration: Duration,
    ) {
        let Some(audit) = &self.chosen.audit else { return };
        audit.note(&AuditRecord {
            caller,
            address: &address(peer),
            adapter: ADAPTER,
            object: path,
            operation,
            outcome,
            duration,
        });
    }

    /// What there is to say, for Prometheus.
    pub(crate) fn metrics(&self) -> String {
        let counter = |name: &str, help: &str, count: &AtomicU64| {
            let count = count.load(Ordering::Relaxed);
            format!("# HELP {name} {help}\n# TYPE {name} counter\n{name} {count}\n")
        };
        let Counts { logins, refused, denied } = &*self.counts;
        let name = "armilla_page_sessions";
        let open = self.sessions.count(Instant::now());
        [
            format!("# HELP {name} Users who are logged in.\n# TYPE {name} gauge\n{name} {open}\n"),
            counter("armilla_page_logins_total", "Logins.", logins),
            counter("armilla_page_logins_refused_total", "Logins that were refused.", refused),
            counter("armilla_page_denied_total", "Requests that the rules deny.", denied),
        ]
        .concat()
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").field("chosen", &self.chosen).finish_non_exhaustive()
    }
}

/// What the record says of a refused login; the browser is not told.
fn refused_as(refused: LoginRefused) -> &'static str {
    match refused {
        LoginRefused::CodeNeeded => "the code of the second factor is missing",
        LoginRefused::WrongCode => "the code of the second factor is wrong",
        LoginRefused::TooManyGuesses => "too many wrong passwords of late",
        _ => "the user or the password is wrong",
    }
}

/// The domain of all users in a file, if they have one in common.
fn only_domain(file: &PasswordFile) -> Option<String> {
    let mut domains = file.users().into_iter().map(|user| user.domain);
    let first = domains.next()??;
    domains.all(|domain| domain.as_ref() == Some(&first)).then_some(first)
}
