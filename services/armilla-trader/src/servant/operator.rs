//! What an operator does by way of the page, under the same rules as clients.

use super::Trader;
use crate::model::ModelError;
use armilla::Object;
use armilla_cos_trading::register::OfferInfo;
use armilla_cos_trading::{FollowOption, InvalidLookupRef, LookupRef, Property};

/// The interface of a trader that links lead to.
const LOOKUP: &str = "IDL:omg.org/CosTrading/Lookup:1.0";

type Outcome = Result<(), ModelError>;

impl Trader {
    /// Whether operators on other hosts may do what those on this one may.
    pub(crate) fn admits_remote_operators(&self) -> bool {
        self.servant.service.limits.remote_operators
    }

    /// Exports an offer; returns its id.
    pub(crate) fn export(&self, info: OfferInfo) -> Result<String, ModelError> {
        self.servant.export_offer(info)
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

    /// Adds a link to another trader, which need not run now. Returns whether it answers.
    pub(crate) fn add_link(
        &self,
        name: &str,
        target: &Object,
        default: FollowOption,
        limit: FollowOption,
    ) -> Result<bool, ModelError> {
        // Names and rules are looked at before the other trader is asked.
        let lookup: LookupRef = target.assume();
        let view = self.servant.view();
        self.servant.check_link(&view, name, &lookup, default, limit)?;
        let answer = self.servant.bounded(target).is_a(LOOKUP);
        if answer == Ok(false) {
            return Err(InvalidLookupRef { target: lookup }.into());
        }
        self.servant.link_to(name, &lookup, default, limit)?;
        Ok(answer.is_ok())
    }

    /// Changes the rules of a link.
    pub(crate) fn modify_link(
        &self,
        name: &str,
        default: FollowOption,
        limit: FollowOption,
    ) -> Outcome {
        self.servant.change(|model| model.plan_modify_link(name, default, limit))
    }

    /// Removes a link.
    pub(crate) fn remove_link(&self, name: &str) -> Outcome {
        self.servant.change(|model| model.plan_remove_link(name))
    }
}
