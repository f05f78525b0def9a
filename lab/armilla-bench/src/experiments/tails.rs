//! E2, the slowest calls: what one of a thousand takes longer than, within a host, on one core and
//! on a core each.

use super::series::Series;
use crate::machine::Placement;
use crate::plan::{Experiment, Plan};
use crate::program::{BY_THEMSELVES, Transport};
use crate::task::Task;
use crate::workload::Workload;

pub(super) fn series(plan: &Plan) -> Vec<Series> {
    let mut all = Vec::new();
    for transport in plan.transports_of(&[Transport::Tcp, Transport::SameHost]) {
        for placement in [Placement::OneCore, Placement::OneCoreEach] {
            let mut series = Series::on(plan, transport, placement, &BY_THEMSELVES);
            let calls =
                [(Workload::Void, 0), (Workload::Structs, 1024), (Workload::Octets, 64 * 1024)];
            for (workload, units) in calls {
                let task = Task { tail: true, ..Task::of(workload, units) };
                series.add(Experiment::Tails, task);
            }
            all.push(series);
        }
    }
    all
}
