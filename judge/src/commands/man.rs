//! `judge man`.

use clap::CommandFactory;
use judge_cli::Cli;
use judge_problem::Exit;
use judge_session::failure::Failure;

/// Prints the manual page: the program's, then each command's.
pub(super) fn man() -> Result<Exit, Failure> {
    let page = man_page().map_err(Failure::fault)?;
    judge_report::print_bytes(&page)?;
    Ok(Exit::Success)
}

fn man_page() -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let mut cli = Cli::command();
    clap_mangen::Man::new(cli.clone()).render(&mut page)?;
    // A command by itself would lack the options that hold for all.
    cli.build();
    for command in cli.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help") {
        let named = command.clone().display_name(format!("judge {}", command.get_name()));
        let man = clap_mangen::Man::new(named);
        man.render_synopsis_section(&mut page)?;
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
        man.render_extra_section(&mut page)?;
    }
    Ok(page)
}
