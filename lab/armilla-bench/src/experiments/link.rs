//! The check of a link before it is used: packets of several sizes, alone and together, against the
//! time that the line needs for them.

use crate::line::LinkCheck;
use crate::machine::Placement;
use crate::network::Link;
use crate::peers::Peers;
use crate::process::{Running, Start};
use crate::program::{ONE_WAY, Transport};

/// The packets of a check, and the octets of user data in each.
const CHECKS: [(u32, u32); 3] = [(1, 64), (1, 1472), (16, 1472)];

/// How often a check is repeated.
const TIMES: u32 = 25;

/// Checks a link; returns what it found, and what failed.
pub(super) fn check(
    peers: &Peers,
    transport: Transport,
    link: &Link,
) -> (Vec<LinkCheck>, Option<String>) {
    let start = Start {
        program: &ONE_WAY,
        transport,
        placement: Placement::OneCore,
        queue: 0,
        congestion: "",
        link: Some(link),
        prefixes: Default::default(),
    };
    let mut failure = None;
    let mut running = Running::start(peers, &start).map_err(|error| failure = Some(error)).ok();
    let mut measure = |(packets, octets)| {
        let command = format!("one-way {packets} {octets} {TIMES}");
        let measured = running.as_mut()?.carry_out(&command);
        measured.map_err(|error| failure = Some(format!("check of the link: {error}"))).ok()?
    };
    let checks = CHECKS.map(|sent| {
        let measured = measure(sent).map(|measured| measured.median);
        LinkCheck::of((transport.name(), link.line()), link.delay(), sent, measured)
    });
    (checks.into(), failure)
}
