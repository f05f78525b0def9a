//! PDUs of DCE/RPC: single ones, streams cut in any way, fragments, verification trailers.

use armilla_dcerpc::pdu::{Body, Framer, Limits, Pdu, PduError, Reassembly, Verification};

const LIMIT: u16 = 4096;

pub(crate) fn check(data: &[u8]) {
    if let Ok(pdu) = Pdu::decode(data) {
        // The octets that mean nothing may differ, the PDU may not.
        let again = pdu.encode().unwrap();
        assert_eq!(Pdu::decode(&again).unwrap(), pdu);
        if let Body::Request(request) = &pdu.body
            && let Ok(Some((at, _))) = Verification::find(request.stub)
        {
            assert!(at % 4 == 0 && at < request.stub.len());
        }
    }
    let at_once = pdus(data, usize::MAX);
    assert_eq!(at_once, pdus(data, 1));
    assert_eq!(at_once, pdus(data, 13));
    let mut reassembly = Reassembly::new(Limits { stub: 64, total: 100, calls: 4 });
    for octets in &at_once.0 {
        let Ok(pdu) = Pdu::decode(octets) else { continue };
        if let Body::Request(request) = pdu.body
            && let Ok(Some((_, stub))) = reassembly.receive(
                pdu.call_id,
                pdu.flags,
                (request.context, request.opnum, request.object),
                request.stub,
            )
        {
            assert!(stub.len() <= 64);
        }
    }
}

/// The PDUs in a stream that arrives `chunk` octets at a time, and how it ends.
fn pdus(data: &[u8], chunk: usize) -> (Vec<Vec<u8>>, Result<(), PduError>) {
    let mut framer = Framer::new(LIMIT);
    let mut pdus = Vec::new();
    for part in data.chunks(chunk.min(data.len()).max(1)) {
        framer.receive(part);
        loop {
            match framer.next_pdu() {
                Ok(Some((_, pdu))) => pdus.push(pdu),
                Ok(None) => break,
                Err(error) => return (pdus, Err(error)),
            }
        }
    }
    (pdus, Ok(()))
}
