//! What interceptors are shown of the values of a call: those of dynamic invocation have them as
//! `any`s, static stubs do not (CORBA 3.4 Part 1, 16.3.12).

use super::client::out_of_order;
use super::outcome::Outcome;
use crate::dynamic::NamedValue;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use armilla_cdr::{Any, CdrResult, Encode, Encoder, TypeCode};

/// The values of a dynamic call.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    pub(crate) arguments: Vec<NamedValue>,
    pub(crate) result: Any,
    pub(crate) exceptions: Vec<TypeCode>,
    /// The properties of its `context` clause, name and value in turn.
    pub(crate) context: Vec<String>,
    /// The user exception that it ended with.
    pub(crate) raised: Option<Any>,
}

/// `NO_RESOURCES` where a call has no values to show (CORBA 3.4 Part 1, 16.3.12).
#[cold]
pub(super) fn no_resources() -> SystemException {
    let what = "a static stub or skeleton has no any of the values of its call";
    SystemException::new(ExceptionKind::NoResources, Minor::omg(1), Completion::No).because(what)
}

/// The exception that `outcome` is, as an any: one whose TypeCode is not known is `UNKNOWN`, with the
/// minor code 1 of the OMG (CORBA 3.4 Part 1, 16.3.13).
pub(super) fn exception(
    outcome: Option<&Outcome>,
    raised: Option<&Any>,
) -> Result<Any, SystemException> {
    match (outcome, raised) {
        (Some(Outcome::SystemException(exception)), _) => any_of(exception),
        (Some(Outcome::UserException(_)), Some(raised)) => Ok(raised.clone()),
        (Some(Outcome::UserException(id)), None) => {
            let unknown = Minor::UNKNOWN_USER_EXCEPTION;
            let kind = ExceptionKind::Unknown;
            any_of(&SystemException::new(kind, unknown, Completion::Yes).because(&**id))
        }
        _ => Err(out_of_order("the request has not ended with an exception")),
    }
}

/// A system exception as a value: its minor code, and how far the operation had come.
struct Members(u32, u32);

impl Encode for Members {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_u32(self.0);
        out.put_u32(self.1);
        Ok(())
    }
}

fn any_of(exception: &SystemException) -> Result<Any, SystemException> {
    let statuses = ["COMPLETED_YES", "COMPLETED_NO", "COMPLETED_MAYBE"];
    let id = exception.kind().repository_id();
    // `IDL:omg.org/CORBA/UNKNOWN:1.0`: the name is what stands behind the last of the scopes.
    let name = id.split(':').nth(1).and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    let status = TypeCode::enumeration(
        "IDL:omg.org/CORBA/completion_status:1.0",
        "completion_status",
        statuses,
    );
    let members = [("minor", TypeCode::ULong), ("completed", status)];
    let completed = match exception.completed() {
        Completion::Yes => 0,
        Completion::No => 1,
        Completion::Maybe => 2,
    };
    let values = Members(exception.minor().0, completed);
    Ok(Any::with_type(TypeCode::exception(id, name, members), &values)?)
}
