import { afterAll, beforeAll, expect, it } from 'vitest'
import { NotAllowed } from '#lib/platform/refusals.ts'
import { callerWith } from '../../test/callers.ts'
import { makeAuthority } from '../../test/certificates.ts'
import { json, startLoopbackService } from '../../test/loopback-service.ts'
import { startServiceAndIngest } from '../../test/service-and-ingest.ts'
import { callPublicAddress, checkPublicAddress, judgePublicAddress } from './public-address-check.ts'

let running: Awaited<ReturnType<typeof startServiceAndIngest>>
beforeAll(async () => {
  running = await startServiceAndIngest()
})
afterAll(async () => {
  await running.ingest.stop()
  await running.service.stop()
})

it('finds itself at its public address, and answers admins only', async () => {
  await expect(checkPublicAddress(callerWith('admin'))).resolves.toEqual({
    url: `http://localhost:${running.ingest.port}`,
    finding: 'answers',
  })
  await expect(checkPublicAddress(callerWith('support'))).rejects.toThrow(NotAllowed)
})

it.each([
  ['http://rampart.example', 'not-https'],
  ['http://10.0.0.1', 'not-https'],
  ['https://localhost', 'internal'],
  ['https://192.168.1.20:8443', 'internal'],
  ['https://rampart.invalid', 'unknown-host'],
] as const)('says of %s: %s', async (url, finding) => {
  await expect(judgePublicAddress(new URL(url))).resolves.toBe(finding)
})

it('distinguishes another server at its address from itself', async () => {
  const other = await startLoopbackService()
  const found = () => judgePublicAddress(new URL(other.baseUrl))
  for (const status of [200, 404, 405]) {
    other.answers(json(status, {}))
    await expect(found()).resolves.toBe('something-else')
  }
  other.answers(json(301, {}, { location: `http://localhost:${running.ingest.port}/api/webhooks/x` }))
  await expect(found()).resolves.toBe('something-else')
  other.answers(json(502, {}))
  await expect(found()).resolves.toBe('no-answer')
  await other.stop()
  await expect(found()).resolves.toBe('no-answer')
})

it('distinguishes an invalid certificate from no answer', async () => {
  const other = await startLoopbackService(makeAuthority().certify('localhost'))
  const url = new URL(other.baseUrl)
  await expect(callPublicAddress(url)).resolves.toBe('certificate')
  await other.stop()
  await expect(callPublicAddress(url)).resolves.toBe('no-answer')
})
