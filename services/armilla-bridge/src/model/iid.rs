//! The IIDs of views (CORBA 2.3, 17.5.4): who bridges an interface finds the same one.

use armilla_dcerpc::{ByteOrder, Uuid};
use md5::{Digest, Md5};

/// How programs of COM call an object of CORBA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// By the numbers of operations.
    Com,
    /// By their names.
    Automation,
    /// Both.
    Dual,
}

/// The octet that says that a UUID was made so.
const FAMILY: u8 = 29;

/// What begins the repository id of an interface that comes from COM.
const OF_COM: &str = "DCE:";

/// The IID of a view of an interface: the MD5 digest of its repository id, or the IID itself of an
/// interface that comes from COM.
///
/// ```
/// use armilla_bridge::model::{View, iid, repository_id};
///
/// let account = iid("IDL:Bank/Account:1.0", View::Automation);
/// assert_eq!(account, iid("IDL:Bank/Account:1.0", View::Automation));
/// assert_ne!(account, iid("IDL:Bank/Account:1.0", View::Com));
/// assert_eq!(iid(&repository_id(account), View::Com), account);
/// ```
pub fn iid(repository_id: &str, view: View) -> Uuid {
    let of_com = repository_id.strip_prefix(OF_COM);
    if let Some(uuid) = of_com.and_then(|rest| rest.split(':').next()?.parse().ok()) {
        return uuid;
    }
    let mut octets: [u8; 16] = Md5::digest(repository_id.as_bytes()).into();
    let kind = match view {
        View::Com => 0b01,
        View::Automation => 0b10,
        View::Dual => 0b11,
    };
    octets[8] = FAMILY;
    octets[9] = octets[9] & 0b0011_1111 | kind << 6;
    Uuid::from_octets(octets, ByteOrder::Big)
}

/// The repository id of an interface of COM.
pub fn repository_id(iid: Uuid) -> String {
    format!("{OF_COM}{iid}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_iid_is_the_digest_with_a_family_and_a_kind() {
        let digest: [u8; 16] = Md5::digest(b"IDL:Bank/Account:1.0").into();
        for (view, kind) in [(View::Com, 1), (View::Automation, 2), (View::Dual, 3)] {
            let octets = iid("IDL:Bank/Account:1.0", view).to_octets(ByteOrder::Big);
            assert_eq!(octets[..8], digest[..8]);
            assert_eq!((octets[8], octets[9] >> 6), (29, kind));
            assert_eq!(octets[9] & 0x3f, digest[9] & 0x3f);
            assert_eq!(octets[10..], digest[10..]);
        }
    }

    #[test]
    fn an_interface_of_com_keeps_its_iid() {
        let known = Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d01");
        assert_eq!(iid("DCE:6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d01", View::Com), known);
        assert_eq!(iid("DCE:6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d01:0", View::Com), known);
        assert_eq!(repository_id(known), "DCE:6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d01");
    }
}
