//! The state of the service in the text format of Prometheus. The ORB adds counters and latencies
//! of its own.

use crate::servant::NamingService;
use std::fmt::Write as _;

pub(super) fn text(service: &NamingService) -> String {
    service.sweep_iterators();
    let (contexts, bindings, orphans, limits) = {
        let tree = service.store().read();
        (tree.contexts(), tree.bindings(), tree.orphans().len(), tree.limits().clone())
    };
    let (alive, dead) = service.checked();
    let gauges = [
        ("armilla_naming_contexts", "Naming contexts.", contexts),
        ("armilla_naming_bindings", "Bindings in all contexts.", bindings),
        ("armilla_naming_contexts_limit", "The most contexts there may be.", limits.contexts),
        ("armilla_naming_bindings_limit", "The most bindings there may be.", limits.bindings),
        ("armilla_naming_orphans", "Contexts that no name leads to.", orphans),
        ("armilla_naming_watches", "Open watches.", service.open_watches()),
        ("armilla_naming_iterators", "Open binding iterators.", service.open_iterators()),
        ("armilla_naming_objects_alive", "Objects that the last check found alive.", alive),
        (
            "armilla_naming_objects_dead",
            "Objects that the last check found gone or unreachable.",
            dead,
        ),
    ];
    let mut text = String::new();
    for (name, help, value) in gauges {
        // Writing to a string does not fail.
        writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}").ok();
    }
    text
}
