//! `modelwire completion`: a shell completion script, generated from the table of arguments.

use clap::ValueEnum;
use clap_complete::Shell;

use crate::console::Output;
use crate::failure::Failure;

/// Prints what completes the arguments.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "bash: modelwire completion bash > ~/.local/share/bash-completion/completions/modelwire\n\
    zsh:  modelwire completion zsh > \"${fpath[1]}/_modelwire\"\n\
    fish: modelwire completion fish > ~/.config/fish/completions/modelwire.fish"
)]
pub(crate) struct Completion {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Completed,
}

/// The shells with completion scripts.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Completed {
    Bash,
    Zsh,
    Fish,
}

impl Completion {
    pub(crate) fn run(&self, mut table: clap::Command) -> Result<(), Failure> {
        let shell = match self.shell {
            Completed::Bash => Shell::Bash,
            Completed::Zsh => Shell::Zsh,
            Completed::Fish => Shell::Fish,
        };
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut table, "modelwire", &mut script);
        let mut output = Output::standard();
        output.text(&String::from_utf8_lossy(&script))?;
        output.flush()
    }
}
