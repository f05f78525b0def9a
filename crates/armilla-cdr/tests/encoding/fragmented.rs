//! Octets that arrived in pieces, each with an alignment of its own.

use armilla_cdr::{
    Any, ByteOrder, CdrErrorKind, Decode, Decoder, Encode, Encoder, FragmentedOctets, TypeCode,
};

const BIG: ByteOrder = ByteOrder::Big;

/// How long the header of a fragment is.
const HEADER: usize = 12;

/// FragmentedOctets as the fragments of GIOP 1.1 are, the first with its header and the others
/// without.
fn pieces(all: &[&[u8]]) -> FragmentedOctets {
    let mut pieces = FragmentedOctets::new([&[0; HEADER], all[0]].concat(), HEADER);
    all[1..].iter().for_each(|piece| pieces.push(piece));
    pieces
}

#[test]
fn a_number_behind_a_seam_is_aligned_from_its_own_piece() {
    let double = 0.5_f64.to_be_bytes();
    let pieces = pieces(&[
        &[0, 0, 0, 1, 7],
        &[&[0; 4], &double[..], &[0, 0, 0, 2]].concat(),
        &[0, 3],
        &[],
        &[0, 4],
    ]);
    let mut input = pieces.decoder(HEADER, BIG);
    assert_eq!((input.u32(), input.u8()), (Ok(1), Ok(7)));
    assert_eq!((input.f64(), input.u32()), (Ok(0.5), Ok(2)));
    assert_eq!((input.u16(), input.u16()), (Ok(3), Ok(4)));
    assert_eq!(input.remaining(), 0);
    assert!(input.u8().is_err());
}

#[test]
fn an_array_of_numbers_that_begins_behind_a_seam_is_aligned_from_its_own_piece() {
    let doubles = [0.5_f64, 1.5].map(f64::to_be_bytes).concat();
    let pieces = pieces(&[&[0, 0, 0, 2], &[&[0; 4], &doubles[..]].concat()]);
    let mut input = pieces.decoder(HEADER, BIG);
    assert_eq!(input.sequence::<f64>(), Ok([0.5, 1.5].to_vec()));
    assert_eq!(input.remaining(), 0);
}

#[test]
fn strings_octets_and_arrays_of_numbers_are_read_across_seams() {
    let pieces =
        pieces(&[b"\0\0\0\x06hel", b"l", b"o\0", b"\0\0\0\x03a", b"bc\x01\x02", b"\x03\x04"]);
    let mut input = pieces.decoder(HEADER, BIG);
    assert_eq!(input.string().unwrap(), "hello");
    assert_eq!(input.octets(), Ok(&b"abc"[..]));
    assert_eq!(input.u8s(4), Ok([1, 2, 3, 4].to_vec()));
    assert_eq!(input.remaining(), 0);
}

#[test]
fn an_exception_may_lack_its_repository_id_wherever_the_seam_is() {
    let lost = TypeCode::exception("IDL:L:1.0", "", [("why", TypeCode::String(0))]);
    for id in [Some("IDL:L:1.0"), None] {
        let mut out = Encoder::new(BIG);
        lost.write(&mut out).unwrap();
        id.into_iter().for_each(|id| out.put_string(id).unwrap());
        out.put_string("because").unwrap();
        let octets = out.to_vec();
        let whole = Any::decode(&mut Decoder::new(&octets, BIG)).unwrap();
        for seam in (0..=octets.len()).step_by(4) {
            let pieces = pieces(&[&octets[..seam], &octets[seam..]]);
            let mut input = pieces.decoder(HEADER, BIG);
            assert_eq!(Any::decode(&mut input), Ok(whole.clone()), "{id:?} at {seam}");
            assert_eq!(input.remaining(), 0);
        }
    }
}

#[test]
fn a_decoder_may_begin_in_any_piece() {
    let pieces = pieces(&[&[0; 5], &[0, 0, 0, 0, 9, 9, 9, 9], &[1]]);
    for position in 0..=14 {
        let input = pieces.decoder(HEADER + position, BIG);
        assert_eq!(input.remaining(), 14 - position, "at {position}");
    }
    assert_eq!(pieces.decoder(HEADER + 9, BIG).u32(), Ok(0x0909_0909));
    assert_eq!(pieces.decoder(HEADER + 13, BIG).u8(), Ok(1));
}

#[test]
fn what_ends_too_early_or_lies_across_a_seam_is_refused() {
    let pieces = pieces(&[&[0; 6], &[0; 3]]);
    let mut input = pieces.decoder(HEADER + 4, BIG);
    assert!(matches!(input.u32().unwrap_err().kind, CdrErrorKind::Truncated { needed: 4, .. }));
    assert!(input.raw(6).is_err());
    assert_eq!(input.raw(5), Ok(&[0; 5][..]));
    assert!(pieces.decoder(HEADER, BIG).clone().u64().is_err());
    for position in [HEADER + 9, 100, usize::MAX / 2] {
        assert!(pieces.decoder(position, BIG).u8().is_err());
    }
}

#[test]
fn an_encapsulation_and_a_sequence_of_structs_do_not_notice_a_seam() {
    let texts = [String::from("a"), String::from("bcd")];
    let mut out = Encoder::new(BIG);
    out.put_encapsulation(|inner| inner.put_string("inside")).unwrap();
    texts[..].encode(&mut out).unwrap();
    let octets = out.to_vec();
    for cut in (4..octets.len()).step_by(4) {
        // At these places the pieces are aligned as the whole is.
        let pieces = pieces(&[&octets[..cut], &octets[cut..]]);
        let mut input = pieces.decoder(HEADER, BIG);
        assert_eq!(input.encapsulation().unwrap().string().unwrap(), "inside");
        assert_eq!(Vec::<String>::decode(&mut input).unwrap(), texts, "cut at {cut}");
    }
}

/// Indirections count octets as if there were no headers between the pieces.
#[test]
fn types_that_contain_themselves_do_not_notice_a_seam() {
    let below = TypeCode::sequence(TypeCode::Recursive("IDL:Tree:1.0".into()), 0);
    let members = [("name", TypeCode::String(0)), ("below", below)];
    let tree = TypeCode::structure("IDL:Tree:1.0", "Tree", members);
    let root = b"\0\0\0\x05root\0\0\0\0\0\0\0\0";
    let any = Any::read(tree.clone(), &mut Decoder::new(root, BIG)).unwrap();
    let mut out = Encoder::new(BIG);
    any.encode(&mut out).unwrap();
    tree.encode(&mut out).unwrap();
    let octets = out.to_vec();
    for size in (4..octets.len()).step_by(4) {
        let pieces = pieces(&octets.chunks(size).collect::<Vec<_>>());
        let mut input = pieces.decoder(HEADER, BIG);
        assert_eq!(Any::decode(&mut input).as_ref(), Ok(&any), "pieces of {size}");
        assert_eq!(TypeCode::decode(&mut input).as_ref(), Ok(&tree), "pieces of {size}");
        assert_eq!(input.remaining(), 0);
    }
}

#[test]
fn one_piece_is_read_like_any_other_octets() {
    let pieces = pieces(&[&[0, 0, 0, 1]]);
    let (mut piece, mut plain) = (pieces.decoder(HEADER, BIG), Decoder::new(&[0, 0, 0, 1], BIG));
    assert_eq!(piece.u32(), plain.u32());
    assert!(piece.u8().is_err() && plain.u8().is_err());
}

#[test]
fn what_is_kept_of_a_decoder_reads_as_it_did() {
    let double = 0.5_f64.to_be_bytes();
    let pieces =
        pieces(&[&[0, 0, 0, 1, 7], &[&[0; 4], &double[..], &[0, 0, 0, 2]].concat(), &[0, 3]]);
    let mut input = pieces.decoder(HEADER, BIG);
    let (start, _) = (input.to_owned_input(), input.u32());
    let (within, _) = (input.to_owned_input(), input.u8());
    let behind = input.to_owned_input();
    assert_eq!((start.decoder().u32(), within.decoder().u8()), (Ok(1), Ok(7)));
    let mut kept = behind.decoder();
    assert_eq!((kept.f64(), kept.u32(), kept.u16()), (Ok(0.5), Ok(2), Ok(3)));
    assert_eq!(kept.remaining(), 0);

    let octets = [0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 1];
    let mut input = Decoder::at(&octets, 9, BIG);
    let kept = input.to_owned_input();
    assert_eq!(kept.decoder().u32(), input.u32(), "aligned as before");
    assert_eq!(kept.decoder().u8(), Ok(0), "and read again");
}
