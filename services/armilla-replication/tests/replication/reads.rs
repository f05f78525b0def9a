//! Reads that the primary answers alone.

use crate::members::{Server, client, eventually};
use armilla_replication::{GroupName, MemoryRegistry, ReplicaBuilder, Style, ViewRegistry};
use bank::bank::Account;
use std::sync::Arc;
use std::sync::atomic::Ordering;

#[test]
fn a_primary_reads_alone_while_its_backups_promise_to_be_patient() {
    for (number, style) in [(1, Style::WarmPassive), (2, Style::Active)] {
        let registry = Arc::<MemoryRegistry>::default();
        let reads = |it: ReplicaBuilder| it.reads(["_get_balance"]);
        let mut servers: Vec<_> = ["a", "b", "c"]
            .map(|name| Server::start_with(&registry, number, name, style, reads))
            .into();
        let (_orb, account) = client(&servers[0]);
        account.deposit(7.0).unwrap();
        let places = servers.iter().map(|it| it.replica.logged()).collect::<Vec<_>>();
        eventually("some were answered alone", || {
            assert_eq!(account.balance().unwrap(), 7.0);
            servers[0].replica.reads().0 > 20
        });
        assert_eq!(servers.iter().map(|it| it.replica.logged()).collect::<Vec<_>>(), places);
        // Whoever leads next reads what was replied.
        servers.remove(0).kill();
        account.deposit(1.0).unwrap();
        assert_eq!(account.balance().unwrap(), 8.0);
        eventually("the next one reads alone, too", || {
            assert_eq!(account.balance().unwrap(), 8.0);
            servers[0].replica.reads().0 > 20
        });
        let view = registry.read(&GroupName::new("bank", number)).unwrap().unwrap();
        assert_eq!(view.primary().unwrap().name, "b");
        assert_eq!(
            servers[1].savings.executed.load(Ordering::SeqCst),
            match style {
                Style::Active => 2,
                _ => 0,
            }
        );
    }
}
