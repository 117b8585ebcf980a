import crypto from 'node:crypto'
import fs from 'node:fs'
import pg from 'pg'
import { z } from 'zod'
import { startTemporaryPostgres } from '../../bin/temporary-postgres.ts'
import { addReceiver, testKey } from '../../test/ingest.ts'
import { waitUntilFolded } from '../prove/faults/test-bed.ts'
import { startContainer } from './container.ts'

// `prove packaging image` starts this program where the only network is loopback. It starts PostgreSQL there, and the image
// beside it.

const ImageSchema = z.object({
  root: z.string(),
  folder: z.string(),
  volumes: z.array(z.string()),
  command: z.array(z.string()),
  healthCommand: z.array(z.string()),
  stopSignal: z.enum(['SIGTERM', 'SIGINT']),
  environment: z.record(z.string(), z.string()),
})

/** A server that stops has this many milliseconds before a container engine would kill it. */
const mostForStopMs = 15_000

const image = ImageSchema.parse(JSON.parse(process.argv[2] ?? ''))
const [migrate] = z.tuple([z.array(z.string())]).parse(JSON.parse(process.argv[3] ?? ''))
requireNoNetwork()
const postgres = await startTemporaryPostgres('image')
try {
  console.log(await tryImage())
} finally {
  await postgres.stop()
}
process.exit(0)

async function tryImage(): Promise<string> {
  const databaseUrl = await postgres.create('rampart')
  const key = testKey('k1')
  const settings = {
    ...image.environment,
    DATABASE_URL: databaseUrl,
    PUBLIC_URL: 'http://localhost:3000',
    PROJECTORS: '1',
  }
  await migrateOnce(settings)
  const container = startContainer(image, image.command, {
    ...settings,
    SERVICE_BASE_URL: 'http://localhost:1/onboarding',
    SERVICE_API_KEY: 'no-key',
    NEXTAUTH_SECRET: crypto.randomBytes(32).toString('base64'),
    RAMPART_KEYS: `${key.id}:${key.bytes.toString('base64')}`,
  })
  const began = performance.now()
  await container.says('\nready ')
  const seconds = Math.round((performance.now() - began) / 1_000)
  const url = `http://127.0.0.1:${image.environment.PORT}`
  const page = await fetch(`${url}/sign-in`)
  const text = await page.text()
  if (page.status !== 200 || !text.includes('<form')) throw new Error(`The sign-in page: ${page.status}`)
  const [script] = /\/_next\/static\/[^"]+\.js/.exec(text) ?? []
  if ((await fetch(`${url}${script}`)).status !== 200) throw new Error(`${script} of the page is missing`)
  const pool = new pg.Pool({ connectionString: databaseUrl })
  const receiver = await addReceiver(pool, { key })
  const delivery = await fetch(`${url}/api/webhooks/${receiver.id}`, {
    method: 'POST',
    headers: { authorization: receiver.authorization },
    body: JSON.stringify({
      type: 'KYC',
      subType: 'x',
      uuid: crypto.randomUUID(),
      data: { status: 'PENDING' },
    }),
  })
  if (delivery.status !== 200) throw new Error(`A delivery was answered ${delivery.status}`)
  await waitUntilFolded(databaseUrl)
  const { rowCount } = await pool.query('SELECT FROM event')
  if (rowCount !== 1) throw new Error(`The delivery became ${rowCount} events`)
  await pool.end()
  await checkHealth(() => container.run(image.healthCommand))
  const written = container.written()
  const output = container.output()
  const { code, ms } = await container.stop(image.stopSignal)
  if (code !== 0 || ms > mostForStopMs)
    throw new Error(`After ${image.stopSignal} it ended with ${code}, in ${ms} ms`)
  for (const text of [output, ...written.map((one) => one.text)]) {
    const [fault] = /^.*(EROFS|EACCES|EPERM|read-only).*$/m.exec(text) ?? []
    if (fault) throw new Error(`It could not write: ${fault}`)
  }
  const strange = written.filter(
    ({ file }) => !/^\/data\/rampart\/(secrets\.json|rampart\.pid|logs\/[\w-]+\.log)$/.test(file),
  )
  if (strange.length > 0) throw new Error(`It wrote ${strange.map(({ file }) => file).join(', ')}`)
  return `ready in ${seconds} s as nobody, without a network; a page, a delivery; wrote ${written.length} files in /data; stopped in ${ms} ms`
}

/** The migration of the Kubernetes Job runs as it is written there, and again when all is done. */
async function migrateOnce(settings: Readonly<Record<string, string>>) {
  for (const time of ['first', 'second']) {
    const job = startContainer(image, migrate, { ...settings, RAMPART_PART: 'maintenance' })
    const code = await job.ended
    if (code !== 0) throw new Error(`The ${time} migration ended with ${code}: ${job.output()}`)
  }
}

/** The address exists where the server knows of probes. */
async function checkHealth(ask: () => Promise<number>) {
  const code = await ask()
  const known = fs.existsSync('lib/operations/probes')
  if (known !== (code === 0)) throw new Error(`The health check ended with ${code}`)
}

function requireNoNetwork() {
  const routes = fs.readFileSync('/proc/net/route', 'utf8').trim().split('\n').slice(1)
  if (routes.length > 0) throw new Error(`There is a network: ${routes}`)
}
