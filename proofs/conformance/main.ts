import path from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { startTemporaryPostgres } from '../../bin/temporary-postgres.ts'
import { findAssumptions, startOwnSandbox } from './deviations.ts'
import type { ServiceUnderTest } from './kit/check-context.ts'
import { causeOf, writeReport } from './report.ts'
import { type CheckResult, runSuite } from './run.ts'

const usage = `npm run conformance
  Starts a sandbox of its own and checks it against every rule of the interface document.

npm run conformance -- --base-url URL --api-key KEY [--control-url URL]
  Checks any host, as far as that can be done, and lists what was left out and why.
  --base-url     the service's base address, with the onboarding path
  --api-key      the merchant's API key
  --control-url  the sandbox's control interface, such as http://localhost:4010/_sandbox:
                 its clock is moved by days, and test events go to all of its endpoints
  Creates users, which stay, with e-mail addresses under conformance.test, and asks for codes for them;
  creates endpoints and removes them again. Touches no others.

npm run conformance -- --assumed
  Lists every choice that the code marks ASSUMED:, where the document is silent.

Ends with 0 when nothing was red, else with 1.`

/** `npm run conformance` starts this program. */
const options = readArguments()
if (options.help) console.log(usage)
else if (options.assumed) printAssumptions()
else if (Object.keys(options).length > 0) await checkHost(readHost())
else await checkOwnSandbox()
// Calls that a service never answered would keep the process alive.
process.exit()

function readArguments() {
  try {
    const text = { type: 'string' } as const
    const flag = { type: 'boolean' } as const
    const options = { 'base-url': text, 'api-key': text, 'control-url': text, assumed: flag, help: flag }
    return parseArgs({ options }).values
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

function readHost(): ServiceUnderTest {
  const baseUrl = options['base-url']?.replace(/\/+$/, '') ?? ''
  const controlUrl = options['control-url']?.replace(/\/+$/, '')
  const apiKey = options['api-key']
  if (!baseUrl || !apiKey) return refuse('Give both --base-url and --api-key, or none')
  if (!/^[!-~]+$/.test(apiKey)) refuse('--api-key must be visible ASCII characters')
  for (const url of [baseUrl, controlUrl ?? baseUrl])
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) refuse(`${url} is no http(s) address`)
  return { baseUrl, apiKey, ...(controlUrl && { controlUrl }) }
}

function refuse(why: string): never {
  stop(`${why}\n\n${usage}`)
}

async function checkHost(host: ServiceUnderTest) {
  const { status } = await reach(`${host.baseUrl}/supported/countries`, { authorization: host.apiKey })
  if (status === 401) stop(`${host.baseUrl} refuses this API key`)
  if (host.controlUrl) {
    const clock = await reach(`${host.controlUrl}/clock`, { authorization: host.apiKey })
    if (clock.status === 421)
      stop(`${host.controlUrl} is another name than the sandbox knows: put it into SANDBOX_CONTROL_HOSTS`)
    if (!clock.ok) stop(`${host.controlUrl} is no control interface`)
    if (z.object({ frozen: z.literal(true) }).safeParse(await clock.json()).success)
      stop(`Its clock is frozen, so nothing would come: POST ${host.controlUrl}/clock/resume first`)
  }
  await check(host)
}

async function reach(url: string, headers: Record<string, string>): Promise<Response> {
  try {
    return await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(10_000) })
  } catch (error) {
    const { cause = error } = error instanceof Error ? error : {}
    return stop(`${url} cannot be reached: ${cause instanceof Error ? cause.message : cause}`)
  }
}

function stop(why: string): never {
  console.error(why)
  process.exit(1)
}

async function check(host: ServiceUnderTest) {
  console.log(`Checking ${host.baseUrl}\n`)
  const verdicts = await runSuite(host, undefined, createProgress())
  console.log(`\n${writeReport(verdicts)}`)
  if (verdicts.some(({ kind }) => kind === 'red')) process.exitCode = 1
}

/** A line appears every few seconds, and once for each new cause of a red check. */
function createProgress() {
  const betweenLinesMs = 3_000
  const causes = new Set<string>()
  const count = { green: 0, red: 0, 'left out': 0 }
  let lastLine = Date.now()
  return (verdict: CheckResult, done: number, of: number) => {
    count[verdict.kind]++
    if (verdict.kind === 'red' && !causes.has(causeOf(verdict.why))) {
      causes.add(causeOf(verdict.why))
      console.log(`  RED ${verdict.id} (${verdict.driver}): ${verdict.why}`)
    }
    if (Date.now() < lastLine + betweenLinesMs && done < of) return
    lastLine = Date.now()
    console.log(
      `  ${done} of ${of} done: ${count.green} green, ${count.red} red, ${count['left out']} left out`,
    )
  }
}

async function checkOwnSandbox() {
  const postgres = await startTemporaryPostgres('conformance', ['fsync=off'])
  const stops = [postgres.stop]
  const end = async () => {
    for (const stopOne of stops) await stopOne()
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end().then(() => process.exit(1)))
  try {
    const sandbox = await startOwnSandbox(await postgres.create('sandbox'))
    stops.unshift(sandbox.stop)
    await check(sandbox)
  } finally {
    await end()
  }
}

function printAssumptions() {
  const found = findAssumptions(path.resolve(import.meta.dirname, '../..'))
  for (const { file, line, says } of found) console.log(`${file}:${line}\n  ${says}`)
  console.log(`\n${found.length} assumptions`)
}
