//! A client that asks everything of a trader that operators decide, and prints what it gets.
//! `lab/interop/strangers/check` runs it as a stranger and as one who may.
//!
//! ```text
//! trader_stranger URL [-ORB…]
//! ```
//!
//! The trader has the service type `Printer`. A line has an operation and its outcome: `ok`, a
//! system exception or a user exception.

use armilla::{Error, Orb, SystemException};
use armilla_cos_trading::lookup::{HowManyProps, SpecifiedProps};
use armilla_cos_trading::repos::service_type_repository::{
    IncarnationNumber, ListOption, SpecifiedServiceTypes,
};
use armilla_cos_trading::repos::{ServiceTypeRepository, ServiceTypeRepositoryRef};
use armilla_cos_trading::{
    Admin, FollowOption, Link, Lookup, LookupRef, Proxy, Register, SupportAttributes,
    TraderComponents,
};
use std::fmt::Debug;
use std::time::Duration;

type Failure = Box<dyn std::error::Error>;

const ALWAYS: FollowOption = FollowOption::Always;

fn main() -> Result<(), Failure> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let orb = Orb::init(&mut arguments)?;
    let [url] = &arguments[..] else { return Err("trader_stranger URL is needed".into()) };
    let lookup: LookupRef =
        orb.string_to_object(url)?.with_timeout(Duration::from_secs(20)).assume();
    offers(&orb, &lookup)?;
    attributes(&lookup)?;
    links(&lookup)?;
    types(&lookup)
}

/// Prints the outcome of an operation.
fn tell<T, E: Debug>(operation: &str, outcome: Result<T, Error<E>>) {
    let text = match outcome {
        Ok(_) => "ok".to_owned(),
        Err(Error::System(exception)) => exception.to_string(),
        Err(Error::User(exception)) => format!("{exception:?}"),
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = text.split(|c| !is_name(c)).next().unwrap_or_default();
    println!("{operation} {name}");
}

/// The same for one without user exceptions.
fn tell_system<T>(operation: &str, outcome: Result<T, SystemException>) {
    tell(operation, outcome.map_err(Error::<()>::System));
}

/// What every client of a trader may do.
fn offers(orb: &Orb, lookup: &LookupRef) -> Result<(), Failure> {
    let all = SpecifiedProps::Unlisted { discriminator: HowManyProps::All };
    let register = lookup.register_if()?;
    let object = orb.string_to_object("corbaloc::192.0.2.1:9/nobody")?;
    let exported = register.with_timeout(Duration::from_secs(20)).export(&object, "Printer", &[]);
    tell("export", exported.as_ref().map_err(Clone::clone));
    tell("query", lookup.query("Printer", "", "", &[], &all, 9));
    let id = exported?;
    tell("describe", register.describe(&id));
    tell("withdraw", register.withdraw(&id));
    tell("list_offers", lookup.admin_if()?.list_offers(9));
    let proxy = lookup.proxy_if()?;
    tell("withdraw_proxy", proxy.withdraw_proxy("9"));
    Ok(())
}

fn attributes(lookup: &LookupRef) -> Result<(), Failure> {
    let admin = lookup.admin_if()?;
    tell_system("set_def_search_card", admin.set_def_search_card(9));
    tell_system("set_max_search_card", admin.set_max_search_card(9));
    tell_system("set_def_match_card", admin.set_def_match_card(9));
    tell_system("set_max_match_card", admin.set_max_match_card(9));
    tell_system("set_def_return_card", admin.set_def_return_card(9));
    tell_system("set_max_return_card", admin.set_max_return_card(9));
    tell_system("set_max_list", admin.set_max_list(9));
    tell_system("set_def_hop_count", admin.set_def_hop_count(9));
    tell_system("set_max_hop_count", admin.set_max_hop_count(9));
    tell_system("set_supports_modifiable_properties", {
        admin.set_supports_modifiable_properties(true)
    });
    tell_system("set_supports_dynamic_properties", admin.set_supports_dynamic_properties(true));
    tell_system("set_supports_proxy_offers", admin.set_supports_proxy_offers(true));
    tell_system("set_def_follow_policy", admin.set_def_follow_policy(ALWAYS));
    tell_system("set_max_follow_policy", admin.set_max_follow_policy(ALWAYS));
    tell_system("set_max_link_follow_policy", admin.set_max_link_follow_policy(ALWAYS));
    tell_system("set_request_id_stem", admin.set_request_id_stem(b"stem"));
    Ok(())
}

fn links(lookup: &LookupRef) -> Result<(), Failure> {
    let link = lookup.link_if()?;
    tell("add_link", link.add_link("itself", lookup, ALWAYS, ALWAYS));
    tell("modify_link", link.modify_link("itself", ALWAYS, ALWAYS));
    tell_system("list_links", link.list_links());
    tell("remove_link", link.remove_link("itself"));
    Ok(())
}

fn types(lookup: &LookupRef) -> Result<(), Failure> {
    let types: ServiceTypeRepositoryRef = lookup.type_repos()?.assume();
    let all = SpecifiedServiceTypes::Unlisted { discriminator: ListOption::All };
    tell_system("list_types", types.list_types(&all));
    tell::<IncarnationNumber, _>("add_type", types.add_type("Further", "", &[], &[]));
    tell("mask_type", types.mask_type("Printer"));
    tell("unmask_type", types.unmask_type("Printer"));
    tell("remove_type", types.remove_type("Further"));
    Ok(())
}
