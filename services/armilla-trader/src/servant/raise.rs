//! From errors of the model to the exceptions that each operation may raise.

use crate::model::ModelError;
use armilla::{Completion, Error, ExceptionKind, Minor, SystemException};
use armilla_cos_trading::repos::service_type_repository::{
    AddTypeRaises, DescribeTypeRaises, FullyDescribeTypeRaises, MaskTypeRaises, RemoveTypeRaises,
    UnmaskTypeRaises,
};
use armilla_cos_trading::{link, lookup, proxy, register};

/// The exceptions of an operation, each of which a model may fail with.
pub(super) trait Raised: Sized {
    /// The exception for an error. One that the operation cannot raise becomes `INTERNAL`.
    fn raised(error: ModelError) -> Error<Self>;
}

/// The outcome of an operation, with the exceptions that it may raise.
pub(super) fn raise<T, E: Raised>(outcome: Result<T, ModelError>) -> Result<T, Error<E>> {
    outcome.map_err(E::raised)
}

/// Lists the errors of each operation.
macro_rules! raised {
    ($($raises:path: $($error:ident)*;)*) => {
        $(impl Raised for $raises {
            fn raised(error: ModelError) -> Error<Self> {
                match error {
                    $(ModelError::$error(exception) => Error::User((*exception).into()),)*
                    ModelError::System(exception) => Error::System(exception),
                    other => Error::System(unexpected(&other)),
                }
            }
        })*
    };
}

raised! {
        lookup::QueryRaises: IllegalServiceType UnknownServiceType IllegalConstraint
        IllegalPreference IllegalPolicyName PolicyTypeMismatch InvalidPolicyValue
        IllegalPropertyName DuplicatePropertyName DuplicatePolicyName;
        register::ExportRaises: InvalidObjectRef IllegalServiceType UnknownServiceType
        InterfaceTypeMismatch IllegalPropertyName PropertyTypeMismatch ReadonlyDynamicProperty
        MissingMandatoryProperty DuplicatePropertyName;
        register::WithdrawRaises: IllegalOfferId UnknownOfferId ProxyOfferId;
        register::DescribeRaises: IllegalOfferId UnknownOfferId ProxyOfferId;
        register::ModifyRaises: NotImplemented IllegalOfferId UnknownOfferId ProxyOfferId
        IllegalPropertyName UnknownPropertyName PropertyTypeMismatch ReadonlyDynamicProperty
        MandatoryProperty ReadonlyProperty DuplicatePropertyName;
        register::WithdrawUsingConstraintRaises: IllegalServiceType UnknownServiceType
        IllegalConstraint NoMatchingOffers;
        register::ResolveRaises: IllegalTraderName UnknownTraderName RegisterNotSupported;
        link::AddLinkRaises: IllegalLinkName DuplicateLinkName InvalidLookupRef
        DefaultFollowTooPermissive LimitingFollowTooPermissive;
        link::RemoveLinkRaises: IllegalLinkName UnknownLinkName;
        link::DescribeLinkRaises: IllegalLinkName UnknownLinkName;
        link::ModifyLinkRaises: IllegalLinkName UnknownLinkName DefaultFollowTooPermissive
        LimitingFollowTooPermissive;
        proxy::ExportProxyRaises: IllegalServiceType UnknownServiceType InvalidLookupRef
        IllegalPropertyName PropertyTypeMismatch ReadonlyDynamicProperty MissingMandatoryProperty
        IllegalRecipe DuplicatePropertyName DuplicatePolicyName;
        proxy::WithdrawProxyRaises: IllegalOfferId UnknownOfferId NotProxyOfferId;
        proxy::DescribeProxyRaises: IllegalOfferId UnknownOfferId NotProxyOfferId;
        AddTypeRaises: IllegalServiceType ServiceTypeExists DerivedInterfaceMismatch
        IllegalPropertyName DuplicatePropertyName ValueTypeRedefinition UnknownServiceType
        DuplicateServiceTypeName;
        RemoveTypeRaises: IllegalServiceType UnknownServiceType HasSubTypes;
        DescribeTypeRaises: IllegalServiceType UnknownServiceType;
        FullyDescribeTypeRaises: IllegalServiceType UnknownServiceType;
        MaskTypeRaises: IllegalServiceType UnknownServiceType AlreadyMasked;
        UnmaskTypeRaises: IllegalServiceType UnknownServiceType NotMasked;
}

#[cold]
fn unexpected(error: &ModelError) -> SystemException {
    SystemException::new(ExceptionKind::Internal, Minor::default(), Completion::Maybe)
        .with_reason(format!("the operation cannot raise {error}"))
}

/// The exception of an operation that no rule forbids.
pub(super) fn system(error: ModelError) -> SystemException {
    match error {
        ModelError::System(exception) => exception,
        other => SystemException::new(ExceptionKind::Internal, Minor::default(), Completion::Maybe)
            .with_reason(other.to_string()),
    }
}
