//! What outlives a service of channels: the channels, and who is connected to them.

#[cfg(feature = "disk")]
mod disk;

pub use armilla_store::{Recovered, StoreError};

use crate::kept::Kept;
use std::collections::BTreeMap;
#[cfg(feature = "disk")]
use std::path::Path;

/// A channel as it is kept: its name in the service, what it was made from, and the name by which
/// it was asked for, if that is another one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "disk", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct KeptChannel {
    pub(crate) queue_length: u32,
    pub(crate) queue_octets: u64,
    pub(crate) consumers: u32,
    pub(crate) suppliers: u32,
    pub(crate) consumers_may_block: bool,
}

/// The channels of a store, each with its clients.
pub(crate) type KeptChannels = BTreeMap<String, (KeptChannel, Vec<Kept>)>;

/// Keeps the channels of a service and their clients, in memory or on the disk.
#[derive(Debug)]
pub struct Store(Kind);

#[derive(Debug)]
enum Kind {
    Memory,
    #[cfg(feature = "disk")]
    Disk(Box<disk::Disk>),
}

/// What was saved of a damaged store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg(feature = "disk")]
pub struct Saved {
    /// The channels that were saved, in the order of their names.
    pub channels: Vec<String>,
    /// How many clients of them were saved.
    pub clients: usize,
}

#[cfg(feature = "disk")]
impl std::fmt::Display for Saved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { channels, clients } = self;
        write!(f, "{} channels and {clients} clients: {}", channels.len(), channels.join(", "))
    }
}

// Without the disk nothing is kept.
#[cfg_attr(not(feature = "disk"), allow(unused_variables))]
#[cfg_attr(not(feature = "server"), allow(dead_code))]
impl Store {
    /// Keeps nothing: a service that is started again has no channels.
    pub const fn in_memory() -> Self {
        Self(Kind::Memory)
    }

    /// The store in `directory`, in the file `events.redb`. Directory and file are created if they
    /// are missing. Only one process at a time can open them.
    ///
    /// # Errors
    /// The directory cannot be created, the file cannot be read or written, another process has it
    /// open, or it is damaged.
    #[cfg(feature = "disk")]
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, StoreError> {
        Ok(Self(Kind::Disk(Box::new(disk::Disk::open(directory.as_ref())?))))
    }

    /// Saves what can be saved of the damaged store in `directory`: into a new file in its place,
    /// beside which the damaged one is kept; as a `trial` it only says what that would be.
    ///
    /// # Errors
    /// There is no file, another process has it open, nothing of it is left, or the new one cannot
    /// be written.
    #[cfg(feature = "disk")]
    pub fn recover(
        directory: impl AsRef<Path>,
        is_trial: bool,
    ) -> Result<Recovered<Saved>, StoreError> {
        disk::recover(directory.as_ref(), is_trial)
    }

    /// Whether it can be written.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        match &self.0 {
            Kind::Memory => Ok(()),
            #[cfg(feature = "disk")]
            Kind::Disk(disk) => disk.check(),
        }
    }

    /// All channels.
    pub(crate) fn load(&self) -> Result<KeptChannels, StoreError> {
        match &self.0 {
            Kind::Memory => Ok(BTreeMap::new()),
            #[cfg(feature = "disk")]
            Kind::Disk(disk) => disk.load(),
        }
    }

    /// Keeps a channel. It is on the disk when this returns.
    pub(crate) fn put_channel(&self, name: &str, channel: &KeptChannel) -> Result<(), StoreError> {
        match &self.0 {
            Kind::Memory => Ok(()),
            #[cfg(feature = "disk")]
            Kind::Disk(disk) => disk.put_channel(name, channel),
        }
    }

    /// Forgets a channel with its clients.
    pub(crate) fn remove_channel(&self, name: &str) -> Result<(), StoreError> {
        match &self.0 {
            Kind::Memory => Ok(()),
            #[cfg(feature = "disk")]
            Kind::Disk(disk) => disk.remove_channel(name),
        }
    }

    /// Keeps a client of a channel.
    pub(crate) fn put_client(&self, channel: &str, client: &Kept) -> Result<(), StoreError> {
        match &self.0 {
            Kind::Memory => Ok(()),
            #[cfg(feature = "disk")]
            Kind::Disk(disk) => disk.put_client(channel, client),
        }
    }

    /// Forgets the client of a proxy.
    pub(crate) fn remove_client(&self, channel: &str, proxy: &str) -> Result<(), StoreError> {
        match &self.0 {
            Kind::Memory => Ok(()),
            #[cfg(feature = "disk")]
            Kind::Disk(disk) => disk.remove_client(channel, proxy),
        }
    }
}

#[cfg(all(test, feature = "disk"))]
mod tests {
    use super::*;
    use crate::kept::Client;
    use armilla_store::faults::{Trial, try_every_failure};
    use std::collections::BTreeSet;
    use std::fs;

    fn client(number: u32) -> Kept {
        let reference = format!("IOR:{number:08}{}", "00".repeat(200));
        let proxy = format!("p-{number}");
        Kept { proxy, client: Client::PlainPushConsumer, reference, qos: vec![7; 3] }
    }

    /// A channel with a client for each change.
    struct Clients {
        store: Store,
        known: BTreeSet<u32>,
    }

    impl Trial for Clients {
        fn open(directory: &Path) -> Result<Self, String> {
            let store = Store::open(directory).map_err(|error| error.to_string())?;
            let kept = store.load().map_err(|error| error.to_string())?;
            let clients = kept.values().flat_map(|(_, clients)| clients);
            let known = clients.map(|kept| kept.proxy.strip_prefix("p-").unwrap().parse().unwrap());
            Ok(Self { known: known.collect(), store })
        }

        fn change(&mut self, number: u32) -> Result<(), String> {
            let put = self.store.put_channel("c", &KeptChannel::default());
            let put = put.and_then(|()| self.store.put_client("c", &client(number)));
            put.map_err(|error| error.to_string())?;
            self.known.insert(number);
            Ok(())
        }

        fn changes(&self) -> BTreeSet<u32> {
            self.known.clone()
        }
    }

    #[test]
    fn whatever_fails_nothing_acknowledged_is_lost() {
        let failures = try_every_failure::<Clients>("events");
        assert!(failures > 50, "{failures}");
    }

    #[test]
    fn a_channel_goes_with_its_clients_and_no_others() {
        let directory = std::env::temp_dir().join(format!("events-store-{}", std::process::id()));
        let store = Store::open(&directory).unwrap();
        for name in ["a", "a\u{0}b", "b"] {
            store.put_channel(name, &KeptChannel::default()).unwrap();
            store.put_client(name, &client(1)).unwrap();
            store.put_client(name, &client(2)).unwrap();
        }
        store.remove_channel("a").unwrap();
        store.remove_client("b", "p-1").unwrap();
        drop(store);
        let kept = Store::open(&directory).unwrap().load().unwrap();
        let counts: Vec<_> = kept.iter().map(|(name, it)| (&**name, it.1.len())).collect();
        assert_eq!(counts, [("a\u{0}b", 2), ("b", 1)]);
        assert_eq!(kept["b"].1, [client(2)]);
        fs::remove_dir_all(directory).unwrap();
    }

    /// Whatever page an octet is flipped in, the store opens with all it had, or says that it is
    /// damaged, and then what is in other pages is saved.
    #[test]
    fn an_octet_that_flips_in_any_page_costs_a_page_at_most() {
        let directory = std::env::temp_dir().join(format!("events-flip-{}", std::process::id()));
        fs::remove_dir_all(&directory).ok();
        let (channels, clients) = (20, 10);
        let store = Store::open(&directory).unwrap();
        for number in 0..channels {
            let name = format!("channel-{number:02}");
            store.put_channel(&name, &KeptChannel::default()).unwrap();
            (0..clients).for_each(|number| store.put_client(&name, &client(number)).unwrap());
        }
        drop(store);
        let path = directory.join("events.redb");
        let whole = fs::read(&path).unwrap();
        let count = |kept: &KeptChannels| kept.values().map(|(_, it)| it.len()).sum::<usize>();
        let all = (channels * clients) as usize;
        let (mut damaged, mut least) = (0, usize::MAX);
        for page in 0..whole.len() / 4096 {
            // In each page somewhere else.
            let at = page * 4096 + (page * 1031 + 17) % 4096;
            let mut octets = whole.clone();
            octets[at] ^= 0x10;
            fs::write(&path, &octets).unwrap();
            let loaded = Store::open(&directory).and_then(|store| store.load());
            if let Ok(kept) = &loaded {
                // The last change may be dropped, as after a crash.
                assert!(count(kept) + 1 >= all, "octet {at}");
                continue;
            }
            damaged += 1;
            let why = loaded.map(drop).unwrap_err().to_string();
            assert!(why.contains("events recover") && why.contains("events.redb"), "{at}: {why}");
            fs::write(&path, &octets).unwrap();
            let saved = Store::recover(&directory, false).unwrap();
            assert_eq!(fs::read(saved.kept.as_ref().unwrap()).unwrap(), octets);
            fs::remove_file(saved.kept.unwrap()).unwrap();
            let (losses, saved) = (saved.losses, saved.saved);
            assert!(saved.clients == all || !losses.is_empty(), "octet {at}");
            least = least.min(saved.clients);
            let kept = Store::open(&directory).and_then(|store| store.load()).unwrap();
            assert_eq!((kept.len(), count(&kept)), (saved.channels.len(), saved.clients));
        }
        println!("{damaged} of {} pages matter, {least} of {all} saved", whole.len() / 4096);
        assert!(damaged > 0 && least > all / 2, "{damaged} {least}");
        fs::remove_dir_all(directory).unwrap();
    }
}
