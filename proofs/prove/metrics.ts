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

/** Debian's promtool tests the rules and checks a scrape; Debian's Prometheus reads Rampart and evaluates each rule. */
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
      await checked('a healthy installation hides nothing of another one', () =>
        testRules(path.join(postgres.folder, 'rules-test.json')),
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
    return failedResult(name, error)
  }
}

/** Alerts fire for the first installation alone, by these values; the second has the others, and another version. */
const ills: Readonly<Record<string, readonly [metric: string, labels: string, ill: string, well: string]>> = {
  RampartDown: ['up', '', '0x120', '1x120'],
  RampartDatabaseDown: ['rampart_database_up', '', '0x120', '1x120'],
  RampartNoProjector: ['rampart_projector_active', '', '0x120', '1x120'],
  RampartSilent: ['rampart_last_delivery_age_seconds', '', '90000x120', '5x120'],
  RampartEndpointsUnwatched: ['rampart_last_endpoint_check_age_seconds', '', '900x120', '5x120'],
  RampartDeadLetters: ['rampart_dead_letters', '', '3x120', '0x120'],
  RampartGapLasts: ['rampart_open_gaps', ',state="lasting",severity="error"', '1x120', '0x120'],
  RampartPageErrors: ['rampart_page_answers_total', ',status="5xx"', '0+60x120', '0x120'],
  RampartProcessRestarts: ['process_start_time_seconds', '', '0+60x120', '1x120'],
}

/** No alert fires for these, besides the one of the server that lacks the database. */
const besides = {
  'rampart_build_info{job="rampart",version="1"}': '1x120',
  'rampart_build_info{job="rampart-sandbox",version="2"}': '1x120',
  'rampart_page_answers_total{job="rampart",status="2xx"}': '0+60x120',
  'rampart_page_answers_total{job="rampart-sandbox",status="2xx"}': '0+60x120',
  'rampart_open_gaps{job="rampart-sandbox",state="lasting",severity="info"}': '1x120',
  'rampart_open_gaps{job="rampart-sandbox",kind="key-refused",state="lasting",severity="error"}': '1x120',
  'rampart_open_gaps{job="rampart-sandbox",kind="not-seen",state="over",severity="warning"}': '1x120',
  'rampart_database_up{job="rampart-sandbox",instance="two"}': '0x120',
  'nodejs_eventloop_lag_p99_seconds{job="another-program"}': '5x120',
}

async function testRules(file: string): Promise<void> {
  const values = Object.values(ills).flatMap(([metric, labels, ill, well]) => [
    [`${metric}{job="rampart",instance="one"${labels}}`, ill],
    [`${metric}{job="rampart-sandbox",instance="one"${labels}}`, well],
  ])
  const fires = [
    ...Object.keys(ills).map((alert) => [alert, 'rampart']),
    ['RampartDatabaseDown', 'rampart-sandbox'],
  ]
  const expected = {
    expr: 'count by (alertname, job) (ALERTS{alertstate="firing"})',
    eval_time: '100m',
    exp_samples: fires.map(([alert, job]) => ({ labels: `{alertname="${alert}",job="${job}"}`, value: 1 })),
  }
  const test = {
    interval: '1m',
    input_series: [...values, ...Object.entries(besides)].map(([series, all]) => ({ series, values: all })),
    promql_expr_test: [expected],
  }
  fs.writeFileSync(file, JSON.stringify({ rule_files: [path.resolve(rulesFile)], tests: [test] }))
  await execute('/usr/bin/promtool', ['test', 'rules', file])
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
