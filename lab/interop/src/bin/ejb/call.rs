//! A client of an enterprise bean.

use super::Outcome;
use super::generated::ejb::{Account, AccountHome, AccountHomeRef, Text, TextRef};
use super::options::Options;
use armilla::interceptor::{
    ClientInterceptor, ClientRequestInfo, Interruption, OrbInitInfo, OrbInitializer,
};
use armilla::{Orb, SystemException, Value};
use armilla_giop::csi::{ContextError, SECURITY_ATTRIBUTES_CONTEXT, SasMessage};
use armilla_security::{ClientSecurity, Identity};
use armilla_tls::Tls;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Calls an account `--times` times, and prints the outcomes in a line.
pub(crate) fn call(url: &str, options: &Options<'_>) -> Outcome {
    let seen = Seen::default();
    let mut builder = Orb::builder().initializer(seen.clone());
    if let Some(tls) = options.tls(None)? {
        builder = builder.transport(tls);
    }
    let security = security(options)?;
    let orb = builder.initializer(security.clone()).build()?;
    let home: AccountHomeRef = orb.resolve(url)?;
    // Not at the naming service, which takes no assertions.
    let identity = options.value("--acting-for").map(|kind| identity(kind, options)).transpose()?;
    let _acting = identity.map(|identity| security.acting_for(&identity)).transpose()?;
    let contexts: Vec<&str> = options.value("--contexts").unwrap_or_default().split(',').collect();
    let times = options.value("--times").map_or(Ok(contexts.len()), str::parse)?;
    let mut outcomes = Vec::new();
    for turn in 0..times {
        let context = contexts.get(turn).copied().unwrap_or_default();
        seen.state().next = octets(context)?;
        let outcome = once(&home, options);
        let outcome = outcome.unwrap_or_else(|exception| shown(&exception));
        outcomes.push(format!("{outcome}{}", seen.state().said));
    }
    println!("{}", outcomes.join("; "));
    orb.shutdown();
    Ok(())
}

fn octets(hexadecimal: &str) -> Outcome<Vec<u8>> {
    let pairs = hexadecimal.as_bytes().chunks(2);
    pairs.map(|pair| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?)).collect()
}

/// As whom the client calls.
fn security(options: &Options<'_>) -> Outcome<ClientSecurity> {
    let builder = ClientSecurity::builder().stateful(options.has("--stateful"));
    let user = options.value("--user").zip(options.value("--password"));
    Ok(match user {
        Some((user, password)) => builder.user(user.parse()?, password).build(),
        None => builder.build(),
    })
}

fn identity(kind: &str, options: &Options<'_>) -> Outcome<Identity> {
    let (kind, name) = kind.split_once(':').unwrap_or((kind, ""));
    let file = |name| -> Outcome<_> {
        Ok(Path::new(options.value("--pki").ok_or("--pki is needed")?).join(name))
    };
    Ok(match kind {
        "name" => Identity::User(name.parse()?),
        "certificate" => Identity::Certificates(vec![fs::read(file("client.der")?)?]),
        "dn" => {
            let certificate = Tls::read_certificates(file("client.pem")?)?.remove(0);
            Identity::DistinguishedName(certificate.subject.der().to_vec())
        }
        "anonymous" => Identity::Anonymous,
        _ => return Err(format!("{kind} is no kind of identity").into()),
    })
}

fn once(home: &AccountHomeRef, options: &Options<'_>) -> Result<String, SystemException> {
    let account = home.create()?;
    let text = || -> TextRef {
        Some(Value::new(Text(options.value("--text").unwrap_or_default().into())))
    };
    let answer = match options.value("--operation") {
        None => account.caller()?,
        Some("relay") => account.relay(&text())?,
        Some(_) => account.work(&text())?,
    };
    Ok(answer.map_or_else(|| "null".to_owned(), |text| text.get().0.to_string()))
}

fn shown(exception: &SystemException) -> String {
    let (kind, minor) = (exception.kind().name(), exception.minor().0);
    format!("{kind} {minor:#x} {}", exception.completed())
}

/// Sends contexts as they are, and notes what comes back.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    next: Vec<u8>,
    said: String,
}

impl Seen {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    fn note(&self, request: &ClientRequestInfo<'_>) -> Result<(), SystemException> {
        let contexts = request.reply_service_contexts()?;
        let message = contexts.get(SECURITY_ATTRIBUTES_CONTEXT).map(SasMessage::decode_data);
        self.state().said = match message {
            None => String::new(),
            // Sometimes WildFly does not say that it agrees.
            Some(Ok(SasMessage::Complete { stateful: false, .. })) => String::new(),
            Some(Ok(SasMessage::Complete { context, .. })) => format!(" [kept {context}]"),
            Some(Ok(SasMessage::Error(ContextError { context, major, minor, token }))) => {
                let token = if token.is_empty() { "no token" } else { "a token" };
                format!(" [error {major}, {minor} of {context}, {token}]")
            }
            Some(other) => format!(" [{other:?}]"),
        };
        Ok(())
    }
}

impl OrbInitializer for Seen {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        info.add_client_interceptor(self.clone())
    }
}

impl ClientInterceptor for Seen {
    fn name(&self) -> &str {
        "seen"
    }

    fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let data = self.state().next.clone();
        if !data.is_empty() {
            request.add_request_service_context(SECURITY_ATTRIBUTES_CONTEXT, &data, true)?;
        }
        Ok(())
    }

    fn receive_reply(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.note(request)
    }

    fn receive_exception(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        Ok(self.note(request)?)
    }
}
