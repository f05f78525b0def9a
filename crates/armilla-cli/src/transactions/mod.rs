//! `armilla transactions`: serves a transaction service, and decides what is left undecided.

use crate::orb::OrbArguments;
use crate::place::{At, Place};
use crate::service::{RecoverArguments, ServiceArguments};
use armilla::{Error, Orb};
use armilla_terminal::{Failure, Outcome, one_line, say};
use armilla_transactions::corba::operator::{
    CommitRaises, ForgetRaises, RollbackRaises, ShowRaises,
};
use armilla_transactions::corba::{Operator, OperatorRef, TransactionInfo};
use armilla_transactions::server::{OPERATOR_KEY, Server};
use armilla_transactions::{ContextId, DiskJournal, Transactions as Library};
use std::time::Duration;

/// The endpoint of a service, if no `-ORBEndpoint` says another.
const ENDPOINT: &str = "iiop://:11170";

const SERVICE: Place =
    Place { name: OPERATOR_KEY, variable: "ARMILLA_TRANSACTIONS", usual: "127.0.0.1:11170" };

/// The arguments of `armilla transactions`.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = "A process with transactions is found at --at HOST:PORT or URL, else by \
                  -ORBInitRef\nTransactionOperator=URL, else at ARMILLA_TRANSACTIONS, else at 127.0.0.1:11170. An ID is what `ls` shows, or \
                  its beginning.")]
pub(crate) enum Transactions {
    /// Serve a factory of transactions until interrupted; prints `ready URL`
    Serve(Box<Serve>),
    /// List the transactions of a process: in progress, in doubt, with heuristic outcomes
    Ls(At),
    /// Show a transaction and its participants
    Show(Named),
    /// Commit a transaction in doubt, in place of its superior
    Commit(Named),
    /// Roll back a transaction that is in doubt or active
    Rollback(Named),
    /// Forget heuristic outcomes, and participants that cannot be reached
    Forget(Named),
    /// Save what can be saved of a damaged log, while nobody has it open: a copy of the log is better,
    /// because who has not heard of a lost decision to commit rolls back
    Recover(RecoverArguments),
}

/// The arguments of `armilla transactions serve`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without -ORBEndpoint the service listens at iiop://:11170. Its log is in the \
                  directory of --store, else\nin $STATE_DIRECTORY, else in \
                  $XDG_STATE_HOME/armilla/transactions or ~/.local/state/armilla/transactions."
)]
pub(crate) struct Serve {
    #[command(flatten)]
    service: ServiceArguments,
    /// Roll back a transaction of a client that sets no time after so many seconds; 0 for never
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
    /// Have at most so many transactions at once
    #[arg(long, value_name = "COUNT")]
    most: Option<usize>,
    /// Bind the factory to this name in the naming service of -ORBInitRef NameService=URL
    #[arg(long, value_name = "NAME")]
    bind: Option<String>,
    /// Allow clients on other hosts to decide
    #[arg(long)]
    remote_operators: bool,
}

/// A transaction of a process.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Named {
    /// The transaction
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    at: At,
}

pub(crate) fn run(transactions: &Transactions, arguments: &OrbArguments) -> Outcome {
    match transactions {
        Transactions::Serve(options) => serve(options, arguments),
        Transactions::Ls(at) => list(&operator(at, arguments)?.1),
        Transactions::Show(named) => {
            let (_orb, operator) = operator(&named.at, arguments)?;
            show(&failed(operator.show(&named.id), &operator, &named.id)?)
        }
        Transactions::Commit(named) => {
            let (_orb, operator) = operator(&named.at, arguments)?;
            failed(operator.commit(&named.id), &operator, &named.id)
        }
        Transactions::Rollback(named) => {
            let (_orb, operator) = operator(&named.at, arguments)?;
            failed(operator.rollback(&named.id), &operator, &named.id)
        }
        Transactions::Forget(named) => {
            let (_orb, operator) = operator(&named.at, arguments)?;
            failed(operator.forget(&named.id), &operator, &named.id)
        }
        Transactions::Recover(options) => {
            options.run("transactions", arguments, |log, is_trial| {
                Ok(DiskJournal::recover(log, is_trial)?)
            })
        }
    }
}

fn serve(options: &Serve, arguments: &OrbArguments) -> Outcome {
    let callers = options.service.callers(false)?;
    let timeout = (options.timeout > 0).then(|| Duration::from_secs(options.timeout));
    let made = Library::builder().timeout(timeout).context(ContextId::Both);
    let made = options.most.into_iter().fold(made, |made, most| made.most(most));
    let server = Server::builder(made.remote_operators(options.remote_operators));
    let server = match options.service.directory("transactions")? {
        Some(directory) => server.log(directory),
        None => server,
    };
    let server = options.bind.iter().fold(server, |server, name| server.bind(name));
    let server = server.console(options.service.console(arguments, &callers));
    Ok(server.start(|orb| arguments.configure(orb, ENDPOINT, &callers))?.run()?)
}

/// The operator of a process, and the ORB that calls it.
fn operator(at: &At, arguments: &OrbArguments) -> Outcome<(Orb, OperatorRef)> {
    let (orb, operator) = SERVICE.at(at, arguments)?;
    Ok((orb, operator.narrow()?))
}

fn list(operator: &OperatorRef) -> Outcome {
    let mut transactions = operator.list()?;
    // Those that need somebody come first.
    let is_quiet = |it: &TransactionInfo| {
        it.heuristic.is_empty() && it.status != "in doubt" && !it.status.starts_with("unknown")
    };
    transactions.sort_by(|a, b| (is_quiet(a), &a.id).cmp(&(is_quiet(b), &b.id)));
    say!("{:<32} {:<20} {:>12} HEURISTIC", "ID", "STATUS", "PARTICIPANTS")?;
    for it in transactions {
        let (id, status) = (one_line(&it.id), one_line(&it.status));
        let (count, heuristic) = (it.participants.len(), one_line(&it.heuristic));
        say!("{id:<32} {status:<20} {count:>12} {heuristic}")?;
    }
    Ok(())
}

fn show(it: &TransactionInfo) -> Outcome {
    say!("id         {}", one_line(&it.id))?;
    say!("global id  {}", one_line(&it.global_id))?;
    say!("role       {}", if it.is_subordinate { "subordinate" } else { "root" })?;
    say!("status     {}", one_line(&it.status))?;
    if !it.heuristic.is_empty() {
        say!("heuristic  a participant has {}", one_line(&it.heuristic))?;
    }
    for participant in &it.participants {
        say!("  {}: {}", one_line(&participant.progress), one_line(&participant.name))?;
    }
    Ok(())
}

/// The error of an operation, with what the user exception says.
fn failed<T, E: UserText>(
    outcome: Result<T, Error<E>>,
    operator: &OperatorRef,
    id: &str,
) -> Outcome<T> {
    outcome.map_err(|error| match error {
        Error::System(exception) => exception.into(),
        Error::User(exception) => match exception.refused() {
            Some((status, only)) => {
                let status = one_line(status);
                Failure::because(format_args!("the transaction is {status}\n  hint: {only}"))
            }
            None => unknown(operator, id),
        },
    })
}

fn unknown(operator: &OperatorRef, id: &str) -> Failure {
    let all = operator.list().unwrap_or_default();
    match all.iter().filter(|it| it.id.starts_with(id)).count() {
        0 | 1 => Failure::because(format_args!(
            "there is no transaction whose id begins with {id:?}: it is over, or was never here\n  hint: \
             `armilla transactions ls` lists those that are not over"
        )),
        count => Failure::because(format_args!(
            "the ids of {count} transactions begin with {id:?}\n  hint: type more of it"
        )),
    }
}

trait UserText {
    /// In which state the transaction is, if that is why, and what can be done in which ones.
    fn refused(&self) -> Option<(&str, &str)>;
}

impl UserText for ShowRaises {
    fn refused(&self) -> Option<(&str, &str)> {
        None
    }
}

macro_rules! refused {
    ($($raises:ident $only:literal)*) => {
        $(impl UserText for $raises {
            fn refused(&self) -> Option<(&str, &str)> {
                match self {
                    Self::Refused(refused) => Some((&refused.status, $only)),
                    Self::UnknownTransaction(_) => None,
                }
            }
        })*
    };
}

refused! {
    CommitRaises "only what is in doubt can be committed, in place of its superior"
    RollbackRaises "only what is in doubt or active can be rolled back"
    ForgetRaises "only heuristic outcomes, and participants that cannot be reached, can be forgotten"
}
