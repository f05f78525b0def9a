//! What members of an object group tell each other: records of requests, and logs of replies.

use armilla_replication::model::{Record, ReplyLog};

pub(crate) fn check(data: &[u8]) {
    if let Ok(record) = Record::from_octets(data) {
        assert_eq!(Record::from_octets(&record.to_octets().unwrap()), Ok(record));
    }
    let mut log = ReplyLog::default();
    if log.replace(data).is_ok() {
        let mut again = ReplyLog::default();
        again.replace(&log.to_octets().unwrap()).unwrap();
        assert_eq!(again.len(), log.len());
        log.expire(u64::MAX);
        assert!(log.is_empty());
    }
}
