//! What a program implements, and what it is told of a call.

use super::exports::Exports;
use crate::error_info::ErrorInfo;
use crate::orpc::{OrpcThat, OrpcThis};
use crate::remote::{FactoryIn, InterfaceSupportsErrorInfo, UNKNOWN};
use alloc::sync::Arc;
use alloc::vec::Vec;
use armilla_dcerpc::ndr::{
    Decoder, Encoder, Ndr, NdrError, NdrErrorKind, Operation, Parameters, Unique,
};
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::security::Principal;
use armilla_dcerpc::{ByteOrder, Status, Uuid};
use std::sync::{Mutex, PoisonError};

/// An object that clients call. Its methods are called by several threads at once: there are no
/// apartments.
pub trait Object: Send + Sync + 'static {
    /// Whether the object has an interface. `IUnknown` it has in any case.
    fn supports(&self, iid: Uuid) -> bool;

    /// Executes a call; returns what [`ObjectCall::answer`] makes of the results.
    ///
    /// # Errors
    ///
    /// What the client is told, without results.
    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status>;

    /// How a reference to an interface of the object travels. It is asked for each reference, so that
    /// two references to one object may differ.
    fn marshalling(&self, _iid: Uuid) -> Marshalling {
        Marshalling::Standard
    }
}

/// How a reference travels, and what its receiver makes of it (MS-DCOM 2.2.18).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Marshalling {
    /// Calls go to the object.
    Standard,
    /// Calls go to a handler of this class at the receiver, which calls the object as it sees fit.
    Handler(Uuid),
    /// Octets travel in place of the object, of which a class at the receiver makes one of its own.
    /// The server does not keep the object for it.
    Custom {
        /// The class.
        class: Uuid,
        /// The octets.
        data: Vec<u8>,
    },
}

/// Makes the objects of a class. Closures are factories.
pub trait Factory: Send + Sync + 'static {
    /// A new object, or one that serves all clients.
    ///
    /// # Errors
    ///
    /// What the client is told.
    fn create(&self, caller: &Caller<'_>) -> Result<Arc<dyn Object>, Status>;
}

impl<F> Factory for F
where
    F: Fn(&Caller<'_>) -> Result<Arc<dyn Object>, Status> + Send + Sync + 'static,
{
    fn create(&self, caller: &Caller<'_>) -> Result<Arc<dyn Object>, Status> {
        self(caller)
    }
}

/// Who calls, and how the call is protected.
#[derive(Debug, Clone, Copy)]
pub struct Caller<'a> {
    /// Who calls; `None` for a client without security.
    pub principal: Option<&'a Principal>,
    /// How the call is protected.
    pub level: AuthLevel,
}

/// A call of an object.
#[derive(Debug)]
pub struct ObjectCall<'a> {
    /// The interface of the object that is called.
    pub iid: Uuid,
    /// The number of the operation; the first one after those of `IUnknown` is 3.
    pub opnum: u16,
    /// Who calls.
    pub caller: Caller<'a>,
    /// The chain of calls that this one belongs to.
    pub causality: Uuid,
    /// What the server exports, for references among the results.
    pub exports: &'a Exports,
    order: ByteOrder,
    stub: &'a [u8],
    /// Where the arguments begin, behind the head of the call.
    at: usize,
    /// What a failure says besides its HRESULT.
    explained: Mutex<Option<ErrorInfo>>,
}

impl<'a> ObjectCall<'a> {
    /// Reads the head of a call.
    ///
    /// # Errors
    ///
    /// [`Status::BAD_STUB`] if there is none, [`Status::VERSION_MISMATCH`] if it has a version that
    /// is not spoken.
    pub(super) fn new(
        (iid, opnum): (Uuid, u16),
        caller: Caller<'a>,
        exports: &'a Exports,
        (order, stub): (ByteOrder, &'a [u8]),
    ) -> Result<Self, Status> {
        let mut input = Decoder::new(stub, order);
        let head = OrpcThis::read(&mut input).map_err(|_| Status::BAD_STUB)?;
        crate::orpc::ComVersion::CURRENT.agreed(&head.version).ok_or(Status::VERSION_MISMATCH)?;
        let (causality, at) = (head.causality, input.position());
        let explained = Mutex::new(None);
        Ok(Self { iid, opnum, caller, causality, exports, order, stub, at, explained })
    }

    /// The arguments.
    ///
    /// # Errors
    ///
    /// [`Status::BAD_STUB`] if they are others.
    pub fn arguments<T: Parameters>(&self) -> Result<T, Status> {
        self.read_arguments(T::read_parameters)
    }

    /// The arguments of an operation that has no table: this function reads them one after the other.
    ///
    /// # Errors
    ///
    /// As for [`ObjectCall::arguments`].
    pub fn read_arguments<T>(
        &self,
        read: impl FnOnce(&mut Decoder<'_>) -> Result<T, NdrError>,
    ) -> Result<T, Status> {
        let mut input = Decoder::new(self.stub, self.order);
        input.octets(self.at).map_err(|_| Status::BAD_STUB)?;
        read(&mut input).map_err(|_| Status::BAD_STUB)
    }

    /// The answer of a call that succeeded.
    ///
    /// # Errors
    ///
    /// [`Status::OUT_OF_MEMORY`] if something has more elements than 32 bits count, and
    /// [`Status::SERVER_FAULT`] if a value cannot travel as its type; the log says which.
    pub fn answer<T: Parameters>(&self, results: &T) -> Result<Vec<u8>, Status> {
        self.answer_with(results, Status::OK)
    }

    /// An answer with results and an HRESULT: a failure that says more, or a success such as
    /// [`Status::FALSE`].
    ///
    /// # Errors
    ///
    /// [`Status::OUT_OF_MEMORY`] if something has more elements than 32 bits count, and
    /// [`Status::SERVER_FAULT`] if a value cannot travel as its type; the log says which.
    pub fn answer_with<T: Parameters>(
        &self,
        results: &T,
        result: Status,
    ) -> Result<Vec<u8>, Status> {
        self.write_answer(result, |out| results.write_parameters(out))
    }

    /// Compares the arrays among the results with their sizes: for the code of the IDL compiler.
    ///
    /// # Errors
    ///
    /// [`Status::SERVER_FAULT`] if one has another number of elements; the log says which.
    pub fn check_results(
        &self,
        check: impl FnOnce() -> Result<(), NdrErrorKind>,
    ) -> Result<(), Status> {
        check().map_err(|kind| self.unsendable(&NdrError { kind, position: 0 }))
    }

    /// What the client is told of results that cannot travel; the log says more.
    fn unsendable(&self, error: &NdrError) -> Status {
        let (iid, opnum, error) = (self.iid, self.opnum, error.kind);
        tracing::warn!(%iid, opnum, %error, "the results of a method cannot travel");
        match error {
            NdrErrorKind::TooLong(_) => Status::OUT_OF_MEMORY,
            _ => Status::SERVER_FAULT,
        }
    }

    /// If the call is answered by a failure with results, the answer says this, too: its client has it as
    /// an error object. An object that does so answers to `ISupportErrorInfo`
    /// ([`ObjectCall::support_error_info`]).
    pub fn explain(&self, info: ErrorInfo) {
        let iid = if info.iid == Uuid::NIL { self.iid } else { info.iid };
        let info = ErrorInfo { iid, ..info };
        *self.explained.lock().unwrap_or_else(PoisonError::into_inner) = Some(info);
    }

    /// Answers a call of `ISupportErrorInfo`: failures of these interfaces come with error objects.
    ///
    /// # Errors
    ///
    /// What the client is told.
    pub fn support_error_info(&self, of: impl FnOnce(Uuid) -> bool) -> Result<Vec<u8>, Status> {
        match self.opnum {
            InterfaceSupportsErrorInfo::OPNUM => {
                let FactoryIn { iid } = self.arguments()?;
                self.answer_with(&(), if of(iid) { Status::OK } else { Status::FALSE })
            }
            _ => Err(Status::OPERATION_OUT_OF_RANGE),
        }
    }

    fn head(&self, result: Status) -> OrpcThat {
        if !result.is_failure() {
            return OrpcThat::PLAIN;
        }
        let explained = self.explained.lock().unwrap_or_else(PoisonError::into_inner);
        let extensions = explained.as_ref().and_then(ErrorInfo::to_extensions);
        OrpcThat { flags: 0, extensions: Unique::from(extensions) }
    }

    /// The answer of an operation that has no table: this function writes the results one after the
    /// other.
    ///
    /// # Errors
    ///
    /// As for [`ObjectCall::answer`].
    pub fn write_answer(
        &self,
        result: Status,
        write: impl FnOnce(&mut Encoder) -> Result<(), NdrError>,
    ) -> Result<Vec<u8>, Status> {
        let mut out = Encoder::new(self.order);
        let written = self
            .head(result)
            .write(&mut out)
            .and_then(|()| write(&mut out))
            .and_then(|()| result.0.write(&mut out));
        written.map_err(|error| self.unsendable(&error))?;
        Ok(out.into_octets())
    }

    /// An answer without an HRESULT, for the few operations whose tables are complete.
    pub(super) fn whole<T: Parameters>(&self, results: &T) -> Result<Vec<u8>, Status> {
        let mut out = Encoder::new(self.order);
        let written =
            OrpcThat::PLAIN.write(&mut out).and_then(|()| results.write_parameters(&mut out));
        written.map_err(|error| self.unsendable(&error))?;
        Ok(out.into_octets())
    }
}

/// Whether an object has an interface.
pub(super) fn has(object: &dyn Object, iid: Uuid) -> bool {
    iid == UNKNOWN || object.supports(iid)
}
