import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { z } from 'zod'
import { startPostgres } from '../../bin/postgres.ts'
import { toKeys } from '../../lib/platform/env.ts'
import { addReceiver } from '../../test/ingest.ts'
import { waitUntilFolded } from '../prove/faults/test-bed.ts'
import { newPasswords, roleStatements, settingsOfCompose } from './compose.ts'
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
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-image-database-'))
fs.chmodSync(folder, 0o711)
const sockets = path.join(folder, 'sockets')
fs.mkdirSync(sockets)
fs.chmodSync(sockets, 0o1777)
const postgres = await startPostgres({
  dataDir: path.join(folder, 'postgres'),
  password: 'temporary',
  logFile: path.join(folder, 'postgres.log'),
  port: 5432,
  settings: [`unix_socket_directories=${sockets}`],
})
process.once('exit', () => {
  postgres.quit()
  fs.rmSync(folder, { recursive: true, force: true })
})
console.log(await tryImage())
await postgres.stop()
process.exit(0)

/** The database and the settings are those of ops/compose.yaml. */
async function tryImage(): Promise<string> {
  const passwords = newPasswords()
  const admin = new pg.Client({ connectionString: postgres.url('postgres') })
  await admin.connect()
  for (const statement of roleStatements(passwords)) await admin.query(statement)
  await admin.end()
  const settings = settingsOfCompose(passwords)
  const environment = { ...image.environment, ...settings, PROJECTORS: '1' }
  const mounts = { [sockets]: '/var/run/postgresql' }
  await migrateOnce(environment, mounts)
  const container = startContainer(image, { command: image.command, environment, mounts })
  const began = performance.now()
  await container.says('\nready ')
  const seconds = Math.round((performance.now() - began) / 1_000)
  const url = `http://127.0.0.1:${image.environment.PORT}`
  const page = await fetch(`${url}/sign-in`)
  const text = await page.text()
  if (page.status !== 200 || !text.includes('<form')) throw new Error(`The sign-in page: ${page.status}`)
  const [script] = /\/_next\/static\/[^"]+\.js/.exec(text) ?? []
  if ((await fetch(`${url}${script}`)).status !== 200) throw new Error(`${script} of the page is missing`)
  const databaseUrl = postgres.url('rampart')
  const pool = new pg.Pool({ connectionString: databaseUrl })
  const [key] = toKeys(settings.RAMPART_KEYS ?? '')
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
  const code = await container.run(documentedCommand())
  if (code !== 0) throw new Error(`The command of docs/packaging.md ended with ${code}`)
  const written = container.written()
  const output = container.output()
  const { code: end, ms } = await container.stop(image.stopSignal)
  if (end !== 0 || ms > mostForStopMs)
    throw new Error(`After ${image.stopSignal} it ended with ${end}, in ${ms} ms`)
  // Compiled code holds these words too.
  const kept = written.filter(({ file }) => !file.startsWith('/data/node/'))
  for (const text of [output, ...kept.map((one) => one.text)]) {
    const [fault] = /^.*(EROFS|EACCES|EPERM|read-only).*$/m.exec(text) ?? []
    if (fault) throw new Error(`It could not write: ${fault}`)
  }
  const strange = written.filter(
    ({ file }) => !/^\/data\/(node\/.+|rampart\/(secrets\.json|rampart\.pid|logs\/[\w-]+\.log))$/.test(file),
  )
  if (strange.length > 0) throw new Error(`It wrote ${strange.map(({ file }) => file).join(', ')}`)
  return `ready in ${seconds} s as nobody, without a network; a page, a delivery; wrote ${written.length} files in /data; stopped in ${ms} ms`
}

/** An operator gets the link for the first admin by this command in a pod. */
function documentedCommand(): string[] {
  const page = fs.readFileSync('docs/packaging.md', 'utf8')
  const [, words = ''] = /^kubectl exec \S+ -- (.+)$/m.exec(page) ?? []
  return words.split(' ')
}

/** The migration of the Kubernetes Job runs as it is written there, and again when all is done. */
async function migrateOnce(
  environment: Readonly<Record<string, string>>,
  mounts: Readonly<Record<string, string>>,
) {
  for (const time of ['first', 'second']) {
    const variables = { ...environment, RAMPART_PART: 'maintenance' }
    const job = startContainer(image, { command: migrate, environment: variables, mounts })
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
