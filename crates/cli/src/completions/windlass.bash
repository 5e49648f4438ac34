# Completion of windlass for bash, 4.0 or later.
#
# Kept in ~/.local/share/bash-completion/completions/windlass it is loaded when it is needed; or
# put into ~/.bashrc: source <(windlass completions bash)

_windlass() {
    local word value about before='' last=-1 i
    local -a words=() values=() abouts=()
    COMPREPLY=()

    # bash parts words at '=' as well; windlass wants them as they were typed.
    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        if ((last >= 0)) && [[ ($word == '=' && ${words[last]} == --*) || ${words[last]} == --*= ]]; then
            words[last]+=$word
        else
            words[++last]=$word
        fi
    done
    # What is before the '=' stays, and bash does not want to see it again.
    if [[ ${words[last]} == --*=* ]]; then
        before=${words[last]%%=*}=
    fi

    while IFS=$'\t' read -r value about; do
        if [[ $value == '<file>' ]]; then
            compopt -o default
            return
        fi
        values+=("${value#"$before"}")
        abouts+=("$about")
    done < <(windlass completions bash -- "${words[@]}" 2>/dev/null)

    # Where candidates are only listed and not inserted, they can say what they mean.
    if ((${#values[@]} > 1)) && [[ ${COMP_TYPE-} == 63 || ${COMP_TYPE-} == 33 || ${COMP_TYPE-} == 64 ]]; then
        for i in "${!values[@]}"; do
            if [[ ${abouts[i]} ]]; then
                values[i]="${values[i]}  (${abouts[i]})"
                values[i]=${values[i]:0:${COLUMNS:-80}-1}
            fi
        done
    fi
    COMPREPLY=("${values[@]}")
}

# The order is that of urgency; only bash before 4.4 cannot keep it.
complete -o nosort -F _windlass windlass 2>/dev/null || complete -F _windlass windlass
