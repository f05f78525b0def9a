//! The interfaces of the OMG naming service (Naming Service 1.3). Generated from
//! `idl/CosNaming.idl`; and what Armilla's service offers to operators, from
//! `idl/ArmillaNaming.idl`.
//!
//! A program that only binds and resolves names does not need this crate:
//! [`Orb::bind_name`](armilla::Orb::bind_name) and
//! [`Orb::resolve_name`](armilla::Orb::resolve_name) do so. This crate is for programs that list
//! contexts, make them, or serve them.
//!
//! ```no_run
//! use armilla::Orb;
//! use armilla_cos_naming::{NamingContext, NamingContextRef};
//!
//! let orb = Orb::from_args(std::env::args())?;
//! let root: NamingContextRef = orb.resolve_initial_references("NameService")?.assume();
//! let (bindings, _rest) = root.list(100)?;
//! for binding in bindings {
//!     println!("{:?}", binding.binding_name);
//! }
//! # Ok::<(), armilla::SystemException>(())
//! ```

mod generated {
    armilla::include_idl!("CosNaming");
}

pub use generated::cos_naming::*;

/// What Armilla's naming service offers to its operators (`ArmillaNaming`).
pub use generated::armilla_naming as administration;
