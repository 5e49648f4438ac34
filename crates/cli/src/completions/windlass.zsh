#compdef windlass
# Completion of windlass for zsh.
#
# Kept as _windlass in a folder of $fpath it is loaded when it is needed; or put into ~/.zshrc,
# after compinit: source <(windlass completions zsh)

_windlass() {
    local line word about
    local -a found candidates shown

    found=("${(@f)$(windlass completions zsh -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    for line in "${found[@]}"; do
        word=${line%%$'\t'*}
        about=${line#*$'\t'}
        if [[ $word == '<file>' ]]; then
            _files
            return
        fi
        [[ -n $word ]] || continue
        candidates+=("$word")
        shown+=("$word${about:+  -- $about}")
    done
    (( $#candidates )) || return 1
    # The order is that of urgency, one a line where they say what they mean.
    compadd -l -V windlass -d shown -M 'm:{a-z}={A-Z}' -a candidates
}

if [[ $funcstack[1] == _windlass ]]; then
    _windlass "$@"
else
    compdef _windlass windlass
fi
