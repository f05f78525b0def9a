//! A server with an account that tells who has called, and clients of all kinds.

use armilla::interceptor::{ClientInterceptor, ClientRequestInfo, Interruption};
use armilla::{Error, Orb, OrbBuilder, Poa, SystemException};
use armilla_giop::csi::{ContextError, SECURITY_ATTRIBUTES_CONTEXT, SasMessage};
use armilla_security::{ClientSecurity, ScopedName, ServerSecurity, ServerSecurityBuilder};
use bank::bank::account::WithdrawRaises;
use bank::bank::{self as idl, Account, AccountRef};
use std::sync::{Arc, Mutex};

/// The passwords of the tests.
pub(crate) fn verify(user: &ScopedName, password: &[u8]) -> bool {
    matches!(
        (user.to_string().as_str(), password),
        ("ann@bank", b"secret") | ("gateway@bank", b"gate") | ("eve@elsewhere", b"guess")
    )
}

/// Notes who has called it.
struct Savings {
    security: ServerSecurity,
    callers: Arc<Mutex<Vec<String>>>,
}

impl idl::Account for Savings {
    fn balance(&self) -> Result<f64, SystemException> {
        let text = match self.security.caller() {
            Some(caller) => caller.to_string().split(" at ").next().unwrap_or_default().to_owned(),
            None => "nobody".to_owned(),
        };
        self.callers.lock().unwrap().push(text);
        Ok(1.0)
    }

    fn deposit(&self, _: f64) -> Result<(), SystemException> {
        self.balance().map(|_| ())
    }

    fn withdraw(&self, _: f64) -> Result<(), Error<WithdrawRaises>> {
        self.balance()?;
        Ok(())
    }
}

pub(crate) struct Server {
    pub(crate) orb: Orb,
    pub(crate) security: ServerSecurity,
    pub(crate) reference: String,
    callers: Arc<Mutex<Vec<String>>>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.orb.shutdown();
    }
}

impl Server {
    /// One that takes the passwords above.
    pub(crate) fn new(change: impl FnOnce(ServerSecurityBuilder) -> ServerSecurityBuilder) -> Self {
        Self::at("iiop://127.0.0.1:0", change)
    }

    pub(crate) fn at(
        endpoint: &str,
        change: impl FnOnce(ServerSecurityBuilder) -> ServerSecurityBuilder,
    ) -> Self {
        Self::of(Orb::builder().listen(endpoint).unwrap(), change)
    }

    /// One on an ORB that `orb` makes.
    pub(crate) fn of(
        orb: OrbBuilder,
        change: impl FnOnce(ServerSecurityBuilder) -> ServerSecurityBuilder,
    ) -> Self {
        let builder = ServerSecurity::builder().realm("bank").passwords(verify);
        let security = change(builder).build().unwrap();
        let orb = orb.initializer(security.clone()).build().unwrap();
        let callers = Arc::<Mutex<Vec<String>>>::default();
        let savings = Savings { security: security.clone(), callers: callers.clone() };
        let account: AccountRef = orb.root_poa().activate(idl::account::tie(savings)).unwrap();
        let reference = orb.object_to_string(&account).unwrap();
        Self { orb, security, reference, callers }
    }

    /// A reference to one more account, in this POA.
    pub(crate) fn account_in(&self, poa: &Poa) -> String {
        let (security, callers) = (self.security.clone(), self.callers.clone());
        let account: AccountRef =
            poa.activate(idl::account::tie(Savings { security, callers })).unwrap();
        self.orb.object_to_string(&account).unwrap()
    }

    /// Who has called since this was asked last.
    pub(crate) fn callers(&self) -> Vec<String> {
        std::mem::take(&mut self.callers.lock().unwrap())
    }
}

/// Whether the server has said no more than its exception does.
pub(crate) fn tells_nothing(refused: &SystemException) -> bool {
    !refused.to_string().contains("it says")
}

/// A client, and the account that it calls.
pub(crate) struct Client {
    pub(crate) orb: Orb,
    pub(crate) account: AccountRef,
}

impl Drop for Client {
    fn drop(&mut self) {
        self.orb.shutdown();
    }
}

impl Client {
    pub(crate) fn of(server: &Server, builder: OrbBuilder) -> Self {
        Self::to(&server.reference, builder)
    }

    pub(crate) fn to(reference: &str, builder: OrbBuilder) -> Self {
        let orb = builder.build().unwrap();
        let account = orb.resolve(reference).unwrap();
        Self { orb, account }
    }

    pub(crate) fn with(server: &Server, security: &ClientSecurity) -> Self {
        Self::of(server, Orb::builder().initializer(security.clone()))
    }

    pub(crate) fn user(server: &Server, user: &str, password: &str) -> Self {
        let security = ClientSecurity::builder().user(user.parse().unwrap(), password).build();
        Self::with(server, &security)
    }

    pub(crate) fn call(&self) -> Result<f64, SystemException> {
        self.account.balance()
    }
}

/// Sends the octets that it is given as the security context, and notes what comes back.
#[derive(Clone, Default)]
pub(crate) struct Raw(Arc<Mutex<Said>>);

/// What is sent, and what came back.
type Said = (Vec<u8>, Option<Vec<u8>>);

/// What came back: the error with its numbers and token, or the end of the establishing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Back {
    Nothing,
    Complete { context: u64, stateful: bool },
    Error { context: u64, major: i32, minor: i32, token: Vec<u8> },
}

impl Raw {
    /// Calls with a message, and returns what the call ended with and what came back.
    pub(crate) fn say(
        &self,
        client: &Client,
        message: &SasMessage<'_>,
    ) -> (Result<f64, SystemException>, Back) {
        self.say_octets(client, message.to_data().unwrap())
    }

    pub(crate) fn say_octets(
        &self,
        client: &Client,
        data: Vec<u8>,
    ) -> (Result<f64, SystemException>, Back) {
        *self.0.lock().unwrap() = (data, None);
        let result = client.call();
        let back = self.0.lock().unwrap().1.take();
        let back = match back.as_deref().map(|data| SasMessage::decode_data(data).unwrap()) {
            None => Back::Nothing,
            Some(SasMessage::Complete { context, stateful, .. }) => {
                Back::Complete { context, stateful }
            }
            Some(SasMessage::Error(ContextError { context, major, minor, token })) => {
                Back::Error { context, major, minor, token: token.to_vec() }
            }
            Some(other) => panic!("{other:?}"),
        };
        (result, back)
    }

    fn note(&self, request: &ClientRequestInfo<'_>) {
        let contexts = request.reply_service_contexts().unwrap();
        self.0.lock().unwrap().1 = contexts.get(SECURITY_ATTRIBUTES_CONTEXT).map(<[u8]>::to_vec);
    }
}

impl ClientInterceptor for Raw {
    fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        let data = self.0.lock().unwrap().0.clone();
        if !data.is_empty() {
            request.add_request_service_context(SECURITY_ATTRIBUTES_CONTEXT, &data, true)?;
        }
        Ok(())
    }

    fn receive_reply(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), SystemException> {
        self.note(request);
        Ok(())
    }

    fn receive_exception(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
        self.note(request);
        Ok(())
    }
}
