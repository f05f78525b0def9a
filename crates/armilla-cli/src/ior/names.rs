//! Names of the numeric identifiers in a reference.

use armilla_cdr::CodeSet;
use armilla_giop::ior::{TAG_INTERNET_IOP, TAG_MULTIPLE_COMPONENTS, TAG_UIOP};

const UNKNOWN: &str = "unknown";

/// A tag as a number: decimal as the OMG writes its own, hexadecimal as vendors write theirs.
pub(super) fn tag(id: u32) -> String {
    match id {
        0..0x1_0000 => id.to_string(),
        _ => format!("{id:#010x}"),
    }
}

/// The protocol of a profile (CORBA 3.4 Part 2, 7.6.4), or what its vendor calls it.
pub(super) fn protocol(id: u32) -> &'static str {
    match id {
        TAG_INTERNET_IOP => "IIOP",
        TAG_MULTIPLE_COMPONENTS => "components only",
        2 => "SCCP IOP",
        3 => "UIPMC",
        4 => "MOBILE TERMINAL IOP",
        TAG_UIOP => "TAO's UIOP (Unix-domain socket)",
        0x5441_4f02 => "TAO's SHMIOP (shared memory)",
        0x5441_4f04 => "TAO's DIOP (UDP)",
        0x5441_4f05 => "TAO's COIOP",
        0x5441_4f0e => "TAO's SCIOP (SCTP)",
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
        13 => "TAG_ASSOCIATION_OPTIONS",
        14 => "TAG_SEC_NAME",
        15 => "TAG_SPKM_1_SEC_MECH",
        16 => "TAG_SPKM_2_SEC_MECH",
        17 => "TAG_KerberosV5_SEC_MECH",
        18 => "TAG_CSI_ECMA_Secret_SEC_MECH",
        19 => "TAG_CSI_ECMA_Hybrid_SEC_MECH",
        20 => "TAG_SSL_SEC_TRANS",
        21 => "TAG_CSI_ECMA_Public_SEC_MECH",
        22 => "TAG_GENERIC_SEC_MECH",
        23 => "TAG_FIREWALL_TRANS",
        24 => "TAG_SCCP_CONTACT_INFO",
        25 => "TAG_JAVA_CODEBASE",
        26 => "TAG_TRANSACTION_POLICY",
        27 => "TAG_FT_GROUP",
        28 => "TAG_FT_PRIMARY",
        29 => "TAG_FT_HEARTBEAT_ENABLED",
        30 => "TAG_MESSAGE_ROUTERS",
        31 => "TAG_OTS_POLICY",
        32 => "TAG_INV_POLICY",
        33 => "TAG_CSI_SEC_MECH_LIST",
        34 => "TAG_NULL_TAG",
        35 => "TAG_SECIOP_SEC_TRANS",
        36 => "TAG_TLS_SEC_TRANS",
        37 => "TAG_ACTIVITY_POLICY",
        38 => "TAG_RMI_CUSTOM_MAX_STREAM_FORMAT",
        39 => "TAG_GROUP",
        40 => "TAG_GROUP_IIOP",
        0x4152_4d01 => "Armilla's local endpoint",
        0x4152_4d02 => "Armilla's operation names",
        0x4152_4d04 => "Armilla's local endpoint of a lane",
        0x4152_4d05 => "Armilla's same-host endpoint",
        0x4154_5401 => "omniORB's TAG_OMNIORB_BIDIR",
        0x4154_5402 => "omniORB's TAG_OMNIORB_UNIX_TRANS",
        0x4154_5403 => "omniORB's TAG_OMNIORB_PERSISTENT_ID",
        0x4154_5404 => "omniORB's TAG_OMNIORB_RESTRICTED_CONNECTION",
        0x5441_4f00 => "TAO's TAO_TAG_PRIORITY",
        0x5441_4f01 => "TAO's SSL endpoints",
        0x5441_4f02 => "TAO's TAO_TAG_ENDPOINTS",
        0x5355_4e00 => "Sun's TAG_CONTAINER_ID",
        0x5355_4e01 => "Sun's TAG_REQUEST_PARTITIONING_ID",
        0x4942_4d0a => "IBM's partner version",
        _ => UNKNOWN,
    }
}

/// The type of a policy in `TAG_POLICIES`.
pub(super) fn policy(id: u32) -> &'static str {
    match id {
        16 => "THREAD_POLICY_ID",
        17 => "LIFESPAN_POLICY_ID",
        18 => "ID_UNIQUENESS_POLICY_ID",
        19 => "ID_ASSIGNMENT_POLICY_ID",
        20 => "IMPLICIT_ACTIVATION_POLICY_ID",
        21 => "SERVANT_RETENTION_POLICY_ID",
        22 => "REQUEST_PROCESSING_POLICY_ID",
        23 => "REBIND_POLICY_TYPE",
        24 => "SYNC_SCOPE_POLICY_TYPE",
        25 => "REQUEST_PRIORITY_POLICY_TYPE",
        26 => "REPLY_PRIORITY_POLICY_TYPE",
        27 => "REQUEST_START_TIME_POLICY_TYPE",
        28 => "REQUEST_END_TIME_POLICY_TYPE",
        29 => "REPLY_START_TIME_POLICY_TYPE",
        30 => "REPLY_END_TIME_POLICY_TYPE",
        31 => "RELATIVE_REQ_TIMEOUT_POLICY_TYPE",
        32 => "RELATIVE_RT_TIMEOUT_POLICY_TYPE",
        33 => "ROUTING_POLICY_TYPE",
        34 => "MAX_HOPS_POLICY_TYPE",
        35 => "QUEUE_ORDER_POLICY_TYPE",
        36 => "FIREWALL_POLICY_TYPE",
        37 => "BIDIRECTIONAL_POLICY_TYPE",
        40 => "PRIORITY_MODEL_POLICY_TYPE",
        41 => "THREADPOOL_POLICY_TYPE",
        42 => "SERVER_PROTOCOL_POLICY_TYPE",
        43 => "CLIENT_PROTOCOL_POLICY_TYPE",
        44 => "PRIVATE_CONNECTION_POLICY_TYPE",
        45 => "PRIORITY_BANDED_CONNECTION_POLICY_TYPE",
        46 => "TRANSACTION_POLICY_TYPE",
        55 => "INVOCATION_POLICY_TYPE",
        56 => "OTS_POLICY_TYPE",
        57 => "NON_TX_TARGET_POLICY_TYPE",
        64 => "COMPRESSION_ENABLING_POLICY_ID",
        65 => "COMPRESSOR_ID_LEVEL_LIST_POLICY_ID",
        66 => "COMPRESSION_LOW_VALUE_POLICY_ID",
        67 => "COMPRESSION_MIN_RATIO_POLICY_ID",
        _ => UNKNOWN,
    }
}

/// What the OMG has assigned: ORBs, or the vendors of ORBs, by the upper three octets of their
/// numbers.
const ORBS: &[(u32, &str)] = &[
    (0x4152_4d00, "Armilla"),
    (0x4154_5400, "omniORB"),
    (0x5441_4f00, "TAO"),
    (0x4a41_4300, "JacORB"),
    (0x4954_5f00, "Orbix (IONA)"),
    (0x4f4f_4300, "ORBacus (IONA)"),
    (0x5649_5300, "VisiBroker (Borland)"),
    (0x5355_4e00, "Sun (GlassFish, JDK)"),
    (0x574c_5300, "WebLogic (BEA)"),
    (0x4245_4100, "BEA"),
    (0x4f42_4200, "BEA"),
    (0x4942_4d00, "IBM"),
    (0x4f42_5400, "ORBit"),
    (0x504f_0000, "PolyORB"),
    (0x4f49_5300, "ORBexpress (Objective Interface Systems)"),
    (0x5850_5300, "PrismTech"),
    (0x5054_4300, "PrismTech"),
    (0x4850_0000, "HP"),
    (0x4e53_4400, "HP"),
    (0x494c_5500, "ILU (Xerox)"),
    (0x4953_4900, "AdNovum Informatik"),
    (0x4642_0000, "FloorBoard Software"),
    (0x4e4e_4e00, "Rogue Wave"),
    (0x4e55_0000, "Nihon Unisys"),
    (0x4a42_4b00, "SilverStream Software"),
    (0x4c43_4200, "2AB"),
    (0x4150_5800, "University of Erlangen-Nuremberg"),
    (0x4753_4900, "GemStone Systems"),
    (0x464a_0000, "Fujitsu"),
    (0x4f42_5f00, "TIBCO"),
    (0x4f41_4b00, "Camros Corporation"),
    (0x4e45_4300, "NEC"),
    (0x424c_5500, "Berry Software"),
    (0x5649_5400, "Vitria"),
    (0x444f_4700, "Exoffice Technologies"),
    (0xcb0e_0000, "Chicago Board of Exchange"),
    (0x5854_5200, "Xtradyne Technologies"),
    (0x5447_5800, "Top Graph'X"),
    (0x4164_6100, "AdaOS Project"),
    (0x4e4f_4b00, "Nokia"),
    (0x4552_4900, "Ericsson"),
    (0x5241_5900, "RayORB"),
    (0x5341_4e00, "Sankhya Technologies"),
    (0x414e_4400, "Androsoft"),
    (0x4242_4300, "Bionic Buffalo"),
    (0x522e_4300, "Remoting.Corba"),
    (0x5449_4400, "Telefonica"),
];

/// The name of an ORB. By convention its number is four characters, which stand for one that has
/// no name here.
pub(super) fn orb(number: u32) -> String {
    let known = ORBS.iter().find(|(first, _)| *first == number & 0xffff_ff00);
    let characters = number.to_be_bytes();
    match (known, str::from_utf8(&characters)) {
        (Some((_, name)), _) => (*name).to_owned(),
        (None, Ok(name))
            if name.trim_end_matches('\0').chars().all(|c| c.is_ascii_graphic())
                && number > 0xff =>
        {
            name.trim_end_matches('\0').into()
        }
        _ => format!("{number:#010x}"),
    }
}

/// The number of the ORB that has this name, or begins with it, in any case of letters.
pub(super) fn orb_by_name(name: &str) -> Option<u32> {
    let same = |known: &str| known.eq_ignore_ascii_case(name);
    let word = |known: &str| known.split(' ').next().is_some_and(same);
    let known = ORBS.iter().find(|(_, known)| same(known) || word(known));
    known.map(|(number, _)| *number)
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
