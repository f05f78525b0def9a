//! Addresses at which nobody answered a moment ago. Whoever exports ten thousand offers of a host
//! that is away waits for that once.

use armilla::{ExceptionKind, Object, SystemException};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long nobody is asked again at an address.
const REST: Duration = Duration::from_secs(10);

/// How many addresses are remembered.
const MOST: usize = 1_024;

type Address = (String, u16);

/// The addresses, each with the time when nobody answered.
#[derive(Debug, Default)]
pub(super) struct Silent(Mutex<HashMap<Address, Instant>>);

impl Silent {
    /// Asks an object something, unless nobody answered at its address a moment ago: then, and if
    /// nobody answers now, there is no answer.
    pub(super) fn ask<T>(
        &self,
        object: &Object,
        ask: impl FnOnce() -> Result<T, SystemException>,
    ) -> Option<T> {
        let address = address(object);
        if address.as_ref().is_some_and(|address| self.is_silent(address)) {
            return None;
        }
        let answer = ask();
        if let (Err(error), Some(address)) = (&answer, address)
            && is_silence(error.kind())
        {
            self.remember(address);
        }
        answer.ok()
    }

    fn is_silent(&self, address: &Address) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(address).is_some_and(|since| since.elapsed() < REST)
    }

    fn remember(&self, address: Address) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, since| since.elapsed() < REST);
        if known.len() < MOST {
            known.insert(address, Instant::now());
        }
    }
}

/// Where an object is, if it says one place only: another may answer where one does not.
fn address(object: &Object) -> Option<Address> {
    let ior = object.ior();
    let mut profiles = ior.iiop_profiles();
    let first = profiles.next()?.ok()?;
    profiles.next().is_none().then(|| (first.host.clone(), first.port))
}

const fn is_silence(kind: ExceptionKind) -> bool {
    matches!(
        kind,
        ExceptionKind::CommFailure
            | ExceptionKind::NoResponse
            | ExceptionKind::Timeout
            | ExceptionKind::Transient
    )
}
