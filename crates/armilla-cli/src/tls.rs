//! `armilla tls`: an authority of one's own, certificates, and what a server offers.

use crate::orb::OrbArguments;
use armilla::transport::{Address, Transport};
use armilla_terminal::{Failure, Outcome, say};
use armilla_tls::{Authority, Certificate, Date, Inspection, Issued, Pin, Tls};
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(86_400);

/// How soon a certificate that expires is told of.
const SOON: Duration = Duration::from_secs(14 * 86_400);

/// Make certificates for TLS, and see what a server offers
#[derive(Debug, clap::Subcommand)]
pub(crate) enum TlsCommand {
    /// Make an authority, whose certificates servers and clients believe
    ///
    /// Writes authority.pem, which everybody may have, and authority.key, which only who gives out
    /// certificates may read.
    NewAuthority {
        /// The directory for the two files
        #[arg(default_value = ".")]
        directory: PathBuf,
        /// The name of the authority
        #[arg(long, default_value = "armilla test authority")]
        name: String,
        /// For how many days it is valid
        #[arg(long, default_value_t = 3650)]
        days: u32,
    },
    /// Issue a certificate for a server or a client
    ///
    /// Writes SUBJECT.pem, the certificate, and SUBJECT.key, its key, beside the authority's files.
    Issue {
        /// Whose it is: the name of the server or of the user
        subject: String,
        /// The host names and addresses by which references name the server; a client needs none
        names: Vec<String>,
        /// The directory of the authority
        #[arg(long, default_value = ".")]
        directory: PathBuf,
        /// For how many days it is valid
        #[arg(long, default_value_t = 90)]
        days: u32,
    },
    /// Show what certificates say
    Show {
        /// A file with certificates in PEM
        file: PathBuf,
    },
    /// Say what a server offers, and why a connection to it would fail
    ///
    /// The -ORB… options are those of the client that would connect.
    Check {
        /// HOST:PORT, or a reference
        #[arg(value_name = "URL")]
        url: String,
        /// The time for each connection, in seconds
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
        seconds: u64,
    },
}

pub(crate) fn run(command: &TlsCommand, orb: &OrbArguments) -> Outcome {
    match command {
        TlsCommand::Check { url, seconds } => check(url, Duration::from_secs(*seconds), orb),
        TlsCommand::NewAuthority { directory, name, days } => {
            orb.refuse()?;
            let made = Authority::new(name, DAY * *days).map_err(Failure::because)?;
            write(directory, "authority", made.own())?;
            say!("made by: armilla tls issue SUBJECT HOST… --directory {}", directory.display())
        }
        TlsCommand::Issue { subject, names, directory, days } => {
            orb.refuse()?;
            issue(subject, names, directory, DAY * *days)
        }
        TlsCommand::Show { file } => {
            orb.refuse()?;
            let all = Tls::read_certificates(file.clone()).map_err(Failure::because)?;
            all.iter().try_for_each(show)
        }
    }
}

fn issue(subject: &str, names: &[String], directory: &Path, valid: Duration) -> Outcome {
    if subject.is_empty() || subject.contains('/') || subject.starts_with('.') {
        return Err(Failure::usage(format_args!("{subject:?} cannot be the name of a file")));
    }
    let [certificate, key] = ["authority.pem", "authority.key"].map(|name| directory.join(name));
    let authority = Authority::read(certificate, key).map_err(|why| {
        let make = format!("armilla tls new-authority {}", directory.display());
        Failure::because(format!("{why}\n  hint: `{make}` makes one"))
    })?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let issued = authority.issue(subject, &names, valid).map_err(Failure::because)?;
    write(directory, subject, &issued)?;
    let at = |name: &str| directory.join(name).display().to_string();
    let own = format!(
        "-ORBCertificate {} -ORBKey {}",
        at(&format!("{subject}.pem")),
        at(&format!("{subject}.key"))
    );
    say!("used by: {own} -ORBRoots {}", at("authority.pem"))
}

/// Writes the certificate and the key, which must not be there yet.
fn write(directory: &Path, name: &str, issued: &Issued) -> Outcome {
    std::fs::create_dir_all(directory)
        .map_err(|error| Failure::because(format!("{}: {error}", directory.display())))?;
    for (kind, mode, text) in [("key", 0o600, &issued.key), ("pem", 0o644, &issued.certificate)] {
        let path = directory.join(format!("{name}.{kind}"));
        let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| Failure::because(format!("{}: {error}", path.display())))?;
        say!("wrote {}", path.display())?;
    }
    Ok(())
}

fn show(certificate: &Certificate) -> Outcome {
    let Certificate { serial, issuer, subject, not_before, not_after, names, key, .. } =
        certificate;
    say!("{subject}")?;
    say!("  issuer   {issuer}")?;
    say!("  serial   {serial}")?;
    say!("  valid    {not_before} to {not_after}{}", when(certificate))?;
    if !names.is_empty() {
        say!("  names    {}", names.join(", "))?;
    }
    say!("  key      {key}{}", if key.is_weak() { "  WEAK: refused" } else { "" })?;
    if certificate.is_authority {
        say!("  use      an authority: it gives out others")?;
    }
    say!("  pin      {}", Pin::of(&certificate.key_info))
}

fn when(certificate: &Certificate) -> &'static str {
    let now = Date::now();
    match certificate {
        it if it.not_after < now => "  EXPIRED",
        it if it.not_before > now => "  NOT YET VALID",
        it if it.not_after < now.plus(SOON) => "  expires soon",
        _ => "",
    }
}

fn check(url: &str, limit: Duration, orb: &OrbArguments) -> Outcome {
    let tls = Tls::new();
    let places = places(url, &tls, orb)?;
    let mut refused = None;
    for (host, port) in places {
        say!("{}", Address::tcp(host.as_str(), port).to_string().trim_start_matches("tcp://"))?;
        // A client goes on with the next address of a reference, too.
        let connection = match tls.inspect(&host, port, limit) {
            Ok(seen) => {
                report(&seen)?;
                seen.connection
            }
            Err(error) => {
                say!("  refused  {error}")?;
                Err(error.to_string())
            }
        };
        if let Err(why) = connection {
            refused.get_or_insert(why);
        }
    }
    refused.map_or(Ok(()), |why| Err(Failure::because(why)))
}

/// The addresses over TLS behind a URL, with the options of the command line in `tls`.
fn places(url: &str, tls: &Tls, orb: &OrbArguments) -> Outcome<Vec<(String, u16)>> {
    let is_reference = ["IOR:", "corba", "file:"].iter().any(|scheme| url.starts_with(scheme));
    let made = orb.orb_over(tls.clone())?;
    if !is_reference {
        let place = url.strip_prefix("ssliop://").unwrap_or(url);
        return match format!("tcp://{place}").parse() {
            Ok(Address::Tcp { host, port }) => Ok(vec![(host, port)]),
            _ => Err(Failure::usage(format_args!("{url:?} is neither HOST:PORT nor a reference"))),
        };
    }
    let object = made.string_to_object(url)?;
    let ior = made.object_to_string(&object)?;
    let ior: armilla_giop::ior::Ior =
        ior.parse().map_err(|error| Failure::because(format!("{url}: {error}")))?;
    let mut found = Vec::new();
    for profile in ior.iiop_profiles().flatten() {
        let read = armilla::transport::ObjectProfile {
            address: Address::tcp(profile.host, profile.port).to_string(),
            version: profile.version,
            object_key: profile.object_key,
            components: profile.components,
        };
        let addresses = tls.read_other(&read, made.settings()).unwrap_or_default();
        for address in addresses {
            if let Ok(Address::Tcp { host, port }) =
                address.replacen("ssliop://", "tcp://", 1).parse()
            {
                found.push((host, port));
            }
        }
    }
    match found.is_empty() {
        true => Err(Failure::because(
            "the reference offers no TLS\n  hint: the server needs -ORBEndpoint ssliop://HOST:PORT"
                .to_owned(),
        )),
        false => Ok(found),
    }
}

fn report(seen: &Inspection) -> Outcome {
    for (version, suite) in &seen.versions {
        match suite {
            Ok(suite) => say!("  TLS {version}   {suite}")?,
            Err(why) => say!("  TLS {version}   no: {why}")?,
        }
    }
    say!(
        "  client   {}",
        match seen.versions.iter().any(|(_, suite)| suite.is_ok()) {
            _ if seen.asks => "its certificate is asked for",
            true => "no certificate is asked for",
            false => "no handshake came so far that a certificate would be asked for",
        }
    )?;
    for certificate in &seen.chain {
        say!("  shows    {certificate}{}", when(certificate))?;
        if !certificate.names.is_empty() {
            say!("           for {}", certificate.names.join(", "))?;
        }
    }
    match &seen.connection {
        Ok(protection) => say!("  connects {protection}"),
        Err(why) => say!("  refused  {why}"),
    }
}
