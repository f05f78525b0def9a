//! The trading service of the OMG (Trading Object Service 1.0): objects are offered with properties,
//! and found by a constraint over these.
//!
//! A [`Store`] holds service types, offers and links. [`serve`] publishes it as CORBA objects, which
//! clients of any vendor call: `Lookup`, `Register`, `Link`, `Proxy`, `Admin` and the
//! `ServiceTypeRepository`. [`constraint`] has the languages, [`model`] the rules. With the feature
//! `disk`, a store outlives its process; with the feature `server`, there is a server process with
//! a web page and metrics.
//!
//! ```
//! use armilla::{Any, Orb, TypeCode};
//! use armilla_cos_trading::lookup::{HowManyProps, SpecifiedProps};
//! use armilla_cos_trading::repos::service_type_repository::{PropStruct, PropertyMode};
//! use armilla_cos_trading::repos::{ServiceTypeRepository, ServiceTypeRepositoryRef};
//! use armilla_cos_trading::{Lookup, Property, Register, SupportAttributes, TraderComponents};
//! use armilla_trader::{Limits, Store};
//!
//! let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
//! let lookup = armilla_trader::serve(&orb, Store::memory(&orb)?, Limits::default())?.lookup();
//!
//! let types: ServiceTypeRepositoryRef = lookup.type_repos()?.narrow()?;
//! let price = PropStruct {
//!     name: "price".to_owned(),
//!     value_type: TypeCode::Double,
//!     mode: PropertyMode::PropMandatory,
//! };
//! types.add_type("Printer", "", &[price], &[])?;
//!
//! let printer = orb.string_to_object("corbaloc::printers.invalid/laser")?;
//! let price = Property { name: "price".to_owned(), value: Any::new(&12.5)? };
//! lookup.register_if()?.export(&printer, "Printer", &[price])?;
//!
//! let all = SpecifiedProps::Unlisted { discriminator: HowManyProps::All };
//! let (offers, ..) = lookup.query("Printer", "price < 20", "min price", &[], &all, 10)?;
//! assert_eq!(offers[0].reference, printer);
//! # orb.shutdown();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod constraint;
mod from_idl;
mod limits;
pub mod model;
mod servant;
#[cfg(feature = "server")]
pub mod server;
mod store;

pub use from_idl::properties_of_interface;
pub use limits::Limits;
#[cfg(feature = "transactions")]
pub use servant::serve_with_transactions;
pub use servant::{Activity, TRADING_SERVICE, Trader, serve};
#[cfg(feature = "disk")]
pub use store::Saved;
pub use store::{Recovered, Store, StoreError};
