//! Which items a server has.

use super::connection::Connection;
use super::enumerating::is_end;
use super::error::Error;
use crate::wire::browse::{
    BRANCHES, BROWSE, BrowseIn, BrowseItemIds, ChangeBrowsePosition, DOWN, FLAT, GetItemId,
    HIERARCHICAL, LEAVES, NameIn, PositionIn, QueryOrganization, TO, UP,
};
use crate::wire::elements;
use crate::wire::enumerators::{CountIn, NextStrings};
use crate::wire::properties::{
    AvailableIn, GetItemProperties, PROPERTIES, PropertiesIn, QueryAvailableProperties,
};
use armilla_dcerpc::Status;
use armilla_dcerpc::ndr::WideString;
use armilla_dcom::automation::Variant;
use armilla_dcom::client::Proxy;

/// How many names are asked for at once.
const BATCH: u32 = 100;
/// How many names a browse gives at most: a server whose tree has no end is left early.
const MOST_NAMES: usize = 1_000_000;
/// How deep a tree is followed.
const MOST_LEVELS: usize = 64;

/// What a browse finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A branch, by its names from the root.
    Branch(Vec<String>),
    /// An item, by its whole name.
    Item(String),
}

impl Connection {
    /// What is in a branch, which its names from the root lead to; with `deep` in all that is below it,
    /// too.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn browse(&self, branch: &[String], deep: bool) -> Result<Vec<Entry>, Error> {
        let browser = self.interface(BROWSE.uuid)?;
        let mut found = Vec::new();
        if browser.call::<QueryOrganization>(&())?.organization != HIERARCHICAL {
            found.extend(names(&browser, FLAT)?.into_iter().map(Entry::Item));
            return Ok(found);
        }
        to_root(&browser)?;
        for name in branch {
            step(&browser, DOWN, name)?;
        }
        walk(&browser, &mut branch.to_vec(), deep, &mut found)?;
        Ok(found)
    }

    /// What is known of an item: what each property is, and its value.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn properties(&self, id: &str) -> Result<Vec<(String, Variant)>, Error> {
        let interface = self.interface(PROPERTIES.uuid)?;
        let known = interface.call::<QueryAvailableProperties>(&AvailableIn { id: id.into() })?;
        let properties = elements(known.properties);
        let texts = elements(known.descriptions);
        let texts = texts.iter().map(|it| it.get().map(WideString::to_text).unwrap_or_default());
        let (id, count) = (id.into(), properties.len() as u32);
        let given = PropertiesIn { id, count, properties: properties.into() };
        let found = interface.call::<GetItemProperties>(&given)?;
        let (values, errors) = (elements(found.values), elements(found.errors));
        let there = texts.zip(values).zip(errors).filter(|(_, error)| *error == 0);
        Ok(there.map(|((text, value), _)| (text, value.into_variant())).collect())
    }
}

fn step(browser: &Proxy, direction: u16, name: &str) -> Result<(), Error> {
    Ok(browser.call::<ChangeBrowsePosition>(&PositionIn { direction, name: name.into() })?)
}

fn to_root(browser: &Proxy) -> Result<(), Error> {
    if step(browser, TO, "").is_ok() {
        return Ok(());
    }
    // Servers of Data Access 1 know only one step at a time; above the root there is none.
    for _ in 0..MOST_LEVELS {
        let up = PositionIn { direction: UP, name: "".into() };
        if browser.call_with_status::<ChangeBrowsePosition>(&up)?.1 != Status::OK {
            break;
        }
    }
    Ok(())
}

/// Browses the branch where the browser stands, and comes back there.
fn walk(
    browser: &Proxy,
    branch: &mut Vec<String>,
    deep: bool,
    found: &mut Vec<Entry>,
) -> Result<(), Error> {
    for name in names(browser, LEAVES)? {
        let id = browser.call::<GetItemId>(&NameIn { name: WideString::from(&*name) })?.id;
        found.push(Entry::Item(id.get().map_or(name, WideString::to_text)));
    }
    for name in names(browser, BRANCHES)? {
        if found.len() >= MOST_NAMES || branch.len() >= MOST_LEVELS {
            let what = "the server has more than a million names, or more than 64 levels";
            return Err(Error::Server(what.to_string()));
        }
        branch.push(name.clone());
        found.push(Entry::Branch(branch.clone()));
        if deep {
            step(browser, DOWN, &name)?;
            walk(browser, branch, deep, found)?;
            step(browser, UP, "")?;
        }
        branch.pop();
    }
    Ok(())
}

/// The names where the browser stands.
fn names(browser: &Proxy, kind: u16) -> Result<Vec<String>, Error> {
    let given = BrowseIn { kind, filter: "".into(), data_type: 0, rights: 0 };
    let found = browser.call::<BrowseItemIds>(&given)?;
    let Some(strings) = browser.pointer(&found.pointer)? else { return Ok(Vec::new()) };
    let mut names = Vec::new();
    loop {
        let (next, status) = strings.call_with_status::<NextStrings>(&CountIn { count: BATCH })?;
        let end = is_end(status, next.elements.values.len(), BATCH)?;
        names
            .extend(next.elements.values.iter().filter_map(|it| it.get()).map(WideString::to_text));
        if end {
            return Ok(names);
        }
        if names.len() >= MOST_NAMES {
            let what = "the server names more than a million items in one branch";
            return Err(Error::Server(what.to_string()));
        }
    }
}
