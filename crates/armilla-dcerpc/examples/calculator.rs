//! A server that calculates and says back, with the endpoint mapper, and its client.
//!
//! ```text
//! calculator serve ADDRESS [everybody]        prints "ready ADDRESS"; user operator, password secret
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
use std::sync::{Arc, OnceLock};
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
    /// What `Count` is given.
    pub struct CountIn {
        /// How many octets there are to be, at most a million.
        pub count: u32,
    }
    /// Octets: what `Echo` is given and gives, and what `Count` gives.
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
    /// Counts upwards in octets.
    2 => Count(CountIn) -> Octets;
}

/// Its endpoints are known once it listens.
struct Calculator(Arc<OnceLock<EndpointMapper>>);

impl Service for Calculator {
    fn interfaces(&self) -> Vec<(SyntaxId, Access)> {
        vec![(CALCULATOR, Access::Secured), (ENDPOINT_MAPPER, Access::Anybody)]
    }

    fn call(&self, call: &ServerCall) -> Result<Vec<u8>, Status> {
        if call.interface == ENDPOINT_MAPPER {
            let mapper = self.0.get().ok_or(Status::SERVER_TOO_BUSY)?;
            return mapper.call(call.opnum, &call.stub, call.order);
        }
        let (stub, order) = (&call.stub, call.order);
        let bad = |_| Status::BAD_STUB;
        let results = match call.opnum {
            Add::OPNUM => {
                let AddIn { left, right } = AddIn::from_stub(stub, order).map_err(bad)?;
                AddOut { sum: left.wrapping_add(right) }.to_stub(order)
            }
            Echo::OPNUM => Octets::from_stub(stub, order).map_err(bad)?.to_stub(order),
            Count::OPNUM => {
                let CountIn { count } = CountIn::from_stub(stub, order).map_err(bad)?;
                counted(count.min(1_000_000)).to_stub(order)
            }
            _ => return Err(Status::OPERATION_OUT_OF_RANGE),
        };
        results.map_err(|_| Status::OUT_OF_RESOURCES)
    }

    fn hash(&self, user: &str, _domain: &str) -> Option<NtHash> {
        user.eq_ignore_ascii_case("operator").then(|| NtHash::of("secret"))
    }
}

fn counted(count: u32) -> Octets {
    let octets: Vec<u8> = (0..count).map(|number| number as u8).collect();
    Octets { count, octets: octets.into() }
}

fn serve(address: &str, everybody: bool) -> std::io::Result<()> {
    let mapper = Arc::new(OnceLock::new());
    let service = Calculator(mapper.clone());
    let mut options = ListenerOptions::new("ARMILLA");
    if everybody {
        options.ntlm.allow_anonymous = true;
        options.server.min_level = AuthLevel::Connect;
    }
    let listener = driver::listen(address, service, options)?;
    let port = listener.address().port();
    let endpoint = |interface| Endpoint {
        interface,
        object: Uuid::NIL,
        port,
        address: Ipv4Addr::LOCALHOST,
        annotation: "calculator".into(),
    };
    let endpoints = vec![endpoint(CALCULATOR), endpoint(MANAGEMENT)];
    mapper.get_or_init(|| EndpointMapper { endpoints });
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
    for count in [1, 100, 5_000] {
        assert_eq!(connection.call::<Echo>(&counted(count))?, counted(count));
    }
    let count = 20_000;
    assert_eq!(connection.call::<Count>(&CountIn { count })?, counted(count));
    println!("octets came back");
    let found =
        connection.alter(MANAGEMENT).and_then(|()| connection.call::<InquireInterfaces>(&()));
    let found = match found {
        // Not every peer has it.
        Err(DriverError::NotAccepted(..) | DriverError::Fault(_)) => {
            println!("no management interface");
            return Ok(());
        }
        other => other?,
    };
    let large = counted(100_000);
    assert_eq!(connection.call::<Echo>(&large)?, large);
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
        ["serve", address] => serve(address, false).map_err(DriverError::Io),
        ["serve", address, "everybody"] => serve(address, true).map_err(DriverError::Io),
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
