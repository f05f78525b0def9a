//! The replies to requests that clients may send again.

use super::codec::{decoded, encoded};
use super::record::Entry;
use armilla_cdr::{CdrError, CdrResult, Decode, Decoder, Encode, Encoder};
use std::collections::{BTreeSet, HashMap};

/// The most that a log of replies holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The number of replies.
    pub entries: usize,
    /// The octets of all replies and names.
    pub octets: usize,
}

impl Default for Limits {
    /// A million replies, 256 MiB.
    fn default() -> Self {
        Self { entries: 1_000_000, octets: 256 << 20 }
    }
}

/// The replies to the requests of clients, until they expire.
///
/// A request that is not in it was not executed, or has expired and must not be executed any more
/// ([`is_expired`](Self::is_expired)).
#[derive(Debug, Clone, Default)]
pub struct ReplyLog {
    by_client: HashMap<String, HashMap<i32, Entry>>,
    /// By the time at which they expire.
    expiring: BTreeSet<(u64, String, i32)>,
    octets: usize,
    limits: Limits,
}

/// What an entry takes beside its octets, about.
const OVERHEAD: usize = 160;

fn size(entry: &Entry) -> usize {
    entry.body.len() + 2 * entry.client.len() + OVERHEAD
}

impl ReplyLog {
    /// An empty log.
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// The number of replies.
    pub fn len(&self) -> usize {
        self.expiring.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.expiring.is_empty()
    }

    /// Whether a request that lasts until `expires` is over at `now`.
    pub const fn is_expired(expires: u64, now: u64) -> bool {
        expires <= now
    }

    /// The reply to a request that was executed.
    pub fn find(&self, client: &str, retention: i32) -> Option<&Entry> {
        self.by_client.get(client)?.get(&retention)
    }

    /// Whether there is room for another reply, whose length is not known yet.
    pub fn has_room(&self) -> bool {
        self.len() < self.limits.entries && self.octets < self.limits.octets
    }

    /// Adds a reply. One under the same identity is replaced. It may exceed the limits, once: the
    /// request was executed already.
    pub fn insert(&mut self, entry: Entry) {
        let identity = (entry.client.clone(), entry.retention);
        self.remove(&identity.0, identity.1);
        self.octets += size(&entry);
        self.expiring.insert((entry.expires, identity.0.clone(), identity.1));
        self.by_client.entry(identity.0).or_default().insert(identity.1, entry);
    }

    fn remove(&mut self, client: &str, retention: i32) {
        let Some(entries) = self.by_client.get_mut(client) else { return };
        let Some(entry) = entries.remove(&retention) else { return };
        if entries.is_empty() {
            self.by_client.remove(client);
        }
        self.octets -= size(&entry);
        self.expiring.remove(&(entry.expires, entry.client, entry.retention));
    }

    /// Forgets the replies that have expired.
    pub fn expire(&mut self, now: u64) {
        while let Some((expires, client, retention)) = self.expiring.first().cloned() {
            if !Self::is_expired(expires, now) {
                return;
            }
            self.remove(&client, retention);
        }
    }

    /// All of it as octets, for another member.
    ///
    /// # Errors
    /// When a length does not fit 32 bits.
    pub fn to_octets(&self) -> CdrResult<Vec<u8>> {
        encoded(self)
    }

    /// Takes the replies from the log of another member in the place of its own.
    ///
    /// # Errors
    /// When the octets are not those of a log; nothing is changed then.
    pub fn replace(&mut self, octets: &[u8]) -> Result<(), CdrError> {
        let Entries(entries) = decoded(octets)?;
        let mut new = Self::new(self.limits);
        entries.into_iter().for_each(|entry| new.insert(entry));
        *self = new;
        Ok(())
    }
}

impl Encode for ReplyLog {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_length(self.len())?;
        let mut entries = self.by_client.values().flat_map(HashMap::values);
        entries.try_for_each(|entry| entry.encode(out))
    }
}

/// The entries of a log.
struct Entries(Vec<Entry>);

impl<'a> Decode<'a> for Entries {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.sequence().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(client: &str, retention: i32, expires: u64) -> Entry {
        Entry { client: client.into(), retention, expires, status: 0, body: vec![7; 10] }
    }

    #[test]
    fn a_reply_is_found_until_it_expires() {
        let mut log = ReplyLog::default();
        log.insert(entry("a", 1, 10));
        log.insert(entry("a", 2, 30));
        log.insert(entry("b", 1, 20));
        log.expire(20);
        assert_eq!((log.find("a", 1), log.find("b", 1)), (None, None));
        assert_eq!(log.find("a", 2), Some(&entry("a", 2, 30)));
        log.expire(u64::MAX);
        assert!(log.is_empty() && log.by_client.is_empty());
        assert_eq!(log.octets, 0);
    }

    #[test]
    fn its_memory_is_bounded() {
        let mut log = ReplyLog::new(Limits { entries: 2, octets: 1 << 20 });
        log.insert(entry("a", 1, 10));
        assert!(log.has_room());
        log.insert(entry("a", 2, 10));
        assert!(!log.has_room());
        let mut log = ReplyLog::new(Limits { entries: 9, octets: 200 });
        log.insert(entry("a", 1, 10));
        log.insert(entry("a", 1, 10));
        assert_eq!((log.len(), log.has_room()), (1, true), "the same one counts once");
        log.insert(entry("a", 2, 10));
        assert!(!log.has_room());
    }

    #[test]
    fn it_travels_to_another_member() {
        let mut log = ReplyLog::default();
        (0..9).for_each(|number| log.insert(entry("a", number, 10 + number as u64)));
        let octets = log.to_octets().unwrap();
        let mut other = ReplyLog::default();
        other.insert(entry("old", 1, 99));
        assert!(other.replace(&octets[..octets.len() - 1]).is_err());
        assert_eq!(other.len(), 1);
        other.replace(&octets).unwrap();
        assert_eq!((other.len(), other.octets), (log.len(), log.octets));
        assert_eq!(other.find("a", 8), log.find("a", 8));
    }
}
