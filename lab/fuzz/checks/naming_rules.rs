//! The rules of a naming service, as an operator writes them.

use armilla_naming::access::{Client, Operation, Rules};
use std::net::IpAddr;

pub(crate) fn check(data: &[u8]) {
    let Ok(text) = core::str::from_utf8(data) else { return };
    match text.parse::<Rules>() {
        Ok(rules) => {
            let name = armilla_naming::model::parse_name("a/b.c").unwrap();
            let [near, far] =
                [[127, 0, 0, 1], [10, 0, 0, 1]].map(|ip| Client::from(IpAddr::from(ip)));
            rules.allow_whole(&far, &name);
            for operation in [Operation::Read, Operation::Bind, Operation::Unbind] {
                rules.allow(operation, &near, &name);
                rules.allow(operation, &far, &name);
            }
            rules.balance(&name);
            rules.sweep(&name);
        }
        Err(error) => {
            // What is missing may be behind the last end of a line.
            let line = text.split('\n').nth(error.line - 1).unwrap();
            assert!(error.column <= line.chars().count() + 1, "{error}");
        }
    }
}
