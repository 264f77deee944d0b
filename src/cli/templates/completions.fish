# fish completion for meridian: meridian completions fish | source
complete -c meridian -f
complete -c meridian -l help -d 'show the flags'
complete -c meridian -n __fish_use_subcommand -l version -d 'print the version'
{lines}
