//! What the managers know of a group: a document, which they share.

use super::settings::Settings;
use crate::documents::Documents;
use crate::model::Failure;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A member that a factory has made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// The reference to the member, as text.
    pub object: String,
    /// The reference to its factory, as text.
    pub factory: String,
    /// `FT::GenericFactory::FactoryCreationId`, encoded, in base 64.
    pub creation: String,
}

/// A manager makes a member at this location.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// The location.
    pub location: String,
    /// The manager.
    pub manager: String,
    /// What is wanted of this member besides: `FT::Criteria`, encoded, in base 64.
    #[serde(default)]
    pub criteria: String,
}

/// What the managers know of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupRecord {
    /// The number of the group in the domain.
    pub number: u64,
    /// The repository id of the interface of its members.
    pub type_id: String,
    /// Its properties, of all levels.
    pub settings: Settings,
    /// What the creator wants of members: `FT::Criteria`, encoded, in base 64.
    #[serde(default)]
    pub criteria: String,
    /// The request that has asked for it: client and retention id.
    #[serde(default)]
    pub request: Option<(String, i32)>,
    /// Whether it has had its initial number of members.
    #[serde(default)]
    pub is_complete: bool,
    /// Whether it is to go.
    #[serde(default)]
    pub is_deleted: bool,
    /// Who has been made, by location.
    #[serde(default)]
    pub made: BTreeMap<String, Made>,
    /// What is being made.
    #[serde(default)]
    pub pending: Option<Pending>,
}

/// Reads a document.
pub(crate) fn parse<T: for<'d> Deserialize<'d>>(key: &str, octets: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(octets)
        .map_err(|error| Failure(format!("the key {key} is not what a manager writes: {error}")))
}

/// What a manager reads and writes: documents of its domain.
pub(crate) struct Shelf<'d> {
    pub(crate) documents: &'d dyn Documents,
    pub(crate) domain: &'d str,
}

impl Shelf<'_> {
    /// The key of a document of the domain, which no view of a group has.
    pub(crate) fn key(&self, what: &str) -> String {
        format!("-manager/{}/{what}", self.domain)
    }

    fn of_group(&self, number: u64) -> String {
        self.key(&format!("groups/{number:020}"))
    }

    /// A document as a value, and its revision; 0 for none.
    pub(crate) fn read<T: for<'v> Deserialize<'v>>(
        &self,
        what: &str,
    ) -> Result<(Option<T>, u64), Failure> {
        let key = self.key(what);
        let Some(found) = self.documents.find(&key)? else { return Ok((None, 0)) };
        Ok((Some(parse(&key, &found.content)?), found.revision))
    }

    /// Changes a document until nobody has changed it meanwhile. `None` from `change` removes it.
    pub(crate) fn change<T: Serialize + for<'v> Deserialize<'v>>(
        &self,
        what: &str,
        mut change: impl FnMut(Option<T>) -> Option<T>,
    ) -> Result<(), Failure> {
        loop {
            let (before, revision) = self.read(what)?;
            let after = change(before).map(|value| serde_json::to_vec(&value)).transpose();
            let after = after.map_err(|error| Failure(error.to_string()))?;
            if after.is_none() && revision == 0 {
                return Ok(());
            }
            if self.documents.put(&self.key(what), revision, after.as_deref())?.is_some() {
                return Ok(());
            }
        }
    }

    /// A number that nobody else has got or gets.
    pub(crate) fn number(&self, what: &str, first: u64) -> Result<u64, Failure> {
        let mut number = first;
        self.change(what, |last: Option<u64>| {
            number = last.map_or(first, |last| last + 1);
            Some(number)
        })?;
        Ok(number)
    }

    /// What is known of a group, and the revision of that.
    pub(crate) fn group(&self, number: u64) -> Result<Option<(GroupRecord, u64)>, Failure> {
        let key = self.of_group(number);
        let Some(found) = self.documents.find(&key)? else { return Ok(None) };
        Ok(Some((parse(&key, &found.content)?, found.revision)))
    }

    /// All groups.
    pub(crate) fn groups(&self) -> Result<Vec<(GroupRecord, u64)>, Failure> {
        let all = self.documents.find_all(&self.key("groups/"))?;
        let read = |(key, found): &(String, crate::Document)| {
            Ok((parse(key, &found.content)?, found.revision))
        };
        all.iter().map(read).collect()
    }

    /// Writes what is known of a group in the place of this revision. Returns the revision of that;
    /// `None` if somebody else was first.
    pub(crate) fn write(&self, record: &GroupRecord, before: u64) -> Result<Option<u64>, Failure> {
        let content = serde_json::to_vec(record).map_err(|error| Failure(error.to_string()))?;
        self.documents.put(&self.of_group(record.number), before, Some(&content))
    }

    /// Forgets a group.
    pub(crate) fn forget(&self, number: u64, before: u64) -> Result<Option<u64>, Failure> {
        self.documents.put(&self.of_group(number), before, None)
    }
}
