//! Replays the fuzz corpus through the checks of the fuzz targets.

#[path = "../../../../lab/fuzz/checks/bridge_values.rs"]
mod bridge_values;
#[path = "../../../../lab/fuzz/checks/replay.rs"]
mod replay;

use replay::replay;

#[test]
fn values_that_cross() {
    replay("bridge_values", bridge_values::check);
}
