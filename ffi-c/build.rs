//! Gives the shared library the name under which programs look for it, which cargo alone does not. Writes
//! nothing.

fn main() {
    // While the version is 0.x, each minor version is its own ABI.
    let part = |name| std::env::var(name).unwrap_or_default();
    let (major, minor) = (part("CARGO_PKG_VERSION_MAJOR"), part("CARGO_PKG_VERSION_MINOR"));
    println!("cargo:rerun-if-changed=build.rs");
    let argument = |text: String| println!("cargo:rustc-cdylib-link-arg=-Wl,{text}");
    match part("CARGO_CFG_TARGET_OS").as_str() {
        "windows" => {} // a program looks for modelwire.dll
        "macos" => argument(format!("-install_name,@rpath/libmodelwire.{major}.{minor}.dylib")),
        _ => {
            argument(format!("-soname,libmodelwire.so.{major}.{minor}"));
            // Threads of the library may outlive a dlclose: its code stays mapped.
            argument("-z,nodelete".to_owned());
        }
    }
}
