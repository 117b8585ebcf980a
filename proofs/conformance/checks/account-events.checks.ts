import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type AllEvents, type Check, inOperations, overHttp } from '../kit/check-context.ts'
import { bodyOf, EndpointSchema } from '../kit/shapes.ts'
import { assertFields, requireEvents } from './events.checks.ts'
import { assertSameSet, linkedAccountStatuses } from './transactions.checks.ts'

const notShown = [
  'KYB',
  'KYC',
  'AML',
  'entityStatusUpdate',
  'walletCreated',
  'duplicateUser',
  'senderNameMismatch',
]

const textSchema = z.string()

const FiatAccountSchema = z.object({
  uuid: textSchema,
  currency: textSchema,
  bank_country: textSchema,
  iban: textSchema,
  bic: textSchema,
  account_number: textSchema,
  sort_code: textSchema,
  swift_code: textSchema,
  bank_code: textSchema,
  bank_name: textSchema,
  status: textSchema,
  error: textSchema,
})

/** §6.3 to §6.7 define these rules. */
export const accountEventChecks: Check[] = [
  ofGallery('6.3-status-update', (gallery) => areStatusUpdates(gallery, 'unblockBankAccount')),
  ofGallery('6.3-data', (gallery) => assertFields(dataOf(gallery, 'unblockBankAccount'), FiatAccountSchema)),

  ofGallery('6.4-status-update', (gallery) => areStatusUpdates(gallery, 'linkedBankAccountProfile')),
  ofGallery('6.4-data', (gallery) =>
    assertFields(
      dataOf(gallery, 'linkedBankAccountProfile'),
      FiatAccountSchema.pick({ uuid: true, status: true, error: true }),
    ),
  ),

  ofGallery('6.5-sent-on-change', (gallery) => {
    const accounts = Map.groupBy(dataOf(gallery, 'linkBankAccount'), ({ uuid }) => uuid)
    for (const [, reported] of accounts)
      for (const [index, { status }] of reported.entries())
        assert.notEqual(status, reported[index - 1]?.status, 'the status after the one before it')
  }),
  ofGallery('6.5-type', (gallery) => areStatusUpdates(gallery, 'linkBankAccount')),
  ofGallery('6.5-uuid', (gallery) => {
    const about = new Set(requireEvents(gallery, 'linkBankAccount').map(({ uuid }) => uuid))
    assert.ok(about.has(gallery.person.uuid), 'some are about the user')
    assert.equal(about.size, 2, 'the user and a company')
  }),
  ofGallery('6.5-data-uuid', (gallery) => {
    for (const { uuid, data } of requireEvents(gallery, 'linkBankAccount')) {
      assert.ok(z.guid().safeParse(data.uuid).success, 'data.uuid is one')
      assert.notEqual(data.uuid, uuid, 'data.uuid is not whom it concerns')
    }
  }),
  ofGallery('6.5-data-status', (gallery) =>
    assertSameSet(
      dataOf(gallery, 'linkBankAccount').map(({ status }) => status),
      linkedAccountStatuses,
    ),
  ),
  ofGallery('6.5-data-error', (gallery) => {
    for (const { status, error } of dataOf(gallery, 'linkBankAccount'))
      if (status === 'FAILED') assert.equal(typeof error, 'string', 'data.error of FAILED')
  }),

  inOperations('6.6-bounce', ['clock', 'receiver'], async (world) => {
    const { createPerson, createEndpoint, startReceiver, service, control } = world
    const receiver = await startReceiver()
    await createEndpoint({ url: receiver.url, subscribed_events: ['otpNotification'] })
    const email = `${randomUUID()}@conformance.invalid`
    const person = await createPerson(email)
    await service.sendCode(person.uuid)
    await control.advance(60)
    const { type, subType, data } = (await receiver.receive(person)).envelope
    assert.deepEqual([type, subType], ['otpNotification', 'EMAIL_DELIVERY_FAILED'], 'type and subType')
    assert.equal(data.emailAddress, email, 'data.emailAddress')
  }),
  ofGallery('6.6-data', (gallery) => {
    const shape = {
      failureType: textSchema,
      emailAddress: textSchema,
      diagnosticCode: textSchema,
      timestamp: z.iso.datetime(),
    }
    assertFields(dataOf(gallery, 'otpNotification'), z.object(shape))
  }),
  ofGallery('6.6-failure-types-not-shown', (gallery) => {
    for (const { failureType } of dataOf(gallery, 'otpNotification'))
      assert.match(String(failureType ?? ''), /\S/, 'data.failureType')
  }),

  inOperations('6.7-subscribable', [], async ({ createEndpoint, service }) => {
    const { uuid } = await createEndpoint({ subscribed_events: notShown })
    const { subscribed_events } = bodyOf(EndpointSchema, await service.readEndpoint(uuid), 'reading it')
    assert.deepEqual(subscribed_events?.toSorted(), notShown.toSorted(), 'its events')
  }),

  inOperations('6.7-bodies-not-shown', ['control', 'receiver'], async (world) => {
    const receiver = await world.startReceiver()
    await world.createEndpoint({ url: receiver.url, subscribed_events: notShown })
    for (const type of notShown) {
      const sent = await world.sendEvent({ type, subType: 'NEVER_SEEN', data: { never: { seen: [1] } } })
      assert.deepEqual((await receiver.receive(sent)).envelope, sent, 'what came')
    }
  }),

  inOperations('6.7-success-not-shown', ['clock', 'receiver'], async (world) => {
    const receiver = await world.startReceiver(() => 200)
    await world.createEndpoint({ url: receiver.url, subscribed_events: ['AML'] })
    const event = await world.sendEvent()
    await world.control.advance(86_400)
    assert.equal(receiver.about(event.uuid).length, 1, 'attempts, the first answered 200')
  }),
]

function ofGallery(id: string, check: (gallery: AllEvents) => void): Check {
  return overHttp(id, ['control', 'receiver'], async ({ allEvents }) => check(await allEvents()))
}

const dataOf = (gallery: AllEvents, type: string) => requireEvents(gallery, type).map(({ data }) => data)

function areStatusUpdates(gallery: AllEvents, type: string) {
  for (const { subType, data } of requireEvents(gallery, type)) {
    assert.equal(subType, 'statusUpdate', 'subType')
    assert.equal(typeof data.status, 'string', 'data.status')
  }
}
