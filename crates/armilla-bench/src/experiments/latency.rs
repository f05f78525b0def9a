//! E2: the latency of remote calls: without parameters, with every payload, at many objects.

use super::Series;
use crate::machine::Placement;
use crate::measure::Task;
use crate::plan::{Experiment, Plan};
use crate::program::{
    ACE, C, CAPNP, GRPC, ICE, IPC, JACORB, OMNIORB, ORB, ORB_DII, ORB_DII_NEW, ORB_INTERPRETED,
    Program, Transport,
};
use crate::workload::Workload;

const PAYLOADS: [Workload; 6] = [
    Workload::Octets,
    Workload::Structs,
    Workload::Shorts,
    Workload::Chars,
    Workload::Longs,
    Workload::Doubles,
];
const FEW_PAYLOADS: [Workload; 2] = [Workload::Octets, Workload::Structs];

const UNITS: [u32; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
const FEW_UNITS: [u32; 3] = [1, 128, 1024];

const OBJECTS: [u32; 10] = [1, 100, 200, 300, 400, 500, 1000, 10_000, 100_000, 1_000_000];
const FEW_OBJECTS: [u32; 3] = [1, 100, 500];

/// The published programs kept the queues at 64 KiB.
const QUEUE: usize = 64 * 1024;

pub(super) fn series(plan: &Plan) -> Vec<Series> {
    let programs = [C, ACE, IPC, ORB, OMNIORB, ICE, GRPC, CAPNP, JACORB];
    let mut all = Vec::new();
    for transport in plan.transports_of(&Transport::ALL) {
        let placements: &[_] = match plan.quick {
            true => &[Placement::OneCore],
            false => &[Placement::OneCore, Placement::OneCoreEach, Placement::Unpinned],
        };
        for &placement in placements {
            let mut series = Series::on(plan, transport, placement, &programs).with_queue(QUEUE);
            parameterless(&mut series);
            if transport == Transport::Tcp && placement == Placement::OneCore {
                payloads(plan, &mut series);
                objects(plan, &mut series);
            }
            all.push(series);
        }
        if transport == Transport::Tcp {
            all.extend([dynamic(plan), strategies(plan), lookups(plan)]);
        }
    }
    all
}

/// The links that calls take, and the threads that serve them.
const STRATEGIES: [Program; 6] = [
    C,
    Program::orb("exclusive", &["-ORBLinks", "exclusive"]),
    Program::orb("multiplexed", &["-ORBLinks", "multiplexed"]),
    Program::orb("thread/connection", &["-ORBConcurrency", "thread-per-connection"]),
    Program::orb("leader/followers", &["-ORBConcurrency", "leader-followers"]),
    Program::orb("hybrid", &["-ORBConcurrency", "hybrid"]),
];

/// The ways to find objects.
const LOOKUPS: [Program; 5] = [
    C,
    Program::orb("active", &["lookup-active"]),
    Program::orb("perfect hashing", &["lookup-perfect"]),
    Program::orb("dynamic hashing", &["lookup-hashing"]),
    Program::orb("linear", &["lookup-linear"]),
];

fn dynamic(plan: &Plan) -> Series {
    let programs = [C, ORB, ORB_DII, ORB_DII_NEW, ORB_INTERPRETED];
    let mut series = Series::on(plan, Transport::Tcp, Placement::OneCore, &programs);
    series.queue = QUEUE;
    series.group = "dynamic invocation";
    series.add(Experiment::Latency, "twoway-dii", Task::of(Workload::Void, 0));
    for &units in plan.choose(&UNITS, &FEW_UNITS) {
        for workload in [Workload::Octets, Workload::Structs] {
            series.add(Experiment::Latency, "twoway-dii", Task::of(workload, units));
        }
    }
    series.add(Experiment::Latency, "oneway-dii", Task::of(Workload::OnewayVoid, 0));
    for &units in plan.choose(&UNITS, &FEW_UNITS) {
        for workload in [Workload::OnewayOctets, Workload::OnewayStructs] {
            series.add(Experiment::Latency, "oneway-dii", Task::of(workload, units));
        }
    }
    series
}

fn strategies(plan: &Plan) -> Series {
    let mut series = Series::on(plan, Transport::Tcp, Placement::OneCore, &STRATEGIES);
    series.queue = QUEUE;
    series.group = "links and threads";
    for (workload, units) in [(Workload::Void, 0), (Workload::Structs, 1024)] {
        series.add(Experiment::Latency, "twoway-static", Task::of(workload, units));
    }
    series.add(Experiment::Latency, "oneway-static", Task::of(Workload::FloodVoid, 0));
    series
}

fn lookups(plan: &Plan) -> Series {
    let mut series = Series::on(plan, Transport::Tcp, Placement::OneCore, &LOOKUPS);
    series.queue = QUEUE;
    series.group = "demultiplexing";
    for objects in [1, 100, 500] {
        for order in ["train", "robin"] {
            let task = Task { order, ..Task::of(Workload::Void, 0) };
            series.add_objects(Experiment::Latency, "twoway-static", task, objects);
        }
    }
    series
}

fn parameterless(series: &mut Series) {
    series.add(Experiment::Latency, "twoway-static", Task::of(Workload::Void, 0));
    series.add(Experiment::Latency, "oneway-static", Task::of(Workload::OnewayVoid, 0));
    series.add(Experiment::Latency, "oneway-static", Task::of(Workload::FloodVoid, 0));
}

fn payloads(plan: &Plan, series: &mut Series) {
    for &workload in plan.choose(&PAYLOADS, &FEW_PAYLOADS) {
        for &units in plan.choose(&UNITS, &FEW_UNITS) {
            series.add(Experiment::Latency, "twoway-static", Task::of(workload, units));
        }
    }
    let large = Task::of(Workload::Octets, 64 * 1024);
    series.add(Experiment::Latency, "twoway-static", large);
    for &units in plan.choose(&UNITS, &FEW_UNITS) {
        for workload in [Workload::OnewayOctets, Workload::OnewayStructs] {
            series.add(Experiment::Latency, "oneway-static", Task::of(workload, units));
        }
    }
}

fn objects(plan: &Plan, series: &mut Series) {
    for &objects in plan.choose(&OBJECTS, &FEW_OBJECTS) {
        for order in ["train", "robin"] {
            let task = Task { order, ..Task::of(Workload::Void, 0) };
            series.add_objects(Experiment::Latency, "twoway-static", task, objects);
        }
    }
}
