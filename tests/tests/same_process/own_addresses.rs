//! References whose address belongs to the reading process, in any spelling: calls stay in the
//! process, and the calling thread executes the servant.

use armilla::{IdAssignment, Lifespan, Orb, Ref, SystemException};
use armilla_tests::orbs;
use armilla_tests::peer::dead_port;
use armilla_tests::probe::*;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

/// Remembers which thread called it last.
#[derive(Default)]
struct Called(Mutex<Option<ThreadId>>);

impl Common for Called {
    fn ping(&self) -> Result<(), SystemException> {
        *self.0.lock().unwrap() = Some(thread::current().id());
        Ok(())
    }
}

/// A server with one object that outlives it, which is published as well.
struct Server {
    orb: Orb,
    servant: Arc<Called>,
    object: Ref<dyn Common>,
    port: u16,
}

impl Server {
    fn at(endpoint: &str) -> Self {
        let orb = orbs::builder().listen(endpoint).unwrap().build().unwrap();
        let poa = orb.root_poa().create_poa("lasting").policy(Lifespan::Persistent);
        let poa = poa.policy(IdAssignment::User).build().unwrap();
        let servant = Arc::new(Called::default());
        let object = poa.activate_with_id("one", servant.clone() as Arc<dyn Common>).unwrap();
        orb.publish("one", object.object()).unwrap();
        let port = orb.published_addresses().unwrap()[0].1;
        Self { orb, servant, object, port }
    }

    /// Whether calls of the object at this host are made by the thread that calls.
    fn is_near(&self, host: &str) -> bool {
        let key = self.object.object().ior().iiop_profiles().next().unwrap().unwrap().object_key;
        let key: String = key.iter().map(|octet| format!("%{octet:02x}")).collect();
        let [by_key, by_name] = [key.as_str(), "one"].map(|key| {
            let url = format!("corbaloc:iiop:1.2@{host}:{}/{key}", self.port);
            let object: Ref<dyn Common> = self.orb.string_to_object(&url).unwrap().assume();
            object.ping().unwrap();
            *self.servant.0.lock().unwrap() == Some(thread::current().id())
        });
        assert_eq!(by_key, by_name, "{host}");
        by_key
    }
}

#[test]
fn an_object_of_this_process_is_called_here_by_any_address_that_leads_here() {
    for endpoint in ["iiop://127.0.0.1:0", "iiop://localhost:0", "iiop://:0", "iiop://0.0.0.0:0"] {
        let server = Server::at(endpoint);
        for host in ["127.0.0.1", "localhost", "LOCALHOST", "[::ffff:127.0.0.1]"] {
            assert!(server.is_near(host), "{host} at {endpoint}");
        }
        server.orb.shutdown();
    }
    let server = Server::at("iiop://:0");
    assert!(server.is_near("127.0.0.2"));
    if std::net::TcpListener::bind("[::1]:0").is_ok() {
        assert!(server.is_near("[::1]"));
    }
    server.orb.shutdown();
}

#[test]
fn an_address_without_a_local_listener_is_remote() {
    let server = Server::at("iiop://127.0.0.1:0");
    let near = |host: &str, port: u16| {
        let ior = format!("corbaloc:iiop:1.2@{host}:{port}/one");
        let object = server.orb.string_to_object(&ior).unwrap();
        object.with_timeout(std::time::Duration::from_millis(500)).non_existent().is_ok()
    };
    assert!(near("127.0.0.1", server.port));
    // Another process of this host may listen there.
    assert!(!near("127.0.0.2", server.port) && !near("[::1]", server.port));
    assert!(!near("127.0.0.1", dead_port()));
    server.orb.shutdown();
}
