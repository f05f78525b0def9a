//! Documents that several processes share, each replaced as a whole: in an etcd cluster, which
//! outlives any of its members, and in memory, for tests.

use crate::model::Failure;
use armilla_etcd::{ClusterUser, Gateway, Range, Txn, Unanswered, base64, parse_address};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// A document, as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// What is in it.
    pub content: Vec<u8>,
    /// The number of the change that made it, from 1 on. Later changes have higher ones.
    pub revision: u64,
}

/// Where documents are.
pub trait Documents: Send + Sync + 'static {
    /// A document; `None` if there is none.
    ///
    /// # Errors
    /// It cannot be asked.
    fn find(&self, key: &str) -> Result<Option<Document>, Failure>;

    /// All documents whose keys begin so, in the order of their keys. `prefix` ends with `/`.
    ///
    /// # Errors
    /// It cannot be asked.
    fn find_all(&self, prefix: &str) -> Result<Vec<(String, Document)>, Failure>;

    /// Replaces the document of this revision, 0 for none, or removes it. Returns the revision of the
    /// change; `None` if the latest revision is another one.
    ///
    /// # Errors
    /// It is not known whether it was done.
    fn put(&self, key: &str, before: u64, content: Option<&[u8]>) -> Result<Option<u64>, Failure>;
}

/// Documents, and so a registry of views, in the memory of a process.
#[derive(Debug, Default)]
pub struct MemoryRegistry(Mutex<(u64, BTreeMap<String, Document>)>);

impl Documents for MemoryRegistry {
    fn find(&self, key: &str) -> Result<Option<Document>, Failure> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).1.get(key).cloned())
    }

    fn find_all(&self, prefix: &str) -> Result<Vec<(String, Document)>, Failure> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = all.1.range(prefix.to_owned()..).take_while(|(key, _)| key.starts_with(prefix));
        Ok(found.map(|(key, document)| (key.clone(), document.clone())).collect())
    }

    fn put(&self, key: &str, before: u64, content: Option<&[u8]>) -> Result<Option<u64>, Failure> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (latest, documents) = &mut *all;
        if documents.get(key).map_or(0, |document| document.revision) != before {
            return Ok(None);
        }
        *latest += 1;
        match content {
            Some(content) => {
                let document = Document { content: content.to_vec(), revision: *latest };
                documents.insert(key.to_owned(), document);
            }
            None => drop(documents.remove(key)),
        }
        Ok(Some(*latest))
    }
}

/// How many documents one answer has at most: the cluster has little time for each.
const PAGE: usize = 250;

/// The prefix of the keys, unless the address has another one.
const PREFIX: &str = "armilla-groups";

/// Documents, and so a registry of views, in an etcd cluster: a key for each. A document takes the
/// place of another one in a transaction of the cluster, so that all agree on it.
pub struct EtcdRegistry {
    gateway: Gateway,
    prefix: String,
}

impl std::fmt::Debug for EtcdRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EtcdRegistry").field("cluster", &self.gateway.address()).finish()
    }
}

impl EtcdRegistry {
    /// The documents in the cluster at `etcd://HOST:PORT,…`, below the prefix behind the members, or
    /// below `armilla-groups`.
    ///
    /// # Errors
    /// It is no such address. The cluster is asked later.
    pub fn connect(
        address: &str,
        user: impl Into<Option<ClusterUser>>,
    ) -> Result<Self, armilla_etcd::AddressError> {
        let (members, prefix) = parse_address(address)?;
        let prefix = prefix.unwrap_or(PREFIX).to_owned();
        Ok(Self { gateway: Gateway::new(members, user.into()), prefix })
    }

    fn key(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }

    fn failed(&self, why: &Unanswered) -> Failure {
        Failure(format!("{}: {why}", self.gateway.address()))
    }
}

impl Documents for EtcdRegistry {
    fn find(&self, key: &str) -> Result<Option<Document>, Failure> {
        let question = json!({"key": base64(self.key(key).as_bytes())});
        let found: Range =
            self.gateway.ask("kv/range", &question).map_err(|why| self.failed(&why))?;
        let row = found.kvs.first();
        Ok(row.map(|row| Document { content: row.value(), revision: row.revision() }))
    }

    fn find_all(&self, prefix: &str) -> Result<Vec<(String, Document)>, Failure> {
        // The octet behind `/` ends the range.
        let first = self.key(prefix);
        let end = format!("{}0", first.strip_suffix('/').unwrap_or(&first));
        let (mut from, mut revision, mut rows) = (first.into_bytes(), 0, Vec::new());
        loop {
            let page = self.gateway.range(&from, end.as_bytes(), revision, PAGE);
            let page = page.map_err(|why| self.failed(&why))?;
            // All as they were at the first answer.
            revision = if revision == 0 { page.revision() } else { revision };
            let last = page.kvs.last().filter(|_| page.more).map(armilla_etcd::KeyValue::key);
            rows.extend(page.kvs);
            let Some(last) = last else { break };
            from = last;
            from.push(0);
        }
        let document = |row: &armilla_etcd::KeyValue| {
            let key = String::from_utf8_lossy(&row.key()).into_owned();
            let key = key.strip_prefix(&self.prefix)?.to_owned();
            Some((key, Document { content: row.value(), revision: row.revision() }))
        };
        Ok(rows.iter().filter_map(document).collect())
    }

    fn put(&self, key: &str, before: u64, content: Option<&[u8]>) -> Result<Option<u64>, Failure> {
        let key = base64(self.key(key).as_bytes());
        let change = match content {
            Some(content) => json!({"request_put": {"key": key, "value": base64(content)}}),
            None => json!({"request_delete_range": {"key": key}}),
        };
        let question = json!({
            "compare": [{"target": "MOD", "key": key, "mod_revision": before.to_string()}],
            "success": [change],
        });
        let done: Txn = self.gateway.ask("kv/txn", &question).map_err(|why| self.failed(&why))?;
        Ok(done.succeeded.then(|| done.revision()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde_json::Value;
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::{TcpListener, TcpStream};

    fn text(value: &Value) -> String {
        String::from_utf8(STANDARD.decode(value.as_str().unwrap()).unwrap()).unwrap()
    }

    fn question(stream: &TcpStream) -> Value {
        let mut input = BufReader::new(stream);
        let (mut line, mut length) = (String::new(), 0);
        while input.read_line(&mut line).unwrap() > 2 {
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap();
            }
            line.clear();
        }
        let mut body = vec![0; length];
        input.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// The answer of a cluster with these keys at revision 7, which sees no change of later.
    fn answer(keys: &[String], asked: &Value) -> String {
        let (from, limit) = (text(&asked["key"]), asked["limit"].as_str().unwrap());
        let behind: Vec<_> = keys.iter().filter(|key| **key >= from).collect();
        let limit: usize = limit.parse().unwrap();
        assert!((1..=PAGE).contains(&limit), "{asked}");
        let row = |key: &&String| json!({"key": base64(key.as_bytes()), "mod_revision": "3"});
        let rows: Vec<_> = behind.iter().take(limit).map(row).collect();
        json!({"header": {"revision": "7"}, "kvs": rows, "more": behind.len() > limit}).to_string()
    }

    #[test]
    fn more_documents_than_one_answer_has_are_found_as_they_were_at_one_time() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("etcd://{}", listener.local_addr().unwrap());
        let count = 2 * PAGE + 10;
        let keys: Vec<_> = (0..count).map(|at| format!("armilla-groups/bank/{at:06}")).collect();
        let cluster = std::thread::spawn(move || {
            let mut revisions = Vec::new();
            for _ in 0..3 {
                let (mut stream, _) = listener.accept().unwrap();
                let asked = question(&stream);
                revisions.push(asked["revision"].as_str().unwrap().to_owned());
                let body = answer(&keys, &asked);
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                stream.write_all((head + &body).as_bytes()).unwrap();
            }
            revisions
        });
        let registry = EtcdRegistry::connect(&address, None).unwrap();
        let found = registry.find_all("/bank/").unwrap();
        assert_eq!(found.len(), count);
        assert_eq!(found[count - 1].0, format!("/bank/{:06}", count - 1));
        assert_eq!(cluster.join().unwrap(), ["0", "7", "7"]);
    }
}
