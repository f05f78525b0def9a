//! Programs of COM call objects of CORBA by number, by what the compiler makes of the MIDL of their views.

use crate::site::{STORE_CLASS, Site, com_client, host};
use crate::views::{
    ExceptionType, IShopCounter, IShopCounterProxy, IShopCounterUserExceptionsProxy, IShopListener,
    IShopStore, IShopStoreProxy, ShopBlob, ShopColour, ShopNumbers, ShopPoint, i_shop_counter,
    i_shop_counter_user_exceptions, i_shop_listener, i_shop_store, shop_counter_exceptions,
};
use armilla_bridge::model::{View, iid};
use armilla_dcerpc::Status;
use armilla_dcerpc::ndr::{ConformantVarying, Encoder, Ndr, Operation};
use armilla_dcom::automation::Variant;
use armilla_dcom::client::{Cause, Client, Error, Proxy};
use armilla_dcom::remote::{FactoryIn, InterfaceSupportsErrorInfo, SUPPORT_ERROR_INFO};
use armilla_dcom::server::Server;
use std::sync::{Arc, Mutex};

/// The store as a program of COM sees it that has its MIDL.
fn store(site: &Site) -> (Client, IShopStoreProxy) {
    let client = com_client();
    let view = client.activate(&host(&site.gateway), STORE_CLASS, i_shop_store::IID).unwrap();
    (client, IShopStoreProxy(view))
}

#[test]
fn operations_come_before_attributes_and_those_of_the_base_first() {
    assert_eq!(i_shop_counter::IID, iid("IDL:Shop/Counter:1.0", View::Com));
    let site = Site::new();
    let (_client, store) = store(&site);
    assert_eq!(store.get_value().unwrap(), 42);
    store.set_label(Some("shelf".to_owned())).unwrap();
    assert_eq!(store.get_label().unwrap().as_deref(), Some("shelf"));
    let (sum, exception) = store.add(8).unwrap();
    assert_eq!((sum, exception), (50, None));
    // The view of the base is one of its own, too.
    let counter = store.0.query_interface(i_shop_counter::IID).unwrap();
    assert_eq!(IShopCounterProxy(counter).get_value().unwrap(), 42);
    assert_eq!(site.bridge.counts().to_corba, 5);
}

#[test]
fn values_are_those_of_the_chapter() {
    let site = Site::new();
    let (client, store) = store(&site);
    let at = ShopPoint { x: 5, label: Some("door".into()) };
    let moved = store.r#move(at.clone(), 3).unwrap();
    assert_eq!(moved, ShopPoint { x: 8, ..at });
    let many = store.many(3).unwrap();
    assert_eq!((many.cb_max_size, many.cb_length_used), (3, 3));
    assert_eq!(many.p_value[2], ShopPoint { x: 2, label: Some("p2".into()) });
    let names = store.names().unwrap().p_value;
    assert_eq!(names, [Some("größer".to_owned()), Some("smaller".to_owned())]);
    let numbers = ShopNumbers { cb_max_size: 2, cb_length_used: 2, p_value: vec![1.5, 2.0] };
    assert_eq!(store.sum(numbers).unwrap(), 3.5);
    let blob = ShopBlob { cb_max_size: 3, cb_length_used: 3, p_value: vec![1, 2, 3] };
    assert_eq!(store.octets(blob).unwrap().p_value, [3, 2, 1]);
    assert_eq!(store.next(ShopColour::SHOP_RED).unwrap(), ShopColour::SHOP_GREEN);
    assert_eq!(store.next(ShopColour(7)).unwrap_err().hresult(), Status::OVERFLOW);
    let (left, right, length) = store.swap(Some("l".into()), Some("right".into())).unwrap();
    assert_eq!((left.as_deref(), right.as_deref(), length), (Some("right"), Some("l"), 6));
    assert_eq!(store.echo("größer".into()).unwrap(), Variant::from("größer"));
    // A string that is null is an empty one for CORBA.
    store.set_label(None).unwrap();
    assert_eq!(store.get_label().unwrap().as_deref(), Some(""));
    // An object is a view with its interface; one that comes back is unwrapped.
    let part = store.part().unwrap();
    let counter = client.unmarshal(&part.as_ref().unwrap().reference().unwrap()).unwrap();
    let counter = IShopCounterProxy(counter);
    assert_eq!(counter.get_value().unwrap(), 7);
    // While it is held, the view lives that the reference names.
    assert_eq!(store.is_part(part).unwrap(), 1);
    assert_eq!(store.is_part(None).unwrap(), 0);
}

/// What a method that raised something has told.
fn told(store: &Proxy) -> (Status, crate::views::ShopCounterExceptions) {
    let given = i_shop_counter::AddIn { amount: -1 };
    let (taken, status) = store.call_with_status::<i_shop_counter::Add>(&given).unwrap();
    let exceptions: shop_counter_exceptions::Wire = taken.exception.into_inner().unwrap();
    (status, exceptions.into())
}

#[test]
fn exceptions_are_objects_and_hresults() {
    let site = Site::new();
    let (client, store) = store(&site);
    let error = store.add(-1).unwrap_err();
    assert_eq!(error.hresult(), Status(0x8004_02ff));
    let (status, exceptions) = told(&store.0);
    assert_eq!(status, Status(0x8004_02ff));
    assert_eq!(exceptions.r#type, ExceptionType::USER_EXCEPTION);
    assert_eq!(exceptions.repository_id.as_deref(), Some("IDL:Shop/Empty:1.0"));
    let raised = exceptions.pi_user_exception.unwrap().reference().unwrap();
    assert_eq!(raised.iid, i_shop_counter_user_exceptions::IID);
    let raised = IShopCounterUserExceptionsProxy(client.unmarshal(&raised).unwrap());
    let empty = raised.get_shop_empty().unwrap();
    assert_eq!((empty.what.as_deref(), empty.count), (Some("the shelf"), -1));
    let error = store.fail().unwrap_err();
    assert_eq!(error.hresult(), Status(0x8004_0206));
}

/// What the error object of a failure says.
pub(crate) fn said(error: &Error) -> (&str, &str) {
    match &*error.cause {
        Cause::Exception { source, description, .. } => (source, description),
        other => panic!("{other:?}"),
    }
}

#[test]
fn failures_come_with_error_objects() {
    let site = Site::new();
    let (_client, store) = store(&site);
    let support = store.0.query_interface(SUPPORT_ERROR_INFO.uuid).unwrap();
    let supports = |iid| {
        let given = FactoryIn { iid };
        support.call_for_success::<InterfaceSupportsErrorInfo>(&given).unwrap().1
    };
    assert_eq!(supports(i_shop_store::IID), Status::OK);
    assert_eq!(supports(i_shop_listener::IID), Status::FALSE);
    let raised = store.add(-1).unwrap_err();
    let what = "CORBA User Exception: [Shop::Empty] what = the shelf count = -1";
    assert_eq!(said(&raised), ("Shop::Store.add", what));
    let locked = store.fail().unwrap_err();
    let what = "CORBA System Exception: [CORBA::NO_PERMISSION] minor code [7][NO] it is locked";
    assert_eq!(said(&locked), ("Shop::Store.fail", what));
    assert!(locked.to_string().contains("it is locked"), "{locked}");
    // A value that does not cross.
    let unfit = store.next(ShopColour(7)).unwrap_err();
    assert_eq!((said(&unfit).0, unfit.hresult()), ("Shop::Store.next", Status::OVERFLOW));
    // Of a success nothing is said.
    let sum = store.0.call_for_answer::<i_shop_counter::Add>(&i_shop_counter::AddIn { amount: 1 });
    assert_eq!(sum.unwrap().error_info, None);
}

struct Sink(Arc<Mutex<Vec<String>>>);

impl IShopListener for Sink {
    fn told(&self, what: Option<String>) -> Result<(), Status> {
        self.0.lock().unwrap().push(what.unwrap_or_default());
        Ok(())
    }
}

#[test]
fn an_object_of_corba_calls_back_one_of_com_that_has_the_interface_of_the_view() {
    let site = Site::new();
    let (_client, store) = store(&site);
    let theirs =
        Server::builder("CLIENT").account("operator", "secret").listen("127.0.0.1:0").unwrap();
    let heard = Arc::new(Mutex::default());
    let sink = i_shop_listener::object(Sink(Arc::clone(&heard)));
    let pointer = theirs.exports().pointer(sink, i_shop_listener::IID).unwrap();
    store.listen(Some(pointer)).unwrap();
    assert_eq!(*heard.lock().unwrap(), ["you are heard"]);
}

#[test]
fn a_malformed_call_is_refused_and_a_number_too_many() {
    let site = Site::new();
    let (_client, store) = store(&site);
    let nothing = |opnum: u16| {
        let done = store.0.call_by_number(opnum, |_| Ok(()), |_| Ok(()));
        done.map_or_else(|error| error.hresult(), |answer| answer.status)
    };
    // `is_part` without its argument, and beyond the last method.
    assert_eq!(nothing(10), Status::BAD_STUB);
    assert_eq!(nothing(3 + 4 + 14), Status::OPERATION_OUT_OF_RANGE);
    // A sequence of three whose array has two.
    let short = |out: &mut Encoder| {
        [3u32, 3].iter().try_for_each(|number| number.write(out))?;
        out.referent();
        ConformantVarying { maximum: 3, first: 0, values: vec![1.0, 2.0] }.write(out)
    };
    let done = store.0.call_by_number(i_shop_store::Sum::OPNUM, short, f64::read);
    let status = done.map_or_else(|error| error.hresult(), |answer| answer.status);
    assert_eq!(status, Status::OVERFLOW);
    assert_eq!(IShopCounter::get_value(&store), Ok(42));
    assert_eq!(
        IShopStore::sum(&store, ShopNumbers { cb_max_size: 0, cb_length_used: 0, p_value: vec![] }),
        Ok(0.0)
    );
}
