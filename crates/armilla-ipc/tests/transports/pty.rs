//! The conformance suite over pseudo-terminals.

#![cfg(all(feature = "pty", feature = "zero-copy"))]

use crate::conformance;
use armilla_ipc::pty::{Pty, PtyStream, WindowSize};
use armilla_ipc::zero_copy::{Relay, send_file};
use armilla_ipc::{Address, Readiness, Stream};
use conformance::{LONG, TestTransport, conformance, fresh_path};
use std::io::ErrorKind;
use std::os::fd::AsFd;
use std::process::{Command, Stdio};

impl TestTransport for Pty {
    fn fresh() -> Address {
        Address::pty(fresh_path())
    }

    fn shorten_queue(acceptor: &Self::Acceptor) {
        rustix::net::listen(acceptor.socket(), 0).unwrap();
    }
}

conformance!(Pty: direct, queues);

#[test]
fn every_byte_passes_unchanged_and_nothing_comes_back() {
    let (driver, terminal) = PtyStream::pair().unwrap();
    let all: Vec<u8> = (0..=255).collect(); // control characters among them
    for (from, to) in [(&driver, &terminal), (&terminal, &driver)] {
        to.set_recv_timeout(Some(LONG)).unwrap();
        from.send_all(&all).unwrap();
        let mut received = [0; 256];
        to.recv_all(&mut received).unwrap();
        assert_eq!(received[..], all);
        assert_eq!(from.readiness().unwrap(), Readiness::Idle, "no echo");
    }
}

#[test]
fn a_program_on_the_terminal_sees_its_size() {
    let (driver, terminal) = PtyStream::pair().unwrap();
    assert_eq!(driver.window_size().unwrap(), WindowSize::default());
    driver.set_window_size(WindowSize { rows: 25, columns: 132 }).unwrap();
    assert_eq!(terminal.window_size().unwrap(), WindowSize { rows: 25, columns: 132 });
    let here = || Stdio::from(terminal.as_fd().try_clone_to_owned().unwrap());
    let child = Command::new("stty").arg("size").stdin(here()).stdout(Stdio::piped()).output();
    assert_eq!(child.unwrap().stdout, b"25 132\n");
}

#[test]
fn a_hang_up_is_an_end_on_either_side() {
    for driver_goes in [true, false] {
        let (driver, terminal) = PtyStream::pair().unwrap();
        let (gone, left) = if driver_goes { (driver, terminal) } else { (terminal, driver) };
        drop(gone);
        left.set_recv_timeout(Some(LONG)).unwrap();
        assert_eq!(left.recv(&mut [0; 8]).unwrap(), 0);
        assert_eq!(left.readiness().unwrap(), Readiness::Closed);
        // So it is where the kernel moves the bytes.
        let (sink, _source) = PtyStream::pair().unwrap();
        assert_eq!(Relay::new().unwrap().run(&left, &sink).unwrap(), 0);
        if driver_goes {
            let file = std::fs::File::open("/proc/self/exe").unwrap();
            let error = send_file(&left, &file, 0, 10).unwrap_err();
            assert_eq!(error.source.kind(), ErrorKind::BrokenPipe, "{error}");
            // To a terminal that somebody may open again the driving side can still send.
            assert_eq!(left.send(b"x").unwrap_err().kind(), ErrorKind::BrokenPipe);
        }
    }
}
