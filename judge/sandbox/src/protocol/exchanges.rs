//! Files on their way between the judge and its helpers.

use std::io;
use std::os::unix::ffi::OsStrExt;

use crate::api::exchange::{Exchange, Made, WorkFile};
use crate::protocol::wire::{Reader, Writer};

/// Writes what a run is given and what is taken from it.
pub(crate) fn encode(exchange: &Exchange, writer: &mut Writer) {
    encode_files(&exchange.given, writer);
    writer.u64(exchange.variables.len() as u64);
    for variable in &exchange.variables {
        writer.bytes(variable.as_bytes());
    }
    writer.bytes(exchange.made_in.as_bytes()).u64(exchange.wanted.len() as u64);
    for name in &exchange.wanted {
        writer.bytes(name.as_bytes());
    }
    writer.u64(u64::from(exchange.after_any_exit)).u64(exchange.most_files).u64(exchange.most_bytes);
}

/// Reads what [`encode`] wrote.
pub(crate) fn decode(reader: &mut Reader) -> io::Result<Exchange> {
    Ok(Exchange {
        given: decode_files(reader)?,
        variables: (0..reader.u64()?).map(|_| reader.os_string()).collect::<io::Result<_>>()?,
        made_in: reader.os_string()?,
        wanted: (0..reader.u64()?).map(|_| reader.os_string()).collect::<io::Result<_>>()?,
        after_any_exit: reader.u64()? != 0,
        most_files: reader.u64()?,
        most_bytes: reader.u64()?,
    })
}

/// Writes the files that a program made, or why there are none.
pub(crate) fn encode_made(made: &Made, writer: &mut Writer) {
    writer.u64(u64::from(made.is_ok()));
    match made {
        Ok(files) => encode_files(files, writer),
        Err(why) => {
            writer.bytes(why.as_bytes());
        }
    }
}

/// Reads what [`encode_made`] wrote.
pub(crate) fn decode_made(reader: &mut Reader) -> io::Result<Made> {
    if reader.u64()? == 0 {
        return Ok(Err(String::from_utf8_lossy(&reader.bytes()?).into_owned()));
    }
    decode_files(reader).map(Ok)
}

fn encode_files(files: &[WorkFile], writer: &mut Writer) {
    writer.u64(files.len() as u64);
    for file in files {
        writer.bytes(file.path.as_os_str().as_bytes()).bytes(&file.bytes).u64(u64::from(file.executable));
    }
}

fn decode_files(reader: &mut Reader) -> io::Result<Vec<WorkFile>> {
    let count = reader.u64()?;
    let file = |_| {
        let (path, bytes) = (reader.os_string()?.into(), reader.bytes()?);
        Ok(WorkFile { path, bytes, executable: reader.u64()? != 0 })
    };
    (0..count).map(file).collect()
}
