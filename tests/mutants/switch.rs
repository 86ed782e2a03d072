// What `run` adds to the core: the switch of the mutants.

/// Whether this process is the mutant of this number.
#[doc(hidden)]
#[inline]
pub fn mutant_on(number: u32) -> bool {
    use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering::Relaxed};
    static ACTIVE: AtomicU32 = AtomicU32::new(u32::MAX);
    static REACHED: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
    #[cold]
    fn start() -> u32 {
        use std::os::fd::AsRawFd;
        const BYTES: usize = 1 << 16;
        if let Some(path) = std::env::var_os("MUTANTS_REACHED") {
            let file = std::fs::File::options().read(true).write(true).create(true).truncate(false).open(path);
            let file = file.expect("a file");
            file.set_len(BYTES as u64).expect("its length");
            // SAFETY: a new mapping of a file of this length.
            let map = unsafe { libc::mmap(std::ptr::null_mut(), BYTES, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED, file.as_raw_fd(), 0) };
            REACHED.store(map.cast(), Relaxed);
        }
        let active = std::env::var("MUTANT").ok().and_then(|number| number.parse().ok()).unwrap_or(0);
        ACTIVE.store(active, Relaxed);
        active
    }
    let active = match ACTIVE.load(Relaxed) {
        u32::MAX => start(),
        active => active,
    };
    let reached = REACHED.load(Relaxed);
    if !reached.is_null() {
        // SAFETY: within the mapping.
        unsafe { *reached.add(number as usize) = 1 };
    }
    active == number
}
