//! ORBs on the loopback interface, with limits that suit a test.

use crate::peer;
use crate::probe::EverythingRef;
use crate::servant::Probe;
use armilla::Version;
use armilla::codegen::Interface;
use armilla::{Concurrency, Object, Orb, OrbBuilder, Ref, Settings};
use armilla_cdr::{ByteOrder, CdrResult, Encoder};
use std::env;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// One of each kind of concurrency that a server can have, with few threads.
pub const CONCURRENCIES: [Concurrency; 3] = [
    Concurrency::ThreadPerConnection,
    Concurrency::LeaderFollowers { min_threads: 2, max_threads: 64 },
    Concurrency::Hybrid { dedicated_threads: 1, min_threads: 2, max_threads: 64 },
];

/// The variable in the environment of a process whose servers have a thread for each connection.
pub const THREAD_PER_CONNECTION: &str = "ARMILLA_TEST_THREAD_PER_CONNECTION";

/// The variable in the environment that says what carries calls between ORBs of tests, as
/// `-ORBSameHost` does, so that whole chapters can run over either. Without it: shared memory.
pub const SAME_HOST: &str = "ARMILLA_TEST_SAME_HOST";

/// The concurrency of servers in this process. The tests of some chapters run again in the chapter
/// `threads`, with concurrencies that are not the default.
fn concurrency() -> Concurrency {
    if env::var_os(THREAD_PER_CONNECTION).is_some() {
        return CONCURRENCIES[0];
    }
    let program = env::current_exe().unwrap_or_default();
    let name = program.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    match name.rsplit_once('-').map_or(&*name, |(name, _)| name) {
        "threads" => CONCURRENCIES[1],
        _ => Concurrency::default(),
    }
}

/// An ORB with limits that no test reaches unless something hangs; the test may change them.
pub fn builder() -> OrbBuilder {
    Orb::builder().settings(|settings| {
        settings.concurrency = concurrency();
        settings.call_timeout = Some(crate::gate::PATIENCE);
        settings.connect_timeout = Duration::from_secs(5);
        settings.drain_timeout = Duration::from_secs(5);
        let way = env::var(SAME_HOST).unwrap_or_else(|_| "shm".to_owned());
        let option = Settings::option("-ORBSameHost").expect("an option of every ORB");
        option.set(settings, &way).expect("a way between processes of a host");
    })
}

/// A name that nothing else in this process has: ids of ORBs belong to one at a time.
pub fn unique(name: &str) -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    format!("{name}{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

/// An ORB that is only a client, as another process would have it.
///
/// # Panics
/// When it cannot be made.
pub fn client() -> Orb {
    builder().build().unwrap()
}

/// An ORB that listens on a free port.
///
/// # Panics
/// When it cannot listen.
pub fn listening() -> Orb {
    builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap()
}

/// An ORB that listens on a free port, with other settings.
///
/// # Panics
/// When it cannot listen.
pub fn listening_with(change: impl FnOnce(&mut Settings)) -> Orb {
    builder().settings(change).listen("iiop://127.0.0.1:0").unwrap().build().unwrap()
}

/// A server with one `Probe`, which has started; it shuts down when it is dropped.
#[derive(Debug)]
pub struct Server {
    /// The ORB.
    pub orb: Orb,
    /// The servant.
    pub probe: Arc<Probe>,
    /// The reference to it within this process: calls are collocated.
    pub local: EverythingRef,
}

impl Server {
    /// A server on a free port.
    pub fn start() -> Self {
        Self::of(listening())
    }

    /// A server in `orb`.
    ///
    /// # Panics
    /// When the servant cannot be activated.
    pub fn of(orb: Orb) -> Self {
        let (probe, local) = activate(&orb);
        // What is missing from now on does not exist.
        orb.perform_work().unwrap();
        Self { orb, probe, local }
    }

    /// The reference as a client in another process has it, so that calls travel: `client` is
    /// another ORB, which does not know that the object is near.
    ///
    /// # Panics
    /// When the reference does not survive being written and read.
    pub fn remote(&self, client: &Orb) -> EverythingRef {
        travel(&self.local, client)
    }

    /// A whole request of GIOP 1.2 in our byte order, for an operation without parameters.
    ///
    /// # Panics
    /// When the reference has no key.
    pub fn request(&self, id: u32, operation: &str) -> Vec<u8> {
        self.request_with(id, operation, |_| Ok(()))
    }

    /// A whole request of GIOP 1.2 in our byte order.
    ///
    /// # Panics
    /// When the reference has no key.
    pub fn request_with(
        &self,
        id: u32,
        operation: &str,
        body: impl for<'p> FnOnce(&mut Encoder<'p>) -> CdrResult,
    ) -> Vec<u8> {
        let profile = self.local.object().ior().iiop_profiles().next().unwrap().unwrap();
        let order = ByteOrder::NATIVE;
        let request = peer::request(Version::V1_2, order, &profile.object_key, operation, body);
        peer::numbered(id, &request)
    }

    /// Host and port.
    ///
    /// # Panics
    /// When the ORB does not listen.
    pub fn address(&self) -> (&str, u16) {
        let (host, port) = &self.orb.published_addresses().unwrap()[0];
        (host, *port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.orb.shutdown();
    }
}

impl Deref for Server {
    type Target = Orb;

    fn deref(&self) -> &Orb {
        &self.orb
    }
}

/// Activates a new `Probe` in the root POA of `orb`.
///
/// # Panics
/// When that fails.
pub fn activate(orb: &Orb) -> (Arc<Probe>, EverythingRef) {
    let probe = Arc::new(Probe::default());
    let servant: Arc<dyn crate::probe::Everything> = probe.clone();
    let reference = orb.root_poa().activate(servant).unwrap();
    probe.myself.set(reference.clone()).unwrap();
    (probe, reference)
}

/// The same reference, as it arrives in `client`.
///
/// # Panics
/// When it does not survive being written and read.
pub fn travel<I: Interface + ?Sized>(reference: &Ref<I>, client: &Orb) -> Ref<I> {
    travel_object(reference.object(), client).assume()
}

/// The same reference, as it arrives in `client`.
///
/// # Panics
/// When it does not survive being written and read.
pub fn travel_object(object: &Object, client: &Orb) -> Object {
    let text = client.object_to_string(object).unwrap();
    client.string_to_object(&text).unwrap()
}
