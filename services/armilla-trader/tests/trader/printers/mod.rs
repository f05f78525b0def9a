//! A service type of printers, and offers of it, without a trader.

use armilla_trader::constraint::{Found, Properties, Schema, Value, ValueType};
use std::collections::HashMap;

/// The properties of the service type.
pub(crate) struct Printers(&'static [(&'static str, ValueType)]);

pub(crate) const PRINTERS: Printers = Printers(&[
    ("name", ValueType::Text),
    ("price", ValueType::Number),
    ("pages", ValueType::Number),
    ("spare", ValueType::Number),
    ("colour", ValueType::Boolean),
    ("grade", ValueType::Text),
    ("papers", ValueType::TextSequence),
    ("trays", ValueType::NumberSequence),
    ("icon", ValueType::Other),
]);

impl Schema for Printers {
    fn property_type(&self, name: &str) -> Option<ValueType> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, ty)| *ty)
    }

    fn property_names(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| *name).collect()
    }
}

/// The properties of an offer, by name.
pub(crate) struct Offer(HashMap<&'static str, Value>);

pub(crate) fn offer(properties: impl IntoIterator<Item = (&'static str, Value)>) -> Offer {
    Offer(properties.into_iter().collect())
}

impl Offer {
    /// The offer as a constraint with these names sees it.
    pub(crate) fn of<'o>(&'o self, names: &'o [Box<str>]) -> impl Properties + 'o {
        Named { offer: self, names }
    }
}

struct Named<'o> {
    offer: &'o Offer,
    names: &'o [Box<str>],
}

impl Properties for Named<'_> {
    fn property(&self, index: usize) -> Found<'_> {
        let name = self.names[index].as_ref();
        self.offer.0.get(name).map_or(Found::Absent, Found::Value)
    }
}
