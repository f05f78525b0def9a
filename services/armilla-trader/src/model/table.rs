//! The offers of one service type, in columns: a query reads the columns that its constraint
//! names, and nothing else of the offers that do not match.

use super::index::Index;
use super::offer::{Offer, Target};
use super::property::{is_dynamic, value};
use super::service_types::{ServiceType, is_readonly};
use crate::constraint::{Found, Properties, Restriction, Value};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// What a row has that a query may exclude. A row without an offer has no flags but `GONE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Flags(u8);

impl Flags {
    pub(super) const GONE: Self = Self(1);
    pub(super) const DYNAMIC: Self = Self(2);
    pub(super) const MODIFIABLE: Self = Self(4);
    pub(super) const PROXY: Self = Self(8);

    pub(super) const fn with(self, other: Self, is_set: bool) -> Self {
        Self(if is_set { self.0 | other.0 } else { self.0 })
    }

    pub(super) const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// The offers of one service type.
#[derive(Debug)]
pub(super) struct Table {
    service_type: Arc<ServiceType>,
    /// In the order in which the offers came.
    rows: Vec<Option<Arc<Offer>>>,
    flags: Vec<Flags>,
    /// The rows of offers that were removed: one that comes back, because that was undone, has its place
    /// in the order.
    gone: HashMap<u64, u32>,
    /// One for each property of the service type.
    columns: Vec<Column>,
    /// How many rows have an offer.
    count: usize,
    /// How many of these are proxy offers.
    proxies: usize,
}

#[derive(Debug, Default)]
struct Column {
    values: Vec<Cell>,
    index: Index,
    /// The rows whose value has to be asked for.
    dynamic: BTreeSet<u32>,
}

#[derive(Debug)]
enum Cell {
    Absent,
    Dynamic,
    Value(Value),
}

/// A table with this many rows is compacted when half of them are empty.
const MIN_COMPACTED: usize = 1024;

impl Table {
    pub(super) fn new(service_type: Arc<ServiceType>) -> Self {
        let columns = service_type.properties.iter().map(|_| Column::default()).collect();
        let (rows, flags, gone) = Default::default();
        Self { service_type, rows, flags, gone, columns, count: 0, proxies: 0 }
    }

    pub(super) fn service_type(&self) -> &Arc<ServiceType> {
        &self.service_type
    }

    /// Takes on a type of the same name with the same properties.
    pub(super) fn set_service_type(&mut self, service_type: Arc<ServiceType>) {
        self.service_type = service_type;
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn has_proxies(&self) -> bool {
        self.proxies > 0
    }

    /// How many rows there are, with empty ones.
    pub(super) fn row_count(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn flags(&self, row: u32) -> Flags {
        self.flags.get(row as usize).copied().unwrap_or(Flags::GONE)
    }

    pub(super) fn offer(&self, row: u32) -> Option<&Arc<Offer>> {
        self.rows.get(row as usize)?.as_ref()
    }

    /// Adds an offer, and returns its row.
    pub(super) fn insert(&mut self, offer: Arc<Offer>) -> u32 {
        let row = self.gone.remove(&offer.number).unwrap_or_else(|| self.add_row());
        self.fill(row, offer);
        self.count += 1;
        row
    }

    fn add_row(&mut self) -> u32 {
        let row = self.row_count();
        self.rows.push(None);
        self.flags.push(Flags::GONE);
        self.columns.iter_mut().for_each(|column| column.values.push(Cell::Absent));
        row
    }

    /// Puts an offer in place of the one in a row.
    pub(super) fn replace(&mut self, row: u32, offer: Arc<Offer>) {
        self.clear(row);
        self.fill(row, offer);
    }

    /// Removes an offer. Says whether the table should be [compacted](Self::compact).
    pub(super) fn remove(&mut self, row: u32) -> bool {
        if let Some(number) = self.offer(row).map(|offer| offer.number) {
            self.gone.insert(number, row);
            self.clear(row);
            self.count -= 1;
        }
        self.rows.len() >= MIN_COMPACTED && self.count < self.rows.len() / 2
    }

    /// Removes the empty rows. The numbers of the offers come in the order of their new rows.
    pub(super) fn compact(&mut self) -> Vec<u64> {
        let mut new = Self::new(self.service_type.clone());
        let offers = std::mem::take(&mut self.rows).into_iter().flatten();
        let numbers = offers.map(|offer| (offer.number, new.insert(offer)).0).collect();
        *self = new;
        numbers
    }

    fn fill(&mut self, row: u32, offer: Arc<Offer>) {
        for property in &offer.properties {
            let column = self.service_type.column(&property.name);
            let Some(column) = column.and_then(|index| self.columns.get_mut(index)) else {
                continue;
            };
            if is_dynamic(&property.value) {
                column.dynamic.insert(row);
                column.values[row as usize] = Cell::Dynamic;
            } else {
                let value = value(&property.value);
                column.index.insert(&value, row);
                column.values[row as usize] = Cell::Value(value);
            }
        }
        let is_modifiable = |name: &str| {
            self.service_type.declaration(name).is_none_or(|property| !is_readonly(property.mode))
        };
        self.flags[row as usize] = Flags::default()
            .with(Flags::DYNAMIC, offer.has_dynamic_properties())
            .with(Flags::MODIFIABLE, offer.properties.iter().any(|p| is_modifiable(&p.name)))
            .with(Flags::PROXY, matches!(offer.target, Target::Proxy(_)));
        self.proxies += usize::from(self.flags(row).intersects(Flags::PROXY));
        self.rows[row as usize] = Some(offer);
    }

    fn clear(&mut self, row: u32) {
        for column in &mut self.columns {
            match std::mem::replace(&mut column.values[row as usize], Cell::Absent) {
                Cell::Value(value) => column.index.remove(&value, row),
                Cell::Dynamic => {
                    column.dynamic.remove(&row);
                }
                Cell::Absent => {}
            }
        }
        self.proxies -= usize::from(self.flags(row).intersects(Flags::PROXY));
        self.flags[row as usize] = Flags::GONE;
        self.rows[row as usize] = None;
    }

    /// The rows that can fulfil all restrictions, in order, if an index narrows them down.
    pub(super) fn narrowed(
        &self,
        restrictions: &[Restriction],
        columns: &[Option<usize>],
    ) -> Option<Vec<u32>> {
        // Beyond this share of the rows, to read all in their order is faster.
        let mut limit = self.rows.len() / 8;
        let mut best = None;
        for restriction in restrictions {
            let Some(column) = columns.get(restriction.property).copied().flatten() else {
                continue;
            };
            let column = &self.columns[column];
            let found = column.index.find(restriction.comparison, &restriction.value, limit);
            if let Some(mut found) = found {
                found.extend(&column.dynamic);
                limit = limit.min(found.len());
                best = Some(found);
            }
        }
        if let Some(rows) = &mut best {
            rows.sort_unstable();
        }
        best
    }
}

/// A row as a constraint or preference sees it.
pub(super) struct Row<'t> {
    pub(super) table: &'t Table,
    pub(super) row: u32,
    /// The columns of the properties that the expression names …
    pub(super) columns: &'t [Option<usize>],
    /// … and the names, for those without a column.
    pub(super) names: &'t [Box<str>],
}

impl Row<'_> {
    /// A property that the service type does not declare: only `exist` can ask for it.
    fn undeclared(&self, index: usize) -> Found<'_> {
        let (offer, name) = (self.table.offer(self.row), self.names.get(index));
        match offer.zip(name).and_then(|(offer, name)| offer.property(name)) {
            Some(_) => Found::Value(&Value::Other),
            None => Found::Absent,
        }
    }
}

impl Properties for Row<'_> {
    fn property(&self, index: usize) -> Found<'_> {
        let Some(column) = self.columns.get(index).copied().flatten() else {
            return self.undeclared(index);
        };
        let values = self.table.columns.get(column).map(|column| &column.values);
        match values.and_then(|values| values.get(self.row as usize)) {
            Some(Cell::Value(value)) => Found::Value(value),
            Some(Cell::Dynamic) => Found::Dynamic,
            Some(Cell::Absent) | None => Found::Absent,
        }
    }
}
