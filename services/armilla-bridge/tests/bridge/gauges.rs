//! Programs of CORBA call objects of COM that are called by number alone.

use crate::gauge::instruments::{
    self, Gauge, GaugeRef, Reading, Sink, gauge::ReadRaises, gauge::SettleRaises, sink,
};
use crate::gauge::{
    GaugeReading, GaugeState, IGauge, IGaugeSink, IGaugeSinkProxy, i_gauge, i_gauge_sink,
};
use crate::site::{Site, com_client, host};
use armilla::{Any, Error, ExceptionKind, SystemException};
use armilla_bridge::{Bridge, BridgeError, BridgeOptions, ComClass};
use armilla_dcerpc::ndr::Operation;
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::automation::{Bstr, Variant};
use armilla_dcom::server::{Caller, Object, ObjectCall, Server};
use armilla_dcom::{ErrorInfo, InterfacePointer};
use std::sync::{Arc, Mutex};

const GAUGE_CLASS: Uuid = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1e43");

#[derive(Default)]
struct Instrument {
    name: Mutex<String>,
    sink: Mutex<Option<InterfacePointer>>,
    /// Whoever passes a reference on holds its object.
    held: Mutex<Vec<IGaugeSinkProxy>>,
}

fn reading(channel: i32) -> GaugeReading {
    GaugeReading { channel, level: f64::from(channel) / 2.0, unit: Bstr::from("°C") }
}

impl IGauge for Instrument {
    fn get_name(&self) -> Result<Bstr, Status> {
        Ok(Bstr::from(&**self.name.lock().unwrap()))
    }

    fn put_name(&self, name: Bstr) -> Result<(), Status> {
        *self.name.lock().unwrap() = name.to_text();
        Ok(())
    }

    fn read(&self, channel: i32) -> Result<GaugeReading, Status> {
        match channel {
            0.. => Ok(reading(channel)),
            _ => Err(Status(0x8004_7777)),
        }
    }

    fn read_all(&self, count: u32, channels: Vec<i32>) -> Result<Vec<GaugeReading>, Status> {
        assert_eq!(channels.len(), count as usize);
        Ok(channels.into_iter().map(reading).collect())
    }

    fn set_state(&self, state: GaugeState) -> Result<GaugeState, Status> {
        assert_eq!(state, GaugeState::GAUGE_ON);
        Ok(GaugeState::GAUGE_OFF)
    }

    fn advise(&self, sink: Option<InterfacePointer>) -> Result<Option<InterfacePointer>, Status> {
        let mut known = self.sink.lock().unwrap();
        if let Some(pointer) = &sink {
            let sink = com_client().unmarshal(&pointer.reference().unwrap()).unwrap();
            let sink = IGaugeSinkProxy(sink);
            sink.on_level(7, 0.5).unwrap();
            assert_eq!(sink.ready(7).unwrap(), Status::OK);
            assert_eq!(sink.ready(8).unwrap(), Status::FALSE);
            // Four elements, of which three travel, and one of twelve back.
            assert_eq!(sink.window(4, 1, vec![10, 20, 30]).unwrap(), (2, vec![20]));
            // What the object of CORBA gives is compared: no element, where one has an index.
            let none = sink.window(4, 4, vec![]).unwrap_err();
            assert_eq!(none.hresult(), Status::OVERFLOW, "{none}");
            let wrong = sink.window(4, 2, vec![10, 20, 30]).unwrap_err();
            assert!(wrong.to_string().contains("`size_is(size)` says 4"), "{wrong}");
            self.held.lock().unwrap().push(sink);
        }
        Ok(std::mem::replace(&mut known, sink))
    }

    fn window(&self, size: u32, from: u32, levels: Vec<i32>) -> Result<(u32, Vec<i32>), Status> {
        Ok(middle(size, from, &levels))
    }

    fn settle(&self, channel: i32) -> Result<Status, Status> {
        match channel {
            0 => Ok(Status::OK),
            1.. => Ok(Status(channel as u32)),
            _ => Err(Status(0x8004_7778)),
        }
    }

    fn explain(&self, what: String, why: Variant) -> Result<(Variant, Uuid), Status> {
        let why = why.as_text().unwrap_or_default();
        Ok((Variant::from(&*format!("{what}: {why}")), GAUGE_CLASS))
    }
}

/// An instrument that says why a reading failed.
#[derive(Default)]
struct Explaining(Instrument);

impl Object for Explaining {
    fn supports(&self, iid: Uuid) -> bool {
        i_gauge::supports(iid)
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        if call.opnum == i_gauge::Read::OPNUM {
            let i_gauge::ReadIn { channel } = call.arguments()?;
            call.explain(ErrorInfo::new("Gauge 7", format!("no channel {channel}")));
        }
        i_gauge::call(&self.0, call)
    }
}

/// A server of COM with a gauge, and a bridge that shows it to CORBA.
fn site() -> (Server, Site) {
    let plant = Server::builder("PLANT").account("operator", "secret");
    let plant =
        plant.class(GAUGE_CLASS, |_: &Caller<'_>| Ok(Arc::new(Explaining::default()) as Arc<_>));
    let plant = plant.listen("127.0.0.1:0").unwrap();
    let site = Site::with(|options| {
        let idl = include_str!("../idl/gauge.idl").to_owned();
        options.idl.push(("gauge.idl".to_owned(), idl));
        for (id, name) in [("Gauge", "IGauge"), ("Sink", "IGaugeSink")] {
            options.by_number.insert(format!("IDL:Instruments/{id}:1.0"), name.to_owned());
        }
        // Nobody listens at the port of the second one.
        for (name, host) in [("gauge", host(&plant)), ("nobody", "127.0.0.1[1]".to_owned())] {
            let interface = "IDL:Instruments/Gauge:1.0".to_owned();
            let class = ComClass { host, class: GAUGE_CLASS, interface };
            options.com.insert(name.to_owned(), class);
        }
    });
    (plant, site)
}

#[test]
fn methods_are_the_operations_of_the_same_names() {
    let (_plant, site) = site();
    let gauge: GaugeRef = site.com_object("gauge").narrow().unwrap();
    gauge.set_name("boiler 7").unwrap();
    assert_eq!(gauge.name().unwrap(), "boiler 7");
    let warm =
        |channel: i32| Reading { channel, level: f64::from(channel) / 2.0, unit: "°C".to_owned() };
    assert_eq!(gauge.read(3).unwrap(), warm(3));
    assert_eq!(gauge.read_all(2, &[5, 6]).unwrap(), [warm(5), warm(6)]);
    assert_eq!(gauge.set_state(4).unwrap(), 0);
    let mut why = Any::new("it is cold").unwrap();
    let sensor = gauge.explain("outside", &mut why).unwrap();
    assert_eq!(sensor, GAUGE_CLASS.to_string());
    assert_eq!(why.get::<String>().unwrap().as_deref(), Some("outside: it is cold"));
    assert_eq!(site.bridge.counts().to_com, 6);
    // An array and the parameter that is its size are compared first.
    let error = gauge.read_all(3, &[5, 6]).unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::BadParam, "{error}");
    let says = "it has 2 elements, and `size_is(count)` says 3";
    assert!(error.to_string().contains(says), "{error}");
    // So is a part of an array, whose first element has an index.
    assert_eq!(gauge.window(4, 1, &[10, 20, 30]).unwrap(), (vec![20], 2));
    let error = gauge.window(4, 2, &[10, 20, 30]).unwrap_err();
    let says = "it has room for 5 elements, and `size_is(size)` says 4";
    assert!(error.to_string().contains(says), "{error}");
    // The object refuses what it would give, which is not one element.
    let error = gauge.window(4, 4, &[]).unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::Internal, "{error}");
    // 16 bits hold no more, and the object is not asked.
    let error = gauge.set_state(70_000).unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::BadParam, "{error}");
    assert!(error.to_string().contains("state"), "{error}");
}

#[test]
fn an_hresult_is_the_exception_of_the_operation_or_one_of_the_system() {
    let (_plant, site) = site();
    let gauge: GaugeRef = site.com_object("gauge").narrow().unwrap();
    let Err(Error::User(ReadRaises::ComError(error))) = gauge.read(-1) else { panic!() };
    assert_eq!(error.hresult, 0x8004_7777_u32 as i32);
    assert_eq!((&*error.source, &*error.description), ("Gauge 7", "no channel -1"));
    let nobody: GaugeRef = site.com_object("nobody").narrow().unwrap();
    let done = nobody.read(1);
    let Err(Error::System(error)) = done else { panic!("{done:?}") };
    assert_eq!(error.kind(), ExceptionKind::Transient, "{error}");
}

#[test]
fn the_way_in_which_a_method_succeeds_is_the_result() {
    let (_plant, site) = site();
    let gauge: GaugeRef = site.com_object("gauge").narrow().unwrap();
    let settled = [0, 1, 0x4_0200].map(|channel| gauge.settle(channel).unwrap());
    assert_eq!(settled, [0, 1, 0x4_0200]);
    let Err(Error::User(SettleRaises::ComError(error))) = gauge.settle(-1) else { panic!() };
    assert_eq!(error.hresult, 0x8004_7778_u32 as i32);
}

#[derive(Default)]
struct Ear(Arc<Mutex<Vec<(i32, f64)>>>);

impl Sink for Ear {
    fn on_level(&self, channel: i32, level: f64) -> Result<(), SystemException> {
        self.0.lock().unwrap().push((channel, level));
        Ok(())
    }

    fn ready(&self, channel: i32) -> Result<u32, SystemException> {
        Ok(u32::from(channel != 7))
    }

    fn window(
        &self,
        size: u32,
        from: u32,
        levels: &[i32],
    ) -> Result<(Vec<i32>, u32), SystemException> {
        let (at, found) = middle(size, from, levels);
        Ok((found, at))
    }
}

/// The level in the middle of those from `from` to `size`, and its index.
fn middle(size: u32, from: u32, levels: &[i32]) -> (u32, Vec<i32>) {
    assert_eq!(levels.len() as u32, size - from);
    let middle = levels.len() / 2;
    (from + middle as u32, levels.get(middle).copied().into_iter().collect())
}

struct Deaf;

impl IGaugeSink for Deaf {
    fn on_level(&self, _channel: i32, _level: f64) -> Result<(), Status> {
        Ok(())
    }

    fn ready(&self, _channel: i32) -> Result<Status, Status> {
        Ok(Status::FALSE)
    }

    fn window(&self, size: u32, from: u32, levels: Vec<i32>) -> Result<(u32, Vec<i32>), Status> {
        Ok(middle(size, from, &levels))
    }
}

#[test]
fn an_object_of_com_calls_back_one_of_corba_by_number() {
    let (_plant, site) = site();
    let gauge: GaugeRef = site.com_object("gauge").narrow().unwrap();
    let ear = Ear::default();
    let heard = ear.0.clone();
    let sink = site.orb.root_poa().activate(sink::tie(ear)).unwrap();
    assert!(gauge.advise(&sink).unwrap().is_nil());
    assert_eq!(*heard.lock().unwrap(), [(7, 0.5)]);
    // What comes back is the object itself.
    let before = gauge.advise(&instruments::SinkRef::nil()).unwrap();
    assert_eq!(before.object(), sink.object());
    let deaf = i_gauge_sink::object(Deaf);
    assert!(deaf.supports(i_gauge_sink::IID));
}

#[test]
fn interfaces_that_are_not_alike_are_told_at_once() {
    let (_plant, site) = site();
    let begin = |corba: &str, name: &str| {
        let text = format!(
            "@uuid(\"6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1e44\") interface IOne : IUnknown {{ \
             HRESULT one([in] long a, [out] long *b); }}; interface Single {{ {corba} }};"
        );
        let mut options = BridgeOptions::default();
        options.idl.push(("one.idl".to_owned(), text));
        options.by_number.insert("IDL:Single:1.0".to_owned(), name.to_owned());
        match Bridge::new(&site.orb, options, None) {
            Err(BridgeError::Idl(why) | BridgeError::Unknown(why)) => why,
            Err(other) => other.to_string(),
            Ok(_) => String::new(),
        }
    };
    assert!(begin("long two(in long a);", "IOne").contains("no method `two`"));
    assert!(begin("long one();", "IOne").contains("`a` has no counterpart"));
    assert!(begin("long one(inout long a);", "IOne").contains("another direction"));
    assert!(begin("void one(in long a);", "IOne").contains("`b` has no counterpart"));
    assert!(begin("long one(in long a, in long b);", "IOne").contains("another direction"));
    assert!(begin("long one(in long a);", "INone").contains("INone"));
}
