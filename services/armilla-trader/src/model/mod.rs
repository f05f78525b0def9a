//! What a trader knows, and all rules about it, without I/O: service types, offers, links and
//! attributes.
//!
//! A change takes two steps. `plan_…` checks an operation and returns its [`Change`]s, and
//! `make` makes them, and says what undoes them if they cannot be written to the disk. The same
//! changes, read from there, restore a model.

mod attributes;
mod error;
mod index;
mod links;
mod names;
mod numbers;
mod offer;
mod offers;
mod pending;
mod property;
pub(crate) mod recipe;
mod search;
mod service_types;
mod table;
mod undo;

pub use attributes::{Attribute, Attributes};
pub use error::ModelError;
pub(crate) use names::is_identifier;
pub use offer::{Offer, ProxyTarget, Target};
pub(crate) use property::dynamic;
pub use property::{is_dynamic, value, value_type};
pub use search::{Candidate, Matches, Search};
#[cfg(feature = "disk")]
pub(crate) use service_types::incarnation_number;
pub use service_types::{DerivesFrom, ServiceType, ServiceTypes, is_mandatory, is_readonly};

use armilla::{Completion, ExceptionKind, Minor, Orb, SystemException};
use armilla_cos_trading::link::LinkInfo;
use armilla_cos_trading::repos::service_type_repository::{
    AlreadyMasked, IncarnationNumber, NotMasked, PropStruct, TypeStruct,
};
use armilla_store::Pending;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use table::Table;

/// A change of a model.
#[derive(Debug, Clone)]
pub enum Change {
    /// Adds a service type, or replaces the one of this name.
    PutType(String, Box<TypeStruct>),
    /// Removes a service type.
    RemoveType(String),
    /// Adds an offer, or replaces the one with its number.
    PutOffer(Arc<Offer>),
    /// Removes the offer with this number.
    RemoveOffer(u64),
    /// Adds a link, or replaces the one of this name.
    PutLink(String, Box<LinkInfo>),
    /// Removes a link.
    RemoveLink(String),
    /// Sets an attribute.
    SetAttribute(Attribute, u32),
    /// Sets the beginning of the ids of queries.
    SetRequestIdStem(Vec<u8>),
    /// The least numbers that the next offer and the next service type may get.
    SetNext {
        /// Of the next offer.
        offer: u64,
        /// Of the next service type.
        incarnation: u64,
    },
    /// The least numbers that offers and service types may get after a restart. Transactions give those
    /// below, of which nothing is kept if they roll back.
    Reserve {
        /// Of offers.
        offer: u64,
        /// Of service types.
        incarnation: u64,
    },
    /// A transaction will make these changes of offers, service types and links, or none of them.
    Prepare {
        /// What names the transaction.
        token: Arc<str>,
        /// The changes.
        changes: Arc<[Self]>,
    },
    /// A transaction that has prepared has ended.
    Settle {
        /// What names the transaction.
        token: Arc<str>,
    },
}

/// The changes of an operation, and its result.
pub(crate) type Planned<T> = Result<(Vec<Change>, T), ModelError>;

/// The contents of a trader.
#[derive(Debug)]
pub struct Model {
    /// Decodes the references in dynamic properties.
    orb: Orb,
    service_types: ServiceTypes,
    /// The offers by the names of their types.
    tables: HashMap<String, Table>,
    /// Where each offer is: its type and its row.
    places: BTreeMap<u64, (Arc<str>, u32)>,
    links: BTreeMap<String, LinkInfo>,
    attributes: Attributes,
    next_offer: u64,
    /// The numbers of offers and of service types below which none is given after a restart.
    reserved: (u64, u64),
    pending: Pending<Change>,
}

impl Model {
    /// A model without contents.
    pub fn new(orb: &Orb) -> Self {
        Self {
            orb: orb.clone(),
            service_types: ServiceTypes::default(),
            tables: HashMap::new(),
            places: BTreeMap::new(),
            links: BTreeMap::new(),
            attributes: Attributes::default(),
            next_offer: 1,
            reserved: (0, 0),
            pending: Pending::default(),
        }
    }

    /// The service types.
    pub const fn service_types(&self) -> &ServiceTypes {
        &self.service_types
    }

    /// The attributes.
    pub const fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// How many offers and proxy offers there are.
    pub fn offer_count(&self) -> usize {
        self.places.len()
    }

    /// How many offers there are of exactly this type.
    pub fn offer_count_of(&self, service_type: &str) -> usize {
        self.tables.get(service_type).map_or(0, Table::count)
    }

    /// Makes changes that were planned for this model as it is, or that a store has kept.
    ///
    /// # Errors
    /// A change does not fit the model, as damaged contents of a store may not.
    pub fn apply(&mut self, changes: impl IntoIterator<Item = Change>) -> Result<(), ModelError> {
        changes.into_iter().try_for_each(|change| self.apply_one(change))
    }

    fn apply_one(&mut self, change: Change) -> Result<(), ModelError> {
        match change {
            Change::PutType(name, declared) => {
                self.service_types.put(&name, *declared)?;
                let service_type = self.service_types.get(&name)?.clone();
                if let Some(table) = self.tables.get_mut(&name) {
                    table.set_service_type(service_type);
                }
            }
            Change::RemoveType(name) => {
                self.service_types.remove(&name);
                self.tables.remove(&name);
            }
            Change::PutOffer(offer) => self.put_offer(offer)?,
            Change::RemoveOffer(number) => self.remove_offer(number),
            Change::PutLink(name, info) => drop(self.links.insert(name, *info)),
            Change::RemoveLink(name) => drop(self.links.remove(&name)),
            Change::SetAttribute(attribute, value) => self.attributes.set(attribute, value),
            Change::SetRequestIdStem(stem) => self.attributes.request_id_stem = stem,
            Change::SetNext { offer, incarnation } => {
                self.next_offer = self.next_offer.max(offer);
                self.service_types.set_next(incarnation);
            }
            // It counts once it is kept: see `has_reserved`.
            Change::Reserve { .. } => {}
            Change::Prepare { token, changes } => {
                self.take_numbers(&changes);
                self.pending.prepare(token, changes.to_vec());
            }
            Change::Settle { token } => drop(self.pending.settle(&token)),
        }
        Ok(())
    }

    fn put_offer(&mut self, offer: Arc<Offer>) -> Result<(), ModelError> {
        let number = offer.number;
        if let Some((name, row)) = self.places.get(&number) {
            if let Some(table) = self.tables.get_mut(name.as_ref()) {
                table.replace(*row, offer);
            }
            return Ok(());
        }
        let service_type = self.service_types.get(&offer.service_type)?;
        let name: Arc<str> = service_type.name.as_str().into();
        let table = self
            .tables
            .entry(service_type.name.clone())
            .or_insert_with(|| Table::new(service_type.clone()));
        let row = table.insert(offer);
        self.places.insert(number, (name, row));
        self.next_offer = self.next_offer.max(number + 1);
        Ok(())
    }

    fn remove_offer(&mut self, number: u64) {
        let Some((name, row)) = self.places.remove(&number) else { return };
        let Some(table) = self.tables.get_mut(name.as_ref()) else { return };
        if table.remove(row) {
            for (row, number) in (0..).zip(table.compact()) {
                self.places.insert(number, (name.clone(), row));
            }
        }
    }

    /// Plans a new service type.
    pub(crate) fn plan_add_type(
        &self,
        name: &str,
        interface: &str,
        properties: &[PropStruct],
        super_types: &[String],
        derives_from: DerivesFrom<'_>,
    ) -> Planned<IncarnationNumber> {
        let types = &self.service_types;
        let declared = types.check_new(name, interface, properties, super_types, derives_from)?;
        let incarnation = declared.incarnation;
        Ok((vec![Change::PutType(name.to_owned(), Box::new(declared))], incarnation))
    }

    /// Plans the removal of a service type, which must have no offers.
    pub(crate) fn plan_remove_type(&self, name: &str) -> Planned<()> {
        self.service_types.check_removal(name)?;
        match self.offer_count_of(name) {
            0 => Ok((vec![Change::RemoveType(name.to_owned())], ())),
            count => {
                let what = format!("{count} offers are of the type {name}: withdraw them first");
                let kind = ExceptionKind::NoPermission;
                let refusal = SystemException::new(kind, Minor::default(), Completion::No);
                Err(refusal.with_reason(what).into())
            }
        }
    }

    /// Plans to mask a service type, or to undo that.
    pub(crate) fn plan_mask(&self, name: &str, masked: bool) -> Planned<()> {
        let declared = &self.service_types.get(name)?.declared;
        match (declared.masked, masked) {
            (true, true) => Err(AlreadyMasked { name: name.to_owned() }.into()),
            (false, false) => Err(NotMasked { name: name.to_owned() }.into()),
            _ => {
                let declared = TypeStruct { masked, ..declared.clone() };
                Ok((vec![Change::PutType(name.to_owned(), Box::new(declared))], ()))
            }
        }
    }
}
