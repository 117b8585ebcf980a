import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createAnswerCheck } from '../../sandbox/test/check-answer.ts'
import { createEmptyDatabase } from '../../test/postgres.ts'
import { startOwnSandbox } from './deviations.ts'
import { contract } from './kit/contract.ts'
import { type CheckResult, checkRuns, runSuite } from './run.ts'

let verdicts: CheckResult[]
const undocumented: string[] = []
beforeAll(async () => {
  const database = await createEmptyDatabase()
  const sandbox = await startOwnSandbox(database.url)
  await watchAnswers(sandbox.baseUrl)
  verdicts = await runSuite(sandbox)
  vi.unstubAllGlobals()
  await sandbox.stop()
  await database.drop()
}, 300_000)

const sections = [...new Set(contract.map(({ section }) => section))]

describe.each(sections)('§%s', (section) => {
  for (const { id, says } of contract.filter((rule) => rule.section === section)) {
    it.each(checkRuns.filter(({ check }) => check.id === id))(`${id}: ${says} ($driver)`, ({ driver }) => {
      const verdict = verdicts.find((one) => one.id === id && one.driver === driver)
      expect(verdict).toEqual({ id, driver, kind: 'green' })
    })
  }
})

it('meets no answer that the sandbox’s own document does not have', () => expect(undocumented).toEqual([]))

/** The test compares each answer that a driver gets with the OpenAPI document. */
async function watchAnswers(baseUrl: string) {
  const send = globalThis.fetch
  const { origin } = new URL(baseUrl)
  const check = createAnswerCheck(await (await send(`${origin}/openapi.json`)).json())
  vi.stubGlobal('fetch', async (url: string, init: RequestInit = {}) => {
    const response = await send(url, init)
    const text = await response.clone().text()
    try {
      check(init.method ?? 'GET', url, { status: response.status, headers: response.headers, text })
    } catch (error) {
      undocumented.push(String(error))
    }
    return response
  })
}
