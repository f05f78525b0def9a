//! Serving connections over HTTP/1: within limits of number and time, and so that a handler that
//! panics costs its request alone.

use crate::bodies::{KeepingBody, TimedBody};
use crate::connections::{Connection, Connections, Serving};
use crate::https::{Https, OverTls};
use crate::limits::ConsoleLimits;
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode};
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, Sleep, sleep};

/// The largest head of a request, in octets.
const MAX_HEAD: usize = 64 << 10;

/// How long nothing is accepted after the system had no descriptor or memory.
const PAUSE: Duration = Duration::from_millis(100);

/// What a client gets for which there is no room.
const NO_ROOM: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 5\r\n\
    Connection: close\r\n\r\n";

/// Serves all connections of a listener, until it is dropped.
pub(crate) async fn serve(
    listener: TcpListener,
    https: Option<Https>,
    router: Router,
    limits: ConsoleLimits,
) {
    let connections = Connections::new(&limits);
    let limits = Arc::new(limits);
    loop {
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                let of_one = matches!(
                    error.kind(),
                    ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset
                );
                if !of_one {
                    tracing::warn!(%error, "the console cannot accept a connection");
                    sleep(PAUSE).await;
                }
                continue;
            }
        };
        match connections.admit(peer.ip().into()).await {
            Some(connection) => {
                let (https, router) = (https.clone(), router.clone());
                tokio::spawn(one(stream, peer, connection, https, router, limits.clone()));
            }
            None => refuse(&stream),
        }
    }
}

/// Tells a client that there is no room. Nothing is waited for, so one that has not yet sent its
/// request may see no more than the end of the connection.
fn refuse(stream: &TcpStream) {
    // What is unread when a socket is closed takes the answer with it.
    stream.try_read(&mut [0; 4096]).ok();
    stream.try_write(NO_ROOM).ok();
}

/// Serves one connection until it ends, or has to go for another one. Until its handshake is over,
/// it waits for a request like any other one, and goes first.
async fn one(
    stream: TcpStream,
    peer: SocketAddr,
    connection: Connection,
    https: Option<Https>,
    router: Router,
    limits: Arc<ConsoleLimits>,
) {
    let served = async {
        let Some(https) = https else {
            return speak(
                Stalling::new(stream, &limits),
                (peer, None),
                &connection,
                router,
                &limits,
            )
            .await;
        };
        Https::begins(&stream, limits.head).await?;
        let (stream, tls) =
            https.accept(Stalling::new(stream, &limits), limits.head).await.map_err(|error| {
                tracing::info!(%error, %peer, "a handshake of TLS with a client of the page failed");
                error
            })?;
        speak(stream, (peer, Some(tls)), &connection, router, &limits).await
    };
    tokio::select! {
        result = served => {
            if let Err(error) = result {
                tracing::debug!(%error, %peer, "a connection of the console has ended");
            }
        }
        () = connection.ended() => {}
    }
}

/// Speaks HTTP/1 over a stream. Each request learns where its client is, whether it has come over
/// TLS, and which certificate the client has shown.
async fn speak<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    (peer, tls): (SocketAddr, Option<OverTls>),
    connection: &Connection,
    router: Router,
    limits: &ConsoleLimits,
) -> io::Result<()> {
    let service = service_fn(|mut request: Request<Incoming>| {
        let serving = connection.serve();
        request.extensions_mut().insert(ConnectInfo(peer));
        if let Some(tls) = &tls {
            request.extensions_mut().insert(tls.clone());
        }
        answer(request.map(|body| TimedBody::new(body, limits)), router.clone(), serving)
    });
    let mut builder = Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(MAX_HEAD);
    builder.serve_connection(TokioIo::new(stream), service).await.map_err(io::Error::other)
}

/// The answer of the router; if a handler panics, one that says so.
async fn answer(
    request: Request<TimedBody<Incoming>>,
    router: Router,
    serving: Serving,
) -> Result<Response, Infallible> {
    let path = request.uri().path().to_owned();
    let mut answering = Box::pin(async move {
        let Ok(response) = TowerToHyperService::new(router).call(request).await;
        response
    });
    let caught = poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| answering.as_mut().poll(context)));
        match polled {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(response)) => Poll::Ready(Some(response)),
            Err(_) => Poll::Ready(None),
        }
    });
    let response = caught.await.unwrap_or_else(|| {
        tracing::error!(path, "a page of the console panicked");
        (StatusCode::INTERNAL_SERVER_ERROR, "the console failed to answer\n").into_response()
    });
    Ok(response.map(|body| Body::new(KeepingBody { body, _kept: serving })))
}

/// A stream that fails when its peer takes nothing for too long, or so little at a time that it
/// would take for ever. Only the time counts in which the peer is waited for.
struct Stalling {
    stream: TcpStream,
    limit: Duration,
    rate: u32,
    octets: u64,
    waited: Duration,
    /// Since when the peer is waited for, and until when.
    stalled: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl Stalling {
    fn new(stream: TcpStream, limits: &ConsoleLimits) -> Self {
        let (limit, rate) = (limits.stall, limits.body_rate.max(1));
        Self { stream, limit, rate, octets: 0, waited: Duration::ZERO, stalled: None }
    }

    /// How long the peer may be waited for now, what it has taken considered.
    fn left(&self) -> Duration {
        let earned = Duration::from_millis(self.octets.saturating_mul(1000) / u64::from(self.rate));
        self.limit.min((self.limit + earned).saturating_sub(self.waited))
    }

    /// Counts what the peer has taken.
    fn count(&mut self, written: &Poll<io::Result<usize>>) {
        if let Poll::Ready(Ok(count)) = written {
            self.octets += *count as u64;
        }
    }

    /// What writing has given, or an error when it has waited for too long.
    fn in_time<T>(
        &mut self,
        written: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            if let Some((since, _)) = self.stalled.take() {
                self.waited += since.elapsed();
            }
            return written;
        }
        let left = self.left();
        let stall = || (Instant::now(), Box::pin(sleep(left)));
        let (_, timer) = self.stalled.get_or_insert_with(stall);
        timer.as_mut().poll(context).map(|()| {
            let what = "the peer takes nothing of the answer, or too little";
            Err(io::Error::new(ErrorKind::TimedOut, what))
        })
    }
}

impl AsyncRead for Stalling {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        octets: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, octets)
    }
}

impl AsyncWrite for Stalling {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        octets: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, octets);
        self.count(&written);
        self.in_time(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        octets: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, octets);
        self.count(&written);
        self.in_time(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
