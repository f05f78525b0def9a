//! A reference to an interface of a remote object.

use super::answer::Answer;
use super::error::{Cause, Error, Step};
use super::handle::{Client, standard};
use super::remote_exporter::{RemoteExporter, operation};

use crate::objref::{InterfacePointer, ObjRef, Reference, StandardReference};
use crate::remote::{
    CountsIn, FactoryIn, QueryIn, REM_UNKNOWN, RemAddRef, RemQueryInterface, syntax,
};
use crate::string_array::{DualStringArray, StringBinding};
use alloc::sync::Arc;
use alloc::vec;
use armilla_dcerpc::ndr::{Decoder, Encoder, NdrError, NdrErrorKind, Operation, Unique};
use armilla_dcerpc::{Status, Uuid};

/// How many references are taken at once; what is left is given back.
const REFERENCES: u32 = 5;

/// An interface of a remote object. Cheap to clone; use it from any thread. When the last clone is
/// dropped, its references are given back, later and together with others.
#[derive(Debug, Clone)]
pub struct Proxy(Arc<Held>);

#[derive(Debug)]
struct Held {
    client: Client,
    exporter: Arc<RemoteExporter>,
    iid: Uuid,
    standard: StandardReference,
    pinged: bool,
}

impl Drop for Held {
    fn drop(&mut self) {
        let StandardReference { oid, ipid, public_references, .. } = self.standard;
        self.exporter.leave(oid, self.pinged, (ipid, public_references));
        self.client.shared().wake.ring();
    }
}

impl Proxy {
    pub(super) fn new(
        client: Client,
        exporter: Arc<RemoteExporter>,
        iid: Uuid,
        standard: &StandardReference,
    ) -> Self {
        let pinged = standard.flags & StandardReference::NO_PING == 0;
        exporter.enter(standard.oid, pinged);
        Self(Arc::new(Held { client, exporter, iid, standard: *standard, pinged }))
    }

    /// The interface.
    pub fn iid(&self) -> Uuid {
        self.0.iid
    }

    /// Names the interface of the object in calls.
    pub fn ipid(&self) -> Uuid {
        self.0.standard.ipid
    }

    /// Names the object: two interfaces of one object have the same.
    pub fn oid(&self) -> (u64, u64) {
        (self.0.standard.oxid, self.0.standard.oid)
    }

    /// The client that it belongs to.
    pub fn client(&self) -> &Client {
        &self.0.client
    }

    /// Calls an operation of the interface, or of one that it inherits.
    ///
    /// # Errors
    ///
    /// See [`Error`]; an HRESULT that is a failure is one, too.
    pub fn call<O: Operation>(&self, given: &O::In) -> Result<O::Out, Error> {
        self.call_for_success::<O>(given).map(|(results, _)| results)
    }

    /// The same with the HRESULT of the success, such as [`Status::FALSE`].
    ///
    /// # Errors
    ///
    /// As for [`Proxy::call`].
    pub fn call_for_success<O: Operation>(&self, given: &O::In) -> Result<(O::Out, Status), Error> {
        let answer = self.call_for_answer::<O>(given)?;
        match answer.status.is_failure() {
            true => Err(self.failure(O::OPNUM, &answer)),
            false => Ok((answer.results, answer.status)),
        }
    }

    /// The same with the HRESULT, whatever it is: for operations whose results say more of a
    /// failure, or that succeed in several ways.
    ///
    /// # Errors
    ///
    /// If the call cannot be made, or the answer has no results.
    pub fn call_with_status<O: Operation>(&self, given: &O::In) -> Result<(O::Out, Status), Error> {
        self.call_for_answer::<O>(given).map(|answer| (answer.results, answer.status))
    }

    /// The same with what the object says of a failure besides.
    ///
    /// # Errors
    ///
    /// As for [`Proxy::call_with_status`].
    pub fn call_for_answer<O: Operation>(&self, given: &O::In) -> Result<Answer<O::Out>, Error> {
        let Held { client, exporter, iid, standard, .. } = &*self.0;
        let what = operation(*iid, O::OPNUM);
        let options = &client.shared().options;
        exporter.call::<O>(options, standard.ipid, syntax(*iid), given, &what)
    }

    /// Calls an operation that has no table: what it is given is written, and its results are read, one
    /// after the other, by these functions. Otherwise as [`Proxy::call_for_answer`].
    ///
    /// # Errors
    ///
    /// As for [`Proxy::call_for_answer`].
    pub fn call_by_number<T>(
        &self,
        opnum: u16,
        write: impl FnOnce(&mut Encoder) -> Result<(), NdrError>,
        read: impl FnOnce(&mut Decoder<'_>) -> Result<T, NdrError>,
    ) -> Result<Answer<T>, Error> {
        let Held { client, exporter, iid, standard, .. } = &*self.0;
        let what = operation(*iid, opnum);
        let (options, number) = (&client.shared().options, (syntax(*iid), opnum));
        exporter.call_by_number(options, standard.ipid, number, &what, write, read)
    }

    /// Compares the arrays among the results of an operation with their sizes: for the code of the IDL
    /// compiler.
    ///
    /// # Errors
    ///
    /// [`Cause::Malformed`] if one has another number of elements.
    pub fn check_results(
        &self,
        opnum: u16,
        check: impl FnOnce() -> Result<(), NdrErrorKind>,
    ) -> Result<(), Error> {
        check().map_err(|kind| {
            let cause = Cause::Malformed(NdrError { kind, position: 0 }.into());
            Error::new(Step::Call, operation(self.0.iid, opnum), self.0.exporter.level, cause)
        })
    }

    /// The failure that an answer of an operation is, with what it is called in messages.
    pub fn failure<T>(&self, opnum: u16, answer: &Answer<T>) -> Error {
        let what = operation(self.0.iid, opnum);
        let cause = Cause::of_failure(answer.status, answer.error_info.clone());
        Error::new(Step::Call, what, self.0.exporter.level, cause)
    }

    /// The level at which it is called.
    pub fn level(&self) -> armilla_dcerpc::pdu::AuthLevel {
        self.0.exporter.level
    }

    /// An answer lacks something.
    pub(super) fn missing(&self, what: &'static str) -> Error {
        let operation = alloc::format!("interface {}", self.0.iid);
        Error::new(Step::Call, operation, self.0.exporter.level, Cause::Missing(what))
    }

    /// Calls the object that counts references.
    fn count<O: Operation>(&self, given: &O::In) -> Result<O::Out, Error> {
        let Held { client, exporter, .. } = &*self.0;
        let (object, what) = (exporter.rem_unknown, "IRemUnknown");
        let options = &client.shared().options;
        let answer = exporter.call::<O>(options, object, REM_UNKNOWN, given, what)?;
        match answer.status {
            status if status.is_failure() => {
                Err(Error::new(Step::Call, what, exporter.level, Cause::Status(status)))
            }
            _ => Ok(answer.results),
        }
    }

    /// Another interface of the same object.
    ///
    /// # Errors
    ///
    /// See [`Error`]; [`Status::NO_INTERFACE`] if the object does not have it.
    pub fn query_interface(&self, iid: Uuid) -> Result<Self, Error> {
        let Held { client, exporter, standard, .. } = &*self.0;
        let (ipid, iids) = (standard.ipid, vec![iid].into());
        let given = QueryIn { ipid, references: REFERENCES, count: 1, iids };
        let found = self.count::<RemQueryInterface>(&given)?;
        let first = found.results.get().and_then(|results| results.0.first());
        let failed = |cause| Error::new(Step::Call, "QueryInterface", exporter.level, cause);
        let result = first.ok_or_else(|| failed(Cause::Missing("results")))?;
        if Status(result.result).is_failure() {
            return Err(failed(Cause::Status(Status(result.result))));
        }
        Ok(Self::new(client.clone(), exporter.clone(), iid, &result.reference))
    }

    /// A reference to the interface that somebody else may be given: it has references of its own.
    /// `resolver` is the host of the object's resolver, as that other one reaches it.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn reference_for(&self, resolver: &str) -> Result<ObjRef, Error> {
        let (ipid, iid) = (self.0.standard.ipid, self.0.iid);
        let added = self.count::<RemAddRef>(&CountsIn::public(&[(ipid, REFERENCES)]))?;
        if let Some(status) =
            added.results.0.iter().map(|it| Status(*it)).find(|it| it.is_failure())
        {
            return Err(Error::new(
                Step::Call,
                "AddRef",
                self.0.exporter.level,
                Cause::Status(status),
            ));
        }
        let standard = StandardReference { public_references: REFERENCES, ..self.0.standard };
        let strings = vec![StringBinding::tcp(resolver)];
        let resolver = DualStringArray { strings, security: vec![] };
        Ok(ObjRef { iid, reference: Reference::Standard { standard, resolver } })
    }

    /// The object of an interface pointer among the results of a call of this one; `None` if it is
    /// null. One of the same exporter is reached as this one is, whatever its addresses are.
    ///
    /// # Errors
    ///
    /// As for [`Client::unmarshal`].
    pub fn pointer(&self, pointer: &Unique<InterfacePointer>) -> Result<Option<Self>, Error> {
        let Some(pointer) = pointer.get() else { return Ok(None) };
        let Held { client, exporter, standard: own, .. } = &*self.0;
        let malformed =
            |error| Error::new(Step::Call, "a reference", exporter.level, Cause::Malformed(error));
        let reference = pointer.reference().map_err(malformed)?;
        let (found, _) = standard(&reference, exporter.level)?;
        if found.oxid != own.oxid {
            return client.unmarshal(&reference).map(Some);
        }
        Ok(Some(Self::new(client.clone(), exporter.clone(), reference.iid, &found)))
    }

    /// A new object of a factory (`IClassFactory`).
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn create_instance(&self, iid: Uuid) -> Result<Self, Error> {
        let made = self.call::<crate::remote::CreateInstance>(&FactoryIn { iid })?;
        let missing = || {
            Error::new(
                Step::Call,
                "CreateInstance",
                self.0.exporter.level,
                Cause::Missing("a reference"),
            )
        };
        self.pointer(&made.interface)?.ok_or_else(missing)
    }
}
