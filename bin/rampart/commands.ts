import type { Command } from './command.ts'

const json = { json: 'prints JSON, whose fields docs/troubleshooting.md describes' }

export const commands: Readonly<Record<string, Command>> = {
  doctor: {
    about: 'checks database, service, public address, mail and the rest, live, and says what to do',
    options: json,
    details: [
      'It checks settings, database, TLS, roles, pooler and LISTEN, migrations, keys, service and API key, clocks, public address,',
      'certificate, mail, single sign-on, the receiver of audit heads, disk, the last backup, and what "status" says.',
      'It changes nothing, sends no mail and prints no secret. Each check has 12 s, and they run at the same time.',
      'Give it the settings that the servers have.',
    ],
    exits: '0 all is well, 1 a failure, 3 warnings alone',
    run: async (_, options) =>
      (await import('./doctor-command.ts')).doctorCommand({ json: options.json === true }),
  },
  status: {
    about:
      'says how many deliveries wait, and what needs a person: dead letters, endpoints, gaps, keys, mail',
    options: json,
    details: [
      'It reads the database alone, and says within 8 s when that does not answer. Use it for cron or Nagios.',
    ],
    exits: '0 nothing needs a person, 1 something does, or the database is away',
    run: async (_, options) =>
      (await import('./status-command.ts')).statusCommand({ json: options.json === true }),
  },
  'dead-letters': {
    about: 'lists deliveries that could not be folded, since when, and why',
    exits: '0 there are none, 1 there are some',
    run: async () => (await import('./projector-commands.ts')).deadLettersCommand(),
  },
  retry: {
    about: 'folds the dead letters again, after a fix',
    run: async () => (await import('./projector-commands.ts')).retryCommand(),
  },
  rebuild: {
    about: 'rebuilds events, transactions and identifiers from the log, while everything runs',
    interrupted: 'It goes on while Rampart runs. Otherwise the same command goes on where it stopped.',
    exits: '0 done, 1 some deliveries could not be folded',
    run: async () => (await import('./projector-commands.ts')).rebuildCommand(),
  },
  retention: {
    about:
      'says which months of the log and which events are older than they are kept; with "yes" it removes them, while everything runs',
    takes: '[bodies=MONTHS] [events=MONTHS] [yes]',
    firstWords: ['yes', 'bodies=', 'events=', 'accept-loss'],
    details: [
      '"retention accept-loss MONTH…" says that months which were dropped by hand will not come back.',
      'docs/retention.md says what is removed.',
    ],
    interrupted: 'What was removed stays removed. The same command goes on with the rest.',
    exits: '0 done, 1 not yet possible: run it again',
    run: async (words) => (await import('./retention-command.ts')).retentionCommand(words),
  },
  audit: {
    about:
      'finds what was changed, removed or cut off in the audit, by the heads in the logs and in the files named',
    takes: 'verify [FILE…]',
    firstWords: ['verify'],
    interrupted: 'It only reads. It begins anew the next time.',
    exits: '0 nothing was changed, 1 something was',
    run: async (words) => (await import('./audit-command.ts')).auditCommand(words),
  },
  backup: {
    about: 'copies the embedded database with its secrets, while it is used, and starts the copy once',
    takes: 'FOLDER',
    details: ['The folder must be empty or not there yet, on a disk with room for the whole database.'],
    interrupted: 'The folder then holds no backup.json and is no backup. Remove it, and begin anew.',
    run: async (words) => (await import('./backup-commands.ts')).backupCommand(words),
  },
  'backed-up': {
    about: 'says that your own script has just made a backup, whose age "doctor" then checks',
    run: async () => (await import('./backup-commands.ts')).backedUpCommand(),
  },
  restore: {
    about: 'makes RAMPART_DATA_DIR, which must be empty or not there yet, of such a backup',
    takes: 'FOLDER',
    interrupted: 'RAMPART_DATA_DIR then has no secrets.json. Remove it, and begin anew.',
    run: async (words) => (await import('./backup-commands.ts')).restoreCommand(words),
  },
  restored: {
    about:
      'says that the database was restored from a backup: the audit verifies again, the gap is named, everybody is signed out; every admin is told',
    takes: 'REASON…',
    run: async (words) => (await import('./backup-commands.ts')).restoredCommand(words),
  },
  'erase-user': {
    about: 'removes a person from everything that is kept here, for good; amounts stay',
    takes: 'UUID REASON…',
    interrupted: 'The erasure goes on while Rampart runs, also without the command.',
    run: async (words) => (await import('./person-commands.ts')).eraseUserCommand(words),
  },
  'export-user': {
    about: 'prints all that is held of a person, as JSON',
    takes: 'UUID REASON…',
    interrupted: 'What was printed is not whole. It begins anew the next time.',
    run: async (words) => (await import('./person-commands.ts')).exportUserCommand(words),
  },
  distribute: {
    about: 'spreads the tables of a database with Citus over its servers',
    interrupted: 'Tables that were spread stay so. The same command goes on with the rest.',
    run: async () => (await import('./projector-commands.ts')).distributeCommand(),
  },
  'setup-link': {
    about: 'prints a link by which the first admin joins, as long as there is none',
    run: async () => (await import('./sign-in-commands.ts')).setUpLinkCommand(),
  },
  'signin-link': {
    about: 'prints a link that signs one member in, once, when no other way works; every admin is told',
    takes: 'MEMBER',
    run: async (words) => (await import('./sign-in-commands.ts')).signInLinkCommand(words),
  },
  'move-issuer': {
    about:
      'takes members along whose provider of single sign-on has another issuer now; every admin is told; without words it says where they sign in',
    takes: '[OLD NEW REASON…]',
    run: async (words) => (await import('./sign-in-commands.ts')).moveIssuerCommand(words),
  },
  'move-service': {
    about: 'moves this installation to another base URL of the same service; every admin is told',
    takes: 'NEW_BASE_URL REASON…',
    details: [
      'It asks the new address with the API key, and moves only when that knows an endpoint or a person of this installation.',
      'Then set SERVICE_BASE_URL and restart one server after another. The same command with the old address undoes it.',
      'Give it the settings that the servers have.',
    ],
    run: async (words) => (await import('./keys-commands.ts')).moveServiceCommand(words),
  },
  keys: {
    about:
      'says what each key of RAMPART_KEYS still holds, and whether it may go; "move" moves what waits for nobody',
    takes: '[move]',
    firstWords: ['move'],
    interrupted: 'What was moved stays moved. The same command goes on with the rest.',
    exits: '0 done, 1 a key is missing or wrong',
    run: async (words) => (await import('./keys-commands.ts')).keysCommand(words),
  },
  'service-key': {
    about:
      'has Rampart use the API key that is given on standard input, from now on and without a restart; every admin is told',
    takes: 'REASON…',
    run: async (words) => (await import('./keys-commands.ts')).serviceKeyCommand(words),
  },
  completion: {
    about: 'prints the completion of these commands for a shell',
    takes: 'bash|zsh|fish',
    firstWords: ['bash', 'zsh', 'fish'],
    details: [
      'It also defines the command "rampart", which is short for "npm run rampart --".',
      'bash: source <(npm run --silent rampart completion bash)',
      'zsh:  source <(npm run --silent rampart completion zsh)',
      'fish: npm run --silent rampart completion fish | source',
    ],
    run: async (words) => (await import('./completion.ts')).completionCommand(words, commands),
  },
  help: {
    about: 'lists the commands, or explains one',
    takes: '[COMMAND]',
    run: async ([name, ...more]) => {
      const known = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined
      if (more.length > 0 || (name !== undefined && !known)) {
        console.error(`There is no command "${[name, ...more].join(' ')}".\n\n${helpOfAll()}`)
        return 2
      }
      console.log(name !== undefined && known ? helpOf(name, known) : helpOfAll())
      return 0
    },
  },
}

export const helpOfAll = () => `npm run rampart COMMAND

${Object.entries(commands)
  .map(([name, { about }]) => `  ${name.padEnd(14)}${about}`)
  .join('\n')}

npm run rampart help COMMAND explains one. Options come after two dashes: npm run rampart -- status --json
It works on DATABASE_URL, or else on the database of the Rampart that runs in RAMPART_DATA_DIR (.data).
Exit codes: 0 done, 1 failed or needs a person, 2 not understood, 130 interrupted; "doctor" has 3 for warnings alone.`

export function helpOf(name: string, command: Command): string {
  const { about, takes, options = {}, details = [], interrupted, exits } = command
  const switches = Object.entries({ ...options, help: 'prints this, and does nothing' })
  const dashes = Object.keys(options).length > 0 ? '-- ' : ''
  const usage = [name, takes, ...Object.keys(options).map((option) => `[--${option}]`)].filter(Boolean)
  return [
    `npm run rampart ${dashes}${usage.join(' ')}`,
    '',
    `It ${about}.`,
    ...details,
    '',
    ...switches.map(([option, does]) => `  --${option.padEnd(8)}${does}`),
    '',
    `Exit codes: ${exits ?? '0 done, 1 failed'}, 2 not understood${interrupted ? ', 130 interrupted' : ''}.`,
    ...(interrupted ? [`Interrupted: ${interrupted}`] : []),
  ].join('\n')
}
