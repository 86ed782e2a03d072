//! The static library inside programs and plugins: nothing of it shows outside, copies know nothing of each
//! other, and it links where nothing is shared.

use std::path::{Path, PathBuf};
use std::process::Command;

use modelwire_testing::Service;
use modelwire_tests_c::{Library, Program, root, stalling};

use crate::prefix::{documented, lib, other_rust, pkg_config, prefix, run, shortest, symbols};

fn source(name: &str) -> PathBuf {
    root().join("tests/c/installed").join(name)
}

/// The flags of the static library, from pkg-config.
fn flags() -> Vec<String> {
    pkg_config(&["--cflags", "--libs", "modelwire-static"])
}

/// No pkg-config: the archive by its name, and what glibc has apart.
fn by_name() -> Vec<String> {
    let include = format!("-I{}", prefix().join("include").display());
    vec![include, format!("{}/libmodelwire.a", lib()), "-lm".into()]
}

fn plugin(name: &str, flags: &[String], more: &[&str]) -> PathBuf {
    let plugin = Library::built().file(name);
    run(Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"])
        .arg(source("plugin.c"))
        .args(flags)
        .args(more)
        .arg("-o")
        .arg(&plugin));
    plugin
}

#[test]
fn a_plugin_exports_no_symbol_of_the_library() {
    for (name, flags, more) in [
        ("plugin-pc.so", flags(), vec![]),
        ("plugin-name.so", by_name(), vec![]),
        ("plugin-gold.so", by_name(), vec!["-fuse-ld=gold"]),
        ("plugin-gc.so", by_name(), vec!["-Wl,--gc-sections"]),
    ] {
        let plugin = plugin(name, &flags, &more);
        let mut exported = symbols(&["-gD", "--defined-only"], &plugin);
        // Names that gold gives to each library.
        exported.retain(|name| !["__bss_start", "_edata", "_end"].contains(&name.as_str()));
        assert_eq!(exported, ["plugin"], "{name}");
    }
    let build = Library::built().file("cmake-plugin");
    let _ = std::fs::remove_dir_all(&build);
    run(Command::new("cmake")
        .arg("-S")
        .arg(root().join("tests/c/installed"))
        .arg("-B")
        .arg(&build)
        .arg(format!("-DCMAKE_PREFIX_PATH={}", prefix().display())));
    run(Command::new("cmake").arg("--build").arg(&build));
    let plugin = build.join("libplugin.so");
    assert_eq!(symbols(&["-gD", "--defined-only"], &plugin), ["plugin"], "by CMake");
}

/// Also what no plugin of these tests pulls in; and all but the functions have names of their own.
#[test]
fn every_symbol_of_the_archive_is_private() {
    let archive = prefix().join("lib/libmodelwire.a");
    let table = run(Command::new("readelf").args(["-sW"]).arg(&archive));
    let mut hidden = 0;
    for line in table.lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [_, _, _, _, bind, visibility, section, name] = fields[..] else { continue };
        if section == "UND" || !["GLOBAL", "WEAK", "UNIQUE"].contains(&bind) {
            continue;
        }
        assert_eq!(visibility, "HIDDEN", "{line}");
        assert!(name.starts_with("modelwire_") != name.ends_with(".modelwire"), "{line}");
        hidden += 1;
    }
    assert!(hidden > 5000, "only {hidden} symbols were found");
}

/// Each copy has threads of its own, and ends alone.
#[test]
fn two_plugins_with_a_copy_each_work_apart() {
    let service = Service::start().unwrap();
    let stalling = service.script("stalls", stalling(&["a"]));
    let host = Library::built().file("host");
    run(Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-DMODELWIRE_DLOPEN", "-I"])
        .arg(root().join("include"))
        .arg(source("host.c"))
        .arg("-ldl")
        .arg("-o")
        .arg(&host));
    let plugins = [plugin("one.so", &flags(), &[]), plugin("two.so", &flags(), &[])];
    let program = plugins
        .iter()
        .fold(Program::new(&host), |program, plugin| program.arg(&plugin.display().to_string()));
    program.at(&service).env("STALLING_URL", &stalling).run().succeeded();
}

/// The main of a C or C++ program that has another Rust library in it.
const BESIDE: &str = "#include <modelwire.h>\n#include <stdio.h>\n\
     #ifdef __cplusplus\nextern \"C\"\n#endif\n\
     uint32_t modelwire_test_sum(uint32_t count);\n\
     int shortest(void);\n\
     int main(void) {\n\
       printf(\"%u\\n\", modelwire_test_sum(5));\n\
       fflush(stdout);\n\
       return shortest();\n\
     }\n";

/// A program of two Rust static libraries, in this order; it shows what both do, a panic that is
/// caught included.
fn check_beside(name: &str, compiler: &str, libraries: &[PathBuf], more: &[&str]) -> PathBuf {
    let library = Library::built();
    let (program, main) = (library.file(name), library.file(&format!("{name}-main.c")));
    // An `extern "C"` of its own is what C++ needs here; the file is the same.
    std::fs::write(
        &main,
        BESIDE.replace(
            "int shortest(void);",
            match compiler {
                "c++" => "extern \"C\" int shortest(void);",
                _ => "int shortest(void);",
            },
        ),
    )
    .unwrap();
    let unit = library.file(&format!("{name}-shortest.o"));
    let include = prefix().join("include");
    run(Command::new("cc")
        .args(["-std=c99", "-Dmain=shortest", "-c", "-I"])
        .arg(&include)
        .arg(shortest())
        .arg("-o")
        .arg(&unit));
    run(Command::new(compiler)
        .arg("-I")
        .arg(&include)
        .args(["-x", if compiler == "c++" { "c++" } else { "c" }])
        .arg(&main)
        .args(["-x", "none"])
        .arg(&unit)
        .args(libraries)
        .args(pkg_config(&["--libs", "modelwire-static"]))
        .args(more)
        .arg("-o")
        .arg(&program));
    let service = Service::start().unwrap();
    let ended = Program::new(&program).at(&service).run().succeeded();
    assert_eq!(ended.stdout, "11\nSay hello.\n", "{ended:?}");
    program
}

/// A program may have another Rust library in it, with a standard library of its own.
#[test]
fn a_second_rust_static_library_links_into_the_same_program() {
    let other = other_rust(&[]);
    let ours = prefix().join("lib/libmodelwire.a");
    for compiler in ["cc", "c++"] {
        let orders = [vec![other.clone()], vec![ours.clone(), other.clone()]];
        for (number, libraries) in orders.iter().enumerate() {
            check_beside(&format!("beside-{compiler}-{number}"), compiler, libraries, &[]);
        }
    }
}

/// Another version of Rust has other names for everything but this one.
#[test]
fn a_library_of_another_rust_version_links_into_the_same_program() {
    let library = Library::built();
    let clash = library.file("clash.c");
    std::fs::write(
        &clash,
        "#include <modelwire.h>\n\
         int rust_eh_personality(void);\n\
         int rust_eh_personality(void) { return 0; }\n\
         int main(void) {\n\
           modelwire_client *client;\n\
           return modelwire_client_new(\"{\", 1, &client, NULL) != MODELWIRE_E_CONFIG;\n\
         }\n",
    )
    .unwrap();
    let program = library.file("clash");
    run(Command::new("cc").arg(&clash).args(flags()).arg("-o").arg(&program));
    Program::new(&program).run().succeeded();
}

fn check_is_static(program: &Path) {
    let headers = run(Command::new("readelf").arg("-lW").arg(program));
    assert!(headers.contains("LOAD") && !headers.contains("INTERP"), "{headers}");
    let dynamic = run(Command::new("readelf").arg("-dW").arg(program));
    assert!(!dynamic.contains("NEEDED"), "{dynamic}");
}

#[test]
fn a_fully_static_program_makes_a_call_and_catches_a_panic() {
    let program = check_beside("nothing-shared", "cc", &[other_rust(&[])], &["-static"]);
    check_is_static(&program);
    // The other form: the shared one's package, which -static leads to the archive.
    let program = Library::built().file("nothing-shared-either");
    run(Command::new("cc")
        .arg("-static")
        .arg(shortest())
        .args(pkg_config(&["--cflags", "--libs", "--static", "modelwire"]))
        .arg("-o")
        .arg(&program));
    check_is_static(&program);
    let ended = Program::new(&program).at(&Service::start().unwrap()).run().succeeded();
    assert_eq!(ended.stdout, "Say hello.\n");
}

/// Everything that rustc names, but for what C compilers add by themselves, in the form that fits:
/// the shared libgcc_s, or the static libgcc_eh where nothing is shared.
#[test]
fn pkg_config_lists_the_libraries_that_rustc_names() {
    let library = Library::built();
    let source = library.file("nothing.rs");
    std::fs::write(&source, "").unwrap();
    let said = Command::new("rustc")
        .args(["--crate-type=staticlib", "--print=native-static-libs", "-o"])
        .arg(library.file("libnothing.a"))
        .arg(&source)
        .output()
        .unwrap();
    let said = String::from_utf8(said.stderr).unwrap();
    let libraries = said.split("native-static-libs:").nth(1).unwrap().lines().next().unwrap();
    let of_rustc: Vec<&str> =
        libraries.split_whitespace().filter(|library| *library != "-lgcc_s").collect();
    let ours = pkg_config(&["--libs-only-l", "modelwire-static"]);
    assert_eq!(ours[0], "-l:libmodelwire.a");
    assert_eq!(ours[1..], of_rustc);
    let ours = pkg_config(&["--libs-only-l", "--static", "modelwire"]);
    assert_eq!(ours[0], "-lmodelwire");
    assert_eq!(ours[1..], of_rustc);
}

/// The lines of the page, as its readers run them.
#[test]
fn the_documented_ways_to_link_work() {
    let folder = Library::built().file("documented");
    let _ = std::fs::create_dir_all(&folder);
    std::fs::copy(shortest(), folder.join("chat.c")).unwrap();
    let service = Service::start().unwrap();
    let ways = documented("cc ");
    assert_eq!(ways.len(), 3, "{ways:?}");
    for way in ways {
        run(Command::new("sh")
            .args(["-ec", &way])
            .current_dir(&folder)
            .env("PKG_CONFIG_PATH", prefix().join("lib/pkgconfig")));
        let program = Program::new(&folder.join("chat")).at(&service);
        let ended = program.env("LD_LIBRARY_PATH", &lib()).run().succeeded();
        assert_eq!(ended.stdout, "Say hello.\n", "{way}");
        std::fs::remove_file(folder.join("chat")).unwrap();
    }
}
