//! Names of the numeric identifiers in a reference.

use armilla_cdr::CodeSet;
use armilla_giop::ior::{TAG_INTERNET_IOP, TAG_MULTIPLE_COMPONENTS};

const UNKNOWN: &str = "unknown";

/// The protocol of a profile (CORBA 3.4 Part 2, 7.6.4).
pub(super) fn protocol(id: u32) -> &'static str {
    match id {
        TAG_INTERNET_IOP => "IIOP",
        TAG_MULTIPLE_COMPONENTS => "components only",
        _ => UNKNOWN,
    }
}

/// The name of a component, by the specification or its vendor (CORBA 3.4 Part 2, 7.6.6).
pub(super) fn component(id: u32) -> &'static str {
    match id {
        0 => "TAG_ORB_TYPE",
        1 => "TAG_CODE_SETS",
        2 => "TAG_POLICIES",
        3 => "TAG_ALTERNATE_IIOP_ADDRESS",
        5 => "TAG_COMPLETE_OBJECT_KEY",
        6 => "TAG_ENDPOINT_ID_POSITION",
        12 => "TAG_LOCATION_POLICY",
        20 => "TAG_SSL_SEC_TRANS",
        25 => "TAG_JAVA_CODEBASE",
        31 => "TAG_OTS_POLICY",
        32 => "TAG_INV_POLICY",
        33 => "TAG_CSI_SEC_MECH_LIST",
        34 => "TAG_NULL_TAG",
        36 => "TAG_TLS_SEC_TRANS",
        0x4152_4d01 => "Armilla's local endpoint",
        0x4152_4d02 => "Armilla's operation names",
        0x4154_5401 => "omniORB's TAG_OMNIORB_UNIX_TRANS",
        0x4154_5402 => "omniORB's TAG_OMNIORB_BIDIR",
        0x4154_5403 => "omniORB's TAG_OMNIORB_PERSISTENT_ID",
        _ => UNKNOWN,
    }
}

/// The name of an ORB. By convention its number is four characters.
pub(super) fn orb(number: u32) -> String {
    let characters = number.to_be_bytes();
    match (number, str::from_utf8(&characters)) {
        (0x4154_5400, _) => "omniORB".into(),
        (0x4152_4d00, _) => "Armilla".into(),
        (_, Ok(name)) if name.trim_end_matches('\0').chars().all(|c| c.is_ascii_graphic()) => {
            name.trim_end_matches('\0').into()
        }
        _ => format!("{number:#010x}"),
    }
}

/// The name of a code set by its number in the OSF code set registry.
pub(super) fn code_set(id: u32) -> String {
    let name = match id {
        0 => "none",
        0x0001_0100 => "UCS-2, level 1",
        0x0001_0101 => "UCS-2, level 2",
        0x0001_0102 => "UCS-2, level 3",
        0x0001_0104 => "UCS-4, level 1",
        0x0001_0105 => "UCS-4, level 2",
        0x0001_0106 => "UCS-4, level 3",
        0x0004_000a => "EUC-KR",
        0x0005_0010 => "EUC-TW",
        0x1002_0025 => "IBM-037",
        0x1002_01f4 => "IBM-500",
        _ => {
            let known = CodeSet::from_id(id).map(|known| known.to_string());
            return known.unwrap_or_else(|| format!("{id:#010x}"));
        }
    };
    name.to_owned()
}
