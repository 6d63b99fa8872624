//! What do reads and writes touch, and what is there before anybody has written?

pub(crate) mod objects;
pub(crate) mod places;
pub(crate) mod read_and_write;
pub(crate) mod store_buffers;
pub(crate) mod write_log;
