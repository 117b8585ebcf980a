import fs from 'node:fs'
import path from 'node:path'
import { freePort } from '../../../bin/postgres.ts'
import { checkDatabases, requireMayMigrate } from '../../../lib/platform/db/check-databases.ts'
import { readStartSettings } from '../../../lib/platform/env.ts'
import { CannotRunHere } from '../faults/fault-test.ts'
import { processOf } from '../faults/process.ts'
import { startBouncer } from './bouncer.ts'
import type { DatabaseStage } from './open-stage.ts'
import { lockFor } from './rows.ts'
import { strike } from './strike.ts'

const startBouncerOf = (stage: DatabaseStage, mode: 'transaction' | 'statement') =>
  startBouncer({
    parent: stage.folder,
    to: Number(new URL(stage.url).port),
    mode,
    logins: { app: 'app' },
  })

/** The server runs behind PgBouncer in transaction mode, where nothing can be set on a connection. */
export async function lockedBehindPooler(stage: DatabaseStage): Promise<string> {
  const bouncer = await startBouncerOf(stage, 'transaction')
  const port = await freePort()
  const server = processOf(
    'server.ts',
    [bouncer.url('app'), stage.keys, String(port)],
    {},
    path.join(stage.folder, 'data/logs/pooled.log'),
  )
  try {
    await server.start()
    const said = await strike(stage, lockFor(20_000, 'another report'), { perSecond: 6, port })
    return `behind PgBouncer ${said}`
  } finally {
    await server.kill('SIGTERM')
    await bouncer.stop()
  }
}

/**
 * Each of these databases is refused before anything is written, with this message. The row throws where one is not refused,
 * or with another message.
 */
const refused: readonly (readonly [
  finding: string,
  ask: (stage: DatabaseStage) => Promise<unknown>,
  words: RegExp,
])[] = [
  [
    'Q5 a schema of its own',
    async ({ roleUrl, ask }) => {
      await ask('CREATE SCHEMA own AUTHORIZATION app; ALTER ROLE app SET search_path = own')
      await checkDatabases({ DATABASE_URL: roleUrl }, () => undefined)
    },
    /^DATABASE_URL comes to the schema own/,
  ],
  [
    'Q10 a search_path that names nothing',
    async ({ roleUrl, ask }) => {
      await ask('ALTER ROLE app SET search_path = nowhere')
      await checkDatabases({ DATABASE_URL: roleUrl }, () => undefined)
    },
    /^DATABASE_URL names no schema that this role may use/,
  ],
  [
    'Q10 an owner without rights',
    async ({ roleUrl, ask }) => {
      await ask('ALTER ROLE app RESET search_path; DROP SCHEMA IF EXISTS own CASCADE')
      await requireMayMigrate(roleUrl)
    },
    /^DATABASE_MIGRATE_URL must name the role that owns the tables/,
  ],
  [
    'Q8 several hosts',
    async () =>
      readStartSettings({
        NODE_ENV: 'production',
        DATABASE_URL: 'postgresql://u:p@one.example.com,two.example.com/rampart',
        NEXTAUTH_SECRET: 'n'.repeat(32),
        RAMPART_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
      }),
    /^DATABASE_URL .*host/,
  ],
  [
    'Q10 PgBouncer in statement mode',
    async (stage) => {
      const bouncer = await startBouncerOf(stage, 'statement')
      await checkDatabases({ DATABASE_URL: bouncer.url('app') }, () => undefined).finally(bouncer.stop)
    },
    /pool_mode = transaction/,
  ],
]

export async function wrongStarts(stage: DatabaseStage): Promise<string> {
  const held: string[] = []
  for (const [finding, ask, words] of refused) {
    const reported = await ask(stage).then(
      () => 'nothing',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
    if (!words.test(reported)) throw new Error(`${finding}: was told “${reported}”`)
    held.push(finding)
  }
  return `${held.join(', ')}: each is refused in one line before anything is written`
}

/** The address has no host and leads to PostgreSQL's own socket. */
export async function throughSocket({ folder, url }: DatabaseStage): Promise<string> {
  const directory = path.join(folder, 'postgres')
  const { port } = new URL(url)
  if (!fs.existsSync(path.join(directory, `.s.PGSQL.${port}`)))
    throw new CannotRunHere('needs a folder that PostgreSQL can reach')
  const address = `postgresql://app:app@/rampart?host=${encodeURIComponent(directory)}&port=${port}`
  await checkDatabases({ DATABASE_URL: address }, () => undefined)
  return 'an address with a socket and no host is read'
}
