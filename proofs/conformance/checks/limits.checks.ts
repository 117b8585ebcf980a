import assert from 'node:assert/strict'
import { z } from 'zod'
import { type Check, inOperations, overHttp } from '../kit/check-context.ts'
import { assertStatus, assertSuccess, bodyOf, EndpointSchema } from '../kit/shapes.ts'
import { requireEvents } from './events.checks.ts'
import { livesTwoToFourHours } from './sign-in.checks.ts'
import { at255Characters, onlyHttps } from './webhook-endpoints.checks.ts'

/** The checks cover §8, except its two rows on retries (see §6.8), and §9. */
export const limitChecks: Check[] = [
  inOperations('8-description', [], at255Characters),
  inOperations('8-https', [], onlyHttps),
  inOperations('8-message-lifetime', [], livesTwoToFourHours),

  inOperations('8-rate-limits-not-shown', [], async ({ service }) => {
    assertSuccess(await service.listCountries(), 'an ordinary call')
    for (let asked = 1; asked < 30; asked++) {
      const { status } = await service.listCountries()
      assert.ok(status === 200 || status === 429, `an ordinary call, many times: ${status}`)
    }
  }),

  inOperations('8-lifetimes-not-shown', ['mailbox', 'receiver'], async (world) => {
    const person = await world.createPerson()
    const { uuid } = person
    assertStatus(
      await world.service.signInWithCode(uuid, await world.askForCode(person)),
      200,
      'a code at once',
    )
    const { service_session_id: session } = await world.signIn(person)
    assertSuccess(await world.service.readUser({ session }), 'a session at once')
    for (const { data } of requireEvents(await world.allEvents(), 'cryptoToFiat', 'LIMIT_BREACHED'))
      assert.ok(z.number().safeParse(data.limit).success, 'the event names the minimum that held')
  }),

  overHttp('9-versioning-not-shown', [], async ({ call }) => {
    const read = (headers: Record<string, string>) => call('GET', '/supported/countries', undefined, headers)
    assertSuccess(await read({}), 'a call that names no version')
    assertSuccess(await read({ 'api-version': '2999-01-01' }), 'one that names a version nobody asked for')
  }),

  inOperations('9-legacy-name', [], async ({ createEndpoint, service }) => {
    const { uuid } = await createEndpoint({ subscribed_events: ['unblockBankAccount'] })
    const { subscribed_events } = bodyOf(EndpointSchema, await service.readEndpoint(uuid), 'reading it')
    assert.deepEqual(subscribed_events, ['unblockBankAccount'], 'the name it keeps')
  }),
]
