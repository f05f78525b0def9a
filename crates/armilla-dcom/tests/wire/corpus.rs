//! Replays the fuzz corpus through the checks of the fuzz targets.

#[path = "../../../../lab/fuzz/checks/activation.rs"]
mod activation;
#[path = "../../../../lab/fuzz/checks/objref.rs"]
mod objref;
#[path = "../../../../lab/fuzz/checks/replay.rs"]
mod replay;

#[path = "../../../../lab/fuzz/checks/variant.rs"]
mod variant;

use replay::replay;

#[test]
fn object_references() {
    replay("objref", objref::check);
}

#[test]
fn activations() {
    replay("activation", activation::check);
}

#[test]
fn values_of_automation() {
    replay("variant", variant::check);
}
