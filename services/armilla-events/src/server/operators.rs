//! Who may make and remove channels.

use armilla::{Caller, Completion, ExceptionKind, Minor, SystemException};

/// Who may make and remove channels: by default clients on this host, all of its users.
#[derive(Debug, Clone, Default)]
pub(super) struct Operators {
    /// Whether clients on other hosts may, too.
    pub(super) remote: bool,
    /// The only users who may, if there are any: the kernel must vouch for them.
    pub(super) users: Vec<u32>,
}

impl Operators {
    /// Whether a client is an operator.
    pub(super) fn admit(&self, client: &Caller) -> bool {
        match (&client.address, self.users.is_empty()) {
            // This process itself, as by its page.
            (None, _) => true,
            (Some(_), true) => self.remote || client.is_on_this_host(),
            (Some(_), false) => {
                client.credentials.as_ref().is_some_and(|user| self.users.contains(&user.user))
            }
        }
    }

    /// Checks that a client is an operator. A thread that serves no request belongs to the program.
    ///
    /// # Errors
    /// `NO_PERMISSION`, which says who is one.
    pub(super) fn check(&self, client: Option<&Caller>) -> Result<(), SystemException> {
        if client.is_none_or(|client| self.admit(client)) {
            return Ok(());
        }
        let what = match self.users.is_empty() {
            true => {
                "channels are made and removed on the host of the event service; \
                 `--remote-operators` admits other hosts"
            }
            false => {
                "channels are made and removed by the users whom `--operator-user` names, over a \
                 Unix-domain socket"
            }
        };
        let (kind, minor) = (ExceptionKind::NoPermission, Minor::default());
        Err(SystemException::new(kind, minor, Completion::No).with_reason(what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla_ipc::{Address, Credentials};

    #[test]
    fn operators_are_on_this_host_or_named_or_anywhere() {
        let over = |host: &str| Caller::at(Address::tcp(host, 40_000));
        let credentials = Some(Credentials { process: 1, user: 7, group: 1 });
        let user = Caller { credentials, ..Caller::at(Address::unix("")) };
        let callers = [over("127.0.0.1"), over("192.0.2.1"), user];
        for (remote, users, expected) in [
            (false, &[][..], [true, false, true]),
            (true, &[], [true, true, true]),
            (false, &[7], [false, false, true]),
            (true, &[8], [false, false, false]),
        ] {
            let operators = Operators { remote, users: users.to_vec() };
            let admitted = callers.each_ref().map(|caller| operators.admit(caller));
            assert_eq!(admitted, expected, "{operators:?}");
            assert_eq!(operators.check(Some(&callers[1])).is_ok(), expected[1]);
        }
    }
}
