//! Interfaces of COM: what the compiler makes of them calls and is called over DCOM.

use crate::constructs::compiled::com::plant::{
    IBoiler, ILargeBoiler, ILargeBoilerProxy, i_boiler, i_large_boiler,
};
use crate::constructs::compiled::com::{ITestServer, ITestServerProxy, i_test_server};
use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::InterfacePointer;
use armilla_dcom::automation::{Bstr, Date, SafeArray, Variant};
use armilla_dcom::client::{Client, ClientOptions, Proxy};
use armilla_dcom::server::{Object, Server};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the study's server does.
struct Strings;

impl ITestServer for Strings {
    fn get_single_string(&self, index: i32) -> Result<Bstr, Status> {
        match index {
            0..1_000 => Ok(Bstr::from(&*format!("{index:-<80}"))),
            _ => Err(Status::INVALID_ARGUMENT),
        }
    }

    fn get_multiple_string(&self, index: i32, count: i32) -> Result<(i32, Vec<Bstr>), Status> {
        let all: Result<Vec<_>, _> =
            (index..index + count).map(|index| self.get_single_string(index)).collect();
        all.map(|all| (count, all))
    }
}

#[derive(Default)]
struct Boiler {
    burning: AtomicBool,
}

impl IBoiler for Boiler {
    fn get_pressure(&self) -> Result<f64, Status> {
        Ok(1.5)
    }

    fn get_burning(&self) -> Result<bool, Status> {
        Ok(self.burning.load(Ordering::Relaxed))
    }

    fn put_burning(&self, value: bool) -> Result<(), Status> {
        self.burning.store(value, Ordering::Relaxed);
        Ok(())
    }

    fn tune(&self, set: Vec<f64>) -> Result<Vec<Bstr>, Status> {
        Ok(set.iter().map(|value| Bstr::from(&*value.to_string())).collect())
    }

    fn ask(&self, question: Variant) -> Result<Variant, Status> {
        Ok(question)
    }
}

impl ILargeBoiler for Boiler {
    fn history(&self, since: Date, sensor: Uuid) -> Result<Option<SafeArray>, Status> {
        Ok((sensor != Uuid::NIL).then(|| vec![since.0, 2.0].into()))
    }

    fn attach(&self, next: Option<InterfacePointer>) -> Result<Option<InterfacePointer>, Status> {
        Ok(next)
    }

    fn rename(&self, name: String) -> Result<Option<String>, Status> {
        Ok((!name.is_empty()).then_some(name))
    }

    fn levels(&self, count: u32, given: Vec<u16>) -> Result<Vec<u16>, Status> {
        match given.len() == count as usize {
            true => Ok(given.iter().map(|level| level + 1).collect()),
            false => Err(Status::INVALID_ARGUMENT),
        }
    }

    fn drain(&self) -> Result<(), Status> {
        Err(Status::FAIL)
    }
}

/// A server with one object, and a proxy of it.
pub(crate) fn served(object: Arc<dyn Object>, iid: Uuid) -> (Server, Proxy) {
    let server =
        Server::builder("TEST").account("operator", "secret").listen("127.0.0.1:0").unwrap();
    let reference = server.exports().export(object, iid).unwrap();
    let credentials = Credentials::new("TEST", "operator", "secret");
    let client = Client::new(ClientOptions::new(credentials)).unwrap();
    (server, client.unmarshal(&reference).unwrap())
}

#[test]
fn the_interface_of_the_study_is_called_through_its_trait() {
    let (_server, proxy) = served(i_test_server::object(Strings), i_test_server::IID);
    let object = ITestServerProxy(proxy);
    assert_eq!(object.get_single_string(7).unwrap().to_text(), format!("{:-<80}", 7));
    let (got, all) = object.get_multiple_string(990, 10).unwrap();
    assert_eq!((got, all.len()), (10, 10));
    let error = object.get_single_string(-1).unwrap_err();
    assert_eq!(error.status(), Some(Status::INVALID_ARGUMENT), "{error}");
    // A reference and a servant are used alike.
    let alike: [&dyn ITestServer; 2] = [&object, &Strings];
    for one in alike {
        assert_eq!(one.get_multiple_string(999, 2), Err(Status::INVALID_ARGUMENT));
        assert_eq!(
            one.get_multiple_string(0, 2).unwrap().1[1],
            Strings.get_single_string(1).unwrap()
        );
    }
}

#[test]
fn values_of_every_kind_travel_both_ways() {
    let (_server, proxy) = served(i_large_boiler::object(Boiler::default()), i_large_boiler::IID);
    let boiler = ILargeBoilerProxy(proxy.clone());
    assert_eq!(boiler.get_pressure().unwrap(), 1.5);
    boiler.put_burning(true).unwrap();
    assert!(boiler.get_burning().unwrap());
    let log = boiler.tune(vec![0.5, 2.0]).unwrap();
    assert_eq!(log, [Bstr::from("0.5"), Bstr::from("2")]);
    assert_eq!(boiler.ask("why".into()).unwrap(), Variant::from("why"));
    let history = boiler.history(Date(4.0), i_boiler::IID).unwrap();
    assert_eq!(history, Some(vec![4.0, 2.0].into()));
    assert_eq!(boiler.history(Date(4.0), Uuid::NIL).unwrap(), None);
    let own = InterfacePointer::new(&proxy.reference_for("127.0.0.1").unwrap()).unwrap();
    assert_eq!(boiler.attach(Some(own.clone())).unwrap(), Some(own));
    assert_eq!(boiler.attach(None).unwrap(), None);
    assert_eq!(boiler.rename("größer".to_owned()).unwrap().as_deref(), Some("größer"));
    assert_eq!(boiler.rename(String::new()).unwrap(), None);
    assert_eq!(boiler.levels(2, vec![1, 2]).unwrap(), [2, 3]);
    assert_eq!(boiler.levels(1, vec![1, 2]).unwrap_err().hresult(), Status::INVALID_ARGUMENT);
    assert_eq!(boiler.drain().unwrap_err().hresult(), Status::FAIL);
}

#[test]
fn an_object_answers_by_the_iids_of_its_bases() {
    let (_server, proxy) = served(i_large_boiler::object(Boiler::default()), i_large_boiler::IID);
    assert_eq!(proxy.query_interface(i_boiler::IID).unwrap().iid(), i_boiler::IID);
    let error = proxy.query_interface(i_test_server::IID).unwrap_err();
    assert_eq!(error.status(), Some(Status::NO_INTERFACE));
}
