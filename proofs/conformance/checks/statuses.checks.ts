import assert from 'node:assert/strict'
import { type Check, type CheckContext, overHttp } from '../kit/check-context.ts'

const accountStatuses = ['ACTIVE', 'WAITING_CREATION', 'FAILED_CREATION', 'DISABLED']
export const linkedAccountStatuses = ['ACTIVE', 'CHECK_COMPLETED', 'PENDING', 'FAILED', 'DISABLED']
export const fiatToCryptoStatuses = [
  'PENDING',
  'IN_PROGRESS',
  'CRYPTO_TRANSFER_ISSUED',
  'SUCCESS',
  'ON_HOLD',
  'FAILED',
  'REFUNDED',
]
export const cryptoToFiatStatuses = [
  'PENDING',
  'IN_PROGRESS',
  'FIAT_TRANSFER_ISSUED',
  'SUCCESS',
  'ON_HOLD',
  'FAILED',
  'LIMIT_BREACHED',
  'REFUNDED',
]

/** All these statuses are sent, and no others (§3.2, §3.3). */
export const statusChecks: Check[] = [
  overHttp('3.2-fiat-to-crypto', ['control', 'receiver'], async ({ allEvents }) => {
    const sent = (await allEvents()).of('fiatToCrypto').map(({ subType }) => subType)
    assertSameSet(sent, fiatToCryptoStatuses)
  }),

  overHttp('3.2-crypto-to-fiat', ['control', 'receiver'], async ({ allEvents }) => {
    const sent = (await allEvents()).of('cryptoToFiat').map(({ subType }) => subType)
    assertSameSet(sent, cryptoToFiatStatuses)
  }),

  overHttp('3.2-moves-not-shown', ['control', 'receiver'], (world) =>
    takesAnyOrder(world, 'cryptoToFiat', ['SUCCESS', 'PENDING', 'SUCCESS']),
  ),

  overHttp('3.3-account-and-profile', ['control', 'receiver'], async ({ allEvents }) => {
    for (const type of ['unblockBankAccount', 'linkedBankAccountProfile'])
      assertSameSet(
        (await allEvents()).of(type).map(({ data }) => data.status),
        accountStatuses,
      )
  }),

  overHttp('3.3-linked-account', ['control', 'receiver'], async ({ allEvents }) => {
    const sent = (await allEvents()).of('linkBankAccount').map(({ data }) => data.status)
    assertSameSet(sent, linkedAccountStatuses)
  }),

  overHttp('3.3-moves-not-shown', ['control', 'receiver'], (world) =>
    takesAnyOrder(world, 'unblockBankAccount', ['DISABLED', 'WAITING_CREATION', 'DISABLED']),
  ),
]

export const assertSameSet = (sent: unknown[], named: string[]) =>
  assert.deepEqual([...new Set(sent)].sort(), named.toSorted(), 'the values sent')

/** The contract promises no order, so the service must neither refuse nor reorder any. */
async function takesAnyOrder(
  { startReceiver, createEndpoint, sendEvent }: CheckContext,
  type: string,
  steps: string[],
) {
  const receiver = await startReceiver()
  await createEndpoint({ url: receiver.url, subscribed_events: [type] })
  const { uuid } = await sendEvent({ type, subType: steps[0] ?? '' })
  for (const subType of steps.slice(1)) await sendEvent({ uuid, type, subType })
  const arrived = await receiver.collect((envelope) => envelope.uuid === uuid, steps.length)
  assert.deepEqual(arrived.map(({ subType }) => subType).sort(), steps.toSorted(), 'what arrived')
}
