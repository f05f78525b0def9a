//! An event channel for clients of other ORBs, until it is killed.
//!
//! ```text
//! event-channel [-ORB...]
//! ```

use armilla::Orb;
use armilla_events::{ChannelLimits, EventChannel};
use armilla_rt::RtOrb;
use std::time::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let orb = Orb::from_args(std::env::args())?;
    let mut limits = ChannelLimits::default();
    // The checks push faster than they pull.
    limits.queue_length = 10_000;
    limits.pull = Duration::from_secs(2);
    let channel = EventChannel::builder(&RtOrb::new(&orb)).limits(limits).build()?;
    println!("{}", orb.publish("Events", channel.reference())?);
    orb.run()?;
    Ok(())
}
