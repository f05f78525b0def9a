//! A transport of the program that panics: its connection ends, and the endpoint goes on.

use super::Meddler;
use armilla::transport::{
    Acceptor, Address, Listening, Publication, Readiness, SendError, Stream, StreamOptions,
    Transport,
};
use armilla::{Completion, Settings};
use armilla_tests::orbs::{self, CONCURRENCIES, Server};
use armilla_tests::probe::*;
use std::fmt;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::os::fd::BorrowedFd;
use std::time::Duration;

/// TCP that does what it is told.
struct Told<T>(T, Meddler);

impl<T> fmt::Debug for Told<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Told")
    }
}

impl Transport for Told<()> {
    fn scheme(&self) -> &str {
        "told"
    }

    fn form(&self) -> &str {
        "told://"
    }

    fn listen(&self, _: &str, _: &Settings) -> io::Result<Listening> {
        let here = Address::tcp("127.0.0.1", 0);
        let acceptor = armilla::transport::listen(&here, &StreamOptions::default())?;
        let Address::Tcp { host, port } = acceptor.local().clone() else { unreachable!() };
        let publications = vec![Publication::Iiop(host.to_string(), port)];
        Ok(Listening { acceptor: Box::new(Told(acceptor, self.1.clone())), publications })
    }

    fn connect(&self, _: &str, _: Duration, _: &Settings) -> io::Result<Box<dyn Stream>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl Acceptor for Told<Box<dyn Acceptor>> {
    fn accept(&self) -> io::Result<Option<Box<dyn Stream>>> {
        let Some(stream) = self.0.accept()? else { return Ok(None) };
        self.1.at("accept");
        Ok(Some(Box::new(Told(stream, self.1.clone()))))
    }

    fn local(&self) -> &Address {
        self.0.local()
    }

    fn close(&self) {
        self.0.close();
        self.1.at("close");
    }
}

impl Stream for Told<Box<dyn Stream>> {
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let received = self.0.recv(buffer);
        self.1.at("recv");
        received
    }

    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let received = self.0.try_recv(buffer);
        self.1.at("recv");
        received
    }

    fn send_all(&self, bytes: &[u8]) -> Result<(), SendError> {
        self.1.at("send");
        self.0.send_all(bytes)
    }

    fn send_all_vectored(&self, parts: &[IoSlice<'_>]) -> Result<(), SendError> {
        self.1.at("send");
        self.0.send_all_vectored(parts)
    }

    fn try_send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.1.at("send");
        self.0.try_send_vectored(parts)
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.0.set_recv_timeout(timeout)
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.1.at("set_send_timeout");
        self.0.set_send_timeout(timeout)
    }

    fn readiness(&self) -> io::Result<Readiness> {
        self.0.readiness()
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.0.descriptor()
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        let ended = self.0.shutdown(how);
        self.1.at("shutdown");
        ended
    }

    fn peer(&self) -> &Address {
        self.1.at("peer");
        self.0.peer()
    }

    fn local(&self) -> &Address {
        self.0.local()
    }
}

impl<T> Drop for Told<T> {
    fn drop(&mut self) {
        self.1.at("drop");
    }
}

/// The method that panics, and whether the call fails by that.
const PANICS: [(&str, bool); 7] = [
    ("accept", true),
    ("peer", true),
    ("set_send_timeout", false),
    ("recv", true),
    ("send", true),
    ("shutdown", false),
    ("drop", false),
];

#[test]
fn a_transport_that_panics_loses_a_connection_and_no_thread() {
    for concurrency in CONCURRENCIES {
        let meddler = Meddler::default();
        let orb = orbs::builder()
            .settings(|settings| {
                settings.concurrency = concurrency;
                settings.drain_timeout = Duration::from_millis(500);
            })
            .transport(Told((), meddler.clone()))
            .listen("told://")
            .unwrap();
        let server = Server::of(orb.build().unwrap());
        for (method, fails) in PANICS {
            for _ in 0..3 {
                let client = orbs::builder().settings(|settings| settings.retries.count = 0);
                let client = client.build().unwrap();
                let far = server.remote(&client);
                meddler.tell(move |here| assert!(here != method, "as told"));
                let got = far.ping();
                assert_eq!(got.is_err(), fails, "{method}, {concurrency:?}: {got:?}");
                if let Err(exception) = got {
                    assert_ne!(exception.completed(), Completion::Yes, "{exception}");
                }
                client.shutdown();
                meddler.tell_nothing();
            }
            let client = orbs::client();
            (0..3).for_each(|_| server.remote(&client).ping().unwrap());
            client.shutdown();
        }
        server.shutdown();
    }
}
