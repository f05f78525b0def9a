//! The conformance suite over named pipes, and what is particular to their files.

mod conformance;

use armilla_ipc::Address;
use armilla_ipc::fifo::Fifo;
use conformance::{Place, conformance, fresh_path};

impl Place for Fifo {
    fn fresh() -> Address {
        Address::fifo(fresh_path())
    }

    fn shorten_queue(_acceptor: &Self::Acceptor) {} // there is none
}

conformance!(Fifo: halves, keeps);
