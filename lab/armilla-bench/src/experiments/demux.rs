//! E3: lookup of the object and the operation, by four strategies, within one process: the cost of
//! the object adapter without sockets.

use super::series::Series;
use crate::machine::Placement;
use crate::plan::Plan;
use crate::program::{Kind, Program, Transport};
use crate::task::Task;
use crate::workload::Workload;

const OBJECTS: [u32; 10] = [1, 100, 200, 300, 400, 500, 1000, 10_000, 100_000, 1_000_000];
const FEW_OBJECTS: [u32; 4] = [1, 100, 500, 10_000];

const OPERATIONS: [u32; 4] = [1, 10, 100, 1000];
const FEW_OPERATIONS: [u32; 3] = [1, 100, 1000];

const fn strategy(name: &'static str, options: &'static [&'static str]) -> Program {
    Program { name, kind: Kind::Adapter, options }
}

pub(super) fn series(plan: &Plan) -> Vec<Series> {
    let programs = [
        strategy("active", &["active"]),
        strategy("perfect hashing", &["perfect"]),
        strategy("dynamic hashing", &["hashing"]),
        strategy("linear", &["linear"]),
    ];
    let mut series = Series::on(plan, Transport::Memory, Placement::OneCore, &programs);
    for &objects in plan.choose(&OBJECTS, &FEW_OBJECTS) {
        for &operations in plan.choose(&OPERATIONS, &FEW_OPERATIONS) {
            for order in ["random", "worst"] {
                let task = Task { order, ..Task::of(Workload::Demux, 0) };
                series.add_operations(task, objects, operations);
            }
        }
    }
    // Measure all cells together, so that drift on the machine does not distort the comparison.
    series.together = series.steps.len();
    vec![series]
}
