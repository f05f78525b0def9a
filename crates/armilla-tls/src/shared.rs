//! What all clones of a [`Tls`](crate::Tls) share: the settings, and what was read from their files.

use crate::files::{self, Stamps};
use crate::material::Material;
use crate::settings::TlsSettings;
use crate::stream::lock;
use armilla_core::log::report;
use armilla_core::transport::{Address, Admission};
use armilla_giop::ior::TlsSecTrans;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// How long what was read is used before the files are looked at again.
const FRESH: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub(crate) struct Shared {
    settings: Mutex<TlsSettings>,
    read: Mutex<Option<Read>>,
    /// What references say of the endpoints.
    published: Mutex<Vec<TlsSecTrans>>,
    /// Who decides whose connections are taken.
    admissions: RwLock<Vec<Arc<dyn Admission>>>,
}

/// What was read, and when.
#[derive(Debug)]
struct Read {
    material: Arc<Material>,
    stamps: Stamps,
    looked: Instant,
    /// What is wrong with the files as they are since, if something is.
    fault: Option<String>,
}

impl Read {
    fn new(material: Arc<Material>, stamps: Stamps) -> Self {
        Self { material, stamps, looked: Instant::now(), fault: None }
    }
}

/// The limits of handshakes.
pub(crate) struct Handshakes {
    pub(crate) count: usize,
    pub(crate) per_host: usize,
    pub(crate) limit: Duration,
}

impl Shared {
    /// A copy of the settings.
    pub(crate) fn settings(&self) -> TlsSettings {
        lock(&self.settings).clone()
    }

    /// Changes the settings. What was read by the old ones is used no more.
    ///
    /// # Errors
    /// Those of `change`.
    pub(crate) fn change<E>(
        &self,
        change: impl FnOnce(&mut TlsSettings) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut settings = lock(&self.settings);
        let mut changed = settings.clone();
        change(&mut changed)?;
        *settings = changed;
        *lock(&self.read) = None;
        Ok(())
    }

    pub(crate) fn handshakes(&self) -> Handshakes {
        let settings = lock(&self.settings);
        Handshakes {
            count: settings.handshakes.max(1),
            per_host: settings.handshakes_per_host.max(1),
            limit: settings.handshake_timeout,
        }
    }

    /// Reads the files, unless that has been done.
    ///
    /// # Errors
    /// Which file or setting is wrong.
    pub(crate) fn prepare(&self) -> Result<Arc<Material>, String> {
        let settings = self.settings();
        let mut read = lock(&self.read);
        if let Some(read) = &*read {
            return Ok(read.material.clone());
        }
        let (made, stamps) = Self::read(&settings)?;
        *read = Some(Read::new(made.clone(), stamps));
        Ok(made)
    }

    /// What connections need now. If a file has changed since the last look, all are read again. If
    /// one of them is wrong, what was read before stays in use, and the log says so.
    ///
    /// # Errors
    /// Which file or setting is wrong, if nothing was read before.
    pub(crate) fn current(&self) -> Result<Arc<Material>, String> {
        let before = {
            let mut read = lock(&self.read);
            match &mut *read {
                Some(read) if read.looked.elapsed() < FRESH => return Ok(read.material.clone()),
                Some(read) => {
                    // One thread looks, others go on with what there is.
                    read.looked = Instant::now();
                    Some((read.material.clone(), read.stamps.clone()))
                }
                None => None,
            }
        };
        let Some((material, stamps)) = before else { return self.prepare() };
        if Stamps::of(&self.settings()) == stamps {
            return Ok(material);
        }
        match self.reload() {
            Ok(reloaded) => Ok(reloaded),
            Err(why) => {
                report!(
                    error,
                    "a changed file for TLS cannot be used; what it held before stays in use",
                    why = why,
                );
                Ok(material)
            }
        }
    }

    /// Reads all files again. After an error what was read before stays in use, until they change
    /// once more.
    ///
    /// # Errors
    /// Which file or setting is wrong.
    pub(crate) fn reload(&self) -> Result<Arc<Material>, String> {
        let settings = self.settings();
        let made = Self::read(&settings);
        let mut read = lock(&self.read);
        match made {
            Ok((material, stamps)) => {
                if let Some(own) = &material.own {
                    tracing::info!(certificate = %own, "the files for TLS were read");
                }
                *read = Some(Read::new(material.clone(), stamps));
                Ok(material)
            }
            Err(why) => {
                if let Some(read) = &mut *read {
                    read.stamps = Stamps::of(&settings);
                    read.fault = Some(why.clone());
                }
                Err(why)
            }
        }
    }

    /// What is wrong with the files now, if what was read before is in use instead.
    pub(crate) fn fault(&self) -> Option<String> {
        match self.current() {
            Ok(_) => lock(&self.read).as_ref()?.fault.clone(),
            Err(why) => Some(why),
        }
    }

    /// Reads the files, which may be replaced meanwhile, one after the other: then all are read
    /// once more at the next look.
    fn read(settings: &TlsSettings) -> Result<(Arc<Material>, Stamps), String> {
        let stamps = Stamps::of(settings);
        let material = Arc::new(Material::read(settings)?);
        if let Some(file) = files::open_key(settings) {
            report!(
                warn,
                "every user of this host may read the key of the certificate",
                file = file.display(),
                remedy = "`chmod o= FILE`, and a new key if anybody may have read it",
            );
        }
        Ok((material, stamps))
    }

    /// Adds one who decides whose connections are taken.
    pub(crate) fn admit_by(&self, admission: Arc<dyn Admission>) {
        self.admissions.write().unwrap_or_else(PoisonError::into_inner).push(admission);
    }

    /// Whether the handshake of this peer may begin.
    pub(crate) fn is_welcome(&self, peer: &Address) -> bool {
        let admissions = self.admissions.read().unwrap_or_else(PoisonError::into_inner);
        admissions.iter().all(|each| each.is_welcome(peer))
    }

    /// Reports a handshake that was none.
    pub(crate) fn broke_protocol(&self, peer: &Address) {
        let admissions = self.admissions.read().unwrap_or_else(PoisonError::into_inner);
        admissions.iter().for_each(|each| each.broke_protocol(peer));
    }

    /// Notes what references say of an endpoint.
    pub(crate) fn publish(&self, endpoint: TlsSecTrans) {
        lock(&self.published).push(endpoint);
    }

    /// What references say of the endpoints.
    pub(crate) fn published(&self) -> Vec<TlsSecTrans> {
        lock(&self.published).clone()
    }
}
