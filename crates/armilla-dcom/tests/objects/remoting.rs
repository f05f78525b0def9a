//! What lies between caller and object is chosen object by object, at run time.

use crate::plant::{client, plant};
use crate::strings::{How, Shelf, unmarshaller};
use armilla_dcerpc::Status;
use armilla_dcom::client::Cause;
use armilla_dcom::{InterfacePointer, Reference};

#[test]
fn three_objects_of_one_interface_are_remoted_in_three_ways() {
    let (plant, client) = (plant(), client());
    let strings = unmarshaller();
    for (how, calls) in [(How::Standard, 100), (How::Ahead, 2), (How::ByValue, 0)] {
        let (shelf, reference) = Shelf::export(plant.server.exports(), how).unwrap();
        // As another process would get it.
        let reference = InterfacePointer::new(&reference).unwrap().reference().unwrap();
        let object = strings.unmarshal(&client, &reference).unwrap();
        for index in 0..100 {
            let text = object.get_single_string(index).unwrap().to_text();
            assert!(text.starts_with(&format!("{index}-")) && text.len() == 80, "{text}");
        }
        assert_eq!(shelf.calls(), calls, "{how:?}");
        let beyond = object.get_single_string(100_000);
        assert_eq!(beyond.unwrap_err(), Status::INVALID_ARGUMENT);
    }
}

#[test]
fn a_client_without_the_handler_calls_the_object() {
    let (plant, client) = (plant(), client());
    let (shelf, reference) = Shelf::export(plant.server.exports(), How::Ahead).unwrap();
    assert!(matches!(reference.reference, Reference::Handler { .. }));
    let proxy = client.unmarshal(&reference).unwrap();
    let given = crate::study::SingleIn { index: 7 };
    proxy.call::<crate::study::GetSingleString>(&given).unwrap();
    assert_eq!(shelf.calls(), 1);
}

#[test]
fn a_client_without_the_class_says_which_one_it_lacks() {
    let (plant, client) = (plant(), client());
    let (_, reference) = Shelf::export(plant.server.exports(), How::ByValue).unwrap();
    let error = client.unmarshal(&reference).unwrap_err();
    assert!(matches!(*error.cause, Cause::CustomReference(_)), "{error}");
    assert!(plant.server.exports().is_empty());
}
