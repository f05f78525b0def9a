//! What a console speaks on a connection: HTTP as it is, or over TLS.

use armilla_tls::{Certificate, Tls};
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// The first octet of a handshake (RFC 8446, section 5.1: `ContentType`).
const HANDSHAKE: u8 = 22;

/// What a client gets that speaks HTTP as it is.
const NOT_PLAIN: &[u8] = b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n\
    Content-Length: 57\r\nConnection: close\r\n\r\n\
    this port speaks HTTPS alone: the URL begins with https:\n";

/// TLS in front of a console.
#[derive(Debug, Clone)]
pub(crate) struct Https(Tls);

/// A request has come over TLS; with the certificate that its client has shown, which was verified.
#[derive(Debug, Clone)]
pub(crate) struct OverTls(pub(crate) Option<Arc<Certificate>>);

impl Https {
    /// Reads the files.
    ///
    /// # Errors
    /// Which file is wrong, and why.
    pub(crate) fn new(tls: Tls) -> io::Result<Self> {
        tls.server_config().map_err(in_words_of_pages)?;
        Ok(Self(tls))
    }

    /// Whether a connection begins with a handshake. One that speaks HTTP as it is gets an answer
    /// that says so. Nobody is waited for longer than `limit`.
    pub(crate) async fn begins(stream: &TcpStream, limit: Duration) -> io::Result<()> {
        let mut first = [0];
        let peeked = timeout(limit, stream.peek(&mut first)).await;
        match peeked.map_err(|_| late())?? {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            _ if first[0] == HANDSHAKE => Ok(()),
            _ => {
                // What is unread when a socket is closed takes the answer with it.
                stream.try_read(&mut [0; 4096]).ok();
                stream.try_write(NOT_PLAIN).ok();
                Err(io::Error::new(ErrorKind::InvalidData, "the client does not speak TLS"))
            }
        }
    }

    /// The handshake with a client, within `limit`; and the certificate that it has shown.
    pub(crate) async fn accept<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        stream: S,
        limit: Duration,
    ) -> io::Result<(TlsStream<S>, OverTls)> {
        let config = self.0.server_config().map_err(io::Error::other)?;
        let accepting = TlsAcceptor::from(config).accept(stream);
        let stream = timeout(limit, accepting).await.map_err(|_| late())??;
        let shown = stream.get_ref().1.peer_certificates().and_then(|chain| chain.first());
        let shown = shown.and_then(|own| Certificate::parse(own));
        if let Some(own) = &shown {
            tracing::debug!(certificate = %own, "a client of the page has shown a certificate");
        }
        Ok((stream, OverTls(shown.map(Arc::new))))
    }
}

fn late() -> io::Error {
    io::Error::new(ErrorKind::TimedOut, "the handshake of TLS took too long")
}

/// What is wrong with the files, with the options by which pages get theirs.
fn in_words_of_pages(why: String) -> io::Error {
    let why = why
        .replace("-ORBCertificate", "--http-certificate")
        .replace("-ORBKey", "--http-key")
        .replace("-ORBRoots", "--http-roots");
    io::Error::new(ErrorKind::InvalidInput, format!("the page over HTTPS: {why}"))
}
