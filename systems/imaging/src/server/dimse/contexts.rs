//! Which presentation contexts are accepted (PS3.8, 9.3.3.2): those of services that there are. A
//! peer learns while it connects what it can leave out.

use dicom_dictionary_std::uids;
use dicom_ul::association::server::Negotiation;
use dicom_ul::pdu::RequestorRoles;
use std::collections::BTreeSet;

/// What a presentation context is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Service {
    /// C-ECHO.
    Verification,
    /// C-STORE.
    Storage,
    /// C-FIND of images.
    Find,
    /// C-GET.
    Get,
    /// C-MOVE.
    Move,
    /// C-FIND of what is planned.
    Worklist,
    /// N-CREATE and N-SET of performed procedure steps.
    Steps,
    /// N-ACTION and N-EVENT-REPORT of storage commitment.
    Commitment,
}

/// The services that are no storage, with their SOP classes (PS3.4, annexes A, C, F, J and K; the
/// last three are retired, and still asked for).
const SERVICES: [(&str, Service); 13] = [
    (uids::VERIFICATION, Service::Verification),
    (uids::PATIENT_ROOT_QUERY_RETRIEVE_INFORMATION_MODEL_FIND, Service::Find),
    (uids::PATIENT_ROOT_QUERY_RETRIEVE_INFORMATION_MODEL_MOVE, Service::Move),
    (uids::PATIENT_ROOT_QUERY_RETRIEVE_INFORMATION_MODEL_GET, Service::Get),
    (uids::STUDY_ROOT_QUERY_RETRIEVE_INFORMATION_MODEL_FIND, Service::Find),
    (uids::STUDY_ROOT_QUERY_RETRIEVE_INFORMATION_MODEL_MOVE, Service::Move),
    (uids::STUDY_ROOT_QUERY_RETRIEVE_INFORMATION_MODEL_GET, Service::Get),
    (uids::MODALITY_WORKLIST_INFORMATION_MODEL_FIND, Service::Worklist),
    (uids::MODALITY_PERFORMED_PROCEDURE_STEP, Service::Steps),
    (uids::STORAGE_COMMITMENT_PUSH_MODEL, Service::Commitment),
    ("1.2.840.10008.5.1.4.1.2.3.1", Service::Find),
    ("1.2.840.10008.5.1.4.1.2.3.2", Service::Move),
    ("1.2.840.10008.5.1.4.1.2.3.3", Service::Get),
];

/// What the SOP classes of storage begin with,
const STORAGE: &str = "1.2.840.10008.5.1.4.1.1.";

/// and how they end (PS3.4, B.5; PS3.6, table A-1, also those that are retired).
const STORAGES: &str = "\
    1 1.1 1.1.1 1.2 1.2.1 1.3 1.3.1 2 2.1 2.2 2.3 2.4 2.5 3 3.1 4 4.1 4.2 4.3 4.4 5 6 6.1 6.2 \
    6.3 7 7.1 7.2 7.3 7.4 8 9 9.1 9.1.1 9.1.2 9.1.3 9.1.4 9.2.1 9.3.1 9.4.1 9.4.2 9.5.1 9.6.1 \
    9.6.2 9.7.1 9.7.2 9.7.3 9.7.4 9.8.1 9.100.1 9.100.2 10 11 11.1 11.2 11.3 11.4 11.5 11.6 11.7 \
    11.8 11.9 11.10 11.11 11.12 12.1 12.1.1 12.2 12.2.1 12.3 13.1.1 13.1.2 13.1.3 13.1.4 13.1.5 \
    14.1 14.2 20 30 66 66.1 66.2 66.3 66.4 66.5 66.6 66.7 66.8 67 68.1 68.2 77.1 77.1.1 77.1.1.1 \
    77.1.2 77.1.2.1 77.1.3 77.1.4 77.1.4.1 77.1.5.1 77.1.5.2 77.1.5.3 77.1.5.4 77.1.5.5 77.1.5.6 \
    77.1.5.7 77.1.5.8 77.1.6 77.1.7 77.1.8 77.1.9 77.2 78.1 78.2 78.3 78.4 78.5 78.6 78.7 78.8 \
    79.1 80.1 81.1 82.1 88.1 88.2 88.3 88.4 88.11 88.22 88.33 88.34 88.35 88.40 88.50 88.59 \
    88.65 88.67 88.68 88.69 88.70 88.71 88.72 88.73 88.74 88.75 88.76 88.77 90.1 91.1 104.1 \
    104.2 104.3 104.4 104.5 128 128.1 129 130 131 200.1 200.2 200.3 200.7 200.8 481.1 481.2 \
    481.3 481.4 481.5 481.6 481.7 481.8 481.9 481.10 481.11 481.12 481.13 481.14 481.15 481.16 \
    481.17 481.18 481.19 481.20 481.21 481.22 481.23 481.24 481.25 501.1 501.2.1 501.2.2 501.3 \
    501.4 501.5 501.6 601.1 601.2 601.3 601.4 601.5";

/// Storage of what belongs to a patient, with another beginning.
const MORE_STORAGES: [&str; 2] = [
    uids::RT_BEAMS_DELIVERY_INSTRUCTION_STORAGE,
    uids::RT_BRACHY_APPLICATION_SETUP_DELIVERY_INSTRUCTION_STORAGE,
];

/// Each SOP class that is served, with its service. `more` are SOP classes of storage that the
/// operator names.
pub(super) fn all(more: &BTreeSet<String>) -> impl Iterator<Item = (String, Service)> {
    let services = SERVICES.iter().map(|(uid, service)| ((*uid).to_owned(), *service));
    let standard = STORAGES.split(' ').map(|end| format!("{STORAGE}{end}"));
    let others = MORE_STORAGES.iter().map(|uid| (*uid).to_owned());
    let storages = standard.chain(others).chain(more.iter().cloned());
    services.chain(storages.map(|uid| (uid, Service::Storage)))
}

/// The service of an SOP class; `None` if there is none here.
pub(super) fn service(class: &str, more: &BTreeSet<String>) -> Option<Service> {
    if let Some((_, service)) = SERVICES.iter().find(|(uid, _)| *uid == class) {
        return Some(*service);
    }
    let is_standard = |end: &str| STORAGES.split(' ').any(|known| known == end);
    let storage = class.strip_prefix(STORAGE).is_some_and(is_standard)
        || MORE_STORAGES.contains(&class)
        || more.contains(class);
    storage.then_some(Service::Storage)
}

/// Which roles a requestor may have (PS3.7, D.3.3.4).
pub(super) struct Roles<'a> {
    /// SOP classes of storage that the operator names.
    pub(super) more: &'a BTreeSet<String>,
}

impl Negotiation for Roles<'_> {
    /// Who asks for images may take them as well. Of other services this server is the provider.
    fn negotiate_roles(&self, class: &str, scu: bool, scp: bool) -> Option<RequestorRoles> {
        let both = service(class, self.more) == Some(Service::Storage);
        Some(RequestorRoles { scu, scp: scp && both })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_that_is_accepted_has_its_service() {
        let more = BTreeSet::from(["1.3.12.2.1107.5.9.1".to_owned()]);
        let all: Vec<_> = all(&more).collect();
        for (uid, of) in &all {
            assert_eq!(service(uid, &more), Some(*of), "{uid}");
            assert!(crate::dicom::is_uid(uid), "{uid:?}");
        }
        let different: BTreeSet<_> = all.iter().map(|(uid, _)| uid).collect();
        assert_eq!(different.len(), all.len());
        for (uid, of) in [
            (uids::VERIFICATION, Some(Service::Verification)),
            (uids::CT_IMAGE_STORAGE, Some(Service::Storage)),
            (uids::ENCAPSULATED_PDF_STORAGE, Some(Service::Storage)),
            ("1.3.12.2.1107.5.9.1", Some(Service::Storage)),
            // Queries and places beside storage.
            ("1.2.840.10008.5.1.4.1.1.200.4", None),
            ("1.2.840.10008.5.1.4.1.1.201.1", None),
            ("1.2.840.10008.5.1.4.1.1.", None),
            ("1.2.3.4.5.6.7", None),
        ] {
            assert_eq!(service(uid, &more), of, "{uid}");
        }
    }
}
