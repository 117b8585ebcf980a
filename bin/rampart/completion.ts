import path from 'node:path'
import type { Command } from './command.ts'

type Commands = Readonly<Record<string, Command>>

/** The command prints a script that a shell reads. */
export async function completionCommand(
  [shell, ...more]: readonly string[],
  commands: Commands,
): Promise<number> {
  const made = more.length === 0 ? completionFor(shell, commands) : null
  if (made === null) {
    console.error('For which shell? npm run rampart completion bash|zsh|fish')
    return 2
  }
  console.log(made)
  return 0
}

/** The result is null for another shell. */
export function completionFor(name: string | undefined, commands: Commands): string | null {
  const names = Object.entries(commands).map(([name, command]) => ({
    name,
    words: wordsOf(name, command, commands),
    ...command,
  }))
  const program = `node ${quoted(path.resolve('bin/command.mjs'))} bin/rampart/rampart.ts`
  if (name === 'bash')
    return [
      `rampart() { ${program} "$@"; }`,
      '_rampart() {',
      `  local words='${names.map(({ name }) => name).join(' ')} --help'`,
      `  if [ "$COMP_CWORD" -gt 1 ]; then case "\${COMP_WORDS[1]}" in`,
      ...names.map(({ name, words }) => `    ${name}) words=${quoted(words.join(' '))} ;;`),
      '    *) words= ;;',
      '  esac; fi',
      `  mapfile -t COMPREPLY < <(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}")`,
      '}',
      'complete -o default -F _rampart rampart',
    ].join('\n')
  if (name === 'zsh')
    return [
      `rampart() { ${program} "$@"; }`,
      '_rampart() {',
      '  if (( CURRENT == 2 )); then',
      `    local -a commands=(${names.map(({ name, about }) => quoted(`${name}:${about.replaceAll(':', '\\:')}`)).join(' ')})`,
      '    _describe command commands',
      '    return',
      '  fi',
      '  local -a choices',
      '  case "$words[2]" in',
      ...names.map(({ name, words }) => `    ${name}) choices=(${words.map(quoted).join(' ')}) ;;`),
      '  esac',
      '  compadd -a choices',
      '  [[ "$words[CURRENT]" == -* ]] || _files',
      '}',
      'compdef _rampart rampart',
    ].join('\n')
  if (name === 'fish')
    return [
      `function rampart; ${program} $argv; end`,
      'complete -c rampart -e',
      ...names.flatMap(({ name, about, words }) => [
        `complete -c rampart -f -n __fish_use_subcommand -a ${name} -d ${quoted(about)}`,
        `complete -c rampart -n '__fish_seen_subcommand_from ${name}' -a ${quoted(words.join(' '))}`,
      ]),
    ].join('\n')
  return null
}

function wordsOf(name: string, { firstWords = [], options = {} }: Command, commands: Commands): string[] {
  const first = name === 'help' ? Object.keys(commands) : firstWords
  return [...first, ...Object.keys({ ...options, help: '' }).map((option) => `--${option}`)]
}

/** All three shells read a text in single quotes as it is. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
