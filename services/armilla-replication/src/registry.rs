//! Where the latest view of each group is: a document for each.

use crate::documents::Documents;
use crate::model::{Failure, View};
use crate::reference::GroupName;

/// Where the latest view of each group is.
pub trait ViewRegistry: Send + Sync + 'static {
    /// The latest view of a group; `None` if there is none.
    ///
    /// # Errors
    /// The registry cannot be asked, or what it has is no view.
    fn read(&self, group: &GroupName) -> Result<Option<View>, Failure>;

    /// Puts `next` in the place of the view with version `before`, 0 for none. `false` if that is not
    /// the latest.
    ///
    /// # Errors
    /// It is not known whether it was done.
    fn replace(&self, group: &GroupName, before: u32, next: &View) -> Result<bool, Failure>;

    /// All groups, with their latest views.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    fn groups(&self) -> Result<Vec<(GroupName, View)>, Failure>;

    /// Forgets a group whose latest view has this version. `false` if it has another one.
    ///
    /// # Errors
    /// It is not known whether it was done.
    fn forget(&self, group: &GroupName, version: u32) -> Result<bool, Failure>;
}

fn key(group: &GroupName) -> String {
    format!("/{group}")
}

fn read_view(key: &str, octets: &[u8]) -> Result<View, Failure> {
    serde_json::from_slice(octets)
        .map_err(|error| Failure(format!("the key {key} is no view of a group: {error}")))
}

/// The latest view of a group, and the revision that made it; of none, an empty one.
fn find<D: Documents + ?Sized>(
    documents: &D,
    group: &GroupName,
) -> Result<(Option<View>, u64), Failure> {
    let key = key(group);
    let Some(found) = documents.find(&key)? else { return Ok((None, 0)) };
    Ok((Some(read_view(&key, &found.content)?), found.revision))
}

impl<D: Documents + ?Sized> ViewRegistry for D {
    fn read(&self, group: &GroupName) -> Result<Option<View>, Failure> {
        Ok(find(self, group)?.0)
    }

    fn replace(&self, group: &GroupName, before: u32, next: &View) -> Result<bool, Failure> {
        let (latest, revision) = find(self, group)?;
        if latest.map_or(0, |latest| latest.version) != before {
            return Ok(false);
        }
        let content = serde_json::to_vec(next).map_err(|error| Failure(error.to_string()))?;
        Ok(self.put(&key(group), revision, Some(&content))?.is_some())
    }

    fn groups(&self) -> Result<Vec<(GroupName, View)>, Failure> {
        let mut all = Vec::new();
        for (key, document) in self.find_all("/")? {
            if let Some(Ok(name)) = key.strip_prefix('/').map(str::parse) {
                all.push((name, read_view(&key, &document.content)?));
            }
        }
        Ok(all)
    }

    fn forget(&self, group: &GroupName, version: u32) -> Result<bool, Failure> {
        let (latest, revision) = find(self, group)?;
        let is_latest = latest.is_some_and(|latest| latest.version == version);
        Ok(is_latest && self.put(&key(group), revision, None)?.is_some())
    }
}
