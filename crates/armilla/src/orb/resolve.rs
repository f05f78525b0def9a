//! Initial references, and the conversion between references and strings.
//!
//! The syntax of object URLs is in `armilla_giop::url`.

use super::Initial;
use crate::client::{Object, Waiting};
use crate::exception::{Completion, Minor, SystemException};
use crate::naming;
use crate::object::Ref;
use crate::runtime::Orb;
use crate::server::Interface;
use crate::sync::lock;
use armilla_giop::Version;
use armilla_giop::url::{Corbaloc, CorbalocAddress, NAME_SERVICE, ObjectUrl, UrlError};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::io::{self, Read};

impl Orb {
    /// The object at `url` as a reference to the interface `I`. If the URL does not tell whether
    /// the object has that interface, the client asks the object.
    ///
    /// ```no_run
    /// use armilla::Orb;
    /// use armilla_cos_naming::NamingContextRef;
    ///
    /// let orb = Orb::new()?;
    /// let context: NamingContextRef = orb.resolve("corbaloc::localhost:2809/NameService")?;
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`string_to_object`](Self::string_to_object) and [`Object::narrow`]; `INV_OBJREF`
    /// when the URL stands for a nil reference.
    pub fn resolve<I: Interface + ?Sized>(&self, url: &str) -> Result<Ref<I>, SystemException> {
        Waiting::blocking(|waiting| self.resolve_with(url, waiting))
    }

    /// [`resolve`](Self::resolve) without blocking a thread: for a server that is slow or silent,
    /// the task waits, and the executor goes on with others.
    ///
    /// # Errors
    /// Those of [`resolve`](Self::resolve).
    pub async fn resolve_async<I: Interface + ?Sized>(
        &self,
        url: &str,
    ) -> Result<Ref<I>, SystemException> {
        self.resolve_with(url, Waiting::Task).await
    }

    async fn resolve_with<I: Interface + ?Sized>(
        &self,
        url: &str,
        waiting: Waiting,
    ) -> Result<Ref<I>, SystemException> {
        let object = self.follow(parse(url)?, waiting).await?;
        object.reference()?;
        object.narrow_with(waiting).await.map_err(|error| error.with_reference_hint(url))
    }

    /// The reference that `url` denotes: `IOR:…`, `corbaloc:…`, `corbaname:…` or `file://…`
    /// (CORBA 3.4 Part 2, 7.6.10). Only `corbaname:` calls a server.
    ///
    /// ```
    /// # use armilla::Orb;
    /// let orb = Orb::new()?;
    /// // Two addresses, which the client tries in order; the port defaults to 2809.
    /// let url = "corbaloc:iiop:1.2@bank.example.org,:[::1]:9999/Bank";
    /// let bank = orb.string_to_object(url)?;
    /// assert!(orb.object_to_string(&bank)?.starts_with("IOR:"));
    /// assert!(orb.string_to_object("corbaloc::/").is_ok(), "the host defaults to this one");
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    ///
    /// # Errors
    /// `BAD_PARAM` when the URL is malformed or the file cannot be read. For `corbaname:` also
    /// those of a call to the naming service.
    pub fn string_to_object(&self, url: &str) -> Result<Object, SystemException> {
        Waiting::blocking(|waiting| async move { self.follow(parse(url)?, waiting).await })
    }

    /// [`string_to_object`](Self::string_to_object) without blocking a thread. A `file://` URL is
    /// read at once.
    ///
    /// # Errors
    /// Those of [`string_to_object`](Self::string_to_object).
    pub async fn string_to_object_async(&self, url: &str) -> Result<Object, SystemException> {
        self.follow(parse(url)?, Waiting::Task).await
    }

    /// The reference that a URL stands for.
    async fn follow(&self, url: ObjectUrl, waiting: Waiting) -> Result<Object, SystemException> {
        let mut names = Vec::new();
        let mut object = self.unfold(url, &mut names)?;
        while let Some(name) = names.pop() {
            object = naming::resolve_corbaname(object, &name, waiting).await?;
        }
        Ok(object)
    }

    /// The reference at which a URL begins. The names to resolve from there are added to `names`,
    /// the first one last. The URL may name an initial reference, whose URL may name another, and
    /// so on; a limited number of them.
    fn unfold(&self, url: ObjectUrl, names: &mut Vec<String>) -> Result<Object, SystemException> {
        let mut url = url;
        for _ in 0..=MAX_INDIRECTIONS {
            let location = match url {
                ObjectUrl::Ior(ior) => return Ok(Object::from_ior(self, ior)),
                ObjectUrl::File(path) => {
                    url = parse(&read_reference(&path)?)?;
                    continue;
                }
                ObjectUrl::Corbaloc(location) => location,
                ObjectUrl::Corbaname { location, name } => {
                    names.push(name);
                    location
                }
            };
            match initial_name(&location) {
                Some(name) => url = self.initial_url(&name)?,
                None => return self.locate_url(&location),
            }
        }
        Err(cycle())
    }

    /// The reference as an `IOR:` string, which any ORB can read.
    ///
    /// # Errors
    /// `BAD_PARAM` when a part of the reference cannot be encoded.
    pub fn object_to_string(&self, object: impl AsRef<Object>) -> Result<String, SystemException> {
        let text = object.as_ref().ior().to_text();
        text.map_err(|error| SystemException::encoding(&error, Completion::No))
    }

    /// The initial reference of this name (CORBA 3.4 Part 1, 8.5.2 and 8.5.3). The order of
    /// precedence is: the reference that was [registered](Self::register_initial_reference), the
    /// one of `-ORBInitRef` or the builder, the one relative to `-ORBDefaultInitRef`.
    ///
    /// # Errors
    /// `BAD_PARAM` when the ORB does not know the name; those of
    /// [`string_to_object`](Self::string_to_object). CORBA specifies local objects for some names
    /// (`RootPOA`, `PICurrent` …). For these the error has a hint that names the method of this
    /// ORB.
    pub fn resolve_initial_references(&self, name: &str) -> Result<Object, SystemException> {
        Waiting::blocking(|waiting| self.initial_reference(name, waiting))
    }

    /// [`resolve_initial_references`](Self::resolve_initial_references) without blocking a thread.
    ///
    /// # Errors
    /// Those of [`resolve_initial_references`](Self::resolve_initial_references).
    pub async fn resolve_initial_references_async(
        &self,
        name: &str,
    ) -> Result<Object, SystemException> {
        self.initial_reference(name, Waiting::Task).await
    }

    /// The initial reference of this name.
    pub(crate) async fn initial_reference(
        &self,
        name: &str,
        waiting: Waiting,
    ) -> Result<Object, SystemException> {
        self.follow(self.initial_url(name)?, waiting).await
    }

    /// The URL of the initial reference of this name.
    fn initial_url(&self, name: &str) -> Result<ObjectUrl, SystemException> {
        let registered = lock(&self.part::<Initial>().registered).get(name).cloned();
        let known = registered.or_else(|| self.part::<Initial>().given.get(name).cloned());
        let below = || self.part::<Initial>().default.as_ref().map(|url| format!("{url}/{name}"));
        match known.or_else(below) {
            Some(url) => parse(&url),
            None => {
                let what = format!("no initial reference {name:?} is known");
                let hint = match local_object(name) {
                    Some(method) => format!("it is no reference here; {method} gives it"),
                    None => format!("-ORBInitRef {name}=corbaloc::HOST:PORT/{name} names one"),
                };
                Err(SystemException::bad_param(Minor::NO_INITIAL_REFERENCE, what).with_hint(hint))
            }
        }
    }

    /// The names of the initial references that were registered or given to the ORB:
    /// `list_initial_services`.
    #[doc(alias = "list_initial_services")]
    pub fn list_initial_references(&self) -> Vec<String> {
        let registered = lock(&self.part::<Initial>().registered);
        let all = registered.keys().chain(self.part::<Initial>().given.keys());
        all.collect::<BTreeSet<_>>().into_iter().cloned().collect()
    }

    /// Registers `object` as the initial reference `name`. It takes precedence over a URL that the
    /// builder or the command line gave for that name.
    ///
    /// ```
    /// # use armilla::Orb;
    /// let orb = Orb::new()?;
    /// let bank = orb.string_to_object("corbaloc::bank.example.org/Bank")?;
    /// orb.register_initial_reference("Bank", &bank)?;
    /// assert!(orb.list_initial_references().contains(&"Bank".to_owned()));
    /// // `corbaloc:rir:` denotes initial references.
    /// assert_eq!(orb.string_to_object("corbaloc:rir:/Bank")?, bank);
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    ///
    /// # Errors
    /// `BAD_PARAM` when the name is empty or registered already (`InvalidName` in the
    /// specification), when the reference is nil (minor code 27), or when a part of the reference
    /// cannot be encoded.
    pub fn register_initial_reference(
        &self,
        name: &str,
        object: impl AsRef<Object>,
    ) -> Result<(), SystemException> {
        if object.as_ref().is_nil() {
            let what = format!("a nil reference cannot be the initial reference {name:?}");
            return Err(SystemException::bad_param(Minor::BAD_PARAM_NIL_INITIAL_REFERENCE, what));
        }
        let url = self.object_to_string(object)?;
        match lock(&self.part::<Initial>().registered).entry(name.to_owned()) {
            Entry::Vacant(entry) if !name.is_empty() => {
                entry.insert(url);
                Ok(())
            }
            _ => {
                let what =
                    format!("the initial reference {name:?} has no name or is registered already");
                Err(SystemException::bad_param(Minor::BAD_ARGUMENT, what))
            }
        }
    }

    fn locate_url(&self, location: &Corbaloc) -> Result<Object, SystemException> {
        let ior = location
            .to_ior(Version::V1_2)
            .map_err(|error| SystemException::encoding(&error, Completion::No))?;
        Ok(Object::from_ior(self, ior))
    }
}

impl Initial {
    /// Checks the syntax of the URLs of initial references (CORBA 3.4 Part 1, 8.5.3). Whether there
    /// is an object at a URL shows only when the program resolves it.
    ///
    /// # Errors
    /// `BAD_PARAM` for the first malformed URL.
    pub(super) fn check(&self) -> Result<(), SystemException> {
        let check = |name: &str, url: &str| match ObjectUrl::parse(url) {
            Ok(_) => Ok(()),
            Err(error) => {
                let what = format!("the initial reference {name:?} is at {url:?}: {error}");
                Err(SystemException::bad_param(minor_code(&error), what))
            }
        };
        self.given.iter().try_for_each(|(name, url)| check(name, url))?;
        let below = self.default.as_ref().map(|url| format!("{url}/{NAME_SERVICE}"));
        below.map_or(Ok(()), |url| check(NAME_SERVICE, &url))
    }
}

/// How many initial references the ORB follows from one URL before it assumes a cycle.
const MAX_INDIRECTIONS: usize = 8;

fn cycle() -> SystemException {
    let what = "an initial reference leads to itself, or through too many others";
    SystemException::bad_param(Minor::BAD_PARAM_INVALID_URL, what)
}

/// The name of the initial reference that a location stands for, if it does.
fn initial_name(location: &Corbaloc) -> Option<Cow<'_, str>> {
    let name = String::from_utf8_lossy(&location.key);
    let name = if name.is_empty() { NAME_SERVICE.into() } else { name };
    location.addresses.contains(&CorbalocAddress::Rir).then_some(name)
}

/// The method that stands for the local object of this name (CORBA 3.4 Part 1, 8.5.2).
fn local_object(name: &str) -> Option<&'static str> {
    Some(match name {
        "RootPOA" => "Orb::root_poa",
        "POACurrent" => "Orb::poa_current",
        "PICurrent" => "Orb::pi_current",
        "CodecFactory" => "interceptor::Codec::new",
        "DynAnyFactory" => "dynamic::DynAny::new",
        "ORBPolicyManager" => "Orb::set_policies",
        "PolicyCurrent" => "PolicyCurrent::set",
        _ => return None,
    })
}

fn parse(url: &str) -> Result<ObjectUrl, SystemException> {
    ObjectUrl::parse(url).map_err(|error| {
        let short: String = url.chars().take(60).collect();
        SystemException::bad_param(minor_code(&error), format!("{short:?}: {error}")).with_hint(
            "references are IOR:…, corbaloc::HOST:PORT/KEY, corbaname::HOST:PORT#NAME, \
             file:///PATH",
        )
    })
}

/// The standard minor code for an error in a URL (CORBA 3.4 Part 1, annex A).
const fn minor_code(error: &UrlError) -> Minor {
    match error {
        UrlError::UnknownScheme(_) => Minor::BAD_PARAM_INVALID_URL_SCHEME,
        UrlError::UnknownProtocol(_)
        | UrlError::MissingProtocol(_)
        | UrlError::RirNotAlone
        | UrlError::BadVersion(_)
        | UrlError::BadHost(_)
        | UrlError::BadPort(_) => Minor::BAD_PARAM_INVALID_URL_ADDRESS,
        UrlError::BadEscape(_) | UrlError::NotUtf8 | UrlError::Name(_) => {
            Minor::BAD_PARAM_INVALID_URL_SCHEME_PART
        }
        _ => Minor::BAD_PARAM_INVALID_URL,
    }
}

/// The largest file that the ORB reads as a reference, in octets.
const MAX_REFERENCE: u64 = 1 << 20;

/// The reference in a file. A `file:` URL in the file is an error, because files could refer to one
/// another in a cycle.
fn read_reference(path: &str) -> Result<String, SystemException> {
    let bad = |what: String| SystemException::bad_param(Minor::BAD_PARAM_INVALID_URL, what);
    let failed = |error: io::Error| bad(format!("{path}: {error}"));
    let kind = std::fs::metadata(path).map_err(failed)?.file_type();
    if !kind.is_file() {
        // A pipe without a writer blocks the thread that opens it, and a device may never end.
        let what = if kind.is_dir() { "it is a directory" } else { "it is a pipe or a device" };
        return Err(bad(format!("{path}: a reference is read from a regular file only; {what}")));
    }
    let mut text = String::new();
    // Not the size that the system states: some files of the system have none.
    File::open(path)
        .and_then(|file| file.take(MAX_REFERENCE + 1).read_to_string(&mut text))
        .map_err(failed)?;
    if text.len() as u64 > MAX_REFERENCE {
        return Err(bad(format!(
            "{path}: more than {MAX_REFERENCE} octets are too many for a reference"
        )));
    }
    let text = text.trim();
    if text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:")) {
        return Err(bad(format!("{path}: the file refers to another file")));
    }
    Ok(text.to_owned())
}
