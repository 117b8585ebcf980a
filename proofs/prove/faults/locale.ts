import { spawnSync } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { unpackDebianPackages } from '../../../bin/debian-packages.ts'
import { compareWithLog } from './compare-with-log.ts'
import { startSenderLoad } from './load.ts'
import { disturb, findDebianPostgres, waitForStandby } from './standby.ts'
import {
  CannotRunHere,
  type FaultTest,
  openTestBed,
  sleep,
  type TestBed,
  type TestReceiverAccount,
} from './test-bed.ts'

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

/** The clocks of the server and of PostgreSQL are set back an hour while they run. The order of arrival must count. */
export const clock: FaultTest = async () => {
  const found = await findLibrary()
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-clock-'))
  fs.chmodSync(folder, 0o755)
  // PostgreSQL's user can read the library there too.
  const library = path.join(folder, path.basename(found))
  fs.copyFileSync(found, library)
  const file = path.join(folder, 'clock')
  const set = (seconds: number) => fs.writeFileSync(file, `${seconds >= 0 ? '+' : ''}${seconds}\n`)
  set(0)
  const stage = await openTestBed('clock', {
    variables: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  })
  try {
    const receiver = await stage.addReceiver()
    const server = await stage.addServer()
    const load = startSenderLoad({ receiver, ports: () => [server.port] })
    const user = crypto.randomUUID()
    const send = (status: string) => deliver(server.port, receiver, user, status)
    await sleep(1_000)
    await send('KYC_NEEDED')
    await send('KYC_PENDING')
    set(-3_600)
    await sleep(500)
    await send('FULL_USER')
    await send('SUSPENDED')
    await sleep(1_000)
    await load.finish()
    const books = await compareWithLog(stage, load)
    return `${await orderOf(stage, user)}: ${books}`
  } finally {
    await stage.close()
    fs.rmSync(folder, { recursive: true })
  }
}

async function orderOf(stage: TestBed, user: string): Promise<string> {
  const rows = await stage.ask<{ status: string; at: Date; id: string }>(
    'SELECT status, first_received_at AS at, id FROM event WHERE entity_uuid = $1 AND type = $2 ORDER BY position',
    [user, 'KYC'],
  )
  const order = rows.map(({ status }) => status).join(', ')
  const [, last, first] = rows
  if (!last || !first || first.at >= last.at || first.id >= last.id)
    throw new Error('The clocks were not set back')
  if (order !== 'KYC_NEEDED, KYC_PENDING, FULL_USER, SUSPENDED') throw new Error(`Out of order: ${order}`)
  return `in order of arrival, ${Math.round((last.at.getTime() - first.at.getTime()) / 60_000)} min back`
}

async function deliver(
  port: number,
  { id, authorization }: TestReceiverAccount,
  user: string,
  status: string,
) {
  const envelope = { type: 'KYC', subType: 'statusUpdate', uuid: user, data: { status } }
  const answer = await fetch(`http://127.0.0.1:${port}/api/webhooks/${id}`, {
    method: 'POST',
    headers: { authorization },
    body: JSON.stringify(envelope),
  })
  if (!answer.ok) throw new Error(`Answered ${answer.status}`)
}

/** The library gives programs a clock that can be set while they run. */
async function findLibrary(): Promise<string> {
  const [found] = fs.globSync(fakeTimeLibrary)
  if (found) return found
  const packages = await unpackDebianPackages('libfaketime')
  const [unpacked] = packages === null ? [] : fs.globSync(path.join(packages, fakeTimeLibrary))
  if (!unpacked) throw new CannotRunHere('needs libfaketime')
  return unpacked
}

const fakeTimeLibrary = '/usr/lib/{,*/}faketime/libfaketime.so.1'
