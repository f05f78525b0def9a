//! The repository as a CORBA object, without rules of its own: `model` has those.
//!
//! `registry` is what servers and activators call, `jacorb` what servers of JacORB call,
//! `operators` what operators call, `service` assembles everything.

mod jacorb;
mod operators;
mod registry;
mod service;

pub use service::{ImplementationRepository, ImplementationRepositoryBuilder};

use crate::engine::{CommandError, Engine};
use armilla::{Caller, Completion, ExceptionKind, Minor, Orb, SystemException};
use armilla_ipc::Credentials;
use std::sync::{Arc, Weak};

/// The servant. It does not keep the repository alive, because an ORB keeps servants until its end.
pub(crate) struct RepositoryServant {
    engine: Weak<Engine>,
    orb: Orb,
    operators: Operators,
}

/// Who may change what is started where: that is as much as a login as the user of the repository.
#[derive(Debug, Clone, Default)]
pub(crate) struct Operators {
    /// Whether clients on other hosts may, too; if users are named, only activators there.
    pub(crate) remote: bool,
    /// The only users who may, if there are any: the kernel must vouch for them.
    pub(crate) users: Vec<u32>,
}

impl Operators {
    /// Whether a client is an operator.
    pub(crate) fn admit(&self, client: &Caller) -> bool {
        let is_named = |user: &Credentials| self.users.contains(&user.user);
        match (&client.address, self.users.is_empty()) {
            // This process itself, as by its page.
            (None, _) => true,
            (Some(_), true) => self.remote || client.is_on_this_host(),
            (Some(_), false) => client.credentials.as_ref().is_some_and(is_named),
        }
    }
}

impl RepositoryServant {
    pub(crate) fn new(engine: &Arc<Engine>, orb: &Orb, operators: Operators) -> Self {
        Self { engine: Arc::downgrade(engine), orb: orb.clone(), operators }
    }

    fn engine(&self) -> Result<Arc<Engine>, SystemException> {
        self.engine.upgrade().ok_or_else(|| {
            system(ExceptionKind::ObjectNotExist, "the implementation repository has ended")
        })
    }

    /// Whether the client whose request this thread serves is an operator. Nobody is one of whom
    /// nothing is known.
    fn is_operator(&self) -> bool {
        Caller::current().is_some_and(|caller| self.operators.admit(&caller))
    }

    /// Checks that the client may change what is started where.
    fn check_operator(&self) -> Result<Arc<Engine>, SystemException> {
        match self.is_operator() {
            true => self.engine(),
            false => Err(refusal(&self.operators)),
        }
    }

    /// Checks that the client may be an activator.
    fn check_activator(&self) -> Result<Arc<Engine>, SystemException> {
        match self.is_operator() || self.operators.remote {
            true => self.engine(),
            false => Err(refusal(&self.operators)),
        }
    }
}

fn refusal(operators: &Operators) -> SystemException {
    let what = match operators.users.is_empty() {
        true => {
            "operators and activators work on the host of the implementation repository; \
             `--remote-operators` admits those on others"
        }
        false => {
            "operators are the users whom `--operator-user` names, over a Unix-domain socket; \
             `--remote-operators` admits activators on other hosts"
        }
    };
    system(ExceptionKind::NoPermission, what)
}

#[cold]
fn system(kind: ExceptionKind, what: &str) -> SystemException {
    SystemException::new(kind, Minor::default(), Completion::No).with_reason(what.to_owned())
}

/// A command that failed, as a user exception of each operation.
macro_rules! command_errors {
    ($($raises:ty),*) => {$(
        impl From<CommandError> for armilla::Error<$raises> {
            fn from(error: CommandError) -> Self {
                match error {
                    CommandError::Unknown(name) => crate::corba::UnknownServer { name }.into(),
                    CommandError::Refused(reason) => crate::corba::Refused { reason }.into(),
                }
            }
        }
    )*};
}

use crate::corba::repository::{
    LogRaises, RemoveRaises, ReplaceRaises, RestartRaises, StartRaises,
};
command_errors!(LogRaises, RemoveRaises, ReplaceRaises, RestartRaises, StartRaises);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ImplementationRepository;
    use crate::corba::Repository as _;
    use crate::model::{Activation, Definition, RunId};
    use armilla_ipc::Address;

    fn over_tcp(host: &str) -> Caller {
        Caller::at(Address::tcp(host, 40_000))
    }

    fn over_unix(user: u32) -> Caller {
        let credentials = Some(Credentials { process: 1, user, group: 1 });
        Caller { credentials, ..Caller::at(Address::unix("")) }
    }

    #[test]
    fn operators_are_on_this_host_or_named_or_anywhere() {
        let own = Caller { address: None, credentials: None, protection: None };
        let callers = [&own, &over_tcp("127.0.0.1"), &over_tcp("192.0.2.1"), &over_unix(7)];
        let table = [
            (false, &[][..], [true, true, false, true]),
            (true, &[], [true, true, true, true]),
            (false, &[7], [true, false, false, true]),
            (false, &[0, 8], [true, false, false, false]),
            (true, &[8], [true, false, false, false]),
        ];
        for (remote, users, expected) in table {
            let operators = Operators { remote, users: users.to_vec() };
            let admitted = callers.map(|caller| operators.admit(caller));
            assert_eq!(admitted, expected, "{operators:?}");
        }
    }

    #[test]
    fn a_thread_that_serves_no_request_is_no_operator() {
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let imr = ImplementationRepository::builder().serve(&orb).unwrap();
        let servant = RepositoryServant::new(imr.engine(), &orb, Operators::default());
        let error = servant.check_operator().err().unwrap();
        assert_eq!(error.kind(), ExceptionKind::NoPermission);
        assert!(servant.check_activator().is_err());
        orb.shutdown();
    }

    #[test]
    fn only_its_own_host_speaks_for_a_server() {
        let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let imr = ImplementationRepository::builder().serve(&orb).unwrap();
        let mut bank = Definition::new("bank");
        bank.command = ["/bin/sleep", "1000"].map(str::to_owned).into();
        imr.define(bank.clone(), false).unwrap();
        imr.reference().start("bank").unwrap();
        let run = imr.status("bank").unwrap().runs[0].id;
        let (near, far) = (over_tcp("127.0.0.1"), over_tcp("192.0.2.1"));
        let speaks = |run, caller| imr.engine().may_speak("bank", run, caller);
        assert!(speaks(run, Some(&near)) && !speaks(run, Some(&far)) && !speaks(run, None));
        assert!(!speaks(RunId(0), Some(&far)));
        imr.reference().stop("bank").unwrap();

        // One that is started by hand may be elsewhere, where its definition says.
        let mut hand = Definition { name: "hand".to_owned(), ..bank };
        hand.activation = Activation::Manual;
        imr.define(hand.clone(), false).unwrap();
        let speaks = |caller| imr.engine().may_speak("hand", RunId(0), Some(caller));
        assert!(speaks(&near) && !speaks(&far));
        hand.registered_from = vec!["192.0.2.0/24".parse().unwrap()];
        imr.define(hand, true).unwrap();
        assert!(speaks(&near) && speaks(&far) && !speaks(&over_tcp("198.51.100.1")));
        assert!(!imr.engine().may_speak("bank", RunId(0), Some(&far)));
        orb.shutdown();
    }
}
