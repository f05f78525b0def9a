//! A client that speaks GIOP octet by octet, in either byte order.

use super::Step;
use armilla_cdr::{ByteOrder, CdrResult, Decoder, Encoder};
use armilla_giop::ior::Ior;
use armilla_giop::{
    AddressingDisposition, HEADER_LEN, Message, MessageHeader, OutgoingRequest, ReplyStatus,
    ResponseFlags, ServiceContext, TargetAddress, Version, begin_request, decode_locate_reply,
    decode_reply, encode_locate_request, put_body,
};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// How long a server may take for an answer.
const LIMIT: Duration = Duration::from_secs(10);

/// The largest message that is read.
const MAX_MESSAGE: u32 = 1 << 20;

/// A connection to a server, for one object.
pub(super) struct RawClient {
    stream: TcpStream,
    version: Version,
    order: ByteOrder,
    ior: Ior,
    key: Vec<u8>,
    way: AddressingDisposition,
    contexts: &'static [ServiceContext<'static>],
    requests: u32,
}

impl RawClient {
    /// Connects to the server of the object.
    pub(super) fn connect(ior: &str, version: Version, order: ByteOrder) -> Step<Self> {
        let ior: Ior = ior.parse()?;
        let profile = ior.iiop_profiles().next().ok_or("the reference has no IIOP profile")??;
        let stream = TcpStream::connect((profile.host.as_str(), profile.port))?;
        stream.set_read_timeout(Some(LIMIT))?;
        let (key, way) = (profile.object_key, AddressingDisposition::Key);
        Ok(Self { stream, version, order, ior, key, way, contexts: &[], requests: 0 })
    }

    /// Speaks another version, in another byte order.
    pub(super) const fn speak(&mut self, version: Version, order: ByteOrder) {
        (self.version, self.order) = (version, order);
    }

    /// Sends these contexts with each request.
    pub(super) const fn with_contexts(&mut self, contexts: &'static [ServiceContext<'static>]) {
        self.contexts = contexts;
    }

    /// Names the object in this way, in GIOP 1.2.
    pub(super) const fn address_by(&mut self, way: AddressingDisposition) {
        self.way = way;
    }

    fn target(&self) -> TargetAddress<'_> {
        match (self.way, self.ior.profiles.first()) {
            (AddressingDisposition::Profile, Some(profile)) => TargetAddress::Profile(profile),
            (AddressingDisposition::Reference, _) => {
                TargetAddress::Reference { selected: 0, ior: &self.ior }
            }
            _ => TargetAddress::Key(&self.key),
        }
    }

    /// The same connection, for the object with another key.
    pub(super) fn with_key(mut self, key: &[u8]) -> Self {
        self.key = key.to_vec();
        self
    }

    /// Calls an operation; `results` reads the body of the reply.
    pub(super) fn call<'p, R>(
        &mut self,
        operation: &str,
        arguments: impl FnOnce(&mut Encoder<'p>) -> CdrResult,
        results: impl FnOnce(ReplyStatus, &mut Decoder<'_>) -> CdrResult<R>,
    ) -> Step<R> {
        self.requests += 1;
        let request = OutgoingRequest {
            request_id: self.requests,
            response: ResponseFlags::Target,
            target: self.target(),
            operation,
            contexts: self.contexts,
        };
        let mut out = Encoder::new(self.order);
        begin_request(&mut out, self.version, &request)?;
        put_body(&mut out, self.version, arguments)?;
        let octets = self.exchange(out)?;
        let message = whole(&octets)?;
        let (header, mut body) = decode_reply(&message)?;
        expect_id(header.request_id, self.requests)?;
        Ok(results(header.status, &mut body)?)
    }

    /// Asks where the object is: the number of the status.
    pub(super) fn locate(&mut self) -> Step<u32> {
        self.requests += 1;
        let mut out = Encoder::new(self.order);
        encode_locate_request(&mut out, self.version, self.requests, self.target())?;
        let octets = self.exchange(out)?;
        let message = whole(&octets)?;
        let (header, _) = decode_locate_reply(&message)?;
        expect_id(header.request_id, self.requests)?;
        Ok(header.status as u32)
    }

    /// Sends a message and reads the next one.
    fn exchange(&mut self, mut out: Encoder<'_>) -> Step<Vec<u8>> {
        MessageHeader::finish(&mut out)?;
        self.stream.write_all(&out.to_vec())?;
        let mut octets = vec![0; HEADER_LEN];
        self.stream.read_exact(&mut octets)?;
        let first = octets.first_chunk().ok_or("no header")?;
        let header = MessageHeader::decode(first)?;
        if header.size > MAX_MESSAGE || header.more_fragments || header.version != self.version {
            return Err(format!("the answer is {header:?}").into());
        }
        octets.resize(HEADER_LEN + header.size as usize, 0);
        self.stream.read_exact(&mut octets[HEADER_LEN..])?;
        Ok(octets)
    }
}

fn whole(octets: &[u8]) -> Step<Message<'_>> {
    Message::parse(octets)?.ok_or_else(|| "the message is not whole".into())
}

fn expect_id(got: u32, wanted: u32) -> Step {
    match got == wanted {
        true => Ok(()),
        false => Err(format!("the answer is for request {got}, not {wanted}").into()),
    }
}
