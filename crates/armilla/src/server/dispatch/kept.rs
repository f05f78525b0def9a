//! Executing a request that was kept.

use super::find::Seeker;
use super::requests::{captured, port};
use crate::client::Object;
use crate::exception::{Completion, ExceptionKind, SystemException};
use crate::server::poa::{EncodedReply, KeptRequest};
use crate::server::reply::sink::PendingReply;
use armilla_giop::decode_request;

impl KeptRequest {
    /// Lets the servant of an object of this process execute the request in this thread, whichever object
    /// it was sent to. No interceptor sees it, and no extension of the POA.
    ///
    /// # Errors
    /// `MARSHAL` if the octets are not those of a request, `OBJECT_NOT_EXIST` if the object is not active
    /// here, `INV_OBJREF` if it is nil, and what the ORB says when no reply comes. What the servant raises is a reply.
    pub fn execute(&self, object: &Object) -> Result<EncodedReply, SystemException> {
        let malformed = || ExceptionKind::Marshal.because("no request that was kept");
        let (code_sets, message) = self.parse().ok_or_else(malformed)?;
        let decoded = decode_request(&message);
        let (header, body) =
            decoded.map_err(|error| SystemException::decoding(&error, Completion::No))?;
        let reference = object.reference()?;
        let orb = &reference.orb;
        let key = reference.local_key().ok_or_else(SystemException::object_not_exist)?;
        let found = orb.find(&key, header.operation, &mut Seeker::new(orb, false));
        let arguments = body.with_code_sets(code_sets).with_context(orb);
        let port = port(orb, &message, &header, code_sets, PendingReply::Now);
        captured(orb, &found, (&header, &arguments, port))
    }
}
