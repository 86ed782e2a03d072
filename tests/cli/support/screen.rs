//! A terminal that somebody sits at: a command gets it as its own, what it shows is read as a person sees it,
//! and keys can be pressed.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::support::{until, wait};

/// A command on a terminal of its own.
pub struct Screen {
    keyboard: File,
    shown: Arc<Mutex<vt100::Parser>>,
    child: Child,
    columns: u16,
}

impl Screen {
    /// Starts a command with all of its standard streams on a terminal of this size, which is its
    /// controlling terminal, too. What is set in `command` for its streams is not heeded.
    pub fn start(command: &Command, lines: u16, columns: u16) -> Screen {
        Screen::start_below("", command, lines, columns)
    }

    /// The same, below what stands there already.
    pub fn start_below(before: &str, command: &Command, lines: u16, columns: u16) -> Screen {
        let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&person).unwrap();
        unlockpt(&person).unwrap();
        let name = ptsname(&person, Vec::new()).unwrap();
        let end = rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let size = Winsize { ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&end, size).unwrap();
        // setsid(1) makes it the controlling terminal, which is otherwise a matter between fork and exec.
        let mut whole = Command::new("setsid");
        whole
            .arg("--ctty")
            .arg("--wait")
            .arg(command.get_program())
            .args(command.get_args())
            .env_clear();
        if let Some(folder) = command.get_current_dir() {
            whole.current_dir(folder);
        }
        for (name, value) in command.get_envs() {
            if let Some(value) = value {
                whole.env(name, value);
            }
        }
        whole.env("TERM", "xterm-256color");
        whole.stdin(end.try_clone().unwrap()).stdout(end.try_clone().unwrap()).stderr(end);
        let child = whole.spawn().unwrap();
        drop(whole);
        let keyboard = File::from(person);
        let mut from = keyboard.try_clone().unwrap();
        let mut parser = vt100::Parser::new(lines, columns, 0);
        parser.process(before.as_bytes());
        let shown = Arc::new(Mutex::new(parser));
        let parser = Arc::clone(&shown);
        std::thread::spawn(move || {
            let mut some = [0; 65536];
            // The read fails when nobody has the other end open any more: that is the end.
            while let Ok(count @ 1..) = from.read(&mut some) {
                parser.lock().unwrap().process(&some[..count]);
            }
        });
        Screen { keyboard, shown, child, columns }
    }

    /// What stands there now, line by line, without spaces at their ends and empty lines at the end.
    pub fn text(&self) -> String {
        let shown = self.shown.lock().unwrap();
        let lines = shown.screen().rows(0, self.columns);
        let text = lines.map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n");
        text.trim_end().to_owned()
    }

    /// What stands there now, with its colours.
    pub fn photo(&self) -> vt100::Screen {
        self.shown.lock().unwrap().screen().clone()
    }

    /// Waits until the screen shows this.
    pub fn wait_for(&self, text: &str) {
        until(&format!("{text:?} on the screen, which shows:\n{}", self.text()), || {
            self.text().contains(text)
        });
    }

    /// Another size, as if the window were pulled.
    pub fn resize(&mut self, lines: u16, columns: u16) {
        let size = Winsize { ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        self.columns = columns;
        self.shown.lock().unwrap().screen_mut().set_size(lines, columns);
        tcsetwinsize(&self.keyboard, size).unwrap();
    }

    /// Presses keys; `\u{3}` is Ctrl-C.
    pub fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Whether the command still runs.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits for its end; the screen stays.
    pub fn end(&mut self) -> ExitStatus {
        let status = wait(&mut self.child);
        // What was written last is on its way.
        let mut before = self.text();
        until("the screen is still", || {
            // clock: a screen that is still is one that does not change
            std::thread::sleep(std::time::Duration::from_millis(50));
            let now = self.text();
            std::mem::replace(&mut before, now) == self.text()
        });
        status
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
