//! How much a service keeps: what is beyond that is refused, pages say so, and there is room again
//! once something is gone.

use crate::running::{Directory, Running, Service, free_port, page};
use std::fs;

const NAMING: Service = Service { command: "naming", reference: "NameService" };
const TRADER: Service = Service { command: "trader", reference: "TradingService" };
const OBJECT: &str = "corbaloc::127.0.0.1:1/vega";

/// Whether the metrics of a page have all these lines.
fn shows(http: &str, lines: &[&str]) {
    let metrics = page(http, "/metrics");
    for line in lines {
        assert!(metrics.lines().any(|it| it == *line), "{line:?} is missing in {metrics}");
    }
}

#[test]
fn a_naming_service_has_no_more_bindings_than_it_may() {
    let http = free_port();
    let service = Running::new(&NAMING, &["--memory", "--bindings", "2", "--http", &http]);
    service.ok(&["bind", "a", OBJECT]);
    service.ok(&["bind", "b", OBJECT]);
    let full = ["armilla_naming_bindings 2", "armilla_naming_bindings_limit 2"];
    shows(&http, &full);
    for more in [["bind", "c", OBJECT].as_slice(), &["mkdir", "c"]] {
        let error = service.fails(more);
        assert!(error.contains("IMP_LIMIT") && error.contains("(not executed)"), "{error}");
        assert!(error.contains("bindings"), "it says which limit: {error}");
    }
    shows(&http, &full);
    // To bind another object to the same name takes no room.
    service.ok(&["bind", "a", "corbaloc::127.0.0.1:2/deneb"]);
    service.ok(&["unbind", "a"]);
    service.ok(&["bind", "c", OBJECT]);
    assert_eq!(service.ok(&["ls"]), "b\nc\n");
    service.stop();
}

#[test]
fn a_naming_service_has_no_more_contexts_than_it_may() {
    let http = free_port();
    let service = Running::new(&NAMING, &["--memory", "--contexts", "2", "--http", &http]);
    // The root is one of them.
    service.ok(&["mkdir", "a"]);
    let full = ["armilla_naming_contexts 2", "armilla_naming_contexts_limit 2"];
    shows(&http, &full);
    let error = service.fails(&["mkdir", "b"]);
    assert!(error.contains("IMP_LIMIT") && error.contains("(not executed)"), "{error}");
    assert!(error.contains("contexts"), "it says which limit: {error}");
    shows(&http, &full);
    service.ok(&["bind", "a/vega", OBJECT]);
    service.ok(&["unbind", "a/vega"]);
    service.ok(&["unbind", "--destroy", "a"]);
    service.ok(&["mkdir", "b"]);
    assert_eq!(service.ok(&["ls"]), "b/\n");
    service.stop();
}

#[test]
fn a_trader_has_no_more_offers_than_it_may() {
    let (directory, http) = (Directory::new("bounds"), free_port());
    let idl = directory.file("office.idl");
    fs::write(&idl, "interface Printer { attribute double price; };").unwrap();
    let trader = Running::new(&TRADER, &["--memory", "--offers", "2", "--http", &http]);
    trader.ok(&["type", "Printer", "--from-idl", &idl]);
    let export = ["export", "Printer", OBJECT, "price=1"];
    let first = trader.ok(&export);
    trader.ok(&export);
    let full = ["armilla_trader_offers 2", "armilla_trader_offers_limit 2"];
    shows(&http, &full);
    let error = trader.fails(&export);
    assert!(error.contains("NO_RESOURCES") && error.contains("(not executed)"), "{error}");
    shows(&http, &full);
    trader.ok(&["withdraw", first.trim()]);
    trader.ok(&export);
    shows(&http, &full);
    trader.stop();
}
