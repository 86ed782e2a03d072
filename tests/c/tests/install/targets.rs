//! `make install` for other targets. Knows nothing yet.
