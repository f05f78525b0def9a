//! The policies of a POA: which go together, and what each makes of a POA.

mod combinations;
mod objects;
mod threading;

use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::sync::Arc;

fn probe() -> Arc<dyn Everything> {
    everything::tie(Probe::default())
}
