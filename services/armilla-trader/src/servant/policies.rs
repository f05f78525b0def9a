//! The policies of a query (Trading Object Service 1.0, 2.2.4).

use crate::model::{Attribute, Attributes, ModelError, is_identifier};
use armilla::{Any, Decode, Typed};
use armilla_cos_trading::lookup::{IllegalPolicyName, PolicyTypeMismatch};
use armilla_cos_trading::{DuplicatePolicyName, FollowOption, Policy};
use std::collections::HashSet;

/// A policy of our own: the client is an operator, who wants to see the ids of offers and who did not
/// answer. It is not passed on: an id is of one trader.
pub(super) const EXPLAIN: &str = "armilla_explain";

/// The property that has the id of an offer then.
pub(super) const OFFER_ID: &str = "armilla_offer_id";

/// The policies of a query within the limits of the trader.
#[derive(Debug, Clone)]
pub(super) struct Policies {
    pub(super) search_card: u32,
    pub(super) match_card: u32,
    pub(super) return_card: u32,
    pub(super) modifiable: bool,
    pub(super) dynamic: bool,
    pub(super) proxies: bool,
    pub(super) exact_type: bool,
    /// The links to the trader at which the query starts.
    pub(super) starting_trader: Vec<String>,
    /// What the client says about links.
    pub(super) follow: Option<FollowOption>,
    pub(super) hop_count: u32,
    pub(super) request_id: Option<Vec<u8>>,
    /// Policies of other traders, which links pass on.
    pub(super) others: Vec<Policy>,
    /// The policies that ask for more than the trader gives; if the client is an operator, also
    /// which links and proxy offers did not answer.
    pub(super) limited: Vec<String>,
    /// Whether the client is an operator.
    pub(super) explain: bool,
}

impl Policies {
    /// The policies of a query; those that it does not have are the trader's.
    pub(super) fn new(policies: &[Policy], attributes: &Attributes) -> Result<Self, ModelError> {
        let default = |default, max| attributes.get(default).min(attributes.get(max));
        let mut all = Self {
            search_card: default(Attribute::DefSearchCard, Attribute::MaxSearchCard),
            match_card: default(Attribute::DefMatchCard, Attribute::MaxMatchCard),
            return_card: default(Attribute::DefReturnCard, Attribute::MaxReturnCard),
            modifiable: true,
            dynamic: attributes.is_set(Attribute::SupportsDynamicProperties),
            proxies: attributes.is_set(Attribute::SupportsProxyOffers),
            exact_type: false,
            starting_trader: Vec::new(),
            follow: None,
            hop_count: default(Attribute::DefHopCount, Attribute::MaxHopCount),
            request_id: None,
            others: Vec::new(),
            limited: Vec::new(),
            explain: false,
        };
        let mut seen = HashSet::new();
        for policy in policies {
            if !is_identifier(&policy.name) {
                return Err(IllegalPolicyName { name: policy.name.clone() }.into());
            }
            if !seen.insert(policy.name.as_str()) {
                return Err(DuplicatePolicyName { name: policy.name.clone() }.into());
            }
            all.set(policy, attributes)?;
        }
        Ok(all)
    }

    fn set(&mut self, policy: &Policy, attributes: &Attributes) -> Result<(), ModelError> {
        match policy.name.as_str() {
            "search_card" => {
                self.search_card = self.card(policy, attributes.get(Attribute::MaxSearchCard))?;
            }
            "match_card" => {
                self.match_card = self.card(policy, attributes.get(Attribute::MaxMatchCard))?;
            }
            "return_card" => {
                self.return_card = self.card(policy, attributes.get(Attribute::MaxReturnCard))?;
            }
            "hop_count" => {
                self.hop_count = self.card(policy, attributes.get(Attribute::MaxHopCount))?;
            }
            "use_modifiable_properties" => self.modifiable = get(policy)?,
            "use_dynamic_properties" => self.dynamic &= get::<bool>(policy)?,
            "use_proxy_offers" => self.proxies &= get::<bool>(policy)?,
            "exact_type_match" => self.exact_type = get(policy)?,
            "starting_trader" => self.starting_trader = get(policy)?,
            EXPLAIN => self.explain = get(policy)?,
            "request_id" => self.request_id = Some(get(policy)?),
            "link_follow_rule" => {
                let asked: FollowOption = get(policy)?;
                let max = attributes.follow(Attribute::MaxFollowPolicy);
                if asked > max {
                    self.limited.push(policy.name.clone());
                }
                self.follow = Some(asked.min(max));
            }
            _ => self.others.push(policy.clone()),
        }
        Ok(())
    }

    fn card(&mut self, policy: &Policy, max: u32) -> Result<u32, ModelError> {
        let asked: u32 = get(policy)?;
        if asked > max {
            self.limited.push(policy.name.clone());
        }
        Ok(asked.min(max))
    }

    /// Notes that a policy kept the trader from finding more.
    pub(super) fn limit(&mut self, name: &str) {
        if !self.limited.iter().any(|known| known == name) {
            self.limited.push(name.to_owned());
        }
    }

    /// Notes for an operator that somebody did not answer.
    pub(super) fn silent(&mut self, who: &str) {
        if self.explain {
            self.limit(who);
        }
    }

    /// The policies for a query at another trader, but for the rule of links.
    pub(super) fn passed_on(&self, request_id: &[u8]) -> Result<Vec<Policy>, ModelError> {
        let mut policies = self.others.clone();
        let mut push = |name: &str, value: armilla::CdrResult<Any>| {
            let value = value.map_err(armilla::SystemException::from)?;
            policies.push(Policy { name: name.to_owned(), value });
            Ok::<_, ModelError>(())
        };
        push("search_card", Any::new(&self.search_card))?;
        push("match_card", Any::new(&self.match_card))?;
        push("return_card", Any::new(&self.return_card))?;
        push("use_modifiable_properties", Any::new(&self.modifiable))?;
        push("use_dynamic_properties", Any::new(&self.dynamic))?;
        push("use_proxy_offers", Any::new(&self.proxies))?;
        push("exact_type_match", Any::new(&self.exact_type))?;
        push("hop_count", Any::new(&self.hop_count.saturating_sub(1)))?;
        push("request_id", Any::new(request_id))?;
        Ok(policies)
    }
}

/// The value of a policy.
fn get<T: Typed + for<'a> Decode<'a>>(policy: &Policy) -> Result<T, ModelError> {
    match policy.value.get::<T>() {
        Ok(Some(value)) => Ok(value),
        _ => Err(PolicyTypeMismatch { the_policy: policy.clone() }.into()),
    }
}
