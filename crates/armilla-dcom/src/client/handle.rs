//! A client with all that it knows.

use super::activation;
use super::endpoint::{Endpoint, LONGEST};
use super::error::{Cause, Error, Step};
use super::housekeeping::Housekeeper;
use super::options::ClientOptions;
use super::proxy::Proxy;
use super::remote_exporter::{RemoteExporter, ask_resolver};
use super::shared::Shared;
use crate::objref::{InterfacePointer, ObjRef, Reference, StandardReference};
use crate::orpc::ComVersion;
use crate::remote::{CLASS_FACTORY, ResolveOxid2, ResolveOxidIn, ServerAlive2};
use crate::string_array::{DualStringArray, StringArrayUnits, StringBinding};
use alloc::format;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use armilla_dcerpc::Uuid;
use armilla_dcerpc::ndr::Unique;
use armilla_dcerpc::pdu::AuthLevel;
use core::time::Duration;
use std::time::Instant;

/// A client. Cheap to clone; use it from any thread.
#[derive(Debug, Clone)]
pub struct Client(Arc<Owner>);

/// What ends with the last handle. The thread is the first, because it gives back what is left of what
/// is shared.
#[derive(Debug)]
struct Owner {
    _housekeeper: Housekeeper,
    shared: Arc<Shared>,
}

impl Client {
    /// A client with these options. It has a thread of its own.
    ///
    /// # Errors
    ///
    /// If the operating system gives no thread.
    pub fn new(options: ClientOptions) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::new(options));
        let housekeeper = Housekeeper::start(&shared)?;
        Ok(Self(Arc::new(Owner { _housekeeper: housekeeper, shared })))
    }

    fn options(&self) -> &ClientOptions {
        &self.0.shared.options
    }

    /// A new object of a class on a host. The host may name the port of its resolver as
    /// `host[port]`.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn activate(&self, host: &str, class: Uuid, iid: Uuid) -> Result<Proxy, Error> {
        self.one(host, class, self.activate_all(host, class, &[iid])?)
    }

    /// A new object by several of its interfaces; `Err` for those that it does not have.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn activate_all(
        &self,
        host: &str,
        class: Uuid,
        iids: &[Uuid],
    ) -> Result<Vec<Result<Proxy, Error>>, Error> {
        self.activated(host, (class, false), iids)
    }

    /// The factory of a class on a host (`IClassFactory`).
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn class_object(&self, host: &str, class: Uuid) -> Result<Proxy, Error> {
        self.one(host, class, self.activated(host, (class, true), &[CLASS_FACTORY.uuid])?)
    }

    fn one(
        &self,
        host: &str,
        class: Uuid,
        proxies: Vec<Result<Proxy, Error>>,
    ) -> Result<Proxy, Error> {
        proxies.into_iter().next().unwrap_or_else(|| {
            let what = format!("class {class} at {host}");
            let cause = Cause::Missing("a reference");
            Err(Error::new(Step::Activate, what, self.options().level, cause))
        })
    }

    fn activated(
        &self,
        host: &str,
        class: (Uuid, bool),
        iids: &[Uuid],
    ) -> Result<Vec<Result<Proxy, Error>>, Error> {
        let shared = &self.0.shared;
        let made = activation::activate(shared, host, class, iids)?;
        let level = shared.level(made.reply.authentication_hint);
        let what = || format!("class {} at {host}", class.0);
        let failed = |cause| Error::new(Step::Activate, what(), level, cause);
        let bindings = made.reply.bindings.get().map(DualStringArray::from_units);
        let bindings = bindings.transpose().map_err(|error| failed(Cause::Malformed(error)))?;
        let bindings = bindings.unwrap_or_default();
        let plain = StringBinding::tcp(host);
        let plain_host = plain.host_and_port().0;
        let mut proxies = Vec::new();
        for interface in made.interfaces {
            proxies.push(match interface {
                Err(status) => Err(failed(Cause::Status(status))),
                Ok(reference) => standard(&reference, level).and_then(|(standard, _)| {
                    // An object may be that of another exporter than the one that made it.
                    if standard.oxid != made.reply.oxid {
                        return self.unmarshal(&reference);
                    }
                    let exporter = shared.exporter((host, standard.oxid), || {
                        let port = shared.options.port;
                        let objects =
                            Endpoint::of(&bindings, &shared.options, (Some(plain_host), port));
                        // Pings go where the activation went: that address is known to work.
                        let ends = (objects, shared.resolver_of(host));
                        Ok(RemoteExporter::new(made.reply.rem_unknown, level, ends))
                    })?;
                    Ok(self.proxy(exporter, reference.iid, &standard))
                }),
            });
        }
        Ok(proxies)
    }

    /// The object that a reference denotes, which came as a result or by other means.
    ///
    /// # Errors
    ///
    /// See [`Error`]. A custom reference is none that this can follow.
    pub fn unmarshal(&self, reference: &ObjRef) -> Result<Proxy, Error> {
        let shared = &self.0.shared;
        let (standard, resolver) = standard(reference, shared.options.level)?;
        let host = resolver.strings.first().map_or("", |binding| &*binding.address);
        let name = (host, standard.oxid);
        let exporter = shared.exporter(name, || self.resolve(standard.oxid, resolver))?;
        Ok(self.proxy(exporter, reference.iid, &standard))
    }

    /// The object of an interface pointer; `None` if it is null. For one among the results of a call,
    /// [`Proxy::pointer`] spares a question to its resolver.
    ///
    /// # Errors
    ///
    /// As for [`unmarshal`](Self::unmarshal).
    pub fn pointer(&self, pointer: &Unique<InterfacePointer>) -> Result<Option<Proxy>, Error> {
        let Some(pointer) = pointer.get() else { return Ok(None) };
        let level = self.options().level;
        let malformed =
            |error| Error::new(Step::Call, "a reference", level, Cause::Malformed(error));
        self.unmarshal(&pointer.reference().map_err(malformed)?).map(Some)
    }

    fn resolve(&self, oxid: u64, bindings: &DualStringArray) -> Result<RemoteExporter, Error> {
        let options = self.options();
        let resolver = Endpoint::of(bindings, options, (None, options.port));
        let given = ResolveOxidIn { oxid, count: 1, protocols: vec![7].into() };
        let found = ask_resolver::<ResolveOxid2>(&resolver, options, options.level, &given)?;
        let failed = |cause| {
            Error::new(Step::Resolve, format!("the exporter {oxid:#x}"), options.level, cause)
        };
        if found.status != 0 {
            return Err(failed(Cause::Status(armilla_dcerpc::Status(found.status))));
        }
        let units = found.bindings.get().ok_or_else(|| failed(Cause::Missing("bindings")))?;
        let exporter =
            DualStringArray::from_units(units).map_err(|error| failed(Cause::Malformed(error)))?;
        let objects = Endpoint::of(&exporter, options, (None, options.port));
        let level = self.0.shared.level(found.authentication_hint);
        Ok(RemoteExporter::new(found.rem_unknown, level, (objects, resolver)))
    }

    fn proxy(
        &self,
        exporter: Arc<RemoteExporter>,
        iid: Uuid,
        standard: &StandardReference,
    ) -> Proxy {
        Proxy::new(self.clone(), exporter, iid, standard)
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.0.shared
    }

    /// Asks the resolver of a host, without security, which version it speaks and by which addresses
    /// it goes.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn server_alive(&self, host: &str) -> Result<(ComVersion, DualStringArray), Error> {
        let (shared, level) = (&self.0.shared, AuthLevel::None);
        let resolver = shared.resolver_of(host);
        let found = ask_resolver::<ServerAlive2>(&resolver, &shared.options, level, &())?;
        let empty = || StringArrayUnits { count: 0, security_offset: 0, units: vec![].into() };
        let units = found.bindings.into_inner().unwrap_or_else(empty);
        let malformed = |error| Error::new(Step::Resolve, host, level, Cause::Malformed(error));
        Ok((found.version, DualStringArray::from_units(&units).map_err(malformed)?))
    }

    /// The least level of its calls.
    pub(super) fn level(&self) -> AuthLevel {
        self.options().level
    }

    /// Pings all objects now, as the client's thread does every [`ClientOptions::ping_period`].
    ///
    /// # Errors
    ///
    /// The first failure; the other exporters were pinged nevertheless.
    pub fn ping(&self) -> Result<(), Error> {
        let exporters = self.0.shared.all_exporters();
        let ended: Vec<_> = exporters.iter().map(|it| it.ping(self.options())).collect();
        ended.into_iter().collect()
    }

    /// Waits until the references of all dropped proxies were given back, or until `timeout`;
    /// returns whether they were.
    pub fn flush(&self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout.min(LONGEST);
        let shared = &self.0.shared;
        loop {
            shared.wake.ring();
            let waiting = shared.all_exporters().iter().any(|it| it.has_waiting());
            if !waiting || Instant::now() >= deadline {
                return !waiting;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Closes the connections that no call uses, for example before the network changes.
    pub fn close_idle(&self) {
        let shared = &self.0.shared;
        shared.all_exporters().iter().for_each(|exporter| {
            exporter.objects.close();
            exporter.resolver.close();
        });
        shared.forget_activators();
    }
}

/// The part of a reference that can be followed.
pub(super) fn standard(
    reference: &ObjRef,
    level: AuthLevel,
) -> Result<(StandardReference, &DualStringArray), Error> {
    match &reference.reference {
        Reference::Standard { standard, resolver }
        | Reference::Handler { standard, resolver, .. }
        | Reference::Extended { standard, resolver, .. } => Ok((*standard, resolver)),
        Reference::Custom { class, .. } => {
            let what = format!("the interface {}", reference.iid);
            Err(Error::new(Step::Resolve, what, level, Cause::CustomReference(*class)))
        }
    }
}
