//! The address of the caller, for servants and servant managers.

use armilla::{
    Any, AnyServant, Caller, Collocation, Cookie, ExceptionKind, ObjectId, Orb, Poa, PoaError,
    SameHost, ServantActivator, ServantLocator, ServantManager, ServantManagerError,
    SystemException, Threading,
};
use armilla_ipc::Credentials;
use armilla_tests::orbs::{self, travel};
use armilla_tests::probe::*;
use std::sync::{Arc, Mutex};
use std::thread;

/// Where the calls came from, as a servant heard it, or a servant manager before it.
#[derive(Clone)]
struct Heard {
    orb: Orb,
    from: Arc<Mutex<Vec<Option<String>>>>,
}

impl Heard {
    fn by(orb: &Orb) -> Self {
        Self { orb: orb.clone(), from: Arc::default() }
    }

    fn note(&self) -> Result<(), SystemException> {
        let caller = self.orb.caller()?;
        let current = Caller::current().ok_or(PoaError::NoContext)?;
        assert_eq!((&current.address, current.credentials), (&caller, None));
        self.from.lock().unwrap().push(caller.map(|address| address.to_string()));
        Ok(())
    }

    fn take(&self) -> Vec<Option<String>> {
        std::mem::take(&mut *self.from.lock().unwrap())
    }
}

impl Listener for Heard {
    fn hear(&self, _text: &str) -> Result<(), SystemException> {
        self.note()
    }

    /// Is called as the partner wants it, and calls others in between.
    fn descend(&self, _partner: &EverythingRef, depth: i32) -> Result<i32, SystemException> {
        self.note()?;
        if depth > 0 {
            let current = self.orb.poa_current().map_err(SystemException::from)?;
            let myself: ListenerRef = current.reference().map_err(SystemException::from)?.assume();
            myself.descend(&EverythingRef::nil(), depth - 1)?;
            self.note()?;
        }
        Ok(depth)
    }
}

impl ServantActivator for Heard {
    fn incarnate(&self, _id: &ObjectId, _adapter: &Poa) -> Result<AnyServant, ServantManagerError> {
        self.note()?;
        Ok((Arc::new(self.clone()) as Arc<dyn Listener>).into())
    }
}

impl ServantLocator for Heard {
    fn preinvoke(
        &self,
        _id: &ObjectId,
        _adapter: &Poa,
        _operation: &str,
    ) -> Result<(AnyServant, Cookie), ServantManagerError> {
        self.note()?;
        Ok(((Arc::new(self.clone()) as Arc<dyn Listener>).into(), Cookie::new(())))
    }

    fn postinvoke(
        &self,
        _id: &ObjectId,
        _adapter: &Poa,
        _operation: &str,
        _cookie: Cookie,
        _servant: AnyServant,
    ) -> Result<(), SystemException> {
        self.note()
    }
}

/// A server that all clients call over TCP.
fn over_tcp() -> Orb {
    orbs::listening_with(|settings| settings.same_host = SameHost::Off)
}

fn is_loopback(caller: &Option<String>) -> bool {
    caller.as_ref().is_some_and(|address| address.starts_with("tcp://127.0.0.1:"))
}

#[test]
fn a_servant_gets_the_address_of_its_caller_or_none_within_the_process() {
    for collocation in [Collocation::Direct, Collocation::ThroughPoa] {
        let orb = orbs::listening_with(|settings| {
            settings.collocation = collocation;
            settings.same_host = SameHost::Off;
        });
        let heard = Heard::by(&orb);
        let servant: Arc<dyn Listener> = Arc::new(heard.clone());
        let near = orb.root_poa().activate(servant).unwrap();
        let far = travel(&near, &orbs::client());
        let again = travel(&near, &orbs::client());
        for reference in [&far, &again, &far] {
            reference.hear("").unwrap();
        }
        let callers = heard.take();
        assert!(callers.iter().all(is_loopback), "{callers:?}");
        assert!(callers[0] == callers[2] && callers[0] != callers[1], "{callers:?}");
        near.hear("").unwrap();
        let mut later = near.object().request("hear");
        later.add_in("text", Any::new(&String::new()).unwrap());
        later.send_deferred().wait().unwrap();
        assert_eq!(heard.take(), [None, None]);
        // What a servant calls within the process is not called by its own caller.
        far.descend(&EverythingRef::nil(), 2).unwrap();
        let callers = heard.take();
        assert!(is_loopback(&callers[0]) && callers[0] == callers[4], "{callers:?}");
        assert_eq!(callers[1..4], [None, None, None]);
        assert_eq!(orb.caller(), Err(PoaError::NoContext));
        assert_eq!(Caller::current(), None);
        orb.shutdown();
    }
}

#[test]
fn the_caller_is_reported_for_every_kind_of_servant() {
    let orb = over_tcp();
    let heard = Heard::by(&orb);
    let servant = || Arc::new(heard.clone()) as Arc<dyn Listener>;
    let make = |name: &str| orb.root_poa().create_poa(name).user_ids();
    let running = {
        let orb = orb.clone();
        thread::spawn(move || orb.run())
    };
    let poas = [
        (make("single").single_thread().default_servant(servant()), 1),
        (make("main").policy(Threading::MainThread).default_servant(servant()), 1),
        (make("made").servant_manager(ServantManager::activator(heard.clone())), 2),
        (make("lent").servant_manager(ServantManager::locator(heard.clone())), 3),
    ];
    for (poa, times) in poas {
        let poa = poa.build().unwrap();
        let near: ListenerRef = poa.create_reference_with_id("a").unwrap();
        travel(&near, &orbs::client()).hear("").unwrap();
        let callers = heard.take();
        assert_eq!(callers.len(), times, "{}", poa.name());
        assert!(callers.iter().all(is_loopback), "{}: {callers:?}", poa.name());
        let near: ListenerRef = poa.create_reference_with_id("b").unwrap();
        near.hear("").unwrap();
        assert_eq!(heard.take(), vec![None; times], "{}", poa.name());
    }
    orb.shutdown();
    running.join().unwrap().unwrap();
}

#[test]
fn it_is_a_matter_of_the_orb_that_serves() {
    let [first, second] = [orbs::listening(), orbs::listening()];
    let heard = Heard::by(&second);
    let servant: Arc<dyn Listener> = Arc::new(Heard { orb: first.clone(), ..heard.clone() });
    let wrong = second.root_poa().activate(servant).unwrap();
    let error = travel(&wrong, &orbs::client()).hear("").unwrap_err();
    assert!(heard.take().is_empty(), "{error}");
    first.shutdown();
    second.shutdown();
}

#[test]
fn clients_come_by_ports_that_a_firewall_lets_pass() {
    let orb = over_tcp();
    let heard = Heard::by(&orb);
    let near: ListenerRef =
        orb.root_poa().activate(Arc::new(heard.clone()) as Arc<dyn Listener>).unwrap();
    let client = || orbs::builder().settings(|s| s.client_ports = Some(20_000..=29_999));
    let clients = [(); 3].map(|()| client().build().unwrap());
    for client in &clients {
        travel(&near, client).hear("").unwrap();
    }
    let mut callers = heard.take();
    assert!(callers.iter().all(|caller| caller.as_ref().unwrap().starts_with("tcp://127.0.0.1:2")));
    callers.dedup();
    assert_eq!(callers.len(), 3, "each has a port of its own");
    // A port with a listener cannot be the port of a client.
    let taken = orb.published_addresses().unwrap()[0].1;
    let barred = orbs::builder().settings(|s| s.client_ports = Some(taken..=taken));
    let error = travel(&near, &barred.build().unwrap()).hear("").unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::Transient);
    assert!(error.to_string().contains("are taken"), "{error}");
    orb.shutdown();
}

/// A servant that notes who has called it.
struct Audit(Mutex<Vec<Caller>>);

impl Listener for Audit {
    fn hear(&self, _text: &str) -> Result<(), SystemException> {
        self.0.lock().unwrap().push(Caller::current().ok_or(PoaError::NoContext)?);
        Ok(())
    }

    fn descend(&self, _partner: &EverythingRef, depth: i32) -> Result<i32, SystemException> {
        Ok(depth)
    }
}

#[test]
fn the_system_vouches_for_the_process_and_the_user_of_a_client_on_the_same_host() {
    use std::os::unix::fs::MetadataExt;
    let own = std::fs::metadata("/proc/self").unwrap();
    let (process, user, group) = (std::process::id(), own.uid(), own.gid());
    for same_host in [SameHost::Unix, SameHost::Shm] {
        let orb = orbs::listening_with(|settings| settings.same_host = same_host);
        let audit = Arc::new(Audit(Mutex::default()));
        let near: ListenerRef =
            orb.root_poa().activate(audit.clone() as Arc<dyn Listener>).unwrap();
        travel(&near, &orbs::client()).hear("").unwrap();
        let heard = std::mem::take(&mut *audit.0.lock().unwrap());
        let credentials = Some(Credentials { process, user, group });
        assert_eq!(heard[0].credentials, credentials, "{same_host:?}");
        assert!(heard[0].address.is_some() && heard[0].is_on_this_host(), "{heard:?}");
        orb.shutdown();
    }
}
