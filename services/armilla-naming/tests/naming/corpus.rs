//! Replays the fuzz corpus through the checks of the fuzz targets.

#[path = "../../../../lab/fuzz/checks/naming_record.rs"]
mod naming_record;
#[path = "../../../../lab/fuzz/checks/naming_rules.rs"]
mod naming_rules;
#[path = "../../../../lab/fuzz/checks/naming_text.rs"]
mod naming_text;
#[path = "../../../../lab/fuzz/checks/replay.rs"]
mod replay;

use replay::replay;

#[test]
fn rules() {
    replay("naming_rules", naming_rules::check);
}

#[test]
fn stored_bindings() {
    replay("naming_record", naming_record::check);
}

#[test]
fn names_and_exports() {
    replay("naming_text", naming_text::check);
}
