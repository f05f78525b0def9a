//! The interface with which a study of telecom platforms compared DCOM and CORBA, and an object that
//! has it.

use armilla_dcerpc::ndr::{Operation, Unique};
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::automation::Bstr;
use armilla_dcom::server::{Object, ObjectCall};

/// The class of the object.
pub(crate) const TEST_SERVER_CLASS: Uuid = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d02");

armilla_dcerpc::ndr_interface! {
    /// `ITestServer : IUnknown`.
    pub const TEST_SERVER = "6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d01", 0, 0;
    /// `HRESULT GetSingleString([in] LONG index, [out] BSTR *item)`
    3 => GetSingleString(SingleIn) -> SingleOut;
    /// `HRESULT GetMultipleString([in] LONG index, [in] LONG count, [out] LONG *got,
    /// [out, size_is(, *got)] BSTR **item)`
    4 => GetMultipleString(MultipleIn) -> MultipleOut;
}

armilla_dcerpc::ndr_parameters! {
    /// What [`GetSingleString`] is given.
    pub struct SingleIn {
        /// Which string.
        pub index: i32,
    }
    /// What [`GetSingleString`] gives.
    pub struct SingleOut {
        /// The string.
        pub item: Bstr,
    }
    /// What [`GetMultipleString`] is given.
    pub struct MultipleIn {
        /// The first string.
        pub index: i32,
        /// How many.
        pub count: i32,
    }
    /// What [`GetMultipleString`] gives.
    pub struct MultipleOut {
        /// How many there are.
        pub got: i32,
        /// The strings.
        pub items: Unique<armilla_dcerpc::ndr::Conformant<Bstr>>,
    }
}

/// An object with a thousand strings of eighty characters, as in the study.
pub(crate) struct TestServer;

const STRINGS: i32 = 1_000;

/// The string at an index.
pub(crate) fn string(index: i32) -> Bstr {
    Bstr::from(&*format!("{index:-<80}"))
}

impl Object for TestServer {
    fn supports(&self, iid: Uuid) -> bool {
        iid == TEST_SERVER.uuid
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        match call.opnum {
            GetSingleString::OPNUM => {
                let SingleIn { index } = call.arguments()?;
                match (0..STRINGS).contains(&index) {
                    true => call.answer(&SingleOut { item: string(index) }),
                    false => call
                        .answer_with(&SingleOut { item: Bstr::null() }, Status::INVALID_ARGUMENT),
                }
            }
            GetMultipleString::OPNUM => {
                let MultipleIn { index, count } = call.arguments()?;
                let end = index.saturating_add(count.max(0)).min(STRINGS);
                let items: Vec<_> = (index.max(0)..end).map(string).collect();
                let got = items.len() as i32;
                call.answer(&MultipleOut { got, items: Unique::new(items.into()) })
            }
            _ => Err(Status::OPERATION_OUT_OF_RANGE),
        }
    }
}
