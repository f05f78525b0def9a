//! The service by feature: a server and a client ORB on the loopback interface.

mod answers;
mod elements;
mod observers;

use armilla::Orb;
use std::sync::Arc;
use std::time::Duration;
use telecom::service::Service;
use telecom::telecom::{AlarmObserver, AlarmObserverRef, Manager, ManagerRef, alarm_observer};

/// Longer than anything here takes, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

struct Setup {
    server: Orb,
    client: Orb,
    service: Arc<Service>,
    manager: ManagerRef,
}

impl Setup {
    fn new(elements: usize) -> Self {
        let server = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let client = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let (service, near) = Service::start(&server, elements, 4_000).unwrap();
        let manager = client.resolve(&server.object_to_string(&near).unwrap()).unwrap();
        Self { server, client, service, manager }
    }

    fn watch(&self, observer: impl AlarmObserver) -> (u64, AlarmObserverRef) {
        let servant = alarm_observer::tie(observer);
        let observer = self.client.root_poa().activate(servant).unwrap();
        (self.manager.watch(&observer).unwrap(), observer)
    }
}

impl Drop for Setup {
    fn drop(&mut self) {
        self.service.observers.clear();
        self.client.shutdown();
        self.server.shutdown();
    }
}
