//! What each operation raises for a refusal.

use crate::properties::corba::property_set::{
    DefinePropertyRaises, DeletePropertyRaises, GetPropertyValueRaises, IsPropertyDefinedRaises,
};
use crate::properties::corba::property_set_def::{
    DefinePropertyWithModeRaises, GetPropertyModeRaises, SetPropertyModeRaises,
};
use crate::properties::corba::{
    ConflictingProperty, ExceptionReason, FixedProperty, InvalidPropertyName, MultipleExceptions,
    PropertyException, PropertyNotFound, ReadOnlyProperty, UnsupportedMode, UnsupportedProperty,
    UnsupportedTypeCode,
};
use crate::properties::model::Refusal;
use armilla::{Error, ExceptionKind};

/// What an operation with these exceptions raises.
pub(super) trait Raise: Sized {
    fn raise(refusal: Refusal) -> Error<Self>;
}

macro_rules! raise {
    ($($raises:ident { $($refusal:ident $exception:ident)* })*) => {
        $(impl Raise for $raises {
            fn raise(refusal: Refusal) -> Error<Self> {
                match refusal {
                    $(Refusal::$refusal => $exception {}.into(),)*
                    // The model refuses nothing else here.
                    other => ExceptionKind::Internal.because(format!("{other:?}")).into(),
                }
            }
        })*
    };
}

raise! {
    DefinePropertyRaises {
        InvalidName InvalidPropertyName
        Conflicting ConflictingProperty
        UnsupportedType UnsupportedTypeCode
        UnsupportedProperty UnsupportedProperty
        ReadOnly ReadOnlyProperty
    }
    DefinePropertyWithModeRaises {
        InvalidName InvalidPropertyName
        Conflicting ConflictingProperty
        UnsupportedType UnsupportedTypeCode
        UnsupportedProperty UnsupportedProperty
        UnsupportedMode UnsupportedMode
        ReadOnly ReadOnlyProperty
    }
    GetPropertyValueRaises { InvalidName InvalidPropertyName NotFound PropertyNotFound }
    DeletePropertyRaises {
        InvalidName InvalidPropertyName
        NotFound PropertyNotFound
        Fixed FixedProperty
    }
    IsPropertyDefinedRaises { InvalidName InvalidPropertyName }
    GetPropertyModeRaises { InvalidName InvalidPropertyName NotFound PropertyNotFound }
    SetPropertyModeRaises {
        InvalidName InvalidPropertyName
        NotFound PropertyNotFound
        UnsupportedMode UnsupportedMode
        UnsupportedProperty UnsupportedMode
    }
}

/// The refusals of several properties, by name.
pub(super) type Refused = Vec<(String, Refusal)>;

/// All refusals of an operation on several properties.
pub(super) fn all(refused: Refused) -> MultipleExceptions {
    let one = |(failing_property_name, refusal)| {
        let reason = match refusal {
            Refusal::InvalidName => ExceptionReason::InvalidPropertyName,
            Refusal::Conflicting => ExceptionReason::ConflictingProperty,
            Refusal::NotFound => ExceptionReason::PropertyNotFound,
            Refusal::UnsupportedType => ExceptionReason::UnsupportedTypeCode,
            Refusal::UnsupportedProperty => ExceptionReason::UnsupportedProperty,
            Refusal::UnsupportedMode => ExceptionReason::UnsupportedMode,
            Refusal::Fixed => ExceptionReason::FixedProperty,
            Refusal::ReadOnly => ExceptionReason::ReadOnlyProperty,
        };
        PropertyException { reason, failing_property_name }
    };
    MultipleExceptions { exceptions: refused.into_iter().map(one).collect() }
}
