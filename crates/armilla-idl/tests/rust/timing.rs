// The constant is for the operations that have annotations.
//= mod nav > mod filter > const RT_INFO
/// The timing of the operations, from the annotations in the IDL.
pub const RT_INFO: &[codegen::RtInfo] = &[
    codegen::RtInfo {
        operation: "Nav::Filter::update",
        oneway: false,
        period: Some(codegen::nanos(10000000u64)),
        deadline: Some(codegen::nanos(8000000u64)),
        wcet: Some(codegen::nanos(300000u64)),
        jitter: codegen::nanos(1000000u64),
        criticality: codegen::RtLevel::High,
        importance: codegen::RtLevel::VeryLow,
        threads: 2u32,
        calls: &[
            codegen::RtCall {
                operation: "Hud::draw",
                delay: codegen::nanos(200000u64),
            },
            codegen::RtCall {
                operation: "Nav::Filter::store",
                delay: codegen::nanos(0u64),
            },
        ],
        holds: &[
            codegen::RtSection {
                resource: "track",
                length: codegen::nanos(20000u64),
            },
        ],
    },
    codegen::RtInfo {
        operation: "Nav::Filter::store",
        oneway: true,
        period: None,
        deadline: None,
        wcet: Some(codegen::nanos(1500000u64)),
        jitter: codegen::nanos(0u64),
        criticality: codegen::RtLevel::Medium,
        importance: codegen::RtLevel::Medium,
        threads: 1u32,
        calls: &[],
        holds: &[],
    },
];
