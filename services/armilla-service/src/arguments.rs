//! The options of a console on the command line of a server.

use crate::options::ConsoleOptions;
use std::path::PathBuf;

/// The options of a web page, the same for all services. A server flattens them into its own.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ConsoleArguments {
    /// Serve a web page, /healthz and /metrics at this address, such as 127.0.0.1:9809
    #[arg(long, value_name = "ADDRESS")]
    http: Option<String>,
    /// A host name by which browsers reach the page, beside those of its certificate; repeatable
    #[arg(long, value_name = "HOST", requires = "http")]
    http_host: Vec<String>,
    /// Serve the page over HTTPS, with the certificates in this file, in PEM: its own first. Read
    /// again when it changes [default: at an address that other hosts reach, that of -ORBCertificate]
    #[arg(long, value_name = "FILE", requires = "http")]
    http_certificate: Option<PathBuf>,
    /// The file with the key of the page's certificate, in PEM [default: the same file]
    #[arg(long, value_name = "FILE", requires = "http_certificate")]
    http_key: Option<PathBuf>,
    /// Let browsers and programs in that show a certificate of the authorities in this file, in PEM;
    /// repeatable
    #[arg(long, value_name = "FILE", requires = "http")]
    http_roots: Vec<PathBuf>,
    /// Answer /healthz and /metrics without a login
    #[arg(long, requires = "http")]
    http_open_health: bool,
    /// Let the page be at an address that other hosts reach, though nothing protects it there: behind
    /// a proxy, or in a network of its own
    #[arg(long, requires = "http")]
    http_insecure: bool,
}

impl ConsoleArguments {
    /// The same at this address, if none is given.
    #[must_use]
    pub fn or_at(mut self, address: &str) -> Self {
        self.http.get_or_insert_with(|| address.to_owned());
        self
    }

    /// What they say.
    pub fn options(&self) -> ConsoleOptions {
        let options = self.http.as_deref().map(ConsoleOptions::from).unwrap_or_default();
        let mut options = self.http_host.iter().fold(options, ConsoleOptions::host);
        if let Some(certificate) = &self.http_certificate {
            options = options.certificate(certificate, self.http_key.as_ref());
        }
        options = self.http_roots.iter().fold(options, ConsoleOptions::roots);
        if self.http_open_health {
            options = options.open_health();
        }
        if self.http_insecure {
            options = options.insecure();
        }
        options
    }
}
