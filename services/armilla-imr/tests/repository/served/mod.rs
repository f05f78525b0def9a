//! A repository with the example server `parrot`, and clients of it.

// No test uses all of it.
#![allow(dead_code)]

use armilla::{Any, Error, Object, Orb, SystemException, TypeCode, Typed};
use armilla_imr::model::{Definition, Status};
use armilla_imr::{ImplementationRepository, ImplementationRepositoryBuilder};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The longest time that a test waits for anything.
const PATIENCE: Duration = Duration::from_secs(60);

/// A repository, a client of it, and a directory for both.
pub(crate) struct Served {
    pub(crate) imr: ImplementationRepository,
    pub(crate) client: Orb,
    pub(crate) directory: Directory,
    pub(crate) orb: Orb,
    servers_stay: bool,
}

impl Served {
    pub(crate) fn new() -> Self {
        Self::by(ImplementationRepository::builder(), "iiop://127.0.0.1:0", Directory::new())
    }

    pub(crate) fn by(
        builder: ImplementationRepositoryBuilder,
        endpoint: &str,
        directory: Directory,
    ) -> Self {
        let orb = Orb::builder().listen(endpoint).unwrap().build().unwrap();
        let builder = builder.logs(directory.path().join("logs"));
        let imr = builder.serve(&orb).unwrap();
        orb.perform_work().unwrap();
        let client = Orb::builder().call_timeout(Some(PATIENCE)).build().unwrap();
        Self { imr, client, directory, orb, servers_stay: false }
    }

    /// `HOST:PORT` of the repository.
    pub(crate) fn address(&self) -> String {
        let (host, port) = &self.orb.published_addresses().unwrap()[0];
        format!("{host}:{port}")
    }

    /// The definition of a parrot with this name and POA, and further arguments.
    pub(crate) fn parrot(&self, name: &str, arguments: &[&str]) -> Definition {
        let mut definition = Definition::new(name);
        definition.objects = vec![format!("poa:{name}").parse().unwrap()];
        let words = ["-ORBImR", "{imr}", "-ORBEndpoint", "iiop://127.0.0.1:0", "--poa", name];
        let reference = self.reference(name).display().to_string();
        let command = [parrot().display().to_string()].into_iter();
        let command = command.chain(words.map(str::to_owned));
        let command = command.chain(["--reference".to_owned(), reference]);
        definition.command = command.chain(arguments.iter().map(|word| (*word).into())).collect();
        definition
    }

    fn reference(&self, name: &str) -> PathBuf {
        self.directory.path().join(format!("{name}.ior"))
    }

    /// The reference that a parrot has written: it leads to the repository.
    pub(crate) fn polly(&self, name: &str) -> Object {
        let mut text = None;
        eventually("the server has written its reference", || {
            text = std::fs::read_to_string(self.reference(name)).ok();
            text.as_ref().is_some_and(|text| !text.is_empty())
        });
        self.client.string_to_object(&text.unwrap()).unwrap()
    }

    pub(crate) fn status(&self, name: &str) -> Status {
        self.imr.status(name).unwrap()
    }

    /// Ends all servers.
    pub(crate) fn stop_all(&self) {
        use armilla_imr::corba::Repository;
        for (name, _) in self.imr.list() {
            self.imr.reference().stop(&name).unwrap();
        }
        eventually("all servers have ended", || {
            self.imr.list().iter().all(|(_, status)| status.runs.is_empty())
        });
    }
}

impl Served {
    /// Ends the repository. Its servers go on.
    pub(crate) fn end_without_servers(mut self) -> Directory {
        self.orb.shutdown();
        self.servers_stay = true;
        std::mem::replace(&mut self.directory, Directory::new())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if !self.servers_stay && !std::thread::panicking() {
            self.stop_all();
        }
        self.orb.shutdown();
        self.client.shutdown();
    }
}

/// The example server, which cargo builds with the tests of the package.
pub(crate) fn parrot() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let program = test.parent().and_then(Path::parent).unwrap().join("examples/parrot");
    assert!(program.exists(), "`cargo build -p armilla-imr --example parrot` builds the server");
    program
}

/// The number of the process that serves an object.
pub(crate) fn process(object: &Object) -> Result<u32, SystemException> {
    let mut request = object.request("where");
    request.set_return_type(TypeCode::ULong).invoke().map_err(system)?;
    Ok(request.return_value().get::<u32>()?.unwrap())
}

/// Calls an operation with a number.
pub(crate) fn call(object: &Object, operation: &str, number: u32) -> Result<(), SystemException> {
    let mut request = object.request(operation);
    request.add_in("number", Any::new(&number)?);
    request.set_return_type(u32::type_code()).invoke().map_err(system)
}

fn system<E: std::fmt::Debug>(error: Error<E>) -> SystemException {
    match error {
        Error::System(exception) => exception,
        other => panic!("{other:?}"),
    }
}

/// Waits until something is so.
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A directory for a test, which goes with the value.
pub(crate) struct Directory(PathBuf);

impl Directory {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = format!("armilla-imr-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}
