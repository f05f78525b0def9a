//! omniNames: used by the generated stubs, and by `corbaname:` and initial references of both
//! sides.

use super::process::{Process, TemporaryDirectory};
use super::{Client, Group, Orb, Server, Step, Suite, free_port};
use crate::cos_naming::naming_context::{BindRaises, DestroyRaises, ResolveRaises};
use crate::cos_naming::*;
use crate::report::{Outcome, expect};
use armilla::{Error, Object, SystemException};
use std::fs;
use std::process::Command;
use std::time::Duration;

/// The time limit for the start of omniNames.
const LIMIT: Duration = Duration::from_secs(15);

/// A few calls of each kind.
const CHECKS: [&str; 4] = ["ping", "echo_long/", "_is_a", "call_back"];

pub(super) fn run(suite: &mut Suite) {
    suite.group("naming/stubs", |suite, group| {
        let service = Service::start(&suite.directory)?;
        let orb = service.client()?;
        let object = orb.resolve_initial_references("NameService")?;
        stubs(group, &object.narrow()?);
        orb.shutdown();
        Ok(())
    });
    for binder in [Orb::Omni, Orb::Jac, Orb::Us] {
        let name = format!("naming/bound-by-{}", binder.name());
        suite.group(&name, |suite, group| bound_by(suite, group, binder));
    }
}

/// A running naming service.
struct Service {
    _process: Process,
    port: u16,
}

impl Service {
    fn start(directory: &TemporaryDirectory) -> Step<Self> {
        let port = free_port()?;
        let data = directory.path().join(format!("names-{port}"));
        fs::create_dir(&data)?;
        let mut command = Command::new("omniNames");
        command.args(["-start", &port.to_string(), "-always", "-datadir"]).arg(&data);
        command.arg("-errlog").arg(data.join("errors"));
        let mut process = Process::start(&mut command, directory.path())?;
        let url = format!("corbaloc::127.0.0.1:{port}/NameService");
        let orb = armilla::Orb::new()?;
        let service = orb.string_to_object(&url)?.with_timeout(Duration::from_secs(1));
        let answers = || service.non_existent().ok().filter(|gone| !gone);
        process.wait_for("it answered", LIMIT, answers)?;
        orb.shutdown();
        Ok(Self { _process: process, port })
    }

    fn url(&self) -> String {
        format!("corbaloc::127.0.0.1:{}/NameService", self.port)
    }

    /// The options of a program that uses this service.
    fn options(&self) -> [String; 2] {
        ["-ORBInitRef".into(), format!("NameService={}", self.url())]
    }

    fn client(&self) -> Result<armilla::Orb, SystemException> {
        armilla::Orb::builder().arguments(self.options())?.build()
    }
}

// ---- Through the stubs -------------------------------------------------------------------------

fn name(steps: &[&str]) -> Name {
    steps.iter().map(|id| NameComponent { id: (*id).into(), kind: String::new() }).collect()
}

/// Uses every operation of the service except those that bind foreign contexts.
fn stubs(group: &mut Group, root: &NamingContextExtRef) {
    group.check("bind_new_context", || {
        root.bind_new_context(&name(&["a"]))?;
        let b = root.bind_new_context(&name(&["a", "b"]))?;
        expect(!b.is_nil(), "nil")
    });
    group.check("bind_and_resolve", || {
        root.bind(&name(&["a", "b", "Vega"]), root.object())?;
        let found = root.resolve(&name(&["a", "b", "Vega"]))?;
        found.narrow::<dyn NamingContextExt>()?;
        let context: NamingContextRef = root.resolve(&name(&["a"]))?.narrow()?;
        expect(!context.resolve(&name(&["b", "Vega"]))?.is_nil(), "nil")
    });
    group.check("bind/already_bound", || {
        match root.bind(&name(&["a", "b", "Vega"]), root.object()) {
            Err(Error::User(BindRaises::AlreadyBound(_))) => Ok(()),
            other => expect(false, format!("{other:?}")),
        }
    });
    group.check("rebind", || Ok(root.rebind(&name(&["a", "b", "Vega"]), root.object())?));
    group.check("resolve/not_found", || match root.resolve(&name(&["a", "c", "d"])) {
        Err(Error::User(ResolveRaises::NotFound(error))) => {
            let wanted = (naming_context::NotFoundReason::MissingNode, name(&["c", "d"]));
            expect((error.why, &error.rest_of_name) == (wanted.0, &wanted.1), format!("{error:?}"))
        }
        other => expect(false, format!("{other:?}")),
    });
    group.check("destroy/not_empty", || {
        let context: NamingContextRef = root.resolve(&name(&["a"]))?.narrow()?;
        match context.destroy() {
            Err(Error::User(DestroyRaises::NotEmpty(_))) => Ok(()),
            other => expect(false, format!("{other:?}")),
        }
    });
    group.check("list", || listed(root));
    group.check("names_as_text", || texts(root));
    group.check("unbind_and_destroy", || {
        root.unbind(&name(&["a", "b", "Vega"]))?;
        let b: NamingContextRef = root.resolve(&name(&["a", "b"]))?.narrow()?;
        root.unbind(&name(&["a", "b"]))?;
        b.destroy()?;
        expect(b.object().non_existent()?, "the context still exists")
    });
    group.check("new_context", || {
        let context = root.new_context()?;
        root.bind_context(&name(&["new"]), &context)?;
        root.rebind_context(&name(&["new"]), &context)?;
        root.unbind(&name(&["new"]))?;
        Ok(context.destroy()?)
    });
}

fn listed(root: &NamingContextExtRef) -> Outcome {
    let context: NamingContextRef = root.resolve(&name(&["a", "b"]))?.narrow()?;
    context.bind(&name(&["Deneb"]), &Object::nil()).or_else(|error| match error {
        // A service may refuse nil. Then another object serves as well.
        Error::System(_) => context.bind(&name(&["Deneb"]), root.object()),
        user => Err(user),
    })?;
    let (mut bindings, rest) = context.list(1)?;
    expect(bindings.len() == 1 && !rest.is_nil(), format!("{bindings:?}"))?;
    let (more, second) = rest.next_one()?;
    expect(more, "only one is listed")?;
    bindings.push(second);
    expect(!rest.next_n(5)?.0, "more than two are listed")?;
    rest.destroy()?;
    let mut ids: Vec<_> = bindings.iter().map(|b| b.binding_name[0].id.as_str()).collect();
    ids.sort_unstable();
    expect(ids == ["Deneb", "Vega"], format!("{ids:?}"))?;
    Ok(context.unbind(&name(&["Deneb"]))?)
}

fn texts(root: &NamingContextExtRef) -> Outcome {
    let escaped = root.to_name("a/b/with\\.dot\\/slash.kind")?;
    expect(escaped[2].id == "with.dot/slash" && escaped[2].kind == "kind", format!("{escaped:?}"))?;
    expect(root.to_string(&name(&["a", "b"]))? == "a/b", "another text")?;
    expect(!root.resolve_str("a/b/Vega")?.is_nil(), "nil")?;
    let url = root.to_url(":host:2809", "a/b")?;
    expect(url == "corbaname::host:2809#a/b", url)
}

// ---- By URL ------------------------------------------------------------------------------------

/// A server of `binder` binds its object, and clients of both ORBs resolve the name.
fn bound_by(suite: &Suite, group: &mut Group, binder: Orb) -> Step {
    let (programs, directory) = (&suite.programs, &suite.directory);
    let service = Service::start(directory)?;
    let address = format!("127.0.0.1:{}", service.port);
    let [init_ref, value] = service.options();
    let bind = ["--bind-name", "sky/summer.season/Vega", &init_ref, &value];
    let server = Server::start(programs, directory, binder, &bind)?;
    let path = "sky/summer.season/Vega";
    for orb in [Orb::Us, Orb::Omni, Orb::Jac] {
        let mut find = |case: &str, url: &str, options: &[&str]| {
            let client = Client::new(programs, orb, url).options(options).only(&CHECKS);
            client.run(directory, &format!("{case}/{}/", orb.name()), group)
        };
        find("corbaname", &format!("corbaname::{address}#{path}"), &[])?;
        find("corbaname_with_key", &format!("corbaname::{address}/NameService#{path}"), &[])?;
        find("init_ref", &format!("corbaname:rir:#{path}"), &[&init_ref, &value])?;
        let default = ["-ORBDefaultInitRef", &format!("corbaloc::{address}")];
        find("default_init_ref", &format!("corbaname:rir:#{path}"), &default)?;
    }
    let orb = service.client()?;
    group.check("corbaname/not_found", || {
        match orb.string_to_object(&format!("corbaname::{address}#sky/winter/Sirius")) {
            Err(error) => expect(error.to_string().contains("winter"), error),
            Ok(object) => expect(false, format!("{object:?}")),
        }
    });
    orb.shutdown();
    server.end()
}
