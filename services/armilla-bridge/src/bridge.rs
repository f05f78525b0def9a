//! The bridge: both sides, and what crosses between them.

use crate::counts::{Counters, Counts, add};
use crate::ground::{Ground, failed, of_com, of_system};
use crate::interfaces::{AUTOMATION, Interfaces};
use crate::model::{Crossing, Mismatch};
use crate::options::{BridgeError, BridgeOptions};
use crate::servant::{Complex, Imported, Source, View, automation_servant};
use crate::tables::{Behind, ComName, Tables};
use armilla::dynamic::DynAny;
use armilla::{Object, Orb, Poa, SystemException, TypeCode};
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::automation::dispatch::DISPATCH;
use armilla_dcom::client::{Client, Proxy};
use armilla_dcom::server::{Caller, Exports, Object as ComObject};
use armilla_dcom::{InterfacePointer, ObjRef, Reference};
use armilla_ipc::Address;
use armilla_security::{Caller as Known, Principal, Proof, Question, ScopedName};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

/// The POA of references to objects of COM.
pub(crate) const ADAPTER: &str = "bridge";

/// A bridge between an ORB and DCOM. Cheap to clone; use it from any thread.
///
/// ```no_run
/// use armilla::Orb;
/// use armilla_bridge::{Bridge, BridgeOptions};
/// use armilla_dcom::server::Server;
///
/// let orb = Orb::builder().listen("iiop://:0")?.build()?;
/// let mut options = BridgeOptions::default();
/// options.objects.insert("account".into(), "corbaloc::bank.example/Account".into());
/// let bridge = Bridge::new(&orb, options, None)?;
/// let server = Server::builder("BRIDGE").account("operator", "secret");
/// let server = bridge.classes(server).listen("0.0.0.0:135")?;
/// bridge.begin(server.exports());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Bridge(Arc<Inner>);

struct Inner {
    orb: Orb,
    poa: Poa,
    client: Option<Client>,
    exports: OnceLock<Exports>,
    interfaces: Interfaces,
    options: BridgeOptions,
    tables: Tables,
    counters: Counters,
    /// How many references to objects of COM there were.
    imported: AtomicU64,
}

impl Bridge {
    /// A bridge of an ORB. `client` calls objects of COM; without one only objects of CORBA cross.
    ///
    /// # Errors
    /// If the IDL has errors, or an option names an interface that is not in it.
    pub fn new(
        orb: &Orb,
        options: BridgeOptions,
        client: Option<Client>,
    ) -> Result<Self, BridgeError> {
        let interfaces = Interfaces::new(&options.idl, &options.by_number)?;
        let poa = orb.root_poa().create_poa(ADAPTER).user_ids().persistent().build();
        let poa = poa.map_err(SystemException::from)?;
        let (exports, tables, counters, imported) = Default::default();
        let inner = Inner {
            orb: orb.clone(),
            poa,
            client,
            exports,
            interfaces,
            options,
            tables,
            counters,
            imported,
        };
        let bridge = Self(Arc::new(inner));
        for name in bridge.options().com.keys() {
            bridge.add_com(name)?;
        }
        Ok(bridge)
    }

    /// Activates the object of CORBA that stands for a named object of COM.
    fn add_com(&self, name: &str) -> Result<(), BridgeError> {
        let Some(class) = self.options().com.get(name) else { return Ok(()) };
        let unknown = || {
            let interface = &class.interface;
            BridgeError::Unknown(format!("no IDL has the interface {interface} of {name}"))
        };
        let interface = self.interfaces().known(&class.interface).ok_or_else(unknown)?;
        let source = Source::Class { host: class.host.clone(), class: class.class };
        let imported =
            Imported::new(self.ground(), source, (class.interface.clone(), interface), None);
        let imported = Arc::new(imported);
        let object = self.activate(name, &imported)?;
        self.0.tables.add_named(&object, &imported);
        self.0.orb.publish(name, &object)?;
        Ok(())
    }

    fn activate(&self, id: &str, imported: &Arc<Imported>) -> Result<Object, SystemException> {
        let servant = automation_servant(imported.clone());
        let activated = self.0.poa.activate_with_id(id, servant).map_err(SystemException::from)?;
        Ok(activated.object().clone())
    }

    /// Lets the bridge make references by the server that has its classes.
    pub fn begin(&self, exports: &Exports) {
        self.0.exports.get_or_init(|| exports.clone());
    }

    /// The reference of CORBA to a named object of COM.
    pub fn com_object(&self, name: &str) -> Option<Object> {
        self.0.orb.published(name)
    }

    /// Serves the bridge's interfaces as the interface repository of its ORB.
    ///
    /// # Errors
    /// Every system exception of the ORB.
    pub fn serve_interfaces(&self) -> Result<(), SystemException> {
        armilla_ifr::serve(&self.0.orb, self.interfaces().model().clone()).map(drop)
    }

    /// What has crossed.
    pub fn counts(&self) -> Counts {
        self.0.counters.read(self.0.tables.counts())
    }

    /// Forgets references to objects of COM that were long without a call.
    pub fn expire(&self) {
        let idle = self.options().idle.unwrap_or(BridgeOptions::IDLE);
        self.deactivate(self.0.tables.forget_idle(idle.as_secs()));
    }

    fn deactivate(&self, gone: Vec<Object>) {
        for object in gone {
            let ended =
                self.0.poa.reference_to_id(&object).and_then(|id| self.0.poa.deactivate(&id));
            if let Err(error) = ended {
                tracing::debug!(%error, "a reference to an object of COM was gone");
            }
        }
    }

    /// The bridge, as its objects see it.
    fn ground(&self) -> Arc<dyn Ground> {
        Arc::new(self.clone())
    }

    pub(crate) fn options(&self) -> &BridgeOptions {
        &self.0.options
    }

    pub(crate) fn exports(&self) -> Result<&Exports, Mismatch> {
        let missing = || failed(Status::SERVER_TOO_BUSY, "the bridge does not listen yet");
        self.0.exports.get().ok_or_else(missing)
    }

    /// The view of an object with a name: one of the options, or of the naming service.
    pub(crate) fn named(&self, name: &str) -> Result<Arc<View>, Mismatch> {
        let url = match self.options().objects.get(name) {
            Some(url) => url.clone(),
            None if self.options().naming => format!("corbaname:rir:#{name}"),
            None => return Err(failed(Status::INVALID_ARGUMENT, format!("{name} is no object"))),
        };
        let object =
            self.0.orb.string_to_object(&url).map_err(|exception| of_system(&exception))?;
        self.view(&object, name)
    }

    /// The view of an object of CORBA: always the same one, while somebody refers to it.
    fn view(&self, object: &Object, name: &str) -> Result<Arc<View>, Mismatch> {
        if let Some(view) = self.0.tables.view(object) {
            return Ok(view);
        }
        let interface = self.interfaces().of(object).map_err(|exception| of_system(&exception))?;
        let view = Arc::new(View::new(self.ground(), object.clone(), name, interface));
        self.0.tables.add_view(object, &view);
        Ok(view)
    }

    /// What stands behind a reference, if that is one to an object of the bridge.
    fn behind(&self, reference: &ObjRef) -> Option<Behind> {
        self.0.tables.behind(&self.0.exports.get()?.object(reference)?)
    }

    /// The reference to an object of COM that came as a value.
    fn import(
        &self,
        proxy: Proxy,
        reference: &ObjRef,
        interface: &str,
    ) -> Result<Object, Mismatch> {
        let known = self.interfaces().known(interface).map(|it| (interface.to_owned(), it));
        let generic = || Some((AUTOMATION.to_owned(), self.interfaces().known(AUTOMATION)?));
        let missing = || failed(Status::UNEXPECTED, "the bridge lacks its own interface");
        let (id, interface) = known.or_else(generic).ok_or_else(missing)?;
        let name =
            com_name(reference).ok_or_else(|| failed(Status::UNEXPECTED, "a custom reference"))?;
        if let Some(object) = self.0.tables.reference(name, &id) {
            return Ok(object);
        }
        let resolver = resolver_of(reference);
        // Several threads may bring the same object: the name of each reference is its own.
        let number = self.0.imported.fetch_add(1, Ordering::Relaxed);
        let key = format!("{:x}-{:x}-{number}", name.0, name.1);
        let source = Source::Given { resolver };
        let imported = Imported::new(self.ground(), source, (id, interface), Some(proxy));
        let imported = Arc::new(imported);
        let object = self.activate(&key, &imported).map_err(|error| of_system(&error))?;
        let most = self.options().most.unwrap_or(BridgeOptions::MOST);
        let (object, gone) = self.0.tables.add_reference(name, object, &imported, most);
        self.deactivate(gone);
        Ok(object)
    }
}

impl Crossing for Bridge {
    fn view_of(&self, value: &mut DynAny, iid: Uuid) -> Result<Option<InterfacePointer>, Mismatch> {
        let object = value.get_reference(&self.0.orb)?;
        if object.is_nil() {
            return Ok(None);
        }
        if let Some(imported) = self.0.tables.imported(&object) {
            add(&self.0.counters.unwrapped);
            return imported.pointer().map(Some);
        }
        let view = self.view(&object, "")?;
        // Of an interface that no IDL has there is no view that is called by number.
        let iid = if view.supports(iid) { iid } else { DISPATCH.uuid };
        self.export(view, iid).map(Some)
    }

    fn reference_to(
        &self,
        pointer: &InterfacePointer,
        interface: &TypeCode,
    ) -> Result<Object, Mismatch> {
        let malformed = |error| failed(Status::INVALID_ARGUMENT, format!("a reference: {error}"));
        let reference = pointer.reference().map_err(malformed)?;
        if let Some(Behind::Object(object)) = self.behind(&reference) {
            add(&self.0.counters.unwrapped);
            return Ok(object);
        }
        let proxy = self.client()?.unmarshal(&reference).map_err(|error| of_com(&error))?;
        let interface = interface.id().unwrap_or(AUTOMATION);
        let proxy =
            self.interfaces().proxy_for(proxy, interface).map_err(|error| of_com(&error))?;
        self.import(proxy, &reference, interface)
    }

    fn with_members(&self, value: DynAny) -> Result<InterfacePointer, Mismatch> {
        let complex = Complex::new(self.ground(), value);
        self.0.tables.add_value(&complex);
        self.export(complex, DISPATCH.uuid)
    }

    fn members_of(&self, pointer: &InterfacePointer) -> Option<DynAny> {
        match self.behind(&pointer.reference().ok()?)? {
            Behind::Value(value) => value.value().copy().ok(),
            Behind::Object(_) => None,
        }
    }
}

impl Ground for Bridge {
    fn check(
        &self,
        caller: &Caller<'_>,
        (object, interface, operation): (&str, &str, &str),
    ) -> Result<(), Mismatch> {
        let Some(rules) = &self.options().rules else { return Ok(()) };
        let caller = known(caller);
        let at = SystemTime::now();
        let question =
            Question { caller: &caller, adapter: ADAPTER, object, interface, operation, at };
        if rules.rules().decide(&question).allowed {
            return Ok(());
        }
        add(&self.0.counters.refused);
        let who = caller.principal();
        let what = format!("the rules do not let {who} call {operation} of {interface}");
        Err(failed(Status::E_ACCESS_DENIED, what))
    }

    fn counters(&self) -> &Counters {
        &self.0.counters
    }

    fn interfaces(&self) -> &Interfaces {
        &self.0.interfaces
    }

    fn export(&self, object: Arc<dyn ComObject>, iid: Uuid) -> Result<InterfacePointer, Mismatch> {
        let pointer = self.exports()?.pointer(object, iid);
        pointer.map_err(|status| failed(status, "no reference can be made"))
    }

    fn client(&self) -> Result<&Client, Mismatch> {
        let missing = || {
            failed(Status::NOT_IMPLEMENTED, "the bridge has no account for calls to objects of COM")
        };
        self.0.client.as_ref().ok_or_else(missing)
    }
}

/// Who a client of DCOM is, for rules.
fn known(caller: &Caller<'_>) -> Known {
    let at = Address::tcp("", 0);
    match caller.principal.filter(|principal| !principal.user.is_empty()) {
        None => Known::new(Principal::Anonymous, Proof::None, at),
        Some(principal) => {
            let domain = Some(principal.domain.clone()).filter(|domain| !domain.is_empty());
            let name = ScopedName { user: principal.user.clone(), domain };
            Known::new(Principal::User(name), Proof::Password, at)
        }
    }
}

/// The name of the object of a reference.
fn com_name(reference: &ObjRef) -> Option<ComName> {
    match &reference.reference {
        Reference::Standard { standard, .. }
        | Reference::Handler { standard, .. }
        | Reference::Extended { standard, .. } => Some((standard.oxid, standard.oid)),
        Reference::Custom { .. } => None,
    }
}

/// Where the resolver of a reference is.
fn resolver_of(reference: &ObjRef) -> String {
    let strings = match &reference.reference {
        Reference::Standard { resolver, .. }
        | Reference::Handler { resolver, .. }
        | Reference::Extended { resolver, .. } => resolver.strings.first(),
        Reference::Custom { .. } => None,
    };
    strings.map(|binding| binding.address.clone()).unwrap_or_default()
}

impl fmt::Debug for Bridge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bridge").field("options", &self.0.options).finish_non_exhaustive()
    }
}
