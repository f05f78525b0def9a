//! E4: the gain of each optimization: the same work without it and with it, in one interleaved run.
//!
//! A public option switches each optimization (a setting, a policy, an interface), so the
//! experiment measures the shipped code. Optimizations that cannot be switched off are not on the
//! ladder: calls without a second thread, without allocations, and timeouts without system calls.

use super::series::Series;
use crate::machine::Placement;
use crate::plan::{Experiment, Plan};
use crate::program::{C, IPC, Kind, ORB, Program, Transport};
use crate::task::Task;
use crate::workload::{Data, Workload};

/// One optimization.
struct Rung {
    what: &'static str,
    /// The work without it first, with it last.
    programs: &'static [Program],
    transport: Transport,
    placement: Placement,
    workload: Workload,
    units: u32,
    objects: u32,
}

const fn codec(name: &'static str, options: &'static [&'static str]) -> Program {
    Program { name, kind: Kind::Codec, options }
}

const fn ipc(name: &'static str, options: &'static [&'static str]) -> Program {
    Program { name, kind: Kind::Ipc, options }
}

const COMPILED: Program = codec("compiled", &[]);
const BULK: Program = codec("bulk", &[]);
const ELEMENT_WISE: Program = codec("element-wise", &["element-wise"]);

/// An optimization measured within one process.
const fn within(
    what: &'static str,
    programs: &'static [Program],
    workload: Workload,
    units: u32,
) -> Rung {
    let placement = Placement::OneCore;
    Rung { what, programs, transport: Transport::Memory, placement, workload, units, objects: 1 }
}

/// An optimization measured between processes.
const fn between(
    what: &'static str,
    programs: &'static [Program],
    workload: Workload,
    units: u32,
) -> Rung {
    let placement = Placement::OneCore;
    Rung { what, programs, transport: Transport::Tcp, placement, workload, units, objects: 1 }
}

const INTERPRETED: &[Program] =
    &[codec("interpreted", &["interpreted"]), codec("planned", &["planned"]), COMPILED];
const SWAPPED: &[Program] = &[codec("swapped", &["swapped"]), codec("native order", &[])];
const COPIED: &[Program] = &[codec("copied", &["copied"]), codec("borrowed", &[])];
const BULK_LONGS: &[Program] = &[ELEMENT_WISE, codec("bulk", &["copied"])];
const DYNAMIC: &[Program] = &[
    Program::orb("DII and DSI", &["dii", "dsi"]),
    Program::orb("DII", &["dii"]),
    Program::orb("static", &[]),
];
const REUSED: &[Program] =
    &[Program::orb("new requests", &["dii-new"]), Program::orb("reused requests", &["dii"])];
const HEADERS: &[Program] =
    &[Program::orb("rebuilt headers", &["new-headers"]), Program::orb("templates", &[])];
const SERVANTS: &[Program] =
    &[Program::orb("servant copies", &["copying"]), Program::orb("servant borrows", &[])];
const WRITES: &[Program] =
    &[ipc("two writes", &["two-writes"]), ipc("one gathered write", &["gathered"])];
const GATHERED: &[Program] =
    &[ipc("copied together", &["copied"]), ipc("gathered write", &["gathered"])];
const LOOKUPS: &[Program] = &[
    Program::orb("linear", &["lookup-linear"]),
    Program::orb("dynamic hashing", &["lookup-hashing"]),
    Program::orb("perfect hashing", &["lookup-perfect"]),
    Program::orb("active", &["lookup-active"]),
];
const COLLOCATION: &[Program] = &[
    Program::orb("by a socket", &["near-remote"]),
    Program::orb("through the POA", &["near-poa"]),
    Program::orb("direct", &["near-direct"]),
];
const ONEWAYS: &[Program] = &[
    Program::orb("one at a time", &["-ORBSyncScope", "transport"]),
    Program::orb("buffered", &["-ORBSyncScope", "none"]),
];
const LINKS: &[Program] = &[
    Program::orb("multiplexed", &["-ORBConnectionPolicy", "multiplexed"]),
    Program::orb("exclusive", &["-ORBConnectionPolicy", "exclusive"]),
];
const THREADS: &[Program] = &[
    Program::orb("leader/followers", &["-ORBConcurrency", "leader-followers"]),
    Program::orb("thread per connection", &["-ORBConcurrency", "thread-per-connection"]),
];
const SPINNING: &[Program] =
    &[Program::orb("sleeping", &["-ORBBusyPoll", "0"]), Program::orb("spinning", &[])];
const LOCAL: &[Program] = &[
    Program::orb("TCP", &["-ORBLocalEndpoints", "0"]),
    Program::orb("local endpoint", &["-ORBLocalEndpoints", "1"]),
];
const FRAGMENTS: &[Program] = &[
    Program::orb("fragments of 8 KiB", &["-ORBFragmentSize", "8192"]),
    Program::orb("one piece", &["-ORBFragmentSize", "0"]),
];
const WHOLE: &[Program] = &[ORB, IPC, C];

const RUNGS: &[Rung] = &[
    within("compiled marshalling: writing", INTERPRETED, Workload::Write(Data::Structs), 1024),
    within("compiled marshalling: reading", INTERPRETED, Workload::Read(Data::Structs), 1024),
    within("bulk, structs: writing", &[ELEMENT_WISE, BULK], Workload::Write(Data::Structs), 1024),
    within("bulk, structs: reading", &[ELEMENT_WISE, BULK], Workload::Read(Data::Structs), 1024),
    within("bulk, longs: writing", BULK_LONGS, Workload::Write(Data::Longs), 1024),
    within("bulk, longs: reading", BULK_LONGS, Workload::Read(Data::Longs), 1024),
    within("reader makes right", SWAPPED, Workload::Read(Data::Structs), 1024),
    within("lending octets", COPIED, Workload::Write(Data::Octets), 65_536),
    within("borrowing octets", COPIED, Workload::Read(Data::Octets), 65_536),
    within("lending numbers", COPIED, Workload::Write(Data::Longs), 16_384),
    within("borrowing numbers", COPIED, Workload::Read(Data::Longs), 16_384),
    between("generated code", DYNAMIC, Workload::Structs, 1024),
    between("generated code", DYNAMIC, Workload::Void, 0),
    between("reused requests", REUSED, Workload::Structs, 1024),
    between("reused requests", REUSED, Workload::Void, 0),
    between("header templates", HEADERS, Workload::Void, 0),
    between("borrowing in servants", SERVANTS, Workload::FloodSequence, 65_536),
    between("one write", WRITES, Workload::Octets, 1024),
    between("gathering instead of copying", GATHERED, Workload::Octets, 65_536),
    between("messages in one piece", FRAGMENTS, Workload::Octets, 65_536),
    Rung { objects: 1000, ..between("active demultiplexing", LOOKUPS, Workload::Void, 0) },
    between("collocation", COLLOCATION, Workload::Void, 0),
    between("collocation", COLLOCATION, Workload::Structs, 1024),
    between("buffered oneways", ONEWAYS, Workload::FloodVoid, 0),
    between("buffered oneways", ONEWAYS, Workload::FloodSequence, 1024),
    between("a connection for each call", LINKS, Workload::Void, 0),
    between("threads that wait in a read", THREADS, Workload::Void, 0),
    Rung {
        transport: Transport::Shm,
        placement: Placement::OneCoreEach,
        ..between("spinning before sleeping", SPINNING, Workload::Void, 0)
    },
    Rung { transport: Transport::Unix, ..between("local endpoints", LOCAL, Workload::Void, 0) },
    between("what the ORB adds to sockets", WHOLE, Workload::Void, 0),
];

pub(super) fn series(plan: &Plan) -> Vec<Series> {
    let wanted = |rung: &&Rung| match rung.transport {
        Transport::Memory => true,
        other => !plan.transports_of(&[other]).is_empty(),
    };
    let series = |rung: &Rung| {
        let mut programs = rung.programs.to_vec();
        if C.supports(rung.transport) && !programs.contains(&C) {
            programs.push(C);
        }
        let mut series = Series::on(plan, rung.transport, rung.placement, &programs);
        series.group = rung.what;
        // Spinning executes more instructions to wait less.
        series.counted = rung.programs != SPINNING;
        let order = if rung.objects > 1 { "robin" } else { "train" };
        let task = Task { order, ..Task::of(rung.workload, rung.units) };
        match rung.objects {
            1 => series.add(Experiment::Ladder, task),
            objects => series.add_objects(Experiment::Ladder, task, objects),
        }
        series
    };
    RUNGS.iter().filter(wanted).map(series).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rung_compares_programs_that_can_do_its_work() {
        for rung in RUNGS {
            assert!(rung.programs.len() > 1, "{}", rung.what);
            assert!(rung.programs.iter().all(|p| p.supports(rung.transport)), "{}", rung.what);
        }
    }
}
