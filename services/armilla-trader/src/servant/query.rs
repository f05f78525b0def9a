//! A query, from its arguments to the offers that it finds.

use super::Servant;
use super::activity::Counters;
use super::answer::{Answer, Compiled, Wanted};
use super::iterators::Offers;
use super::policies::Policies;
use super::view::View;
use crate::constraint::{Constraint, Preference};
use crate::model::{Attribute, ModelError, Search};
use armilla_cos_trading::lookup::{IllegalPreference, SpecifiedProps};
use armilla_cos_trading::{IllegalConstraint, OfferIteratorRef, OfferSeq, Policy, PolicyNameSeq};
use std::sync::Arc;
use std::time::Instant;

/// The arguments of a query.
#[derive(Clone, Copy)]
pub(super) struct Query<'q> {
    /// Who looks.
    pub(super) view: &'q View,
    pub(super) service_type: &'q str,
    pub(super) constraint: &'q str,
    pub(super) preference: &'q str,
    pub(super) policies: &'q [Policy],
    pub(super) desired: &'q SpecifiedProps,
    pub(super) how_many: u32,
}

impl Servant {
    /// Answers a query.
    pub(super) fn answer(
        &self,
        query: Query<'_>,
    ) -> Result<(OfferSeq, OfferIteratorRef, PolicyNameSeq), ModelError> {
        let deadline = self.query_end();
        let mut policies = Policies::new(query.policies, self.model().attributes())?;
        let wanted = Arc::new(Wanted::new(query.desired, policies.explain)?);
        let answers = if !policies.starting_trader.is_empty() {
            self.start_elsewhere(query, &mut policies, &wanted, deadline)?
        } else {
            let compiled = self.compile(query)?;
            let request_id = self.request_id(&policies);
            match self.service.request_ids.is_new(&request_id) {
                // The query has come back over a circle of links.
                false => Vec::new(),
                true => {
                    self.find(query, &compiled, &mut policies, &wanted, &request_id, deadline)?
                }
            }
        };
        Counters::add(&self.service.counters.queries, 1);
        let most = query.how_many.min(self.number(Attribute::MaxList)) as usize;
        let mut answers = answers;
        let rest = answers.split_off(answers.len().min(most));
        let offers = self.present(answers, &wanted);
        let iterator = Offers::iterator(self, wanted, rest)?;
        Ok((offers, iterator, policies.limited))
    }

    /// Checks the texts of a query against its service type.
    pub(super) fn compile(&self, query: Query<'_>) -> Result<Compiled, ModelError> {
        let service_type =
            self.read(query.view, |model| model.service_types().get(query.service_type).cloned());
        let service_type = service_type.flatten()?;
        let constraint = Constraint::compile(query.constraint, &*service_type);
        let constraint =
            constraint.map_err(|_| IllegalConstraint { constr: query.constraint.to_owned() })?;
        let preference = Preference::compile(query.preference, &*service_type);
        let preference =
            preference.map_err(|_| IllegalPreference { pref: query.preference.to_owned() })?;
        Ok(Compiled { service_type, constraint, preference })
    }

    /// The id of a query: that of the trader which it comes from, or a new one.
    fn request_id(&self, policies: &Policies) -> Vec<u8> {
        policies.request_id.clone().unwrap_or_else(|| {
            let mut id = self.model().attributes().request_id_stem.clone();
            id.extend(self.service.request_ids.next().to_be_bytes());
            id
        })
    }

    /// Finds offers here, behind proxy offers and over links, in the order of the preference.
    fn find(
        &self,
        query: Query<'_>,
        compiled: &Compiled,
        policies: &mut Policies,
        wanted: &Wanted,
        request_id: &[u8],
        deadline: Instant,
    ) -> Result<Vec<Answer>, ModelError> {
        let search = Search {
            service_type: &compiled.service_type.name,
            constraint: &compiled.constraint,
            preference: &compiled.preference,
            exact_type: policies.exact_type,
            modifiable: policies.modifiable,
            dynamic: policies.dynamic,
            proxies: policies.proxies,
            search_card: policies.search_card,
            match_card: policies.match_card,
        };
        let matches = self.read(query.view, |model| model.search(&search))?;
        let counters = &self.service.counters;
        Counters::add(&counters.searched, u64::from(matches.searched));
        if matches.search_limited {
            policies.limit("search_card");
        }
        let mut is_limited = matches.match_limited;
        let mut ranked = self.settle(matches.candidates, compiled, deadline);
        if ranked.len() > policies.match_card as usize {
            ranked.truncate(policies.match_card as usize);
            is_limited = true;
        }
        if is_limited {
            policies.limit("match_card");
        }
        let mut ranked =
            self.ask_targets(query, compiled, ranked, policies, wanted, request_id, deadline)?;
        let elsewhere =
            self.follow_links(query, compiled, &ranked, policies, wanted, request_id, deadline)?;
        ranked.extend(elsewhere);
        let mut answers = compiled.preference.sort(ranked);
        if answers.len() > policies.return_card as usize {
            answers.truncate(policies.return_card as usize);
            policies.limit("return_card");
        }
        Ok(answers)
    }
}
