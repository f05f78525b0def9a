use super::*;
use crate::query::everything;
use armilla_store::faults::{Trial, try_every_failure};
use dicom_core::{DataElement, PrimitiveValue, VR};
use dicom_dictionary_std::{tags, uids};
use dicom_object::{FileMetaTableBuilder, InMemDicomObject};
use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// How long something may take that does not wait.
const PATIENCE: Duration = Duration::from_secs(60);

struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let name = format!("armilla-store-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// An object without pixels; `name` tells it from another one with its identifier.
    fn object(&self, uid: &str, name: &str) -> PathBuf {
        let path = self.0.join(format!("{uid}-{name}"));
        let text = |tag, vr, value: &str| DataElement::new(tag, vr, PrimitiveValue::from(value));
        let object = InMemDicomObject::from_element_iter([
            text(tags::SOP_CLASS_UID, VR::UI, uids::MR_IMAGE_STORAGE),
            text(tags::SOP_INSTANCE_UID, VR::UI, uid),
            text(tags::STUDY_INSTANCE_UID, VR::UI, "1.2.3"),
            text(tags::PATIENT_NAME, VR::PN, name),
        ]);
        let meta = FileMetaTableBuilder::new()
            .transfer_syntax(uids::EXPLICIT_VR_LITTLE_ENDIAN)
            .media_storage_sop_class_uid(uids::MR_IMAGE_STORAGE)
            .media_storage_sop_instance_uid(uid);
        object.with_meta(meta).unwrap().write_to_file(&path).unwrap();
        path
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

#[test]
fn readers_do_not_wait_for_the_disk() {
    let directory = Directory::new("readers");
    let store = Store::open(&directory.0.join("store"), 0).unwrap();
    let first = store.import(&directory.object("1.1", "a")).unwrap();
    let (second, path) = (directory.object("1.2", "a"), store.path("1.2"));
    let (found, finds) = channel();
    thread::scope(|scope| {
        // While somebody writes the index, another image comes as far as it can.
        store.0.index.hold(|| {
            scope.spawn(|| store.import(&second).unwrap());
            while !path.exists() {
                thread::yield_now();
            }
            let reader = store.clone();
            thread::spawn(move || {
                let images = reader.find(&everything());
                let seen = (images.len(), reader.usage().0, reader.room() > 0);
                found.send(seen).unwrap();
            });
            let seen = finds.recv_timeout(PATIENCE).expect("a reader waits for the index");
            assert_eq!(seen, (1, 1, true), "what is not on the disk is not there");
        });
    });
    assert_eq!(store.find(&everything()).len(), 2);
    assert_eq!(store.image("1.1").unwrap(), first);
}

#[test]
fn of_those_who_store_one_image_at_a_time_one_wins() {
    let directory = Directory::new("claims");
    let store = Store::open(&directory.0.join("store"), 0).unwrap();
    for round in 0..20 {
        let uid = format!("1.{round}");
        let paths = ["a", "a", "b", "c"].map(|name| directory.object(&uid, name));
        let kept: Vec<_> = thread::scope(|scope| {
            let imports = paths.each_ref().map(|path| scope.spawn(|| store.import(path)));
            imports.into_iter().map(|import| import.join().unwrap()).collect()
        });
        let there = store.image(&uid).unwrap();
        let file = fs::read(store.path(&uid)).unwrap();
        for (path, kept) in paths.iter().zip(kept) {
            match kept {
                Ok(image) => assert!(image == there && fs::read(path).unwrap() == file),
                Err(error) => assert!(matches!(error, StoreError::Differs(_)), "{error}"),
            }
        }
    }
    assert_eq!(store.usage().0, 20);
    // Storing and removing at a time leave all or nothing.
    let path = directory.object("9", "a");
    for _ in 0..20 {
        thread::scope(|scope| {
            scope.spawn(|| store.import(&path).unwrap());
            scope.spawn(|| store.remove("9").unwrap());
        });
        assert_eq!(store.image("9").is_some(), store.path("9").exists());
        assert_eq!(store.holds("9"), store.path("9").exists());
    }
}

#[test]
fn a_store_that_cannot_be_written_says_so() {
    let directory = Directory::new("check");
    let at = directory.0.join("store");
    let store = Store::open_with_spare(&at, 0, 0).unwrap();
    store.check().unwrap();
    fs::rename(at.join("incoming"), at.join("elsewhere")).unwrap();
    let error = store.check().unwrap_err().to_string();
    assert!(error.contains("incoming"), "{error}");
    fs::rename(at.join("elsewhere"), at.join("incoming")).unwrap();
    store.check().unwrap();
    drop(store);
    let store = Store::open_with_spare(&at, 0, u64::MAX).unwrap();
    assert!(matches!(store.check(), Err(StoreError::Full(_))));
}

#[test]
fn what_comes_in_the_place_of_another_image_is_not_kept() {
    let directory = Directory::new("other");
    let store = Store::open(&directory.0.join("store"), 0).unwrap();
    let bring = |path: &Path, image: &Image| {
        let mut incoming = store.receive_unsized().unwrap();
        io::copy(&mut File::open(path).unwrap(), &mut incoming).unwrap();
        incoming.keep_as(image)
    };
    let [one, other, changed] =
        [("1.1", "a"), ("1.2", "a"), ("1.1", "b")].map(|(uid, name)| directory.object(uid, name));
    let image = store.import(&one).unwrap();
    store.remove("1.1").unwrap();
    for path in [&other, &changed] {
        let error = bring(path, &image).unwrap_err().to_string();
        assert!(error.contains("in the place of 1.1"), "{error}");
        assert!(store.find(&everything()).is_empty());
    }
    assert_eq!(bring(&one, &image).unwrap().uid, "1.1");
}

/// A store with an image for each change.
struct Images(Store);

impl Trial for Images {
    fn open(directory: &Path) -> Result<Self, String> {
        Store::open_with_spare(directory, 0, 0).map(Self).map_err(|error| error.to_string())
    }

    fn change(&mut self, number: u32) -> Result<(), String> {
        static OBJECTS: OnceLock<Directory> = OnceLock::new();
        let objects = OBJECTS.get_or_init(|| {
            let objects = Directory::new("objects");
            (1..20).for_each(|number| drop(objects.object(&format!("1.{number}"), "a")));
            objects
        });
        let imported = self.0.import(&objects.0.join(format!("1.{number}-a")));
        imported.map(drop).map_err(|error| error.to_string())
    }

    fn changes(&self) -> BTreeSet<u32> {
        let images = self.0.find(&everything()).into_iter();
        let whole = images.filter(|image| self.0.holds(&image.uid));
        whole.map(|image| image.uid["1.".len()..].parse().unwrap()).collect()
    }
}

#[test]
fn whatever_fails_nothing_acknowledged_is_lost() {
    let failures = try_every_failure::<Images>("imaging");
    assert!(failures > 50, "{failures}");
}
