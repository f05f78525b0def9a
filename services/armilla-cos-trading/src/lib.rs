//! The interfaces of the OMG trading service (Trading Object Service 1.0). Generated from
//! `idl/CosTrading.idl`, `idl/CosTradingRepos.idl` and `idl/CosTradingDynamic.idl`.
//!
//! ```no_run
//! use armilla::Orb;
//! use armilla_cos_trading::lookup::SpecifiedProps;
//! use armilla_cos_trading::{Lookup, LookupRef};
//!
//! let orb = Orb::from_args(std::env::args())?;
//! let trader: LookupRef = orb.resolve_initial_references("TradingService")?.narrow()?;
//! let all = SpecifiedProps::Unlisted { discriminator: armilla_cos_trading::lookup::HowManyProps::All };
//! let (offers, _rest, _limits) =
//!     trader.query("Printer", "pages_per_minute > 20", "min price", &[], &all, 10)?;
//! for offer in offers {
//!     println!("{}", orb.object_to_string(&offer.reference)?);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod generated {
    armilla::include_idl!("CosTrading");
}

pub use generated::cos_trading::*;

/// The repository of service types (`CosTradingRepos`).
pub use generated::cos_trading_repos as repos;

/// Properties whose values are asked for during a query (`CosTradingDynamic`).
pub use generated::cos_trading_dynamic as dynamic;
