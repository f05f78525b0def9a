//! The file of a store, with a table for each kind of contents.

use super::Kept;
use super::codec::{decode, decode_changes, decode_offer, record_of};
use crate::model::{Attribute, Change, Model, ModelError, incarnation_number};
use armilla::Orb;
use armilla_cos_trading::link::LinkInfo;
use armilla_cos_trading::repos::service_type_repository::TypeStruct;
use armilla_store::{
    CommitError, EngineError, File, Format, Persist, ReadableTable, Recovered, Salvage, StoreError,
    TableDefinition, Transaction,
};
use std::fmt;
use std::path::Path;

/// The service types by name.
const TYPES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("types");
/// The offers and proxy offers by number.
const OFFERS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("offers");
/// The links by name.
const LINKS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("links");
/// The attributes by their names in IDL, and the numbers below.
const NUMBERS: TableDefinition<'_, &str, u64> = TableDefinition::new("numbers");
/// Values that are no numbers.
const OCTETS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("octets");

/// What transactions will change that have prepared, by what names them. The first one makes the table.
const PREPARED: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("prepared");

/// The numbers of the next offer and of the next service type.
const NEXT_OFFER: &str = "next offer";
const NEXT_TYPE: &str = "next type";
/// The beginning of the ids of queries.
const STEM: &str = "request_id_stem";

static FORMAT: Format = Format {
    file: "trader.redb",
    version: 1,
    service: "trading service",
    otherwise: "save what can be saved with `armilla trader recover`",
    cache: 64 << 20,
    make: |transaction| {
        transaction.open_table(TYPES)?;
        transaction.open_table(OFFERS)?;
        transaction.open_table(LINKS)?;
        transaction.open_table(OCTETS)?;
        Ok(())
    },
};

pub(super) struct Disk(File);

impl Disk {
    /// Opens or makes the file, and reads what it contains.
    pub(super) fn open(directory: &Path, orb: &Orb) -> Result<(Self, Model), StoreError> {
        let (file, model) = File::open(directory, &FORMAT, |file| {
            let mut model = Model::new(orb);
            Contents(file).load(&mut model, orb)?;
            Ok(model)
        })?;
        Ok((Self(file), model))
    }

    /// The error for contents that do not fit together.
    pub(super) fn damaged(&self, error: &dyn fmt::Display) -> StoreError {
        self.0.damaged(error)
    }
}

/// How much was saved of a damaged store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// How many service types,
    pub service_types: usize,
    /// offers and proxy offers,
    pub offers: usize,
    /// and links were saved.
    pub links: usize,
}

impl fmt::Display for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { service_types, offers, links } = self;
        write!(f, "{offers} offers, {service_types} service types, {links} links")
    }
}

/// Saves what can be saved of a damaged file, into a new one in its place unless it is a `trial`.
pub(super) fn recover(
    directory: &Path,
    is_trial: bool,
    orb: &Orb,
) -> Result<Recovered<Saved>, StoreError> {
    let salvage = Salvage::open(directory, &FORMAT)?;
    let mut fitting = Fitting { model: Model::new(orb), changes: Vec::new(), losses: Vec::new() };
    for change in salvaged(&salvage, orb)? {
        fitting.keep(change);
    }
    let Fitting { model, changes, losses } = fitting;
    let saved = Saved {
        service_types: model.service_types().iter().count(),
        offers: model.offer_count(),
        links: model.links().count(),
    };
    salvage.recover(&FORMAT, is_trial, (saved, losses), |file| keep(file, &changes))
}

/// Contents that fit together.
struct Fitting {
    model: Model,
    changes: Vec<Change>,
    losses: Vec<String>,
}

impl Fitting {
    /// Takes a change if it fits what is there: an offer needs its service type, a type its
    /// supertypes.
    fn keep(&mut self, change: Change) {
        match self.fit(&change) {
            Ok(()) => self.changes.push(change),
            Err(error) => self.losses.push(format!("{}: {error}", named(&change))),
        }
    }
}

impl Fitting {
    /// Takes a change; what a transaction will do has to fit, too.
    fn fit(&mut self, change: &Change) -> Result<(), ModelError> {
        self.model.apply([change.clone()])?;
        let Change::Prepare { token, .. } = change else { return Ok(()) };
        let fits = self.model.read_within(token, |_| ());
        if fits.is_err() {
            self.model.apply([Change::Settle { token: token.clone() }])?;
        }
        fits
    }
}

fn named(change: &Change) -> String {
    match change {
        Change::PutType(name, _) => format!("the service type {name:?}"),
        Change::PutOffer(offer) => format!("the offer {}", offer.id()),
        Change::PutLink(name, _) => format!("the link {name:?}"),
        Change::Prepare { token, .. } => format!("the transaction {token:?}"),
        _ => "a number".to_owned(),
    }
}

/// What is left, in an order in which it can be put: supertypes, types, links, offers.
fn salvaged(salvage: &Salvage, orb: &Orb) -> Result<Vec<Change>, StoreError> {
    let (mut next_offer, mut next_type) = (1, 1);
    let mut changes = Vec::new();
    salvage.rows(NUMBERS, |name, value| {
        match (name, Attribute::ALL.iter().find(|attribute| attribute.name() == name)) {
            (NEXT_OFFER, _) => next_offer = value,
            (NEXT_TYPE, _) => next_type = value,
            (_, Some(attribute)) => {
                let value = u32::try_from(value).map_err(|_| format!("it is {value}"))?;
                changes.push(Change::SetAttribute(*attribute, value));
            }
            _ => {}
        }
        Ok(())
    })?;
    salvage.rows(OCTETS, |name, octets| {
        if name == STEM {
            changes.push(Change::SetRequestIdStem(octets.to_vec()));
        }
        Ok(())
    })?;
    let mut types = Vec::new();
    salvage.rows(TYPES, |name, record| {
        let declared: TypeStruct = decode(name.as_bytes(), record, orb)?;
        types.push((name.to_owned(), declared));
        Ok(())
    })?;
    types.sort_by_key(|(_, declared)| incarnation_number(declared.incarnation));
    next_type = types.iter().fold(next_type, |next, (_, declared)| {
        next.max(incarnation_number(declared.incarnation).saturating_add(1))
    });
    changes.extend(types.into_iter().map(|(name, it)| Change::PutType(name, Box::new(it))));
    salvage.rows(LINKS, |name, record| {
        let info: LinkInfo = decode(name.as_bytes(), record, orb)?;
        changes.push(Change::PutLink(name.to_owned(), Box::new(info)));
        Ok(())
    })?;
    salvage.rows(OFFERS, |number, record| {
        let offer = decode_offer(number, record, orb)?;
        next_offer = next_offer.max(number.saturating_add(1));
        changes.push(Change::PutOffer(offer));
        Ok(())
    })?;
    if salvage.has(PREPARED) {
        salvage.rows(PREPARED, |token, record| {
            changes.push(decode_changes(token, record, orb)?);
            Ok(())
        })?;
    }
    changes.push(Change::SetNext { offer: next_offer, incarnation: next_type });
    Ok(changes)
}

/// What a file contains.
struct Contents<'f>(&'f File);

impl Contents<'_> {
    fn load(&self, model: &mut Model, orb: &Orb) -> Result<(), StoreError> {
        let mut changes = self.numbers()?;
        changes.extend(self.types(orb)?);
        self.0.rows(LINKS, |name, record| {
            let info: LinkInfo = decode(name.as_bytes(), record, orb)
                .map_err(|why| format!("the link {name:?}: {why}"))?;
            changes.push(Change::PutLink(name.to_owned(), Box::new(info)));
            Ok(())
        })?;
        let unfit = |error| self.0.damaged(&error);
        model.apply(changes).map_err(unfit)?;
        self.0.rows(OFFERS, |number, record| {
            let offer = decode_offer(number, record, orb)
                .map_err(|why| format!("the offer {number:016x}: {why}"))?;
            model
                .apply([Change::PutOffer(offer)])
                .map_err(|error| format!("the offer {number:016x}: {error}"))
        })?;
        if !self.0.has(PREPARED)? {
            return Ok(());
        }
        self.0.rows(PREPARED, |token, record| {
            let prepared = decode_changes(token, record, orb)
                .map_err(|why| format!("the transaction {token:?}: {why}"))?;
            model.apply([prepared]).map_err(|error| format!("the transaction {token:?}: {error}"))
        })
    }

    /// The service types, in the order in which they were added: supertypes come first.
    fn types(&self, orb: &Orb) -> Result<Vec<Change>, StoreError> {
        let mut types = Vec::new();
        self.0.rows(TYPES, |name, record| {
            let declared: TypeStruct = decode(name.as_bytes(), record, orb)
                .map_err(|why| format!("the service type {name:?}: {why}"))?;
            types.push((name.to_owned(), declared));
            Ok(())
        })?;
        types.sort_by_key(|(_, declared)| incarnation_number(declared.incarnation));
        let put = |(name, declared)| Change::PutType(name, Box::new(declared));
        Ok(types.into_iter().map(put).collect())
    }

    /// The attributes and other single values.
    fn numbers(&self) -> Result<Vec<Change>, StoreError> {
        let (mut changes, mut offer, mut incarnation) = (Vec::new(), 1, 1);
        self.0.rows(NUMBERS, |name, value| {
            let attribute = Attribute::ALL.iter().find(|attribute| attribute.name() == name);
            match (name, attribute) {
                (NEXT_OFFER, _) => offer = value,
                (NEXT_TYPE, _) => incarnation = value,
                (_, Some(attribute)) => {
                    let value =
                        u32::try_from(value).map_err(|_| format!("{name} cannot be {value}"))?;
                    changes.push(Change::SetAttribute(*attribute, value));
                }
                _ => {}
            }
            Ok(())
        })?;
        self.0.rows(OCTETS, |name, octets| {
            if name == STEM {
                changes.push(Change::SetRequestIdStem(octets.to_vec()));
            }
            Ok(())
        })?;
        changes.push(Change::SetNext { offer, incarnation });
        Ok(changes)
    }
}

impl Disk {
    /// Keeps changes that no client asked for.
    pub(super) fn keep(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        keep(&self.0, changes)
    }
}

fn keep(file: &File, changes: &[Change]) -> Result<(), StoreError> {
    let records = changes.iter().map(record_of).collect::<Result<Vec<_>, String>>();
    let records = records.map_err(|why| StoreError::new(file.path(), why))?;
    file.write(|transaction| {
        let mut kept = changes.iter().zip(&records);
        kept.try_for_each(|(change, record)| write(transaction, change, record))
    })
}

impl Persist<Kept> for Disk {
    fn commit(&mut self, changes: &[Kept]) -> Result<(), CommitError> {
        self.0.write(|transaction| {
            changes.iter().try_for_each(|(change, record)| write(transaction, change, record))
        })?;
        Ok(())
    }

    fn check(&mut self) -> Result<(), StoreError> {
        self.0.check()
    }
}

fn write(transaction: &Transaction, change: &Change, record: &[u8]) -> Result<(), EngineError> {
    match change {
        Change::PutType(name, declared) => {
            transaction.open_table(TYPES)?.insert(name.as_str(), record)?;
            raise(transaction, NEXT_TYPE, incarnation_number(declared.incarnation) + 1)?;
        }
        Change::RemoveType(name) => drop(transaction.open_table(TYPES)?.remove(name.as_str())?),
        Change::PutOffer(offer) => {
            transaction.open_table(OFFERS)?.insert(offer.number, record)?;
            raise(transaction, NEXT_OFFER, offer.number + 1)?;
        }
        Change::RemoveOffer(number) => drop(transaction.open_table(OFFERS)?.remove(number)?),
        Change::PutLink(name, _) => {
            transaction.open_table(LINKS)?.insert(name.as_str(), record)?;
        }
        Change::RemoveLink(name) => drop(transaction.open_table(LINKS)?.remove(name.as_str())?),
        Change::SetAttribute(attribute, value) => {
            transaction.open_table(NUMBERS)?.insert(attribute.name(), u64::from(*value))?;
        }
        Change::SetRequestIdStem(stem) => {
            transaction.open_table(OCTETS)?.insert(STEM, stem.as_slice())?;
        }
        Change::Prepare { token, changes } => {
            transaction.open_table(PREPARED)?.insert(&**token, record)?;
            // The numbers that only a transaction knows are taken, too.
            for change in changes.iter() {
                match change {
                    Change::PutOffer(offer) => raise(transaction, NEXT_OFFER, offer.number + 1)?,
                    Change::PutType(_, declared) => {
                        let number = incarnation_number(declared.incarnation);
                        raise(transaction, NEXT_TYPE, number + 1)?;
                    }
                    _ => {}
                }
            }
        }
        Change::Settle { token } => drop(transaction.open_table(PREPARED)?.remove(&**token)?),
        Change::SetNext { offer, incarnation } | Change::Reserve { offer, incarnation } => {
            raise(transaction, NEXT_OFFER, *offer)?;
            raise(transaction, NEXT_TYPE, *incarnation)?;
        }
    }
    Ok(())
}

/// Makes a number at least this one.
fn raise(transaction: &Transaction, name: &str, least: u64) -> Result<(), EngineError> {
    let mut numbers = transaction.open_table(NUMBERS)?;
    let known = numbers.get(name)?.map_or(0, |known| known.value());
    if known < least {
        numbers.insert(name, least)?;
    }
    Ok(())
}
