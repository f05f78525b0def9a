//! A server with an account that tells who calls it.

use super::Outcome;
use super::generated::ejb::{self, Account, Text, TextRef};
use super::options::Options;
use armilla::{ExceptionKind, Orb, SystemException, Value};
use armilla_security::{Authentication, ScopedName, ServerSecurity};
use armilla_tls::Verify;
use std::fs;
use std::io::{self, Read};

struct Teller(ServerSecurity);

impl Account for Teller {
    fn caller(&self) -> Result<TextRef, SystemException> {
        let caller = self.0.caller().map_or_else(|| "nobody".to_owned(), |it| it.to_string());
        let who = caller.split(" at ").next().unwrap_or_default();
        Ok(Some(Value::new(Text(who.into()))))
    }

    fn relay(&self, _: &TextRef) -> Result<TextRef, SystemException> {
        Err(ExceptionKind::NoImplement.because("this account asks nobody"))
    }

    fn work(&self, _: &TextRef) -> Result<TextRef, SystemException> {
        Err(ExceptionKind::NoImplement.because("this account does nothing"))
    }
}

pub(crate) fn serve(file: &str, options: &Options<'_>) -> Outcome {
    let authentication = match options.value("--authentication") {
        Some("off") => Authentication::Off,
        Some("optional") => Authentication::Optional,
        _ => Authentication::Required,
    };
    let realm = options.value("--realm").unwrap_or("default");
    let expected =
        (format!("ann@{realm}"), options.value("--password").unwrap_or("secret").to_owned());
    let mut security = ServerSecurity::builder()
        .realm(realm)
        .passwords(move |user: &ScopedName, password: &[u8]| {
            user.to_string() == expected.0 && password == expected.1.as_bytes()
        })
        .authentication(authentication)
        .stateful(!options.has("--stateless"));
    if let Some(asserter) = options.value("--asserter") {
        for whom in ["*@default", "dn:*", "anonymous"] {
            security = security.may_assert(asserter, whom);
        }
    }
    let security = security.build()?;
    let mut orb = Orb::builder();
    if !options.has("--tls-alone") {
        orb = orb.listen("iiop://127.0.0.1:0")?;
    }
    if let Some(mut tls) = options.tls(Some("server"))? {
        if options.has("--verify") {
            tls = tls.verify(Verify::Required);
        }
        let port = options.value("--tls-port").unwrap_or("0");
        orb = orb.transport(tls).listen(&format!("ssliop://127.0.0.1:{port}"))?;
    }
    let orb = orb.initializer(security.clone()).build()?;
    let account: ejb::AccountRef = orb.root_poa().activate(ejb::account::tie(Teller(security)))?;
    let unfinished = format!("{file}.unfinished");
    fs::write(&unfinished, orb.object_to_string(&account)?)?;
    fs::rename(unfinished, file)?;
    io::stdin().read_to_end(&mut Vec::new())?;
    orb.shutdown();
    Ok(())
}
