//! The gateway: clients of CORBA at an OPC server.

use crate::bench::{LONG, client, credentials, sinks};
use armilla::{Any, Error, Orb, SystemException};
use armilla_opc::gateway::Gateway;
use armilla_opc::idl::opc::server::{ReadRaises, WriteRaises};
use armilla_opc::idl::opc::{self, Observer, ObserverRef, Reading, Server, ServerRef};
use armilla_opc::server::{PROG_ID, PlantOptions, PlantServer};
use armilla_opc::status;
use std::sync::mpsc::{Receiver, Sender, channel};

/// A plant behind a gateway, and a client of it.
struct Gate {
    plant: Option<PlantServer>,
    servers: Orb,
    clients: Orb,
    server: ServerRef,
}

fn gate() -> Gate {
    let plant = PlantServer::listen(PlantOptions::new(credentials()), "127.0.0.1:0").unwrap();
    let target = format!("opcda://{}/{PROG_ID}", plant.address()).parse().unwrap();
    let gateway = Gateway::new(client(), target, Some(sinks()));
    let orb = || Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let (servers, clients) = (orb(), orb());
    let near: ServerRef = servers.root_poa().activate(opc::server::tie(gateway)).unwrap();
    let server = clients.resolve(&servers.object_to_string(&near).unwrap()).unwrap();
    Gate { plant: Some(plant), servers, clients, server }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.clients.shutdown();
        self.servers.shutdown();
    }
}

struct Listening(Sender<Result<Vec<Reading>, String>>);

impl Observer for Listening {
    fn changed(&self, what: &[Reading]) -> Result<(), SystemException> {
        self.0.send(Ok(what.to_vec())).ok();
        Ok(())
    }

    fn lost(&self, reason: &str) -> Result<(), SystemException> {
        self.0.send(Err(reason.to_string())).ok();
        Ok(())
    }
}

fn ids<const N: usize>(ids: [&str; N]) -> Vec<String> {
    ids.map(String::from).to_vec()
}

fn label(gate: &Gate) -> String {
    let read = gate.server.read(&ids(["Tank1.Label"])).unwrap();
    read[0].value.get::<String>().unwrap().unwrap()
}

#[test]
fn a_client_of_corba_browses_reads_and_writes() {
    let gate = gate();
    let pump = gate.server.browse(&ids(["Tank1", "Pump"])).unwrap();
    assert_eq!(pump, ["Tank1.Pump.Hours", "Tank1.Pump.Running", "Tank1.Pump.Speed"]);
    gate.server.write("Tank1.Label", &Any::new("Boiler").unwrap()).unwrap();
    assert_eq!(label(&gate), "Boiler");
    // A number for a text becomes one.
    gate.server.write("Tank1.Label", &Any::new(&7i32).unwrap()).unwrap();
    assert_eq!(label(&gate), "7");
    let read = gate.server.read(&ids(["Tank9.Level", "Tank1.Level"])).unwrap();
    assert_eq!(read[0].status, status::UNKNOWN_ITEM.0);
    assert_eq!((read[1].status, read[1].quality), (0, 0xc0));
    assert!((0.0..=100.0).contains(&read[1].value.get::<f64>().unwrap().unwrap()));
    let refused = gate.server.write("Tank1.Level", &Any::new(&1.0).unwrap()).unwrap_err();
    let Error::User(WriteRaises::Refused(refused)) = refused else { panic!("{refused:?}") };
    assert_eq!((&*refused.item, refused.status), ("Tank1.Level", status::BAD_RIGHTS.0));
}

fn await_value(told: &Receiver<Result<Vec<Reading>, String>>) -> Reading {
    loop {
        if let Ok(readings) = told.recv_timeout(LONG).unwrap() {
            return readings[0].clone();
        }
    }
}

#[test]
fn an_observer_is_told_of_changes_and_of_the_loss_of_the_server() {
    let mut gate = gate();
    let (sender, told) = channel();
    let observer: ObserverRef =
        gate.clients.root_poa().activate(opc::observer::tie(Listening(sender))).unwrap();
    let number = gate.server.watch(&ids(["Counters.C000"]), 50, &observer).unwrap();
    let first = await_value(&told).value.get::<i32>().unwrap().unwrap();
    let second = await_value(&told).value.get::<i32>().unwrap().unwrap();
    assert_eq!(second, first + 1);
    let plant = gate.plant.take().unwrap();
    plant.announce_end("the test ends it");
    drop(plant);
    let reason = loop {
        if let Err(reason) = told.recv_timeout(LONG).unwrap() {
            break reason;
        }
    };
    assert_eq!(reason, "the server ends: the test ends it");
    gate.server.unwatch(number).unwrap();
}

#[test]
fn a_server_that_cannot_be_reached_is_unavailable_and_says_why() {
    let target = format!("opcda://127.0.0.1:1/{PROG_ID}").parse().unwrap();
    let gateway = Gateway::new(client(), target, None);
    let error = gateway.read(&ids(["Tank1.Label"])).unwrap_err();
    let Error::User(ReadRaises::Unavailable(unavailable)) = error else { panic!("{error:?}") };
    assert!(unavailable.reason.contains("no address can be reached"), "{}", unavailable.reason);
}
