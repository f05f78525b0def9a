//! `Admin`: sets attributes and lists offers.

use super::Servant;
use super::iterators::Ids;
use super::raise::system;
use crate::model::{Attribute, Change, Model, Offer, Target};
use armilla::{Completion, Error, ExceptionKind, Minor, SystemException};
use armilla_cos_trading::admin::{ListOffersRaises, ListProxiesRaises, OctetSeq};
use armilla_cos_trading::{Admin, FollowOption, OfferIdIteratorRef, OfferIdSeq, TypeRepository};

type Result<T, E = SystemException> = std::result::Result<T, E>;

impl Servant {
    /// Makes changes that no rule forbids.
    fn put(&self, changes: Vec<Change>) -> Result<()> {
        self.check_operator()?;
        // Only the store can fail, by a system exception.
        self.change(|_| Ok((changes, ()))).map_err(system)
    }

    /// Sets an attribute, and returns its value before.
    fn set(&self, attribute: Attribute, value: u32) -> Result<u32> {
        let before = self.number(attribute);
        self.put(vec![Change::SetAttribute(attribute, value)])?;
        Ok(before)
    }

    fn set_follow(&self, attribute: Attribute, value: FollowOption) -> Result<FollowOption> {
        let before = self.follow(attribute);
        self.put(vec![Change::SetAttribute(attribute, value as u32)])?;
        Ok(before)
    }

    /// The ids of the offers that fulfil a condition, and an iterator over those that do not fit.
    fn list(
        &self,
        how_many: u32,
        condition: impl Fn(&Offer) -> bool,
    ) -> Result<(OfferIdSeq, OfferIdIteratorRef)> {
        let mut ids: Vec<String> = {
            let ids = |model: &Model| {
                model.offers().filter(|offer| condition(offer)).map(|offer| offer.id()).collect()
            };
            self.read(&self.view(), ids).map_err(system)?
        };
        let most = how_many.min(self.number(Attribute::MaxList)) as usize;
        let rest = ids.split_off(ids.len().min(most));
        Ok((ids, Ids::iterator(self, rest)?))
    }
}

macro_rules! setters {
    ($($name:ident = $attribute:ident;)*) => {
        $(fn $name(&self, value: u32) -> Result<u32> {
            self.set(Attribute::$attribute, value)
        })*
    };
}

impl Admin for Servant {
    setters! {
        set_def_search_card = DefSearchCard;
        set_max_search_card = MaxSearchCard;
        set_def_match_card = DefMatchCard;
        set_max_match_card = MaxMatchCard;
        set_def_return_card = DefReturnCard;
        set_max_return_card = MaxReturnCard;
        set_max_list = MaxList;
        set_def_hop_count = DefHopCount;
        set_max_hop_count = MaxHopCount;
    }

    fn request_id_stem(&self) -> Result<OctetSeq> {
        Ok(self.model().attributes().request_id_stem.clone())
    }

    fn set_supports_modifiable_properties(&self, value: bool) -> Result<bool> {
        Ok(self.set(Attribute::SupportsModifiableProperties, value.into())? != 0)
    }

    fn set_supports_dynamic_properties(&self, value: bool) -> Result<bool> {
        Ok(self.set(Attribute::SupportsDynamicProperties, value.into())? != 0)
    }

    fn set_supports_proxy_offers(&self, value: bool) -> Result<bool> {
        Ok(self.set(Attribute::SupportsProxyOffers, value.into())? != 0)
    }

    /// The trader has its own repository, and takes no other one.
    fn set_type_repos(&self, repository: &TypeRepository) -> Result<TypeRepository> {
        let own = self.references()?.types.object().clone();
        match repository.is_equivalent(&own) {
            true => Ok(own),
            false => Err(SystemException::new(
                ExceptionKind::NoImplement,
                Minor::default(),
                Completion::No,
            )
            .with_reason("the trader has a repository of service types of its own")),
        }
    }

    fn set_request_id_stem(&self, stem: &[u8]) -> Result<OctetSeq> {
        let before = self.model().attributes().request_id_stem.clone();
        self.put(vec![Change::SetRequestIdStem(stem.to_vec())])?;
        Ok(before)
    }

    fn set_def_follow_policy(&self, policy: FollowOption) -> Result<FollowOption> {
        self.set_follow(Attribute::DefFollowPolicy, policy)
    }

    fn set_max_follow_policy(&self, policy: FollowOption) -> Result<FollowOption> {
        self.set_follow(Attribute::MaxFollowPolicy, policy)
    }

    fn set_max_link_follow_policy(&self, policy: FollowOption) -> Result<FollowOption> {
        self.set_follow(Attribute::MaxLinkFollowPolicy, policy)
    }

    fn list_offers(
        &self,
        how_many: u32,
    ) -> Result<(OfferIdSeq, OfferIdIteratorRef), Error<ListOffersRaises>> {
        Ok(self.list(how_many, |offer| matches!(offer.target, Target::Object(_)))?)
    }

    fn list_proxies(
        &self,
        how_many: u32,
    ) -> Result<(OfferIdSeq, OfferIdIteratorRef), Error<ListProxiesRaises>> {
        Ok(self.list(how_many, |offer| matches!(offer.target, Target::Proxy(_)))?)
    }
}
