//! The file of a store: a table of channels by their names, and one of clients by the name of the
//! channel and their proxy, both as JSON.

use super::{KeptChannel, KeptChannels, Saved};
use crate::kept::Kept;
use armilla_store::{
    EngineError, File, Format, ReadableTable, Recovered, Salvage, StoreError, TableDefinition,
    Transaction, WriteCheck,
};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

const CHANNELS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("channels");
const CLIENTS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("clients");

/// What separates the proxy of a client from the name of its channel in a key. A proxy's id does not
/// contain it.
const SEPARATOR: char = '\n';

static FORMAT: Format = Format {
    file: "events.redb",
    version: 1,
    service: "event service",
    otherwise: "save what can be saved with `armilla events recover`",
    cache: 4 << 20,
    make: |transaction| {
        transaction.open_table(CHANNELS)?;
        transaction.open_table(CLIENTS)?;
        Ok(())
    },
};

#[derive(Debug)]
pub(super) struct Disk(File, WriteCheck);

fn key(channel: &str, proxy: &str) -> String {
    format!("{channel}{SEPARATOR}{proxy}")
}

/// The name of the channel in the key of a client.
fn channel_of(key: &str) -> Option<&str> {
    key.rsplit_once(SEPARATOR).map(|(channel, _)| channel)
}

fn read_client(key: &str, text: &[u8]) -> Result<Kept, String> {
    let kept: Kept = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    match key.rsplit_once(SEPARATOR) {
        Some((_, proxy)) if proxy == kept.proxy => Ok(kept),
        _ => Err(format!("it is that of the proxy {:?}", kept.proxy)),
    }
}

impl Disk {
    /// Opens or makes the file.
    pub(super) fn open(directory: &Path) -> Result<Self, StoreError> {
        let opened = File::open(directory, &FORMAT, |_| Ok(()));
        opened.map(|(file, ())| Self(file, WriteCheck::new(directory)))
    }

    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.1.check(|| self.0.write(|_| Ok(())))
    }

    pub(super) fn load(&self) -> Result<KeptChannels, StoreError> {
        let mut kept = KeptChannels::new();
        self.0.rows(CHANNELS, |name, text| {
            let channel = serde_json::from_slice(text).map_err(|error| error.to_string())?;
            kept.insert(name.to_owned(), (channel, Vec::new()));
            Ok(())
        })?;
        self.0.rows(CLIENTS, |key, text| {
            let client = read_client(key, text)?;
            let channel = channel_of(key).and_then(|channel| kept.get_mut(channel));
            channel.ok_or("there is no such channel")?.1.push(client);
            Ok(())
        })?;
        Ok(kept)
    }

    pub(super) fn put_channel(&self, name: &str, channel: &KeptChannel) -> Result<(), StoreError> {
        let octets = self.encode(channel)?;
        self.0.write(|transaction| {
            transaction.open_table(CHANNELS)?.insert(name, octets.as_slice())?;
            Ok(())
        })
    }

    pub(super) fn remove_channel(&self, name: &str) -> Result<(), StoreError> {
        self.0.write(|transaction| {
            transaction.open_table(CHANNELS)?.remove(name)?;
            remove_clients(transaction, name)
        })
    }

    pub(super) fn put_client(&self, channel: &str, client: &Kept) -> Result<(), StoreError> {
        let (key, octets) = (key(channel, &client.proxy), self.encode(client)?);
        self.0.write(|transaction| {
            transaction.open_table(CLIENTS)?.insert(key.as_str(), octets.as_slice())?;
            Ok(())
        })
    }

    pub(super) fn remove_client(&self, channel: &str, proxy: &str) -> Result<(), StoreError> {
        let key = key(channel, proxy);
        self.0.write(|transaction| {
            transaction.open_table(CLIENTS)?.remove(key.as_str())?;
            Ok(())
        })
    }

    fn encode(&self, value: &impl Serialize) -> Result<Vec<u8>, StoreError> {
        let failed = |error| StoreError::new(self.0.path(), format!("cannot be written: {error}"));
        serde_json::to_vec(value).map_err(failed)
    }
}

fn remove_clients(transaction: &Transaction, channel: &str) -> Result<(), EngineError> {
    let mut table = transaction.open_table(CLIENTS)?;
    let first = key(channel, "");
    let mut keys = Vec::new();
    for row in table.range(first.as_str()..)? {
        let key = row?.0.value().to_owned();
        if !key.starts_with(&first) {
            break;
        }
        if channel_of(&key) == Some(channel) {
            keys.push(key);
        }
    }
    for key in keys {
        table.remove(key.as_str())?;
    }
    Ok(())
}

/// Saves what can be saved of a damaged file, into a new one in its place unless it is a `trial`.
pub(super) fn recover(directory: &Path, is_trial: bool) -> Result<Recovered<Saved>, StoreError> {
    let salvage = Salvage::open(directory, &FORMAT)?;
    let mut rows: [BTreeMap<String, Vec<u8>>; 2] = Default::default();
    let [channels, clients] = &mut rows;
    salvage.rows(CHANNELS, |name, text| {
        serde_json::from_slice::<KeptChannel>(text).map_err(|error| error.to_string())?;
        channels.insert(name.to_owned(), text.to_owned());
        Ok(())
    })?;
    salvage.rows(CLIENTS, |key, text| {
        read_client(key, text)?;
        clients.insert(key.to_owned(), text.to_owned());
        Ok(())
    })?;
    let mut losses = Vec::new();
    clients.retain(|key, _| {
        let channel = channel_of(key).unwrap_or_default();
        let is_known = channels.contains_key(channel);
        if !is_known {
            losses.push(format!("a client of the channel {channel:?}, which is lost"));
        }
        is_known
    });
    let saved = Saved { channels: channels.keys().cloned().collect(), clients: clients.len() };
    let fill = |file: &File| {
        file.write(|transaction| {
            for (definition, rows) in [CHANNELS, CLIENTS].into_iter().zip(&rows) {
                let mut table = transaction.open_table(definition)?;
                for (name, text) in rows {
                    table.insert(name.as_str(), text.as_slice())?;
                }
            }
            Ok(())
        })
    };
    salvage.recover(&FORMAT, is_trial, (saved, losses), fill)
}
