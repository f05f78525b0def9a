//! `linked …` does what `calls …` does, in a program that contains real-time CORBA. If the
//! environment variable `LINKED` is `used`, client and server use it, too, for other objects than
//! the one whose calls are counted.

#[path = "calls.rs"]
#[allow(dead_code, reason = "it is a program too")]
mod calls;

use armilla::{Orb, SystemException};
use armilla_rt::{Priority, PriorityModel, RtOrb, ThreadpoolOptions};
use std::process::ExitCode;

fn main() -> ExitCode {
    calls::run(|orb| match std::env::var("LINKED").as_deref() {
        Ok("used") => make_real_time(orb),
        _ => Ok(()),
    })
}

fn make_real_time(orb: &Orb) -> Result<(), SystemException> {
    let rt = RtOrb::new(orb);
    let [low, high] = [1_000, 30_000].map(|number| Priority::new(number).unwrap_or_default());
    let lanes = ThreadpoolOptions::with_lanes("linked").lane(low, 1, 0).lane(high, 1, 0);
    let pool = rt.create_threadpool(lanes)?;
    let builder = rt.poa(orb.root_poa().create_poa("linked")).threadpool(&pool);
    builder.priority_model(PriorityModel::ClientPropagated(low)).build().map(drop)
}
