//! References that are found again by name when their server is lost.

use crate::served;
use armilla::{Completion, Error, ExceptionKind, Minor, Object, Orb, SystemException};
use armilla_cos_naming::{
    Binding, BindingIterator, BindingIteratorRef, NamingContext, binding_iterator,
};
use served::{Served, name, object};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An object that counts its calls, and refuses them if it is told to.
struct Counter {
    calls: Arc<AtomicUsize>,
    refuses: bool,
}

impl BindingIterator for Counter {
    fn next_one(&self) -> Result<(bool, Binding), SystemException> {
        Ok(Default::default())
    }

    fn next_n(&self, _: u32) -> Result<(bool, Vec<Binding>), SystemException> {
        Ok(Default::default())
    }

    fn destroy(&self) -> Result<(), SystemException> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let refusal =
            || SystemException::new(ExceptionKind::Transient, Minor::default(), Completion::Maybe);
        if self.refuses { Err(refusal()) } else { Ok(()) }
    }
}

/// A server of one such object.
struct Server {
    orb: Orb,
    calls: Arc<AtomicUsize>,
    object: Object,
}

impl Server {
    fn new(refuses: bool) -> Self {
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let calls = Arc::new(AtomicUsize::new(0));
        let servant = binding_iterator::tie(Counter { calls: calls.clone(), refuses });
        let counter: BindingIteratorRef = orb.root_poa().activate(servant).unwrap();
        Self { object: counter.object().clone(), orb, calls }
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.orb.shutdown();
    }
}

/// The URL of a name in a service.
fn corbaname(served: &Served, text: &str) -> String {
    format!("corbaname{}#{text}", served.service.url().strip_prefix("corbaloc").unwrap())
}

#[test]
fn a_call_goes_to_what_the_name_denotes_when_the_server_is_lost() {
    let names = Served::new();
    let (first, second) = (Server::new(false), Server::new(false));
    names.root.bind(&name("counter"), &first.object).unwrap();
    let found = names.client.resolve_rebinding([corbaname(&names, "counter")]).unwrap();
    assert_eq!(found, first.object);
    let counter: BindingIteratorRef = found.narrow().unwrap();
    counter.destroy().unwrap();
    names.root.rebind(&name("counter"), &second.object).unwrap();
    counter.destroy().unwrap();
    assert_eq!((first.calls(), second.calls()), (2, 0), "a server that answers stays");
    first.orb.shutdown();
    counter.destroy().unwrap();
    counter.clone().destroy().unwrap();
    assert_eq!((first.calls(), second.calls()), (2, 2));
}

#[test]
fn threads_that_fail_together_all_go_on() {
    let names = Served::new();
    let (first, second) = (Server::new(false), Server::new(false));
    names.root.bind(&name("counter"), &first.object).unwrap();
    let found = names.client.resolve_rebinding([corbaname(&names, "counter")]).unwrap();
    let counter: BindingIteratorRef = found.assume();
    names.root.rebind(&name("counter"), &second.object).unwrap();
    first.orb.shutdown();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..10).for_each(|_| counter.destroy().unwrap()));
        }
    });
    assert_eq!(second.calls(), 80);
}

/// Begins an asynchronous call.
fn begin(object: &Object) -> impl FnOnce() -> Result<(), SystemException> {
    let reply = object.request("destroy").send_deferred();
    || match reply.wait() {
        Ok(_) => Ok(()),
        Err(Error::System(exception)) => Err(exception),
        Err(Error::User(other)) => panic!("{other}"),
    }
}

#[test]
fn asynchronous_calls_go_where_the_name_leads_when_the_server_is_lost() {
    let names = Served::new();
    let (first, second) = (Server::new(false), Server::new(false));
    names.root.bind(&name("counter"), &first.object).unwrap();
    let found = names.client.resolve_rebinding([corbaname(&names, "counter")]).unwrap();
    begin(&found)().unwrap();
    names.root.rebind(&name("counter"), &second.object).unwrap();
    begin(&found)().unwrap();
    assert_eq!((first.calls(), second.calls()), (2, 0), "a server that answers stays");
    first.orb.shutdown();
    let calls: Vec<_> = (0..50).map(|_| begin(&found)).collect();
    calls.into_iter().for_each(|wait| wait().unwrap());
    assert_eq!((first.calls(), second.calls()), (2, 50));
    // A program that does not wait is called back.
    let (told, answer) = std::sync::mpsc::channel();
    found
        .request("destroy")
        .send_deferred()
        .on_reply(move |reply| told.send(reply.is_ok()).unwrap());
    assert!(answer.recv().unwrap());
    // What is lost for good fails as other calls do, all at once.
    second.orb.shutdown();
    let calls: Vec<_> = (0..50).map(|_| begin(&found)).collect();
    for wait in calls {
        assert_eq!(wait().unwrap_err().completed(), Completion::No);
    }
}

#[test]
fn asynchronous_calls_that_may_have_been_executed_are_not_repeated() {
    let names = Served::new();
    let (first, second) = (Server::new(true), Server::new(false));
    names.root.bind(&name("counter"), &first.object).unwrap();
    let found = names.client.resolve_rebinding([corbaname(&names, "counter")]).unwrap();
    names.root.rebind(&name("counter"), &second.object).unwrap();
    assert_eq!(begin(&found)().unwrap_err().kind(), ExceptionKind::Transient);
    assert_eq!((first.calls(), second.calls()), (1, 0));
}

#[test]
fn a_call_that_may_have_been_executed_is_not_repeated() {
    let names = Served::new();
    let (first, second) = (Server::new(true), Server::new(false));
    names.root.bind(&name("counter"), &first.object).unwrap();
    let found = names.client.resolve_rebinding([corbaname(&names, "counter")]).unwrap();
    names.root.rebind(&name("counter"), &second.object).unwrap();
    let failed = found.assume::<dyn BindingIterator>().destroy().unwrap_err();
    assert_eq!(failed.kind(), ExceptionKind::Transient);
    assert_eq!((first.calls(), second.calls()), (1, 0));
}

#[test]
fn a_name_that_leads_to_the_same_object_changes_nothing() {
    let names = Served::new();
    let first = Server::new(false);
    names.root.bind(&name("counter"), &first.object).unwrap();
    let found = names.client.resolve_rebinding([corbaname(&names, "counter")]).unwrap();
    first.orb.shutdown();
    let failed = found.assume::<dyn BindingIterator>().destroy().unwrap_err();
    assert_eq!(failed.completed(), Completion::No);
}

#[test]
fn the_next_name_is_a_fallback() {
    let (lost, names) = (Served::new(), Served::new());
    let (first, second) = (Server::new(false), Server::new(false));
    lost.root.bind(&name("counter"), &first.object).unwrap();
    names.root.bind(&name("another"), &second.object).unwrap();
    let urls = [corbaname(&lost, "counter"), corbaname(&names, "another")];
    let client = Orb::new().unwrap();
    let found = client.resolve_rebinding(urls.clone()).unwrap();
    assert_eq!(found, first.object);
    first.orb.shutdown();
    drop(lost);
    found.assume::<dyn BindingIterator>().destroy().unwrap();
    assert_eq!((first.calls(), second.calls()), (0, 1));
    assert_eq!(client.resolve_rebinding(urls).unwrap(), second.object);
    // A reference that never had a name stays as it is.
    assert!(object(&client, "vega").non_existent().is_err());
    assert!(client.resolve_rebinding(Vec::<String>::new()).is_err());
}
