//! A client without an ORB: it writes requests and reads replies of GIOP 1.2, octet by octet.

use armilla::transport::{IiopProfile, TaggedProfile};
use armilla::{ByteOrder, Encoder, Orb, Version};
use armilla_giop::{
    MessageHeader, OutgoingRequest, ResponseFlags, ServiceContext, TargetAddress, begin_request,
};
use std::io::{Read, Write};
use std::net::TcpStream;

/// One connection.
pub struct Wire {
    stream: TcpStream,
    last: u32,
}

/// A reply: its status, and the octets of its body.
pub type Answer = (u32, Vec<u8>);

/// The service contexts of a reply.
pub type Contexts = Vec<(u32, Vec<u8>)>;

impl Wire {
    pub fn connect(address: (&str, u16)) -> Self {
        Self { stream: TcpStream::connect(address).unwrap(), last: 0 }
    }

    /// Calls an operation without arguments.
    pub fn call(&mut self, key: &[u8], operation: &str, contexts: &[(u32, &[u8])]) -> Answer {
        let (status, _, body) = self.call_for_contexts(key, operation, contexts);
        (status, body)
    }

    /// The same; gives the service contexts of the reply too.
    pub fn call_for_contexts(
        &mut self,
        key: &[u8],
        operation: &str,
        contexts: &[(u32, &[u8])],
    ) -> (u32, Contexts, Vec<u8>) {
        let contexts: Vec<_> =
            contexts.iter().map(|(id, data)| ServiceContext { id: *id, data }).collect();
        self.last += 1;
        let request = OutgoingRequest {
            request_id: self.last,
            response: ResponseFlags::Target,
            target: TargetAddress::Key(key),
            operation,
            contexts: &contexts,
        };
        let mut out = Encoder::new(ByteOrder::Little);
        begin_request(&mut out, Version::V1_2, &request).unwrap();
        MessageHeader::finish(&mut out).unwrap();
        self.stream.write_all(&out.to_vec()).unwrap();
        let message = read_message(&mut self.stream);
        assert_eq!((message[7], word(&message, 12)), (1, self.last), "a reply to this request");
        // Service contexts, then the body at the next multiple of eight.
        let (mut end, mut received) = (24_usize, Vec::new());
        for _ in 0..word(&message, 20) {
            let at = end.next_multiple_of(4);
            end = at + 8 + word(&message, at + 4) as usize;
            received.push((word(&message, at), message[at + 8..end].to_vec()));
        }
        let body = end.next_multiple_of(8).min(message.len());
        (word(&message, 16), received, message[body..].to_vec())
    }

    /// The `short` that an operation returns.
    pub fn short(&mut self, key: &[u8], operation: &str) -> i16 {
        let (status, body) = self.call(key, operation, &[]);
        assert_eq!(status, 0, "{}", String::from_utf8_lossy(&body));
        i16::from_ne_bytes([body[0], body[1]])
    }

    /// The string that an operation returns.
    pub fn string(&mut self, key: &[u8], operation: &str) -> String {
        let (status, body) = self.call(key, operation, &[]);
        assert_eq!(status, 0, "{}", String::from_utf8_lossy(&body));
        let length = word(&body, 0) as usize;
        String::from_utf8(body[4..3 + length].to_vec()).unwrap()
    }
}

/// The number at `place` of a message of this host.
pub fn word(message: &[u8], place: usize) -> u32 {
    u32::from_ne_bytes(message[place..place + 4].try_into().unwrap())
}

/// Reads one whole message.
pub fn read_message(stream: &mut TcpStream) -> Vec<u8> {
    let mut message = vec![0; 12];
    stream.read_exact(&mut message).unwrap();
    assert_eq!(&message[..4], b"GIOP");
    let length: [u8; 4] = message[8..].try_into().unwrap();
    let length = match message[6] & 1 {
        0 => u32::from_be_bytes(length),
        _ => u32::from_le_bytes(length),
    };
    message.resize(12 + length as usize, 0);
    stream.read_exact(&mut message[12..]).unwrap();
    message
}

/// The IIOP profile of a reference.
pub fn profile(text: &str) -> IiopProfile {
    let ior: armilla::Ior = text.parse().unwrap();
    let TaggedProfile { data, .. } = &ior.profiles[0];
    IiopProfile::decode_data(data).unwrap()
}

/// The object key of a reference.
pub fn key(orb: &Orb, object: &super::SensorRef) -> Vec<u8> {
    profile(&orb.object_to_string(object).unwrap()).object_key
}
