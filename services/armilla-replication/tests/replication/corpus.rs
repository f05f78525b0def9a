//! Replays the fuzz corpus through the checks of the fuzz target, and writes its well-formed part:
//! `cargo test -p armilla-replication --test replication corpus:: -- --ignored`.

#[path = "../../../../lab/fuzz/checks/group_record.rs"]
mod group_record;
#[path = "../../../../lab/fuzz/checks/replay.rs"]
mod replay;

use armilla_replication::model::{
    Change, Entry, Kept, MemberInfo, Order, Position, Record, ReplyLog, Welcome, digest,
};
use std::fs;
use std::path::PathBuf;

#[test]
fn records_and_logs() {
    replay::replay("group_record", group_record::check);
}

fn entry(client: &str, retention: i32) -> Entry {
    let (client, body) = (client.to_owned(), vec![0, 0, 0, 0, 0, 0, 0x24, 0x40]);
    Entry { client, retention, expires: 139_000_000_000_000_000, status: 0, body }
}

#[test]
#[ignore = "writes lab/fuzz/corpus"]
fn write_seeds() {
    let after = Position { view: 3, number: 41 };
    let position = Position { view: 4, number: 42 };
    let record = |entry, change| Record { after, position, entry, change }.to_octets().unwrap();
    let order = Order { request: b"deposit".to_vec(), digest: digest(None), took: 12_000 };
    let mut log = ReplyLog::default();
    let empty = log.to_octets().unwrap();
    (0..2).for_each(|number| log.insert(entry("teller", number)));
    let me = MemberInfo { name: "a".into(), object: "IOR:00".into(), peer: "IOR:01".into() };
    let welcome = Welcome { view: 4, last: position, state: vec![1, 2, 3], log: empty.clone() };
    let seeds = [
        ("state", record(Some(entry("teller", 7)), Change::State(vec![1, 2, 3]))),
        ("update", record(Some(entry("", -1)), Change::Update(b"balance 5".to_vec()))),
        ("unnamed", record(None, Change::Update(Vec::new()))),
        ("request", record(Some(entry("teller", 8)), Change::Request(order))),
        ("log", log.to_octets().unwrap()),
        ("empty-log", empty.clone()),
        ("checkpoint", Kept::Checkpoint(vec![me.clone()], welcome).to_octets().unwrap()),
        ("identity", Kept::Identity(me).to_octets().unwrap()),
    ];
    let folder =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../lab/fuzz/corpus/group_record");
    fs::create_dir_all(&folder).unwrap();
    seeds.iter().for_each(|(name, octets)| fs::write(folder.join(name), octets).unwrap());
}
