//! What one user may take of a server, and what is left for the others.

use crate::plant::{COUNTED, COUNTED_CLASS, Chain, LONG, Plant, client, plant_with};
use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::client::{Client, ClientOptions, Proxy};
use armilla_dcom::server::{Caller, Object, ObjectCall, ServerOptions};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

fn crowded(change: impl FnOnce(&mut ServerOptions)) -> Plant {
    plant_with(change, |builder| builder.account("guest", "secret"))
}

fn client_of(domain: &str, user: &str) -> Client {
    let credentials = Credentials::new(domain, user, "secret");
    Client::new(ClientOptions { timeout: LONG, ..ClientOptions::new(credentials) }).unwrap()
}

fn activated(plant: &Plant, client: &Client) -> Result<Proxy, Option<Status>> {
    let made = client.activate(&plant.host(), COUNTED_CLASS, COUNTED.uuid);
    made.map_err(|error| error.status())
}

#[test]
fn a_user_holds_so_many_objects_whatever_the_domain_is() {
    let plant = crowded(|options| options.limits.max_objects_of_user = 2);
    let (own, guest) = (client(), client_of("", "guest"));
    let held = activated(&plant, &own).unwrap();
    let disguised = client_of("ELSEWHERE", "Operator");
    let other = activated(&plant, &disguised).unwrap();
    // The domain may be a part of the name, too.
    let principal = client_of("", "Operator@plant.example");
    // The object is there, and none of its interfaces: it is dropped.
    for client in [&own, &disguised, &principal] {
        assert_eq!(activated(&plant, client).unwrap_err(), Some(Status::OUT_OF_MEMORY));
    }
    let guests = activated(&plant, &guest).unwrap();
    let users = plant.server.usage().users();
    let objects: Vec<_> = users.iter().map(|it| (&*it.user, it.objects)).collect();
    assert_eq!(objects, [("guest", 1), ("operator", 2)]);
    assert_eq!((plant.server.usage().refused(), plant.alive()), (3, 3));
    drop(held);
    assert!(own.flush(LONG));
    activated(&plant, &own).unwrap();
    drop((other, guests));
    // Nobody has an empty name, nor one in two domains.
    for (domain, user) in [("", "@plant.example"), ("PLANT", "operator@plant.example")] {
        activated(&plant, &client_of(domain, user)).unwrap_err();
    }
}

#[test]
fn a_user_activates_so_many_in_a_minute() {
    let plant = crowded(|options| options.quotas.activations = 2);
    let (own, guest) = (client(), client_of("", "guest"));
    let both = [activated(&plant, &own).unwrap(), activated(&plant, &own).unwrap()];
    assert_eq!(activated(&plant, &own).unwrap_err(), Some(Status::SERVER_TOO_BUSY));
    activated(&plant, &guest).unwrap();
    // Calls are not activations.
    both[0].call::<Chain>(&()).unwrap();
    plant.hand.advance(Duration::from_secs(61));
    activated(&plant, &own).unwrap();
    assert_eq!(plant.server.usage().refused(), 1);
}

#[test]
fn a_user_has_so_many_ping_sets_and_members() {
    let plant = crowded(|options| {
        (options.limits.max_sets_of_user, options.limits.max_memberships_of_user) = (1, 2);
    });
    let [first, second, guest] = [client(), client(), client_of("", "guest")];
    let held = [&first, &second, &guest].map(|client| activated(&plant, client).unwrap());
    first.ping().unwrap();
    assert_eq!(second.ping().unwrap_err().status(), Some(Status::OUT_OF_MEMORY));
    guest.ping().unwrap();
    // Two members are there, and no third one; those that are known may be named again.
    let second = activated(&plant, &first).unwrap();
    first.ping().unwrap();
    let third = activated(&plant, &first).unwrap();
    assert_eq!(first.ping().unwrap_err().status(), Some(Status::OUT_OF_MEMORY));
    drop((held, second, third));
}

/// Waits within each call until it may go on.
struct Slow(SyncSender<()>, Arc<Mutex<Receiver<()>>>);

impl Object for Slow {
    fn supports(&self, iid: Uuid) -> bool {
        iid == COUNTED.uuid
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        self.0.send(()).unwrap();
        let _ = self.1.lock().unwrap().recv();
        call.answer(&crate::plant::ChainOut { causality: call.causality })
    }
}

const SLOW_CLASS: Uuid = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d14");

#[test]
fn a_user_has_so_many_calls_at_once() {
    let (entered, entering) = sync_channel(8);
    let (leave, leaving) = sync_channel::<()>(8);
    let leaving = Arc::new(Mutex::new(leaving));
    let made = move |_: &Caller<'_>| {
        Ok(Arc::new(Slow(entered.clone(), leaving.clone())) as Arc<dyn Object>)
    };
    let change = |options: &mut ServerOptions| options.quotas.calls = 1;
    let plant =
        plant_with(change, |builder| builder.account("guest", "secret").class(SLOW_CLASS, made));
    let (own, guest) = (client(), client_of("", "guest"));
    let slow = own.activate(&plant.host(), SLOW_CLASS, COUNTED.uuid).unwrap();
    let quick = activated(&plant, &own).unwrap();
    let guests = activated(&plant, &guest).unwrap();
    thread::scope(|scope| {
        let running = scope.spawn(|| slow.call::<Chain>(&()).map(drop));
        entering.recv().unwrap();
        let refused = quick.call::<Chain>(&()).unwrap_err();
        assert_eq!(refused.status(), Some(Status::SERVER_TOO_BUSY), "{refused}");
        guests.call::<Chain>(&()).unwrap();
        leave.send(()).unwrap();
        running.join().unwrap().unwrap();
    });
    quick.call::<Chain>(&()).unwrap();
    drop(leave);
}
