//! E1: bulk transfer. A transmitter floods a receiver, which counts the data.

use super::series::Series;
use crate::line::Line;
use crate::machine::Placement;
use crate::plan::{Experiment, Plan};
use crate::program::{
    ACE, BY_THEMSELVES, C, C_AGAIN, CAPNP, GRPC, ICE, IPC, JACORB, OMNIORB, ORB, ORB_DII,
    ORB_SYNC_NONE, Program, TAO, Transport,
};
use crate::task::Task;
use crate::workload::Workload;

const KIB: u32 = 1024;

const SIZES: [u32; 9] =
    [1, KIB, 2 * KIB, 4 * KIB, 8 * KIB, 16 * KIB, 32 * KIB, 64 * KIB, 128 * KIB];
const FEW_SIZES: [u32; 5] = [KIB, 4 * KIB, 16 * KIB, 64 * KIB, 128 * KIB];

const QUEUES: [usize; 4] = [8 * 1024, 64 * 1024, 0, 1024 * 1024];
const FEW_QUEUES: [usize; 2] = [64 * 1024, 0];

/// The programs. Plain sockets take part twice, which shows how far two equal programs differ.
const PROGRAMS: [Program; 13] =
    [C, C_AGAIN, ACE, IPC, ORB, ORB_SYNC_NONE, ORB_DII, OMNIORB, ICE, GRPC, CAPNP, JACORB, TAO];

/// The lines of the study, its queues, and the programs that it compared.
const LINES: [Transport; 2] = [Transport::Link(Line::Atm155), Transport::Link(Line::Ethernet10)];
const LINE_QUEUES: [usize; 2] = [64 * 1024, 8 * 1024];
const FEW_LINE_QUEUES: [usize; 1] = [64 * 1024];
const LINE_PROGRAMS: [Program; 4] = [C, IPC, ORB, OMNIORB];
const FEW_LINE_SIZES: [u32; 4] = [KIB, 4 * KIB, 16 * KIB, 64 * KIB];

pub(super) fn series(plan: &Plan) -> Vec<Series> {
    let mut all = Vec::new();
    for transport in plan.transports_of(&Transport::ALL) {
        let programs: &[_] = match transport {
            Transport::SameHost => &BY_THEMSELVES,
            _ => &PROGRAMS,
        };
        // Shared memory has no socket queues, and those of Unix sockets have no published figures.
        let queues =
            if transport == Transport::Tcp { plan.choose(&QUEUES, &FEW_QUEUES) } else { &[0] };
        for &queue in queues {
            let series = Series::on(plan, transport, Placement::OneCore, programs);
            let mut series = series.with_queue(queue);
            add(plan, &mut series, &[Workload::FloodSequence, Workload::FloodString]);
            // A sender that waits for every reply does not fill the queues.
            if queue == 0 {
                add(plan, &mut series, &[Workload::TwowaySequence, Workload::TwowayString]);
            }
            all.push(series);
        }
        // On one core a program is fast that yields the processor at the right moment.
        if matches!(transport, Transport::Tcp | Transport::SameHost) {
            let mut series = Series::on(plan, transport, Placement::OneCoreEach, programs);
            add(plan, &mut series, &[Workload::FloodSequence]);
            all.push(series);
        }
    }
    for transport in plan.transports_of(&LINES) {
        for &queue in plan.choose(&LINE_QUEUES, &FEW_LINE_QUEUES) {
            let series = Series::on(plan, transport, Placement::OneCore, &LINE_PROGRAMS);
            let mut series = series.with_queue(queue);
            for &size in plan.choose(&SIZES, &FEW_LINE_SIZES) {
                series.add(Experiment::Ttcp, Task::of(Workload::FloodSequence, size));
            }
            all.push(series);
        }
    }
    all
}

/// Adds a cell for each form and size. The forms of a size are compared with each other.
fn add(plan: &Plan, series: &mut Series, forms: &[Workload]) {
    series.together = forms.len();
    // There are no published figures for other transports.
    let all: &[u32] = if series.transport == Transport::Tcp { &SIZES } else { &FEW_SIZES };
    for &size in if plan.quick { &FEW_SIZES } else { all } {
        for &workload in forms {
            series.add(Experiment::Ttcp, Task::of(workload, size));
        }
    }
}
