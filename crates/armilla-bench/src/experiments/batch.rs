//! E5: one call for many items against one call for each, on one machine and over a link of 100
//! Mbit/s between two network namespaces. Our ORB keeps the strings in one buffer, an option of the
//! IDL compiler (`Build::shared`); all other options have their defaults.

use super::series::Series;
use crate::line::Line;
use crate::machine::Placement;
use crate::plan::{Experiment, Plan};
use crate::program::{ACE, C, CAPNP, GRPC, ICE, IPC, JACORB, OMNIORB, ORB, Transport};
use crate::task::Task;
use crate::workload::Workload;

/// The link between two machines.
const FAST_ETHERNET: Transport = Transport::Link(Line::Ethernet100);

const STRINGS: [u32; 8] = [1, 2, 5, 10, 20, 40, 70, 100];
const FEW_STRINGS: [u32; 3] = [1, 10, 100];

pub(super) fn series(plan: &Plan) -> Vec<Series> {
    let programs = [C, ACE, IPC, ORB, OMNIORB, ICE, GRPC, CAPNP, JACORB];
    let on = |transport| {
        let mut series = Series::on(plan, transport, Placement::OneCore, &programs);
        for &strings in plan.choose(&STRINGS, &FEW_STRINGS) {
            for workload in [Workload::SingleStrings, Workload::ManyStrings] {
                series.add(Experiment::Batch, Task::of(workload, strings));
            }
        }
        series
    };
    let transports = [Transport::Tcp, Transport::Unix, Transport::Shm, FAST_ETHERNET];
    plan.transports_of(&transports).into_iter().map(on).collect()
}
