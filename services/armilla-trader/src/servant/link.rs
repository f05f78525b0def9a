//! `Link`: links to other traders.

use super::Servant;
use super::raise::{raise, system};
use super::view::View;
use crate::model::{Model, ModelError};
use armilla::{Error, SystemException};
use armilla_cos_trading::link::{
    AddLinkRaises, DescribeLinkRaises, LinkInfo, ModifyLinkRaises, RemoveLinkRaises,
};
use armilla_cos_trading::{FollowOption, Link, LinkNameSeq, LookupRef, TraderComponents};

impl Servant {
    /// What a new link would be, if it is legal.
    pub(super) fn check_link(
        &self,
        view: &View,
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
        self.read(view, |model| model.plan_add_link(name, info.clone())).flatten()?;
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
        let view = self.view();
        let mut info = self.check_link(&view, name, target, default, limit)?;
        info.target_reg = {
            let _alone = self.alone();
            let limit = self.service.limits.call_time;
            target.with_timeout(limit).register_if().unwrap_or_default()
        };
        self.change_by(&view, |model| model.plan_add_link(name, info))
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
        raise(self.change_by(&self.view(), |model| model.plan_remove_link(name)))
    }

    fn describe_link(&self, name: &str) -> Result<LinkInfo, Error<DescribeLinkRaises>> {
        raise(self.read(&self.view(), |model| model.link(name).cloned()).flatten())
    }

    fn list_links(&self) -> Result<LinkNameSeq, SystemException> {
        let names = |model: &Model| model.links().map(|(name, _)| name.to_owned()).collect();
        self.read(&self.view(), names).map_err(system)
    }

    fn modify_link(
        &self,
        name: &str,
        def_pass_on_follow_rule: FollowOption,
        limiting_follow_rule: FollowOption,
    ) -> Result<(), Error<ModifyLinkRaises>> {
        self.check_operator()?;
        raise(self.change_by(&self.view(), |model| {
            model.plan_modify_link(name, def_pass_on_follow_rule, limiting_follow_rule)
        }))
    }
}
