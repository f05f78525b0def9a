//! What stands before a verifier: guesses are limited, and what was verified is remembered.

use super::PasswordVerifier;
use super::attempts::{Attempts, GuessLimits};
use super::cache::Verified;
use crate::hash::{HashKey, KeyedHash};
use armilla_giop::csi::ScopedName;
use armilla_ipc::Address;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// Why a password was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The name, the password or the code behind it is wrong.
    Wrong,
    /// There were too many wrong guesses from the host, or for the user.
    TooManyGuesses,
}

impl Refused {
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Wrong => "the user, the password or the code is wrong",
            Self::TooManyGuesses => "too many wrong passwords of late",
        }
    }
}

/// A verifier, guarded.
pub(crate) struct Guarded {
    verifier: Box<dyn PasswordVerifier>,
    key: HashKey,
    limits: GuessLimits,
    verified: RwLock<Verified>,
    guesses: Mutex<Guesses>,
    /// What is being verified.
    busy: Mutex<Vec<KeyedHash>>,
    one_less: Condvar,
}

#[derive(Default)]
struct Guesses {
    hosts: Attempts<String>,
    users: Attempts<ScopedName>,
}

impl Guarded {
    /// `remembered` passwords are believed for `time` once they were verified.
    pub(crate) fn new(
        verifier: Box<dyn PasswordVerifier>,
        limits: GuessLimits,
        (remembered, time): (usize, Duration),
    ) -> io::Result<Self> {
        Ok(Self {
            verifier,
            key: HashKey::new()?,
            limits,
            verified: RwLock::new(Verified::new(remembered, time)),
            guesses: Mutex::default(),
            busy: Mutex::default(),
            one_less: Condvar::new(),
        })
    }

    /// Whether this is the password of the user, who is at `peer`. May take as long as the verifier
    /// does, and wait for others.
    pub(crate) fn verify(
        &self,
        user: &ScopedName,
        password: &[u8],
        peer: &Address,
    ) -> Result<(), Refused> {
        let domain = user.domain.as_deref().unwrap_or_default();
        let (host, site) = (host_of(peer), site(peer));
        // With the host: else a code that somebody has read on its way would be good elsewhere.
        let hash =
            self.key.of(&[user.user.as_bytes(), domain.as_bytes(), host.as_bytes(), password]);
        if self.is_known(&hash) {
            return Ok(());
        }
        if self.is_guessing(&site, user) {
            return Err(Refused::TooManyGuesses);
        }
        let _turn = self.turn(hash);
        // While this one has waited, others may have guessed, or shown the same.
        if self.is_known(&hash) {
            return Ok(());
        }
        if self.is_guessing(&site, user) {
            return Err(Refused::TooManyGuesses);
        }
        let generation = self.verifier.generation();
        let right = self.verifier.verify(user, password);
        let now = Instant::now();
        if right {
            let mut known = self.verified.write().unwrap_or_else(PoisonError::into_inner);
            known.note(hash, generation, now);
            return Ok(());
        }
        let mut guesses = lock(&self.guesses);
        guesses.hosts.note(site, &self.limits, now);
        guesses.users.note(user.clone(), &self.limits, now);
        Err(Refused::Wrong)
    }

    /// Whether this was verified a moment ago.
    fn is_known(&self, hash: &KeyedHash) -> bool {
        let generation = self.verifier.generation();
        let known = self.verified.read().unwrap_or_else(PoisonError::into_inner);
        known.has(hash, generation, Instant::now())
    }

    /// Has the verifier read its file again.
    pub(crate) fn reload(&self) -> Result<(), String> {
        self.verifier.reload()
    }

    /// That of the verifier: it changes with what is accepted.
    pub(crate) fn generation(&self) -> u64 {
        self.verifier.generation()
    }

    fn is_guessing(&self, site: &str, user: &ScopedName) -> bool {
        let GuessLimits { per_host, per_user, window, .. } = self.limits;
        let (guesses, now) = (lock(&self.guesses), Instant::now());
        guesses.hosts.is_full(site, per_host, window, now)
            || guesses.users.is_full(user, per_user, window, now)
    }

    /// Waits until one more password may be verified. The same is never verified twice at once: a
    /// client that opens connections beside each other shows one code, which is accepted once.
    fn turn(&self, hash: KeyedHash) -> Turn<'_> {
        let limit = self.limits.at_once.max(1);
        let waits = |busy: &mut Vec<_>| busy.len() >= limit || busy.contains(&hash);
        let wait = self.one_less.wait_while(lock(&self.busy), waits);
        wait.unwrap_or_else(PoisonError::into_inner).push(hash);
        Turn { guarded: self, hash }
    }
}

struct Turn<'g> {
    guarded: &'g Guarded,
    hash: KeyedHash,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        lock(&self.guarded.busy).retain(|other| *other != self.hash);
        self.guarded.one_less.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The host at an address, whatever the port.
fn host_of(peer: &Address) -> &str {
    match peer {
        Address::Tcp { host, .. } => host,
        _ => "local",
    }
}

/// Where guesses come from: a host, or a network of IPv6, whose owner has an address for each guess.
fn site(peer: &Address) -> String {
    peer.site().unwrap_or_else(|| host_of(peer).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::{Arc, Barrier};

    #[test]
    fn a_password_is_verified_once_and_guesses_are_limited() {
        let asked = Arc::new(AtomicU32::new(0));
        let count = asked.clone();
        let verifier = move |user: &ScopedName, password: &[u8]| {
            count.fetch_add(1, Ordering::Relaxed);
            user.user == "ann" && password == b"secret"
        };
        let limits = GuessLimits { per_host: 3, per_user: 100, ..Default::default() };
        let kept = (16, Duration::from_secs(3600));
        let guarded = Guarded::new(Box::new(verifier), limits, kept).unwrap();
        let (ann, eve): (ScopedName, ScopedName) = ("ann".parse().unwrap(), "eve".parse().unwrap());
        let peer = Address::tcp("192.0.2.1", 4000);
        assert_eq!(guarded.verify(&ann, b"secret", &peer), Ok(()));
        assert_eq!(guarded.verify(&ann, b"secret", &peer), Ok(()));
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        for _ in 0..3 {
            assert_eq!(guarded.verify(&eve, b"guess", &peer), Err(Refused::Wrong));
        }
        assert_eq!(guarded.verify(&eve, b"guess", &peer), Err(Refused::TooManyGuesses));
        assert_eq!(asked.load(Ordering::Relaxed), 4);
        assert_eq!(guarded.verify(&ann, b"secret", &peer), Ok(()), "who is at work goes on");
        let elsewhere = Address::tcp("192.0.2.2", 4000);
        assert_eq!(guarded.verify(&eve, b"guess", &elsewhere), Err(Refused::Wrong));
        // A new address for each guess, in one network of IPv6 or of a link.
        for network in ["2001:db8::7:", "fe80::%"] {
            let guess = |number: u32| {
                let host = network.replacen("::", &format!("::{number}:"), 1);
                let peer = Address::tcp(host.replace(":%", "%2").trim_end_matches(':'), 4000);
                guarded.verify(&eve, b"guess", &peer)
            };
            (1..4).for_each(|number| assert_eq!(guess(number), Err(Refused::Wrong)));
            assert_eq!(guess(4), Err(Refused::TooManyGuesses), "{network}");
        }
    }

    #[test]
    fn who_shows_the_same_twice_at_once_is_let_in_twice() {
        // As a code is, which is accepted once. The first one waits until the second one has come.
        let (asked, come) = (AtomicU32::new(0), Arc::new(Barrier::new(2)));
        let both = come.clone();
        let verifier = move |_: &ScopedName, _: &[u8]| {
            let first = asked.fetch_add(1, Ordering::SeqCst) == 0;
            if first {
                both.wait();
            }
            first
        };
        let kept = (16, Duration::from_secs(3600));
        let guarded = Guarded::new(Box::new(verifier), GuessLimits::default(), kept).unwrap();
        let (ann, peer) = ("ann".parse().unwrap(), Address::tcp("192.0.2.1", 4000));
        let verify = || guarded.verify(&ann, b"secret123456", &peer);
        std::thread::scope(|scope| {
            let first = scope.spawn(verify);
            let second = scope.spawn(|| {
                while lock(&guarded.busy).is_empty() {
                    std::thread::yield_now();
                }
                let third = scope.spawn(verify);
                come.wait();
                (verify(), third.join().unwrap())
            });
            assert_eq!(first.join().unwrap(), Ok(()));
            assert_eq!(second.join().unwrap(), (Ok(()), Ok(())));
        });
    }
}
