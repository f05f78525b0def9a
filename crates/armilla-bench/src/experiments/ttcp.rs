//! E1: bulk transfer. One transmitter floods one receiver, which counts what arrives.

use super::Series;
use crate::machine::Placement;
use crate::measure::Task;
use crate::plan::{Experiment, Plan};
use crate::program::{
    ACE, C, CAPNP, GRPC, ICE, IPC, JACORB, OMNIORB, ORB, ORB_DII, ORB_SYNC_NONE, Transport,
};
use crate::workload::Workload;

const KIB: u32 = 1024;

const SIZES: [u32; 9] =
    [1, KIB, 2 * KIB, 4 * KIB, 8 * KIB, 16 * KIB, 32 * KIB, 64 * KIB, 128 * KIB];
const FEW_SIZES: [u32; 5] = [KIB, 4 * KIB, 16 * KIB, 64 * KIB, 128 * KIB];

const QUEUES: [usize; 4] = [8 * 1024, 64 * 1024, 0, 1024 * 1024];
const FEW_QUEUES: [usize; 2] = [64 * 1024, 0];

pub(super) fn series(plan: &Plan) -> Vec<Series> {
    let programs = [C, ACE, IPC, ORB, ORB_SYNC_NONE, ORB_DII, OMNIORB, ICE, GRPC, CAPNP, JACORB];
    let mut all = Vec::new();
    for transport in
        plan.transports_of(if plan.quick { &[Transport::Tcp] } else { &Transport::ALL })
    {
        // Shared memory has no socket queues, and those of Unix sockets have no published figures.
        let queues =
            if transport == Transport::Tcp { plan.choose(&QUEUES, &FEW_QUEUES) } else { &[0] };
        for &queue in queues {
            let series = Series::on(plan, transport, Placement::OneCore, &programs);
            let mut series = series.with_queue(queue);
            for &size in plan.choose(&SIZES, &FEW_SIZES) {
                for workload in [Workload::FloodSequence, Workload::FloodString] {
                    series.add(Experiment::Ttcp, "oneway-static", Task::of(workload, size));
                }
            }
            all.push(series);
        }
    }
    all
}
