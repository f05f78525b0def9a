//! `armilla call` with valuetypes of other types than the operation declares: those that inherit
//! from them, and that nothing but the IDL or the interface repository describes.

use armilla::dynamic::{DynAny, DynamicServant, ParameterMode, ServerRequest, serve};
use armilla::{Any, Object, ObjectId, Orb, SystemException, TypeCode};
use armilla_ifr::model::Model;
use serde_json::json;
use std::borrow::Cow;
use std::path::Path;
use std::process::{Command, Output};

const IDL: &str = "
    module Drawing {
      valuetype Shape { public string name; };
      module Round { valuetype Circle : truncatable Shape { public double radius; }; };
      valuetype Square : Shape { public double side; public Shape within; };
      interface Board {
        Shape find(in string name);
        any held(in string name);
        string told(in Shape it);
      };
    };";

const CIRCLE: &str = "IDL:Drawing/Round/Circle:1.0";
const SQUARE: &str = "IDL:Drawing/Square:1.0";

/// Knows a circle, and a square in which it is.
struct Board(Model);

impl Board {
    fn type_code(&self, id: &str) -> TypeCode {
        self.0.type_code(self.0.lookup_id(id).unwrap()).unwrap()
    }

    fn shape(&self) -> TypeCode {
        self.type_code("IDL:Drawing/Shape:1.0")
    }
}

impl DynamicServant for Board {
    fn primary_interface(&self, _object: &ObjectId) -> Cow<'_, str> {
        "IDL:Drawing/Board:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        if request.operation() == "told" {
            let shape = [(ParameterMode::In, self.shape())];
            let value = request.arguments(shape)?[0].value().cloned().unwrap_or_default();
            let json = DynAny::from_any(&value)?.to_json()?;
            return request.set_result(Any::new(&json.to_string())?);
        }
        let name = request.arguments([(ParameterMode::In, TypeCode::String(0))])?;
        let name: Option<String> = name[0].value().unwrap().get()?;
        let circle = json!({"$type": CIRCLE, "name": "sun", "radius": 2.5});
        let (id, shape) = match name.as_deref() {
            Some("sun") => (CIRCLE, circle),
            _ => (SQUARE, json!({"$type": SQUARE, "name": "frame", "side": 9.0, "within": circle})),
        };
        let code = if request.operation() == "held" { self.type_code(id) } else { self.shape() };
        let orb = self.orb();
        let value = DynAny::from_json_within(&code, &shape, &orb)?.to_any()?;
        match request.operation() {
            "held" => request.set_result(Any::new(&value)?),
            _ => request.set_result(value),
        }
    }
}

impl Board {
    /// An ORB that knows the types, as the server's does.
    fn orb(&self) -> Orb {
        let orb = Orb::new().unwrap();
        self.0.value_types().iter().for_each(|ty| orb.register_value_type(ty).unwrap());
        orb
    }
}

fn model() -> Model {
    let options = armilla_idl::Options::new();
    let compiled = armilla_idl::parse_str("drawing.idl", IDL, &options).unwrap();
    let mut model = Model::new();
    model.add_idl(&compiled.model).unwrap();
    model
}

/// A server with a board; with an interface repository if one is wanted.
fn served(has_repository: bool) -> (Orb, Object) {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    model().value_types().iter().for_each(|ty| orb.register_value_type(ty).unwrap());
    if has_repository {
        armilla_ifr::serve(&orb, model()).unwrap();
    }
    let board = orb.root_poa().activate(serve(Board(model()))).unwrap();
    (orb, board.object().clone())
}

fn printed(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn check(board: &str, more: &[&str]) {
    let call = |operation: &str, argument: &str| {
        let arguments = [&["call", board, operation, argument], more].concat();
        let output = Command::new(env!("CARGO_BIN_EXE_armilla")).args(arguments).output().unwrap();
        serde_json::from_str::<serde_json::Value>(&printed(output)).unwrap()
    };
    let circle = json!({"$type": CIRCLE, "name": "sun", "radius": 2.5});
    let square = json!({"$type": SQUARE, "name": "frame", "side": 9.0, "within": circle.clone()});
    assert_eq!(call("find", "sun"), circle, "it could be truncated");
    assert_eq!(call("find", "frame"), square, "it could not");
    let mut held = square.clone();
    held.as_object_mut().unwrap().shift_remove("$type");
    assert_eq!(call("held", "frame")["$value"], held);
    for shape in [&circle, &square, &json!({"name": "plain"})] {
        let told = call("told", &json!({"it": shape}).to_string());
        assert_eq!(told, json!(shape.to_string()));
    }
}

#[test]
fn derived_values_are_complete_with_idl() {
    let (orb, board) = served(false);
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("drawing.idl");
    std::fs::write(&file, IDL).unwrap();
    check(&orb.object_to_string(&board).unwrap(), &["--idl", file.to_str().unwrap()]);
    orb.shutdown();
}

#[test]
fn derived_values_are_complete_with_an_interface_repository() {
    let (orb, board) = served(true);
    check(&orb.object_to_string(&board).unwrap(), &[]);
    orb.shutdown();
}
