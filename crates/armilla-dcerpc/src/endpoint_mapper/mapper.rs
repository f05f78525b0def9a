//! Answers the calls of the endpoint mapper.

use super::table::{
    Entry, EptLookup, EptLookupHandleFree, EptMap, Handle, HandleOut, LookupIn, LookupOut, MapIn,
    MapOut,
};
use super::tower::Tower;
use crate::fault::Status;
use crate::ndr::{ConformantVarying, Operation, Parameters, Unique, Varying};
use crate::order::ByteOrder;
use crate::uuid::{SyntaxId, Uuid};
use alloc::string::String;
use alloc::vec::Vec;
use core::net::Ipv4Addr;

/// No client gets more in one answer.
const MOST: u32 = 500;

/// An interface at a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The interface.
    pub interface: SyntaxId,
    /// The object that is there; nil for any.
    pub object: Uuid,
    /// The port.
    pub port: u16,
    /// The address.
    pub address: Ipv4Addr,
    /// What its server says of it: at most 63 octets.
    pub annotation: String,
}

/// The endpoints of a host. Each call is answered whole: handles are never needed.
#[derive(Debug, Clone, Default)]
pub struct EndpointMapper {
    /// The endpoints.
    pub endpoints: Vec<Endpoint>,
}

impl EndpointMapper {
    /// The results of a call.
    ///
    /// # Errors
    ///
    /// If there is no such operation, or the stub has not its parameters.
    pub fn call(&self, opnum: u16, stub: &[u8], order: ByteOrder) -> Result<Vec<u8>, Status> {
        let bad = |_| Status::BAD_STUB;
        let stub = match opnum {
            EptMap::OPNUM => self.map(&MapIn::from_stub(stub, order).map_err(bad)?).to_stub(order),
            EptLookup::OPNUM => {
                self.lookup(&LookupIn::from_stub(stub, order).map_err(bad)?).to_stub(order)
            }
            EptLookupHandleFree::OPNUM => {
                HandleOut { handle: Handle::NONE, status: 0 }.to_stub(order)
            }
            // Servers register with it over the network nowhere.
            0 | 1 | 5 | 6 => return Err(Status::ACCESS_DENIED),
            _ => return Err(Status::OPERATION_OUT_OF_RANGE),
        };
        stub.map_err(|_| Status::OUT_OF_RESOURCES)
    }

    fn map(&self, given: &MapIn) -> MapOut {
        let asked = given.tower.get().and_then(|tower| Tower::decode(&tower.octets.0));
        let object = given.object.get().copied().unwrap_or(Uuid::NIL);
        let towers: Vec<_> = asked
            .iter()
            .flat_map(|asked| {
                self.endpoints.iter().filter(|endpoint| {
                    fits(endpoint.interface, asked.interface)
                        && (endpoint.object == Uuid::NIL || endpoint.object == object)
                        && asked.transfer == SyntaxId::NDR
                })
            })
            .take(given.maximum.min(MOST) as usize)
            .map(|endpoint| Unique::new(endpoint.tower().encode().into()))
            .collect();
        let count = towers.len() as u32;
        MapOut {
            handle: Handle::NONE,
            count,
            towers: ConformantVarying {
                maximum: given.maximum.max(count),
                first: 0,
                values: towers,
            },
            status: if count == 0 { Status::NOT_REGISTERED.0 } else { 0 },
        }
    }

    fn lookup(&self, given: &LookupIn) -> LookupOut {
        let interface = given.interface.get().filter(|_| given.inquiry & 1 != 0);
        let object = given.object.get().filter(|_| given.inquiry & 2 != 0);
        let entries: Vec<_> = self
            .endpoints
            .iter()
            .filter(|endpoint| interface.is_none_or(|asked| fits(endpoint.interface, *asked)))
            .filter(|endpoint| object.is_none_or(|asked| endpoint.object == *asked))
            .take(given.maximum.min(MOST) as usize)
            .map(Endpoint::entry)
            .collect();
        let count = entries.len() as u32;
        LookupOut {
            handle: Handle::NONE,
            count,
            entries: ConformantVarying {
                maximum: given.maximum.max(count),
                first: 0,
                values: entries,
            },
            status: if count == 0 { Status::NOT_REGISTERED.0 } else { 0 },
        }
    }
}

/// Whether a server with the first interface can be called by the second one.
fn fits(has: SyntaxId, asked: SyntaxId) -> bool {
    has.uuid == asked.uuid && has.major == asked.major && has.minor >= asked.minor
}

impl Endpoint {
    fn tower(&self) -> Tower {
        let Self { interface, port, address, .. } = *self;
        Tower { interface, transfer: SyntaxId::NDR, port, address }
    }

    fn entry(&self) -> Entry {
        let mut annotation: Vec<u8> = self.annotation.bytes().take(63).collect();
        annotation.push(0);
        Entry {
            object: self.object,
            tower: Unique::new(self.tower().encode().into()),
            annotation: Varying(annotation),
        }
    }
}
