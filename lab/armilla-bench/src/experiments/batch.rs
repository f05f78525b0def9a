//! E5: one call for many items against one call for each, on one machine and over links between two
//! network namespaces. Our ORB keeps the strings in one buffer, an option of the
//! IDL compiler (`Build::shared`); all other options have their defaults.

use super::series::Series;
use crate::line::Line;
use crate::machine::Placement;
use crate::plan::{Experiment, Plan};
use crate::program::{
    ACE, BY_THEMSELVES, C, CAPNP, DCOM, DCOM_PLAIN, DCOM_PRIVACY, GRPC, ICE, IPC, JACORB, OMNIORB,
    ORB, TAO, Transport,
};
use crate::task::Task;
use crate::workload::Workload;

/// Everything that the strings pass; the last of them between two machines.
const TRANSPORTS: [Transport; 8] = [
    Transport::Tcp,
    Transport::SameHost,
    Transport::Unix,
    Transport::Shm,
    Transport::Link(Line::Ethernet10),
    Transport::Link(Line::Ethernet100),
    Transport::Link(Line::Atm155),
    Transport::Link(Line::Ethernet1000),
];
const FEW_TRANSPORTS: [Transport; 5] = [
    Transport::Tcp,
    Transport::SameHost,
    Transport::Unix,
    Transport::Shm,
    Transport::Link(Line::Ethernet100),
];

const STRINGS: [u32; 8] = [1, 2, 5, 10, 20, 40, 70, 100];
const FEW_STRINGS: [u32; 3] = [1, 10, 100];

pub(super) fn series(plan: &Plan) -> Vec<Series> {
    let programs =
        [C, ACE, IPC, ORB, DCOM, DCOM_PRIVACY, DCOM_PLAIN, OMNIORB, ICE, GRPC, CAPNP, JACORB, TAO];
    let on = |transport| {
        let programs: &[_] = match transport {
            Transport::SameHost => &BY_THEMSELVES,
            _ => &programs,
        };
        let mut series = Series::on(plan, transport, Placement::OneCore, programs);
        for &strings in plan.choose(&STRINGS, &FEW_STRINGS) {
            for workload in [Workload::SingleStrings, Workload::ManyStrings] {
                series.add(Experiment::Batch, Task::of(workload, strings));
            }
        }
        series
    };
    // A line that was named is measured in a quick run, too.
    let few = plan.quick && plan.transports.is_none();
    plan.transports_of(if few { &FEW_TRANSPORTS } else { &TRANSPORTS })
        .into_iter()
        .map(on)
        .collect()
}
