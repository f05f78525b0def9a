//! The page and the metrics of a manager, as a browser and Prometheus ask for them.

use crate::managers::{Host, PATIENCE, eventually, factories, number, patiently};
use armilla::Orb;
use armilla_replication::MemoryRegistry;
use armilla_replication::ft::{GenericFactory as _, ReplicationManagerRef};
use armilla_replication::manager::ManagerOptions;
use armilla_replication::server::Server;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

fn get(server: &Server, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(server.console().unwrap().address()).unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    (answer[9..12].parse().unwrap(), answer)
}

#[test]
fn operators_see_groups_their_members_and_how_far_they_are() {
    let registry = Arc::<MemoryRegistry>::default();
    let hosts = [Host::start(&registry), Host::start(&registry)];
    let server = Server::builder(registry, ManagerOptions::default()).console("127.0.0.1:0");
    let server = server.start(|orb| orb.listen("iiop://127.0.0.1:0")).unwrap();
    assert!(server.manager().wait_ready(PATIENCE));
    let client = Orb::new().unwrap();
    let managers: ReplicationManagerRef = client.resolve(server.manager().url()).unwrap();
    let criteria = [factories(&client, &hosts), number("MinimumNumberReplicas", 2), patiently()];
    let (group, _) = managers.create_object("IDL:Bank/Account:1.0", &criteria).unwrap();
    let account: bank::bank::AccountRef = group.assume();
    bank::bank::Account::deposit(&account, 1.0).unwrap();

    let (status, page) = get(&server, "/");
    assert!(status == 200 && page.contains("default/2") && page.contains("warm passive"), "{page}");
    let (status, page) = get(&server, "/groups/default/2");
    assert!(status == 200 && page.contains("host-0") && page.contains("(primary)"), "{page}");
    assert!(page.contains("IDL:Bank/Account:1.0"), "{page}");
    eventually("the page has the backup", || {
        get(&server, "/groups/default/2").1.contains("backup")
    });
    assert_eq!(get(&server, "/groups/default/9").0, 404);
    assert_eq!(get(&server, "/groups/default/x").0, 400);
    eventually("both members have the deposit", || {
        let (_, metrics) = get(&server, "/metrics");
        [
            "armilla_replication_leads 1\n",
            "armilla_replication_members_alive{group=\"default/2\"} 2\n",
            "armilla_replication_members_missing{group=\"default/2\"} 0\n",
            "armilla_replication_lag{group=\"default/2\",member=\"host-1\"} 0\n",
        ]
        .iter()
        .all(|line| metrics.contains(line))
    });
    hosts[1].orb.shutdown();
    eventually("one is missing", || {
        let (_, metrics) = get(&server, "/metrics");
        metrics.contains("armilla_replication_members_missing{group=\"default/2\"} 1\n")
    });
    server.orb().shutdown();
}
