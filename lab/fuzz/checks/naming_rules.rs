//! The rules of a naming service, as an operator writes them.

use armilla_naming::access::{Client, Operation, Rules};

pub(crate) fn check(data: &[u8]) {
    let Ok(text) = core::str::from_utf8(data) else { return };
    match text.parse::<Rules>() {
        Ok(rules) => {
            let name = armilla_naming::model::parse_name("a/b.c").unwrap();
            for operation in [Operation::Read, Operation::Bind, Operation::Unbind] {
                rules.allow(operation, Client::Local, &name);
                rules.allow(operation, Client::At([10, 0, 0, 1].into()), &name);
            }
            rules.balance(&name);
            rules.sweep(&name);
        }
        Err(error) => {
            let line = text.lines().nth(error.line - 1).unwrap();
            assert!(error.column <= line.chars().count() + 1, "{error}");
        }
    }
}
