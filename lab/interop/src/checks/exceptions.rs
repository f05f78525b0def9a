//! Checks of user exceptions and system exceptions.

use super::{Checks, expect_same};
use crate::interop::echo::*;
use crate::interop::*;
use crate::report::{Outcome, expect};
use armilla::{Completion as Completed, Error, Minor, SystemException};
use armilla_giop::ior::OrbType;
use std::fmt::Debug;

/// The standard exceptions that omniORB knows too: those of CORBA 3.4 Part 1, A.5.1, but for the
/// ones of activities.
const SYSTEM_EXCEPTIONS: [&str; 36] = [
    "UNKNOWN",
    "BAD_PARAM",
    "NO_MEMORY",
    "IMP_LIMIT",
    "COMM_FAILURE",
    "INV_OBJREF",
    "OBJECT_NOT_EXIST",
    "NO_PERMISSION",
    "INTERNAL",
    "MARSHAL",
    "INITIALIZE",
    "NO_IMPLEMENT",
    "BAD_TYPECODE",
    "BAD_OPERATION",
    "NO_RESOURCES",
    "NO_RESPONSE",
    "PERSIST_STORE",
    "BAD_INV_ORDER",
    "TRANSIENT",
    "FREE_MEM",
    "INV_IDENT",
    "INV_FLAG",
    "INTF_REPOS",
    "BAD_CONTEXT",
    "OBJ_ADAPTER",
    "DATA_CONVERSION",
    "TRANSACTION_REQUIRED",
    "TRANSACTION_ROLLEDBACK",
    "INVALID_TRANSACTION",
    "INV_POLICY",
    "CODESET_INCOMPATIBLE",
    "REBIND",
    "TIMEOUT",
    "TRANSACTION_UNAVAILABLE",
    "TRANSACTION_MODE",
    "BAD_QOS",
];

/// Who makes references, in their `TAG_ORB_TYPE`: those whose servers tell exceptions in words.
const ARMILLA: u32 = u32::from_be_bytes(*b"ARM\0");
const JACORB: u32 = u32::from_be_bytes(*b"JAC\0");

impl Checks<'_> {
    pub(super) fn exceptions(&mut self) {
        self.user_exceptions();
        self.choose();
        for name in SYSTEM_EXCEPTIONS {
            self.check("raise_system", name, |echo| system_exception(echo, name, name));
        }
        self.check("raise_system", "unknown_name", |echo| {
            system_exception(echo, "NO_SUCH_EXCEPTION", "BAD_PARAM")
        });
        self.check("raise_system", "words", words);
        self.check("raise_system", "link_survives", |echo| Ok(echo.ping()?));
    }

    fn user_exceptions(&mut self) {
        self.check("raise_refused", "no_members", |echo| match user(echo.raise_refused())? {
            RaiseRefusedRaises::Refused(_) => Ok(()),
        });
        let everything = self.alphabet.everything();
        self.check("raise_failed", "members", |echo| {
            failed(echo, "")?;
            failed(echo, &everything)
        });
        self.check("raise_failed", "100_kb", |echo| failed(echo, &"r".repeat(100_000)));
        let exceptions: Vec<_> = (0..10).map(|seed| self.some_detailed(seed)).collect();
        self.check("raise_detailed", "members", |echo| {
            exceptions.iter().try_for_each(|wanted| detailed(echo, wanted))
        });
    }

    fn some_detailed(&self, seed: usize) -> Detailed {
        let mut filler = self.random(seed);
        Detailed {
            lead: 200,
            record: filler.make(),
            numbers: filler.elements(seed),
            choice: filler.make(),
            outcome: Verdict::Rejected,
            reason: filler.make(),
        }
    }

    fn choose(&mut self) {
        self.check("choose", "returns", |echo| {
            let mut note = "note".to_owned();
            expect(echo.choose(0, &mut note)? == (42, 0.5), "another result")?;
            expect_same("note", note.as_str(), "note!")
        });
        let chosen = |echo: &EchoRef, which| echo.choose(which, &mut "why".to_owned());
        self.check("choose", "first_exception", |echo| {
            let raised = user(chosen(echo, 1))?;
            expect(raised == ChooseRaises::Refused(Refused), format!("{raised:?}"))
        });
        self.check("choose", "second_exception", |echo| {
            let raised = user(chosen(echo, 2))?;
            let wanted = Failed { reason: "why".into(), code: 2 };
            expect(raised == ChooseRaises::Failed(wanted), format!("{raised:?}"))
        });
        self.check("choose", "third_exception", |echo| {
            let raised = user(chosen(echo, 3))?;
            let wanted = Detailed {
                lead: 3,
                record: BinStruct::default(),
                numbers: Vec::new(),
                choice: ByLong::Tiny(0),
                outcome: Verdict::Rejected,
                reason: "why".into(),
            };
            expect(raised == ChooseRaises::Detailed(wanted), format!("{raised:?}"))
        });
        self.check("choose", "system_exception", |echo| match chosen(echo, 4) {
            Err(Error::System(error)) => expect(error.kind().name() == "BAD_PARAM", error),
            other => expect(false, format!("{other:?}")),
        });
    }
}

/// The user exception that a call ended with.
fn user<T: Debug, E>(answer: Result<T, Error<E>>) -> Result<E, Box<dyn std::error::Error>> {
    match answer {
        Err(Error::User(exception)) => Ok(exception),
        Err(Error::System(exception)) => Err(exception.into()),
        Ok(result) => Err(format!("nothing was raised, the result is {result:?}").into()),
    }
}

fn failed(echo: &EchoRef, reason: &str) -> Outcome {
    let RaiseFailedRaises::Failed(error) = user(echo.raise_failed(reason, i32::MIN))?;
    expect_same("reason", error.reason.as_str(), reason)?;
    expect_same("code", &error.code, &i32::MIN)
}

fn detailed(echo: &EchoRef, wanted: &Detailed) -> Outcome {
    let Detailed { lead, record, numbers, choice, outcome, reason } = wanted;
    let answer = echo.raise_detailed(*lead, record, numbers, choice, *outcome, reason);
    let RaiseDetailedRaises::Detailed(error) = user(answer)?;
    expect_same("exception", &error, wanted)
}

/// Servers that say in words why they raise an exception are understood.
fn words(echo: &EchoRef) -> Outcome {
    let Err(raised) = echo.raise_system("NO_PERMISSION", 7, Completion::NotDone) else {
        return expect(false, "nothing was raised");
    };
    let text = raised.to_string();
    let profile = echo.object().ior().iiop_profiles().find_map(Result::ok);
    let made_by = profile.and_then(|profile| profile.component::<OrbType>().ok().flatten());
    let silent = !matches!(made_by, Some(OrbType(ARMILLA | JACORB)));
    expect(silent || text.contains("it says: raised as asked"), text)
}

/// The server raises the exception with every completion status, and a minor code of its own.
/// Instead of NO it may say MAYBE, because the servant was entered.
fn system_exception(echo: &EchoRef, name: &str, wanted: &str) -> Outcome {
    let statuses = [
        (Completion::Done, Completed::Yes),
        (Completion::NotDone, Completed::No),
        (Completion::PerhapsDone, Completed::Maybe),
    ];
    for (minor, (status, completed)) in [0, 0x7fff_ffff, 0xffff_fffe].into_iter().zip(statuses) {
        let raised: SystemException = match echo.raise_system(name, minor, status) {
            Err(error) => error,
            Ok(()) => return expect(false, "nothing was raised"),
        };
        let got = (raised.kind().name(), raised.minor(), raised.completed());
        let is_careful = (completed, got.2) == (Completed::No, Completed::Maybe);
        let wanted = (wanted, Minor(minor), if is_careful { got.2 } else { completed });
        expect(got == wanted, format!("{got:?} instead of {wanted:?}"))?;
    }
    Ok(())
}
