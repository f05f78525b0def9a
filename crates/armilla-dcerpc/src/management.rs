//! The management interface, which clients expect at every server (C706 appendix Q).

use crate::fault::Status;
use crate::ndr::{Conformant, ConformantVarying, Operation, Parameters, Unique};
use crate::order::ByteOrder;
use crate::uuid::SyntaxId;
use alloc::vec;
use alloc::vec::Vec;

crate::ndr_interface! {
    /// The management interface.
    pub const MANAGEMENT = "afa8bd80-7d8a-11c9-bef4-08002b102989", 1, 0;
    /// Which interfaces the server has.
    0 => InquireInterfaces(()) -> Interfaces;
    /// How many calls and PDUs there were.
    1 => InquireStatistics(StatisticsIn) -> StatisticsOut;
    /// Whether the server takes calls.
    2 => IsListening(()) -> Listening;
    /// Ends the server.
    3 => StopListening(()) -> Stopped;
    /// The name by which the server proves who it is.
    4 => InquirePrincipal(PrincipalIn) -> PrincipalOut;
}

crate::ndr_struct! {
    /// A list of interfaces.
    pub struct InterfaceVector {
        /// How many there are.
        pub count: u32,
        /// Each of them.
        pub interfaces: Conformant<Unique<SyntaxId>>,
    }
}

crate::ndr_parameters! {
    /// What [`InquireInterfaces`] gives.
    pub struct Interfaces {
        /// The interfaces.
        pub interfaces: Unique<InterfaceVector>,
        /// Whether that succeeded.
        pub status: u32,
    }
    /// What [`InquireStatistics`] is given.
    pub struct StatisticsIn {
        /// How many numbers the client has room for.
        pub count: u32,
    }
    /// What [`InquireStatistics`] gives.
    pub struct StatisticsOut {
        /// How many numbers there are.
        pub count: u32,
        /// Calls received, calls made, PDUs received, PDUs sent.
        pub numbers: Conformant<u32>,
        /// Whether that succeeded.
        pub status: u32,
    }
    /// What [`IsListening`] gives.
    pub struct Listening {
        /// Whether that succeeded.
        pub status: u32,
        /// 1 if the server takes calls.
        pub listening: u32,
    }
    /// What [`StopListening`] gives.
    pub struct Stopped {
        /// Whether that succeeded.
        pub status: u32,
    }
    /// What [`InquirePrincipal`] is given.
    pub struct PrincipalIn {
        /// The authentication service.
        pub service: u32,
        /// How many octets the client has room for.
        pub size: u32,
    }
    /// What [`InquirePrincipal`] gives.
    pub struct PrincipalOut {
        /// The name with its NUL.
        pub name: ConformantVarying<u8>,
        /// Whether that succeeded.
        pub status: u32,
    }
}

/// Answers the calls of the management interface for a server. Nobody can stop it or change
/// anything; its statistics are zeros.
#[derive(Debug, Clone, Default)]
pub struct Management {
    /// The interfaces that it tells of.
    pub interfaces: Vec<SyntaxId>,
}

impl Management {
    /// The results of a call.
    ///
    /// # Errors
    ///
    /// If there is no such operation, or the stub has not its parameters.
    pub fn call(&self, opnum: u16, stub: &[u8], order: ByteOrder) -> Result<Vec<u8>, Status> {
        let stub = match opnum {
            InquireInterfaces::OPNUM => self.interfaces().to_stub(order),
            InquireStatistics::OPNUM => {
                let given = StatisticsIn::from_stub(stub, order).map_err(|_| Status::BAD_STUB)?;
                let numbers = vec![0; given.count.min(4) as usize];
                let count = numbers.len() as u32;
                StatisticsOut { count, numbers: numbers.into(), status: 0 }.to_stub(order)
            }
            IsListening::OPNUM => Listening { status: 0, listening: 1 }.to_stub(order),
            StopListening::OPNUM => Stopped { status: Status::ACCESS_DENIED.0 }.to_stub(order),
            InquirePrincipal::OPNUM => {
                let given = PrincipalIn::from_stub(stub, order).map_err(|_| Status::BAD_STUB)?;
                // An empty name; a client without room for its NUL gets nothing.
                let values = vec![0; given.size.min(1) as usize];
                let name = ConformantVarying { maximum: given.size, first: 0, values };
                PrincipalOut { name, status: Status::UNKNOWN_SECURITY.0 }.to_stub(order)
            }
            _ => return Err(Status::OPERATION_OUT_OF_RANGE),
        };
        stub.map_err(|_| Status::OUT_OF_RESOURCES)
    }

    fn interfaces(&self) -> Interfaces {
        let interfaces: Vec<_> = self.interfaces.iter().copied().map(Unique::new).collect();
        let count = interfaces.len() as u32;
        let interfaces = Unique::new(InterfaceVector { count, interfaces: interfaces.into() });
        Interfaces { interfaces, status: 0 }
    }
}
