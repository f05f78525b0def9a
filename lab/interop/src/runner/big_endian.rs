//! Requests in big-endian order, and for comparison in little-endian order, written octet by octet
//! and sent to all servers. All replies must be equivalent.

use super::raw::RawClient;
use super::{Orb, Server, Step, Suite, VERSIONS};
use crate::fill::{Alphabet, Fill, Filler, Mode};
use crate::interop::*;
use armilla_cdr::{ByteOrder, CdrResult, Decode, Decoder, Encode};
use armilla_giop::{ReplyStatus, SystemExceptionBody, Version};
use std::fmt::Debug;

pub(super) fn run(suite: &mut Suite) {
    for version in VERSIONS {
        suite.group(&format!("big-endian/{version}"), |suite, group| {
            let version: Version = version.parse()?;
            for orb in [Orb::Omni, Orb::Jac, Orb::Us] {
                let none: [&str; 0] = [];
                let server = Server::start(&suite.programs, &suite.directory, orb, &none)?;
                for order in [ByteOrder::Little, ByteOrder::Big] {
                    let connect = || RawClient::connect(&server.ior, version, order);
                    let prefix = format!("{}/{order:?}/", orb.name()).to_lowercase();
                    for (name, ask, wanted) in questions() {
                        group.check(&format!("{prefix}{name}"), || {
                            let got = ask(connect()?)?;
                            match got == wanted {
                                true => Ok(()),
                                false => Err(format!("{got} instead of {wanted}").into()),
                            }
                        });
                    }
                }
                server.end()?;
            }
            Ok(())
        });
    }
}

/// A request to a server, and the reply as text.
type Question = (&'static str, Box<dyn Fn(RawClient) -> Step<String>>, String);

fn questions() -> Vec<Question> {
    let mut all = echoes();
    all.extend(exceptions());
    all.extend(objects());
    all
}

fn echoes() -> Vec<Question> {
    let mut filler = Filler::new(Mode::Random(11), Alphabet::Latin1);
    let text =
        |length| Vec::from_iter((0..length).map(|n| Alphabet::Latin1.everything().repeat(n)));
    vec![
        echo("echo_short", i16::MIN, 0x0123_i16),
        echo("echo_longlong", i64::MIN, 0x0123_4567_89ab_cdef_i64),
        echo("echo_double", f64::MIN_POSITIVE, -0.0),
        echo("echo_string", Alphabet::Latin1.everything(), String::new()),
        echo("echo_basics", one::<Basics>(&mut filler), one(&mut filler)),
        echo("echo_nested", one::<Nested>(&mut filler), one(&mut filler)),
        echo("echo_person", one::<Person>(&mut filler), one(&mut filler)),
        echo("echo_by_long", ByLong::Text("text".into()), ByLong::Record(one(&mut filler))),
        echo("echo_triple", [1, -2, i32::MAX], one(&mut filler)),
        echo("echo_bin_seq", filler.elements::<BinStruct>(50), filler.elements(3)),
        echo("echo_double_seq", filler.elements::<f64>(50), Vec::new()),
        echo("echo_string_seq", text(3), text(1)),
        echo("echo_text_cube", filler.elements::<Vec<StringSeq>>(3), Vec::new()),
    ]
}

fn one<T: Fill>(filler: &mut Filler) -> T {
    filler.make()
}

/// A call of an operation that follows the echo rule.
fn echo<T>(operation: &'static str, given: T, before: T) -> Question
where
    T: Encode + for<'a> Decode<'a> + Debug + 'static,
{
    let wanted = format!("{:?}", (ReplyStatus::NoException, &before, &given, &given));
    let ask = move |mut client: RawClient| {
        client.call(
            operation,
            |out| {
                given.encode(out)?;
                before.encode(out)
            },
            |status, body| {
                let (result, copy) = (T::decode(body)?, T::decode(body)?);
                Ok(format!("{:?}", (status, result, copy, T::decode(body)?)))
            },
        )
    };
    (operation, Box::new(ask), wanted)
}

fn exceptions() -> Vec<Question> {
    let failed = |mut client: RawClient| {
        client.call(
            "raise_failed",
            |out| {
                out.put_string("reason")?;
                out.put_i32(-2);
                Ok(())
            },
            |status, body| {
                let members = (body.string()?.into_owned(), Failed::decode(body)?);
                Ok(format!("{status:?} {members:?}"))
            },
        )
    };
    let member = Failed { reason: "reason".into(), code: -2 };
    let wanted = format!("UserException {:?}", ("IDL:armilla.org/Interop/Failed:1.0", member));
    let no_permission = |mut client: RawClient| {
        client.call(
            "raise_system",
            |out| {
                out.put_string("NO_PERMISSION")?;
                out.put_u32(0x0102_0304);
                echo::Completion::PerhapsDone.encode(out)
            },
            |status, body| {
                let body = SystemExceptionBody::decode(body)?;
                Ok(format!("{status:?} {} {:#x} {:?}", body.id, body.minor, body.completed))
            },
        )
    };
    let raised = "SystemException IDL:omg.org/CORBA/NO_PERMISSION:1.0 0x1020304 Maybe";
    vec![
        ("raise_failed", Box::new(failed), wanted),
        ("raise_system", Box::new(no_permission), raised.to_owned()),
    ]
}

fn objects() -> Vec<Question> {
    fn answer(status: ReplyStatus, body: &mut Decoder<'_>) -> CdrResult<String> {
        match status {
            ReplyStatus::NoException => Ok(body.bool()?.to_string()),
            _ => Ok(SystemExceptionBody::decode(body)?.id.into_owned()),
        }
    }
    let is_a = |id: &'static str| {
        move |mut client: RawClient| client.call("_is_a", |out| out.put_string(id), answer)
    };
    let locate = |client: RawClient, status| {
        let mut client = client;
        client.locate().map(|got| (got == status).to_string())
    };
    let bad_operation = "IDL:omg.org/CORBA/BAD_OPERATION:1.0".to_owned();
    let not_exist = "IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0".to_owned();
    vec![
        ("is_a_base", Box::new(is_a("IDL:armilla.org/Interop/Values:1.0")), "true".to_owned()),
        ("is_not_a", Box::new(is_a("IDL:armilla.org/Interop/Counter:1.0")), "false".to_owned()),
        (
            "unknown_operation",
            Box::new(|mut client| client.call("no_such", |_| Ok(()), answer)),
            bad_operation,
        ),
        (
            "unknown_object",
            Box::new(|client| client.with_key(b"no such key").call("ping", |_| Ok(()), answer)),
            not_exist,
        ),
        ("locate_here", Box::new(move |client| locate(client, 1)), "true".to_owned()),
        (
            "locate_unknown",
            Box::new(move |client| locate(client.with_key(b"no such key"), 0)),
            "true".to_owned(),
        ),
    ]
}
