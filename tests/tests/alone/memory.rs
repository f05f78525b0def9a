//! The server reserves memory only for octets that have arrived. Other
//! tests of the process would use memory at the same time.

use armilla::Version;
use armilla_cdr::ByteOrder;
use armilla_giop::MessageKind;
use armilla_tests::alone::alone;
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{Wire, header, request};
use armilla_tests::probe::*;

/// The memory of this process that is in use, in octets.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
}

#[test]
fn claims_of_16_mib_on_50_connections_take_no_memory() {
    alone(|| {
        let server = Server::start();
        let ior = server.local.object().ior();
        let key = ior.iiop_profiles().next().unwrap().unwrap().object_key;
        // As many points as fit 16 MiB, of which one arrives.
        let lying = request(Version::V1_2, ByteOrder::NATIVE, &key, "echo_points", |out| {
            out.put_u32((16 << 20) / 24);
            out.copy_raw(&[0; 24]);
            Ok(())
        });
        let before = resident();
        let claims: Vec<Wire> = (0..50)
            .map(|_| {
                let mut wire = Wire::connect(server.address());
                wire.send(&lying);
                assert_eq!(wire.kind(), Some(MessageKind::Reply), "a MARSHAL exception");
                wire.send(&header(Version::V1_2, MessageKind::Request, 16 << 20));
                wire
            })
            .collect();
        server.remote(&orbs::client()).ping().unwrap();
        let grown = resident().saturating_sub(before);
        assert!(grown < 64 << 20, "{} MiB for {} claims", grown >> 20, claims.len());
    });
}
