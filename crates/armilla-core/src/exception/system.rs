//! System exceptions: what the ORB reports when it cannot complete a call.

use super::{Completion, ExceptionKind, Minor};
use armilla_cdr::{CdrError, CdrErrorKind};
use std::borrow::Cow;
use std::fmt;

/// A standard exception: what happened, why, and whether the operation was executed.
///
/// Equality compares what travels on the wire: kind, minor code and completion. The reason and the
/// hint are for people.
///
/// ```
/// use armilla::{Completion, ExceptionKind};
///
/// let exception = ExceptionKind::NoPermission
///     .because("the account is frozen")
///     .with_hint("ask the branch that froze it");
/// assert_eq!(exception.completed(), Completion::No);
/// assert_eq!(
///     exception.to_string(),
///     "NO_PERMISSION: the account is frozen (not executed)\n  hint: ask the branch that froze it"
/// );
/// ```
#[derive(Clone)]
pub struct SystemException(Box<Inner>);

/// The fields. They are behind one pointer because each call returns a `Result` through several
/// functions, and a `Result` of one word costs least.
#[derive(Clone)]
struct Inner {
    kind: ExceptionKind,
    completed: Completion,
    minor: Minor,
    origin: Origin,
    explanation: Option<Explanation>,
}

/// Where an exception comes from, which tells whose operation its completion status is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The program or the ORB has raised it here.
    Here,
    /// A call has ended with it.
    Call,
    /// The program has said of the request that it serves whether it was executed.
    Stated,
}

/// What tells a person more than the code.
#[derive(Debug, Clone, Default)]
struct Explanation {
    reason: String,
    hint: Option<String>,
    /// The repository id of a system exception whose kind is unknown here, as long as the reason
    /// does not name it.
    id: Option<String>,
}

impl SystemException {
    /// An exception of `kind`, without reason or hint.
    #[cold]
    pub fn new(kind: ExceptionKind, minor: Minor, completed: Completion) -> Self {
        Self(Box::new(Inner { kind, completed, minor, origin: Origin::Here, explanation: None }))
    }

    /// The same exception with a reason: what happened, where, how long it took. The reason travels
    /// in the reply, unless [`exception_details`](crate::settings::Settings::exception_details) forbids it.
    #[cold]
    #[must_use]
    pub fn with_reason(mut self, reason: impl Into<String>) -> Self {
        self.0.explanation.get_or_insert_default().reason = reason.into();
        self
    }

    /// The same exception with advice on what to do. The hint stays in this process.
    #[cold]
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.explanation.get_or_insert_default().hint = Some(hint.into());
        self
    }

    /// Which of the standard exceptions this is.
    pub const fn kind(&self) -> ExceptionKind {
        self.0.kind
    }

    /// The minor code.
    pub const fn minor(&self) -> Minor {
        self.0.minor
    }

    /// Whether the server executed the operation.
    pub const fn completed(&self) -> Completion {
        self.0.completed
    }

    /// What happened, in words: from this ORB, or from the server that raised the exception. `None`
    /// when neither gave a reason.
    pub fn reason(&self) -> Option<&str> {
        self.0
            .explanation
            .as_ref()
            .map(|explanation| &*explanation.reason)
            .filter(|reason| !reason.is_empty())
    }

    /// The same exception with another completion status: what a servant says of its own operation
    /// when it passes on an exception that came to it from elsewhere, from a call or from the ORB.
    /// Without that such an exception leaves the servant as [`Completion::Maybe`].
    ///
    /// ```
    /// use armilla::{Completion, SystemException};
    ///
    /// fn open(ask_the_door: impl FnOnce() -> Result<(), SystemException>) -> Result<(), SystemException> {
    ///     // Nothing was done before, and the door was only asked: the client may try again.
    ///     ask_the_door().map_err(|exception| exception.with_completed(Completion::No))
    /// }
    /// # let _ = open(|| Ok(()));
    /// ```
    #[cold]
    #[must_use]
    pub fn with_completed(mut self, completed: Completion) -> Self {
        self.0.origin = Origin::Stated;
        self.completed_as(completed)
    }

    /// The same exception with another completion status, from the same origin.
    #[cold]
    #[must_use]
    pub(super) fn completed_as(mut self, completed: Completion) -> Self {
        self.0.completed = completed;
        self
    }

    /// The same exception, marked as the end of a call.
    #[cold]
    #[must_use]
    #[doc(hidden)]
    pub fn ending_call(mut self) -> Self {
        self.0.origin = Origin::Call;
        self
    }

    /// Whether a call has ended with it.
    pub(super) fn is_from_call(&self) -> bool {
        self.0.origin == Origin::Call
    }

    /// Whether its completion status is about the operation of the servant that raises it: the
    /// program has made it, or has stated the status. What the ORB raises has a minor code of the
    /// specification or of Armilla; its status is about what the servant has asked of the ORB.
    pub(super) fn is_of_servant(&self) -> bool {
        match self.0.origin {
            Origin::Here => !self.0.minor.is_of_orb(),
            Origin::Call => false,
            Origin::Stated => true,
        }
    }

    /// The same exception with a hint that names the URL of the reference, unless it has a hint
    /// already.
    #[cold]
    #[must_use]
    #[doc(hidden)]
    pub fn with_reference_hint(mut self, url: &str) -> Self {
        let short: String = url.chars().take(80).collect();
        let explanation = self.0.explanation.get_or_insert_default();
        explanation.hint.get_or_insert_with(|| format!("the reference came from {short}"));
        self
    }

    /// The same exception, which arrived with this repository id that no kind has.
    #[cold]
    #[must_use]
    #[doc(hidden)]
    pub fn with_unknown_id(mut self, id: String) -> Self {
        self.0.explanation.get_or_insert_default().id = Some(id);
        self
    }

    /// What the kind means, or the id of a kind that is unknown here.
    fn meaning(&self) -> Cow<'_, str> {
        match self.0.explanation.as_ref().and_then(|explanation| explanation.id.as_ref()) {
            Some(id) => format!("it raised {id}, which is no system exception known here").into(),
            None => self.0.kind.meaning().into(),
        }
    }

    /// The same exception, with `server` named as its source and `operation` as what was called.
    #[cold]
    #[must_use]
    #[doc(hidden)]
    pub fn attributed_to(mut self, server: &impl fmt::Display, operation: &str) -> Self {
        let reason = match self.0.minor {
            minor if minor == Minor::default() => self.meaning().into_owned(),
            // A server may be registered any time, so the meaning of the kind is not true here.
            minor @ Minor::SERVER_NOT_REGISTERED => minor.explain(self.0.kind).into_owned(),
            minor => format!("{}: {}", self.meaning(), minor.explain(self.0.kind)),
        };
        let said = match self.reason() {
            Some(detail) => format!("; it says: {detail}"),
            None => String::new(),
        };
        // A server tells nobody more who may not do something.
        let is_silent = said.is_empty() && self.0.minor == Minor::default();
        self.0.explanation.iter_mut().for_each(|explanation| explanation.id = None);
        let told = self.with_reason(format!("{server} answered {operation}: {reason}{said}"));
        match is_silent && told.kind() == ExceptionKind::NoPermission {
            true => told.with_hint(
                "the log and the audit record of the server say why; a password \
                 (`ClientSecurity`, --login NAME) or a certificate (-ORBCertificate and -ORBKey) \
                 shows who calls",
            ),
            false => told,
        }
    }

    /// The same exception with `note` appended to what it says.
    #[cold]
    #[must_use]
    #[doc(hidden)]
    pub fn with_note(self, note: &str) -> Self {
        let minor = self.unexplained_minor().map(|minor| format!(" ({minor})"));
        let reason = format!("{}{}{note}", self.in_words(), minor.unwrap_or_default());
        self.with_reason(reason)
    }

    /// What happened, without the completion status and the hint: the cause of another exception,
    /// whose status and hint count.
    #[cold]
    #[must_use]
    #[doc(hidden)]
    pub fn as_cause(&self) -> String {
        let minor = self.unexplained_minor().map(|minor| format!(" ({minor})"));
        format!("{}: {}{}", self.0.kind, self.in_words(), minor.unwrap_or_default())
    }

    /// The reason, or what else is known, without the minor code.
    fn in_words(&self) -> Cow<'_, str> {
        let named = self.0.explanation.as_ref().is_some_and(|explanation| explanation.id.is_some());
        match self.reason() {
            Some(detail) if named => format!("{}; it says: {detail}", self.meaning()).into(),
            Some(reason) => reason.into(),
            None => self.meaning(),
        }
    }

    /// What the minor code means, if there is no reason that tells more.
    fn unexplained_minor(&self) -> Option<Cow<'static, str>> {
        let is_told = self.reason().is_some() || self.0.minor == Minor::default();
        (!is_told).then(|| self.0.minor.explain(self.0.kind))
    }

    /// A value could not be encoded into a reply, or into an any.
    #[cold]
    #[doc(hidden)]
    pub fn encoding(error: &CdrError, completed: Completion) -> Self {
        let (kind, minor) = match error.kind {
            CdrErrorKind::WideInGiop1_0 => {
                (ExceptionKind::Marshal, Minor::MARSHAL_WCHAR_FROM_GIOP_1_0_SERVER)
            }
            CdrErrorKind::NoWideCodeSet => {
                (ExceptionKind::BadParam, Minor::BAD_PARAM_NO_WCHAR_CODE_SET)
            }
            CdrErrorKind::IncompleteTypeCode => {
                (ExceptionKind::BadTypecode, Minor::BAD_TYPECODE_INCOMPLETE)
            }
            _ if error.is_conversion() => (ExceptionKind::DataConversion, Minor::ENCODING_FAILED),
            _ => (ExceptionKind::BadParam, Minor::ENCODING_FAILED),
        };
        Self::new(kind, minor, completed).with_reason(error.to_string())
    }

    /// An argument could not be encoded into a request. `agreed` says whether the reference names
    /// code sets (CORBA 3.4 Part 2, 7.10.2.4).
    #[cold]
    #[doc(hidden)]
    pub fn encoding_request(error: &CdrError, agreed: bool) -> Self {
        let exception =
            |kind, minor| Self::new(kind, minor, Completion::No).with_reason(error.to_string());
        match (error.kind, agreed) {
            (CdrErrorKind::WideInGiop1_0, _) => {
                exception(ExceptionKind::Marshal, Minor::MARSHAL_WCHAR_FROM_GIOP_1_0_CLIENT)
            }
            (CdrErrorKind::NoWideCodeSet, true) => {
                exception(ExceptionKind::InvObjref, Minor::INV_OBJREF_NO_WCHAR_CODE_SET)
                    .with_hint("the server's references say that it has no wide characters")
            }
            (CdrErrorKind::NoWideCodeSet, false) => exception(
                ExceptionKind::InvObjref,
                Minor::INV_OBJREF_NO_CODE_SET_COMPONENT,
            )
            .with_hint(
                "the reference names no code sets; one that the server gives out itself does",
            ),
            _ => Self::encoding(error, Completion::No),
        }
    }

    /// Whether a value could not be encoded or decoded. Then the connection is not at fault: no
    /// message was left half sent or half read.
    #[doc(hidden)]
    pub fn is_marshalling_error(&self) -> bool {
        let standard = [
            // The type of a value is unknown; a TypeCode is incomplete.
            (ExceptionKind::Marshal, Minor::MARSHAL_NO_VALUE_FACTORY),
            (ExceptionKind::BadTypecode, Minor::BAD_TYPECODE_INCOMPLETE),
        ];
        [Minor::ENCODING_FAILED, Minor::DECODING_FAILED, Minor::MESSAGE_TOO_LARGE]
            .contains(&self.0.minor)
            || standard.contains(&(self.0.kind, self.0.minor))
            || (self.0.kind == ExceptionKind::InvObjref && self.0.completed == Completion::No)
    }

    /// A value of a message could not be decoded.
    #[cold]
    #[doc(hidden)]
    pub fn decoding(error: &CdrError, completed: Completion) -> Self {
        let (kind, minor) = match error.kind {
            CdrErrorKind::UnknownValueType => {
                (ExceptionKind::Marshal, Minor::MARSHAL_NO_VALUE_FACTORY)
            }
            _ if error.is_conversion() => (ExceptionKind::DataConversion, Minor::DECODING_FAILED),
            _ => (ExceptionKind::Marshal, Minor::DECODING_FAILED),
        };
        Self::new(kind, minor, completed).with_reason(error.to_string())
    }

    /// A parameter of a call to the ORB itself is wrong; nothing was sent.
    #[cold]
    #[doc(hidden)]
    pub fn bad_param(minor: Minor, reason: impl Into<String>) -> Self {
        Self::new(ExceptionKind::BadParam, minor, Completion::No).with_reason(reason)
    }

    /// No object is active under a key.
    #[cold]
    #[doc(hidden)]
    pub fn object_not_exist() -> Self {
        Self::new(ExceptionKind::ObjectNotExist, Minor::OBJECT_NOT_ACTIVE, Completion::No)
    }

    /// The ORB was shut down (CORBA 3.4 Part 1, 8.2.3.4).
    #[cold]
    #[doc(hidden)]
    pub fn shut_down() -> Self {
        Self::new(ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_ORB_SHUT_DOWN, Completion::No)
            .with_reason("the ORB was shut down")
    }

    /// The POA of an object does not exist, and no adapter activator makes it (CORBA 3.4 Part 1,
    /// 15.3.3).
    #[cold]
    #[doc(hidden)]
    pub fn no_adapter() -> Self {
        Self::new(ExceptionKind::ObjectNotExist, Minor::OBJECT_NOT_EXIST_NO_ADAPTER, Completion::No)
            .with_reason("the POA of the object is not there")
    }
}

impl ExceptionKind {
    /// An exception of this kind for a servant or a library to raise, with the reason, the minor
    /// code 0 and `COMPLETED_NO`: the client may repeat the call, so a servant that has already
    /// changed something says so by [`with_completed`](SystemException::with_completed) or
    /// [`SystemException::new`].
    ///
    /// ```
    /// use armilla::{ExceptionKind, SystemException};
    ///
    /// fn withdraw(frozen: bool) -> Result<(), SystemException> {
    ///     if frozen {
    ///         return Err(ExceptionKind::NoPermission.because("the account is frozen"));
    ///     }
    ///     Err(ExceptionKind::NoImplement.into())
    /// }
    /// assert_eq!(withdraw(true).unwrap_err().reason(), Some("the account is frozen"));
    /// assert_eq!(withdraw(false).unwrap_err().kind(), ExceptionKind::NoImplement);
    /// ```
    #[cold]
    pub fn because(self, reason: impl Into<String>) -> SystemException {
        SystemException::from(self).with_reason(reason)
    }
}

impl From<ExceptionKind> for SystemException {
    /// An exception without a reason, with the minor code 0 and `COMPLETED_NO`.
    #[cold]
    fn from(kind: ExceptionKind) -> Self {
        Self::new(kind, Minor::default(), Completion::No)
    }
}

impl PartialEq for SystemException {
    fn eq(&self, other: &Self) -> bool {
        let wire = |e: &Self| (e.0.kind, e.0.minor, e.0.completed);
        wire(self) == wire(other)
    }
}

impl Eq for SystemException {}

impl fmt::Display for SystemException {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} (", self.0.kind, self.in_words())?;
        if let Some(minor) = self.unexplained_minor() {
            write!(f, "{minor}; ")?;
        }
        write!(f, "{})", self.0.completed)?;
        match self.0.explanation.as_ref().and_then(|explanation| explanation.hint.as_ref()) {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for SystemException {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for SystemException {}
