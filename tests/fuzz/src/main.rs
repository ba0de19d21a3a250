//! Writes the samples of every target as the corpus that libFuzzer starts from.

use std::fs;
use std::path::Path;

fn main() -> std::io::Result<()> {
    for target in judge_fuzz::TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
        fs::create_dir_all(&folder)?;
        for (number, sample) in (target.samples)().iter().enumerate() {
            fs::write(folder.join(format!("sample-{number}")), sample)?;
        }
    }
    Ok(())
}
