//! Gives the shared library its SONAME, which cargo alone does not. Writes nothing.

fn main() {
    // While the version is 0.x, each minor version is its own ABI.
    let part = |name| std::env::var(name).unwrap_or_default();
    let soname = format!(
        "libmodelwire.so.{}.{}",
        part("CARGO_PKG_VERSION_MAJOR"),
        part("CARGO_PKG_VERSION_MINOR")
    );
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{soname}");
    // Threads of the library may outlive a dlclose: its code stays mapped.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
