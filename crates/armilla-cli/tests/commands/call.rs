//! `armilla call` and `armilla ifr` against an account that is served by its TypeCodes.

use armilla::dynamic::{DynAny, DynamicServant, ParameterMode, ServerRequest, serve};
use armilla::{Any, Ior, ObjectId, Orb, SystemException, TypeCode};
use armilla_ifr::model::Model;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::process::{Command, Output};

const IDL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/bank/idl/bank.idl");

/// An account that holds 100 and pays out what it can.
struct Account;

impl DynamicServant for Account {
    fn primary_interface(&self, _object: &ObjectId) -> Cow<'_, str> {
        "IDL:Bank/Account:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        match request.operation() {
            "_get_balance" => {
                request.arguments([])?;
                request.set_result(Any::new(&100.0)?)?;
            }
            _ => {
                let arguments = request.arguments([(ParameterMode::In, TypeCode::Double)])?;
                let amount: f64 = arguments[0].value().unwrap().get()?.unwrap();
                if request.operation() == "withdraw" && amount > 100.0 {
                    let members = [("missing", TypeCode::Double)];
                    let id = "IDL:Bank/InsufficientFunds:1.0";
                    let code = TypeCode::exception(id, "InsufficientFunds", members);
                    let raised = DynAny::from_json(&code, &json!({"missing": amount - 100.0}));
                    request.set_exception(raised?.to_any()?)?;
                }
            }
        }
        Ok(())
    }
}

/// A server with an account, and with an interface repository if one is wanted.
struct Server {
    orb: Orb,
    account: String,
    repository: String,
}

impl Server {
    fn new(has_repository: bool) -> Self {
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let account = orb.root_poa().activate(serve(Account)).unwrap();
        let account = orb.object_to_string(&account).unwrap();
        let mut repository = String::new();
        if has_repository {
            let mut model = Model::new();
            let idl = armilla_idl::parse(IDL, &armilla_idl::Options::new()).unwrap();
            model.add_idl(&idl.model).unwrap();
            let served = armilla_ifr::serve(&orb, model).unwrap();
            repository = format!("InterfaceRepository={}", orb.object_to_string(&served).unwrap());
        }
        Self { orb, account, repository }
    }

    /// Calls the account.
    fn call(&self, arguments: &[&str]) -> Output {
        armilla(&[&["call", &self.account], arguments].concat())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.orb.shutdown();
    }
}

fn armilla(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_armilla")).args(arguments).output().unwrap()
}

fn text(octets: &[u8]) -> String {
    String::from_utf8(octets.to_vec()).unwrap()
}

/// What is printed when all is well.
fn printed(output: Output) -> String {
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn check_account(server: &Server, more: &[&str]) {
    let call = |arguments: &[&str]| server.call(&[arguments, more].concat());
    assert_eq!(printed(call(&["balance"])), "100.0\n");
    assert_eq!(printed(call(&["deposit", r#"{"amount": 5}"#])), "");
    assert_eq!(printed(call(&["withdraw", "50"])), "");
    let raised = call(&["withdraw", r#"{"amount": 500}"#]);
    assert_eq!(raised.status.code(), Some(1));
    assert_eq!(text(&raised.stdout), "Bank::InsufficientFunds {\"missing\":400.0}\n");
    let wrong = call(&["withdraw", "much"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("amount: expected a number"));
    let misnamed = call(&["withdraw", r#"{"sum": 5}"#]);
    assert!(text(&misnamed.stderr).contains("withdraw takes the arguments (double amount)"));
    assert_eq!(printed(call(&["deposit", "-5"])), "");
    let unknown = call(&["rob"]);
    assert!(text(&unknown.stderr).contains("withdraw"), "{unknown:?}");
    let offered = printed(server.call(more));
    assert!(offered.contains("void withdraw(in double amount) raises (InsufficientFunds);"));
}

#[test]
fn an_operation_is_called_as_an_idl_file_declares_it() {
    let server = Server::new(false);
    check_account(&server, &["--idl", IDL]);
    check_account(&server, &["--idl", IDL, "--interface", "Bank::Account", "--timeout", "20000"]);
    let other = server.call(&["balance", "--idl", IDL, "--interface", "Bank::Safe"]);
    assert!(text(&other.stderr).contains("no interface \"Bank::Safe\""));
}

#[test]
fn an_object_says_what_it_is_where_neither_reference_nor_idl_does() {
    let server = Server::new(false);
    let named = server.orb.string_to_object(&server.account).unwrap().ior();
    let anonymous = Ior { type_id: String::new(), ..named }.to_text().unwrap();
    let naming = concat!(env!("CARGO_MANIFEST_DIR"), "/../../idl/CosNaming.idl");
    let refused = text(&armilla(&["call", &anonymous, "balance", "--idl", naming]).stderr);
    assert!(refused.contains("it is a \"IDL:Bank/Account:1.0\""), "{refused}");
}

#[test]
fn without_idl_the_object_provides_its_interface() {
    check_account(&Server::new(true), &[]);
    let output = Server::new(false).call(&["balance"]);
    assert_eq!(output.status.code(), Some(1));
    let refused = text(&output.stderr);
    assert!(refused.contains("INTF_REPOS"), "{refused}");
    // One status and one hint: those of the call.
    for once in ["executed)", "hint:"] {
        assert_eq!(refused.matches(once).count(), 1, "{refused}");
    }
}

#[test]
fn a_repository_is_listed_and_its_definitions_described() {
    let server = Server::new(true);
    let ifr = |arguments: &[&str]| {
        printed(armilla(&[&["ifr"], arguments, &["-ORBInitRef", &server.repository]].concat()))
    };
    assert_eq!(ifr(&["list"]), "Module             ::Bank\n");
    let listed = ifr(&["list", "Bank::Account"]);
    assert!(listed.contains("Operation          ::Bank::Account::withdraw"), "{listed}");
    let described = ifr(&["describe", "Bank::Account"]);
    assert!(described.contains("  void deposit(in double amount);"), "{described}");
    let described = ifr(&["describe", "IDL:Bank/InsufficientFunds:1.0"]);
    let json = described.split_once('{').map(|(_, json)| format!("{{{json}")).unwrap();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["type"]["members"], json!([{"name": "missing", "type": "double"}]));
}
