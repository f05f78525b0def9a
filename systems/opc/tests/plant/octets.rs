//! What each operation of OPC is on the wire, octet by octet, as it was recorded.

use armilla_dcerpc::ByteOrder;
use armilla_dcerpc::ndr::{Operation, Parameters};
use armilla_opc::data_access as opc;
use std::fmt::Debug;

/// Of each operation five lines: its interface and number, what it is given and the octets of that,
/// what it gives and the octets of that. The numbers count up, so that each has its place.
const RECORDED: &str = include_str!("octets.txt");

fn octets(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
}

/// The octets mean what was recorded, and the same is written again.
fn same<P: Parameters + Debug + PartialEq>(meaning: &str, text: &str) {
    let octets = octets(text);
    let value = P::from_stub(&octets, ByteOrder::Little).unwrap();
    assert_eq!(format!("{value:?}"), meaning);
    assert_eq!(value.to_stub(ByteOrder::Little).unwrap(), octets, "{meaning}");
    let big = value.to_stub(ByteOrder::Big).unwrap();
    assert_eq!(P::from_stub(&big, ByteOrder::Big).unwrap(), value);
}

/// Checks an operation; returns its first line.
fn recorded<O: Operation>() -> String
where
    O::In: Debug + PartialEq,
    O::Out: Debug + PartialEq,
{
    let head = format!("{} {}", O::INTERFACE.uuid, O::OPNUM);
    let mut lines = RECORDED.lines().skip_while(|line| *line != head).skip(1);
    let mut next = || lines.next().unwrap_or_else(|| panic!("nothing is recorded of {head}"));
    same::<O::In>(next(), next());
    same::<O::Out>(next(), next());
    head
}

macro_rules! recorded {
    ($($interface:ident: $($operation:ident)+;)+) => {
        [$($(recorded::<opc::$interface::$operation>()),+),+]
    };
}

#[test]
fn each_operation_has_its_octets() {
    let all = recorded! {
        iopc_server:
            AddGroup GetErrorString GetGroupByName GetStatus RemoveGroup CreateGroupEnumerator;
        iopc_common:
            SetLocale GetLocale QueryAvailableLocales GetErrorString SetClientName;
        iopc_browse_server_address_space:
            QueryOrganization ChangeBrowsePosition BrowseItemIds GetItemId BrowseAccessPaths;
        iopc_item_properties: QueryAvailableProperties GetItemProperties LookupItemIds;
        iopc_item_mgt:
            AddItems ValidateItems RemoveItems SetActiveState SetClientHandles SetDatatypes
            CreateEnumerator;
        iopc_group_state_mgt: GetState SetState SetName CloneGroup;
        iopc_sync_io: Read Write;
        iopc_async_io2: Read Write Refresh Cancel SetEnable GetEnable;
        iopc_data_callback: OnDataChange OnReadComplete OnWriteComplete OnCancelComplete;
        iopc_shutdown: ShutdownRequest;
        iopc_server_list: EnumClasses GetClassDetails ClassFromProgId;
        iopc_server_list2: GetClassDetails;
        i_enum_string: Next;
        i_enum_guid: Next;
        i_enum_unknown: Next;
        i_enum_opc_item_attributes: Next Skip Reset Clone;
    };
    assert_eq!(
        RECORDED.lines().filter(|line| all.iter().any(|head| head == line)).count(),
        all.len()
    );
    assert_eq!(RECORDED.lines().count(), 5 * all.len());
}
