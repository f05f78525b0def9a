//! Proxy offers that match: queries at their targets (Trading Object Service 1.0, 2.4.5).

use super::Servant;
use super::answer::{Answer, Compiled, Ranked, Wanted};
use super::federation::Ask;
use super::policies::Policies;
use super::query::Query;
use crate::model::{ModelError, Offer, ProxyTarget, Target, recipe, value};
use std::time::Instant;

impl Servant {
    /// Puts what the targets of proxy offers find in place of the proxy offers.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn ask_targets(
        &self,
        query: Query<'_>,
        compiled: &Compiled,
        ranked: Vec<Ranked>,
        policies: &mut Policies,
        wanted: &Wanted,
        request_id: &[u8],
        deadline: Instant,
    ) -> Result<Vec<Ranked>, ModelError> {
        let target = |answer: &Ranked| match &answer.1 {
            Answer::Local { offer, .. } => match &offer.target {
                Target::Proxy(proxy) => Some((offer.clone(), (**proxy).clone())),
                Target::Object(_) => None,
            },
            Answer::Remote(_) => None,
        };
        if !ranked.iter().any(|answer| target(answer).is_some()) {
            return Ok(ranked);
        }
        let passed_on = policies.passed_on(request_id)?;
        let mut found = Vec::with_capacity(ranked.len());
        let mut asks = Vec::new();
        for answer in ranked {
            match target(&answer) {
                None => found.push(answer),
                Some(_) if policies.hop_count == 0 => policies.limit("hop_count"),
                Some((offer, proxy)) => {
                    asks.extend(ask(&offer, &proxy, query.constraint, &passed_on));
                }
            }
        }
        found.extend(self.ask_all(&asks, query, compiled, policies, wanted, deadline));
        Ok(found)
    }
}

/// The query that a proxy offer stands for. `None` if its recipe names a property that the offer
/// does not have.
fn ask(
    offer: &Offer,
    proxy: &ProxyTarget,
    constraint: &str,
    passed_on: &[armilla_cos_trading::Policy],
) -> Option<Ask> {
    let property = |name: &str| offer.property(name).map(value);
    let constraint = recipe::constraint(&proxy.recipe, constraint, property)?;
    let mut policies = proxy.policies.clone();
    for policy in passed_on {
        // Those of the proxy offer come first, but the trader's own keep circles apart.
        let is_own = matches!(policy.name.as_str(), "request_id" | "hop_count");
        if is_own {
            policies.retain(|known| known.name != policy.name);
        }
        if policies.iter().all(|known| known.name != policy.name) {
            policies.push(policy.clone());
        }
    }
    let name = format!("proxy offer {}", offer.id());
    Some(Ask { name, target: proxy.lookup.clone(), constraint, policies })
}
