#include <string_view>

#include "completion.h"

namespace egt::cli {
namespace {

// The words are taken off the line: bash splits at ':' and '=' as well, and replaces only what is behind the last of
// them.
constexpr const char* kBash = R"script(# egtrace completion for bash: source <(egtrace completion bash)
_egtrace() {
  local line=${COMP_LINE:0:COMP_POINT} answer quoted last words
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  last=${words[-1]}
  COMPREPLY=()
  while IFS= read -r answer; do
    case $answer in
      :files) compopt -o filenames 2>/dev/null
              mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${last##*=}") ;;
      *) printf -v quoted %q "$answer"
         COMPREPLY+=("$quoted") ;;
    esac
  done < <(egtrace completion --candidates -- "${words[@]:1}" 2>/dev/null)
  local kept=${last%"${last##*[:=]}"}
  if [[ $COMP_WORDBREAKS == *:* && -n $kept ]]; then
    COMPREPLY=("${COMPREPLY[@]#"$kept"}")
  fi
}
complete -o nosort -F _egtrace egtrace 2>/dev/null || complete -F _egtrace egtrace
)script";

constexpr const char* kZsh = R"script(#compdef egtrace
# egtrace completion for zsh: source <(egtrace completion zsh), or a file _egtrace in a folder of $fpath
_egtrace() {
  local -a answers
  answers=("${(@f)$(egtrace completion --candidates -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( ${answers[(I):files]} )); then
    answers=("${(@)answers:#:files}")
    _files
  fi
  answers=("${(@)answers:#}")
  (( $#answers )) && compadd -- "${(@)answers}"
}
if [[ "${zsh_eval_context[-1]-}" == loadautofunc ]]; then _egtrace "$@"; else compdef _egtrace egtrace; fi
)script";

constexpr const char* kFish = R"script(# egtrace completion for fish: egtrace completion fish | source
function __egtrace_candidates
    set -l words (commandline -opc) (commandline -ct)
    for answer in (egtrace completion --candidates -- $words[2..-1] 2>/dev/null)
        if test "$answer" = ":files"
            __fish_complete_path (commandline -ct)
        else
            echo $answer
        end
    end
end
complete -c egtrace -f -a "(__egtrace_candidates)"
)script";

}  // namespace

const char* completion_script(const std::string& shell) { return shell == "bash" ? kBash : shell == "zsh" ? kZsh : kFish; }

}  // namespace egt::cli
