//! The conformance suite over pipes that are handed over, and one-way pipes.

mod conformance;

use armilla_ipc::Address;
use armilla_ipc::pipe::Pipe;
use conformance::{Place, conformance, fresh_path};

impl Place for Pipe {
    fn fresh() -> Address {
        Address::pipe(fresh_path())
    }

    fn shorten_queue(acceptor: &Self::Acceptor) {
        rustix::net::listen(acceptor, 0).unwrap();
    }
}

conformance!(Pipe: queues, halves, keeps);
