//! What every call and every answer begin with (MS-DCOM 2.2.13, 2.2.21).

use alloc::vec::Vec;
use armilla_dcerpc::Uuid;
use armilla_dcerpc::ndr::{Conformant, Unique};

armilla_dcerpc::ndr_struct! {
    /// A version of DCOM.
    pub struct ComVersion {
        /// Another one cannot be spoken with.
        pub major: u16,
        /// The lower one of both sides is spoken.
        pub minor: u16,
    }
    /// What a call begins with.
    pub struct OrpcThis {
        /// The version that the client speaks.
        pub version: ComVersion,
        /// 1 for a call within a host, else 0.
        pub flags: u32,
        /// Always 0.
        pub reserved: u32,
        /// Names the chain of calls that this one belongs to; nested calls keep it.
        pub causality: Uuid,
        /// What a program adds.
        pub extensions: Unique<Extensions>,
    }
    /// What an answer begins with.
    pub struct OrpcThat {
        /// Always 0.
        pub flags: u32,
        /// What a program adds.
        pub extensions: Unique<Extensions>,
    }
    /// A list of extensions.
    pub struct Extensions {
        /// How many there are.
        pub count: u32,
        /// Always 0.
        pub reserved: u32,
        /// Each of them; null pointers fill it up to an even number.
        pub list: Unique<Conformant<Unique<Extension>>>,
    }
    /// An extension.
    pub struct Extension {
        /// Its name.
        pub id: Uuid,
        /// How many octets it has.
        pub size: u32,
        /// The octets; zeros fill them up to a multiple of eight.
        pub data: Conformant<u8>,
    }
}

impl ComVersion {
    /// What Windows has spoken since XP, and this crate speaks.
    pub const CURRENT: Self = Self { major: 5, minor: 7 };

    /// The version in which both are spoken with; `None` if there is none. A client may not be
    /// newer than its server (MS-DCOM 2.2.13.3).
    pub fn agreed(&self, client: &Self) -> Option<Self> {
        (client.major == self.major && client.minor <= self.minor).then(|| client.clone())
    }
}

impl OrpcThis {
    /// The beginning of a call without extensions.
    pub fn new(causality: Uuid) -> Self {
        let version = ComVersion::CURRENT;
        Self { version, flags: 0, reserved: 0, causality, extensions: Unique::NULL }
    }
}

impl OrpcThat {
    /// The beginning of an answer without extensions.
    pub const PLAIN: Self = Self { flags: 0, extensions: Unique::NULL };
}

impl Extension {
    /// An extension; `None` if it has more octets than 32 bits count.
    pub fn new(id: Uuid, mut data: Vec<u8>) -> Option<Self> {
        let size = u32::try_from(data.len()).ok()?;
        data.resize(data.len().next_multiple_of(8), 0);
        Some(Self { id, size, data: data.into() })
    }

    /// Its octets without what fills them up; `None` if there are fewer than it says.
    pub fn octets(&self) -> Option<&[u8]> {
        self.data.0.get(..self.size as usize)
    }
}

impl Extensions {
    /// A list of these.
    pub fn new(extensions: Vec<Extension>) -> Self {
        let count = extensions.len() as u32;
        let mut list: Vec<_> = extensions.into_iter().map(Unique::new).collect();
        list.resize(list.len().next_multiple_of(2), Unique::NULL);
        Self { count, reserved: 0, list: Unique::new(list.into()) }
    }
}
