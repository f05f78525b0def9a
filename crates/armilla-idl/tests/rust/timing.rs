// The constant is for the operations that have annotations.
//= mod nav > mod filter > const RT_INFO
/// The timing of the operations, from the annotations in the IDL.
pub const RT_INFO: &[rt::RtInfo] = &[
    rt::RtInfo {
        operation: "Nav::Filter::update",
        oneway: false,
        period: Some(rt::nanos(10000000u64)),
        deadline: Some(rt::nanos(8000000u64)),
        wcet: Some(rt::nanos(300000u64)),
        jitter: rt::nanos(1000000u64),
        criticality: rt::RtLevel::High,
        importance: rt::RtLevel::VeryLow,
        threads: 2u32,
        calls: &[
            rt::RtCall {
                operation: "Hud::draw",
                delay: rt::nanos(200000u64),
            },
            rt::RtCall {
                operation: "Nav::Filter::store",
                delay: rt::nanos(0u64),
            },
        ],
        holds: &[
            rt::RtSection {
                resource: "track",
                length: rt::nanos(20000u64),
            },
        ],
    },
    rt::RtInfo {
        operation: "Nav::Filter::store",
        oneway: true,
        period: None,
        deadline: None,
        wcet: Some(rt::nanos(1500000u64)),
        jitter: rt::nanos(0u64),
        criticality: rt::RtLevel::Medium,
        importance: rt::RtLevel::Medium,
        threads: 1u32,
        calls: &[],
        holds: &[],
    },
];
