//! The other end of TAO's tests: of real-time CORBA as their server, or as their client, which find
//! the operations by their names; and of parameters as a relay between the two.
//!
//! ```text
//! interop-tao serve IOR-FILE [--declared N | --propagated N] [--lanes N,N…] [--bands L-H,…]
//!             [--arguments none|short|both] [-ORB…]
//! interop-tao call REF OPERATION --priorities N,N… [--calls N] [--bands L-H,…]
//!             [--arguments none|short|both] [-ORB…]
//! interop-tao relay IOR-FILE REF IDL-FILE INTERFACE-ID [-I DIRECTORY] [-ORB…]
//! ```
//!
//! The relay passes each request on to the object at REF, and its outcome back.
//!
//! The server prints a line for each request: the operation, the priority of its thread, and the
//! thread. The client prints one for each priority: how many calls have succeeded. `--arguments`
//! says what the operation takes: nothing, the priority, or whether it is propagated and the
//! priority.

use armilla::dynamic::{DynamicServant, ParameterMode, ServerRequest, serve};
use armilla::{Any, ExceptionKind, Object, ObjectId, Orb, SystemException, TypeCode};
use armilla_ifr::model::{Model, Signature};
use armilla_rt::{
    ClientPolicies, LinearMapping, NativeRange, Priority, PriorityModel, RtOrb, ThreadpoolOptions,
};
use std::borrow::Cow;
use std::error::Error;
use std::time::Duration;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;
type Bands = Vec<(Priority, Priority)>;

/// The options, of which each command uses some.
struct Options {
    words: Vec<String>,
    model: Option<PriorityModel>,
    lanes: Vec<Priority>,
    bands: Bands,
    priorities: Vec<Priority>,
    calls: u32,
    arguments: String,
}

impl Options {
    fn read(arguments: Vec<String>) -> Outcome<Self> {
        let mut options = Self {
            words: Vec::new(),
            model: None,
            lanes: Vec::new(),
            bands: Vec::new(),
            priorities: Vec::new(),
            calls: 5,
            arguments: "none".into(),
        };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            match argument.as_str() {
                "--declared" => {
                    options.model = Some(PriorityModel::ServerDeclared(priority(&value()?)?));
                }
                "--propagated" => {
                    options.model = Some(PriorityModel::ClientPropagated(priority(&value()?)?));
                }
                "--lanes" => options.lanes = priorities(&value()?)?,
                "--bands" => options.bands = bands(&value()?)?,
                "--priorities" => options.priorities = priorities(&value()?)?,
                "--calls" => options.calls = value()?.parse()?,
                "--arguments" => options.arguments = value()?,
                _ => options.words.push(argument),
            }
        }
        Ok(options)
    }
}

fn priority(text: &str) -> Outcome<Priority> {
    Priority::new(text.parse()?).ok_or_else(|| format!("{text} is no priority").into())
}

fn priorities(text: &str) -> Outcome<Vec<Priority>> {
    text.split(',').map(priority).collect()
}

fn bands(text: &str) -> Outcome<Bands> {
    let band = |text: &str| {
        let (low, high) = text.split_once('-').ok_or(format!("{text} is no band"))?;
        Ok((priority(low)?, priority(high)?))
    };
    text.split(',').map(band).collect()
}

/// The servant of all tests.
struct Test {
    orb: Orb,
    rt: RtOrb,
    arguments: String,
}

impl DynamicServant for Test {
    fn primary_interface(&self, _object: &ObjectId) -> Cow<'_, str> {
        "IDL:Test:1.0".into()
    }

    /// The interface is called `test` in one of them.
    fn is_a(&self, _object: &ObjectId, repository_id: &str) -> bool {
        ["IDL:Test:1.0", "IDL:test:1.0"].contains(&repository_id)
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        let operation = request.operation().to_owned();
        let own = self.rt.current().priority().map_or(-1, Priority::get);
        let thread = std::thread::current().name().unwrap_or_default().to_owned();
        let number = (ParameterMode::In, TypeCode::Short);
        let flag = (ParameterMode::In, TypeCode::Boolean);
        match (operation.as_str(), self.arguments.as_str()) {
            ("test_method", "short") => drop(request.arguments([number])?),
            ("test_method", "both") => drop(request.arguments([flag, number])?),
            ("method", "none") => drop(request.arguments([])?),
            ("shutdown", _) => {
                request.arguments([])?;
                self.orb.shutdown();
            }
            _ => return Err(ExceptionKind::BadOperation.because("no operation of the tests")),
        }
        println!("{operation} {own} {thread}");
        Ok(())
    }
}

fn serve_test(orb: &Orb, rt: &RtOrb, options: &Options) -> Outcome {
    let [_, file] = &options.words[..] else { return Err("serve IOR-FILE".into()) };
    let mut builder = rt.poa(orb.root_poa().create_poa("tests"));
    if let Some(model) = options.model {
        builder = builder.priority_model(model);
    }
    let pool = match &options.lanes[..] {
        [] => ThreadpoolOptions::new("plain", 5, 0, Priority::MIN),
        lanes => {
            let none = ThreadpoolOptions::with_lanes("lanes");
            lanes.iter().fold(none, |all, lane| all.lane(*lane, 1, 0))
        }
    };
    let pool = rt.create_threadpool(pool)?;
    let poa = builder.threadpool(&pool).priority_bands(options.bands.clone()).build()?;
    let arguments = options.arguments.clone();
    let servant = serve(Test { orb: orb.clone(), rt: rt.clone(), arguments });
    let test = poa.activate(servant)?;
    std::fs::write(file, orb.object_to_string(&test)?)?;
    orb.run()?;
    Ok(())
}

/// Calls once.
fn call(object: &Object, operation: &str, arguments: &str, own: Priority) -> Outcome {
    let mut request = object.request(operation);
    if arguments == "both" {
        request.add_in("propagated", Any::new(&true)?);
    }
    if arguments != "none" {
        request.add_in("priority", Any::new(&own.get())?);
    }
    Ok(request.invoke()?)
}

/// Passes requests on.
struct Relay {
    target: Object,
    interface: String,
    signatures: Vec<Signature>,
}

impl DynamicServant for Relay {
    fn primary_interface(&self, _object: &ObjectId) -> Cow<'_, str> {
        self.interface.as_str().into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        let known = self.signatures.iter().find(|one| one.operation == request.operation());
        let unknown = || ExceptionKind::BadOperation.because("the IDL has no such operation");
        let signature = known.ok_or_else(unknown)?;
        let parameters = signature.parameters.iter();
        let parameters = parameters.map(|(_, mode, code)| (*mode, code.clone()));
        let arguments = request.arguments(parameters)?.to_vec();
        let mut onward = self.target.request(&signature.operation);
        for argument in arguments {
            onward.add(argument);
        }
        onward.set_return_type(signature.result.clone());
        for code in &signature.exceptions {
            onward.add_exception(code.clone());
        }
        if signature.oneway {
            return onward.send_oneway();
        }
        match onward.invoke() {
            Ok(()) => {}
            Err(armilla::Error::User(raised)) => return request.set_exception(raised.exception),
            Err(armilla::Error::System(exception)) => return Err(exception),
        }
        for (index, argument) in onward.arguments().iter().enumerate() {
            if let Some(value) = argument.value().filter(|_| argument.mode() != ParameterMode::In) {
                request.set_argument(index, value.clone());
            }
        }
        request.set_result(onward.return_value().clone())
    }
}

fn relay(orb: &Orb, options: &Options) -> Outcome {
    let [_, file, reference, idl, interface, include @ ..] = &options.words[..] else {
        return Err("relay IOR-FILE REF IDL-FILE INTERFACE-ID [-I DIRECTORY]".into());
    };
    let include = include.iter().filter(|word| *word != "-I");
    let compiler = include.fold(armilla_idl::Options::new(), armilla_idl::Options::include);
    let compiled = armilla_idl::parse(idl, &compiler).map_err(|errors| errors.render())?;
    let mut model = Model::new();
    model.add_idl(&compiled.model)?;
    let found = model.lookup_id(interface).ok_or("the IDL has no such interface")?;
    let signatures = model.signatures(found)?;
    let (target, interface) = (orb.string_to_object(reference)?, interface.clone());
    let servant = serve(Relay { target, interface, signatures });
    let object = orb.root_poa().activate(servant)?;
    std::fs::write(file, orb.object_to_string(&object)?)?;
    Ok(orb.run()?)
}

fn call_test(orb: &Orb, rt: &RtOrb, options: &Options) -> Outcome {
    let [_, reference, operation] = &options.words[..] else {
        return Err("call REF OPERATION".into());
    };
    let none = ClientPolicies::new();
    let policies = options.bands.iter().fold(none, |all, (low, high)| all.band(*low, *high));
    rt.set_client_policies(policies)?;
    let object = orb.string_to_object(reference)?.with_timeout(Duration::from_secs(10));
    let mut failed = false;
    for &own in &options.priorities {
        let calls = || {
            rt.current().set_priority(own).ok();
            let one = |_| call(&object, operation, &options.arguments, own);
            let outcomes =
                (0..options.calls).map(one).map(|outcome| outcome.map_err(|e| e.to_string()));
            outcomes.collect::<Vec<_>>()
        };
        let outcomes = std::thread::scope(|scope| scope.spawn(calls).join())
            .map_err(|_| "the thread of the calls panicked")?;
        let good = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        println!("{own} {good}/{}", options.calls);
        if let Some(error) = outcomes.into_iter().find_map(Result::err) {
            println!("  {error}");
            failed = true;
        }
    }
    orb.shutdown();
    if failed { Err("not every call has succeeded".into()) } else { Ok(()) }
}

fn main() -> Outcome {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let orb = Orb::builder().take_arguments(&mut arguments)?.build()?;
    let rt = RtOrb::new(&orb).with_mapping(LinearMapping(NativeRange::FIFO));
    let options = Options::read(arguments)?;
    match options.words.first().map(String::as_str) {
        Some("serve") => serve_test(&orb, &rt, &options),
        Some("call") => call_test(&orb, &rt, &options),
        Some("relay") => relay(&orb, &options),
        _ => Err("serve IOR-FILE …, call REF OPERATION … or relay IOR-FILE REF …".into()),
    }
}
