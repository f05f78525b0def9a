//! Records series until Ctrl-C; its reference says that they may come packed.

use armilla::remoting::{Dispatched, ServerCall, Skeleton};
use armilla::{AnyServant, Orb, SystemException};
use remoting_within::lab::{Recorder, RecorderRef, recorder};
use remoting_within::{PACKED, Unpack};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The servant.
struct Tape {
    octets: Arc<AtomicU64>,
}

impl Recorder for Tape {
    fn record(&self, values: &[i32]) -> Result<f64, SystemException> {
        let sum: f64 = values.iter().copied().map(f64::from).sum();
        Ok(sum / values.len().max(1) as f64)
    }

    fn octets(&self) -> Result<u64, SystemException> {
        Ok(self.octets.load(Ordering::Relaxed))
    }
}

/// Counts the octets of arguments, however they come.
struct Count(Arc<AtomicU64>);

impl Skeleton for Count {
    fn dispatch(&self, call: &mut ServerCall<'_>, servant: &AnyServant) -> Dispatched {
        self.0.fetch_add(call.arguments().remaining() as u64, Ordering::Relaxed);
        servant.dispatch(call)
    }
}

fn main() -> Result<(), SystemException> {
    let orb = Orb::from_args(std::env::args())?;
    let octets = Arc::new(AtomicU64::new(0));
    let tape = AnyServant::from(recorder::tie(Tape { octets: octets.clone() }));
    let servant = tape.with_skeleton(Unpack).with_skeleton(Count(octets));
    let plain: RecorderRef = orb.root_poa().activate_servant(servant)?.assume();
    println!("{}", orb.object_to_string(plain.with_component(PACKED, [])?.object())?);
    orb.run()
}
