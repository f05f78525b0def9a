//! Replays the fuzz corpus through the checks of the fuzz targets.

#[path = "../../../../lab/fuzz/checks/constraint.rs"]
mod constraint;
#[path = "../../../../lab/fuzz/checks/replay.rs"]
mod replay;

use replay::replay;

#[test]
fn constraints_and_preferences() {
    replay("constraint", constraint::check);
}
