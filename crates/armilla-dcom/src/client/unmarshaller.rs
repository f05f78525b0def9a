//! What a reference becomes, object by object: a proxy, a handler before it, or an object that came by
//! value (MS-DCOM 2.2.18).

use super::error::{Cause, Error, Step};
use super::handle::Client;
use super::proxy::Proxy;
use crate::objref::{ObjRef, Reference};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::sync::Arc;
use armilla_dcerpc::{Status, Uuid};
use core::fmt;

type OfProxy<T> = Box<dyn Fn(Proxy) -> Arc<T> + Send + Sync>;
type OfData<T> = Box<dyn Fn(&[u8]) -> Result<Arc<T>, Status> + Send + Sync>;

/// Makes objects with an interface `T` of references, by the class that each of them names. Callers
/// have an `Arc<T>` and cannot tell which it is.
///
/// ```
/// use armilla_dcom::client::{Proxy, Unmarshaller};
/// use armilla_dcerpc::Uuid;
/// use std::sync::Arc;
///
/// trait Clock: Send + Sync {
///     fn now(&self) -> u64;
/// }
/// struct Remote(Proxy);
/// impl Clock for Remote {
///     fn now(&self) -> u64 { 0 }
/// }
/// struct Stopped(u64);
/// impl Clock for Stopped {
///     fn now(&self) -> u64 { self.0 }
/// }
///
/// const STOPPED: Uuid = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d63");
/// let clocks = Unmarshaller::<dyn Clock>::new(|proxy| Arc::new(Remote(proxy)))
///     .custom(STOPPED, |data| Ok(Arc::new(Stopped(data.len() as u64))));
/// # let _ = clocks;
/// ```
pub struct Unmarshaller<T: ?Sized> {
    standard: OfProxy<T>,
    handlers: BTreeMap<Uuid, OfProxy<T>>,
    customs: BTreeMap<Uuid, OfData<T>>,
}

impl<T: ?Sized> Unmarshaller<T> {
    /// Makes objects of proxies: those of standard references, and of references whose handler is
    /// not known here.
    pub fn new(standard: impl Fn(Proxy) -> Arc<T> + Send + Sync + 'static) -> Self {
        let (handlers, customs) = Default::default();
        Self { standard: Box::new(standard), handlers, customs }
    }

    /// Puts a handler of this class before the proxy.
    #[must_use]
    pub fn handler(
        mut self,
        class: Uuid,
        make: impl Fn(Proxy) -> Arc<T> + Send + Sync + 'static,
    ) -> Self {
        self.handlers.insert(class, Box::new(make));
        self
    }

    /// Makes objects of this class of the octets that travelled in their place.
    #[must_use]
    pub fn custom(
        mut self,
        class: Uuid,
        make: impl Fn(&[u8]) -> Result<Arc<T>, Status> + Send + Sync + 'static,
    ) -> Self {
        self.customs.insert(class, Box::new(make));
        self
    }

    /// The object of a reference.
    ///
    /// # Errors
    ///
    /// See [`Error`]; [`Cause::CustomReference`] if nothing here reads its octets.
    pub fn unmarshal(&self, client: &Client, reference: &ObjRef) -> Result<Arc<T>, Error> {
        if let Reference::Custom { class, extensions, data } = &reference.reference
            && let Some(make) = self.customs.get(class)
        {
            let failed = |status| {
                let what = format!("an object of the class {class}");
                Error::new(Step::Resolve, what, client.level(), Cause::Status(status))
            };
            let data = data.get(*extensions as usize..).ok_or_else(|| failed(Status::BAD_STUB))?;
            return make(data).map_err(failed);
        }
        let proxy = client.unmarshal(reference)?;
        let handler = match &reference.reference {
            Reference::Handler { class, .. } => self.handlers.get(class),
            _ => None,
        };
        Ok(handler.unwrap_or(&self.standard)(proxy))
    }
}

impl<T: ?Sized> fmt::Debug for Unmarshaller<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unmarshaller")
            .field("handlers", &self.handlers.keys())
            .field("customs", &self.customs.keys())
            .finish_non_exhaustive()
    }
}
