import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { unpackDebianPackages } from '../../../bin/debian-packages.ts'
import { compareWithLog } from './compare-with-log.ts'
import { CannotRunHere, type FaultTest } from './fault-test.ts'
import { startSenderLoad } from './load.ts'
import { disturb, findDebianPostgres, waitForStandby } from './standby.ts'
import { openTestBed, sleep, type TestBed } from './test-bed.ts'

/** PostgreSQL speaks German, and its warning that a commit did not wait for the standby must still be understood. */
export const locale: FaultTest = async ({ short }) => {
  const { native, libraries } = await findPostgresInGerman()
  const locales = await makeGerman()
  const stage = await openTestBed('locale', { native, variables: { LOCPATH: locales, ...libraries } })
  try {
    await stage.ask(`ALTER SYSTEM SET lc_messages = 'de_DE.UTF-8'`)
    const receiver = await stage.addReceiver()
    const server = await stage.addServer()
    const load = startSenderLoad({ receiver, ports: () => [server.port] })
    await sleep(1_000)
    await waitForStandby(stage, 'nobody')
    const severity = await severityOfAnError(stage)
    const disturbed = await disturb(stage, load, short ? 3_000 : 15_000)
    await waitForStandby(stage, '')
    await load.finish()
    return `An error is "${severity}"; ${disturbed} waits ended or cancelled: ${await compareWithLog(stage, load)}`
  } finally {
    await stage.close()
    fs.rmSync(locales, { recursive: true })
  }
}

async function severityOfAnError(stage: TestBed): Promise<string> {
  const error = await stage.ask('SELECT 1 / 0').catch((failed: unknown) => failed)
  const severity = error instanceof pg.DatabaseError ? error.severity : undefined
  if (severity !== 'FEHLER') throw new Error(`PostgreSQL says "${severity}"`)
  return severity
}

/** The embedded PostgreSQL knows no other language. */
async function findPostgresInGerman() {
  const found = await findDebianPostgres()
  const messages = path.resolve(found.native, '../../../share/locale/de/LC_MESSAGES')
  if (fs.globSync(path.join(messages, 'postgres-*.mo')).length === 0)
    throw new CannotRunHere('needs a PostgreSQL with German messages')
  return found
}

/** The folder has the locale de_DE.UTF-8, made from Debian's sources. */
async function makeGerman(): Promise<string> {
  const installed = fs.existsSync('/usr/share/i18n/locales/de_DE')
  const packages = installed ? '/' : await unpackDebianPackages('locales')
  if (packages === null) throw new CannotRunHere('needs the sources of locales')
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-locales-'))
  fs.chmodSync(folder, 0o755)
  const { status, error } = spawnSync(
    'localedef',
    ['--no-archive', '-i', 'de_DE', '-f', 'UTF-8', path.join(folder, 'de_DE.UTF-8')],
    { env: { ...process.env, I18NPATH: path.join(packages, 'usr/share/i18n') } },
  )
  // The status 1 is a warning, and the locale is made.
  if (error || (status ?? 2) > 1 || !fs.existsSync(path.join(folder, 'de_DE.UTF-8', 'LC_MESSAGES')))
    throw new CannotRunHere('needs localedef')
  return folder
}
