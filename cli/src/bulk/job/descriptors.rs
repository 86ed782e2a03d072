//! How many connections this process may have: its limit of descriptors, raised as far as that is allowed.

use crate::system::raise_descriptors;

/// Of the descriptors, the client takes six sixteenths for connections in use.
const SIXTEENTHS_IN_USE: u64 = 6;

/// More are never asked for, whatever the system allows.
const DESCRIPTORS_MAX: u64 = 65_536;

/// Raises the soft limit to the hard one, and says how many connections may be in use then. That the limit
/// cannot be raised is no failure: there are fewer connections.
pub(super) fn connections_max() -> usize {
    let connections = raise_descriptors(DESCRIPTORS_MAX) / 16 * SIXTEENTHS_IN_USE;
    usize::try_from(connections).unwrap_or(usize::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_some_and_not_too_many() {
        let connections = connections_max();
        assert!((1..=24_576).contains(&connections), "{connections}");
    }
}
