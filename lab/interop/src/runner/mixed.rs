//! Mixed requests over one connection: all versions in both byte orders, unknown service contexts,
//! and every addressing disposition. All servers must reply.

use super::raw::RawClient;
use super::{Orb, Server, Step, Suite};
use crate::report::expect;
use armilla_cdr::ByteOrder;
use armilla_giop::{AddressingDisposition, ReplyStatus, ServiceContext, Version};

const VERSIONS: [Version; 3] = [Version::V1_2, Version::V1_0, Version::V1_1];

/// Unknown contexts, and one whose data is too short for its id.
const UNKNOWN: [ServiceContext<'static>; 3] = [
    ServiceContext { id: 0x4242_0001, data: b"whatever" },
    ServiceContext { id: u32::MAX, data: b"" },
    ServiceContext { id: 17, data: b"\x01\xff" },
];

pub(super) fn run(suite: &mut Suite) {
    for server in [Orb::Omni, Orb::Jac, Orb::Us] {
        suite.group(&format!("mixed/raw-to-{}", server.name()), |suite, group| {
            let none: [&str; 0] = [];
            let served = Server::start(&suite.programs, &suite.directory, server, &none)?;
            let connect = || RawClient::connect(&served.ior, Version::V1_2, ByteOrder::Big);
            let mut client = connect()?;
            for round in 0..3 {
                group.check(&format!("versions/round_{round}"), || {
                    for version in VERSIONS {
                        for order in [ByteOrder::Big, ByteOrder::Little] {
                            client.speak(version, order);
                            echo_long(&mut client, round)?;
                        }
                    }
                    Ok(())
                });
            }
            group.check("service_contexts/unknown", || {
                let mut client = connect()?;
                client.with_contexts(&UNKNOWN);
                VERSIONS.into_iter().try_for_each(|version| {
                    client.speak(version, ByteOrder::Big);
                    echo_long(&mut client, 7)
                })
            });
            use AddressingDisposition::{Key, Profile, Reference};
            for (way, name) in [(Key, "key"), (Profile, "profile"), (Reference, "reference")] {
                if server == Orb::Omni && way != Key {
                    continue; // omniORB knows objects by their keys alone.
                }
                group.check(&format!("locate/by_{name}"), || {
                    let mut client = connect()?;
                    client.address_by(way);
                    let status = client.locate()?;
                    expect(status == 1, format!("status {status}"))
                });
                group.check(&format!("request/by_{name}"), || {
                    let mut client = connect()?;
                    client.address_by(way);
                    echo_long(&mut client, -1)
                });
            }
            served.end()
        });
    }
}

fn echo_long(client: &mut RawClient, number: i32) -> Step {
    let answer = client.call(
        "echo_long",
        |out| {
            out.put_i32(number);
            out.put_i32(-5);
            Ok(())
        },
        |status, body| Ok((status, body.i32()?, body.i32()?, body.i32()?)),
    )?;
    match answer == (ReplyStatus::NoException, -5, number, number) {
        true => Ok(()),
        false => Err(format!("{answer:?}").into()),
    }
}
