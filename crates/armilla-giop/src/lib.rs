//! GIOP, the General Inter-ORB Protocol, as pure state machines.
//!
//! A [`Framer`] splits the octets of a connection into whole [`Message`]s. One function for each
//! kind of message reads its header in place ([`decode_request`], [`decode_reply`], …), another
//! writes it ([`begin_request`], [`begin_reply`], …). GIOP 1.0, 1.1 and 1.2 share one code path
//! that branches only where the formats differ. [`engine`] holds the state machines of the two ends
//! of a connection, [`ior`] object references, and [`url`] their forms as text. The protocol is
//! that of CORBA 3.4 Part 2, chapters 7 and 9.
//!
//! Nothing here touches a socket, a thread or a clock. Nothing that a peer sends is trusted: no
//! input panics, memory grows only with the octets that arrive, and time is linear in them.
//!
//! Functions named `…_fast` and `…_single` are fast paths. They read the most common messages,
//! and leave all others to the complete path, which reads the common ones in the same way.
//!
//! A call, from the client to the server and back:
//!
//! ```
//! use armilla_cdr::{ByteOrder, Encoder};
//! use armilla_giop::{
//!     Message, MessageHeader, OutgoingRequest, ReplyStatus, ResponseFlags, TargetAddress, Version,
//!     begin_reply, begin_request, decode_reply, decode_request, put_body,
//! };
//!
//! let request = OutgoingRequest {
//!     request_id: 7,
//!     response: ResponseFlags::Target,
//!     target: TargetAddress::Key(b"account"),
//!     operation: "deposit",
//!     contexts: &[],
//! };
//! let mut out = Encoder::new(ByteOrder::NATIVE);
//! begin_request(&mut out, Version::V1_2, &request)?;
//! put_body(&mut out, Version::V1_2, |out| Ok(out.put_f64(100.0)))?;
//! MessageHeader::finish(&mut out)?;
//! let sent = out.to_vec();
//!
//! let message = Message::parse(&sent)?.expect("the message is whole");
//! let (header, mut arguments) = decode_request(&message)?;
//! assert_eq!(header.target.object_key(), Some(&b"account"[..]));
//! assert_eq!(header.operation, "deposit");
//! assert_eq!(arguments.f64()?, 100.0);
//!
//! let mut out = Encoder::new(message.header.order);
//! let version = message.header.version;
//! begin_reply(&mut out, version, header.request_id, ReplyStatus::NoException, &[])?;
//! MessageHeader::finish(&mut out)?;
//! let sent = out.to_vec();
//!
//! let message = Message::parse(&sent)?.expect("the message is whole");
//! assert_eq!(decode_reply(&message)?.0.request_id, 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod cancel_request;
mod code_set;
mod control;
pub mod csi;
mod cursor;
mod encapsulation;
pub mod engine;
mod exception_detail;
mod fragments;
mod framer;
mod ft_contexts;
mod header;
pub mod ior;
mod listen_points;
mod locate_reply;
mod locate_request;
mod message;
mod message_buffer;
mod operation_name;
mod owned_message;
mod reassembly;
mod reply;
mod request;
mod service_context;
mod system_exception;
mod target;
#[cfg(test)]
mod testing;
pub mod url;
mod version;

pub use cancel_request::{cancel_request, decode_cancel_request};
pub use code_set::{CodeSetContext, IncompatibleCodeSets};
pub use control::{close_connection, message_error};
pub use exception_detail::{EXCEPTION_DETAIL_CONTEXT, ExceptionDetail};
pub use fragments::Fragments;
pub use framer::{Framer, OversizedRequest, RefusedReply, Skipped};
pub use ft_contexts::{FtGroupVersion, FtRequest};
pub use header::{HEADER_LEN, HeaderError, MessageHeader, MessageKind};
pub use listen_points::{BIDIRECTIONAL_CONTEXT, ListenPoint, ListenPoints};
pub use locate_reply::{LocateReplyHeader, LocateStatus, begin_locate_reply, decode_locate_reply};
pub use locate_request::{LocateRequest, decode_locate_request, encode_locate_request};
pub use message::{Message, begin_body, put_body};
pub use message_buffer::MessageBuffer;
pub use operation_name::OperationName;
pub use owned_message::OwnedMessage;
pub use reply::{ReplyHeader, ReplyStatus, begin_reply, decode_reply, decode_reply_fast};
pub use request::{
    OutgoingRequest, RequestHeader, RequestLayout, ResponseFlags, begin_request, decode_request,
    decode_request_fast,
};
pub use service_context::{CODE_SETS_CONTEXT, ServiceContext, ServiceContexts};
pub use system_exception::{CompletionStatus, SystemExceptionBody};
pub use target::{AddressingDisposition, Target, TargetAddress};
pub use version::{ParseVersionError, Version};
