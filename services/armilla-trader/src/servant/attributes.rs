//! The attributes that several interfaces share.

use super::Servant;
use crate::model::Attribute;
use armilla::SystemException;
use armilla_cos_trading::{
    AdminRef, FollowOption, ImportAttributes, LinkAttributes, LinkRef, LookupRef, ProxyRef,
    RegisterRef, SupportAttributes, TraderComponents, TypeRepository,
};

type Result<T> = std::result::Result<T, SystemException>;

impl Servant {
    /// The value of an attribute.
    pub(super) fn number(&self, attribute: Attribute) -> u32 {
        self.model().attributes().get(attribute)
    }

    /// Whether an attribute that is a boolean is TRUE.
    pub(super) fn is_set(&self, attribute: Attribute) -> bool {
        self.model().attributes().is_set(attribute)
    }

    /// The value of an attribute that is a follow option.
    pub(super) fn follow(&self, attribute: Attribute) -> FollowOption {
        self.model().attributes().follow(attribute)
    }
}

impl TraderComponents for Servant {
    fn lookup_if(&self) -> Result<LookupRef> {
        Ok(self.references()?.lookup.clone())
    }

    fn register_if(&self) -> Result<RegisterRef> {
        Ok(self.references()?.register.clone())
    }

    fn link_if(&self) -> Result<LinkRef> {
        Ok(self.references()?.link.clone())
    }

    fn proxy_if(&self) -> Result<ProxyRef> {
        Ok(self.references()?.proxy.clone())
    }

    fn admin_if(&self) -> Result<AdminRef> {
        Ok(self.references()?.admin.clone())
    }
}

impl SupportAttributes for Servant {
    fn supports_modifiable_properties(&self) -> Result<bool> {
        Ok(self.is_set(Attribute::SupportsModifiableProperties))
    }

    fn supports_dynamic_properties(&self) -> Result<bool> {
        Ok(self.is_set(Attribute::SupportsDynamicProperties))
    }

    fn supports_proxy_offers(&self) -> Result<bool> {
        Ok(self.is_set(Attribute::SupportsProxyOffers))
    }

    fn type_repos(&self) -> Result<TypeRepository> {
        Ok(self.references()?.types.object().clone())
    }
}

/// Attributes that are numbers, each by its name in Rust.
macro_rules! numbers {
    ($($name:ident = $attribute:ident;)*) => {
        $(fn $name(&self) -> Result<u32> {
            Ok(self.number(Attribute::$attribute))
        })*
    };
}

impl ImportAttributes for Servant {
    numbers! {
        def_search_card = DefSearchCard;
        max_search_card = MaxSearchCard;
        def_match_card = DefMatchCard;
        max_match_card = MaxMatchCard;
        def_return_card = DefReturnCard;
        max_return_card = MaxReturnCard;
        max_list = MaxList;
        def_hop_count = DefHopCount;
        max_hop_count = MaxHopCount;
    }

    fn def_follow_policy(&self) -> Result<FollowOption> {
        Ok(self.follow(Attribute::DefFollowPolicy))
    }

    fn max_follow_policy(&self) -> Result<FollowOption> {
        Ok(self.follow(Attribute::MaxFollowPolicy))
    }
}

impl LinkAttributes for Servant {
    fn max_link_follow_policy(&self) -> Result<FollowOption> {
        Ok(self.follow(Attribute::MaxLinkFollowPolicy))
    }
}
