//! `modelwire man`: the manual page, generated from the table of arguments.

use std::io;

use clap_mangen::Man as Page;

use crate::console::Output;
use crate::failure::{Exit, Failure};

/// Prints the manual page.
#[derive(Debug, clap::Args)]
#[command(after_help = "modelwire man | man -l -     reads it\n\
    modelwire man > ~/.local/share/man/man1/modelwire.1     lets `man modelwire` find it")]
pub(crate) struct Man {}

impl Man {
    pub(crate) fn run(&self, table: clap::Command) -> Result<(), Failure> {
        let page = page(table).map_err(|cause| {
            Failure::new(Exit::Internal, format!("the manual page cannot be made: {cause}"))
        })?;
        let mut output = Output::standard();
        output.text(&page)?;
        output.flush()
    }
}

/// The page: the command, then each of its subcommands with its arguments.
fn page(mut table: clap::Command) -> io::Result<String> {
    table.build();
    let whole = Page::new(table.clone());
    let mut page = Vec::new();
    whole.render_title(&mut page)?;
    whole.render_name_section(&mut page)?;
    whole.render_synopsis_section(&mut page)?;
    whole.render_description_section(&mut page)?;
    whole.render_extra_section(&mut page)?;
    let mut page = String::from_utf8_lossy(&page).replace(".SH EXTRA", ".SH ENVIRONMENT");
    for command in table.get_subcommands().filter(|command| command.get_name() != "help") {
        page.push_str(&section(command, command.get_name())?);
        for part in command.get_subcommands() {
            page.push_str(&section(part, &format!("{} {}", command.get_name(), part.get_name()))?);
        }
    }
    page.push_str(".SH \"EXIT STATUS\"\n");
    for exit in Exit::ALL {
        page.push_str(&format!(".TP\n{}\n{}\n", *exit as u8, exit.meaning().replace('-', "\\-")));
    }
    Ok(page)
}

/// The section of one subcommand.
fn section(command: &clap::Command, name: &str) -> io::Result<String> {
    let part = Page::new(command.clone());
    let mut text = Vec::new();
    part.render_description_section(&mut text)?;
    part.render_synopsis_section(&mut text)?;
    part.render_options_section(&mut text)?;
    if command.get_after_help().is_some() {
        part.render_extra_section(&mut text)?;
    }
    // Sections of a page become subsections here.
    let text =
        String::from_utf8_lossy(&text).replace(".SH ", ".SS ").replace(".SS EXTRA", ".SS NOTES");
    Ok(format!(".SH \"MODELWIRE {}\"\n{text}", name.to_uppercase()))
}
