//! What an operator does by way of the page, under the same rules as clients.

use super::Trader;
use crate::model::ModelError;
use armilla_cos_trading::Property;

type Outcome = Result<(), ModelError>;

impl Trader {
    /// Whether operators on other hosts may do what those on this one may.
    pub(crate) fn admits_remote_operators(&self) -> bool {
        self.servant.service.limits.remote_operators
    }

    /// Withdraws an offer or a proxy offer.
    pub(crate) fn withdraw(&self, id: &str) -> Outcome {
        self.servant.change(|model| match model.plan_withdraw(id) {
            Err(ModelError::ProxyOfferId(_)) => model.plan_withdraw_proxy(id),
            planned => planned,
        })
    }

    /// Changes or adds a property of an offer, or deletes it if there is no value.
    pub(crate) fn modify(&self, id: &str, name: &str, property: Option<Property>) -> Outcome {
        let deleted: Vec<String> =
            property.is_none().then(|| name.to_owned()).into_iter().collect();
        let changed: Vec<Property> = property.into_iter().collect();
        self.servant.change(|model| model.plan_modify(id, &deleted, &changed))
    }

    /// Lets a service type take no more offers, or take them again.
    pub(crate) fn mask(&self, name: &str, masked: bool) -> Outcome {
        self.servant.change(|model| model.plan_mask(name, masked))
    }

    /// Removes a service type that has no offers.
    pub(crate) fn remove_type(&self, name: &str) -> Outcome {
        self.servant.change(|model| model.plan_remove_type(name))
    }

    /// Removes a link.
    pub(crate) fn remove_link(&self, name: &str) -> Outcome {
        self.servant.change(|model| model.plan_remove_link(name))
    }
}
