//! `Link`: links to other traders.

use super::Servant;
use super::raise::raise;
use armilla::{Error, SystemException};
use armilla_cos_trading::link::{
    AddLinkRaises, DescribeLinkRaises, LinkInfo, ModifyLinkRaises, RemoveLinkRaises,
};
use armilla_cos_trading::{FollowOption, Link, LinkNameSeq, LookupRef, TraderComponents};

impl Link for Servant {
    fn add_link(
        &self,
        name: &str,
        target: &LookupRef,
        def_pass_on_follow_rule: FollowOption,
        limiting_follow_rule: FollowOption,
    ) -> Result<(), Error<AddLinkRaises>> {
        self.check_operator()?;
        let mut info = LinkInfo {
            target: target.clone(),
            target_reg: Default::default(),
            def_pass_on_follow_rule,
            limiting_follow_rule,
        };
        // Illegal arguments are refused before the other trader is asked.
        raise::<_, AddLinkRaises>(self.model().plan_add_link(name, info.clone()))?;
        let limit = self.service.limits.call_time;
        info.target_reg = target.with_timeout(limit).register_if().unwrap_or_default();
        raise(self.change(|model| model.plan_add_link(name, info)))
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
