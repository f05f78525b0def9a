//! The baseline: a plain socket that exchanges the same octets as the ORB, with one write and
//! usually one read on each side.

use crate::facts;
use armilla_terminal::{Context, Failure, Outcome};
use rustix::net::sockopt;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

/// As large as the largest message of either experiment.
const BUFFER: usize = 64 << 10;

/// The client: sends the same request repeatedly and reads the reply.
pub(crate) struct PlainClient {
    stream: TcpStream,
    request: Vec<u8>,
    reply_len: usize,
    buffer: Vec<u8>,
}

impl PlainClient {
    /// Connects, and sends the lengths of both messages and the reply to the server.
    pub(crate) fn connect(port: u16, request: Vec<u8>, reply: &[u8]) -> Outcome<Self> {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).context("no plain connection")?;
        prepare(&stream)?;
        for length in [request.len(), reply.len()] {
            let length = u32::try_from(length).map_err(|_| Failure::because("a huge message"))?;
            stream.write_all(&length.to_be_bytes())?;
        }
        stream.write_all(reply)?;
        Ok(Self { stream, request, reply_len: reply.len(), buffer: vec![0; BUFFER] })
    }

    /// One exchange.
    #[inline]
    pub(crate) fn exchange(&mut self) -> Outcome {
        self.stream.write_all(&self.request).context("the plain connection")?;
        let received = receive(&mut self.stream, &mut self.buffer, self.reply_len);
        match received.context("the plain connection")? {
            true => Ok(()),
            false => Err(Failure::because("the plain server closed the connection")),
        }
    }
}

/// Serves every connection in a thread of its own, as the ORB does.
pub(crate) fn serve(listener: &TcpListener) {
    for stream in listener.incoming().flatten() {
        thread::spawn(move || {
            if let Err(error) = answer(stream) {
                eprintln!("a plain connection failed: {error}");
            }
        });
    }
}

fn answer(mut stream: TcpStream) -> io::Result<()> {
    prepare(&stream)?;
    let request_len = read_length(&mut stream)?;
    let mut reply = vec![0; read_length(&mut stream)?];
    stream.read_exact(&mut reply)?;
    let mut buffer = vec![0; BUFFER];
    while receive(&mut stream, &mut buffer, request_len)? {
        stream.write_all(&reply)?;
    }
    Ok(())
}

/// Sets the socket options of the ORB's connections.
fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    match facts::congestion_control() {
        Some(name) => Ok(sockopt::set_tcp_congestion(stream, &name)?),
        None => Ok(()),
    }
}

/// Receives a message of `length` octets, which fits the buffer; `false` at the end of the stream.
#[inline]
fn receive(stream: &mut TcpStream, buffer: &mut [u8], length: usize) -> io::Result<bool> {
    let mut received = 0;
    while received < length {
        match stream.read(&mut buffer[received..])? {
            0 => return Ok(false),
            count => received += count,
        }
    }
    Ok(true)
}

/// Reads the length of a message.
fn read_length(stream: &mut TcpStream) -> io::Result<usize> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    match u32::from_be_bytes(length) as usize {
        length @ 1..=BUFFER => Ok(length),
        length => {
            let what = format!("invalid message length {length}");
            Err(io::Error::new(io::ErrorKind::InvalidData, what))
        }
    }
}
