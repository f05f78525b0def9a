//! Scripted GIOP peers: servers that misbehave, and clients that do. They write and read whole
//! messages on plain sockets, without any part of the ORB.

use armilla::{Ior, Orb, Version};
use armilla_cdr::{ByteOrder, CdrResult, Encoder};
use armilla_giop::ior::IiopProfile;
use armilla_giop::{
    HEADER_LEN, Message, MessageHeader, MessageKind, OutgoingRequest, ReplyStatus, ResponseFlags,
    ServiceContext, TargetAddress, begin_reply, begin_request, decode_reply, decode_request,
    put_body,
};
use rustix::net::{self, AddressFamily, SocketType, sockopt};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::gate::PATIENCE;
use crate::probe::EverythingRef;

/// Both byte orders.
pub const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

/// Every version of GIOP that the ORB speaks.
pub const VERSIONS: [Version; 3] = [Version::V1_0, Version::V1_1, Version::V1_2];

/// The object key by which scripted servers are called.
pub const KEY: &[u8] = b"scripted";

/// One end of a connection.
#[derive(Debug)]
pub struct Wire(TcpStream);

impl Wire {
    /// Connects to a server.
    ///
    /// # Panics
    /// When it cannot be reached.
    pub fn connect((host, port): (&str, u16)) -> Self {
        Self::of(TcpStream::connect((host, port)).unwrap())
    }

    fn of(stream: TcpStream) -> Self {
        stream.set_nodelay(true).ok();
        stream.set_read_timeout(Some(PATIENCE)).ok();
        stream.set_write_timeout(Some(PATIENCE)).ok();
        Self(stream)
    }

    /// Sends octets. That the peer has gone is no error.
    pub fn send(&mut self, octets: &[u8]) -> bool {
        self.0.write_all(octets).is_ok()
    }

    /// The next whole message, or `None` when the connection ends.
    ///
    /// # Panics
    /// When nothing comes although the connection stands.
    pub fn message(&mut self) -> Option<Vec<u8>> {
        let mut message = vec![0; HEADER_LEN];
        self.read(&mut message)?;
        let header = MessageHeader::decode(message.first_chunk()?).ok()?;
        message.resize(HEADER_LEN + header.size as usize, 0);
        self.read(&mut message[HEADER_LEN..])?;
        Some(message)
    }

    /// The kind of the next message.
    pub fn kind(&mut self) -> Option<MessageKind> {
        self.message().map(|message| kind(&message))
    }

    /// The next request.
    ///
    /// # Panics
    /// When another message comes.
    pub fn request(&mut self) -> Option<Request> {
        let octets = self.message()?;
        let message = Message::parse(&octets).unwrap().unwrap();
        let (header, _) = decode_request(&message).unwrap();
        let operation = header.operation.to_string();
        let (version, order) = (message.header.version, message.header.order);
        Some(Request { id: header.request_id, operation, version, order, octets })
    }

    /// Waits until something has come, and leaves it unread.
    ///
    /// # Panics
    /// When nothing comes.
    pub fn peek(&mut self) {
        self.0.peek(&mut [0]).unwrap();
    }

    /// Reads until the peer closes, and gives the kinds of the messages that it sent before.
    pub fn until_end(&mut self) -> Vec<MessageKind> {
        std::iter::from_fn(|| self.kind()).collect()
    }

    /// Ends the connection without a farewell: the peer sees a reset.
    pub fn reset(self) {
        sockopt::set_socket_linger(&self.0, Some(Duration::ZERO)).ok();
    }

    /// The same end of the connection once more.
    ///
    /// # Panics
    /// When the process has no more descriptors.
    pub fn again(&self) -> Self {
        Self(self.0.try_clone().unwrap())
    }

    /// Limits what is sent and not yet taken by the peer's host, to about `octets`.
    ///
    /// # Panics
    /// When the system refuses.
    pub fn limit_queue(&self, octets: usize) {
        sockopt::set_socket_send_buffer_size(&self.0, octets).unwrap();
    }

    /// Says that no more will be sent, and goes on reading.
    pub fn end_sending(&self) {
        self.0.shutdown(std::net::Shutdown::Write).ok();
    }

    fn read(&mut self, buffer: &mut [u8]) -> Option<()> {
        match self.0.read_exact(buffer) {
            Ok(()) => Some(()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                panic!("the connection is silent and stays open")
            }
            Err(_) => None,
        }
    }
}

/// A request as a scripted server got it.
#[derive(Debug)]
pub struct Request {
    /// Its number.
    pub id: u32,
    /// What is called.
    pub operation: String,
    /// The version of the message.
    pub version: Version,
    /// The byte order of the message.
    pub order: ByteOrder,
    /// All of it.
    pub octets: Vec<u8>,
}

/// The kind of a whole message.
///
/// # Panics
/// When it is none.
pub fn kind(message: &[u8]) -> MessageKind {
    MessageHeader::decode(message.first_chunk().unwrap()).unwrap().kind
}

/// A whole reply.
///
/// # Panics
/// When the body cannot be encoded.
pub fn reply(
    version: Version,
    order: ByteOrder,
    id: u32,
    status: ReplyStatus,
    body: impl for<'p> FnOnce(&mut Encoder<'p>) -> CdrResult,
) -> Vec<u8> {
    let mut out = Encoder::new(order);
    begin_reply(&mut out, version, id, status, &[]).unwrap();
    put_body(&mut out, version, body).unwrap();
    MessageHeader::finish(&mut out).unwrap();
    out.to_vec()
}

/// A whole reply that says that an operation without results has ended.
pub fn done(request: &Request) -> Vec<u8> {
    reply(request.version, request.order, request.id, ReplyStatus::NoException, |_| Ok(()))
}

/// A whole reply that sends the client to `ior`.
pub fn forward(request: &Request, ior: &Ior) -> Vec<u8> {
    let status = ReplyStatus::LocationForward;
    reply(request.version, request.order, request.id, status, |out| put_ior(ior, out))
}

/// Writes a reference without borrowing it for as long as the encoder lives.
///
/// # Errors
/// When the reference cannot be encoded.
pub fn put_ior(ior: &Ior, out: &mut Encoder<'_>) -> CdrResult {
    out.put_string(&ior.type_id)?;
    out.put_length(ior.profiles.len())?;
    for profile in &ior.profiles {
        out.put_u32(profile.id);
        out.copy_octets(&profile.data)?;
    }
    Ok(())
}

/// A whole request that expects a reply.
///
/// # Panics
/// When the body cannot be encoded.
pub fn request(
    version: Version,
    order: ByteOrder,
    key: &[u8],
    operation: &str,
    body: impl for<'p> FnOnce(&mut Encoder<'p>) -> CdrResult,
) -> Vec<u8> {
    whole_request(version, order, key, operation, &[], body)
}

/// The same of GIOP 1.2 and our byte order, without a body, with these service contexts.
///
/// # Panics
/// When the contexts cannot be encoded.
pub fn request_with_contexts(
    key: &[u8],
    operation: &str,
    contexts: &[ServiceContext<'_>],
) -> Vec<u8> {
    whole_request(Version::V1_2, ByteOrder::NATIVE, key, operation, contexts, |_| Ok(()))
}

fn whole_request(
    version: Version,
    order: ByteOrder,
    key: &[u8],
    operation: &str,
    contexts: &[ServiceContext<'_>],
    body: impl for<'p> FnOnce(&mut Encoder<'p>) -> CdrResult,
) -> Vec<u8> {
    let mut out = Encoder::new(order);
    let (response, target) = (ResponseFlags::Target, TargetAddress::Key(key));
    let header = OutgoingRequest { request_id: 1, response, target, operation, contexts };
    begin_request(&mut out, version, &header).unwrap();
    put_body(&mut out, version, body).unwrap();
    MessageHeader::finish(&mut out).unwrap();
    out.to_vec()
}

/// The same request, of GIOP 1.2 and our byte order, with another number.
///
/// # Panics
/// When it is too short to have one.
pub fn numbered(id: u32, request: &[u8]) -> Vec<u8> {
    let mut request = request.to_vec();
    request[HEADER_LEN..HEADER_LEN + 4].copy_from_slice(&id.to_ne_bytes());
    request
}

/// The number of the request that a reply of GIOP 1.2 and our byte order answers.
///
/// # Panics
/// When it is no reply.
pub fn answered(reply: &[u8]) -> u32 {
    let message = Message::parse(reply).unwrap().unwrap();
    decode_reply(&message).unwrap().0.request_id
}

/// A bare header.
pub fn header(version: Version, kind: MessageKind, size: u32) -> [u8; HEADER_LEN] {
    let order = ByteOrder::NATIVE;
    MessageHeader { version, order, more_fragments: false, kind, size }.encode()
}

/// Cuts a whole message into one that announces fragments, and fragments with about `size` octets.
///
/// # Panics
/// When the message is not whole, or of GIOP 1.0.
pub fn fragments(message: &[u8], size: usize) -> Vec<Vec<u8>> {
    let whole = MessageHeader::decode(message.first_chunk().unwrap()).unwrap();
    assert!(whole.version > Version::V1_0);
    let id = &message[HEADER_LEN..HEADER_LEN + 4];
    let size = size.next_multiple_of(8);
    let mut pieces = Vec::new();
    for (index, piece) in message.chunks(size).enumerate() {
        let (kind, body) = match index {
            0 => (whole.kind, piece[HEADER_LEN..].to_vec()),
            _ if whole.version == Version::V1_1 => (MessageKind::Fragment, piece.to_vec()),
            _ => (MessageKind::Fragment, [id, piece].concat()),
        };
        let more_fragments = (index + 1) * size < message.len();
        let header = MessageHeader { kind, more_fragments, size: body.len() as u32, ..whole };
        pieces.push([&header.encode()[..], &body].concat());
    }
    pieces
}

/// A scripted server on a free port of the loopback.
#[derive(Debug)]
pub struct Peer {
    address: SocketAddr,
    accepted: Arc<AtomicUsize>,
    ends: Arc<AtomicBool>,
}

impl Peer {
    /// Serves each connection, which it numbers from 0, by `script` in a thread of its own.
    ///
    /// # Panics
    /// When there is no port.
    pub fn start(script: impl Fn(usize, Wire) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let peer = Self { address, accepted: Arc::default(), ends: Arc::default() };
        let (accepted, ends) = (peer.accepted.clone(), peer.ends.clone());
        let script = Arc::new(script);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                let number = accepted.fetch_add(1, Ordering::SeqCst);
                let script = script.clone();
                thread::spawn(move || script(number, Wire::of(stream)));
            }
        });
        peer
    }

    /// A server that answers every request on every connection with what `answer` makes of it.
    pub fn answering(answer: impl Fn(&Request) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::start(move |_, mut wire| {
            while let Some(request) = wire.request() {
                wire.send(&answer(&request));
            }
        })
    }

    /// How many connections there have been.
    pub fn connections(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }

    /// Its TCP port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// A reference to a `Probe::Everything` there.
    pub fn ior(&self, version: Version) -> Ior {
        ior(&[self.port()], version)
    }

    /// The reference as `client` has it.
    pub fn reference(&self, client: &Orb, version: Version) -> EverythingRef {
        resolve(client, &self.ior(version))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        TcpStream::connect(self.address).ok();
    }
}

/// A reference to a `Probe::Everything` that lives at several ports of the loopback.
///
/// # Panics
/// Never: nothing in it fails to encode.
pub fn ior(ports: &[u16], version: Version) -> Ior {
    let profiles = ports.iter().map(|port| {
        let host = "127.0.0.1".to_owned();
        let (object_key, components) = (KEY.to_vec(), Vec::new());
        IiopProfile { version, host, port: *port, object_key, components }.to_tagged().unwrap()
    });
    let type_id = "IDL:armilla.org/Probe/Everything:1.0".to_owned();
    Ior { type_id, profiles: profiles.collect() }
}

/// A reference as `client` has it.
///
/// # Panics
/// When it is malformed.
pub fn resolve(client: &Orb, ior: &Ior) -> EverythingRef {
    client.string_to_object(&ior.to_text().unwrap()).unwrap().assume()
}

/// A port without a listener. It stays bound as long as the process lives, so that no other process
/// can listen there.
///
/// # Panics
/// When there is no port at all.
pub fn dead_port() -> u16 {
    let socket = net::socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    net::bind(&socket, &SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let address = SocketAddr::try_from(net::getsockname(&socket).unwrap()).unwrap();
    std::mem::forget(socket);
    address.port()
}
