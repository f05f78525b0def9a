//! The protocol data units of connection-oriented DCE/RPC (C706 12.6, MS-RPCE 2.2.2).
//!
//! A [`Framer`] splits the octets of a connection into whole PDUs. [`Pdu::decode`] reads one and
//! [`Pdu::encode`] writes one, each of the twelve kinds in both byte orders. A call that is larger
//! than one PDU travels in [`fragments`] and is put together by a [`Reassembly`].
//!
//! ```
//! use armilla_dcerpc::ByteOrder;
//! use armilla_dcerpc::pdu::{Body, Flags, Pdu, Request};
//!
//! let request = Request { alloc_hint: 3, context: 0, opnum: 5, object: None, stub: b"abc" };
//! let pdu = Pdu {
//!     order: ByteOrder::Little,
//!     flags: Flags::WHOLE,
//!     call_id: 7,
//!     body: Body::Request(request),
//!     auth: None,
//! };
//! let octets = pdu.encode()?;
//! assert_eq!(Pdu::decode(&octets)?, pdu);
//! # Ok::<(), armilla_dcerpc::pdu::PduError>(())
//! ```

mod auth;
mod bind;
mod call;
mod error;
mod fragments;
mod framer;
mod header;
mod unit;
mod verification;

pub use auth::{Auth, AuthLevel, TRAILER_LEN, Trailer};
pub use bind::{Bind, BindAck, BindNak, ContextOffer, ContextResult, Outcome};
pub use call::{Fault, Request, Response};
pub use error::PduError;
pub use fragments::{Fragment, Limits, Reassembly, fragments};
pub use framer::Framer;
pub use header::{Flags, HEADER_LEN, Header, PduKind};
pub use unit::{Body, Pdu, stub_offset};
pub use verification::{Verification, VerificationError};
