import { beforeAll, describe, expect, it } from 'vitest'
import { createEmptyDatabase } from '../../test/postgres.ts'
import { contract } from './contract.ts'
import { startOwnSandbox } from './own-sandbox.ts'
import { cases, runSuite, type Verdict } from './run.ts'

let verdicts: Verdict[]
beforeAll(async () => {
  const database = await createEmptyDatabase()
  const sandbox = await startOwnSandbox(database.url)
  verdicts = await runSuite(sandbox)
  await sandbox.stop()
  await database.drop()
}, 300_000)

const sections = [...new Set(contract.map(({ section }) => section))]

describe.each(sections)('§%s', (section) => {
  for (const { id, says } of contract.filter((rule) => rule.section === section)) {
    it.each(cases.filter(({ check }) => check.id === id))(`${id}: ${says} ($driver)`, ({ driver }) => {
      const verdict = verdicts.find((one) => one.id === id && one.driver === driver)
      expect(verdict).toEqual({ id, driver, kind: 'green' })
    })
  }
})
