//! The properties of an activation (MS-DCOM 2.2.22).

use crate::error::ObjRefError;
use crate::octets::{Reader, length};
use alloc::vec::Vec;
use armilla_dcerpc::ndr::{Conformant, Ndr, Unique, deserialize, serialize};
use armilla_dcerpc::{ByteOrder, Uuid};

/// More properties than any peer sends.
const MOST: usize = 64;

armilla_dcerpc::ndr_struct! {
    struct Head {
        total: u32,
        head: u32,
        reserved: u32,
        context: u32,
        count: u32,
        class: Uuid,
        classes: Unique<Conformant<Uuid>>,
        sizes: Unique<Conformant<u32>>,
        extra: Unique<u32>,
    }
}

/// Properties, as the data of a custom reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// Where the objects are to be: 2 for another host.
    pub context: u32,
    /// The properties.
    pub properties: Vec<Property>,
}

/// A property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// What it is; see [`property`](crate::property).
    pub class: Uuid,
    /// Its value with the heads of its serialization.
    pub octets: Vec<u8>,
}

impl Property {
    /// A property with this value.
    ///
    /// # Errors
    ///
    /// If something has more elements than 32 bits count.
    pub fn new<T: Ndr>(class: Uuid, value: &T) -> Result<Self, ObjRefError> {
        Ok(Self { class, octets: serialize(value, ByteOrder::Little)? })
    }

    /// Its value.
    ///
    /// # Errors
    ///
    /// If it has another one.
    pub fn value<T: Ndr>(&self) -> Result<T, ObjRefError> {
        Ok(deserialize(&self.octets)?.0)
    }
}

impl Blob {
    /// The property of this class; `None` if there is none.
    pub fn get(&self, class: Uuid) -> Option<&Property> {
        self.properties.iter().find(|property| property.class == class)
    }

    /// Reads it.
    ///
    /// # Errors
    ///
    /// If the octets are none, or its sizes are not those of its parts.
    pub fn decode(octets: &[u8]) -> Result<Self, ObjRefError> {
        let mut input = Reader(octets);
        let total = input.u32()?;
        input.u32()?;
        let mut input = Reader(input.octets(total as usize)?);
        let (head, _) = deserialize::<Head>(input.0)?;
        input.octets(head.head as usize)?;
        let (Some(classes), Some(sizes)) = (head.classes.get(), head.sizes.get()) else {
            return Err(ObjRefError::Sizes);
        };
        let count = head.count as usize;
        if classes.0.len() != count || sizes.0.len() != count || count > MOST {
            return Err(ObjRefError::Sizes);
        }
        let mut properties = Vec::new();
        for (class, size) in classes.0.iter().zip(&sizes.0) {
            let octets = input.octets(*size as usize)?.to_vec();
            properties.push(Property { class: *class, octets });
        }
        Ok(Self { context: head.context, properties })
    }

    /// Writes it.
    ///
    /// # Errors
    ///
    /// If it is too long for its fields.
    pub fn encode(&self) -> Result<Vec<u8>, ObjRefError> {
        let all = self.properties.iter();
        let classes: Vec<_> = all.clone().map(|property| property.class).collect();
        let sizes: Vec<_> =
            all.clone().map(|property| length(property.octets.len())).collect::<Result<_, _>>()?;
        let body: usize = all.clone().map(|property| property.octets.len()).sum();
        let mut head = Head {
            total: 0,
            head: 0,
            reserved: 0,
            context: self.context,
            count: length(classes.len())?,
            class: Uuid::NIL,
            classes: Unique::new(classes.into()),
            sizes: Unique::new(sizes.into()),
            extra: Unique::NULL,
        };
        // The sizes in the head do not change its own.
        let size = serialize(&head, ByteOrder::Little)?.len();
        (head.head, head.total) = (length(size)?, length(size + body)?);
        let mut out = Vec::new();
        out.extend(head.total.to_le_bytes());
        out.extend([0; 4]);
        out.extend(serialize(&head, ByteOrder::Little)?);
        all.for_each(|property| out.extend(&property.octets));
        Ok(out)
    }
}
