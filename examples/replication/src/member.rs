//! A process with a member of the group.

use crate::idl::lasting::Ledger;
use crate::ledger::Accounts;
use crate::options::Options;
use armilla::Orb;
use armilla_replication::{EtcdRegistry, Replica};
use std::error::Error;
use std::io;
use std::sync::Arc;

/// Serves until standard input ends.
pub(crate) fn run(options: &Options, name: &str) -> Result<(), Box<dyn Error>> {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
    let registry = Arc::new(EtcdRegistry::connect(&options.etcd, None)?);
    let accounts = Arc::<Accounts>::default();
    let servant: Arc<dyn Ledger> = accounts.clone();
    let replica = Replica::builder(options.group(), name)
        .registry(registry)
        .style(options.style)
        .reads(["balance", "_get_transfers"])
        .start(&orb, accounts, servant)?;
    io::copy(&mut io::stdin(), &mut io::sink())?;
    drop(replica);
    orb.shutdown();
    Ok(())
}
