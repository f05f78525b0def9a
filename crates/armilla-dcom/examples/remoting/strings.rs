//! `ITestServer` of the study, by three ways of remoting.

use crate::study::{
    GetMultipleString, GetSingleString, MultipleIn, SingleIn, TEST_SERVER, TestServer, string,
};
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::ObjRef;
use armilla_dcom::automation::Bstr;
use armilla_dcom::client::{Proxy, Unmarshaller};
use armilla_dcom::server::{Exports, Marshalling, Object, ObjectCall};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The class of the handler that fetches strings ahead.
const AHEAD: Uuid = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d61");
/// The class of strings that travel themselves.
const BY_VALUE: Uuid = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d62");
/// How many strings the handler fetches at once.
const PART: i32 = 50;

/// What callers have.
pub(crate) trait Strings: Send + Sync {
    /// One string.
    fn get_single_string(&self, index: i32) -> Result<Bstr, Status>;
}

/// How an object is remoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// Each call goes to the object.
    Standard,
    /// Above: a handler at the client (handler marshalling).
    Ahead,
    /// Within: the object travels (custom marshalling).
    ByValue,
}

/// The object: one of a thousand strings that counts its calls, and chooses how it is remoted.
pub(crate) struct Shelf {
    how: How,
    calls: AtomicUsize,
}

impl Shelf {
    /// A reference to a new object.
    pub(crate) fn export(exports: &Exports, how: How) -> Result<(Arc<Self>, ObjRef), Status> {
        let shelf = Arc::new(Self { how, calls: AtomicUsize::new(0) });
        let reference = exports.export(shelf.clone(), TEST_SERVER.uuid)?;
        Ok((shelf, reference))
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

impl Object for Shelf {
    fn supports(&self, iid: Uuid) -> bool {
        iid == TEST_SERVER.uuid
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        TestServer.call(call)
    }

    fn marshalling(&self, _: Uuid) -> Marshalling {
        match self.how {
            How::Standard => Marshalling::Standard,
            How::Ahead => Marshalling::Handler(AHEAD),
            // The first hundred strings are what this object is about; a line for each.
            How::ByValue => {
                let lines: Vec<String> = (0..100).map(|index| string(index).to_text()).collect();
                Marshalling::Custom { class: BY_VALUE, data: lines.join("\n").into_bytes() }
            }
        }
    }
}

/// Calls the object each time.
struct Remote(Proxy);

impl Strings for Remote {
    fn get_single_string(&self, index: i32) -> Result<Bstr, Status> {
        let found = self.0.call::<GetSingleString>(&SingleIn { index });
        found.map(|found| found.item).map_err(|error| error.hresult())
    }
}

/// Fetches many strings by one call of the object, and keeps them.
struct Ahead {
    proxy: Proxy,
    kept: Mutex<Vec<Bstr>>,
}

impl Strings for Ahead {
    fn get_single_string(&self, index: i32) -> Result<Bstr, Status> {
        let place = usize::try_from(index).map_err(|_| Status::INVALID_ARGUMENT)?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        while kept.len() <= place {
            let given = MultipleIn { index: kept.len() as i32, count: PART };
            let found = self.proxy.call::<GetMultipleString>(&given);
            let items = found.map_err(|error| error.hresult())?.items.into_inner();
            let items = items.map_or(Vec::new(), |items| items.0);
            if items.is_empty() {
                return Err(Status::INVALID_ARGUMENT);
            }
            kept.extend(items);
        }
        Ok(kept[place].clone())
    }
}

/// What travelled in place of the object.
struct ByValue(Vec<Bstr>);

impl Strings for ByValue {
    fn get_single_string(&self, index: i32) -> Result<Bstr, Status> {
        let found = usize::try_from(index).ok().and_then(|index| self.0.get(index));
        found.cloned().ok_or(Status::INVALID_ARGUMENT)
    }
}

/// What the client makes of references. Without the two classes it would call each object.
pub(crate) fn unmarshaller() -> Unmarshaller<dyn Strings> {
    let by_value = |data: &[u8]| {
        let text = std::str::from_utf8(data).map_err(|_| Status::INVALID_ARGUMENT)?;
        Ok(Arc::new(ByValue(text.lines().map(Bstr::from).collect())) as Arc<dyn Strings>)
    };
    Unmarshaller::<dyn Strings>::new(|proxy| Arc::new(Remote(proxy)))
        .handler(AHEAD, |proxy| Arc::new(Ahead { proxy, kept: Mutex::default() }))
        .custom(BY_VALUE, by_value)
}
