//! Records of the log of transactions, and what a coordinator makes of them after a restart.

use armilla_transactions::model::{Options, Record, recover};
use std::time::Duration;

pub(crate) fn check(data: &[u8]) {
    let Ok(record) = Record::parse(data) else { return };
    // What is read is written in the same way.
    assert_eq!(record.to_octets(), data);
    for transaction in recover(&[record.clone(), record], Duration::ZERO, Options::default()) {
        assert!(!transaction.is_active());
    }
}
