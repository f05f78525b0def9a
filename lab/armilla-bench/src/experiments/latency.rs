//! E2: the latency of remote calls: without parameters, with every payload, to many objects.

use super::series::Series;
use crate::machine::Placement;
use crate::plan::{Experiment, Plan};
use crate::program::{
    ACE, BY_THEMSELVES, C, CAPNP, GRPC, ICE, IPC, JACORB, OMNIORB, ORB, ORB_DII, ORB_DII_NEW,
    ORB_INTERPRETED, Program, TAO, Transport,
};
use crate::task::Task;
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

/// The numbers of objects for which every payload is sent.
const COMBINED_OBJECTS: [u32; 6] = [1, 100, 200, 300, 400, 500];
const FEW_COMBINED_OBJECTS: [u32; 2] = [1, 500];

/// The queue size of the published programs.
const QUEUE: usize = 64 * 1024;

pub(super) fn series(plan: &Plan) -> Vec<Series> {
    let programs = [C, ACE, IPC, ORB, OMNIORB, ICE, GRPC, CAPNP, JACORB, TAO];
    let mut all = Vec::new();
    for transport in plan.transports_of(&Transport::ALL) {
        let placements: &[_] = match plan.quick {
            true if transport == Transport::SameHost => {
                &[Placement::OneCore, Placement::OneCoreEach]
            }
            true => &[Placement::OneCore],
            false => &[Placement::OneCore, Placement::OneCoreEach, Placement::Unpinned],
        };
        for &placement in placements {
            let programs: &[_] = match transport {
                Transport::SameHost => &BY_THEMSELVES,
                _ => &programs,
            };
            let mut series = Series::on(plan, transport, placement, programs).with_queue(QUEUE);
            parameterless(&mut series);
            if transport == Transport::SameHost {
                series.add(Experiment::Latency, Task::of(Workload::Structs, 1024));
                series.add(Experiment::Latency, Task::of(Workload::Octets, 64 * 1024));
            }
            if transport == Transport::Tcp && placement == Placement::OneCore {
                payloads(plan, &mut series);
                objects(plan.choose(&OBJECTS, &FEW_OBJECTS), &mut series);
            }
            all.push(series);
        }
        // What its calls consist of is that of the others.
        if transport == Transport::SameHost {
            continue;
        }
        all.extend([dynamic(plan, transport), strategies(plan, transport)]);
        all.push(lookups(plan, transport));
        if transport == Transport::Tcp {
            all.push(combined(plan));
        }
    }
    all
}

/// The connection policies and the threading models.
const STRATEGIES: [Program; 6] = [
    C,
    Program::orb("exclusive", &["-ORBConnectionPolicy", "exclusive"]),
    Program::orb("multiplexed", &["-ORBConnectionPolicy", "multiplexed"]),
    Program::orb("thread/connection", &["-ORBConcurrency", "thread-per-connection"]),
    Program::orb("leader/followers", &["-ORBConcurrency", "leader-followers"]),
    Program::orb("hybrid", &["-ORBConcurrency", "hybrid"]),
];

/// The strategies of object lookup.
const LOOKUPS: [Program; 5] = [
    C,
    Program::orb("active", &["lookup-active"]),
    Program::orb("perfect hashing", &["lookup-perfect"]),
    Program::orb("dynamic hashing", &["lookup-hashing"]),
    Program::orb("linear", &["lookup-linear"]),
];

/// Variations of our ORB, interleaved on one core.
fn variations(
    plan: &Plan,
    transport: Transport,
    group: &'static str,
    programs: &[Program],
) -> Series {
    let series = Series::on(plan, transport, Placement::OneCore, programs).with_queue(QUEUE);
    Series { group, ..series }
}

/// Generated code against the dynamic interfaces, on the client and on both sides.
fn dynamic(plan: &Plan, transport: Transport) -> Series {
    let programs = [C, ORB, ORB_DII, ORB_DII_NEW, ORB_INTERPRETED];
    let mut series = variations(plan, transport, "dynamic invocation", &programs);
    let units: &[u32] = match transport {
        Transport::Tcp => plan.choose(&UNITS, &FEW_UNITS),
        _ => plan.choose(&FEW_UNITS, &[1024]),
    };
    let kinds = [
        (Workload::Void, [Workload::Octets, Workload::Structs]),
        (Workload::OnewayVoid, [Workload::OnewayOctets, Workload::OnewayStructs]),
    ];
    for (nothing, payloads) in kinds {
        series.add(Experiment::Latency, Task::of(nothing, 0));
        for &units in units {
            for workload in payloads {
                series.add(Experiment::Latency, Task::of(workload, units));
            }
        }
    }
    if transport == Transport::Tcp {
        // With more objects, clients keep no request for each.
        let fewer = OBJECTS.split_last_chunk::<2>().map_or(&OBJECTS[..], |(fewer, _)| fewer);
        objects(if plan.quick { &FEW_OBJECTS[1..] } else { fewer }, &mut series);
    }
    series
}

fn strategies(plan: &Plan, transport: Transport) -> Series {
    let mut series = variations(plan, transport, "links and threads", &STRATEGIES);
    for (workload, units) in [(Workload::Void, 0), (Workload::Structs, 1024)] {
        series.add(Experiment::Latency, Task::of(workload, units));
    }
    series.add(Experiment::Latency, Task::of(Workload::FloodVoid, 0));
    series
}

fn lookups(plan: &Plan, transport: Transport) -> Series {
    let mut series = variations(plan, transport, "demultiplexing", &LOOKUPS);
    let objects: &[u32] = match transport {
        Transport::Tcp => plan.choose(&[1, 100, 500], &[1, 500]),
        _ => &[500],
    };
    for &objects in objects {
        for order in ["train", "robin"] {
            let task = Task { order, ..Task::of(Workload::Void, 0) };
            series.add_objects(Experiment::Latency, task, objects);
        }
    }
    series
}

/// Payloads and numbers of objects, oneway and twoway, by generated code and dynamically: the
/// whole matrix of the study.
fn combined(plan: &Plan) -> Series {
    let programs = [C, ORB, ORB_DII, OMNIORB];
    let mut series = variations(plan, Transport::Tcp, "payloads and objects", &programs);
    let payloads =
        [Workload::Octets, Workload::Structs, Workload::OnewayOctets, Workload::OnewayStructs];
    for &objects in plan.choose(&COMBINED_OBJECTS, &FEW_COMBINED_OBJECTS) {
        for workload in payloads {
            for &units in plan.choose(&UNITS, &FEW_UNITS) {
                series.add_objects(Experiment::Latency, Task::of(workload, units), objects);
            }
        }
    }
    series
}

fn parameterless(series: &mut Series) {
    series.add(Experiment::Latency, Task::of(Workload::Void, 0));
    series.add(Experiment::Latency, Task::of(Workload::OnewayVoid, 0));
    series.add(Experiment::Latency, Task::of(Workload::FloodVoid, 0));
}

fn payloads(plan: &Plan, series: &mut Series) {
    for &workload in plan.choose(&PAYLOADS, &FEW_PAYLOADS) {
        for &units in plan.choose(&UNITS, &FEW_UNITS) {
            series.add(Experiment::Latency, Task::of(workload, units));
        }
    }
    let large = Task::of(Workload::Octets, 64 * 1024);
    series.add(Experiment::Latency, large);
    for &units in plan.choose(&UNITS, &FEW_UNITS) {
        for workload in [Workload::OnewayOctets, Workload::OnewayStructs] {
            series.add(Experiment::Latency, Task::of(workload, units));
        }
    }
}

/// Calls to many objects: without parameters, twoway and oneway, in both orders.
fn objects(numbers: &[u32], series: &mut Series) {
    for workload in [Workload::Void, Workload::OnewayVoid] {
        for &objects in numbers {
            for order in ["train", "robin"] {
                let task = Task { order, ..Task::of(workload, 0) };
                series.add_objects(Experiment::Latency, task, objects);
            }
        }
    }
}
