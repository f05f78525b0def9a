//! The attributes of a trader: defaults and limits of policies (Trading Object Service 1.0, 2.3).

use armilla_cos_trading::FollowOption;

macro_rules! attributes {
    ($($(#[$doc:meta])* $variant:ident = $default:expr, $name:literal;)*) => {
        /// An attribute that `Admin` sets. Booleans and follow options are numbers here.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Attribute {
            $($(#[$doc])* $variant,)*
        }

        impl Attribute {
            /// All attributes.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name in IDL.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            const fn default(self) -> u32 {
                match self { $(Self::$variant => $default),* }
            }
        }
    };
}

attributes! {
    /// How many offers a query looks at, if it does not say.
    DefSearchCard = 1_000_000, "def_search_card";
    /// … at most.
    MaxSearchCard = 10_000_000, "max_search_card";
    /// How many offers that match are put in order, if a query does not say.
    DefMatchCard = 100_000, "def_match_card";
    /// … at most.
    MaxMatchCard = 1_000_000, "max_match_card";
    /// How many offers a query returns, if it does not say.
    DefReturnCard = 10_000, "def_return_card";
    /// … at most.
    MaxReturnCard = 100_000, "max_return_card";
    /// How many elements one reply carries at most; an iterator has the others.
    MaxList = 1_000, "max_list";
    /// How many links a query follows one after the other, if it does not say.
    DefHopCount = 5, "def_hop_count";
    /// … at most.
    MaxHopCount = 10, "max_hop_count";
    /// Whether a query follows links, if it does not say.
    DefFollowPolicy = FollowOption::IfNoLocal as u32, "def_follow_policy";
    /// … at most.
    MaxFollowPolicy = FollowOption::Always as u32, "max_follow_policy";
    /// The limit of the rules of new links.
    MaxLinkFollowPolicy = FollowOption::Always as u32, "max_link_follow_policy";
    /// Whether offers can be modified.
    SupportsModifiableProperties = 1, "supports_modifiable_properties";
    /// Whether offers can have dynamic properties.
    SupportsDynamicProperties = 1, "supports_dynamic_properties";
    /// Whether there can be proxy offers.
    SupportsProxyOffers = 1, "supports_proxy_offers";
}

/// The values of all attributes.
#[derive(Debug, Clone, PartialEq)]
pub struct Attributes {
    values: Vec<u32>,
    /// The beginning of the ids that the trader gives to queries.
    pub request_id_stem: Vec<u8>,
}

impl Default for Attributes {
    fn default() -> Self {
        let values = Attribute::ALL.iter().map(|attribute| attribute.default()).collect();
        Self { values, request_id_stem: Vec::new() }
    }
}

impl Attributes {
    /// The value of an attribute.
    pub fn get(&self, attribute: Attribute) -> u32 {
        self.values.get(attribute as usize).copied().unwrap_or_default()
    }

    /// Whether an attribute that is a boolean is TRUE.
    pub fn is_set(&self, attribute: Attribute) -> bool {
        self.get(attribute) != 0
    }

    /// The value of an attribute that is a follow option.
    pub fn follow(&self, attribute: Attribute) -> FollowOption {
        FollowOption::from_discriminant(self.get(attribute)).unwrap_or_default()
    }

    pub(super) fn set(&mut self, attribute: Attribute, value: u32) {
        if let Some(old) = self.values.get_mut(attribute as usize) {
            *old = value;
        }
    }
}
