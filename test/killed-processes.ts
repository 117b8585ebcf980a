import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { prisma } from '#lib/platform/db/prisma.ts'
import type { EndpointChange } from './endpoint-changes.ts'
import { shortLived } from './short-lived.ts'

// These processes change endpoints and are killed in the middle.

const root = path.join(import.meta.dirname, '..')

/** The database knows a process that is to be killed by this name. */
const mortal = 'to be killed'

let spare: ReturnType<typeof startProcess> | undefined
let said = ''

/** The text is the processes' logs. */
export const printed = (): string => said

/** The process is to be killed, and the next one starts meanwhile. */
async function takeProcess() {
  const taken = spare ?? startProcess()
  await taken.ready
  spare = startProcess()
  return taken
}

export const endProcesses = () => void spare?.child.kill('SIGKILL')

/**
 * The database counts writes from now on, and blocks such a process before the chosen one. Writes of one transaction count as
 * one, because a death between them undoes them all, and a statement that changes no row does not count.
 */
export async function prepareProcesses() {
  await prisma().$executeRawUnsafe('CREATE SEQUENCE written MINVALUE 0')
  await prisma().$executeRawUnsafe('CREATE TABLE stop (at bigint)')
  await prisma().$executeRawUnsafe('INSERT INTO stop VALUES (-1)')
  await prisma().$executeRawUnsafe(`
    CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF current_setting('test.has_written', true) = 'yes' THEN RETURN COALESCE(NEW, OLD); END IF;
      PERFORM set_config('test.has_written', 'yes', true);
      IF nextval('written') = (SELECT at FROM stop) AND current_setting('application_name') = '${mortal}'
        THEN PERFORM pg_sleep(600); END IF;
      RETURN COALESCE(NEW, OLD);
    END $$`)
  for (const table of ['receiver', 'secret_handoff', 'audit'])
    await prisma().$executeRawUnsafe(`
      CREATE TRIGGER hold BEFORE INSERT OR UPDATE OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION hold()`)
}

/** The number says how many writes happen during the work. */
export async function countWrites(work: () => Promise<unknown>): Promise<number> {
  await prisma().$executeRaw`ALTER SEQUENCE written RESTART WITH 0`
  await work()
  return writesSoFar()
}

/** The number says how many writes happened since counting began. */
export async function writesSoFar(): Promise<number> {
  const [row] = await prisma().$queryRaw<{ count: bigint }[]>`
    SELECT CASE WHEN is_called THEN last_value + 1 ELSE 0 END AS count FROM written`
  return Number(row?.count)
}

/** The next process waits before its write of this number, counted from 0. */
async function stopAt(n: number) {
  await prisma().$executeRaw`ALTER SEQUENCE written RESTART WITH 0`
  await prisma().$executeRaw`UPDATE stop SET at = ${n}`
}

/** A process makes the change, and `arm` gets what kills it. The result is the signal that ended it. */
export async function killAtCall(arm: (kill: () => void) => void, change: EndpointChange): Promise<unknown> {
  const { child, exited } = await takeProcess()
  arm(() => void child.kill('SIGKILL'))
  child.send(change)
  await exited
  return child.signalCode
}

/** A process makes the change and is killed before its write of this number, if it gets there. */
export async function killBefore(n: number, change: EndpointChange): Promise<unknown> {
  const { child, exited } = await takeProcess()
  let answer: unknown = null
  child.once('message', (said) => {
    answer = said
  })
  await stopAt(n)
  child.send(change)
  while (answer === null && !(await isStopped())) await wait(20)
  child.kill('SIGKILL')
  await exited
  await forgetStopped()
  return answer ?? 'killed'
}

async function isStopped(): Promise<boolean> {
  const [row] = await prisma().$queryRaw<{ held: boolean }[]>`
    SELECT count(*) > 0 AS held FROM pg_stat_activity
    WHERE application_name = ${mortal} AND wait_event = 'PgSleep'`
  return row?.held === true
}

/** The function does what PostgreSQL would do itself once it noticed that the client has gone. */
async function forgetStopped() {
  await prisma().$executeRaw`UPDATE stop SET at = -1`
  await prisma().$queryRaw`
    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = ${mortal}`
}

function startProcess(): { child: ChildProcess; ready: Promise<unknown>; exited: Promise<unknown> } {
  const env = { ...process.env, PGAPPNAME: mortal }
  const execArgv = [...shortLived, '--import', path.join(root, 'bin/hooks.mjs')]
  const child = fork(path.join(root, 'test/endpoint-process.ts'), { execArgv, cwd: root, silent: true, env })
  for (const output of [child.stdout, child.stderr])
    output?.on('data', (text) => {
      said += text
    })
  return { child, ready: once(child, 'message'), exited: once(child, 'exit') }
}
