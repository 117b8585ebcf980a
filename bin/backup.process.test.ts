import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signHead } from '#lib/audit/heads.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { grantToApplication } from '#lib/platform/db/application-role.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { applyMigrations } from '#lib/platform/db/migrate.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { toKeys } from '#lib/platform/env.ts'
import { noCallSource } from '../lib/access/caller.ts'
import { readHead } from '../lib/audit/heads.ts'
import { addReceiver } from '../test/ingest.ts'
import { runCommand } from '../test/rampart-command.ts'
import { runHere } from '../test/run-here.ts'
import { makeBackup, restoreBackup } from './backup.ts'
import { openDataDirectory } from './data-directory.ts'
import { findText } from './folders.ts'
import { startPostgres } from './postgres.ts'
import { logins, prepareDatabases } from './postgres-roles.ts'

// The database of this Rampart takes deliveries all the while.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-backup-'))
fs.chmodSync(folder, 0o711)
const [original, backup, second, copy] = ['original', 'backups/monday', 'backups/tuesday', 'copy'].map(
  (name) => path.join(folder, name),
)
const cluster = (dataDir = '') => path.join(dataDir, 'postgres')
/** When root runs this, the databases are in another folder. */
const movedTo = (dataDir?: string) => findText(path.join(cluster(dataDir), 'MOVED'))?.trim()

let stop: () => Promise<void>
let pool: ReturnType<typeof openPool>
let keys: string
const stored: string[] = []

beforeAll(async () => {
  const directory = openDataDirectory(original ?? '', { withPostgres: true, warn: console.error })
  const { secrets } = directory
  keys = secrets.keys
  const postgres = await startPostgres({
    dataDir: path.join(original ?? '', 'postgres'),
    password: secrets.postgresPassword,
    logFile: path.join(directory.logs, 'postgres.log'),
  })
  await prepareDatabases(postgres, secrets)
  const { owner, application } = logins(secrets)
  await applyMigrations(postgres.url('rampart', owner))
  pool = openPool(postgres.url('rampart', application))
  await grantToApplication(postgres.url('rampart', owner), pool)
  stop = async () => {
    stop = async () => undefined
    await pool.end()
    await postgres.stop()
    directory.close()
  }
})
afterAll(async () => {
  await stop()
  for (const dataDir of [original, copy]) {
    const moved = movedTo(dataDir)
    if (moved) fs.rmSync(moved, { recursive: true })
  }
  fs.rmSync(folder, { recursive: true })
})

const runAlone = (dataDir: string | undefined, ...words: string[]) =>
  runCommand(words, { RAMPART_DATA_DIR: dataDir })

async function run(dataDir: string | undefined, ...words: string[]) {
  const { code, output } = await runHere(words, { RAMPART_DATA_DIR: dataDir })
  return { code, output }
}

const act = () =>
  inTransaction(pool, (tx) =>
    recordAudit(tx, { actor: commandLine, action: 'rebuild.start', outcome: 'done' }, noCallSource),
  )

/** The head has the form that the server writes into its log. */
async function giveHead() {
  const head = await readHead(pool)
  if (!head) throw new Error('The chain is empty')
  fs.appendFileSync(path.join(folder, 'heads.log'), `${JSON.stringify(signHead(toKeys(keys), head))}\n`)
  return head
}

/** The load delivers until it is told to stop, each delivery in its own commit. The result stops it. */
function load(receiverId: string) {
  let over = false
  const work = (async () => {
    for (let n = 0; !over; n++) {
      const body = Buffer.from(
        JSON.stringify({ type: 'KYC', uuid: `U-${n}`, data: { pad: 'x'.repeat(2_000) } }),
      )
      await appendPastDeliveries([{ receivedAt: new Date(), receiverId, body }], pool)
      stored.push(`U-${n}`)
      await pool.query(
        `INSERT INTO heartbeat VALUES ('ingest', now()) ON CONFLICT (name) DO UPDATE SET at = now()`,
      )
      await act()
    }
  })()
  return async () => {
    over = true
    await work
  }
}

test('a backup that fails removes what it made, and nothing else', async () => {
  const given = path.join(folder, 'failing')
  fs.mkdirSync(path.join(given, 'lost+found'), { recursive: true })
  fs.chmodSync(given, 0o711)
  const place = movedTo(original) ?? cluster(original)
  const source = { dataDir: original ?? '', place, url: () => 'postgresql://127.0.0.1:1/nobody' }
  const made = makeBackup(source, given)
  fs.writeFileSync(path.join(given, 'lost+found', 'theirs'), '')
  fs.writeFileSync(path.join(given, 'theirs'), '')
  await expect(made).rejects.toThrow('ECONNREFUSED')
  expect(fs.readdirSync(given).sort()).toEqual(['lost+found', 'theirs'])
  expect(fs.readdirSync(path.join(given, 'lost+found'))).toEqual(['theirs'])
  fs.rmSync(given, { recursive: true })
})

test('the embedded database is backed up twice at once under load, restored, and verifies', async () => {
  const { id } = await addReceiver(pool)
  await act()
  await giveHead()
  const end = load(id)
  await expect.poll(() => stored.length).toBeGreaterThan(20)
  const before = stored.length
  const made = await Promise.all([backup, second].map((place = '') => runAlone(original, 'backup', place)))
  for (const one of made)
    expect(one).toEqual({
      code: 0,
      output: expect.stringMatching(
        /^The backup is in .*, and was started once\. Its audit ends at position \d+/,
      ),
    })
  expect(fs.existsSync(path.join(second ?? '', 'backup.json'))).toBe(true)
  expect(fs.readdirSync(path.join(original ?? '', 'logs'))).toEqual(['postgres.log'])
  const after = stored.length
  expect(after).toBeGreaterThan(before)
  // No other user may read the backup.
  for (const [name, mode] of [
    ['secrets.json', 0o600],
    ['backup.json', 0o600],
    ['postgres', 0o700],
  ] as const)
    expect(fs.statSync(path.join(backup ?? '', name)).mode & 0o777).toBe(mode)
  await end()
  const last = await giveHead()
  await stop()

  expect(await runAlone(copy, 'restore', backup ?? '')).toEqual({
    code: 0,
    output: expect.stringMatching(/holds the backup of .*Z\. .*\n.*npm run rampart restored REASON\n$/s),
  })
  expect(fs.statSync(copy ?? '').mode & 0o777).toBe(0o700)
  // The command neither overwrites anything nor leaves half of anything.
  for (const [dataDir, ...words] of [
    [copy, 'restore', backup],
    [original, 'backup', backup],
    [original, 'backup', path.join(original ?? '', 'inside')],
    [path.join(folder, 'other'), 'restore', path.join(folder, 'backups')],
    [path.join(backup ?? '', 'other'), 'restore', backup],
  ])
    expect(await run(dataDir, ...words.map(String))).toEqual({
      code: 1,
      output: expect.stringMatching(/^\S.*\n$/),
    })
  expect(fs.readdirSync(folder).toSorted()).toEqual(['backups', 'copy', 'heads.log', 'original'])

  const said = await runAlone(copy, 'restored', 'the disk', 'broke')
  expect(said).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^The audit says so, and that position \d+ was the last/),
  })
  const [, kept = ''] = /position (\d+)/.exec(said.output) ?? []
  expect(Number(kept)).toBeGreaterThan(before)
  expect(Number(kept)).toBeLessThan(Number(last.position))
  expect(said.output).toMatch(
    /Deliveries that were acknowledged between .*Z and .*Z are no longer here, and will not be sent again/,
  )

  await inCopy(async (database) => {
    const { rows } = await database.query<{ body: string }>(
      `SELECT convert_from(body, 'UTF8') AS body FROM delivery`,
    )
    const found = new Set(rows.map(({ body }) => String(JSON.parse(body).uuid)))
    expect(stored.slice(0, before).filter((name) => !found.has(name))).toEqual([])
    const gaps = await database.query('SELECT kind, ended_at > began_at AS lasted FROM gap')
    expect(gaps.rows).toEqual([{ kind: 'restored', lasted: true }])
    const verified = await run(copy, 'audit', 'verify', path.join(folder, 'heads.log'))
    expect(verified).toEqual({
      code: 0,
      output: expect.stringMatching(
        /1 of 2 heads that were given away agree\.\nA backup was restored, as .* one head names entries after position \d+, .*\nNothing was changed, removed or put in\.\n$/,
      ),
    })
  })
}, 120_000)

test('timers run while the files of a backup are copied, and touch the locks that other containers watch', async () => {
  const placed = path.join(folder, 'placed')
  const seen = new Set<number>()
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  // The test above made it.
  await restoreBackup(second ?? '', placed, () => seen.add(turns))
  clearInterval(timer)
  for (const made of [movedTo(placed), placed]) if (made) fs.rmSync(made, { recursive: true })
  expect(seen.size).toBeGreaterThan(10)
})

/** The audit is verified while Rampart runs. */
async function inCopy(work: (database: ReturnType<typeof openPool>) => Promise<void>) {
  const directory = openDataDirectory(copy ?? '', { withPostgres: true, warn: console.error })
  const postgres = await startPostgres({
    dataDir: path.join(copy ?? '', 'postgres'),
    password: directory.secrets.postgresPassword,
    logFile: path.join(directory.logs, 'postgres.log'),
  })
  const database = openPool(postgres.url('rampart', logins(directory.secrets).application))
  try {
    await work(database)
  } finally {
    await database.end()
    await postgres.stop()
    directory.close()
  }
}

test('a backup of nothing, or of a database of one’s own, says what to do', async () => {
  const nowhere = await run(path.join(folder, 'nowhere'), 'backup', path.join(folder, 'x'))
  expect(nowhere).toEqual({
    code: 1,
    output: expect.stringMatching(/^There is no embedded database in .*\n$/),
  })
  expect(await run(original, 'backup')).toMatchObject({ code: 2 })
  expect(fs.existsSync(path.join(folder, 'nowhere'))).toBe(false)
})
