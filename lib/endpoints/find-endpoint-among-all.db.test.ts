import { afterAll, beforeAll, expect, it } from 'vitest'
import { NotAllowed, Refused } from '#lib/platform/refusals.ts'
import { callerWith } from '../../test/callers.ts'
import { admin, createElsewhere, createHere } from '../../test/endpoints.ts'
import { startService, type TestService } from '../../test/service.ts'
import { findEndpoint, findEndpointAmongAll, listEndpoints } from './endpoints.ts'

let service: TestService
let uuid: string
beforeAll(async () => {
  service = await startService()
  uuid = (await createHere()).endpointUuid
  await createElsewhere()
})
afterAll(() => service.stop())

it('one endpoint and the list of all are the same as when each is read separately', async () => {
  const { endpoint, all } = await findEndpointAmongAll(admin, uuid)
  expect(endpoint).toEqual(await findEndpoint(admin, uuid))
  expect(all).toEqual(await listEndpoints(admin))
})

it('the endpoint comes without the list while the service does not list endpoints', async () => {
  service.answerWith(403, (route) => route === 'GET /merchant/webhook-endpoints')
  expect(await findEndpointAmongAll(admin, uuid)).toMatchObject({ endpoint: { uuid, ours: true }, all: null })
})

it('an endpoint that the service does not know is null, and an unreadable one is refused with a message', async () => {
  expect((await findEndpointAmongAll(admin, crypto.randomUUID())).endpoint).toBeNull()
  service.answerWith(403, (route) => route === `GET /merchant/webhook-endpoints/${uuid}`)
  await expect(findEndpointAmongAll(admin, uuid)).rejects.toThrow(Refused)
})

it('an end user cannot see the endpoint', async () => {
  await expect(findEndpointAmongAll(callerWith('end-user'), uuid)).rejects.toThrow(NotAllowed)
})
