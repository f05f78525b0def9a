//! The conformance suite over pseudo-terminals.

mod conformance;

use armilla_ipc::Address;
use armilla_ipc::pty::Pty;
use conformance::{Place, conformance, fresh_path};

impl Place for Pty {
    fn fresh() -> Address {
        Address::pty(fresh_path())
    }

    fn shorten_queue(acceptor: &Self::Acceptor) {
        rustix::net::listen(acceptor, 0).unwrap();
    }
}

conformance!(Pty: direct, queues);
