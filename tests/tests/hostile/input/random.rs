//! Random octets and flipped bits.

use super::{NEWEST, answer, good_request, key, under_attack};
use armilla_giop::MessageKind;
use armilla_tests::peer::{self, ORDERS, VERSIONS, header, request};

/// Random numbers, the same in every run (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn octets(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }
}

#[test]
fn random_octets_behind_a_good_header_do_no_harm() {
    under_attack(|server| {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        for _ in 0..1_000 {
            let size = random.below(200);
            let version = VERSIONS[random.below(3)];
            let kind = MessageKind::from_number(random.below(8) as u8).unwrap();
            let mut octets = header(version, kind, size as u32).to_vec();
            octets[6] = random.next() as u8;
            if random.below(4) == 0 {
                octets[8..12].copy_from_slice(&random.octets(4));
            }
            octets.extend(random.octets(size));
            answer(server, &octets);
        }
    });
}

#[test]
fn requests_with_flipped_bits_do_no_harm() {
    under_attack(|server| {
        let key = key(server);
        let mut random = Random(0x2545_f491_4f6c_dd1d);
        let requests: Vec<Vec<u8>> = VERSIONS
            .iter()
            .flat_map(|v| ORDERS.map(|o| (*v, o)))
            .flat_map(|(version, order)| {
                let label = request(version, order, &key, "echo_label", |out| {
                    for _ in 0..2 {
                        out.put_string("text")?;
                        out.put_u32(1);
                        out.put_u8(7);
                        out.put_f64(0.5);
                        out.put_i16(-1);
                    }
                    Ok(())
                });
                let reference = request(version, order, &key, "echo_object", |out| {
                    peer::put_ior(&peer::ior(&[1, 2], NEWEST), out)?;
                    peer::put_ior(&peer::ior(&[3], NEWEST), out)
                });
                [label, reference, good_request(server, version, order)]
            })
            .collect();
        for _ in 0..1_500 {
            let mut octets = requests[random.below(requests.len())].clone();
            for _ in 0..=random.below(3) {
                // The magic is left alone, so that more than the first look is tested.
                let at = 4 + random.below(octets.len() - 4);
                octets[at] ^= 1 << random.below(8);
            }
            answer(server, &octets);
        }
    });
}
