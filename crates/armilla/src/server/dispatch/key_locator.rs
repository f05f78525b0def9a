//! Key locators: a program that knows where objects are which this server does not host.
//!
//! An implementation repository is such a program. References of other servers lead to its address,
//! with keys that it never made. It answers with a forward to the server that has the object, as
//! soon as that runs.

use super::published::Published;
use crate::exception::{Completion, SystemException};
use crate::object_key::ObjectKey;
use crate::runtime::{Located, Orb};
use crate::server::reply::location_reply::{KeyLocator, LocationReply, SoughtKey, ask, no_answer};
use crate::threads::{BlockingScope, wait_limit};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};

impl Orb {
    /// Sets the locator for keys that this server cannot place: those that another ORB made and
    /// that are not [published](Self::publish), and those of persistent POAs that are not here. It
    /// is called by several threads at once, for requests and for LocateRequests, and answers when
    /// it likes; a client that waits for the answer occupies no thread. It replaces a locator that
    /// was set before.
    ///
    /// ```
    /// # use armilla::{Ior, Orb};
    /// # fn example(orb: &Orb, moved_to: Ior) {
    /// orb.set_key_locator(move |key, reply| match key.octets() {
    ///     b"the old key" => reply.forward(moved_to.clone()),
    ///     _ => reply.unknown(),
    /// });
    /// # }
    /// ```
    pub fn set_key_locator(
        &self,
        locator: impl Fn(SoughtKey<'_>, LocationReply) + Send + Sync + 'static,
    ) {
        self.part::<Published>().set_key_locator(Arc::new(locator));
        // Requests that wait for a name ask the locator.
        self.root().manager().look_again();
    }

    /// The locator for this key; `None` without one, and for a key of an object that belongs here.
    #[cold]
    pub(in crate::server) fn key_locator(&self, key: &[u8]) -> Option<KeyLocator> {
        let locator = self.part::<Published>().key_locator()?;
        match ObjectKey::parse(key) {
            None => Some(locator),
            Some(ObjectKey::Named(key)) if key.incarnation == 0 => {
                self.adapters().get(key.adapter).is_none().then_some(locator)
            }
            Some(_) => None,
        }
    }

    /// Asks the locator, if there is one for this key, and waits for its answer.
    #[cold]
    pub(in crate::server) fn ask_key_locator(
        &self,
        key: &[u8],
    ) -> Result<Located, SystemException> {
        let Some(locator) = self.key_locator(key) else { return Ok(Located::Nowhere) };
        let (sender, receiver) = sync_channel(1);
        let reply = LocationReply::to_caller(sender);
        ask(self, &locator, key, &crate::transport::HERE, reply);
        let _blocking = BlockingScope::begin();
        let limit = wait_limit::left().or(self.settings().call_timeout);
        let answer = match limit {
            None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(limit) => receiver.recv_timeout(limit),
        };
        answer.unwrap_or_else(|error| match error {
            RecvTimeoutError::Disconnected => Err(no_answer()),
            RecvTimeoutError::Timeout => {
                let what = "the locator of keys did not answer in time";
                Err(wait_limit::exhausted(Completion::No, what.to_owned()))
            }
        })
    }
}
