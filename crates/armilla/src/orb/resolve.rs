//! Initial references, and the conversion between references and strings.
//!
//! The syntax of object URLs is in `armilla_giop::url`.

use super::Initial;
use crate::client::Object;
use crate::exception::{Completion, Minor, SystemException};
use crate::object::Ref;
use crate::runtime::Orb;
use crate::server::Interface;
use crate::sync::lock;
use armilla_giop::Version;
use armilla_giop::url::{Corbaloc, CorbalocAddress, NAME_SERVICE, ObjectUrl, UrlError};
use std::collections::BTreeSet;
use std::collections::btree_map::Entry;
use std::path::Path;

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
        let object = self.string_to_object(url)?;
        object.reference()?;
        object.narrow().map_err(|error| error.with_reference_hint(url))
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
        self.follow(parse(url)?, MAX_INDIRECTIONS)
    }

    /// The reference that a URL stands for. The URL may name an initial reference, whose URL may
    /// name another, and so on; at most `indirections` of them.
    fn follow(&self, url: ObjectUrl, indirections: usize) -> Result<Object, SystemException> {
        match url {
            ObjectUrl::Ior(ior) => Ok(Object::from_ior(self, ior)),
            ObjectUrl::Corbaloc(location) => self.locate_url(&location, indirections),
            ObjectUrl::Corbaname { location, name } => {
                let context = self.locate_url(&location, indirections)?;
                self.resolve_corbaname(context, &name)
            }
            ObjectUrl::File(path) => self.follow(parse(&read_reference(&path)?)?, indirections),
        }
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
        self.initial_reference(name, MAX_INDIRECTIONS)
    }

    /// The initial reference of this name, found through at most `indirections` initial references.
    fn initial_reference(
        &self,
        name: &str,
        indirections: usize,
    ) -> Result<Object, SystemException> {
        let registered = lock(&self.part::<Initial>().registered).get(name).cloned();
        let known = registered.or_else(|| self.part::<Initial>().given.get(name).cloned());
        let below = || self.part::<Initial>().default.as_ref().map(|url| format!("{url}/{name}"));
        match known.or_else(below) {
            Some(url) => {
                let left = indirections.checked_sub(1).ok_or_else(|| cycle(name))?;
                self.follow(parse(&url)?, left)
            }
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

    fn locate_url(
        &self,
        location: &Corbaloc,
        indirections: usize,
    ) -> Result<Object, SystemException> {
        if location.addresses.contains(&CorbalocAddress::Rir) {
            let name = String::from_utf8_lossy(&location.key);
            let name = if name.is_empty() { NAME_SERVICE.into() } else { name };
            return self.initial_reference(&name, indirections);
        }
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

#[cold]
fn cycle(name: &str) -> SystemException {
    let what =
        format!("the initial reference {name:?} leads to itself, or through too many others");
    SystemException::bad_param(Minor::BAD_PARAM_INVALID_URL, what)
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
    let size = Path::new(path).metadata().map(|metadata| metadata.len());
    let text = match size {
        Ok(size) if size > MAX_REFERENCE => {
            return Err(bad(format!("{path}: {size} octets are too many for a reference")));
        }
        Ok(_) => std::fs::read_to_string(path).map_err(|e| bad(format!("{path}: {e}")))?,
        Err(error) => return Err(bad(format!("{path}: {error}"))),
    };
    let text = text.trim();
    if text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:")) {
        return Err(bad(format!("{path}: the file refers to another file")));
    }
    Ok(text.to_owned())
}
