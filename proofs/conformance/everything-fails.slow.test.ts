import { once } from 'node:events'
import http from 'node:http'
import { afterEach, expect, it } from 'vitest'
import { causeOf } from './report.ts'
import { type CheckResult, runSuite } from './run.ts'

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function check(answer: http.RequestListener) {
  const server = http.createServer(answer).listen(0, '127.0.0.1')
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const reported: number[] = []
  const verdicts = await runSuite(
    { baseUrl: `${origin}/onboarding`, apiKey: 'key', controlUrl: `${origin}/_sandbox` },
    undefined,
    (_verdict, done, of) => reported.push(done / of),
  )
  expect(reported).toHaveLength(verdicts.length)
  expect(reported.at(-1)).toBe(1)
  return verdicts
}

const causes = (verdicts: CheckResult[]) =>
  new Set(verdicts.flatMap((verdict) => (verdict.kind === 'red' ? [causeOf(verdict.why)] : [])))

it('an answer 503 to every call is one cause, whatever the checks wanted', async () => {
  const verdicts = await check((_request, response) => response.writeHead(503).end())
  const red = verdicts.filter(({ kind }) => kind === 'red')
  expect(red.length).toBeGreaterThan(100)
  expect(causes(red).size).toBeLessThan(6)
})

it('a service that hangs is given up, and the rest is left out for the first cause', async () => {
  const verdicts = await check(() => undefined)
  expect(verdicts.filter(({ kind }) => kind === 'green')).toEqual([])
  expect([...causes(verdicts)]).toEqual(['no answer in time'])
  const leftOut = verdicts.flatMap((verdict) => (verdict.kind === 'left out' ? [verdict.why] : []))
  expect(
    leftOut.filter((why) => why.startsWith('nothing was green for 30 s, since: ')).length,
  ).toBeGreaterThan(50)
})
