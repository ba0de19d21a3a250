//! The judge as a library: pure logic in rooms, effects at the edges.

pub mod scoring;
pub mod statistics;
