//! `armilla trader`: serves a trading service, and finds and offers objects at one of any vendor.

mod admin;
mod copy;
mod explain;
mod links;
mod offers;
mod query;
mod serve;
mod sweep;
mod types;
mod values;

use crate::orb::OrbArguments;
use crate::place::Place;
use crate::service::RecoverArguments;
use armilla::Orb;
use armilla_cos_trading::repos::ServiceTypeRepositoryRef;
use armilla_cos_trading::{LookupRef, SupportAttributes};
use armilla_terminal::Outcome;
use armilla_trader::Store;
use armilla_trader::TRADING_SERVICE;

/// The arguments of `armilla trader`.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "A service is found by -ORBInitRef TradingService=URL, else at ARMILLA_TRADER, \
                  HOST:PORT or a URL,\nelse at 127.0.0.1:2811."
)]
pub(crate) enum Trader {
    /// Serve a trading service until interrupted; prints `ready URL` when it serves
    Serve(Box<serve::Serve>),
    /// Find offers of a service type
    Query(query::Query),
    /// Offer an object; prints the id of the offer
    Export(offers::Export),
    /// Add a proxy offer, which stands for a query at another trader; prints its id
    ExportProxy(offers::ExportProxy),
    /// Show an offer
    Describe {
        /// The id of the offer, as `export` and `offers` print it
        id: String,
    },
    /// Change properties of an offer
    Modify(offers::Modify),
    /// Withdraw offers
    Withdraw(offers::Withdraw),
    /// Look which offered objects are alive, and withdraw on request those that are not
    Sweep(sweep::Sweep),
    /// Write all offers with their properties, one a line, as JSON
    Save(copy::Save),
    /// Export the offers that `save` has written; their service types must be there
    Load(copy::Load),
    /// Save what can be saved of a damaged store, while no service runs; the damaged file is kept
    Recover(RecoverArguments),
    /// List the ids of all offers
    Offers(offers::Offers),
    /// List the service types
    Types,
    /// Show, add, mask or remove a service type
    Type(types::Type),
    /// List the links to other traders
    Links,
    /// Add, change or remove a link to another trader
    #[command(subcommand)]
    Link(links::Link),
    /// Show the attributes of the trader, or set one: NAME=VALUE
    Admin(admin::Admin),
}

pub(crate) fn run(trader: &Trader, arguments: &OrbArguments) -> Outcome {
    if let Trader::Serve(options) = trader {
        return serve::run(options, arguments);
    }
    if let Trader::Recover(options) = trader {
        let orb = Orb::new()?;
        return options
            .run("trader", arguments, |store, is_trial| Store::recover(store, is_trial, &orb));
    }
    let orb = SERVICE.orb(arguments, None)?;
    let service = Service { lookup: lookup(&orb)?, orb };
    match trader {
        Trader::Serve(_) | Trader::Recover(_) => Ok(()),
        Trader::Sweep(options) => sweep::run(options, &service),
        Trader::Save(options) => copy::save(options, &service),
        Trader::Load(options) => copy::load(options, &service),
        Trader::Query(query) => query::run(query, &service),
        Trader::Export(export) => offers::export(export, &service),
        Trader::ExportProxy(export) => offers::export_proxy(export, &service),
        Trader::Describe { id } => offers::describe(id, &service),
        Trader::Modify(modify) => offers::modify(modify, &service),
        Trader::Withdraw(withdraw) => offers::withdraw(withdraw, &service),
        Trader::Offers(list) => offers::list(list, &service),
        Trader::Types => types::list(&service),
        Trader::Type(options) => types::run(options, &service),
        Trader::Links => links::list(&service),
        Trader::Link(link) => links::run(link, &service),
        Trader::Admin(options) => admin::run(options, &service),
    }
}

const SERVICE: Place =
    Place { name: TRADING_SERVICE, variable: "ARMILLA_TRADER", usual: "127.0.0.1:2811" };

/// The trading service that a command talks to.
struct Service {
    orb: Orb,
    lookup: LookupRef,
}

impl Service {
    /// Its service types.
    fn types(&self) -> Outcome<ServiceTypeRepositoryRef> {
        Ok(self.lookup.type_repos()?.narrow()?)
    }
}

fn lookup(orb: &Orb) -> Outcome<LookupRef> {
    Ok(SERVICE.object(orb)?.narrow()?)
}
