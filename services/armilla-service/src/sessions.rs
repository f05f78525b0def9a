//! Who is logged in: sessions with a secret that the browser keeps in a cookie.
//!
//! Time is an argument; nothing here knows HTTP.

use crate::limits::ConsoleLimits;
use armilla_ipc::random;
use armilla_security::Caller;
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The secret of a session: 256 bits that nobody guesses.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Secret([u8; 32]);

impl Secret {
    fn new() -> io::Result<Self> {
        let mut octets = [0; 32];
        for part in octets.chunks_exact_mut(8) {
            part.copy_from_slice(&random::number()?.get().to_ne_bytes());
        }
        Ok(Self(octets))
    }
}

/// No log has it.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// As the cookie has it.
impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|octet| write!(f, "{octet:02x}"))
    }
}

impl FromStr for Secret {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let digits: Vec<u8> =
            text.chars().map_while(|digit| Some(digit.to_digit(16)? as u8)).collect();
        if digits.len() != 64 || text.len() != 64 {
            return Err(());
        }
        let mut octets = [0; 32];
        for (octet, pair) in octets.iter_mut().zip(digits.chunks_exact(2)) {
            *octet = pair[0] << 4 | pair[1];
        }
        Ok(Self(octets))
    }
}

/// The sessions of a console. Clones share them.
#[derive(Clone)]
pub(crate) struct Sessions {
    open: Arc<Mutex<HashMap<Secret, Session>>>,
    /// Of all, and of one user.
    most: (usize, usize),
    idle: Duration,
    whole: Duration,
}

struct Session {
    caller: Arc<Caller>,
    /// What the passwords were when it began.
    generation: u64,
    begun: Instant,
    used: Instant,
    /// Says until when it lasts, and by its end that the session has ended.
    lasts: watch::Sender<Instant>,
}

/// A session that is open now.
#[derive(Debug, Clone)]
pub(crate) struct Open {
    pub(crate) caller: Arc<Caller>,
    lasts: watch::Receiver<Instant>,
}

impl Open {
    /// Waits until the session ends: its user has logged out, or its time is over.
    pub(crate) async fn ended(mut self) {
        loop {
            let until = *self.lasts.borrow_and_update();
            tokio::select! {
                () = tokio::time::sleep_until(until.into()) => {
                    if *self.lasts.borrow() <= until {
                        return;
                    }
                }
                changed = self.lasts.changed() => {
                    if changed.is_err() {
                        return;
                    }
                }
            }
        }
    }
}

impl Sessions {
    pub(crate) fn new(limits: &ConsoleLimits) -> Self {
        Self {
            open: Arc::default(),
            most: (limits.sessions.max(1), limits.sessions_per_user.max(1)),
            idle: limits.session_idle,
            whole: limits.session,
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Secret, Session>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lasts(&self, begun: Instant, used: Instant) -> Instant {
        (begun + self.whole).min(used + self.idle)
    }

    /// Begins a session under a new secret. One too many takes the place of the one that was unused
    /// for longest: of the same user, or of all.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub(crate) fn begin(
        &self,
        caller: Arc<Caller>,
        generation: u64,
        now: Instant,
    ) -> io::Result<Secret> {
        let secret = Secret::new()?;
        let (most, of_user) = self.most;
        let mut open = self.lock();
        open.retain(|_, session| now < self.lasts(session.begun, session.used));
        let is_own = |session: &Session| session.caller.principal() == caller.principal();
        if open.values().filter(|session| is_own(session)).count() >= of_user {
            end_oldest(&mut open, is_own);
        }
        if open.len() >= most {
            end_oldest(&mut open, |_| true);
        }
        let lasts = watch::Sender::new(self.lasts(now, now));
        let session = Session { caller, generation, begun: now, used: now, lasts };
        open.insert(secret, session);
        Ok(secret)
    }

    /// The session with this secret, if it is open and the passwords are those with which it has
    /// begun. `uses` says whether its user does something, so that it lasts longer.
    pub(crate) fn find(
        &self,
        secret: &Secret,
        generation: u64,
        uses: bool,
        now: Instant,
    ) -> Option<Open> {
        let mut open = self.lock();
        let session = open.get_mut(secret)?;
        let is_over = now >= self.lasts(session.begun, session.used);
        if is_over || session.generation != generation {
            open.remove(secret);
            return None;
        }
        if uses {
            session.used = now;
            session.lasts.send_replace(self.lasts(session.begun, now));
        }
        Some(Open { caller: session.caller.clone(), lasts: session.lasts.subscribe() })
    }

    /// Ends a session.
    pub(crate) fn end(&self, secret: &Secret) {
        self.lock().remove(secret);
    }

    /// How many are open.
    pub(crate) fn count(&self, now: Instant) -> usize {
        let open = self.lock();
        open.values().filter(|session| now < self.lasts(session.begun, session.used)).count()
    }
}

fn end_oldest(open: &mut HashMap<Secret, Session>, among: impl Fn(&Session) -> bool) {
    let found = open.iter().filter(|(_, session)| among(session));
    if let Some(oldest) = found.min_by_key(|(_, session)| session.used).map(|(secret, _)| *secret) {
        open.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla_ipc::Address;
    use armilla_security::{Principal, Proof};

    fn caller(name: &str) -> Arc<Caller> {
        let user = Principal::User(name.parse().unwrap());
        Arc::new(Caller::new(user, Proof::Password, Address::tcp("192.0.2.1", 1)))
    }

    fn sessions() -> Sessions {
        let mut limits = ConsoleLimits::default();
        (limits.sessions, limits.sessions_per_user) = (3, 2);
        Sessions::new(&limits)
    }

    #[test]
    fn a_session_lasts_while_it_is_used_and_not_beyond_its_time() {
        let (sessions, start) = (sessions(), Instant::now());
        let secret = sessions.begin(caller("ann"), 0, start).unwrap();
        let is_open = |at, uses| sessions.find(&secret, 0, uses, at).is_some();
        let idle = sessions.idle;
        assert!(is_open(start + idle / 2, false), "which does not count as use");
        assert!(!is_open(start + idle, true));
        let secret = sessions.begin(caller("ann"), 0, start).unwrap();
        let mut now = start;
        while sessions.find(&secret, 0, true, now).is_some() {
            now += idle / 2;
        }
        assert!(now >= start + sessions.whole && now < start + sessions.whole + idle);
        assert_eq!(sessions.count(now), 0);
    }

    #[test]
    fn other_secrets_and_other_passwords_end_in_nothing() {
        let (sessions, now) = (sessions(), Instant::now());
        let secret = sessions.begin(caller("ann"), 7, now).unwrap();
        assert_ne!(secret, sessions.begin(caller("ann"), 7, now).unwrap());
        assert_eq!(secret.to_string().parse(), Ok(secret));
        for wrong in ["", "00", &"0".repeat(63), &"g".repeat(64), &"é".repeat(32)] {
            assert!(wrong.parse::<Secret>().is_err(), "{wrong}");
        }
        assert!(sessions.find(&Secret([0; 32]), 7, true, now).is_none());
        assert!(sessions.find(&secret, 8, true, now).is_none(), "the passwords were changed");
        assert!(sessions.find(&secret, 7, true, now).is_none(), "which ends it for good");
    }

    #[test]
    fn one_too_many_takes_the_place_of_the_longest_unused() {
        let (sessions, start) = (sessions(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        let begin = |name, seconds| sessions.begin(caller(name), 0, at(seconds)).unwrap();
        let is_open = |secret, seconds| sessions.find(&secret, 0, false, at(seconds)).is_some();
        let (first, second) = (begin("ann", 0), begin("ann", 1));
        sessions.find(&first, 0, true, at(2)).unwrap();
        let third = begin("ann", 3);
        assert!(is_open(first, 4) && !is_open(second, 4) && is_open(third, 4));
        let (bob, eve) = (begin("bob", 5), begin("eve", 6));
        assert!(!is_open(first, 7) && is_open(third, 7) && is_open(bob, 7) && is_open(eve, 7));
        sessions.end(&eve);
        assert!(!is_open(eve, 8));
    }

    #[tokio::test(start_paused = true)]
    async fn who_listens_hears_of_the_end() {
        let (sessions, now) = (sessions(), tokio::time::Instant::now().into_std());
        let secret = sessions.begin(caller("ann"), 0, now).unwrap();
        let open = sessions.find(&secret, 0, false, now).unwrap();
        let ended = tokio::spawn(open.clone().ended());
        tokio::task::yield_now().await;
        assert!(!ended.is_finished());
        sessions.end(&secret);
        ended.await.unwrap();
    }
}
