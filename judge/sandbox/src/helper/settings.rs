//! How a helper is to work, as its judge tells it.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::api::tier::Tier;
use crate::cgroup::site::Site;
use crate::helper::keeper::Leash;
use crate::protocol::wire::{Reader, Writer};

/// How a helper is to work: the first message that it gets.
pub(crate) struct Settings {
    pub(crate) tier: Tier,
    pub(crate) core: Option<u64>,
    /// For the tiers with control groups.
    pub(crate) site: Option<Site>,
    /// For the working folder of the tiers without namespaces.
    pub(crate) scratch: PathBuf,
    /// Unique on this machine.
    pub(crate) name: String,
    /// For the tiers without namespaces.
    pub(crate) leash: Option<Leash>,
}

impl Settings {
    pub(crate) fn send(&self, socket: impl AsFd) -> io::Result<()> {
        let mut writer = Writer::default();
        writer.bytes(self.tier.name().as_bytes()).option(self.core);
        writer.bytes(self.scratch.as_os_str().as_bytes()).bytes(self.name.as_bytes());
        writer.u64(u64::from(self.site.is_some()));
        if let Some(site) = &self.site {
            site.encode(&mut writer);
        }
        writer.u64(u64::from(self.leash.is_some()));
        let leash = self.leash.iter().flat_map(|leash| [leash.alive.as_fd(), leash.charge.as_fd()]);
        writer.send(socket, &leash.collect::<Vec<_>>())
    }

    pub(crate) fn receive(reader: &mut Reader) -> io::Result<Settings> {
        let invalid = |_| io::Error::from(io::ErrorKind::InvalidData);
        Ok(Settings {
            tier: String::from_utf8_lossy(&reader.bytes()?).parse().map_err(invalid)?,
            core: reader.option()?,
            scratch: reader.os_string()?.into(),
            name: String::from_utf8_lossy(&reader.bytes()?).into_owned(),
            site: if reader.u64()? == 0 { None } else { Some(Site::decode(reader)?) },
            leash: match reader.u64()? {
                0 => None,
                _ => Some(Leash { alive: reader.fd()?, charge: reader.fd()? }),
            },
        })
    }
}
