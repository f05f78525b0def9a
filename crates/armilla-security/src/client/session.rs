//! What a client shows to a server again and again, and whether the server keeps it.

use armilla_giop::csi::SasMessage;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use zeroize::Zeroizing;

/// Where the number of the context stands in the data of an EstablishContext: behind the byte order
/// and the discriminator, at a multiple of eight.
const NUMBER_AT: std::ops::Range<usize> = 8..16;

/// How many servers are remembered, by object; then all are forgotten.
const MAX_SESSIONS: usize = 4096;

/// A server, and what the client shows to it.
pub(super) struct Session {
    /// The number of the context.
    pub(super) number: u64,
    /// The data that establishes it.
    pub(super) establish: Zeroizing<Vec<u8>>,
    /// The data of a request in it.
    pub(super) in_context: Box<[u8]>,
    state: AtomicU8,
}

/// Whether the server keeps the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum State {
    /// It is not known yet, or the server has forgotten it.
    Fresh = 0,
    /// It does.
    Established = 1,
    /// It does not.
    Stateless = 2,
}

impl Session {
    pub(super) fn state(&self) -> State {
        match self.state.load(Ordering::Acquire) {
            1 => State::Established,
            2 => State::Stateless,
            _ => State::Fresh,
        }
    }

    pub(super) fn set_state(&self, state: State) {
        self.state.store(state as u8, Ordering::Release);
    }
}

/// What tells which session a request is of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Whose<'r> {
    /// The number of the credentials.
    pub(super) credentials: u64,
    pub(super) stateful: bool,
    pub(super) address: &'r str,
    /// For whom the client acts.
    pub(super) identity: &'r [u8],
}

impl Whose<'_> {
    /// It and more as octets; no two lead to the same ones.
    fn octets(&self, more: &[&[u8]]) -> Box<[u8]> {
        let mut octets = Vec::with_capacity(64 + more.iter().map(|it| it.len()).sum::<usize>());
        octets.extend(self.credentials.to_ne_bytes());
        octets.push(self.stateful.into());
        for part in [self.address.as_bytes(), self.identity] {
            octets.extend((part.len() as u64).to_ne_bytes());
            octets.extend(part);
        }
        more.iter().for_each(|part| octets.extend(*part));
        octets.into()
    }
}

/// A session that was used of late.
struct Recent {
    credentials: u64,
    stateful: bool,
    address: Box<str>,
    identity: Box<[u8]>,
    profile: Box<[u8]>,
    session: Option<Arc<Session>>,
}

impl Recent {
    fn is(&self, whose: &Whose<'_>, profile: &[u8]) -> bool {
        let Self { credentials, stateful, address, identity, .. } = self;
        let (credentials, stateful) = (*credentials, *stateful);
        *whose == Whose { credentials, stateful, address, identity } && *self.profile == *profile
    }
}

/// How many of those are looked at before the others.
const RECENT: usize = 8;

/// The sessions of a client.
#[derive(Default)]
pub(super) struct Sessions {
    next: AtomicU64,
    known: RwLock<Known>,
}

#[derive(Default)]
struct Known {
    /// Some of them, found by a comparison instead of a hash of all octets.
    recent: Vec<Recent>,
    /// By the address, the credentials, the identity, and the profile of the reference; `None`
    /// where nothing is shown.
    by_reference: HashMap<Box<[u8]>, Option<Arc<Session>>>,
    /// By the same with the component of the reference in the place of its profile: objects of a
    /// server share a session.
    by_server: HashMap<Box<[u8]>, Arc<Session>>,
}

impl Sessions {
    /// The session for a reference that was used before; `Some(None)` where nothing is shown.
    pub(super) fn find(&self, whose: &Whose<'_>, profile: &[u8]) -> Option<Option<Arc<Session>>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(recent) = known.recent.iter().find(|it| it.is(whose, profile)) {
            return Some(recent.session.clone());
        }
        let session = known.by_reference.get(&whose.octets(&[profile]))?.clone();
        drop(known);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.note_recent(whose, profile, session.clone());
        Some(session)
    }

    /// Notes the session for a reference: that of its `server`, or a new one with `data`.
    pub(super) fn note(
        &self,
        whose: &Whose<'_>,
        (profile, server): (&[u8], &[&[u8]]),
        data: Option<Zeroizing<Vec<u8>>>,
        stateful: bool,
    ) -> Option<Arc<Session>> {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.by_reference.len() >= MAX_SESSIONS {
            *known = Known::default();
        }
        let session = data.map(|data| {
            let make = || self.make(data, stateful);
            known.by_server.entry(whose.octets(server)).or_insert_with(make).clone()
        });
        known.by_reference.insert(whose.octets(&[profile]), session.clone());
        known.note_recent(whose, profile, session.clone());
        session
    }

    fn make(&self, mut establish: Zeroizing<Vec<u8>>, stateful: bool) -> Arc<Session> {
        let (mut number, mut state) = (0, State::Stateless);
        if stateful {
            number = self.next.fetch_add(1, Ordering::Relaxed) + 1;
            state = State::Fresh;
        }
        if let Some(place) = establish.get_mut(NUMBER_AT) {
            // The data was encoded here, in the native order.
            place.copy_from_slice(&number.to_ne_bytes());
        }
        let in_context = SasMessage::InContext { context: number, discard: false };
        // It has a number and a flag, which nothing keeps from being written.
        let in_context = in_context.to_data().unwrap_or_default().into();
        Arc::new(Session { number, establish, in_context, state: AtomicU8::new(state as u8) })
    }
}

impl Known {
    fn note_recent(&mut self, whose: &Whose<'_>, profile: &[u8], session: Option<Arc<Session>>) {
        if self.recent.iter().any(|it| it.is(whose, profile)) {
            return;
        }
        self.recent.truncate(RECENT - 1);
        let Whose { credentials, stateful, address, identity } = *whose;
        let (address, identity, profile) = (address.into(), identity.into(), profile.into());
        let recent = Recent { credentials, stateful, address, identity, profile, session };
        self.recent.insert(0, recent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla_giop::csi::{EstablishContext, IdentityToken};

    #[test]
    fn objects_of_a_server_share_a_context_with_a_number_of_its_own() {
        let shown = EstablishContext {
            context: 0,
            authorization: vec![],
            identity: IdentityToken::Anonymous,
            authentication: b"",
        };
        let data = || Some(Zeroizing::new(SasMessage::Establish(shown.clone()).to_data().unwrap()));
        let sessions = Sessions::default();
        let whose = Whose { credentials: 1, stateful: true, address: "a", identity: b"" };
        let note = |profile, server, data, stateful| {
            sessions.note(&whose, (&[profile], &[&[server]]), data, stateful)
        };
        let one = note(1, 9, data(), true).unwrap();
        let other = note(2, 9, data(), true).unwrap();
        let elsewhere = note(3, 8, data(), true).unwrap();
        assert_eq!((one.number, other.number, elsewhere.number), (1, 1, 2));
        match SasMessage::decode_data(&elsewhere.establish).unwrap() {
            SasMessage::Establish(read) => assert_eq!(read.context, 2),
            other => panic!("{other:?}"),
        }
        let once = note(4, 7, data(), false).unwrap();
        assert_eq!((once.number, once.state()), (0, State::Stateless));
        assert!(sessions.find(&whose, &[5]).is_none());
        for number in 6..40 {
            let session = note(number, number + 100, data(), true).unwrap();
            assert_eq!(session.number, u64::from(number) - 3);
        }
        // Also those that were not used of late, and not those of others.
        for profile in [1, 2, 1, 39] {
            let found = sessions.find(&whose, &[profile]).unwrap().unwrap();
            assert_eq!(found.number, if profile == 39 { 36 } else { 1 });
        }
        for other in [
            Whose { credentials: 2, ..whose },
            Whose { stateful: false, ..whose },
            Whose { address: "b", ..whose },
            Whose { identity: b"i", ..whose },
        ] {
            assert!(sessions.find(&other, &[1]).is_none());
        }
        assert!(
            note(50, 50, None, true).is_none() && sessions.find(&whose, &[50]).unwrap().is_none()
        );
    }
}
