//! Has a slow wave recorded; with `--pack` it understands that the object takes it packed.

use armilla::Orb;
use remoting_within::lab::{Recorder, RecorderRef};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let reference = arguments.next().ok_or("usage: remoting-within-client IOR:… [--pack]")?;
    let orb = Orb::new()?;
    if arguments.next().as_deref() == Some("--pack") {
        remoting_within::install(&orb);
    }
    // From here on nothing knows how series travel.
    let recorder: RecorderRef = orb.resolve(&reference)?;
    let before = recorder.octets()?;
    let wave: Vec<i32> =
        (0..10_000).map(|n| (f64::from(n) / 500.0).sin() * 10_000.0).map(|v| v as i32).collect();
    let mean = recorder.record(&wave)?;
    println!("mean {mean:.3}, {} octets", recorder.octets()? - before);
    Ok(())
}
