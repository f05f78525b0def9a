//! Why the model refuses an operation: one variant for each exception of the specification.

use armilla::SystemException;
use armilla_cos_trading::repos::service_type_repository as repository;
use armilla_cos_trading::{self as trading, link, lookup, proxy, register};
use std::fmt;

macro_rules! errors {
    ($($(#[$doc:meta])* $variant:ident($exception:path),)*) => {
        /// Why the trader refuses an operation. The operations of IDL raise the exceptions in it,
        /// which are boxed because some are large.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum ModelError {
            $($(#[$doc])* $variant(Box<$exception>),)*
            /// A failure that no exception of the specification describes.
            System(SystemException),
        }

        $(impl From<$exception> for ModelError {
            fn from(exception: $exception) -> Self {
                Self::$variant(exception.into())
            }
        })*

        impl fmt::Display for ModelError {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$variant(exception) => write!(f, "{exception:?}"),)*
                    Self::System(exception) => exception.fmt(f),
                }
            }
        }
    };
}

errors! {
    /// The text is no name of a service type.
    IllegalServiceType(trading::IllegalServiceType),
    /// There is no such service type, or it is masked.
    UnknownServiceType(trading::UnknownServiceType),
    /// The text is no name of a property.
    IllegalPropertyName(trading::IllegalPropertyName),
    /// The same property twice.
    DuplicatePropertyName(trading::DuplicatePropertyName),
    /// The service type declares another type for the property.
    PropertyTypeMismatch(trading::PropertyTypeMismatch),
    /// The service type demands the property.
    MissingMandatoryProperty(trading::MissingMandatoryProperty),
    /// A property that never changes cannot be dynamic.
    ReadonlyDynamicProperty(trading::ReadonlyDynamicProperty),
    /// The constraint is illegal.
    IllegalConstraint(trading::IllegalConstraint),
    /// The reference to the other trader is nil.
    InvalidLookupRef(trading::InvalidLookupRef),
    /// The text is no id of an offer.
    IllegalOfferId(trading::IllegalOfferId),
    /// No offer has the id.
    UnknownOfferId(trading::UnknownOfferId),
    /// The same policy twice.
    DuplicatePolicyName(trading::DuplicatePolicyName),
    /// The trader does not support the operation.
    NotImplemented(trading::NotImplemented),
    /// The preference is illegal.
    IllegalPreference(lookup::IllegalPreference),
    /// The text is no name of a policy.
    IllegalPolicyName(lookup::IllegalPolicyName),
    /// The value of a policy is of the wrong type.
    PolicyTypeMismatch(lookup::PolicyTypeMismatch),
    /// The value of a policy cannot be met.
    InvalidPolicyValue(lookup::InvalidPolicyValue),
    /// The reference is nil.
    InvalidObjectRef(register::InvalidObjectRef),
    /// The offer does not have the property.
    UnknownPropertyName(register::UnknownPropertyName),
    /// The object does not have the interface of the service type.
    InterfaceTypeMismatch(register::InterfaceTypeMismatch),
    /// The offer is a proxy offer.
    ProxyOfferId(register::ProxyOfferId),
    /// The property cannot be deleted.
    MandatoryProperty(register::MandatoryProperty),
    /// The property cannot be changed.
    ReadonlyProperty(register::ReadonlyProperty),
    /// No offer matches the constraint.
    NoMatchingOffers(register::NoMatchingOffers),
    /// The name of a trader is empty or malformed.
    IllegalTraderName(register::IllegalTraderName),
    /// The name leads to no trader.
    UnknownTraderName(register::UnknownTraderName),
    /// The trader of that name takes no offers.
    RegisterNotSupported(register::RegisterNotSupported),
    /// The text is no name of a link.
    IllegalLinkName(link::IllegalLinkName),
    /// There is no such link.
    UnknownLinkName(link::UnknownLinkName),
    /// There is such a link already.
    DuplicateLinkName(link::DuplicateLinkName),
    /// The rule for queries without one is above the limit of the link.
    DefaultFollowTooPermissive(link::DefaultFollowTooPermissive),
    /// The limit of the link is above that of the trader.
    LimitingFollowTooPermissive(link::LimitingFollowTooPermissive),
    /// The recipe breaks its grammar.
    IllegalRecipe(proxy::IllegalRecipe),
    /// The offer is not a proxy offer.
    NotProxyOfferId(proxy::NotProxyOfferId),
    /// There is such a service type already.
    ServiceTypeExists(repository::ServiceTypeExists),
    /// The interface of a type does not derive from that of its supertype.
    DerivedInterfaceMismatch(repository::InterfaceTypeMismatch),
    /// Types derive from this one.
    HasSubTypes(repository::HasSubTypes),
    /// The type is masked already.
    AlreadyMasked(repository::AlreadyMasked),
    /// The type is not masked.
    NotMasked(repository::NotMasked),
    /// Two types declare a property differently.
    ValueTypeRedefinition(repository::ValueTypeRedefinition),
    /// The same supertype twice.
    DuplicateServiceTypeName(repository::DuplicateServiceTypeName),
}

impl std::error::Error for ModelError {}

impl From<SystemException> for ModelError {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}
