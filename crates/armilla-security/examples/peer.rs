//! A server and a client with CSIv2: our side of `lab/interop/security/check`.
//!
//! ```text
//! peer authority DIRECTORY           makes an authority and a certificate for 127.0.0.1
//! peer serve FILE [--stateless] [--tls DIRECTORY [--tls-alone]]
//!                                    serves an account until standard input ends
//! peer call FILE USER PASSWORD TIMES [--stateful] [--threads N]
//! ```
//!
//! An account tells who calls it. Each call prints that, or the exception.

use armilla::dynamic::{DynamicServant, ServerRequest, serve};
use armilla::{Any, Object, ObjectId, Orb, SystemException, TypeCode};
use armilla_security::{Authentication, ClientSecurity, ScopedName, ServerSecurity};
use armilla_tls::{Authority, Tls};
use std::borrow::Cow;
use std::error::Error;
use std::io::Read;
use std::path::Path;
use std::time::Duration;
use std::{env, fs, io, thread};

const DAY: Duration = Duration::from_secs(86_400);

struct Account(ServerSecurity);

impl DynamicServant for Account {
    fn primary_interface(&self, _: &ObjectId) -> Cow<'_, str> {
        "IDL:Secured/Account:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
        request.arguments([])?;
        let caller = self.0.caller().map_or_else(|| "nobody".to_owned(), |it| it.to_string());
        let who = caller.split(" at ").next().unwrap_or_default();
        request.set_result(Any::new(who)?)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let has = |option: &str| arguments.iter().any(|argument| argument == option);
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["authority", directory] => authority(Path::new(directory)),
        ["serve", file, ..] => {
            let tls = arguments.iter().skip_while(|it| *it != "--tls").nth(1).map(Path::new);
            serve_account(file, !has("--stateless"), (tls, has("--tls-alone")))
        }
        ["call", file, user, password, times, ..] => {
            let threads = arguments.iter().skip_while(|it| *it != "--threads").nth(1);
            let threads = threads.map_or(Ok(1), |number| number.parse())?;
            call(file, (user, password), times.parse()?, has("--stateful"), threads)
        }
        _ => Err("serve FILE or call FILE USER PASSWORD TIMES is needed".into()),
    }
}

fn authority(directory: &Path) -> Result<(), Box<dyn Error>> {
    let authority = Authority::new("authority", DAY)?;
    let server = authority.issue("server", &["127.0.0.1"], DAY)?;
    fs::create_dir_all(directory)?;
    fs::write(directory.join("authority.pem"), &authority.own().certificate)?;
    fs::write(directory.join("server.pem"), server.certificate + &server.key)?;
    Ok(())
}

fn serve_account(
    file: &str,
    stateful: bool,
    (tls, alone): (Option<&Path>, bool),
) -> Result<(), Box<dyn Error>> {
    let long = "x".repeat(300);
    let security = ServerSecurity::builder()
        .realm("bank")
        .passwords(move |user: &ScopedName, password: &[u8]| match user.to_string().as_str() {
            "ann@bank" => password == b"secret" || password == long.as_bytes(),
            "gateway@bank" => password == b"gate",
            _ => false,
        })
        .authentication(Authentication::Required)
        .may_assert("gateway@bank", "*@bank")
        .may_assert("gateway@bank", "dn:*")
        .may_assert("gateway@bank", "anonymous")
        .stateful(stateful)
        .build()?;
    let mut orb = Orb::builder();
    if !alone {
        orb = orb.listen("iiop://127.0.0.1:0")?;
    }
    if let Some(directory) = tls {
        let tls = Tls::new().certificate(directory.join("server.pem"));
        orb = orb.transport(tls).listen("ssliop://127.0.0.1:0")?;
    }
    let orb = orb.initializer(security.clone()).build()?;
    let account = orb.root_poa().activate(serve(Account(security)))?;
    let unfinished = format!("{file}.unfinished");
    fs::write(&unfinished, orb.object_to_string(account.object())?)?;
    fs::rename(unfinished, file)?;
    io::stdin().read_to_end(&mut Vec::new())?;
    orb.shutdown();
    Ok(())
}

fn call(
    file: &str,
    (user, password): (&str, &str),
    times: u32,
    stateful: bool,
    threads: usize,
) -> Result<(), Box<dyn Error>> {
    let builder = Orb::builder();
    let builder = match user {
        "-" => builder,
        user => {
            let security = ClientSecurity::builder().user(user.parse()?, password);
            builder.initializer(security.stateful(stateful).build())
        }
    };
    let orb = builder.build()?;
    let account = orb.string_to_object(fs::read_to_string(file)?.trim())?;
    // Calls at once go over connections of their own.
    let lines = thread::scope(|scope| {
        let run = || (0..times).map(|_| once(&account)).collect::<Vec<_>>();
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        threads.into_iter().flat_map(|it| it.join().unwrap_or_default()).collect::<Vec<_>>()
    });
    lines.iter().for_each(|line| println!("{line}"));
    orb.shutdown();
    Ok(())
}

fn once(account: &Object) -> String {
    let mut request = account.request("caller");
    request.set_return_type(TypeCode::String(0));
    match request.invoke() {
        Ok(()) => match request.return_value().get::<String>() {
            Ok(Some(text)) => text,
            other => format!("{other:?}"),
        },
        Err(armilla::Error::System(exception)) => {
            let name = exception.kind().name();
            let text = exception.to_string();
            let numbers = text.split("CSIv2 error ").nth(1).and_then(|it| it.split(')').next());
            let numbers = numbers.map(|numbers| format!(" ({numbers})")).unwrap_or_default();
            format!("{name} {}{numbers}", exception.completed())
        }
        Err(other) => other.to_string(),
    }
}
