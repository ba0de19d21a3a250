//! Passes the fuzzer's bytes to the target of this name.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| judge_fuzz::tokens(data));
