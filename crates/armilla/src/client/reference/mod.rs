//! Object references: their IOR, the policies set on them, and where their calls go.

mod binding;
mod components;
mod extension;
mod identity;
mod marshal;
mod object;
mod overrides;
mod route;

pub(in crate::client) use binding::AttemptTarget;
pub(in crate::client) use extension::InstalledExtension;
pub use extension::{AddedContext, CallChoice, CallSelector, ClientExtension};
pub use object::Object;
pub(crate) use object::Reference;
pub(in crate::client) use route::Route;
pub(crate) use route::Target;
