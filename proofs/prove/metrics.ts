import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { z } from 'zod'
import { failedResult, passedResult, type Result, skippedResult, sumResults } from '../../bin/check/result.ts'
import { freePort } from '../../bin/postgres.ts'
import { startTemporaryPostgres } from '../../bin/temporary-postgres.ts'
import { openPool } from '../../lib/platform/db/pool.ts'
import { addReceiver } from '../../test/ingest.ts'
import { metricsUsed, rulesFile } from '../../test/metrics-used.ts'
import { serveRoles, withoutPages } from '../../test/roles.ts'

export const when = 'metrics, alert rules or the dashboard changed; a minute, with Debian’s Prometheus'

const execute = promisify(execFile)
const programs = ['/usr/bin/prometheus', '/usr/bin/promtool']
const token = 'metrics-'.repeat(5)

/** Prometheus reads Rampart at this interval in seconds. Rates need several readings, and projectors report every 5 s. */
const interval = 2

/** Debian's promtool checks the rules and a scrape; Debian's Prometheus reads Rampart and evaluates each rule. */
export default async function proveMetrics(): Promise<Result> {
  const missing = programs.filter((program) => !fs.existsSync(program))
  if (missing.length > 0)
    return skippedResult(`metrics (no ${missing.join(', ')}: apt-get install prometheus)`)
  const postgres = await startTemporaryPostgres('metrics')
  const group = await serveRoles(await postgres.create('rampart'), {
    ROLE: withoutPages,
    METRICS_TOKEN: token,
  })
  const pool = openPool(postgres.url('rampart'), 1)
  try {
    const receiver = await addReceiver(pool)
    for (let sent = 0; sent < 3; sent++)
      await fetch(group.url(`/api/webhooks/${receiver.id}`), {
        method: 'POST',
        headers: { authorization: receiver.authorization },
        body: JSON.stringify({ type: 'KYC', subType: 'SUCCESS', sent }),
      })
    return sumResults([
      await checked('promtool finds nothing wrong with the rules', () =>
        execute('/usr/bin/promtool', ['check', 'rules', rulesFile]),
      ),
      await checked('promtool finds nothing wrong with a scrape', () => checkScrape(group.url('/metrics'))),
      await checked('Prometheus reads every metric, and evaluates every rule', () =>
        scrape(group.port, postgres.folder),
      ),
    ])
  } finally {
    await pool.end()
    await group.stop()
    await postgres.stop()
  }
}

async function checked(name: string, check: () => Promise<unknown>): Promise<Result> {
  try {
    await check()
    console.log(`ok: ${name}`)
    return passedResult
  } catch (error) {
    console.log(`FAILED: ${name}: ${error}`)
    return failedResult(name, String(error))
  }
}

async function checkScrape(url: string): Promise<void> {
  const text = await (await fetch(url)).text()
  const promtool = spawn('/usr/bin/promtool', ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [promtool.stdout, promtool.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk
    })
  promtool.stdin.end(text)
  await once(promtool, 'close')
  // prom-client names its own metrics against these conventions.
  const wrong = said.split('\n').filter((line) => line.startsWith('rampart_') || /error/i.test(line))
  if (wrong.length > 0) throw new Error(wrong.join('; '))
}

const RulesSchema = z.object({
  data: z.object({
    groups: z.array(z.object({ rules: z.array(z.object({ name: z.string(), health: z.string() })) })),
  }),
})
const NamesSchema = z.object({ data: z.array(z.string()) })

async function scrape(rampart: number, parent: string): Promise<void> {
  const folder = path.join(parent, 'prometheus')
  fs.mkdirSync(folder)
  const port = await freePort()
  fs.writeFileSync(path.join(folder, 'token'), token)
  fs.writeFileSync(
    path.join(folder, 'prometheus.yml'),
    `global: { scrape_interval: ${interval}s, evaluation_interval: ${interval}s }
rule_files: ['${path.resolve(rulesFile)}']
scrape_configs:
  - job_name: rampart
    authorization: { credentials_file: ${folder}/token }
    static_configs: [{ targets: ['127.0.0.1:${rampart}'] }]
`,
  )
  const prometheus = spawn(
    '/usr/bin/prometheus',
    [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ['ignore', fs.openSync(path.join(folder, 'log'), 'w'), 'inherit'] },
  )
  const ended = once(prometheus, 'exit')
  const ask = async (at: string): Promise<unknown> =>
    (await fetch(`http://127.0.0.1:${port}/api/v1/${at}`)).json()
  try {
    await until(async () => {
      const { data: names } = NamesSchema.parse(await ask('label/__name__/values'))
      const without = metricsUsed().filter((name) => !names.includes(name))
      const { data } = RulesSchema.parse(await ask('rules'))
      const rules = data.groups.flatMap((one) => one.rules)
      const sick = rules.filter(({ health }) => health !== 'ok').map(({ name }) => name)
      if (rules.length === 0) return 'no rules'
      return without.length + sick.length === 0 ? null : `without ${without}; not evaluated ${sick}`
    })
  } finally {
    prometheus.kill('SIGTERM')
    await ended
  }
}

/** The wait lasts at most a minute. `read` says what is missing. */
async function until(read: () => Promise<string | null>): Promise<void> {
  let why: string | null = null
  for (let tries = 0; tries < 60; tries++) {
    why = await read().catch((error: unknown) => String(error))
    if (why === null) return
    await sleep(1_000)
  }
  throw new Error(why ?? '')
}
