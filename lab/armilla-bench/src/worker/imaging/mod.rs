//! The processes of the imaging experiment: a server that has images, and a client whose viewers
//! fetch them. `peers/README.md` has the commands.

mod client;
mod server;
mod viewer;

use super::{Outcome, Worker};
use armilla::OrbBuilder;

#[allow(missing_docs)]
pub(super) mod idl {
    armilla::include_idl!("image_flows");
}

/// The octets of a part: of a call, or of a read from a file.
const PART: usize = 1 << 20;

/// Runs one of the processes.
pub(super) fn run(worker: &Worker) -> Outcome {
    match worker.role.as_str() {
        "server" => server::run(worker),
        _ => client::run(worker),
    }
}

/// The options of both ORBs.
fn builder(worker: &Worker) -> OrbBuilder {
    let congestion = worker.stream_options().congestion;
    armilla::Orb::builder().settings(|settings| {
        settings.congestion_control = congestion;
        // All programs of the experiment use TCP.
        settings.same_host = armilla::SameHost::Off;
    })
}
