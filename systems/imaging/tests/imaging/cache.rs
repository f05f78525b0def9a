//! A cache in front of a server.

use crate::common::{Scratch, serve_to, write_image};
use armilla::Orb;
use armilla_imaging::audit::Guard;
use armilla_imaging::cache::{Cache, Worklist};
use armilla_imaging::fetch::{fetch, send};
use armilla_imaging::idl::{Image, Level, Query, Refusal, Server, ServerRef, Source, SourceRef};
use armilla_imaging::locator::Locator;
use armilla_imaging::query::everything;
use armilla_imaging::server::ServerSettings;
use armilla_imaging::store::Store;
use armilla_stream::Listener;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

/// A server far away with a record of accesses, and a cache in front of it, each with an ORB.
pub(crate) struct Pair {
    scratch: Scratch,
    far: (Orb, ServerRef, Store),
    pub(crate) near: Orb,
    cache: Cache,
    /// The cache as a reader in another process knows it.
    reader: Orb,
    pub(crate) server: ServerRef,
    source: SourceRef,
}

/// Octets of an image of 64 by 64 pixels, about.
const SIZE: u64 = 8900;

impl Pair {
    /// A cache for so many images.
    pub(crate) fn new(images: u64) -> Self {
        Self::of(images, false)
    }

    /// The same with a locator between both, if `located`.
    fn of(images: u64, located: bool) -> Self {
        let scratch = Scratch::new();
        let guard = Guard::new("".parse().unwrap(), Some(&scratch.file("record"))).unwrap();
        let far = serve_to(&scratch.file("far"), 0, guard);
        let near = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        let store = Store::open(&scratch.file("near"), images * SIZE).unwrap();
        let listener = Listener::builder().tcp("127.0.0.1", 0).unix().start().unwrap();
        let (name, guard) = ("cache".to_owned(), Guard::default());
        let settings =
            ServerSettings { name, store, listener, guard, procedures: None, through: None };
        let far_url = far.0.object_to_string(far.1.object()).unwrap();
        // A locator behind answers also while its servers are away.
        let behind = match located {
            true => Locator::activate(&near, vec![far_url], Guard::default()).unwrap(),
            false => near.resolve(&far_url).unwrap(),
        };
        let (cache, server) = Cache::activate(&near.root_poa(), settings, behind).unwrap();
        near.perform_work().unwrap();
        let reader = Orb::new().unwrap();
        let url = near.object_to_string(server.object()).unwrap();
        let (server, source) = (reader.resolve(&url).unwrap(), reader.resolve(&url).unwrap());
        Self { scratch, far, near, cache, reader, server, source }
    }

    /// Images that the far server has, by number.
    pub(crate) fn with_images(&self, numbers: std::ops::Range<u16>) -> Vec<Arc<Image>> {
        let path = self.scratch.file("file");
        let import = |number| {
            write_image(&path, "1.2.3", number, 64, 0);
            self.far.2.import(&path).unwrap()
        };
        numbers.map(import).collect()
    }

    fn fetch(&self, image: &Image) -> Result<PathBuf, String> {
        let into = self.scratch.file("fetched");
        fs::create_dir_all(&into).unwrap();
        let path =
            fetch(&self.source, image, &into, &|_, _| {}).map_err(|error| error.to_string())?;
        assert_eq!(fs::metadata(&path).unwrap().len(), image.size);
        // It is to be fetched anew.
        fs::remove_file(&path).unwrap();
        Ok(path)
    }

    fn here(&self) -> Vec<i32> {
        let found = self.cache.store().find(&everything());
        found.iter().map(|image| image.number).collect()
    }

    /// How often the far server has given an image away.
    fn given(&self) -> usize {
        let record = fs::read_to_string(self.scratch.file("record")).unwrap();
        record.lines().filter(|line| line.contains(r#""what":"file""#)).count()
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        [&self.reader, &self.near, &self.far.0].into_iter().for_each(Orb::shutdown);
    }
}

#[test]
fn an_image_comes_once_for_all_who_read_it() {
    let pair = Pair::new(10);
    let images = pair.with_images(1..3);
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| pair.server.metadata(&images[0].uid).unwrap());
        }
    });
    pair.fetch(&images[0]).unwrap();
    assert_eq!((pair.given(), pair.here()), (1, vec![1]));
    assert!(pair.server.metadata("9.9").unwrap_err().to_string().contains("UnknownImage"));

    // While the server is away, what is here is found and read.
    pair.far.0.shutdown();
    let (found, missing) = pair.source.find(&everything()).unwrap();
    assert_eq!((found.len(), missing.len()), (1, 1));
    pair.fetch(&images[0]).unwrap();
    assert!(pair.fetch(&images[1]).is_err());
}

#[test]
fn what_is_here_is_found_while_a_server_behind_a_locator_is_away() {
    let pair = Pair::of(10, true);
    let images = pair.with_images(1..4);
    pair.fetch(&images[0]).unwrap();
    pair.fetch(&images[1]).unwrap();
    pair.far.0.shutdown();
    let (found, missing) = pair.source.find(&everything()).unwrap();
    assert_eq!((found.len(), missing.len()), (2, 1));
    for (level, groups) in [(Level::Studies, 1), (Level::Series, 1), (Level::Instances, 2)] {
        let (found, missing) = pair.source.groups(&everything(), level).unwrap();
        assert_eq!((found.len(), missing.len()), (groups, 1), "{level:?}");
    }
    pair.fetch(&images[0]).unwrap();
    assert!(pair.fetch(&images[2]).is_err());
}

#[test]
fn what_was_not_used_for_longest_makes_room() {
    let pair = Pair::new(3);
    let images = pair.with_images(1..6);
    for at in [0, 1, 2, 0, 3] {
        pair.fetch(&images[at]).unwrap();
    }
    assert_eq!(pair.here(), [1, 3, 4]);
    pair.fetch(&images[4]).unwrap();
    assert_eq!(pair.here(), [1, 4, 5]);
    assert!(pair.cache.store().usage().1 <= 3 * SIZE);
}

#[test]
fn the_only_copy_of_an_image_stays() {
    let pair = Pair::new(2);
    let images = pair.with_images(1..4);
    pair.fetch(&images[0]).unwrap();
    assert!(pair.far.2.remove(&images[0].uid).unwrap());
    pair.fetch(&images[1]).unwrap();
    pair.fetch(&images[2]).unwrap();
    assert_eq!(pair.here(), [1, 3], "the second one has another copy");
    // Nobody knows what the far server has while it is away, so nothing goes.
    pair.far.0.shutdown();
    assert!(pair.fetch(&images[1]).is_err());
    assert_eq!(pair.here(), [1, 3]);
}

#[test]
fn without_room_readers_get_images_from_behind() {
    let pair = Pair::new(1);
    let path = pair.scratch.file("large");
    write_image(&path, "1.2.3", 9, 256, 0);
    let large = pair.far.2.import(&path).unwrap();
    pair.fetch(&large).unwrap();
    assert!(pair.here().is_empty());
    assert!(pair.server.metadata(&large.uid).is_ok());
}

#[test]
fn what_is_stored_goes_through_and_is_refused_when_it_cannot() {
    let pair = Pair::new(3);
    let path = pair.scratch.file("file");
    let uid = write_image(&path, "1.2.3", 1, 64, 0);
    assert_eq!(send(&pair.server, &path).unwrap().uid, uid);
    assert!(pair.far.2.image(&uid).is_some(), "it is behind the cache");
    assert_eq!(pair.here(), [1]);
    fs::write(&path, b"no image").unwrap();
    assert_eq!(send(&pair.server, &path).unwrap_err().refusal, Some(Refusal::NotUnderstood));

    pair.far.0.shutdown();
    write_image(&path, "1.2.3", 2, 64, 0);
    assert!(send(&pair.server, &path).is_err());
    assert_eq!(pair.here(), [1]);
    let incoming = pair.scratch.file("near").join("incoming");
    assert_eq!(fs::read_dir(incoming).unwrap().count(), 0);
}

#[test]
fn a_worklist_comes_before_anybody_asks_and_leaves_room() {
    let pair = Pair::new(10);
    pair.with_images(1..5);
    // The day of the images, as `write_image` has it: 2025-03-14.
    let noon = 1_741_953_600;
    let list = |days, today, octets| Worklist { days, modality: "MR".into(), octets, today };
    assert_eq!(pair.cache.prefetch(&list(1, noon + 86_400, u64::MAX)).unwrap(), 0);
    assert_eq!(pair.cache.prefetch(&list(2, noon + 86_400, 2 * SIZE)).unwrap(), 2);
    assert_eq!(pair.cache.prefetch(&list(1, noon, u64::MAX)).unwrap(), 2);
    assert_eq!(pair.cache.prefetch(&list(1, noon, u64::MAX)).unwrap(), 0, "all are here");
    assert_eq!((pair.here().len(), pair.given()), (4, 4));
    assert!(pair.source.find(&Query { study: "1.2.3".into(), ..everything() }).is_ok());
}

#[test]
fn what_a_caller_announces_or_writes_as_a_pattern_moves_nothing() {
    // Without a quota the disk is the limit.
    let pair = Pair::new(0);
    let images = pair.with_images(1..3);
    assert!(pair.server.metadata("1.2.3.1.*").is_err(), "no image has this identifier");
    assert!(pair.here().is_empty(), "{:?}", pair.here());
    images.iter().for_each(|image| drop(pair.fetch(image).unwrap()));
    assert_eq!(pair.here(), [1, 2]);
    let request = armilla_stream::FlowRequest::connecting(0);
    assert!(pair.server.store(u64::MAX, "", &request).is_err());
    assert_eq!(pair.here(), [1, 2], "nothing goes for what would not fit even so");
}
