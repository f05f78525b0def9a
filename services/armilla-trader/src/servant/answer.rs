//! What a query is compiled to, and what it finds.

use crate::constraint::{Constraint, Preference, Value};
use crate::model::{ModelError, Offer, ServiceType, Target, is_identifier};
use armilla::Any;
use armilla_cos_trading::lookup::{HowManyProps, SpecifiedProps};
use armilla_cos_trading::{DuplicatePropertyName, IllegalPropertyName, Offer as Shown};
use std::collections::HashSet;
use std::sync::Arc;

/// The values of dynamic properties that an offer has told, by name; `None` stands for a failure.
pub(super) type Told = Vec<(String, Option<Any>)>;

/// A query that was checked against its service type.
pub(super) struct Compiled {
    pub(super) service_type: Arc<ServiceType>,
    pub(super) constraint: Constraint,
    pub(super) preference: Preference,
}

impl Compiled {
    /// Whether an offer is a proxy offer that matches every constraint.
    pub(super) fn matches_all(&self, offer: &Offer) -> bool {
        matches!(&offer.target, Target::Proxy(proxy) if proxy.matches_all)
    }
}

/// An offer that a query found.
pub(super) enum Answer {
    /// Of this trader; the values of some of its dynamic properties may be known.
    Local { offer: Arc<Offer>, told: Told },
    /// Of another one.
    Remote(Shown),
}

impl Answer {
    /// The offer of this trader.
    pub(super) fn into_offer(self) -> Option<Arc<Offer>> {
        match self {
            Self::Local { offer, .. } => Some(offer),
            Self::Remote(_) => None,
        }
    }
}

/// An offer with what the preference says of it.
pub(super) type Ranked = (Option<Value>, Answer);

/// What a query wants to see of offers.
#[derive(Debug)]
pub(super) struct Wanted {
    /// The names of properties; `None` for all.
    names: Option<HashSet<String>>,
    /// Whether the id of an offer is among the properties, as [`OFFER_ID`](super::policies::OFFER_ID).
    pub(super) ids: bool,
}

impl Wanted {
    pub(super) fn new(desired: &SpecifiedProps, ids: bool) -> Result<Self, ModelError> {
        Ok(Self { names: Self::names(desired)?, ids })
    }

    fn names(desired: &SpecifiedProps) -> Result<Option<HashSet<String>>, ModelError> {
        let names = match desired {
            SpecifiedProps::PropNames(names) => names,
            SpecifiedProps::Unlisted { discriminator: HowManyProps::All } => return Ok(None),
            SpecifiedProps::Unlisted { .. } => return Ok(Some(HashSet::new())),
        };
        let mut wanted = HashSet::new();
        for name in names {
            if !is_identifier(name) {
                return Err(IllegalPropertyName { name: name.clone() }.into());
            }
            if !wanted.insert(name.clone()) {
                return Err(DuplicatePropertyName { name: name.clone() }.into());
            }
        }
        Ok(Some(wanted))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.as_ref().is_none_or(|names| names.contains(name))
    }
}
