//! `Register`: offers.

use super::Servant;
use super::query::Query;
use super::raise::raise;
use crate::model::{Model, ModelError, Search};
use armilla::{Completion, Error, ExceptionKind, Minor, Object, SystemException};
use armilla_cos_trading::lookup::{HowManyProps, SpecifiedProps};
use armilla_cos_trading::register::{
    DescribeRaises, ExportRaises, IllegalTraderName, InterfaceTypeMismatch, InvalidObjectRef,
    ModifyRaises, NoMatchingOffers, OfferInfo, RegisterNotSupported, ResolveRaises,
    UnknownTraderName, WithdrawRaises, WithdrawUsingConstraintRaises,
};
use armilla_cos_trading::{
    LinkName, OfferId, Property, PropertyName, Register, RegisterRef, TraderComponents,
};

type Outcome<T> = Result<T, ModelError>;

impl Servant {
    pub(super) fn export_offer(&self, info: OfferInfo) -> Outcome<OfferId> {
        if info.reference.is_nil() {
            return Err(InvalidObjectRef { r#ref: info.reference }.into());
        }
        let view = self.view();
        let interface = self.read(&view, |model| {
            model.service_types().get(&info.r#type).map(|ty| ty.declared.if_name.clone())
        });
        let interface = interface.flatten()?;
        let may_have = {
            let _alone = self.alone();
            self.may_have(&info.reference, &interface)
        };
        if !may_have {
            let (r#type, reference) = (info.r#type, info.reference);
            return Err(InterfaceTypeMismatch { r#type, reference }.into());
        }
        let limit = self.service.limits.offers;
        self.change_by(&view, |model| match model.offer_count() < limit {
            true => model.plan_export(info),
            false => Err(full(limit).into()),
        })
    }

    /// Whether an object may have an interface. One that does not answer may: its server need not
    /// run when it is offered, and then others at its address are not asked for a while.
    fn may_have(&self, object: &Object, interface: &str) -> bool {
        let Some(id) = repository_id(interface) else { return true };
        let asked = self.bounded(object);
        self.service.silent.ask(object, || asked.is_a(&id)).unwrap_or(true)
    }

    /// Withdraws the offers of exactly one type that match a constraint.
    fn withdraw_matching(&self, service_type: &str, constraint: &str) -> Outcome<()> {
        let none = SpecifiedProps::Unlisted { discriminator: HowManyProps::None };
        let view = self.view();
        let _alone = self.alone();
        let compiled = self.compile(Query {
            view: &view,
            service_type,
            constraint,
            preference: "",
            policies: &[],
            desired: &none,
            how_many: 0,
        })?;
        let search = Search {
            service_type,
            constraint: &compiled.constraint,
            preference: &compiled.preference,
            exact_type: true,
            modifiable: true,
            dynamic: true,
            proxies: false,
            search_card: u32::MAX,
            match_card: u32::MAX,
        };
        let matches = self.read(&view, |model| model.search(&search))?;
        let deadline = self.query_end();
        let matching: Vec<_> = self
            .settle(matches.candidates, &compiled, deadline)
            .into_iter()
            .filter_map(|(_, answer)| answer.into_offer())
            .collect();
        match self.change_by(&view, |model| model.plan_withdraw_all(&matching))? {
            0 => Err(NoMatchingOffers { constr: constraint.to_owned() }.into()),
            _ => Ok(()),
        }
    }

    /// The `Register` of another trader, by the links to it.
    fn resolve_trader(&self, name: &[LinkName]) -> Outcome<RegisterRef> {
        let Some((first, rest)) = self.first_link(name) else {
            return Err(IllegalTraderName { name: name.to_vec() }.into());
        };
        let link = self.read(&self.view(), |model| model.link(first).cloned()).flatten();
        let _alone = self.alone();
        let link = link.map_err(|error| match error {
            ModelError::IllegalLinkName(_) => {
                ModelError::from(IllegalTraderName { name: name.to_vec() })
            }
            _ => UnknownTraderName { name: name.to_vec() }.into(),
        })?;
        let limit = self.service.limits.call_time;
        let mut register = link.target_reg;
        if register.is_nil() {
            // The other trader was not there when the link was made.
            register = link.target.with_timeout(limit).register_if().unwrap_or_default();
        }
        if register.is_nil() {
            return Err(RegisterNotSupported { name: name.to_vec() }.into());
        }
        if rest.is_empty() {
            return Ok(register);
        }
        match register.with_timeout(limit).resolve(rest) {
            Ok(register) => Ok(register),
            Err(Error::System(exception)) => Err(exception.into()),
            Err(Error::User(ResolveRaises::IllegalTraderName(exception))) => Err(exception.into()),
            Err(Error::User(ResolveRaises::UnknownTraderName(exception))) => Err(exception.into()),
            Err(Error::User(ResolveRaises::RegisterNotSupported(exception))) => {
                Err(exception.into())
            }
        }
    }
}

/// The repository id of an interface that is given by that or by its scoped name; `None` for
/// one that every object has.
pub(super) fn repository_id(interface: &str) -> Option<String> {
    match interface.trim_start_matches("::") {
        "" | "Object" | "CORBA::Object" | "IDL:omg.org/CORBA/Object:1.0" => None,
        id if id.contains(':') && !id.contains("::") => Some(id.to_owned()),
        scoped => Some(format!("IDL:{}:1.0", scoped.replace("::", "/"))),
    }
}

#[cold]
fn full(limit: usize) -> SystemException {
    SystemException::new(ExceptionKind::NoResources, Minor::default(), Completion::No)
        .with_reason(format!("the trader has {limit} offers, its limit (--offers)"))
}

impl Register for Servant {
    fn export(
        &self,
        reference: &Object,
        r#type: &str,
        properties: &[Property],
    ) -> Result<OfferId, Error<ExportRaises>> {
        raise(self.export_offer(OfferInfo {
            reference: reference.clone(),
            r#type: r#type.to_owned(),
            properties: properties.to_vec(),
        }))
    }

    fn withdraw(&self, id: &str) -> Result<(), Error<WithdrawRaises>> {
        raise(self.change_by(&self.view(), |model| model.plan_withdraw(id)))
    }

    fn describe(&self, id: &str) -> Result<OfferInfo, Error<DescribeRaises>> {
        raise(self.read(&self.view(), |model| model.describe(id)).flatten())
    }

    fn modify(
        &self,
        id: &str,
        del_list: &[PropertyName],
        modify_list: &[Property],
    ) -> Result<(), Error<ModifyRaises>> {
        let plan = |model: &Model| model.plan_modify(id, del_list, modify_list);
        raise(self.change_by(&self.view(), plan))
    }

    fn withdraw_using_constraint(
        &self,
        r#type: &str,
        constr: &str,
    ) -> Result<(), Error<WithdrawUsingConstraintRaises>> {
        raise(self.withdraw_matching(r#type, constr))
    }

    fn resolve(&self, name: &[LinkName]) -> Result<RegisterRef, Error<ResolveRaises>> {
        raise(self.resolve_trader(name))
    }
}
