//! Replays the fuzz corpus through the checks of the fuzz targets.

#[path = "../../../../lab/fuzz/checks/property_record.rs"]
mod property_record;
#[path = "../../../../lab/fuzz/checks/replay.rs"]
mod replay;

use replay::replay;

#[test]
fn records_of_properties() {
    replay("property_record", property_record::check);
}
