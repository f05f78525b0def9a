//! `armilla trader query`.

use super::offers::described;
use super::{Service, explain, values};
use armilla::{Any, Error};
use armilla_cos_trading::lookup::{HowManyProps, QueryRaises, SpecifiedProps};
use armilla_cos_trading::{
    FollowOption, Lookup, Offer, OfferIterator, OfferIteratorRef, Policy, Property,
};
use armilla_terminal::{Failure, Outcome, complain, one_line, say};
use serde_json::{Map, Value, json};

/// The arguments of `armilla trader query`.
#[derive(Debug, clap::Args)]
pub(crate) struct Query {
    /// The service type
    #[arg(value_name = "TYPE")]
    service_type: String,
    /// The constraint, such as "price < 10 and exist colour" [default: every offer]
    #[arg(default_value = "", hide_default_value = true)]
    constraint: String,
    /// The preference: "max EXPRESSION", "min EXPRESSION", "with CONSTRAINT", "random" or "first"
    #[arg(long, value_name = "PREFERENCE", default_value = "", hide_default_value = true)]
    prefer: String,
    /// Show these properties only
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    properties: Option<Vec<String>>,
    /// Show this many offers at most
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    limit: u32,
    /// A policy: NAME=VALUE, such as hop_count=2, link_follow_rule=always, exact_type_match=true or
    /// starting_trader=LINK/LINK; repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    policy: Vec<String>,
    /// Print the references only, one a line
    #[arg(long, conflicts_with = "json")]
    references: bool,
    /// Print each offer as a line of JSON
    #[arg(long)]
    json: bool,
}

/// The policy by which our trader tells more to operators, and the property with the id of an offer.
const EXPLAIN: &str = "armilla_explain";
const OFFER_ID: &str = "armilla_offer_id";

/// How many offers to fetch at once.
const BATCH: u32 = 500;

pub(super) fn run(query: &Query, service: &Service) -> Outcome {
    let desired = match &query.properties {
        _ if query.references => SpecifiedProps::Unlisted { discriminator: HowManyProps::None },
        Some(names) => SpecifiedProps::PropNames(names.clone()),
        None => SpecifiedProps::Unlisted { discriminator: HowManyProps::All },
    };
    let policies = query.policy.iter().map(|text| policy(text)).collect::<Outcome<Vec<_>>>()?;
    let ask = |policies: &[Policy]| {
        service.lookup.query(
            &query.service_type,
            &query.constraint,
            &query.prefer,
            policies,
            &desired,
            query.limit.min(BATCH),
        )
    };
    // Our trader tells the ids of offers, and who did not answer; another one may refuse to be asked.
    let explain = Policy { name: EXPLAIN.to_owned(), value: Any::new(&true)? };
    let found = match ask(&[&policies[..], &[explain]].concat()) {
        Err(Error::User(
            QueryRaises::IllegalPolicyName(_)
            | QueryRaises::InvalidPolicyValue(_)
            | QueryRaises::PolicyTypeMismatch(_),
        )) => ask(&policies),
        found => found,
    };
    let (offers, rest, limits) = found.map_err(|error| failure(query, service, error))?;
    let mut left = query.limit;
    left -= show(query, service, &offers, left)?;
    let more = show_rest(query, service, &rest, left)?;
    if !query.json && !query.references {
        if more {
            eprintln!("there are more offers: --limit shows them");
        }
        let is_silent = |limit: &String| limit.contains(' ');
        let (silent, limits): (Vec<_>, Vec<_>) = limits.into_iter().partition(is_silent);
        if !limits.is_empty() {
            complain(format_args!("the trader applied its limits: {}\n", limits.join(", ")));
        }
        for who in silent {
            complain(format_args!("warning: {} did not answer\n", one_line(&who)));
        }
    }
    Ok(())
}

/// How many offers of exactly this type, at this trader itself, match a constraint; `None` if the
/// trader does not tell.
pub(super) fn count(service: &Service, service_type: &str, constraint: &str) -> Option<u32> {
    let set = |name: &str, value| Some(Policy { name: name.to_owned(), value });
    let policies = [
        set("exact_type_match", Any::new(&true).ok()?)?,
        set("use_proxy_offers", Any::new(&false).ok()?)?,
        set("link_follow_rule", Any::new(&FollowOption::LocalOnly).ok()?)?,
        set("search_card", Any::new(&u32::MAX).ok()?)?,
        set("match_card", Any::new(&u32::MAX).ok()?)?,
        set("return_card", Any::new(&u32::MAX).ok()?)?,
    ];
    let none = SpecifiedProps::Unlisted { discriminator: HowManyProps::None };
    let found = service.lookup.query(service_type, constraint, "", &policies, &none, 0).ok()?;
    let (offers, rest, _) = found;
    let first = u32::try_from(offers.len()).ok()?;
    if rest.is_nil() {
        return Some(first);
    }
    let left = rest.max_left().ok();
    rest.destroy().ok();
    Some(first.saturating_add(left?))
}

/// Shows offers, `most` of them, and says how many.
fn show(query: &Query, service: &Service, offers: &[Offer], most: u32) -> Outcome<u32> {
    let offers = offers.get(..offers.len().min(most as usize)).unwrap_or_default();
    offers.iter().try_for_each(|offer| show_one(query, service, offer))?;
    Ok(u32::try_from(offers.len()).unwrap_or(u32::MAX))
}

/// Shows what the iterator has, `most` offers of it. Says whether there are more.
fn show_rest(
    query: &Query,
    service: &Service,
    rest: &OfferIteratorRef,
    most: u32,
) -> Outcome<bool> {
    if rest.is_nil() {
        return Ok(false);
    }
    let (mut left, mut more) = (most, true);
    while more && left > 0 {
        let (further, offers) = rest.next_n(left.min(BATCH))?;
        left -= show(query, service, &offers, left)?;
        more = further && !offers.is_empty();
    }
    rest.destroy()?;
    Ok(more)
}

fn show_one(query: &Query, service: &Service, offer: &Offer) -> Outcome {
    let (ids, properties): (Vec<&Property>, Vec<_>) =
        offer.properties.iter().partition(|property| property.name == OFFER_ID);
    let id = ids.first().and_then(|id| values::json(&id.value).as_str().map(str::to_owned));
    let properties: Map<String, Value> = properties
        .into_iter()
        .map(|property| (property.name.clone(), values::json(&property.value)))
        .collect();
    if query.references {
        return say!("{}", service.orb.object_to_string(&offer.reference)?);
    }
    if query.json {
        let reference = service.orb.object_to_string(&offer.reference)?;
        return match id {
            Some(id) => {
                say!("{}", json!({ "id": id, "reference": reference, "properties": properties }))
            }
            None => say!("{}", json!({ "reference": reference, "properties": properties })),
        };
    }
    let id = id.map_or_else(|| "of another trader".to_owned(), |id| one_line(&id).into_owned());
    say!("{id}  {}", described(&offer.reference))?;
    let width = properties.keys().map(|name| name.chars().count()).max().unwrap_or_default();
    properties.iter().try_for_each(|(name, value)| say!("  {name:<width$}  {value}"))
}

/// A policy from `NAME=VALUE`.
fn policy(text: &str) -> Outcome<Policy> {
    let Some((name, value)) = text.split_once('=') else {
        return Err(Failure::usage(format!("a policy is NAME=VALUE, not {text:?}")));
    };
    let wrong = |what: &str| Failure::usage(format!("the policy {name} is {what}, not {value:?}"));
    let value = match name {
        "search_card" | "match_card" | "return_card" | "hop_count" => {
            Any::new(&value.parse::<u32>().map_err(|_| wrong("a number"))?)
        }
        "use_modifiable_properties"
        | "use_dynamic_properties"
        | "use_proxy_offers"
        | "exact_type_match" => {
            Any::new(&value.parse::<bool>().map_err(|_| wrong("true or false"))?)
        }
        "link_follow_rule" => Any::new(&follow_option(value)?),
        "starting_trader" => {
            Any::new(&value.split('/').map(str::to_owned).collect::<Vec<String>>())
        }
        _ => return Err(Failure::usage(format!("there is no policy {name:?}"))),
    };
    Ok(Policy { name: name.to_owned(), value: value? })
}

/// A rule for links by its name in IDL.
pub(super) fn follow_option(text: &str) -> Outcome<FollowOption> {
    match text {
        "local_only" => Ok(FollowOption::LocalOnly),
        "if_no_local" => Ok(FollowOption::IfNoLocal),
        "always" => Ok(FollowOption::Always),
        _ => {
            let what = format!("the rule is local_only, if_no_local or always, not {text:?}");
            Err(Failure::usage(what))
        }
    }
}

fn failure(query: &Query, service: &Service, error: Error<QueryRaises>) -> Failure {
    match error {
        Error::User(QueryRaises::IllegalConstraint(_)) => {
            explain::constraint(service, &query.service_type, &query.constraint)
        }
        Error::User(QueryRaises::IllegalPreference(_)) => {
            explain::preference(service, &query.service_type, &query.prefer)
        }
        Error::User(QueryRaises::UnknownServiceType(_)) => {
            explain::unknown_type(service, &query.service_type)
        }
        other => other.into(),
    }
}
