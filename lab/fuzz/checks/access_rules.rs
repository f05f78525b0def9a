//! Rules about who may do what, as an operator writes them.

use armilla_ipc::Address;
use armilla_security::{AccessRules, Caller, Principal, Proof, Question};
use std::time::UNIX_EPOCH;

pub(crate) fn check(data: &[u8]) {
    let Ok(text) = core::str::from_utf8(data) else { return };
    let rules: AccessRules = match text.parse() {
        Ok(rules) => rules,
        Err(error) => {
            let line = text.split('\n').nth(error.line - 1).unwrap();
            assert!(error.column <= line.chars().count() + 1, "{error}");
            return;
        }
    };
    rules.check();
    for name in ["ann@bank", "dn:CN=ann", "uid:0", "anonymous"] {
        let principal: Principal = name.parse().unwrap();
        let proof = Proof::usual_of(&principal);
        let caller = Caller::new(principal, proof, Address::tcp("10.1.2.3", 4000));
        for operation in ["deposit", "_get_balance", "_is_a"] {
            let decision = rules.decide(&Question {
                caller: &caller,
                adapter: "RootPOA",
                object: "acc",
                interface: "IDL:Bank/Account:1.0",
                operation,
                at: UNIX_EPOCH,
            });
            assert!(!decision.allowed || decision.line.is_some(), "what no rule allows is denied");
        }
    }
}
