//! `Link`: links to other traders.

use super::Servant;
use super::raise::raise;
use crate::model::ModelError;
use armilla::{Error, SystemException};
use armilla_cos_trading::link::{
    AddLinkRaises, DescribeLinkRaises, LinkInfo, ModifyLinkRaises, RemoveLinkRaises,
};
use armilla_cos_trading::{FollowOption, Link, LinkNameSeq, LookupRef, TraderComponents};

impl Servant {
    /// What a new link would be, if it is legal.
    pub(super) fn check_link(
        &self,
        name: &str,
        target: &LookupRef,
        def_pass_on_follow_rule: FollowOption,
        limiting_follow_rule: FollowOption,
    ) -> Result<LinkInfo, ModelError> {
        let info = LinkInfo {
            target: target.clone(),
            target_reg: Default::default(),
            def_pass_on_follow_rule,
            limiting_follow_rule,
        };
        self.model().plan_add_link(name, info.clone())?;
        Ok(info)
    }

    /// Adds a link, for whoever may.
    pub(super) fn link_to(
        &self,
        name: &str,
        target: &LookupRef,
        default: FollowOption,
        limit: FollowOption,
    ) -> Result<(), ModelError> {
        // Illegal arguments are refused before the other trader is asked.
        let mut info = self.check_link(name, target, default, limit)?;
        let limit = self.service.limits.call_time;
        info.target_reg = target.with_timeout(limit).register_if().unwrap_or_default();
        self.change(|model| model.plan_add_link(name, info))
    }
}

impl Link for Servant {
    fn add_link(
        &self,
        name: &str,
        target: &LookupRef,
        def_pass_on_follow_rule: FollowOption,
        limiting_follow_rule: FollowOption,
    ) -> Result<(), Error<AddLinkRaises>> {
        self.check_operator()?;
        raise(self.link_to(name, target, def_pass_on_follow_rule, limiting_follow_rule))
    }

    fn remove_link(&self, name: &str) -> Result<(), Error<RemoveLinkRaises>> {
        self.check_operator()?;
        raise(self.change(|model| model.plan_remove_link(name)))
    }

    fn describe_link(&self, name: &str) -> Result<LinkInfo, Error<DescribeLinkRaises>> {
        raise(self.model().link(name).cloned())
    }

    fn list_links(&self) -> Result<LinkNameSeq, SystemException> {
        Ok(self.model().links().map(|(name, _)| name.to_owned()).collect())
    }

    fn modify_link(
        &self,
        name: &str,
        def_pass_on_follow_rule: FollowOption,
        limiting_follow_rule: FollowOption,
    ) -> Result<(), Error<ModifyLinkRaises>> {
        self.check_operator()?;
        raise(self.change(|model| {
            model.plan_modify_link(name, def_pass_on_follow_rule, limiting_follow_rule)
        }))
    }
}
