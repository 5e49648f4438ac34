# Completion of windlass for fish.
#
# Keep it as ~/.config/fish/completions/windlass.fish

function __windlass_candidates
    set -l before (commandline --current-process --tokenize --cut-at-cursor)
    set -l last (commandline --current-token --cut-at-cursor)
    for line in (windlass completions fish -- $before[2..-1] "$last" 2>/dev/null)
        if test "$line" = '<file>'
            __fish_complete_path "$last"
        else
            echo $line
        end
    end
end

# The order is that of urgency.
complete --command windlass --no-files --keep-order --arguments '(__windlass_candidates)'
