//! `armilla trader admin`.

use super::Service;
use super::links::rule;
use super::offers::supported;
use super::query::follow_option;
use armilla_cos_trading::{
    Admin as _, AdminRef, ImportAttributes, LinkAttributes, SupportAttributes, TraderComponents,
};
use armilla_terminal::{Failure, Outcome, say};

/// The arguments of `armilla trader admin`.
#[derive(Debug, clap::Args)]
pub(crate) struct Admin {
    /// Attributes to set, such as max_return_card=500 [default: show all]
    #[arg(value_name = "NAME=VALUE")]
    settings: Vec<String>,
}

pub(super) fn run(options: &Admin, service: &Service) -> Outcome {
    let admin = supported(service.lookup.admin_if()?, "Admin")?;
    if options.settings.is_empty() {
        return show(&admin);
    }
    options.settings.iter().try_for_each(|setting| set(&admin, setting))
}

fn show(admin: &AdminRef) -> Outcome {
    say!("def_search_card                 {}", admin.def_search_card()?)?;
    say!("max_search_card                 {}", admin.max_search_card()?)?;
    say!("def_match_card                  {}", admin.def_match_card()?)?;
    say!("max_match_card                  {}", admin.max_match_card()?)?;
    say!("def_return_card                 {}", admin.def_return_card()?)?;
    say!("max_return_card                 {}", admin.max_return_card()?)?;
    say!("max_list                        {}", admin.max_list()?)?;
    say!("def_hop_count                   {}", admin.def_hop_count()?)?;
    say!("max_hop_count                   {}", admin.max_hop_count()?)?;
    say!("def_follow_policy               {}", rule(admin.def_follow_policy()?))?;
    say!("max_follow_policy               {}", rule(admin.max_follow_policy()?))?;
    say!("max_link_follow_policy          {}", rule(admin.max_link_follow_policy()?))?;
    say!("supports_modifiable_properties  {}", admin.supports_modifiable_properties()?)?;
    say!("supports_dynamic_properties     {}", admin.supports_dynamic_properties()?)?;
    say!("supports_proxy_offers           {}", admin.supports_proxy_offers()?)
}

fn set(admin: &AdminRef, setting: &str) -> Outcome {
    let Some((name, value)) = setting.split_once('=') else {
        return Err(Failure::usage(format!("an attribute is NAME=VALUE, not {setting:?}")));
    };
    let wrong = |what: &str| Failure::usage(format!("{name} is {what}, not {value:?}"));
    let number = || value.parse::<u32>().map_err(|_| wrong("a number"));
    let boolean = || value.parse::<bool>().map_err(|_| wrong("true or false"));
    let set = match name {
        "def_search_card" => admin.set_def_search_card(number()?).map(|_| ()),
        "max_search_card" => admin.set_max_search_card(number()?).map(|_| ()),
        "def_match_card" => admin.set_def_match_card(number()?).map(|_| ()),
        "max_match_card" => admin.set_max_match_card(number()?).map(|_| ()),
        "def_return_card" => admin.set_def_return_card(number()?).map(|_| ()),
        "max_return_card" => admin.set_max_return_card(number()?).map(|_| ()),
        "max_list" => admin.set_max_list(number()?).map(|_| ()),
        "def_hop_count" => admin.set_def_hop_count(number()?).map(|_| ()),
        "max_hop_count" => admin.set_max_hop_count(number()?).map(|_| ()),
        "def_follow_policy" => admin.set_def_follow_policy(follow_option(value)?).map(|_| ()),
        "max_follow_policy" => admin.set_max_follow_policy(follow_option(value)?).map(|_| ()),
        "max_link_follow_policy" => {
            admin.set_max_link_follow_policy(follow_option(value)?).map(|_| ())
        }
        "supports_modifiable_properties" => {
            admin.set_supports_modifiable_properties(boolean()?).map(|_| ())
        }
        "supports_dynamic_properties" => {
            admin.set_supports_dynamic_properties(boolean()?).map(|_| ())
        }
        "supports_proxy_offers" => admin.set_supports_proxy_offers(boolean()?).map(|_| ()),
        _ => return Err(Failure::usage(format!("the trader has no attribute {name:?} to set"))),
    };
    Ok(set?)
}
