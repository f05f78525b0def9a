//! The management interface and the endpoint mapper.

use armilla_dcerpc::endpoint_mapper::{
    ENDPOINT_MAPPER, Endpoint, EndpointMapper, EptLookup, EptLookupHandleFree, EptMap, Handle,
    HandleIn, HandleOut, LookupIn, LookupOut, MapIn, MapOut, Tower,
};
use armilla_dcerpc::management::{
    InquireInterfaces, InquirePrincipal, InquireStatistics, Interfaces, IsListening, Listening,
    MANAGEMENT, Management, PrincipalIn, PrincipalOut, StatisticsIn, StatisticsOut, StopListening,
    Stopped,
};
use armilla_dcerpc::ndr::{Operation, Parameters, Unique};
use armilla_dcerpc::{ByteOrder, Status, SyntaxId, Uuid};
use std::net::Ipv4Addr;

const HOST: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 7);

fn tower(interface: SyntaxId, port: u16, address: Ipv4Addr) -> Tower {
    Tower { interface, transfer: SyntaxId::NDR, port, address }
}

fn mapper() -> EndpointMapper {
    let endpoint = |interface, port| Endpoint {
        interface,
        object: Uuid::NIL,
        port,
        address: HOST,
        annotation: "plant ".repeat(20),
    };
    EndpointMapper { endpoints: vec![endpoint(MANAGEMENT, 49_152), endpoint(MANAGEMENT, 49_153)] }
}

/// Calls an operation as a client and a server would, in both byte orders.
fn call<O: Operation>(
    given: &O::In,
    serve: impl Fn(u16, &[u8], ByteOrder) -> Result<Vec<u8>, Status>,
) -> O::Out {
    let ends = [ByteOrder::Little, ByteOrder::Big].map(|order| {
        let stub = serve(O::OPNUM, &given.to_stub(order).unwrap(), order).unwrap();
        O::Out::from_stub(&stub, order).unwrap()
    });
    let [end, _] = ends;
    end
}

#[test]
fn a_tower_has_five_floors() {
    let tower = tower(ENDPOINT_MAPPER, 135, HOST);
    let octets = tower.encode();
    assert_eq!(octets.len(), 75);
    assert_eq!(octets[octets.len() - 16..], [1, 0, 7, 2, 0, 0, 135, 1, 0, 9, 4, 0, 192, 0, 2, 7]);
    assert_eq!(Tower::decode(&octets), Some(tower));
    for end in 0..octets.len() {
        assert_eq!(Tower::decode(&octets[..end]), None);
    }
}

#[test]
fn an_interface_is_found_where_it_is() {
    let map = |interface, maximum| -> MapOut {
        let asked = tower(interface, 0, Ipv4Addr::UNSPECIFIED).encode().into();
        let tower = Unique::new(asked);
        let given = MapIn { object: Unique::NULL, tower, handle: Handle::NONE, maximum };
        call::<EptMap>(&given, |opnum, stub, order| mapper().call(opnum, stub, order))
    };
    let found = map(MANAGEMENT, 4);
    assert_eq!((found.count, found.status, found.towers.maximum), (2, 0, 4));
    let first = found.towers.values[0].get().unwrap();
    assert_eq!(Tower::decode(&first.octets.0), Some(tower(MANAGEMENT, 49_152, HOST)));
    assert_eq!(map(MANAGEMENT, 1).count, 1);
    let absent = map(ENDPOINT_MAPPER, 4);
    assert_eq!((absent.count, Status(absent.status)), (0, Status::NOT_REGISTERED));
}

#[test]
fn endpoints_are_listed() {
    let given = LookupIn {
        inquiry: 0,
        object: Unique::NULL,
        interface: Unique::NULL,
        versions: 1,
        handle: Handle::NONE,
        maximum: 500,
    };
    let found: LookupOut =
        call::<EptLookup>(&given, |opnum, stub, order| mapper().call(opnum, stub, order));
    assert_eq!((found.count, found.status), (2, 0));
    assert_eq!(found.entries.values[0].annotation.0.len(), 64);
    let other = LookupIn { inquiry: 1, interface: Unique::new(ENDPOINT_MAPPER), ..given };
    let found = call::<EptLookup>(&other, |opnum, stub, order| mapper().call(opnum, stub, order));
    assert_eq!(found.count, 0);
    let given = HandleIn { handle: Handle::NONE };
    let freed =
        call::<EptLookupHandleFree>(&given, |opnum, stub, order| mapper().call(opnum, stub, order));
    assert_eq!(freed, HandleOut { handle: Handle::NONE, status: 0 });
}

#[test]
fn nobody_registers_or_stops_over_the_network() {
    assert_eq!(mapper().call(0, &[], ByteOrder::Little), Err(Status::ACCESS_DENIED));
    assert_eq!(mapper().call(9, &[], ByteOrder::Little), Err(Status::OPERATION_OUT_OF_RANGE));
    assert_eq!(mapper().call(3, &[], ByteOrder::Little), Err(Status::BAD_STUB));
    let stopped: Stopped = call::<StopListening>(&(), manage);
    assert_eq!(Status(stopped.status), Status::ACCESS_DENIED);
}

fn manage(opnum: u16, stub: &[u8], order: ByteOrder) -> Result<Vec<u8>, Status> {
    Management { interfaces: vec![ENDPOINT_MAPPER] }.call(opnum, stub, order)
}

#[test]
fn a_server_tells_of_itself() {
    let found: Interfaces = call::<InquireInterfaces>(&(), manage);
    let list = found.interfaces.get().unwrap();
    assert_eq!((list.count, list.interfaces.0[0].get()), (1, Some(&ENDPOINT_MAPPER)));
    let listening: Listening = call::<IsListening>(&(), manage);
    assert_eq!((listening.status, listening.listening), (0, 1));
    let numbers: StatisticsOut = call::<InquireStatistics>(&StatisticsIn { count: 9 }, manage);
    assert_eq!(numbers.count, 4);
    for size in [0, 1, 100] {
        let given = PrincipalIn { service: 10, size };
        let name: PrincipalOut = call::<InquirePrincipal>(&given, manage);
        assert_eq!(Status(name.status), Status::UNKNOWN_SECURITY);
    }
    assert_eq!(manage(5, &[], ByteOrder::Little), Err(Status::OPERATION_OUT_OF_RANGE));
}
