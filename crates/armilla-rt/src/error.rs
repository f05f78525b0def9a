//! Errors of configuration: what was asked of whom, why it cannot be, and what to do.

use armilla::{Completion, ExceptionKind, Minor, SystemException};
use std::fmt;

/// A policy or an option that cannot be met. It names the object that has it, the policy, its
/// value, the reason and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RtError {
    kind: RtErrorKind,
    object: String,
    policy: &'static str,
    value: String,
    reason: String,
    remedy: String,
}

/// The kind of an [`RtError`], and with it the system exception that it becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RtErrorKind {
    /// A value is out of range or malformed: `BAD_PARAM`.
    Value,
    /// Policies contradict one another: `INV_POLICY`.
    Policy,
    /// A CORBA priority has no native priority, or none of its own: `DATA_CONVERSION`.
    Mapping,
    /// The process lacks a privilege: `NO_PERMISSION`.
    Permission,
    /// The system lacks a resource: `NO_RESOURCES`.
    Resource,
    /// Something happened in the wrong order: `BAD_INV_ORDER`.
    Order,
}

impl RtError {
    pub(crate) fn new(
        kind: RtErrorKind,
        object: impl fmt::Display,
        policy: &'static str,
        value: impl fmt::Display,
        reason: impl fmt::Display,
        remedy: impl fmt::Display,
    ) -> Self {
        Self {
            kind,
            object: object.to_string(),
            policy,
            value: value.to_string(),
            reason: reason.to_string(),
            remedy: remedy.to_string(),
        }
    }

    /// The kind of the error.
    pub const fn kind(&self) -> RtErrorKind {
        self.kind
    }

    /// The object that was to have the policy.
    pub fn object(&self) -> &str {
        &self.object
    }

    /// The policy or option.
    pub const fn policy(&self) -> &str {
        self.policy
    }

    /// The value that was asked for.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Why it cannot be met.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// What to do.
    pub fn remedy(&self) -> &str {
        &self.remedy
    }
}

impl fmt::Display for RtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { object, policy, value, reason, .. } = self;
        write!(f, "{object}: {policy} {value}: {reason}; {}", self.remedy)
    }
}

impl std::error::Error for RtError {}

impl From<RtError> for SystemException {
    fn from(error: RtError) -> Self {
        let kind = match error.kind {
            RtErrorKind::Value => ExceptionKind::BadParam,
            RtErrorKind::Policy => ExceptionKind::InvPolicy,
            RtErrorKind::Mapping => ExceptionKind::DataConversion,
            RtErrorKind::Permission => ExceptionKind::NoPermission,
            RtErrorKind::Resource => ExceptionKind::NoResources,
            RtErrorKind::Order => ExceptionKind::BadInvOrder,
        };
        let RtError { object, policy, value, reason, remedy, .. } = error;
        Self::new(kind, Minor::BAD_ARGUMENT, Completion::No)
            .with_reason(format!("{object}: {policy} {value}: {reason}"))
            .with_hint(remedy)
    }
}
