//! `armilla trader links` and `link`.

use super::Service;
use super::offers::{described, supported};
use super::query::follow_option;
use armilla_cos_trading::{FollowOption, Link as _, LinkRef, TraderComponents};
use armilla_terminal::{Outcome, say};

/// The arguments of `armilla trader link`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Link {
    /// Add a link
    Add {
        /// The name of the link
        name: String,
        /// The `Lookup` of the other trader
        #[arg(value_name = "REF")]
        target: String,
        #[command(flatten)]
        rules: Rules,
    },
    /// Change the rules of a link
    Modify {
        /// The name of the link
        name: String,
        #[command(flatten)]
        rules: Rules,
    },
    /// Remove a link
    Remove {
        /// The name of the link
        name: String,
    },
}

/// When queries follow a link: local_only, if_no_local or always.
#[derive(Debug, clap::Args)]
pub(crate) struct Rules {
    /// The rule that is passed on with queries that have none. Whether this trader follows the link
    /// for them is the attribute def_follow_policy of it: see `armilla trader admin`
    #[arg(long, value_name = "RULE", default_value = "local_only")]
    default: String,
    /// The most that a query may ask for
    #[arg(long, value_name = "RULE", default_value = "always")]
    limit: String,
}

fn link_interface(service: &Service) -> Outcome<LinkRef> {
    supported(service.lookup.link_if()?, "Link")
}

pub(super) fn list(service: &Service) -> Outcome {
    let links = link_interface(service)?;
    for name in links.list_links()? {
        let info = links.describe_link(&name)?;
        let (default, limit) =
            (rule(info.def_pass_on_follow_rule), rule(info.limiting_follow_rule));
        say!("{name}  default {default}, limit {limit}, {}", described(info.target.object()))?;
    }
    Ok(())
}

pub(super) fn run(link: &Link, service: &Service) -> Outcome {
    let links = link_interface(service)?;
    match link {
        Link::Add { name, target, rules } => {
            let target = service.orb.string_to_object(target)?.narrow()?;
            let (default, limit) = (follow_option(&rules.default)?, follow_option(&rules.limit)?);
            Ok(links.add_link(name, &target, default, limit)?)
        }
        Link::Modify { name, rules } => {
            let (default, limit) = (follow_option(&rules.default)?, follow_option(&rules.limit)?);
            Ok(links.modify_link(name, default, limit)?)
        }
        Link::Remove { name } => Ok(links.remove_link(name)?),
    }
}

/// A rule by its name in IDL.
pub(super) fn rule(option: FollowOption) -> &'static str {
    match option {
        FollowOption::LocalOnly => "local_only",
        FollowOption::IfNoLocal => "if_no_local",
        FollowOption::Always => "always",
    }
}
