//! DICOM objects made here, and servers.

use armilla::Orb;
use armilla_imaging::audit::Guard;
use armilla_imaging::idl::ServerRef;
use armilla_imaging::server::{ImageServer, ServerSettings};
use armilla_imaging::store::Store;
use armilla_stream::Listener;
use dicom_core::{DataElement, PrimitiveValue, VR};
use dicom_dictionary_std::{tags, uids};
use dicom_object::{FileMetaTableBuilder, InMemDicomObject};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A directory of its own, removed at the end.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("armilla-imaging-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// Writes an image with 16 bits a pixel, each the sum of its row and column.
pub(crate) fn write_image(path: &Path, study: &str, number: u16, edge: u16, seed: u16) -> String {
    write_frames(path, study, number, edge, &[seed])
}

/// The same with several frames, each with a seed of its own.
pub(crate) fn write_frames(
    path: &Path,
    study: &str,
    number: u16,
    edge: u16,
    seeds: &[u16],
) -> String {
    let uid = format!("{study}.1.{number}");
    let text = |tag, vr, value: &str| DataElement::new(tag, vr, PrimitiveValue::from(value));
    let short = |tag, value: u16| DataElement::new(tag, VR::US, PrimitiveValue::from(value));
    let places = (0..edge).flat_map(|row| (0..edge).map(move |column| row + column));
    let pixels: Vec<u16> =
        seeds.iter().flat_map(|seed| places.clone().map(move |value| value ^ seed)).collect();
    let object = InMemDicomObject::from_element_iter([
        text(tags::SOP_CLASS_UID, VR::UI, uids::MR_IMAGE_STORAGE),
        text(tags::SOP_INSTANCE_UID, VR::UI, &uid),
        text(tags::STUDY_DATE, VR::DA, "20250314"),
        text(tags::MODALITY, VR::CS, "MR"),
        text(tags::PATIENT_NAME, VR::PN, "Doe^Jane"),
        text(tags::PATIENT_ID, VR::LO, "P7"),
        text(tags::STUDY_INSTANCE_UID, VR::UI, study),
        text(tags::SERIES_INSTANCE_UID, VR::UI, &format!("{study}.1")),
        text(tags::INSTANCE_NUMBER, VR::IS, &number.to_string()),
        short(tags::SAMPLES_PER_PIXEL, 1),
        text(tags::PHOTOMETRIC_INTERPRETATION, VR::CS, "MONOCHROME2"),
        text(tags::NUMBER_OF_FRAMES, VR::IS, &seeds.len().to_string()),
        short(tags::ROWS, edge),
        short(tags::COLUMNS, edge),
        short(tags::BITS_ALLOCATED, 16),
        short(tags::BITS_STORED, 16),
        short(tags::HIGH_BIT, 15),
        short(tags::PIXEL_REPRESENTATION, 0),
        DataElement::new(tags::PIXEL_DATA, VR::OW, PrimitiveValue::U16(pixels.into())),
    ]);
    let meta = FileMetaTableBuilder::new()
        .transfer_syntax(uids::EXPLICIT_VR_LITTLE_ENDIAN)
        .media_storage_sop_class_uid(uids::MR_IMAGE_STORAGE)
        .media_storage_sop_instance_uid(&uid);
    object.with_meta(meta).unwrap().write_to_file(path).unwrap();
    uid
}

/// A server with an ORB of its own, over a directory.
pub(crate) fn serve(directory: &Path, quota: u64) -> (Orb, ServerRef, Store) {
    serve_to(directory, quota, Guard::default())
}

/// The same with rules.
pub(crate) fn serve_to(directory: &Path, quota: u64, guard: Guard) -> (Orb, ServerRef, Store) {
    let listener = Listener::builder().tcp("127.0.0.1", 0).unix().start().unwrap();
    serve_over(directory, quota, guard, listener)
}

/// The same with a listener for its flows.
pub(crate) fn serve_over(
    directory: &Path,
    quota: u64,
    guard: Guard,
    listener: Listener,
) -> (Orb, ServerRef, Store) {
    let store = Store::open(directory, quota).unwrap();
    let (orb, server) = serve_store(&store, guard, listener);
    (orb, server, store)
}

/// A server of images that are open already.
pub(crate) fn serve_store(store: &Store, guard: Guard, listener: Listener) -> (Orb, ServerRef) {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let settings = ServerSettings {
        name: "test".to_owned(),
        store: store.clone(),
        listener,
        guard,
        procedures: None,
        through: None,
    };
    let server = ImageServer::activate(&orb.root_poa(), settings).unwrap();
    orb.perform_work().unwrap();
    (orb, server)
}
