//! A server that calculates and says back, with the endpoint mapper, and its client.
//!
//! ```text
//! calculator serve ADDRESS                    prints "ready ADDRESS"; user operator, password secret
//! calculator call ADDRESS none                the endpoint mapper, without security
//! calculator call ADDRESS ntlm|spnego 5|6 [big]
//! ```

use armilla_dcerpc::client::ClientOptions;
use armilla_dcerpc::driver::{self, Connection, DriverError, ListenerOptions, Service};
use armilla_dcerpc::endpoint_mapper::{
    ENDPOINT_MAPPER, Endpoint, EndpointMapper, EptMap, Handle, MapIn, Tower,
};
use armilla_dcerpc::management::{InquireInterfaces, MANAGEMENT};
use armilla_dcerpc::ndr::{Conformant, Operation, Parameters, Unique};
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::security::ntlm::{Credentials, NtHash};
use armilla_dcerpc::server::{Access, ServerCall};
use armilla_dcerpc::{ByteOrder, Status, SyntaxId, Uuid};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

armilla_dcerpc::ndr_parameters! {
    /// What `Add` is given.
    pub struct AddIn {
        /// One number.
        pub left: u32,
        /// Another one.
        pub right: u32,
    }
    /// What `Add` gives.
    pub struct AddOut {
        /// Their sum.
        pub sum: u32,
    }
    /// What `Echo` is given and gives: octets.
    pub struct Octets {
        /// How many.
        pub count: u32,
        /// The octets.
        pub octets: Conformant<u8>,
    }
}

armilla_dcerpc::ndr_interface! {
    /// It calculates.
    pub const CALCULATOR = "5f1a9c3e-8e0b-4b1c-9d55-0b6f2d7a4c01", 1, 0;
    /// Adds two numbers.
    0 => Add(AddIn) -> AddOut;
    /// Says octets back.
    1 => Echo(Octets) -> Octets;
}

struct Calculator(EndpointMapper);

impl Service for Calculator {
    fn interfaces(&self) -> Vec<(SyntaxId, Access)> {
        vec![(CALCULATOR, Access::Secured), (ENDPOINT_MAPPER, Access::Anybody)]
    }

    fn call(&self, call: &ServerCall) -> Result<Vec<u8>, Status> {
        if call.interface == ENDPOINT_MAPPER {
            return self.0.call(call.opnum, &call.stub, call.order);
        }
        let (stub, order) = (&call.stub, call.order);
        let bad = |_| Status::BAD_STUB;
        let results = match call.opnum {
            Add::OPNUM => {
                let AddIn { left, right } = AddIn::from_stub(stub, order).map_err(bad)?;
                AddOut { sum: left.wrapping_add(right) }.to_stub(order)
            }
            Echo::OPNUM => Octets::from_stub(stub, order).map_err(bad)?.to_stub(order),
            _ => return Err(Status::OPERATION_OUT_OF_RANGE),
        };
        results.map_err(|_| Status::OUT_OF_RESOURCES)
    }

    fn hash(&self, user: &str, _domain: &str) -> Option<NtHash> {
        user.eq_ignore_ascii_case("operator").then(|| NtHash::of("secret"))
    }
}

fn serve(address: &str) -> std::io::Result<()> {
    let port = address.rsplit(':').next().and_then(|port| port.parse().ok()).unwrap_or(0);
    let endpoint = |interface| Endpoint {
        interface,
        object: Uuid::NIL,
        port,
        address: Ipv4Addr::LOCALHOST,
        annotation: "calculator".into(),
    };
    let mapper = EndpointMapper { endpoints: vec![endpoint(CALCULATOR), endpoint(MANAGEMENT)] };
    let listener = driver::listen(address, Calculator(mapper), ListenerOptions::new("ARMILLA"))?;
    println!("ready {}", listener.address());
    listener.wait();
    Ok(())
}

fn map(connection: &mut Connection, interface: SyntaxId) -> Result<(), DriverError> {
    let asked =
        Tower { interface, transfer: SyntaxId::NDR, port: 0, address: Ipv4Addr::UNSPECIFIED };
    let given = MapIn {
        object: Unique::NULL,
        tower: Unique::new(asked.encode().into()),
        handle: Handle::NONE,
        maximum: 4,
    };
    let found = connection.call::<EptMap>(&given)?;
    for tower in &found.towers.values {
        let tower = tower.get().and_then(|tower| Tower::decode(&tower.octets.0));
        let Some(tower) = tower else { continue };
        println!("{} at {}", tower.interface, SocketAddr::from((tower.address, tower.port)));
    }
    println!("map: {}", Status(found.status));
    Ok(())
}

fn calls(connection: &mut Connection) -> Result<(), DriverError> {
    println!("2 + 3 = {}", connection.call::<Add>(&AddIn { left: 2, right: 3 })?.sum);
    for size in [0, 1, 100, 6_000, 100_000] {
        let octets: Vec<u8> = (0..size).map(|number: u32| number as u8).collect();
        let given = Octets { count: size, octets: octets.into() };
        assert_eq!(connection.call::<Echo>(&given)?, given);
    }
    println!("echoes came back");
    connection.alter(MANAGEMENT)?;
    let found = connection.call::<InquireInterfaces>(&())?;
    println!("{} interfaces", found.interfaces.get().map_or(0, |found| found.count));
    Ok(())
}

fn call(address: &str, service: &str, level: &str, order: ByteOrder) -> Result<(), DriverError> {
    let options = ClientOptions { order, ..ClientOptions::default() };
    let mut connection = Connection::connect_with(address, Duration::from_secs(20), options)?;
    let credentials = || Credentials::new("", "operator", "secret").workstation("CLIENT");
    let context = match service {
        "ntlm" => driver::ntlm(credentials()),
        "spnego" => driver::spnego(credentials()),
        _ => {
            connection.bind(&[ENDPOINT_MAPPER], None)?;
            return map(&mut connection, CALCULATOR);
        }
    };
    let level = if level == "5" { AuthLevel::Integrity } else { AuthLevel::Privacy };
    connection.bind(&[CALCULATOR], Some((context, level)))?;
    calls(&mut connection)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let order = |rest: &[&str]| if rest.is_empty() { ByteOrder::Little } else { ByteOrder::Big };
    let end = match arguments[..] {
        ["serve", address] => serve(address).map_err(DriverError::Io),
        ["call", address, service] => call(address, service, "", ByteOrder::Little),
        ["call", address, service, level, ref rest @ ..] => {
            call(address, service, level, order(rest))
        }
        _ => {
            eprintln!("calculator serve ADDRESS | call ADDRESS none|ntlm|spnego [5|6 [big]]");
            std::process::exit(2);
        }
    };
    if let Err(error) = end {
        eprintln!("failed: {error}");
        std::process::exit(1);
    }
}
