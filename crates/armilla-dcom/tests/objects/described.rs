//! Objects that say what they have.

use crate::adder::{ADDER_CLASS, Adder};
use crate::plant::{LONG, client, plant, plant_with};
use crate::study::{TEST_SERVER, TEST_SERVER_CLASS};
use armilla_dcerpc::ndr::Unique;
use armilla_dcerpc::{ByteOrder, Status, Uuid};
use armilla_dcom::automation::dispatch::{DISPATCH, GetTypeInfo, TypeInfoIn, flags};
use armilla_dcom::automation::type_info::wire::{
    DocumentationIn, GetContainingTypeLib, GetDocumentation, GetFuncDesc, GetImplTypeFlags,
    GetLibAttr, GetLibraryCount, GetLibraryDocumentation, GetLibraryType, GetNames, GetRefTypeInfo,
    GetRefTypeOfImplType, GetTypeAttr, GetTypeInfoOfGuid, GetTypeInfoType, GuidIn, HandleIn,
    IndexIn, MemberNamesIn, PROVIDE_CLASS_INFO,
};
use armilla_dcom::automation::type_info::{
    Function, Parameter, Type, TypeDescription, TypeKind, TypeLibrary, VariableDescription, passing,
};
use armilla_dcom::client::Proxy;
use armilla_dcom::server::{Caller, Dispatched, Object, ObjectCall, class_info};
use std::sync::Arc;

const CLASS: Uuid = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d51");
const IID: Uuid = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d52");

fn adder(_: &Caller<'_>) -> Result<Arc<dyn Object>, Status> {
    Ok(Arc::new(Dispatched(Adder(client()))))
}

/// A vtable interface whose description uses every kind of type.
fn library() -> Arc<TypeLibrary> {
    let function = |opnum: u16, name: &str, how, parameters| Function {
        how,
        opnum,
        documentation: format!("What {name} does."),
        ..Function::method(i32::from(opnum), name, parameters, Type::HRESULT)
    };
    let out = passing::OUT | passing::RESULT;
    let functions = vec![
        function(3, "Level", flags::GET, vec![Parameter::out("value", Type::R8, out)]),
        function(3, "Level", flags::PUT, vec![Parameter::new("value", Type::R8)]),
        function(
            5,
            "Move",
            flags::METHOD,
            vec![
                Parameter::new("where", Type::FixedArray(Type::I2.into(), vec![2, 3])),
                Parameter {
                    passing: passing::IN | passing::OPTIONAL,
                    ..Parameter::new("names", Type::BSTR.array().array())
                },
                Parameter::new("next", Type::Named("IValve".into()).pointer()),
                Parameter::new("other", Type::Named("IElsewhere".into()).pointer()),
            ],
        ),
    ];
    let mut valve = TypeDescription::interface("IValve", IID, "IUnknown", functions);
    valve.variables.push(VariableDescription { member: 9, name: "Colour".into(), ty: Type::I4 });
    let class = TypeDescription::class("Valve", CLASS, vec!["IValve".into(), "IUnknown".into()]);
    Arc::new(TypeLibrary::new("Valves", Uuid::NIL, vec![valve, class]))
}

struct Valve;

impl Object for Valve {
    fn supports(&self, iid: Uuid) -> bool {
        iid == PROVIDE_CLASS_INFO.uuid
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        class_info(call, library())
    }
}

fn valve(_: &Caller<'_>) -> Result<Arc<dyn Object>, Status> {
    Ok(Arc::new(Valve))
}

#[test]
fn an_object_for_scripts_says_what_it_has() {
    let (plant, client) = (plant_with(|_| {}, |it| it.class(ADDER_CLASS, adder)), client());
    let object = client.activate(&plant.host(), ADDER_CLASS, DISPATCH.uuid).unwrap();
    let [ty] = &object.describe().unwrap()[..] else { panic!() };
    assert_eq!(
        ty.to_string(),
        "dispinterface Adder : IDispatch { // 6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d33\n    \
         [id(1)] VARIANT Add([in] long left, [in] long right);\n    \
         [id(2)] BSTR Join([in] SAFEARRAY(BSTR) texts);\n    \
         [id(3)] void Fail();\n    \
         [id(4)] VARIANT Tell([in] IDispatch* listener, [in] BSTR text);\n}"
    );
    assert_eq!(ty.named("JOIN").next().unwrap().member, object.member("join").unwrap());
    drop(object);
    assert!(client.flush(LONG));
    assert!(plant.server.exports().is_empty());
}

#[test]
fn an_object_that_is_called_by_number_says_it_of_its_class() {
    let (plant, client) = (plant_with(|_| {}, |it| it.class(CLASS, valve)), client());
    let object = client.activate(&plant.host(), CLASS, PROVIDE_CLASS_INFO.uuid).unwrap();
    let found = object.describe().unwrap();
    let described = library();
    let [class, interface, unknown] = &found[..] else { panic!("{found:?}") };
    assert_eq!((class.kind, &*class.name), (TypeKind::Class, "Valve"));
    assert_eq!(class.bases, ["IValve", "IUnknown"]);
    assert_eq!(&*unknown.name, "IUnknown");
    let mut own = described.types()[0].clone();
    // The library does not describe this interface.
    own.functions[2].parameters[3].ty = Type::UNKNOWN;
    // Two ways to a property have one text and one list of names.
    assert_eq!(interface, &own);
    assert!(interface.to_string().contains("[propget] HRESULT Level([out, retval] double* value)"));
}

#[test]
fn an_object_that_says_nothing_has_no_description() {
    let (plant, client) = (plant(), client());
    let object = client.activate(&plant.host(), TEST_SERVER_CLASS, TEST_SERVER.uuid).unwrap();
    assert_eq!(object.describe().unwrap(), []);
}

fn adder_info() -> (crate::plant::Plant, Proxy) {
    let (plant, client) = (plant_with(|_| {}, |it| it.class(ADDER_CLASS, adder)), client());
    let object = client.activate(&plant.host(), ADDER_CLASS, DISPATCH.uuid).unwrap();
    let wrong = object.call::<GetTypeInfo>(&TypeInfoIn { index: 1, locale: 0 });
    assert_eq!(wrong.unwrap_err().status(), Some(Status::BAD_INDEX));
    let given = TypeInfoIn { index: 0, locale: 0 };
    let found = object.call::<GetTypeInfo>(&given).unwrap();
    (plant, object.pointer(&found.info).unwrap().unwrap())
}

#[test]
fn what_a_description_does_not_have_is_refused() {
    let (_plant, info) = adder_info();
    let not_found = Some(Status::ELEMENT_NOT_FOUND);
    let status = |error: armilla_dcom::client::Error| error.status();
    let index = IndexIn { index: 4 };
    assert_eq!(info.call::<GetFuncDesc>(&index).map_err(status).unwrap_err(), not_found);
    let most = u32::MAX;
    let names = info.call::<GetNames>(&MemberNamesIn { member: 9, most });
    assert_eq!(names.map_err(status).unwrap_err(), not_found);
    for handle in [0, 5, u32::MAX] {
        let found = info.call::<GetRefTypeInfo>(&HandleIn { handle });
        assert_eq!(found.map_err(status).unwrap_err(), not_found);
    }
    let base = info.call::<GetRefTypeOfImplType>(&IndexIn { index: 1 });
    assert_eq!(base.map_err(status).unwrap_err(), not_found);
    // As many names as there are, however many are asked for.
    let names = info.call::<GetNames>(&MemberNamesIn { member: 1, most }).unwrap();
    assert_eq!(names.count, 3);
    let told = DocumentationIn { member: 1, wanted: 2 };
    assert!(info.call::<GetDocumentation>(&told).unwrap().name.is_null());
}

#[test]
fn a_library_has_all_descriptions() {
    let (_plant, info) = adder_info();
    let found = info.call::<GetContainingTypeLib>(&()).unwrap();
    assert_eq!(found.index, 0);
    let library = info.pointer(&found.type_library).unwrap().unwrap();
    assert_eq!(library.call::<GetLibraryCount>(&()).unwrap().count, 4);
    let kind = |index| library.call::<GetTypeInfoType>(&IndexIn { index }).unwrap().kind;
    assert_eq!([0, 1].map(kind), [4, 5]);
    let attributes = library.call::<GetLibAttr>(&()).unwrap().attributes.into_inner().unwrap();
    assert_eq!(attributes.uuid.to_string(), "6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d34");
    let name = |member| {
        let given = DocumentationIn { member, wanted: 1 };
        library.call::<GetLibraryDocumentation>(&given).unwrap().name.to_text()
    };
    assert_eq!((name(-1), name(1)), ("Adders".into(), "AdderClass".into()));
    let class = library.call::<GetTypeInfoOfGuid>(&GuidIn { uuid: ADDER_CLASS }).unwrap();
    let class = library.pointer(&class.pointer).unwrap().unwrap();
    let default = class.call::<GetImplTypeFlags>(&IndexIn { index: 0 }).unwrap();
    assert_eq!(default.flags, 1);
    let second = library.call::<GetLibraryType>(&IndexIn { index: 1 }).unwrap();
    let second = library.pointer(&second.pointer).unwrap().unwrap();
    let attributes = |info: &Proxy| info.call::<GetTypeAttr>(&()).unwrap().attributes;
    assert_eq!(attributes(&second), attributes(&class));
}

#[test]
fn a_type_has_its_number_before_and_behind_it() {
    use armilla_dcerpc::ndr::{from_stub, to_stub};
    use armilla_dcom::automation::type_info::wire::TypeDesc;
    let ty = TypeDesc::Pointer(Unique::new(TypeDesc::Simple(8)));
    let octets = to_stub(&ty, ByteOrder::Little).unwrap();
    assert_eq!(octets, [26, 0, 0, 0, 0, 0, 2, 0, 26, 0, 0, 0, 8, 0, 8, 0]);
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let octets = to_stub(&ty, order).unwrap();
        assert_eq!(from_stub::<TypeDesc>(&octets, order).unwrap(), ty);
    }
}
