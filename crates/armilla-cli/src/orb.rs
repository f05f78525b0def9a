//! The `-ORB…` options of the command line, and the ORB that they configure.

use crate::identity::login::{Login, LoginArguments};
use crate::identity::server::Callers;
use armilla::{Orb, OrbBuilder, SystemException};
use armilla_terminal::{Failure, Outcome};
use armilla_tls::Tls;

/// The `-ORB…` options of the command line, and who calls.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct OrbArguments {
    /// The options, each followed by its value.
    options: Vec<String>,
    login: Option<Login>,
}

impl From<Vec<String>> for OrbArguments {
    fn from(options: Vec<String>) -> Self {
        Self { options, login: None }
    }
}

/// Takes the `-ORB…` options with their values out of `arguments`. What `armilla imr add` has behind
/// `--` is the command of another program, which keeps its own.
pub(crate) fn split_arguments(
    arguments: impl IntoIterator<Item = String>,
) -> (OrbArguments, Vec<String>) {
    let mut orb = Vec::new();
    let mut others = Vec::new();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        if argument == "--" && others.windows(2).any(|words| words == ["imr", "add"]) {
            others.push(argument);
            others.extend(arguments);
            return (orb.into(), others);
        }
        if argument.starts_with("-ORB") {
            orb.push(argument);
            orb.extend(arguments.next());
        } else {
            others.push(argument);
        }
    }
    // `armilla ping REF -- -ORBInitRef …` leaves a trailing `--`.
    if others.last().is_some_and(|last| last == "--") {
        others.pop();
    }
    (orb.into(), others)
}

/// A builder of an ORB with every transport that the command has.
fn builder() -> OrbBuilder {
    Orb::builder().transport(Tls::new())
}

/// All `-ORB…` options: what each is, its default in brackets, what it does.
pub(crate) fn options_text() -> String {
    let mut text = String::from(
        "The -ORB… options of the ORB. The value is the next argument. The default is in brackets.\n",
    );
    let mut group = "";
    for option in builder().options_with_transports() {
        if option.group != group {
            group = option.group;
            text += &format!("\n{group}:\n");
        }
        let (usage, summary) = (option.usage(), option.summary().replace('`', ""));
        text += &format!("  {usage}  [{}]\n      {summary}\n", option.default.replace('`', ""));
    }
    text
}

impl OrbArguments {
    /// Adds who calls. A password is asked for now.
    pub(crate) fn log_in(&mut self, login: &LoginArguments) -> Outcome {
        self.login = login.read()?;
        Ok(())
    }

    /// A builder that shows who calls, and has every transport of the command.
    fn builder_with(&self, tls: Tls) -> OrbBuilder {
        let builder = Orb::builder().transport(tls);
        let login = self.login.iter().map(Login::security);
        login.fold(builder, OrbBuilder::initializer)
    }

    /// An ORB with these options.
    pub(crate) fn orb(&self) -> Outcome<Orb> {
        self.orb_with(None)
    }

    /// The same, with an initial reference that these options may replace: its name and its URL.
    pub(crate) fn orb_with(&self, initial: Option<(&str, String)>) -> Outcome<Orb> {
        let mut builder = self.builder_with(Tls::new());
        if let Some((name, url)) = initial {
            builder = builder.initial_reference(name, url);
        }
        let builder = builder.arguments(self.options.iter().cloned()).map_err(Failure::usage)?;
        Ok(builder.build()?)
    }

    /// The ORB of a server that listens where these options say, if they do.
    pub(crate) fn orb_of_server(&self, callers: &Callers) -> Outcome<Orb> {
        let builder = self.builder_with(callers.tls.clone());
        let builder = callers.security.iter().cloned().fold(builder, OrbBuilder::initializer);
        let builder = builder.arguments(self.options.iter().cloned()).map_err(Failure::usage)?;
        Ok(builder.build()?)
    }

    /// The same over this TLS, which gets the options that concern it.
    pub(crate) fn orb_over(&self, tls: Tls) -> Outcome<Orb> {
        let builder = self.builder_with(tls);
        Ok(builder.arguments(self.options.iter().cloned()).map_err(Failure::usage)?.build()?)
    }

    /// Configures the ORB of a server with these options, and with what it asks of its callers. It
    /// listens at `endpoint` unless they name another one.
    pub(crate) fn configure(
        &self,
        orb: OrbBuilder,
        endpoint: &str,
        callers: &Callers,
    ) -> Result<OrbBuilder, SystemException> {
        let orb = orb.transport(callers.tls.clone()).arguments(self.options.iter().cloned())?;
        let orb = self.login.iter().map(Login::security).fold(orb, OrbBuilder::initializer);
        let orb = callers.security.iter().cloned().fold(orb, OrbBuilder::initializer);
        if self.listen() { Ok(orb) } else { orb.listen(endpoint) }
    }

    /// TLS with the certificate that they name, for a server of another protocol, whose clients need
    /// none. `None` if they name none.
    pub(crate) fn certificate(&self) -> Option<Tls> {
        let tls = Tls::new();
        let wanted = ["-ORBCertificate", "-ORBKey", "-ORBTls"];
        for option in self.options.chunks_exact(2) {
            if wanted.iter().any(|name| option[0].eq_ignore_ascii_case(name)) {
                // What is wrong with it, the ORB says.
                tls.set(&option[0], &option[1]).ok();
            }
        }
        let mut is_there = false;
        let tls = tls.settings(|settings| is_there = settings.certificate.is_some());
        is_there.then_some(tls)
    }

    /// Whether they say where a server listens.
    pub(crate) fn listen(&self) -> bool {
        let names = ["-ORBEndpoint", "-ORBListenEndpoints"];
        let listens = |option: &String| names.iter().any(|name| option.eq_ignore_ascii_case(name));
        self.options.iter().any(listens)
    }

    /// Rejects the options, for commands on which they have no effect.
    pub(crate) fn refuse(&self) -> Outcome {
        let login = self.login.is_some().then_some("--login");
        match self.options.first().map(String::as_str).or(login) {
            Some(option) => Err(Failure::usage(format_args!(
                "{option} has no effect on this command: leave it out"
            ))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> (OrbArguments, Vec<String>) {
        split_arguments(line.split(' ').map(str::to_owned))
    }

    #[test]
    fn orb_options_may_appear_anywhere() {
        let expected = OrbArguments::from(vec!["-ORBInitRef".into(), "A=b".into()]);
        for line in
            ["-ORBInitRef A=b ping x", "ping -ORBInitRef A=b x", "ping x -- -ORBInitRef A=b"]
        {
            let (orb, others) = split(line);
            assert_eq!(orb, expected);
            assert_eq!(others, ["ping", "x"]);
        }
    }

    #[test]
    fn the_command_of_another_program_keeps_its_options() {
        let (orb, others) = split("imr add -ORBRetries 1 x -- server -ORBImR {imr}");
        assert_eq!(orb, OrbArguments::from(vec!["-ORBRetries".into(), "1".into()]));
        assert_eq!(others, ["imr", "add", "x", "--", "server", "-ORBImR", "{imr}"]);
    }

    #[test]
    fn options_without_effect_are_rejected() {
        assert!(matches!(
            split("bench all -ORBConnectionPolicy exclusive").0.refuse(),
            Err(Failure::Usage(_))
        ));
        assert!(split("bench all").0.refuse().is_ok());
    }

    #[test]
    fn the_list_of_options_has_each_with_its_unit_and_default() {
        let text = options_text();
        for option in OrbBuilder::options() {
            assert!(text.contains(&format!("  {}  [", option.usage())), "{option:?}");
        }
        assert!(text.contains("  -ORBMaxMessage OCTETS  [16 MiB]\n"), "{text}");
    }

    #[test]
    fn an_unknown_orb_option_is_wrong_usage() {
        let (orb, _) = split("ping x -ORBFoo 1");
        assert!(matches!(orb.orb(), Err(Failure::Usage(_))));
    }
}
