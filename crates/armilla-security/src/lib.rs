#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod access;
mod assertion;
mod audit;
mod caller;
mod client;
mod hash;
mod limits;
mod mechanism;
mod options;
mod password;
mod policy;
mod principal;
mod secret;
mod server;
mod watched;
mod who;

pub use access::{
    AccessFile, AccessFileError, AccessRules, Decision, Finding, Question, Roles, RuleError,
};
pub use armilla_giop::csi::ScopedName;
pub use audit::{
    Audit, AuditHealth, AuditOptions, OnFailure, Outcome as AuditOutcome, Record as AuditRecord,
    Recorded,
};
pub use caller::{Caller, Proof};
pub use client::{ActingFor, ClientCredentials, ClientSecurity, ClientSecurityBuilder, Identity};
pub use limits::{Held, LimitCounts, LimitOptions, Limits, Owner, Quota, Resource, UsedUp};
pub use mechanism::Mechanism;
#[doc(hidden)]
pub use password::check_text as check_password_file;
pub use password::{
    GuessLimits, LoginRefused, Logins, PasswordFile, PasswordFileError, PasswordVerifier, Totp,
};
pub use policy::Authentication;
pub use principal::{Pattern, Principal};
pub use secret::Secret;
pub use server::{ContextLimits, ServerSecurity, ServerSecurityBuilder};
pub use watched::Watched;
