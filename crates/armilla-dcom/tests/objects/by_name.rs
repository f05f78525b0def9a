//! Calls by name, collections, events.

use crate::plant::{LONG, client, plant_with};
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::automation::Variant;
use armilla_dcom::automation::dispatch::{
    Advise, AdviseIn, CONNECTION_POINT_CONTAINER, DISPATCH, ENUM_VARIANT, FindConnectionPoint,
    FindIn, Unadvise, UnadviseIn, flags,
};
use armilla_dcom::client::{Cause, Client};
use armilla_dcom::server::{
    Caller, Dispatched, Enumerator, Failure, Invocation, Object, ObjectCall, Scriptable, Server,
};
use armilla_dcom::{ConnectionPoint, InterfacePointer};
use std::sync::{Arc, Mutex};

const CLASS: Uuid = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d22");

/// An account, as scripts see it.
#[derive(Default)]
struct Account(Mutex<f64>);

impl Scriptable for Account {
    fn member(&self, name: &str) -> Option<i32> {
        let known = ["Balance", "Deposit", "Withdraw", "Swap", "Owners"];
        let place = known.iter().position(|it| it.eq_ignore_ascii_case(name))?;
        i32::try_from(place + 1).ok()
    }

    fn invoke(&self, invocation: &mut Invocation<'_>) -> Result<Variant, Failure> {
        let number = |place: usize| {
            let value = invocation.arguments.get(place).ok_or(Status::BAD_PARAMETER_COUNT)?;
            value.as_f64().ok_or(Failure::Argument(Status::TYPE_MISMATCH, place as u32))
        };
        let mut balance = self.0.lock().unwrap();
        match (invocation.member, invocation.flags) {
            (1, flags::PUT) => *balance = number(0)?,
            (1, _) => return Ok((*balance).into()),
            (2, _) => *balance += number(0)?,
            (3, _) if number(0)? > *balance => {
                return Err(Failure::Exception {
                    source: "Bank".into(),
                    description: "the balance is too small".into(),
                    status: Status::FAIL,
                });
            }
            (3, _) => *balance -= number(0)?,
            (4, _) => invocation.arguments.swap(0, 1),
            (5, _) => {
                let owners = vec![Variant::from("Ada"), Variant::from("Grace"), Variant::I4(3)];
                let owners = Arc::new(Enumerator::new(owners));
                let pointer = invocation.call.exports.pointer(owners, ENUM_VARIANT.uuid)?;
                return Ok(Variant::Unknown(Some(pointer)));
            }
            _ => return Err(Status::MEMBER_NOT_FOUND.into()),
        }
        Ok(Variant::Empty)
    }
}

fn account(_: &Caller<'_>) -> Result<Arc<dyn Object>, Status> {
    Ok(Arc::new(Dispatched(Account::default())))
}

#[test]
fn a_script_calls_an_object_by_name() {
    let (plant, client) = (plant_with(|_| {}, |it| it.class(CLASS, account)), client());
    let account = client.activate(&plant.host(), CLASS, DISPATCH.uuid).unwrap();
    account.put("balance", 10i16.into()).unwrap();
    account.call_by_name("DEPOSIT", &[2.5.into()]).unwrap();
    assert_eq!(account.get("Balance").unwrap(), Variant::R8(12.5));
    let error = account.call_by_name("Withdraw", &[100.into()]).unwrap_err();
    assert!(matches!(&*error.cause, Cause::Exception { source, .. } if source == "Bank"));
    assert!(error.to_string().contains("the balance is too small"), "{error}");
    let error = account.call_by_name("Deposit", &["much".into()]).unwrap_err();
    assert_eq!(error.status(), Some(Status::TYPE_MISMATCH));
    assert!(error.to_string().contains("argument 1 of the member Deposit"), "{error}");
    assert_eq!(account.get("Colour").unwrap_err().status(), Some(Status::UNKNOWN_NAME));
    assert_eq!(
        account.invoke(99, flags::METHOD, &[]).unwrap_err().status(),
        Some(Status::MEMBER_NOT_FOUND)
    );
}

#[test]
fn a_collection_is_enumerated() {
    let (plant, client) = (plant_with(|_| {}, |it| it.class(CLASS, account)), client());
    let account = client.activate(&plant.host(), CLASS, DISPATCH.uuid).unwrap();
    let Variant::Unknown(Some(pointer)) = account.get("Owners").unwrap() else { panic!() };
    let owners = client.unmarshal(&pointer.reference().unwrap()).unwrap();
    let all = owners.elements(1_000).unwrap();
    assert_eq!(all, [Variant::from("Ada"), Variant::from("Grace"), Variant::I4(3)]);
    assert_eq!(owners.elements(1_000).unwrap(), []);
}

/// Fewer elements than were asked for mean that there are no more.
#[test]
fn an_enumerator_with_many_elements_does_not_end_early() {
    use armilla_dcom::automation::dispatch::{CountIn, EnumClone, EnumNext, EnumReset, EnumSkip};
    let (plant, client) = (plant_with(|_| {}, |it| it), client());
    let many: Vec<Variant> = (0..70_000).map(Variant::I4).collect();
    let enumerator = Arc::new(Enumerator::new(many));
    let reference = plant.server.exports().export(enumerator, ENUM_VARIANT.uuid).unwrap();
    let proxy = client.unmarshal(&reference).unwrap();
    let skip = |count| proxy.call_with_status::<EnumSkip>(&CountIn { count }).unwrap().1;
    let next = |count| {
        let (out, status) = proxy.call_with_status::<EnumNext>(&CountIn { count }).unwrap();
        let first = out.elements.values.first().cloned().map(|it| it.into_variant());
        (out.count, out.elements.maximum, first, status)
    };
    assert_eq!(skip(69_998), Status::OK);
    let clone = proxy.call::<EnumClone>(&()).unwrap();
    let clone = client.pointer(&clone.pointer).unwrap().unwrap();
    assert_eq!(next(3), (2, 3, Some(Variant::I4(69_998)), Status::FALSE));
    assert_eq!((skip(0), skip(1)), (Status::OK, Status::FALSE));
    assert_eq!(clone.elements(9).unwrap(), [Variant::I4(69_998), Variant::I4(69_999)]);
    proxy.call::<EnumReset>(&()).unwrap();
    let refused = proxy.call::<EnumNext>(&CountIn { count: 70_000 }).unwrap_err();
    assert_eq!(refused.status(), Some(Status::OUT_OF_MEMORY));
    assert_eq!(next(1), (1, 1, Some(Variant::I4(0)), Status::OK));
    assert_eq!(skip(u32::MAX), Status::FALSE);
    assert_eq!(next(u32::MAX), (0, u32::MAX, None, Status::FALSE));
}

#[test]
fn references_come_back_as_the_member_left_them() {
    use armilla_dcerpc::ndr::Unique;
    use armilla_dcom::automation::VariantPointer;
    use armilla_dcom::automation::dispatch::{Arguments, Invoke, InvokeIn};
    let (plant, client) = (plant_with(|_| {}, |it| it.class(CLASS, account)), client());
    let account = client.activate(&plant.host(), CLASS, DISPATCH.uuid).unwrap();
    let reference = |value| VariantPointer::from(Variant::Reference(Box::new(value)));
    let empty = || VariantPointer::from(Variant::Empty);
    let given = InvokeIn {
        member: account.member("Swap").unwrap(),
        reserved: Uuid::NIL,
        locale: 0,
        flags: flags::METHOD,
        arguments: Arguments {
            values: Unique::new(vec![empty(), empty()].into()),
            named: Unique::NULL,
            count: 2,
            named_count: 0,
        },
        reference_count: 2,
        reference_indices: vec![0, 1].into(),
        references: vec![reference(Variant::I4(1)), reference(Variant::I4(2))].into(),
    };
    let out = account.call::<Invoke>(&given).unwrap();
    assert_eq!(out.references.0, [reference(Variant::I4(2)), reference(Variant::I4(1))]);
}

/// An object that sends events: connecting and disconnecting is all that it does.
pub(crate) struct Source(pub(crate) Arc<ConnectionPoint>);

impl Object for Source {
    fn supports(&self, iid: Uuid) -> bool {
        iid == CONNECTION_POINT_CONTAINER.uuid
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        self.0.call(call)
    }
}

#[test]
fn events_reach_the_sinks_that_are_connected() {
    let plant = plant_with(|_| {}, |it| it);
    let point = ConnectionPoint::new(DISPATCH.uuid, client());
    let source = Arc::new(Source(point.clone()));
    let exports = plant.server.exports();
    let reference = exports.export(source, CONNECTION_POINT_CONTAINER.uuid).unwrap();
    // The client's own server has the sink.
    let theirs: Server = plant_with(|_| {}, |it| it).server;
    let sink = Arc::new(Dispatched(Account::default()));
    let exported = theirs.exports().export_for_good(sink.clone(), DISPATCH.uuid).unwrap();
    let client: Client = client();
    let container = client.unmarshal(&reference).unwrap();
    let find = |iid| container.call::<FindConnectionPoint>(&FindIn { iid });
    assert_eq!(find(CLASS).unwrap_err().status(), Some(Status::NO_CONNECTION));
    let found = find(DISPATCH.uuid).unwrap();
    let connection = client.pointer(&found.pointer).unwrap().unwrap();
    let sink_pointer = InterfacePointer::new(&exported).unwrap();
    let advised = connection.call::<Advise>(&AdviseIn { sink: Some(sink_pointer).into() }).unwrap();
    let nobody = connection.call::<Advise>(&AdviseIn { sink: Default::default() });
    assert_eq!(nobody.unwrap_err().status(), Some(Status::INVALID_POINTER));
    let event = |proxy: &armilla_dcom::client::Proxy| {
        proxy.call_by_name("Deposit", &[1.into()]).map(|_| ())
    };
    for _ in 0..100 {
        assert_eq!(point.send(event), 1);
    }
    assert_eq!(*sink.0.0.lock().unwrap(), 100.0);
    connection.call::<Unadvise>(&UnadviseIn { cookie: advised.cookie }).unwrap();
    assert_eq!(point.send(event), 0);
    let again = connection.call::<Unadvise>(&UnadviseIn { cookie: advised.cookie });
    assert_eq!(again.unwrap_err().status(), Some(Status::NO_CONNECTION));
    drop((connection, container));
    assert!(client.flush(LONG));
    assert!(exports.is_empty());
}
