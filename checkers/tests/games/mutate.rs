//! Damages a text, as a broken solver, a broken pipe or an attacker might.

use proptest::collection::vec;
use proptest::prelude::*;

/// One change of a text. Positions are taken modulo the current length.
#[derive(Debug, Clone)]
pub(crate) enum Damage {
    FlipBit(usize, u8),
    SetByte(usize, u8),
    Truncate(usize),
    ReplaceToken(usize, &'static str),
    RemoveToken(usize),
    DoubleToken(usize),
    SwapTokens(usize, usize),
}

const TOKENS: [&str; 22] = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "13",
    "-1",
    "-0",
    "007",
    "+4",
    "1.0",
    "1e3",
    "10000",
    "10001",
    "***",
    "aaa",
    "ABBA",
    "18446744073709551617",
    "-99999999999999999999999",
    "٣",
    "\0",
    "\u{b}\u{c}",
];

/// Up to four pieces of damage.
pub(crate) fn damages() -> impl Strategy<Value = Vec<Damage>> {
    let at = any::<usize>;
    let one = prop_oneof![
        (at(), 0..8_u8).prop_map(|(at, bit)| Damage::FlipBit(at, bit)),
        (at(), any::<u8>()).prop_map(|(at, byte)| Damage::SetByte(at, byte)),
        at().prop_map(Damage::Truncate),
        (at(), proptest::sample::select(&TOKENS[..])).prop_map(|(at, token)| Damage::ReplaceToken(at, token)),
        at().prop_map(Damage::RemoveToken),
        at().prop_map(Damage::DoubleToken),
        (at(), at()).prop_map(|(a, b)| Damage::SwapTokens(a, b)),
    ];
    vec(one, 0..=4)
}

/// Applies the damage in order.
pub(crate) fn damaged(text: &[u8], damages: &[Damage]) -> Vec<u8> {
    damages.iter().fold(text.to_vec(), apply)
}

fn apply(text: Vec<u8>, damage: &Damage) -> Vec<u8> {
    if text.is_empty() {
        return text;
    }
    let length = text.len();
    match *damage {
        Damage::FlipBit(at, bit) => with_bytes(text, |bytes| bytes[at % length] ^= 1 << bit),
        Damage::SetByte(at, byte) => with_bytes(text, |bytes| bytes[at % length] = byte),
        Damage::Truncate(at) => with_bytes(text, |bytes| bytes.truncate(at % length)),
        Damage::ReplaceToken(at, token) => with_tokens(&text, |tokens, count| tokens[at % count] = token.into()),
        Damage::RemoveToken(at) => with_tokens(&text, |tokens, count| drop(tokens.remove(at % count))),
        Damage::DoubleToken(at) => with_tokens(&text, |tokens, count| tokens.push(tokens[at % count].clone())),
        Damage::SwapTokens(a, b) => with_tokens(&text, |tokens, count| tokens.swap(a % count, b % count)),
    }
}

fn with_bytes(mut text: Vec<u8>, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    change(&mut text);
    text
}

fn with_tokens(text: &[u8], change: impl FnOnce(&mut Vec<Vec<u8>>, usize)) -> Vec<u8> {
    let mut tokens: Vec<Vec<u8>> = text.split(|byte| b" \n".contains(byte)).map(<[u8]>::to_vec).collect();
    let count = tokens.len();
    change(&mut tokens, count);
    tokens.join(&b'\n')
}
