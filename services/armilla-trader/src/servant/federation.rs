//! Queries that go on at other traders (Trading Object Service 1.0, 2.1.5 and 2.2.4).

use super::Servant;
use super::activity::Counters;
use super::answer::{Answer, Compiled, Ranked, Wanted};
use super::evaluation::shown_values;
use super::parallel::parallel;
use super::policies::{EXPLAIN, Policies};
use super::query::Query;
use crate::model::{Attribute, Model, ModelError};
use armilla::{Any, SystemException};
use armilla_cos_trading::link::LinkInfo;
use armilla_cos_trading::lookup::{InvalidPolicyValue, SpecifiedProps};
use armilla_cos_trading::{FollowOption, Lookup, LookupRef, Offer as Shown, OfferIterator, Policy};
use std::time::Instant;

/// What to ask another trader for.
pub(super) struct Ask {
    /// By what the trader knows it.
    pub(super) name: String,
    pub(super) target: LookupRef,
    pub(super) constraint: String,
    pub(super) policies: Vec<Policy>,
}

/// The most links in the name of a trader, whatever the attributes say.
const MAX_PATH: u32 = 64;

/// How many offers to take from an iterator of another trader at once.
const BATCH: u32 = 500;

impl Servant {
    /// What other traders find, over the links that the query may follow.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn follow_links(
        &self,
        query: Query<'_>,
        compiled: &Compiled,
        local: &[Ranked],
        policies: &mut Policies,
        wanted: &Wanted,
        request_id: &[u8],
        deadline: Instant,
    ) -> Result<Vec<Ranked>, ModelError> {
        let asks = self.links_to_follow(query, local.is_empty(), policies, request_id)?;
        if asks.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.ask_all(&asks, query, compiled, policies, wanted, deadline))
    }

    /// The links that the query may follow, with what to pass on. The rules are those of the
    /// client, of the trader and of the link; the strictest holds.
    fn links_to_follow(
        &self,
        query: Query<'_>,
        nothing_here: bool,
        policies: &mut Policies,
        request_id: &[u8],
    ) -> Result<Vec<Ask>, ModelError> {
        let passed_on = policies.passed_on(request_id)?;
        let max = self.follow(Attribute::MaxFollowPolicy);
        let rule = policies.follow.unwrap_or(self.follow(Attribute::DefFollowPolicy)).min(max);
        let links = |model: &Model| -> Vec<(String, LinkInfo)> {
            model.links().map(|(name, info)| (name.to_owned(), info.clone())).collect()
        };
        let mut asks = Vec::new();
        let mut has_link = false;
        for (name, link) in self.read(query.view, links)? {
            has_link |= match rule.min(link.limiting_follow_rule) {
                FollowOption::LocalOnly => continue,
                FollowOption::IfNoLocal if !nothing_here => continue,
                _ => true,
            };
            let passed_rule = match policies.follow {
                Some(asked) => asked.min(link.limiting_follow_rule).min(max),
                None => link.def_pass_on_follow_rule.min(max),
            };
            let mut policies = passed_on.clone();
            let value = Any::new(&passed_rule).map_err(SystemException::from)?;
            policies.push(Policy { name: "link_follow_rule".to_owned(), value });
            let constraint = query.constraint.to_owned();
            let (name, target) = (format!("link {name}"), link.target);
            asks.push(Ask { name, target, constraint, policies });
        }
        if has_link && policies.hop_count == 0 {
            policies.limit("hop_count");
            asks.clear();
        }
        Ok(asks)
    }

    /// Asks several traders at once. One that fails or does not answer in time is left out, which the
    /// log, a counter, and an operator's query tell.
    pub(super) fn ask_all(
        &self,
        asks: &[Ask],
        query: Query<'_>,
        compiled: &Compiled,
        policies: &mut Policies,
        wanted: &Wanted,
        deadline: Instant,
    ) -> Vec<Ranked> {
        let names = compiled.preference.property_names();
        let desired = desired_with(query.desired, names);
        let service = &self.service;
        let most = policies.return_card;
        let found = parallel(&service.call_threads, asks, service.limits.parallel_calls, |ask| {
            self.ask_one(ask, query, &desired, most, deadline)
        });
        for (ask, _) in asks.iter().zip(&found).filter(|(_, found)| found.is_none()) {
            self.silent(&ask.name, policies);
        }
        let ranked = found.into_iter().flatten().flatten().map(|mut offer| {
            let rank = compiled.preference.rank(&shown_values(&offer, names));
            offer.properties.retain(|property| wanted.has(&property.name));
            (rank.ok().flatten(), Answer::Remote(offer))
        });
        ranked.collect()
    }

    /// Notes that another trader did not answer.
    fn silent(&self, name: &str, policies: &mut Policies) {
        Counters::add(&self.service.counters.silent, 1);
        policies.silent(name);
    }

    /// What a trader finds; `None` if it does not answer.
    fn ask_one(
        &self,
        ask: &Ask,
        query: Query<'_>,
        desired: &SpecifiedProps,
        most: u32,
        deadline: Instant,
    ) -> Option<Vec<Shown>> {
        let left = || deadline.saturating_duration_since(Instant::now());
        let target = ask.target.with_timeout(left());
        let (mut offers, iterator, _) = target
            .query(
                query.service_type,
                &ask.constraint,
                query.preference,
                &ask.policies,
                desired,
                most.min(BATCH),
            )
            .ok()?;
        if !iterator.is_nil() {
            let mut more = true;
            while more && offers.len() < most as usize && !left().is_zero() {
                let wanted = (most - offers.len() as u32).min(BATCH);
                let Ok((further, taken)) = iterator.with_timeout(left()).next_n(wanted) else {
                    break;
                };
                more = further && !taken.is_empty();
                offers.extend(taken);
            }
            // The other trader ends it some time if this call fails.
            iterator.with_timeout(self.service.limits.call_time).destroy().ok();
        }
        offers.truncate(most as usize);
        Some(offers)
    }

    /// The first link of the name of a trader, and the rest. `None` if the name is empty, or has more
    /// links than queries may follow: each is a call that waits for the next one, perhaps in a
    /// circle.
    pub(super) fn first_link<'n>(&self, name: &'n [String]) -> Option<(&'n String, &'n [String])> {
        let most = self.number(Attribute::MaxHopCount).min(MAX_PATH) as usize;
        name.split_first().filter(|_| name.len() <= most)
    }

    /// Hands a query to the trader at which it is to start: the first link of the name, which
    /// gets the rest of it.
    pub(super) fn start_elsewhere(
        &self,
        query: Query<'_>,
        policies: &mut Policies,
        wanted: &Wanted,
        deadline: Instant,
    ) -> Result<Vec<Answer>, ModelError> {
        let invalid = || {
            let policy = query.policies.iter().find(|policy| policy.name == "starting_trader");
            InvalidPolicyValue { the_policy: policy.cloned().unwrap_or_default() }
        };
        let Some((first, rest)) = self.first_link(&policies.starting_trader) else {
            return Err(invalid().into());
        };
        let target =
            self.read(query.view, |model| model.link(first).map(|link| link.target.clone()));
        let target = target.flatten().map_err(|_| invalid())?;
        let is_other =
            |policy: &&Policy| policy.name != "starting_trader" && policy.name != EXPLAIN;
        let mut passed_on: Vec<Policy> = query.policies.iter().filter(is_other).cloned().collect();
        if !rest.is_empty() {
            let value = Any::new(rest).map_err(SystemException::from)?;
            passed_on.push(Policy { name: "starting_trader".to_owned(), value });
        }
        let (name, constraint) = (format!("link {first}"), query.constraint.to_owned());
        let ask = Ask { name, target, constraint, policies: passed_on };
        let most = policies.return_card;
        let found = self.ask_one(&ask, query, query.desired, most, deadline);
        if found.is_none() {
            self.silent(&ask.name, policies);
        }
        let shown = found.into_iter().flatten().map(|mut offer| {
            offer.properties.retain(|property| wanted.has(&property.name));
            Answer::Remote(offer)
        });
        Ok(shown.collect())
    }
}

/// The properties that a query wants, and those that decide the order.
fn desired_with(desired: &SpecifiedProps, names: &[Box<str>]) -> SpecifiedProps {
    use armilla_cos_trading::lookup::HowManyProps;
    let mut all = match desired {
        SpecifiedProps::PropNames(names) => names.clone(),
        SpecifiedProps::Unlisted { discriminator: HowManyProps::All } => return desired.clone(),
        SpecifiedProps::Unlisted { .. } => Vec::new(),
    };
    for name in names {
        if !all.iter().any(|known| **known == **name) {
            all.push(name.to_string());
        }
    }
    match all.is_empty() {
        true => desired.clone(),
        false => SpecifiedProps::PropNames(all),
    }
}
