//! The cache.

use super::access::Access;
use super::flows::Flows;
use super::names::Naming;
use super::{Failure, Http, octets};
use armilla::OrbBuilder;
use armilla_imaging::cache::{self, Worklist};
use armilla_imaging::idl::SourceRef;
use armilla_imaging::server::ServerSettings;
use armilla_imaging::store::Store;
use armilla_service::Lifecycle;
use clap::Parser;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

#[derive(Debug, Parser)]
pub(crate) struct Cache {
    /// The reference of a server or a locator.
    source: String,
    /// The directory of what is kept here.
    #[arg(long)]
    store: PathBuf,
    /// How many octets are kept: a number with K, M or G.
    #[arg(long, value_parser = octets)]
    quota: u64,
    /// The name of this server.
    #[arg(long, default_value = "cache")]
    name: String,
    #[command(flatten)]
    flows: Flows,
    /// Brings the studies of so many days before anybody asks for them, today included.
    #[arg(long)]
    prefetch_days: Option<u64>,
    /// Of these only those with images of this modality.
    #[arg(long, default_value = "")]
    prefetch_modality: String,
    /// How often it looks for new ones, in seconds.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    prefetch_every: u64,
    #[command(flatten)]
    http: Http,
    #[command(flatten)]
    access: Access,
    #[command(flatten)]
    naming: Naming,
}

impl Cache {
    pub(super) fn run(self, orb: OrbBuilder) -> Result<(), Failure> {
        if self.quota == 0 {
            return Err("a cache needs a --quota above 0".into());
        }
        let guard = self.access.guard()?.with_limits(self.http.login.limits());
        let store = Store::open(&self.store, self.quota)?;
        let orb = orb.build()?;
        let listener = self.flows.listen(&orb)?;
        let behind: SourceRef = orb.resolve(&self.source)?;
        let settings = ServerSettings {
            name: self.name.clone(),
            store,
            listener,
            guard: guard.clone(),
            procedures: None,
            through: None,
        };
        let (cache, server) = cache::Cache::activate(&orb.root_poa(), settings, behind)?;
        let url = orb.publish("ImageServer", server.object())?;
        self.naming.bind(&orb, &url)?;
        self.prefetch(&cache)?;
        let lifecycle = Lifecycle::new();
        let _console =
            self.http.start(&server.upcast(), Some(cache.store()), None, &guard, &lifecycle)?;
        Ok(armilla_service::run(&orb, &lifecycle, &url)?)
    }

    /// Brings images now and again, at most half of what may be kept: the rest is for readers.
    fn prefetch(&self, cache: &cache::Cache) -> Result<(), Failure> {
        let Some(days) = self.prefetch_days else { return Ok(()) };
        let (cache, modality) = (cache.clone(), self.prefetch_modality.clone());
        let (octets, every) = (self.quota / 2, Duration::from_secs(self.prefetch_every));
        let work = move || loop {
            match cache.prefetch(&Worklist::of_days(days, &modality, octets)) {
                Ok(0) => {}
                Ok(images) => tracing::info!(images, "images of the worklist have come"),
                Err(error) => tracing::warn!(%error, "nothing behind the cache answers"),
            }
            thread::sleep(every);
        };
        thread::Builder::new().name("imaging-prefetch".to_owned()).spawn(work)?;
        Ok(())
    }
}
