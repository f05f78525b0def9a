//! What members of an object group tell each other and write down: records of requests, logs of
//! replies, what is on a disk.

use armilla_replication::model::{Kept, Record, ReplyLog};

pub(crate) fn check(data: &[u8]) {
    if let Ok(record) = Record::from_octets(data) {
        assert_eq!(Record::from_octets(&record.to_octets().unwrap()), Ok(record));
    }
    if let Ok(kept) = Kept::from_octets(data) {
        assert_eq!(Kept::from_octets(&kept.to_octets().unwrap()), Ok(kept));
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
