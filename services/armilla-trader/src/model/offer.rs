//! One offer.

use super::names;
use super::property::is_dynamic;
use armilla::{Any, Object};
use armilla_cos_trading::proxy::ProxyInfo;
use armilla_cos_trading::register::OfferInfo;
use armilla_cos_trading::{LookupRef, PolicySeq, Property, PropertySeq};

/// An offer, or a proxy offer. It does not change: a changed offer is another one with the same
/// number.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// What names the offer in its trader.
    pub number: u64,
    /// The name of the service type.
    pub service_type: String,
    /// What is offered.
    pub target: Target,
    /// The properties, also those that the service type does not declare.
    pub properties: PropertySeq,
}

/// What an offer leads to.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// An object.
    Object(Object),
    /// A query at another trader.
    Proxy(Box<ProxyTarget>),
}

/// The query that a proxy offer stands for.
#[derive(Debug, Clone, PartialEq)]
pub struct ProxyTarget {
    /// The trader to ask.
    pub lookup: LookupRef,
    /// Whether the offer matches every constraint.
    pub matches_all: bool,
    /// The recipe of the constraint for the target.
    pub recipe: String,
    /// Policies for the target.
    pub policies: PolicySeq,
}

impl Offer {
    /// What a query shows as the offer's reference: of a proxy offer the trader that it leads to.
    pub fn reference(&self) -> &Object {
        match &self.target {
            Target::Object(reference) => reference,
            Target::Proxy(proxy) => proxy.lookup.object(),
        }
    }

    /// An offer of an object.
    pub fn of_object(number: u64, info: OfferInfo) -> Self {
        Self {
            number,
            service_type: info.r#type,
            target: Target::Object(info.reference),
            properties: info.properties,
        }
    }

    /// A proxy offer.
    pub fn of_proxy(number: u64, info: ProxyInfo) -> Self {
        let target = ProxyTarget {
            lookup: info.target,
            matches_all: info.if_match_all,
            recipe: info.recipe,
            policies: info.policies_to_pass_on,
        };
        Self {
            number,
            service_type: info.r#type,
            target: Target::Proxy(Box::new(target)),
            properties: info.properties,
        }
    }

    /// The id, under which clients know the offer.
    pub fn id(&self) -> String {
        names::offer_id(self.number)
    }

    /// The value of a property, or the dynamic property.
    pub fn property(&self, name: &str) -> Option<&Any> {
        self.properties.iter().find(|property| property.name == name).map(|p| &p.value)
    }

    /// Whether values of the offer have to be asked for.
    pub fn has_dynamic_properties(&self) -> bool {
        self.properties.iter().any(|property| is_dynamic(&property.value))
    }

    /// The offer as an exporter described it; `None` for a proxy offer.
    pub fn info(&self) -> Option<OfferInfo> {
        let Target::Object(reference) = &self.target else { return None };
        Some(OfferInfo {
            reference: reference.clone(),
            r#type: self.service_type.clone(),
            properties: self.properties.clone(),
        })
    }

    /// The proxy offer as an exporter described it; `None` for an offer of an object.
    pub fn proxy_info(&self) -> Option<ProxyInfo> {
        let Target::Proxy(target) = &self.target else { return None };
        Some(ProxyInfo {
            r#type: self.service_type.clone(),
            target: target.lookup.clone(),
            properties: self.properties.clone(),
            if_match_all: target.matches_all,
            recipe: target.recipe.clone(),
            policies_to_pass_on: target.policies.clone(),
        })
    }

    /// The offer with other properties.
    pub(super) fn with_properties(&self, properties: Vec<Property>) -> Self {
        Self {
            number: self.number,
            service_type: self.service_type.clone(),
            target: self.target.clone(),
            properties,
        }
    }
}
