//! `Proxy`: proxy offers.

use super::Servant;
use super::raise::raise;
use armilla::Error;
use armilla_cos_trading::proxy::{
    DescribeProxyRaises, ExportProxyRaises, ProxyInfo, WithdrawProxyRaises,
};
use armilla_cos_trading::{LookupRef, OfferId, Policy, Property, Proxy};

impl Proxy for Servant {
    fn export_proxy(
        &self,
        target: &LookupRef,
        r#type: &str,
        properties: &[Property],
        if_match_all: bool,
        recipe: &str,
        policies_to_pass_on: &[Policy],
    ) -> Result<OfferId, Error<ExportProxyRaises>> {
        let info = ProxyInfo {
            r#type: r#type.to_owned(),
            target: target.clone(),
            properties: properties.to_vec(),
            if_match_all,
            recipe: recipe.to_owned(),
            policies_to_pass_on: policies_to_pass_on.to_vec(),
        };
        raise(self.change_by(&self.view(), |model| model.plan_export_proxy(info)))
    }

    fn withdraw_proxy(&self, id: &str) -> Result<(), Error<WithdrawProxyRaises>> {
        raise(self.change_by(&self.view(), |model| model.plan_withdraw_proxy(id)))
    }

    fn describe_proxy(&self, id: &str) -> Result<ProxyInfo, Error<DescribeProxyRaises>> {
        raise(self.read(&self.view(), |model| model.describe_proxy(id)).flatten())
    }
}
