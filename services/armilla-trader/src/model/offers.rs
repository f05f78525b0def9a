//! The rules of offers (Trading Object Service 1.0, 2.2.2 and 2.4.4).

use super::offer::{Offer, Target};
use super::property::{dynamic, is_dynamic, type_of};
use super::service_types::{ServiceType, is_mandatory, is_readonly};
use super::{Attribute, Change, Model, ModelError, Planned, names, recipe};
use armilla::{Completion, ExceptionKind, Minor, SystemException};
use armilla_cos_trading::proxy::{IllegalRecipe, NotProxyOfferId, ProxyInfo};
use armilla_cos_trading::register::{
    InvalidObjectRef, MandatoryProperty, OfferInfo, ProxyOfferId, ReadonlyProperty,
    UnknownPropertyName,
};
use armilla_cos_trading::{
    DuplicatePolicyName, DuplicatePropertyName, InvalidLookupRef, MissingMandatoryProperty,
    NotImplemented, Property, PropertyTypeMismatch, ReadonlyDynamicProperty, UnknownOfferId,
    UnknownServiceType,
};
use std::collections::HashSet;
use std::sync::Arc;

impl Model {
    /// An offer or a proxy offer.
    ///
    /// # Errors
    /// The id is illegal or unknown.
    pub fn offer(&self, id: &str) -> Result<&Arc<Offer>, ModelError> {
        let number = names::offer_number(id)?;
        self.offer_by_number(number).ok_or_else(|| UnknownOfferId { id: id.to_owned() }.into())
    }

    pub(super) fn offer_by_number(&self, number: u64) -> Option<&Arc<Offer>> {
        let (service_type, row) = self.places.get(&number)?;
        self.tables.get(service_type.as_ref())?.offer(*row)
    }

    /// All offers and proxy offers, in the order in which they were exported.
    pub fn offers(&self) -> impl Iterator<Item = &Arc<Offer>> {
        self.places.keys().filter_map(|number| self.offer_by_number(*number))
    }

    /// An offer of an object, as it was exported.
    ///
    /// # Errors
    /// The id is illegal or unknown, or that of a proxy offer.
    pub fn describe(&self, id: &str) -> Result<OfferInfo, ModelError> {
        let info = self.offer(id)?.info();
        info.ok_or_else(|| ProxyOfferId { id: id.to_owned() }.into())
    }

    /// A proxy offer, as it was exported.
    ///
    /// # Errors
    /// The id is illegal or unknown, or that of an offer of an object.
    pub fn describe_proxy(&self, id: &str) -> Result<ProxyInfo, ModelError> {
        let info = self.offer(id)?.proxy_info();
        info.ok_or_else(|| NotProxyOfferId { id: id.to_owned() }.into())
    }

    /// Plans a new offer. Whether the object has the interface of the service type was checked.
    pub(crate) fn plan_export(&self, info: OfferInfo) -> Planned<String> {
        if info.reference.is_nil() {
            return Err(InvalidObjectRef { r#ref: info.reference }.into());
        }
        let service_type = self.open_type(&info.r#type)?;
        self.check_properties(service_type, &info.properties)?;
        let offer = Offer::of_object(self.next_offer, info);
        let id = offer.id();
        Ok((vec![Change::PutOffer(Arc::new(offer))], id))
    }

    /// Plans a new proxy offer.
    pub(crate) fn plan_export_proxy(&self, info: ProxyInfo) -> Planned<String> {
        if !self.attributes.is_set(Attribute::SupportsProxyOffers) {
            return Err(no_proxies().into());
        }
        let service_type = self.open_type(&info.r#type)?;
        if info.target.is_nil() {
            return Err(InvalidLookupRef { target: info.target }.into());
        }
        self.check_properties(service_type, &info.properties)?;
        if !recipe::is_legal(&info.recipe) {
            return Err(IllegalRecipe { recipe: info.recipe }.into());
        }
        let mut seen = HashSet::new();
        if let Some(twice) = info.policies_to_pass_on.iter().find(|p| !seen.insert(&p.name)) {
            return Err(DuplicatePolicyName { name: twice.name.clone() }.into());
        }
        let offer = Offer::of_proxy(self.next_offer, info);
        let id = offer.id();
        Ok((vec![Change::PutOffer(Arc::new(offer))], id))
    }

    /// Plans the removal of an offer of an object.
    pub(crate) fn plan_withdraw(&self, id: &str) -> Planned<()> {
        let offer = self.offer(id)?;
        match offer.target {
            Target::Object(_) => Ok((vec![Change::RemoveOffer(offer.number)], ())),
            Target::Proxy(_) => Err(ProxyOfferId { id: id.to_owned() }.into()),
        }
    }

    /// Plans the removal of a proxy offer.
    pub(crate) fn plan_withdraw_proxy(&self, id: &str) -> Planned<()> {
        let offer = self.offer(id)?;
        match offer.target {
            Target::Proxy(_) => Ok((vec![Change::RemoveOffer(offer.number)], ())),
            Target::Object(_) => Err(NotProxyOfferId { id: id.to_owned() }.into()),
        }
    }

    /// Plans the removal of those of these offers that are still there.
    pub(crate) fn plan_withdraw_all(&self, offers: &[Arc<Offer>]) -> Planned<usize> {
        let there = offers.iter().filter(|offer| self.places.contains_key(&offer.number));
        let changes: Vec<_> = there.map(|offer| Change::RemoveOffer(offer.number)).collect();
        let count = changes.len();
        Ok((changes, count))
    }

    /// Plans other properties for an offer. First `deleted` go, then `changed` replace others or
    /// are added.
    pub(crate) fn plan_modify(
        &self,
        id: &str,
        deleted: &[String],
        changed: &[Property],
    ) -> Planned<()> {
        if !self.attributes.is_set(Attribute::SupportsModifiableProperties) {
            return Err(NotImplemented.into());
        }
        let offer = self.offer(id)?;
        if matches!(offer.target, Target::Proxy(_)) {
            return Err(ProxyOfferId { id: id.to_owned() }.into());
        }
        let service_type = self.service_types.get(&offer.service_type)?;
        check_names(deleted.iter().chain(changed.iter().map(|property| &property.name)))?;
        for name in deleted {
            check_deletion(service_type, offer, name)?;
        }
        for property in changed {
            let declared = service_type.declaration(&property.name);
            let is_fixed = declared.is_some_and(|declared| is_readonly(declared.mode));
            if is_fixed && offer.property(&property.name).is_some() {
                let (r#type, name) = (service_type.name.clone(), property.name.clone());
                return Err(ReadonlyProperty { r#type, name }.into());
            }
            self.check_property(service_type, property)?;
        }
        let is_kept = |property: &&Property| {
            !deleted.contains(&property.name)
                && changed.iter().all(|other| other.name != property.name)
        };
        let kept = offer.properties.iter().filter(is_kept);
        let offer = offer.with_properties(kept.chain(changed).cloned().collect());
        Ok((vec![Change::PutOffer(Arc::new(offer))], ()))
    }

    /// A type of which offers can be exported.
    fn open_type(&self, name: &str) -> Result<&ServiceType, ModelError> {
        let service_type = self.service_types.get(name)?;
        match service_type.declared.masked {
            true => Err(UnknownServiceType { r#type: name.to_owned() }.into()),
            false => Ok(service_type),
        }
    }

    fn check_properties(
        &self,
        service_type: &ServiceType,
        properties: &[Property],
    ) -> Result<(), ModelError> {
        check_names(properties.iter().map(|property| &property.name))?;
        for property in properties {
            self.check_property(service_type, property)?;
        }
        let is_there = |name: &str| properties.iter().any(|property| property.name == name);
        let missing =
            |declared: &&armilla_cos_trading::repos::service_type_repository::PropStruct| {
                is_mandatory(declared.mode) && !is_there(&declared.name)
            };
        match service_type.properties.iter().find(missing) {
            Some(declared) => Err(MissingMandatoryProperty {
                r#type: service_type.name.clone(),
                name: declared.name.clone(),
            }
            .into()),
            None => Ok(()),
        }
    }

    fn check_property(
        &self,
        service_type: &ServiceType,
        property: &Property,
    ) -> Result<(), ModelError> {
        let mismatch =
            || PropertyTypeMismatch { r#type: service_type.name.clone(), prop: property.clone() };
        let is_dynamic = is_dynamic(&property.value);
        if is_dynamic {
            let evaluator = dynamic(&property.value, &self.orb).ok().flatten();
            let is_supported = self.attributes.is_set(Attribute::SupportsDynamicProperties);
            if !is_supported || evaluator.is_none_or(|dynamic| dynamic.eval_if.is_nil()) {
                return Err(mismatch().into());
            }
        }
        let Some(declared) = service_type.declaration(&property.name) else { return Ok(()) };
        if is_dynamic && is_readonly(declared.mode) {
            let (r#type, name) = (service_type.name.clone(), property.name.clone());
            return Err(ReadonlyDynamicProperty { r#type, name }.into());
        }
        match type_of(property, &self.orb) {
            Ok(ty) if ty.is_equivalent(&declared.value_type) => Ok(()),
            _ => Err(mismatch().into()),
        }
    }
}

/// Checks that names are legal and different.
fn check_names<'n>(names: impl IntoIterator<Item = &'n String>) -> Result<(), ModelError> {
    let mut seen = HashSet::new();
    for name in names {
        names::property(name)?;
        if !seen.insert(name) {
            return Err(DuplicatePropertyName { name: name.clone() }.into());
        }
    }
    Ok(())
}

fn check_deletion(service_type: &ServiceType, offer: &Offer, name: &str) -> Result<(), ModelError> {
    if offer.property(name).is_none() {
        return Err(UnknownPropertyName { name: name.to_owned() }.into());
    }
    let Some(declared) = service_type.declaration(name) else { return Ok(()) };
    let (r#type, name) = (service_type.name.clone(), name.to_owned());
    if is_mandatory(declared.mode) {
        return Err(MandatoryProperty { r#type, name }.into());
    }
    if is_readonly(declared.mode) {
        return Err(ReadonlyProperty { r#type, name }.into());
    }
    Ok(())
}

#[cold]
fn no_proxies() -> SystemException {
    SystemException::new(ExceptionKind::NoImplement, Minor::default(), Completion::No)
        .with_reason("this trader does not support proxy offers (supports_proxy_offers)")
}
