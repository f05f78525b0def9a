//! Message headers, and streams of messages cut in any way.

use armilla_giop::{Framer, HeaderError, MessageBuffer, MessageHeader};

const LIMIT: usize = 1 << 16;

pub(crate) fn check(data: &[u8]) {
    if let Some(Ok(header)) = data.first_chunk().map(MessageHeader::decode) {
        assert_eq!(MessageHeader::decode(&header.encode()), Ok(header));
    }
    let at_once = messages(data, usize::MAX);
    assert_eq!(at_once, messages(data, 1));
    assert_eq!(at_once, messages(data, 13));
    assert_eq!(at_once, taken(data, 13));
}

/// The messages in a stream that arrives `chunk` octets at a time, and how it ends.
fn messages(data: &[u8], chunk: usize) -> (Vec<Vec<u8>>, Result<(), HeaderError>) {
    let mut framer = Framer::new(LIMIT);
    let mut messages = Vec::new();
    let mut rest = data;
    while !rest.is_empty() {
        let space = framer.space();
        let count = chunk.min(rest.len()).min(space.len());
        space[..count].copy_from_slice(&rest[..count]);
        framer.received(count);
        rest = &rest[count..];
        loop {
            match framer.next() {
                Ok(Some(message)) => messages.push(message.octets.to_vec()),
                Ok(None) => break,
                Err(error) => return (messages, Err(error)),
            }
        }
    }
    (messages, Ok(()))
}

/// The same with messages that are taken out, and a framer that gives its buffer back in between.
fn taken(data: &[u8], chunk: usize) -> (Vec<Vec<u8>>, Result<(), HeaderError>) {
    let mut framer = Framer::new(LIMIT);
    let mut reader = MessageBuffer::new();
    let mut messages = Vec::new();
    for part in data.chunks(chunk) {
        framer.space_from(&mut reader)[..part.len()].copy_from_slice(part);
        framer.received(part.len());
        loop {
            match framer.take(&mut reader) {
                Ok(Some(message)) => messages.push(message.octets.to_vec()),
                Ok(None) => break,
                Err(error) => return (messages, Err(error)),
            }
            framer.has_cancel_for(0);
        }
        framer.return_buffer(&mut reader);
    }
    (messages, Ok(()))
}
