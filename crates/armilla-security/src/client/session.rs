//! What a client shows to a server again and again, and whether the server keeps it.

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

/// The sessions of a client.
#[derive(Default)]
pub(super) struct Sessions {
    next: AtomicU64,
    known: RwLock<Known>,
}

#[derive(Default)]
struct Known {
    /// By the address, the credentials, the identity, and the profile of the reference; `None`
    /// where nothing is shown.
    by_reference: HashMap<Box<[u8]>, Option<Arc<Session>>>,
    /// By the same with the component of the reference in the place of its profile: objects of a
    /// server share a session.
    by_server: HashMap<Box<[u8]>, Arc<Session>>,
}

impl Sessions {
    /// The session for a reference that was used before; `Some(None)` where nothing is shown.
    pub(super) fn find(&self, reference: &[u8]) -> Option<Option<Arc<Session>>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.by_reference.get(reference).cloned()
    }

    /// Notes the session for a reference: that of its server, or a new one with `data`.
    pub(super) fn note(
        &self,
        reference: Vec<u8>,
        server: Vec<u8>,
        data: Option<Zeroizing<Vec<u8>>>,
        stateful: bool,
    ) -> Option<Arc<Session>> {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.by_reference.len() >= MAX_SESSIONS {
            *known = Known::default();
        }
        let session = data.map(|data| {
            let make = || self.make(data, stateful);
            known.by_server.entry(server.into()).or_insert_with(make).clone()
        });
        known.by_reference.insert(reference.into(), session.clone());
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
        Arc::new(Session { number, establish, state: AtomicU8::new(state as u8) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla_giop::csi::{EstablishContext, IdentityToken, SasMessage};

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
        let one = sessions.note(vec![1], vec![9], data(), true).unwrap();
        let other = sessions.note(vec![2], vec![9], data(), true).unwrap();
        let elsewhere = sessions.note(vec![3], vec![8], data(), true).unwrap();
        assert_eq!((one.number, other.number, elsewhere.number), (1, 1, 2));
        match SasMessage::decode_data(&elsewhere.establish).unwrap() {
            SasMessage::Establish(read) => assert_eq!(read.context, 2),
            other => panic!("{other:?}"),
        }
        let once = sessions.note(vec![4], vec![7], data(), false).unwrap();
        assert_eq!((once.number, once.state()), (0, State::Stateless));
        assert!(sessions.find(&[4]).is_some() && sessions.find(&[5]).is_none());
    }
}
