//! CloseConnection and MessageError: messages that are a header and nothing else (CORBA 3.4
//! Part 2, 9.4.7 and 9.4.8).

use crate::{HEADER_LEN, MessageHeader, MessageKind, Version};
use armilla_cdr::ByteOrder;

/// The whole message that closes a connection in an orderly way: the sender has executed no request
/// that it has not answered.
pub const fn close_connection(version: Version) -> [u8; HEADER_LEN] {
    bare(version, MessageKind::CloseConnection)
}

/// The whole message that reports that a message could not be read. Every peer understands
/// [`Version::V1_0`], even if the version of its message could not be read.
pub const fn message_error(version: Version) -> [u8; HEADER_LEN] {
    bare(version, MessageKind::MessageError)
}

const fn bare(version: Version, kind: MessageKind) -> [u8; HEADER_LEN] {
    let order = ByteOrder::NATIVE;
    MessageHeader { version, order, more_fragments: false, kind, size: 0 }.encode()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::VERSIONS;

    #[test]
    fn messages_without_a_body_are_their_header() {
        let flag = ByteOrder::NATIVE.flag();
        for version in VERSIONS {
            let close = [b'G', b'I', b'O', b'P', 1, version.minor, flag, 5, 0, 0, 0, 0];
            assert_eq!(close_connection(version), close);
            let error = [b'G', b'I', b'O', b'P', 1, version.minor, flag, 6, 0, 0, 0, 0];
            assert_eq!(message_error(version), error);
        }
    }
}
