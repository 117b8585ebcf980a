import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { encode } from 'next-auth/jwt'
import { freePort } from '../../../bin/postgres.ts'
import { digestToken, randomToken } from '../../../lib/platform/keys/digests-and-seals.ts'
import { startSilentProxy } from '../../../test/silent-proxy.ts'
import { endInOrder, startRampart } from '../../bench/installation/installation.ts'
import { findDebianPostgres, makeStandby } from '../faults/standby.ts'
import { CannotRunHere, openTestBed, type TestBed, type TestReceiverAccount } from '../faults/test-bed.ts'

/**
 * The stage is a whole Rampart with its sandbox on one PostgreSQL server, whose database speaks Turkish. Its address can
 * lead elsewhere.
 */
export interface DatabaseStage extends TestBed {
  readonly way: Awaited<ReturnType<typeof startSilentProxy>>
  readonly standby: Awaited<ReturnType<typeof makeStandby>>
  /** The port is that of the dashboard's server. */
  readonly port: number
  readonly receiver: TestReceiverAccount
  /** The cookie belongs to an admin. */
  readonly cookie: string
  /** The address leads directly to the database, as the dashboard's role. */
  readonly roleUrl: string
  /** The text is what all processes logged so far. */
  logged(): string
}

const turkish = `TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'tr-TR'`

/** The stage uses Debian's PostgreSQL 15, or the embedded one where that cannot be had. */
export async function openStage(): Promise<DatabaseStage> {
  const debian = await findDebianPostgres().catch((error: unknown) => {
    if (error instanceof CannotRunHere) return undefined
    throw error
  })
  const programs = debian ? { native: debian.native, variables: debian.libraries } : {}
  const bed = await openTestBed('databases', {
    ...programs,
    locale: turkish,
    settings: [`unix_socket_directories=.`],
  })
  const [{ version } = { version: '' }] = await bed
    .ask<{ version: string }>('SHOW server_version AS version')
    .catch(() => bed.ask<{ version: string }>(`SELECT current_setting('server_version') AS version`))
  console.log(`PostgreSQL ${version}`)
  const way = await startSilentProxy(Number(new URL(bed.url).port))
  let rampart: Awaited<ReturnType<typeof startRampart>> | undefined
  // The cleanup also runs when the proof is interrupted.
  const leave = () => rampart?.kill('SIGTERM')
  process.once('exit', leave)
  const close = async () => {
    process.off('exit', leave)
    await endInOrder(rampart)
    way.stop()
    await bed.close()
  }
  try {
    await bed.ask(`
      CREATE ROLE app LOGIN PASSWORD 'app'; CREATE ROLE sandbox LOGIN PASSWORD 'sandbox';
      GRANT CONNECT ON DATABASE rampart TO app`)
    await bed.ask('CREATE DATABASE sandbox OWNER sandbox')
    const receiver = await bed.addReceiver()
    const standby = await makeStandby(bed, programs)
    await standby.start()
    const [port, sandboxPort] = [await freePort(), await freePort()]
    const address = (name: string, login: string) => `postgresql://${login}@127.0.0.1:${way.port}/${name}`
    const secret = crypto.randomBytes(32).toString('base64')
    const data = path.join(bed.folder, 'data')
    rampart = await startRampart({
      PORT: String(port),
      SANDBOX_PORT: String(sandboxPort),
      PUBLIC_URL: `http://localhost:${port}`,
      RAMPART_DATA_DIR: data,
      DATABASE_URL: address('rampart', 'app:app'),
      DATABASE_MIGRATE_URL: address('rampart', 'rampart:temporary'),
      SANDBOX_DATABASE_URL: bed.url
        .replace('rampart:temporary', 'sandbox:sandbox')
        .replace(/rampart$/, 'sandbox'),
      NEXTAUTH_SECRET: secret,
      RAMPART_KEYS: bed.keys,
      PROJECTORS: '1',
    })
    const logs = path.join(data, 'logs')
    return {
      ...bed,
      way,
      standby,
      port,
      receiver,
      cookie: await signIn(bed, secret, `rampart-${port}`),
      roleUrl: bed.url.replace('rampart:temporary', 'app:app'),
      logged: () =>
        fs
          .readdirSync(logs)
          .map((name) => fs.readFileSync(path.join(logs, name), 'utf8'))
          .join('\n'),
      async close() {
        await standby.stop()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** A new admin is signed in. The result is the cookie, whose name begins with `prefix`, such as `__Host-rampart-8443`. */
export async function signIn(bed: Pick<TestBed, 'ask'>, secret: string, prefix: string): Promise<string> {
  const token = randomToken()
  const userUuid = crypto.randomUUID()
  await bed.ask(`INSERT INTO member (id, user_uuid, name, role) VALUES ($1, $2, 'Prover', 'admin')`, [
    crypto.randomUUID(),
    userUuid,
  ])
  await bed.ask(
    `INSERT INTO session (id, token_digest, user_uuid, method, role, idle_expires_at, expires_at)
     VALUES ($1, $2, $3, 'passkey', 'admin', now() + interval '2 hours', now() + interval '2 hours')`,
    [crypto.randomUUID(), digestToken(token), userUuid],
  )
  return `${prefix}.session=${await encode({ token: { token }, secret })}; ${prefix}.browser=b`
}
