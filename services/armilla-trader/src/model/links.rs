//! Links to other traders (Trading Object Service 1.0, 2.4.3).

use super::{Attribute, Change, Model, ModelError, Planned, names};
use armilla_cos_trading::link::{
    DefaultFollowTooPermissive, DuplicateLinkName, LimitingFollowTooPermissive, LinkInfo,
    UnknownLinkName,
};
use armilla_cos_trading::{FollowOption, InvalidLookupRef};

impl Model {
    /// A link.
    ///
    /// # Errors
    /// The name is illegal or unknown.
    pub fn link(&self, name: &str) -> Result<&LinkInfo, ModelError> {
        names::link(name)?;
        self.links.get(name).ok_or_else(|| UnknownLinkName { name: name.to_owned() }.into())
    }

    /// All links by name.
    pub fn links(&self) -> impl Iterator<Item = (&str, &LinkInfo)> {
        self.links.iter().map(|(name, info)| (name.as_str(), info))
    }

    /// Plans a new link.
    pub(crate) fn plan_add_link(&self, name: &str, info: LinkInfo) -> Planned<()> {
        names::link(name)?;
        if self.links.contains_key(name) {
            return Err(DuplicateLinkName { name: name.to_owned() }.into());
        }
        if info.target.is_nil() {
            return Err(InvalidLookupRef { target: info.target }.into());
        }
        self.check_rules(info.def_pass_on_follow_rule, info.limiting_follow_rule)?;
        Ok((vec![Change::PutLink(name.to_owned(), Box::new(info))], ()))
    }

    /// Plans the removal of a link.
    pub(crate) fn plan_remove_link(&self, name: &str) -> Planned<()> {
        self.link(name)?;
        Ok((vec![Change::RemoveLink(name.to_owned())], ()))
    }

    /// Plans other rules for a link.
    pub(crate) fn plan_modify_link(
        &self,
        name: &str,
        default: FollowOption,
        limiting: FollowOption,
    ) -> Planned<()> {
        let info = self.link(name)?;
        self.check_rules(default, limiting)?;
        let info = LinkInfo {
            def_pass_on_follow_rule: default,
            limiting_follow_rule: limiting,
            ..info.clone()
        };
        Ok((vec![Change::PutLink(name.to_owned(), Box::new(info))], ()))
    }

    fn check_rules(&self, default: FollowOption, limiting: FollowOption) -> Result<(), ModelError> {
        if default > limiting {
            return Err(DefaultFollowTooPermissive {
                def_pass_on_follow_rule: default,
                limiting_follow_rule: limiting,
            }
            .into());
        }
        let max = self.attributes.follow(Attribute::MaxLinkFollowPolicy);
        if limiting > max {
            return Err(LimitingFollowTooPermissive {
                limiting_follow_rule: limiting,
                max_link_follow_policy: max,
            }
            .into());
        }
        Ok(())
    }
}
