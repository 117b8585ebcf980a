import { expect, it } from 'vitest'
import { createTestCaller, startTestSandbox, type TestCaller } from '../../../sandbox/test/running.ts'
import { openCheckContext } from './check-context.ts'

it('a check controls the namespace whose key it has, and nothing of the sandbox itself', async () => {
  const sandbox = await startTestSandbox()
  const apiKey = (await sandbox.control('POST', '/namespaces', {})).body.api_key
  const controlUrl = `${sandbox.origin}/_sandbox`
  const { world, close } = openCheckContext({ baseUrl: sandbox.publicUrl, apiKey, controlUrl })
  expect(await world.askForCode(await world.createPerson())).toMatch(/^\d{6}$/)
  const before = (await sandbox.control('GET', '/clock')).body.now
  await world.control.advance(86_400)
  const hoursSince = async ({ control }: TestCaller) =>
    Math.floor((Date.parse((await control('GET', '/clock')).body.now) - Date.parse(before)) / 3_600_000)
  expect(await hoursSince(sandbox)).toBe(0)
  expect(await hoursSince(createTestCaller(sandbox.port, apiKey))).toBe(24)
  await close()
  await sandbox.stop()
})
