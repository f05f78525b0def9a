//! The errors of the object adapters.

use crate::exception::{Completion, Error, ExceptionKind, Minor, SystemException};
use crate::policies::PolicyError;
use std::fmt;

/// Why an operation of a [`Poa`](super::Poa), a [`PoaManager`](super::PoaManager) or
/// [`Current`](super::Current) failed: one of the user exceptions that CORBA declares for them, by
/// name (CORBA 3.4 Part 1, 15.3), or a system exception.
///
/// With `?` it converts into a [`SystemException`]: `OBJ_ADAPTER`, `BAD_INV_ORDER` or `INV_POLICY`
/// with a minor code of Armilla's own.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PoaError {
    /// The parent already has a POA of this name.
    AdapterAlreadyExists,
    /// There is no POA of this name, and none was created.
    AdapterNonExistent,
    /// The POA manager was deactivated, which is final.
    AdapterInactive,
    /// The ORB already has a POA manager with this id.
    ManagerAlreadyExists,
    /// A policy contradicts others, or its type is unknown.
    InvalidPolicy {
        /// The index of the policy, in the order in which the policies were added, from 0.
        index: u16,
    },
    /// A POA manager cannot have such a policy.
    Policy(PolicyError),
    /// No default servant was set.
    NoServant,
    /// An object is already active under this id.
    ObjectAlreadyActive,
    /// No object is active under this id.
    ObjectNotActive,
    /// The servant already incarnates an object, and the POA allows it only one.
    ServantAlreadyActive,
    /// The servant incarnates no object.
    ServantNotActive,
    /// The reference was not made by this POA.
    WrongAdapter,
    /// The policies of the POA do not allow this.
    WrongPolicy,
    /// The calling thread is serving no request.
    NoContext,
    /// A system exception, which any call may raise.
    System(SystemException),
}

impl PoaError {
    fn words(&self) -> &'static str {
        match self {
            Self::AdapterAlreadyExists => "the parent has a POA of this name already",
            Self::AdapterNonExistent => "there is no POA of this name, and none was made",
            Self::AdapterInactive => "the POA manager was deactivated",
            Self::ManagerAlreadyExists => "the ORB has a POA manager with this id already",
            Self::InvalidPolicy { .. } => "a policy contradicts others, or nobody knows its type",
            Self::Policy(_) => "a POA manager cannot have such a policy",
            Self::NoServant => "the POA has no default servant",
            Self::ObjectAlreadyActive => "an object is active under this id already",
            Self::ObjectNotActive => "no object is active under this id",
            Self::ServantAlreadyActive => {
                "the servant incarnates an object already, and the POA allows it one (UNIQUE_ID)"
            }
            Self::ServantNotActive => "the servant incarnates no object of this POA",
            Self::WrongAdapter => "the reference was not made by this POA",
            Self::WrongPolicy => "the policies of the POA do not allow this",
            Self::NoContext => "no request is being served by this thread",
            Self::System(_) => "a system exception",
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::AdapterAlreadyExists => "AdapterAlreadyExists",
            Self::AdapterNonExistent => "AdapterNonExistent",
            Self::AdapterInactive => "AdapterInactive",
            Self::ManagerAlreadyExists => "ManagerAlreadyExists",
            Self::InvalidPolicy { .. } => "InvalidPolicy",
            Self::Policy(_) => "PolicyError",
            Self::NoServant => "NoServant",
            Self::ObjectAlreadyActive => "ObjectAlreadyActive",
            Self::ObjectNotActive => "ObjectNotActive",
            Self::ServantAlreadyActive => "ServantAlreadyActive",
            Self::ServantNotActive => "ServantNotActive",
            Self::WrongAdapter => "WrongAdapter",
            Self::WrongPolicy => "WrongPolicy",
            Self::NoContext => "NoContext",
            Self::System(_) => "SystemException",
        }
    }
}

impl From<SystemException> for PoaError {
    fn from(exception: SystemException) -> Self {
        Self::System(exception)
    }
}

impl From<PolicyError> for PoaError {
    fn from(error: PolicyError) -> Self {
        Self::Policy(error)
    }
}

impl From<PoaError> for SystemException {
    #[cold]
    fn from(error: PoaError) -> Self {
        let (kind, minor) = match &error {
            PoaError::System(exception) => return exception.clone(),
            PoaError::Policy(error) => return error.clone().into(),
            PoaError::AdapterAlreadyExists | PoaError::ManagerAlreadyExists => {
                (ExceptionKind::ObjAdapter, Minor::ADAPTER_ALREADY_EXISTS)
            }
            PoaError::ObjectAlreadyActive | PoaError::ServantAlreadyActive => {
                (ExceptionKind::ObjAdapter, Minor::OBJECT_ALREADY_ACTIVE)
            }
            PoaError::ObjectNotActive | PoaError::ServantNotActive => {
                (ExceptionKind::ObjAdapter, Minor::OBJECT_NOT_ACTIVE)
            }
            PoaError::AdapterInactive => (ExceptionKind::ObjAdapter, Minor::POA_MANAGER_INACTIVE),
            PoaError::InvalidPolicy { .. } => (ExceptionKind::InvPolicy, Minor::WRONG_POLICY),
            PoaError::NoContext => (ExceptionKind::BadInvOrder, Minor::default()),
            _ => (ExceptionKind::ObjAdapter, Minor::WRONG_POLICY),
        };
        Self::new(kind, minor, Completion::No).with_reason(error.to_string())
    }
}

impl<E> From<PoaError> for Error<E> {
    /// The same error as a system exception, for operations with a `raises` clause.
    fn from(error: PoaError) -> Self {
        SystemException::from(error).into()
    }
}

impl fmt::Display for PoaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(exception) => exception.fmt(f),
            Self::Policy(error) => write!(f, "{}: {} ({error})", self.name(), self.words()),
            Self::InvalidPolicy { index } => {
                write!(f, "{}: {} (number {index} of those given)", self.name(), self.words())
            }
            _ => write!(f, "{}: {}", self.name(), self.words()),
        }
    }
}

impl std::error::Error for PoaError {}
