//! What associations go over: TCP, or TLS on it as PS3.15 wants it (the profile of BCP 195: TLS 1.2
//! and newer, suites with forward secrecy, certificates of one end or both).

use super::GREETING;
use super::greeting::{await_hello, await_request};
use armilla_tls::{Certificate, Tls};
use dicom_ul::ServerAssociation;
use dicom_ul::association::server::{AccessControl, Negotiation, ServerAssociationOptions};
use dicom_ul::association::{ClientAssociation, ClientAssociationOptions, CloseSocket};
use dicom_ul::association::{client, server};
use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpStream;

/// What stands before the address of a peer that is reached over TLS.
pub(super) const OVER_TLS: &str = "tls://";

/// TLS as the server of it.
pub(super) type AsServer = server::TlsStream;

/// TLS as the client of it.
pub(super) type AsClient = client::TlsStream;

/// What octets come and go over.
pub(super) trait Wire: Read + Write + CloseSocket + Sized {
    /// The connection beneath.
    fn tcp(&self) -> &TcpStream;

    /// Whether octets wait that have left the connection beneath.
    fn holds_octets(&mut self) -> bool;
}

impl Wire for TcpStream {
    fn tcp(&self) -> &TcpStream {
        self
    }

    fn holds_octets(&mut self) -> bool {
        false
    }
}

impl Wire for AsServer {
    fn tcp(&self) -> &TcpStream {
        &self.sock
    }

    fn holds_octets(&mut self) -> bool {
        let state = self.conn.process_new_packets();
        // What is wrong shows when it is read.
        state.map_or(true, |state| state.plaintext_bytes_to_read() > 0)
    }
}

impl Wire for AsClient {
    fn tcp(&self) -> &TcpStream {
        &self.sock
    }

    fn holds_octets(&mut self) -> bool {
        let state = self.conn.process_new_packets();
        state.map_or(true, |state| state.plaintext_bytes_to_read() > 0)
    }
}

/// The end of a connection that a peer has made.
pub(super) trait Accepted: Wire {
    /// Agrees on an association with the peer.
    fn accept<A: AccessControl, N: Negotiation>(
        options: ServerAssociationOptions<'_, A, N>,
        socket: TcpStream,
        tls: &Tls,
    ) -> Result<ServerAssociation<Self>, Box<dyn Error>>;

    /// Who the peer is, if it has shown a certificate that was verified.
    fn user(&self) -> Option<String>;
}

impl Accepted for TcpStream {
    fn accept<A: AccessControl, N: Negotiation>(
        options: ServerAssociationOptions<'_, A, N>,
        socket: TcpStream,
        _: &Tls,
    ) -> Result<ServerAssociation<Self>, Box<dyn Error>> {
        await_request(&socket, GREETING)?;
        Ok(options.establish(socket)?)
    }

    fn user(&self) -> Option<String> {
        None
    }
}

impl Accepted for AsServer {
    fn accept<A: AccessControl, N: Negotiation>(
        options: ServerAssociationOptions<'_, A, N>,
        socket: TcpStream,
        tls: &Tls,
    ) -> Result<ServerAssociation<Self>, Box<dyn Error>> {
        await_hello(&socket, GREETING)?;
        Ok(options.tls_config(tls.server_config()?).establish_tls(socket)?)
    }

    fn user(&self) -> Option<String> {
        let own = self.conn.peer_certificates()?.first()?;
        Some(format!("dn:{}", Certificate::parse(own)?.subject.as_str()))
    }
}

/// The end of a connection that this server has made.
pub(super) trait Connected: Wire + Send + 'static {
    /// Connects to a peer, HOST:PORT, and agrees on an association with it.
    fn connect(
        options: ClientAssociationOptions<'static>,
        address: &str,
        tls: &Tls,
    ) -> Result<ClientAssociation<Self>, Box<dyn Error + Send + Sync>>;
}

impl Connected for TcpStream {
    fn connect(
        options: ClientAssociationOptions<'static>,
        address: &str,
        _: &Tls,
    ) -> Result<ClientAssociation<Self>, Box<dyn Error + Send + Sync>> {
        Ok(options.establish(address)?)
    }
}

impl Connected for AsClient {
    fn connect(
        options: ClientAssociationOptions<'static>,
        address: &str,
        tls: &Tls,
    ) -> Result<ClientAssociation<Self>, Box<dyn Error + Send + Sync>> {
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        let name = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let options = options.tls_config(tls.client_config()?).server_name(&name);
        Ok(options.establish_tls(address)?)
    }
}
