//! End-to-end tests of Windlass: the real binary on real databases. See `tests/`.
