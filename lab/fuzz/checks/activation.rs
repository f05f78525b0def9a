//! Activation blobs of DCOM, and what every call begins with.

use armilla_dcerpc::ByteOrder;
use armilla_dcerpc::ndr::from_stub;
use armilla_dcom::{
    ActivationResults, Blob, ErrorInfo, InstantiationInfo, LocationInfo, OrpcThat, OrpcThis,
    ScmReplyInfo, ScmRequestInfo,
};

pub(crate) fn check(data: &[u8]) {
    if let Ok(blob) = Blob::decode(data) {
        let again = blob.encode().unwrap();
        assert_eq!(Blob::decode(&again).unwrap(), blob);
        for property in &blob.properties {
            let _ = property.value::<InstantiationInfo>();
            let _ = property.value::<LocationInfo>();
            let _ = property.value::<ScmRequestInfo>();
            let _ = property.value::<ScmReplyInfo>();
            let _ = property.value::<ActivationResults>();
        }
    }
    for order in [ByteOrder::Little, ByteOrder::Big] {
        if let Ok(answer) = from_stub::<OrpcThat>(data, order)
            && let Some(extensions) = answer.extensions.get()
            && let Some(info) = ErrorInfo::of_extensions(extensions)
        {
            let again = info.to_extensions().unwrap();
            assert_eq!(ErrorInfo::of_extensions(&again), Some(info));
        }
        if let Ok(call) = from_stub::<OrpcThis>(data, order)
            && let Some(extensions) = call.extensions.get()
            && let Some(list) = extensions.list.get()
        {
            for extension in list.0.iter().filter_map(|pointer| pointer.get()) {
                assert!(extension.octets().is_none_or(|octets| octets.len() <= data.len()));
            }
        }
    }
}
