//! The policies of a POA: their combinations and their effects.

mod combinations;
mod objects;
mod threading;

use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::Arc;

fn probe() -> Arc<dyn Everything> {
    everything::tie(Probe::default())
}
