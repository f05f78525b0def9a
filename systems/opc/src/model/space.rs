//! The items of a server, as a tree: `Tank1.Inlet.Position` is in the branch `Tank1.Inlet`.

use armilla_dcom::automation::Variant;
use std::collections::{BTreeMap, BTreeSet};

/// What separates the parts of a name.
const SEPARATOR: char = '.';

/// An item.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The whole name.
    pub id: String,
    /// The value that it begins with, which has the type that it keeps.
    pub initial: Variant,
    /// Whether clients may write it.
    pub writable: bool,
    /// What it is.
    pub description: &'static str,
    /// In what it is measured; empty for what is not.
    pub unit: &'static str,
    /// The lowest and the highest value of something that is measured. Dead bands are parts of it.
    pub range: Option<(f64, f64)>,
}

impl Item {
    /// Its access rights, as OPC has them.
    pub fn rights(&self) -> u32 {
        if self.writable { 3 } else { 1 }
    }

    /// The type of its values.
    pub fn vt(&self) -> u16 {
        self.initial.vt()
    }
}

/// All items. An item is named by its number as well.
#[derive(Debug, Default)]
pub struct Space {
    items: Vec<Item>,
    by_id: BTreeMap<String, usize>,
}

/// What of a branch is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The branches in it.
    Branches,
    /// The items in it.
    Leaves,
    /// The items at all depths.
    Flat,
}

/// A place in the tree: a name, empty for the root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Branch(String);

impl Space {
    /// Adds an item; returns its number. The name must be new.
    pub(super) fn add(&mut self, item: Item) -> usize {
        let number = self.items.len();
        self.by_id.insert(item.id.clone(), number);
        self.items.push(item);
        number
    }

    /// All items, each at its number.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The number of an item.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    fn within<'a>(&'a self, branch: &'a Branch) -> impl Iterator<Item = (&'a str, &'a Item)> {
        let from = branch.prefix();
        let named = self.by_id.range(from.clone()..);
        named
            .take_while(move |(id, _)| id.starts_with(&from))
            .map(|(id, number)| (&id[branch.prefix().len()..], &self.items[*number]))
    }

    fn exists(&self, branch: &Branch) -> bool {
        branch.0.is_empty() || self.within(branch).next().is_some()
    }

    /// The branch below; `None` if there is none of that name.
    pub fn down(&self, branch: &Branch, name: &str) -> Option<Branch> {
        let below = Branch(format!("{}{name}", branch.prefix()));
        (!name.is_empty() && self.exists(&below)).then_some(below)
    }

    /// The branch of a whole name; `None` if there is none.
    pub fn to(&self, name: &str) -> Option<Branch> {
        let branch = Branch(name.to_string());
        self.exists(&branch).then_some(branch)
    }

    /// The whole name of what a browse at a branch has named: an item, or a branch.
    pub fn whole_name(&self, branch: &Branch, name: &str) -> Option<String> {
        let whole = format!("{}{name}", branch.prefix());
        let known = self.by_id.contains_key(&whole) || self.exists(&Branch(whole.clone()));
        known.then_some(whole)
    }

    /// The names in a branch that a pattern fits, of items for which `wanted` holds: those of
    /// branches and items in it alone, those of all depths whole.
    pub fn browse(
        &self,
        branch: &Branch,
        kind: Kind,
        pattern: &str,
        wanted: impl Fn(&Item) -> bool,
    ) -> Vec<String> {
        let mut names = BTreeSet::new();
        for (rest, item) in self.within(branch) {
            let name = match (kind, rest.split_once(SEPARATOR)) {
                (Kind::Branches, Some((first, _))) => first,
                (Kind::Leaves, None) if wanted(item) => rest,
                (Kind::Flat, _) if wanted(item) => &*item.id,
                _ => continue,
            };
            if pattern.is_empty() || fits(pattern.as_bytes(), name.as_bytes()) {
                names.insert(name.to_string());
            }
        }
        names.into_iter().collect()
    }
}

impl Branch {
    fn prefix(&self) -> String {
        match self.0.is_empty() {
            true => String::new(),
            false => format!("{}{SEPARATOR}", self.0),
        }
    }

    /// The branch above; `None` for the root.
    pub fn up(&self) -> Option<Self> {
        match (self.0.is_empty(), self.0.rsplit_once(SEPARATOR)) {
            (true, _) => None,
            (false, Some((above, _))) => Some(Self(above.to_string())),
            (false, None) => Some(Self::default()),
        }
    }
}

/// Whether a name fits a pattern with `*` and `?`, whatever its case. Linear in pattern and name for
/// each star, of which only the last one is ever tried again.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut place) = (0, 0);
    let mut star = None;
    while place < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, place));
                at += 1;
            }
            Some(octet) if *octet == b'?' || octet.eq_ignore_ascii_case(&name[place]) => {
                (at, place) = (at + 1, place + 1);
            }
            _ => match star {
                Some((last, taken)) => {
                    star = Some((last, taken + 1));
                    (at, place) = (last + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|octet| *octet == b'*')
}
