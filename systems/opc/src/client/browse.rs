//! Which items a server has.

use super::connection::Connection;
use super::enumerating::is_end;
use super::error::Error;
use crate::data_access::iopc_browse_server_address_space::{
    self as browse, ChangeBrowsePosition, ChangeBrowsePositionIn,
};
use crate::data_access::{
    BrowseType, Direction, IEnumStringProxy, IopcBrowseServerAddressSpaceProxy as Browser,
    IopcItemPropertiesProxy, Organization, iopc_item_properties,
};
use armilla_dcerpc::Status;
use armilla_dcom::automation::Variant;

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
        let browser = Browser(self.interface(browse::IID)?);
        let mut found = Vec::new();
        if browser.query_organization()? != Organization::HIERARCHICAL {
            found.extend(names(&browser, BrowseType::FLAT)?.into_iter().map(Entry::Item));
            return Ok(found);
        }
        to_root(&browser)?;
        for name in branch {
            browser.change_browse_position(Direction::DOWN, name.clone()).map_err(|error| {
                let no_branch = |status| Error::NoBranch(name.clone(), status);
                error.status().map_or_else(|| Error::Dcom(error), no_branch)
            })?;
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
        let interface = IopcItemPropertiesProxy(self.interface(iopc_item_properties::IID)?);
        let (_, properties, texts, _) = interface.query_available_properties(id.to_owned())?;
        let count = properties.len() as u32;
        let (_, values, errors) =
            interface.get_item_properties(id.to_owned(), count, properties)?;
        let texts = texts.into_iter().map(Option::unwrap_or_default);
        let there = texts.zip(values).zip(errors).filter(|(_, error)| *error == 0);
        Ok(there.map(|(property, _)| property).collect())
    }
}

fn step(browser: &Browser, direction: Direction, name: &str) -> Result<(), Error> {
    Ok(browser.change_browse_position(direction, name.to_owned())?)
}

fn to_root(browser: &Browser) -> Result<(), Error> {
    if step(browser, Direction::TO, "").is_ok() {
        return Ok(());
    }
    // Servers of Data Access 1 know only one step at a time; above the root there is none.
    for _ in 0..MOST_LEVELS {
        let up = ChangeBrowsePositionIn { direction: Direction::UP, name: "".into() };
        if browser.0.call_with_status::<ChangeBrowsePosition>(&up)?.1 != Status::OK {
            break;
        }
    }
    Ok(())
}

/// Browses the branch where the browser stands, and comes back there.
fn walk(
    browser: &Browser,
    branch: &mut Vec<String>,
    deep: bool,
    found: &mut Vec<Entry>,
) -> Result<(), Error> {
    for name in names(browser, BrowseType::LEAVES)? {
        let id = browser.get_item_id(name.clone())?;
        found.push(Entry::Item(id.unwrap_or(name)));
    }
    for name in names(browser, BrowseType::BRANCHES)? {
        if found.len() >= MOST_NAMES || branch.len() >= MOST_LEVELS {
            let what = "the server has more than a million names, or more than 64 levels";
            return Err(Error::Server(what.to_string()));
        }
        branch.push(name.clone());
        found.push(Entry::Branch(branch.clone()));
        if deep {
            step(browser, Direction::DOWN, &name)?;
            walk(browser, branch, deep, found)?;
            step(browser, Direction::UP, "")?;
        }
        branch.pop();
    }
    Ok(())
}

/// The names where the browser stands.
fn names(browser: &Browser, kind: BrowseType) -> Result<Vec<String>, Error> {
    let (_, found) = browser.browse_item_ids(kind, String::new(), 0, 0)?;
    let Some(strings) = browser.0.pointer(&found.into())? else { return Ok(Vec::new()) };
    let strings = IEnumStringProxy(strings);
    let mut names = Vec::new();
    loop {
        let (status, next, _) = strings.next(BATCH)?;
        let end = is_end(status, next.len(), BATCH);
        names.extend(next.into_iter().flatten());
        if end {
            return Ok(names);
        }
        if names.len() >= MOST_NAMES {
            let what = "the server names more than a million items in one branch";
            return Err(Error::Server(what.to_string()));
        }
    }
}
