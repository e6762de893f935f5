// Writes the completion script of each shell from the commands.
import type { Place } from './words.ts';

/** The shells that have a script. */
export const completedShells = ['bash', 'zsh', 'fish'] as const;

export type CompletedShell = (typeof completedShells)[number];

/** The script that lets a shell complete the commands. */
export const completionScript = (shell: CompletedShell, places: readonly Place[]): string =>
  scripts[shell](places);

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const flagsOf = ({ options }: Place): string[] => options.flatMap(({ flags }) => flags);

/** The paths of all subcommands, each as a pattern of `case`. */
const pathsOf = (places: readonly Place[], separator: string): string =>
  places
    .slice(1)
    .map(({ path }) => quoted(path))
    .join(separator);

// Each script follows the words of the command line to the command that they name, in `at`.

const bash = (places: readonly Place[]): string => `# Completion of cumulet for bash.
_cumulet() {
  local at=cumulet word index
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case "$at $word" in
      ${pathsOf(places, ' | ')}) at="$at $word" ;;
    esac
  done
  case "$at $previous" in
${places.flatMap(bashValues).join('\n')}
  esac
  case "$at" in
${places.map(bashWords).join('\n')}
  esac
}
complete -o default -F _cumulet cumulet
`;

/** The bash of macOS, 3.2, has no mapfile. The words contain neither spaces nor patterns. */
const bashReply = (words: readonly string[]): string =>
  `COMPREPLY=($(compgen -W ${quoted(words.join(' '))} -- "$current"))`;

const bashValues = (place: Place): string[] =>
  place.options
    .filter(({ takesValue }) => takesValue)
    .map(({ flags, values = [] }) => {
      const patterns = flags.map((flag) => quoted(`${place.path} ${flag}`)).join(' | ');
      return `    ${patterns}) ${values.length ? bashReply(values) : 'COMPREPLY=()'}; return ;;`;
    });

const bashWords = (place: Place): string =>
  `    ${quoted(place.path)}) ` +
  `${bashReply([...place.words.map(({ text }) => text), ...flagsOf(place)])} ;;`;

const zsh = (places: readonly Place[]): string => `#compdef cumulet
# Completion of cumulet for zsh.
_cumulet() {
  local at=cumulet word
  local -a entries
  for word in \${words[2,CURRENT-1]}; do
    case "$at $word" in
      (${pathsOf(places, '|')}) at="$at $word" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${places.flatMap(zshValues).join('\n')}
  esac
  case "$at" in
${places.map(zshWords).join('\n')}
  esac
  _describe -o cumulet entries
}
compdef _cumulet cumulet
`;

const zshValues = (place: Place): string[] =>
  place.options
    .filter(({ takesValue }) => takesValue)
    .map(({ flags, values }) => {
      const patterns = flags.map((flag) => quoted(`${place.path} ${flag}`)).join('|');
      const words = values?.map(quoted).join(' ');
      return `    (${patterns}) ${words === undefined ? '_files' : `compadd -- ${words}`}; return ;;`;
    });

/** An entry of _describe: a colon separates the word from its description. */
const zshEntry = (text: string, description: string): string =>
  quoted(`${text.replaceAll(':', '\\:')}:${description}`);

const zshWords = ({ path, words, options }: Place): string => {
  const entries = [
    ...words.map(({ text, description }) => zshEntry(text, description)),
    ...options.flatMap(({ flags, description }) => flags.map((one) => zshEntry(one, description))),
  ];
  return `    (${quoted(path)}) entries=(${entries.join(' ')}) ;;`;
};

const fish = (places: readonly Place[]): string => `# Completion of cumulet for fish.
function __cumulet_at
  set -l at cumulet
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${pathsOf(places, ' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv"
end
${places.flatMap(fishLines).join('\n')}
`;

const fishQuoted = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;

function fishLines({ path, words, options }: Place): string[] {
  const at = `complete -c cumulet -n ${fishQuoted(`__cumulet_at ${path}`)}`;
  return [
    ...words.map(
      ({ text, description }) => `${at} -f -a ${fishQuoted(text)} -d ${fishQuoted(description)}`,
    ),
    ...options.map(({ flags, description, takesValue, values }) =>
      [
        at,
        ...flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag[1]}`)),
        ...(values ? [`-x -a ${fishQuoted(values.join(' '))}`] : takesValue ? ['-r'] : []),
        `-d ${fishQuoted(description)}`,
      ].join(' '),
    ),
  ];
}

const scripts: Readonly<Record<CompletedShell, (places: readonly Place[]) => string>> = {
  bash,
  zsh,
  fish,
};
