//! Service contexts and slots.

use armilla::interceptor::{
    ClientInterceptor, ClientRequestInfo, Codec, Interruption, OrbInitInfo, OrbInitializer,
    PiCurrent, ServerInterceptor, ServerRequestInfo, SlotId,
};
use armilla::{Any, ExceptionKind, Minor, OrbBuilder, SystemException, Version};
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use std::sync::{Arc, Mutex, OnceLock};

/// Passes a text from the client's thread to the servant's thread, and one back.
struct Passenger {
    slot: Arc<OnceLock<SlotId>>,
    seen: Arc<Mutex<Vec<String>>>,
}

const TICKET: u32 = 0x5449_4b00;

impl Passenger {
    fn slot(&self) -> SlotId {
        *self.slot.get().unwrap()
    }
}

impl ClientInterceptor for Passenger {
    fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let octets = Codec::new(Version::V1_2).encode(&request.slot(self.slot())?)?;
        request.add_request_service_context(TICKET, &octets, false)?;
        let again = request.add_request_service_context(TICKET, b"", false).unwrap_err();
        assert_eq!(
            (again.kind(), again.minor()),
            (ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_SERVICE_CONTEXT_EXISTS)
        );
        request.keep(request.operation().to_owned());
        Ok(())
    }

    fn receive_reply(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let late = request.add_request_service_context(TICKET, b"", true).unwrap_err();
        assert_eq!(
            (late.kind(), late.minor()),
            (ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_INVALID_INTERCEPTOR_CALL)
        );
        assert_eq!(request.kept::<String>().map(String::as_str), Some(request.operation()));
        let back = request.reply_service_contexts()?.get(TICKET).unwrap_or_default();
        self.seen.lock().unwrap().push(String::from_utf8_lossy(back).into_owned());
        Ok(())
    }
}

impl ServerInterceptor for Passenger {
    fn receive_request_service_contexts(
        &self,
        request: &mut ServerRequestInfo,
    ) -> Result<(), Interruption> {
        let octets = request.request_service_contexts().get(TICKET).unwrap_or_default();
        let value = Codec::new(Version::V1_2).decode(octets)?;
        Ok(request.set_slot(self.slot(), value)?)
    }

    fn receive_request(&self, request: &mut ServerRequestInfo) -> Result<(), Interruption> {
        assert_eq!(request.adapter_name()?, ["RootPOA"]);
        assert_eq!(request.adapter_path()?, "RootPOA");
        assert!(request.target_is_a("IDL:armilla.org/Probe/Common:1.0")?);
        let interface = request.target_most_derived_interface()?;
        assert_eq!(interface, ("IDL:armilla.org/Probe/Everything:1.0"));
        Ok(())
    }

    fn send_reply(&self, request: &mut ServerRequestInfo) -> Result<(), SystemException> {
        let text: Option<String> = request.slot(self.slot())?.get().unwrap();
        let text = format!("{} {}", text.unwrap_or_default(), request.operation());
        request.add_reply_service_context(TICKET, text.as_bytes(), false)
    }
}

/// Brings a passenger into an ORB.
struct Travel(Arc<OnceLock<SlotId>>, Arc<Mutex<Vec<String>>>);

impl OrbInitializer for Travel {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        self.0.set(info.allocate_slot()).unwrap();
        let passenger = || Passenger { slot: self.0.clone(), seen: self.1.clone() };
        info.add_client_interceptor(passenger())?;
        info.add_server_interceptor(passenger())?;
        Ok(())
    }
}

/// An ORB with a passenger, whose slot comes into `slot` and what it has seen into `seen`.
fn travelling(slot: &Arc<OnceLock<SlotId>>, seen: &Arc<Mutex<Vec<String>>>) -> OrbBuilder {
    orbs::builder().initializer(Travel(slot.clone(), seen.clone()))
}

#[test]
fn service_contexts_and_slots_propagate_thread_data_both_ways() {
    let builder = travelling(&Arc::default(), &Arc::default());
    let server = Server::of(builder.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let (slot, seen) = (Arc::default(), Arc::default());
    let client = travelling(&slot, &seen).build().unwrap();
    let remote = server.remote(&client);
    let (current, slot): (PiCurrent, SlotId) = (client.pi_current(), *slot.get().unwrap());
    assert_eq!(current.slot(slot).unwrap(), Any::default(), "not set in this thread");
    current.set_slot(slot, Any::new("Vega").unwrap()).unwrap();
    remote.ping().unwrap();
    remote.count().unwrap();
    std::thread::spawn(move || remote.ping().unwrap()).join().unwrap();
    assert_eq!(*seen.lock().unwrap(), ["Vega ping", "Vega _get_count", " ping"]);
    let other = orbs::client().pi_current().slot(slot).unwrap_err();
    assert_eq!(other.kind(), ExceptionKind::BadParam, "a slot of another ORB");
}
