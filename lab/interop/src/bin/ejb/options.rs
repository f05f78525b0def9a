//! The options of a command, and the TLS that they ask for.

use super::Outcome;
use armilla_tls::{Roots, Tls};
use std::path::Path;

/// The words after the command.
pub(crate) struct Options<'w>(pub(crate) &'w [&'w str]);

impl Options<'_> {
    pub(crate) fn has(&self, option: &str) -> bool {
        self.0.contains(&option)
    }

    /// The word behind an option.
    pub(crate) fn value(&self, option: &str) -> Option<&str> {
        self.0.iter().skip_while(|word| **word != option).nth(1).copied()
    }

    /// TLS with the authority of the directory, and the certificate of `default` or that which is named.
    pub(crate) fn tls(&self, default: Option<&str>) -> Outcome<Option<Tls>> {
        let Some(directory) = self.value("--tls").map(Path::new) else { return Ok(None) };
        let authority = directory.join("authority.pem");
        let mut tls = Tls::new().settings(|settings| {
            settings.roots = vec![Roots::Pem(authority.into())];
        });
        if let Some(name) = self.value("--certificate").or(default) {
            tls = tls.certificate(directory.join(format!("{name}.pem")));
        }
        Ok(Some(tls))
    }
}
