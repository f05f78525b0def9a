//! The search for offers that match (Trading Object Service 1.0, 2.2.3).

use super::Model;
use super::offer::{Offer, Target};
use super::table::{Flags, Row, Table};
use crate::constraint::{Constraint, Preference, Undefined, Value};
use std::sync::Arc;

/// What to search for.
#[derive(Debug)]
pub struct Search<'q> {
    /// The name of the service type, which exists.
    pub service_type: &'q str,
    /// The constraint, compiled against that type.
    pub constraint: &'q Constraint,
    /// The preference, compiled against that type.
    pub preference: &'q Preference,
    /// Whether offers of derived types do not count.
    pub exact_type: bool,
    /// Whether offers with properties that can be changed count.
    pub modifiable: bool,
    /// Whether offers with dynamic properties count.
    pub dynamic: bool,
    /// Whether proxy offers count.
    pub proxies: bool,
    /// How many offers to look at.
    pub search_card: u32,
    /// How many offers that match to return.
    pub match_card: u32,
}

/// What a search has found.
#[derive(Debug, Default)]
pub struct Matches {
    /// In the order in which they were exported.
    pub candidates: Vec<Candidate>,
    /// How many offers were looked at.
    pub searched: u32,
    /// Whether `search_card` ended the search.
    pub search_limited: bool,
    /// Whether `match_card` ended the search.
    pub match_limited: bool,
}

/// An offer that was found.
#[derive(Debug)]
pub struct Candidate {
    /// The offer.
    pub offer: Arc<Offer>,
    /// Whether constraint and preference can only be evaluated with dynamic properties. They are
    /// not evaluated then.
    pub is_open: bool,
    /// What the preference says of it.
    pub rank: Option<Value>,
}

impl Model {
    /// Searches the offers of this trader. Dynamic properties are not asked for.
    pub fn search(&self, search: &Search<'_>) -> Matches {
        let mut matches = Matches::default();
        let mut found = 0;
        let mut types = self.service_types.with_sub_types(search.service_type);
        if search.exact_type {
            types.truncate(1);
        }
        for service_type in types {
            let Some(table) = self.tables.get(&service_type.name) else { continue };
            if !search.table(table, &mut matches, &mut found) {
                break;
            }
        }
        matches
    }
}

impl Search<'_> {
    /// Searches a table. False if the search is over.
    fn table(&self, table: &Table, matches: &mut Matches, found: &mut u32) -> bool {
        let columns = |names: &[Box<str>]| -> Vec<Option<usize>> {
            names.iter().map(|name| table.service_type().column(name)).collect()
        };
        let of_constraint = columns(self.constraint.property_names());
        let of_preference = columns(self.preference.property_names());
        let excluded = Flags::GONE
            .with(Flags::DYNAMIC, !self.dynamic)
            .with(Flags::MODIFIABLE, !self.modifiable)
            .with(Flags::PROXY, !self.proxies);
        let mut look = |row| {
            let flags = table.flags(row);
            if flags.intersects(excluded) {
                return true;
            }
            if matches.searched == self.search_card {
                matches.search_limited = true;
                return false;
            }
            matches.searched += 1;
            let names = self.constraint.property_names();
            let seen = Row { table, row, columns: &of_constraint, names };
            let outcome = match flags.intersects(Flags::PROXY) && matches_all(table, row) {
                true => Ok(true),
                false => self.constraint.matches(&seen),
            };
            if outcome == Ok(false) {
                return true;
            }
            let is_match = outcome == Ok(true);
            if is_match && *found == self.match_card {
                matches.match_limited = true;
                return false;
            }
            *found += u32::from(is_match);
            let names = self.preference.property_names();
            let ranked = Row { table, row, columns: &of_preference, names };
            let candidate = self.candidate(table, row, is_match, &ranked);
            matches.candidates.extend(candidate);
            true
        };
        // A proxy offer may match what no index finds.
        let narrowed = match self.proxies && table.has_proxies() {
            true => None,
            false => table.narrowed(self.constraint.restrictions(), &of_constraint),
        };
        match narrowed {
            Some(rows) => rows.into_iter().all(&mut look),
            None => (0..table.row_count()).all(&mut look),
        }
    }

    fn candidate(
        &self,
        table: &Table,
        row: u32,
        is_match: bool,
        ranked: &Row<'_>,
    ) -> Option<Candidate> {
        let offer = table.offer(row)?.clone();
        let rank = match is_match {
            true => self.preference.rank(ranked),
            false => Err(Undefined::Dynamic(0)),
        };
        Some(Candidate { offer, is_open: rank.is_err(), rank: rank.ok().flatten() })
    }
}

/// Whether an offer is a proxy offer that matches every constraint.
fn matches_all(table: &Table, row: u32) -> bool {
    let target = table.offer(row).map(|offer| &offer.target);
    matches!(target, Some(Target::Proxy(proxy)) if proxy.matches_all)
}
