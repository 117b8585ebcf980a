import { parseArgs } from 'node:util'
import { describeForOperator } from '#lib/platform/operator-error.ts'
import { auditCommand } from './audit-command.ts'
import { backupCommand, restoreCommand, restoredCommand } from './backup-commands.ts'
import { distributeCommand } from './distribute-command.ts'
import { keysCommand, serviceKeyCommand } from './keys-commands.ts'
import { eraseUserCommand, exportUserCommand } from './person-commands.ts'
import { deadLettersCommand, rebuildCommand, retryCommand, statusCommand } from './projector-commands.ts'
import { retentionCommand } from './retention-command.ts'
import { moveIssuerCommand, setUpLinkCommand, signInLinkCommand } from './sign-in-commands.ts'

interface Command {
  readonly about: string
  /** The usage shows these names of its words, where it takes any. */
  readonly takes?: string
  run(words: readonly string[]): Promise<number>
}

/** `npm run rampart COMMAND` runs one of these commands. A command answers its exit code. */
const commands: Record<string, Command> = {
  status: {
    about:
      'how many deliveries wait, and how many dead letters there are; ends with 1 when something needs a person',
    run: statusCommand,
  },
  'dead-letters': {
    about: 'which deliveries could not be folded, since when, and why; ends with 1 when there are any',
    run: deadLettersCommand,
  },
  retry: {
    about: 'folds the dead letters again, after a fix',
    run: retryCommand,
  },
  rebuild: {
    about: 'rebuilds events, transactions and identifiers from the log, while everything runs',
    run: rebuildCommand,
  },
  retention: {
    about:
      'says which months of the log and which events are older than they are kept; with "yes" it removes them, while everything runs',
    takes: '[bodies=MONTHS] [events=MONTHS] [yes]',
    run: retentionCommand,
  },
  audit: {
    about:
      'finds what was changed, removed or cut off in the audit, by the heads in the logs and in the files named; ends with 1 when anything was',
    takes: 'verify [FILE…]',
    run: auditCommand,
  },
  backup: {
    about: 'copies the embedded database with its secrets, while it is used, and starts the copy once',
    takes: 'FOLDER',
    run: backupCommand,
  },
  restore: {
    about: 'makes RAMPART_DATA_DIR, which must be empty or not there yet, of such a backup',
    takes: 'FOLDER',
    run: restoreCommand,
  },
  restored: {
    about:
      'says that the database was restored from a backup: the audit verifies again, the gap is named, everybody is signed out; every admin is told',
    takes: 'REASON…',
    run: restoredCommand,
  },
  'erase-user': {
    about: 'removes a person from everything that is kept here, for good; amounts stay',
    takes: 'UUID REASON…',
    run: eraseUserCommand,
  },
  'export-user': {
    about: 'prints all that is held of a person, as JSON',
    takes: 'UUID REASON…',
    run: exportUserCommand,
  },
  distribute: {
    about: 'spreads the tables of a database with Citus over its servers; it can be repeated',
    run: distributeCommand,
  },
  'setup-link': {
    about: 'prints a link by which the first admin joins, as long as there is none',
    run: setUpLinkCommand,
  },
  'signin-link': {
    about: 'prints a link that signs one member in, once, when no other way works; every admin is told',
    takes: 'MEMBER',
    run: signInLinkCommand,
  },
  'move-issuer': {
    about:
      'takes members along whose provider of single sign-on has another issuer now; every admin is told; without words it says where they sign in',
    takes: '[OLD NEW REASON…]',
    run: moveIssuerCommand,
  },
  keys: {
    about:
      'what each key of RAMPART_KEYS still holds, and whether it may go; "move" moves what waits for nobody; ends with 1 when one is missing',
    takes: '[move]',
    run: keysCommand,
  },
  'service-key': {
    about:
      'has Rampart use the API key that is given on standard input, from now on and without a restart; every admin is told',
    takes: 'REASON…',
    run: serviceKeyCommand,
  },
}

/** `dead-letters` had this name until November 2026, and scripts may still use it. */
const formerName = 'set-aside'

const help = `npm run rampart COMMAND

${Object.entries(commands)
  .map(([name, { about, takes = '' }]) => `  ${`${name} ${takes}`.padEnd(24)}${about}`)
  .join('\n')}

It works on DATABASE_URL, or else on the database of the Rampart that runs in RAMPART_DATA_DIR (.data).
Exit codes: 0 done, 1 failed or needs a person, 2 not understood, 130 interrupted.`

process.exitCode = await main(process.argv.slice(2))

async function main(words: string[]): Promise<number> {
  const { positionals, help: asked, wrong } = read(words)
  const [given = '', ...more] = positionals
  const name = given === formerName ? 'dead-letters' : given
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (asked) {
    console.log(help)
    return 0
  }
  if (wrong !== null || !command || (more.length > 0 && !command.takes)) {
    console.error(`${wrong ?? misread(name, more)}\n\n${help}`)
    return 2
  }
  try {
    return await command.run(more)
  } catch (error) {
    console.error(isFromSystem(error) ? error.message : describeForOperator(error))
    return 1
  }
}

function read(words: string[]) {
  try {
    const { positionals, values } = parseArgs({
      args: words,
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' } },
    })
    return { positionals, help: values.help === true, wrong: null }
  } catch (error) {
    return { positionals: [], help: false, wrong: error instanceof Error ? error.message : String(error) }
  }
}

function misread(name: string, more: readonly string[]): string {
  if (name === '') return 'Which command?'
  if (!Object.hasOwn(commands, name)) return `There is no command "${name}".`
  return `"${name}" takes nothing else, but was given "${more.join(' ')}".`
}

/** An error with a code comes from the operating system or the database. Its message alone says what is wrong. */
function isFromSystem(error: unknown): error is Error {
  return error instanceof Error && 'code' in error
}
