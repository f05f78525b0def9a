//! A store of CORBA, a boiler of COM, and a bridge between them.

use crate::generated::shop::{
    self, Choice, Colour, Counter, CounterRef, Empty, Listener, ListenerRef, Point, Store, counter,
};
use armilla::{Any, Completion, ExceptionKind, Minor, Object, Orb, SystemException};
use armilla_bridge::{Bridge, BridgeOptions, ComClass};
use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::automation::Variant;
use armilla_dcom::automation::dispatch::{DISPATCH, flags};
use armilla_dcom::client::{Client, ClientOptions, Proxy};
use armilla_dcom::server::{
    Caller, Dispatched, Failure, Invocation, Object as ComObject, Scriptable, Server,
};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub(crate) const FACTORY: Uuid = Uuid::literal("913d82c0-3b00-11cf-bbfc-444553540000");
pub(crate) const STORE_CLASS: Uuid = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1e01");
pub(crate) const BOILER_CLASS: Uuid = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1e02");
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// Everything, in one process.
pub(crate) struct Site {
    pub(crate) orb: Orb,
    pub(crate) store: Arc<Shelf>,
    pub(crate) bridge: Bridge,
    pub(crate) gateway: Server,
    /// The server of COM that the bridge calls.
    pub(crate) plant: Server,
    pub(crate) boiler: Arc<Dispatched<Boiler>>,
}

/// The clients of COM: of the bridge, and of the plant.
pub(crate) fn com_client() -> Client {
    Client::new(ClientOptions::new(Credentials::new("SITE", "operator", "secret"))).unwrap()
}

pub(crate) fn host(server: &Server) -> String {
    format!("127.0.0.1[{}]", server.address().port())
}

impl Site {
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut BridgeOptions)) -> Self {
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let part = orb.root_poa().activate(counter::tie(Part)).unwrap();
        let store = Arc::new(Shelf { part, ..Shelf::default() });
        let tied = shop::store::tie(Handle(store.clone()));
        let reference = orb.root_poa().activate(tied).unwrap();
        let boiler = Arc::new(Dispatched(Boiler::default()));
        let made = boiler.clone();
        let plant = Server::builder("PLANT")
            .account("operator", "secret")
            .class(BOILER_CLASS, move |_: &Caller<'_>| Ok(made.clone() as Arc<dyn ComObject>))
            .listen("127.0.0.1:0")
            .unwrap();
        let mut options = BridgeOptions::default();
        let idl = include_str!("../idl/shop.idl").to_owned();
        options.idl.push(("shop.idl".to_owned(), idl));
        let url = orb.object_to_string(&reference).unwrap();
        options.objects.insert("store".to_owned(), url);
        options.classes.insert(STORE_CLASS, "store".to_owned());
        let of = |interface: &str| ComClass {
            host: host(&plant),
            class: BOILER_CLASS,
            interface: interface.to_owned(),
        };
        options.com.insert("boiler".to_owned(), of("IDL:Plant/Boiler:1.0"));
        options.com.insert("anything".to_owned(), of(armilla_bridge::AUTOMATION));
        change(&mut options);
        let bridge = Bridge::new(&orb, options, Some(com_client())).unwrap();
        let gateway = Server::builder("GATEWAY").account("operator", "secret");
        let gateway = gateway.account("guest", "secret");
        let gateway = bridge.classes(gateway).listen("127.0.0.1:0").unwrap();
        bridge.begin(gateway.exports());
        Self { orb, store, bridge, gateway, plant, boiler }
    }

    /// The store as a program of COM sees it.
    pub(crate) fn view(&self) -> (Client, Proxy) {
        let client = com_client();
        let view = client.activate(&host(&self.gateway), STORE_CLASS, DISPATCH.uuid).unwrap();
        (client, view)
    }

    pub(crate) fn factory(&self, client: &Client, iid: Uuid) -> Proxy {
        client.activate(&host(&self.gateway), FACTORY, iid).unwrap()
    }

    /// An object of COM as a program of CORBA sees it.
    pub(crate) fn com_object(&self, name: &str) -> Object {
        let reference = self.bridge.com_object(name).unwrap();
        // As another process would get it.
        let url = self.orb.object_to_string(&reference).unwrap();
        self.orb.string_to_object(&url).unwrap()
    }
}

/// Waits until something is so.
pub(crate) fn until(mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + LONG;
    while !holds() {
        assert!(Instant::now() < end, "it never is so");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The store's servant.
pub(crate) struct Shelf {
    pub(crate) part: CounterRef,
    pub(crate) label: Mutex<String>,
    pub(crate) listener: Mutex<Option<ListenerRef>>,
    pub(crate) notes: Mutex<Vec<String>>,
}

impl Default for Shelf {
    fn default() -> Self {
        let (label, listener, notes) = Default::default();
        Self { part: CounterRef::nil(), label, listener, notes }
    }
}

struct Handle(Arc<Shelf>);

type Result<T = (), E = SystemException> = std::result::Result<T, E>;

struct Part;

impl Counter for Part {
    fn value(&self) -> Result<i32> {
        Ok(7)
    }
    fn label(&self) -> Result<String> {
        Ok("part".into())
    }
    fn set_label(&self, _value: &str) -> Result {
        Ok(())
    }
    fn add(&self, amount: i32) -> Result<i32, armilla::Error<counter::AddRaises>> {
        Ok(7 + amount)
    }
}

impl Counter for Handle {
    fn value(&self) -> Result<i32> {
        Ok(42)
    }
    fn label(&self) -> Result<String> {
        Ok(self.0.label.lock().unwrap().clone())
    }
    fn set_label(&self, value: &str) -> Result {
        *self.0.label.lock().unwrap() = value.to_owned();
        Ok(())
    }
    fn add(&self, amount: i32) -> Result<i32, armilla::Error<counter::AddRaises>> {
        match amount {
            0.. => Ok(42 + amount),
            _ => Err(Empty { what: "the shelf".into(), count: amount }.into()),
        }
    }
}

impl Store for Handle {
    fn sum(&self, values: &[f64]) -> Result<f64> {
        Ok(values.iter().sum())
    }
    fn names(&self) -> Result<Vec<String>> {
        Ok(vec!["größer".into(), "smaller".into()])
    }
    fn swap(&self, left: &mut String, right: &mut String) -> Result<i32> {
        std::mem::swap(left, right);
        Ok((left.len() + right.len()) as i32)
    }
    fn r#move(&self, at: &Point, by: i32) -> Result<Point> {
        Ok(Point { x: at.x + by, label: at.label.clone() })
    }
    fn many(&self, count: i32) -> Result<Vec<Point>> {
        Ok((0..count).map(|x| Point { x, label: format!("p{x}") }).collect())
    }
    fn choose(&self, given: &Choice) -> Result<Choice> {
        Ok(given.clone())
    }
    fn next(&self, given: Colour) -> Result<Colour> {
        Ok(match given {
            Colour::Red => Colour::Green,
            _ => Colour::Blue,
        })
    }
    fn echo(&self, value: &Any) -> Result<Any> {
        Ok(value.clone())
    }
    fn octets(&self, given: &[u8]) -> Result<Vec<u8>> {
        Ok(given.iter().rev().copied().collect())
    }
    fn listen(&self, who: &ListenerRef) -> Result {
        *self.0.listener.lock().unwrap() = Some(who.clone());
        who.told("you are heard")
    }
    fn part(&self) -> Result<CounterRef> {
        Ok(self.0.part.clone())
    }
    fn is_part(&self, one: &CounterRef) -> Result<bool> {
        Ok(one.object() == self.0.part.object())
    }
    fn fail(&self) -> Result {
        let (kind, minor) = (ExceptionKind::NoPermission, Minor(7));
        Err(SystemException::new(kind, minor, Completion::No).with_reason("it is locked"))
    }
    fn note(&self, text: &str) -> Result {
        self.0.notes.lock().unwrap().push(text.to_owned());
        Ok(())
    }
}

/// An object of CORBA that is told things.
#[derive(Default)]
pub(crate) struct Ear(pub(crate) Arc<Mutex<Vec<String>>>);

impl Listener for Ear {
    fn told(&self, what: &str) -> Result {
        self.0.lock().unwrap().push(what.to_owned());
        Ok(())
    }
}

/// An object of COM, which scripts call.
#[derive(Default)]
pub(crate) struct Boiler {
    pub(crate) pressure: Mutex<f64>,
    pub(crate) told: Mutex<Vec<String>>,
}

const MEMBERS: [&str; 9] =
    ["pressure", "add", "swap", "fail", "break_down", "tell", "keep", "list", "told"];

impl Scriptable for Boiler {
    fn member(&self, name: &str) -> Option<i32> {
        let place = MEMBERS.iter().position(|it| it.eq_ignore_ascii_case(name))?;
        i32::try_from(place + 1).ok()
    }

    fn invoke(&self, invocation: &mut Invocation<'_>) -> std::result::Result<Variant, Failure> {
        let arguments = &mut invocation.arguments;
        let number = |value: &Variant| value.as_i64().ok_or(Status::TYPE_MISMATCH);
        match MEMBERS[invocation.member as usize - 1] {
            "pressure" if invocation.flags & flags::PUT != 0 => {
                *self.pressure.lock().unwrap() = arguments[0].as_f64().unwrap();
            }
            "pressure" => return Ok((*self.pressure.lock().unwrap()).into()),
            "add" => {
                let sum = number(&arguments[0])? + number(&arguments[1])?;
                return Ok(Variant::I4(sum as i32));
            }
            "swap" => arguments.swap(0, 1),
            "fail" => {
                return Err(Failure::Exception {
                    source: "Boiler".into(),
                    description: "the water is cold".into(),
                    status: Status(0x8004_9999),
                });
            }
            "break_down" => return Err(Status::E_ACCESS_DENIED.into()),
            // Calls back what it was given.
            "tell" => {
                let Variant::Dispatch(Some(pointer)) = arguments[0].clone() else {
                    return Err(Status::TYPE_MISMATCH.into());
                };
                let listener = com_client().unmarshal(&pointer.reference().unwrap()).unwrap();
                listener.call_by_name("told", &arguments[1..2]).unwrap();
            }
            "keep" => return Ok(arguments[0].clone()),
            "list" => {
                let names = ["one", "two"].map(armilla_dcom::automation::Bstr::from);
                return Ok(Variant::Array(names.to_vec().into()));
            }
            _ => self.told.lock().unwrap().push(arguments[0].as_text().unwrap_or_default()),
        }
        Ok(Variant::Empty)
    }
}
