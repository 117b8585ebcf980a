import { parseArgs } from 'node:util'
import { OperatorError } from '#lib/platform/operator-error.ts'
import { nearestName } from '#lib/platform/rules/names.ts'
import type { Command } from './command.ts'
import { commands, helpOf, helpOfAll } from './commands.ts'

/** `dead-letters` had this name until November 2026, and scripts may still use it. */
const formerName = 'set-aside'

/** The words are those after `npm run rampart`. The result is the exit code. */
export async function runWords(words: string[]): Promise<number> {
  const asksForHelp = words.some((word) => ['--help', '-h'].includes(word))
  const at = words.findIndex((word) => !word.startsWith('-'))
  const given = words[at] ?? ''
  const name = given === formerName ? 'dead-letters' : given
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (asksForHelp && (command || name === '')) {
    console.log(command ? helpOf(name, command) : helpOfAll())
    return 0
  }
  if (!command) {
    const [unknown] = name === '' ? words : []
    console.error(
      `${unknown === undefined ? misread(name) : `There is no option ${unknown}.`}\n\n${helpOfAll()}`,
    )
    return 2
  }
  const { positionals, options, wrong } = read(name, command, words.toSpliced(at, 1))
  if (wrong !== null) {
    console.error(`${wrong}\n\n${helpOf(name, command)}`)
    return 2
  }
  // Whoever reads JSON wants no lines of the log in between.
  if (options.json) process.env.RAMPART_LOG_LEVEL ??= 'silent'
  try {
    return await command.run(positionals, options)
  } catch (error) {
    console.error(await sayFault(error))
    return 1
  }
}

function read(name: string, { takes, options = {} }: Command, words: string[]) {
  try {
    const { positionals, values } = parseArgs({
      args: words,
      allowPositionals: true,
      options: Object.fromEntries(
        Object.keys(options).map((option) => [option, { type: 'boolean' as const }]),
      ),
    })
    const wrong =
      positionals.length > 0 && takes === undefined
        ? `"${name}" takes nothing else, but was given "${positionals.join(' ')}".`
        : null
    return { positionals, options: values, wrong }
  } catch (error) {
    const unknown = words.find((word) => /^-./.test(word) && !Object.hasOwn(options, word.replace(/^-+/, '')))
    const wrong =
      unknown === undefined && error instanceof Error
        ? error.message
        : sayUnknown(name, options, unknown ?? '')
    return { positionals: [], options: {}, wrong }
  }
}

function sayUnknown(name: string, options: object, unknown: string): string {
  const near = nearest(unknown.replace(/^-+/, ''), [...Object.keys(options), 'help'])
  const hint = near === null ? 'A word that begins with a dash comes after "--".' : `Did you mean --${near}?`
  return `"${name}" has no option ${unknown}. ${hint}`
}

function misread(name: string): string {
  if (name === '') return 'Which command?'
  const near = nearest(name, Object.keys(commands))
  return `There is no command "${name}".${near === null ? '' : ` Did you mean "${near}"?`}`
}

function nearest(given: string, names: readonly string[]): string | null {
  const capitals = names.map((name) => name.toUpperCase())
  return nearestName(given, capitals, 2)?.toLowerCase() ?? null
}

/** A line says what is wrong, or else everything that is known. Help needs none of these modules. */
async function sayFault(error: unknown): Promise<unknown> {
  const { isUnknownAuthority, messageOfError } = await import('#lib/platform/log/error-fields.ts')
  const { isAway } = await import('#lib/platform/db/connect.ts')
  if (error instanceof OperatorError) return error.message
  if (isAway(error) || isUnknownAuthority(error))
    return `The database does not answer: ${messageOfError(error)}.`
  // An error with a code comes from the operating system or the database.
  if (!(error instanceof Error && 'code' in error)) return error
  // Before the first start a database has no tables.
  return error.code === '42P01'
    ? `The database has no tables of this version (${error.message}): start this version of Rampart, which makes them.`
    : messageOfError(error)
}
