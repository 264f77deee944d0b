#compdef meridian
# zsh completion for meridian: source <(meridian completions zsh)
_meridian() {
  local -a commands=(
{commands}
  )
  local command=serve
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe command commands
    return
  fi
  if [[ $words[2] != -* ]]; then
    command=$words[2]
    shift words
    (( CURRENT-- ))
  fi
  case $command in
{cases}
  esac
}
compdef _meridian meridian
