import { expect, it } from 'vitest'
import type { Subject } from '#lib/deliveries/rules/subject.ts'
import { foldSamples } from '../../test/sample-deliveries.ts'
import { decidingEventView } from './event-timeline.tsx'

const subject: Subject = { kind: 'bank-account', id: 'a-1' }

it.each([
  [['WAITING_CREATION', 'FAILED_CREATION', 'WAITING_CREATION'], 'WAITING_CREATION'],
  [['WAITING_CREATION', 'FAILED_CREATION'], 'FAILED_CREATION'],
  [['ACTIVE', 'WAITING_CREATION'], 'ACTIVE'],
  [['ACTIVE', 'FROZEN'], 'ACTIVE'],
])('an account with the states %j has the status %s on its page, as in the list', (statuses, state) => {
  const { events, status } = foldSamples(
    statuses.map((one, at) => ({
      at: at * 60,
      body: { type: 'unblockBankAccount', subType: 'statusUpdate', data: { uuid: 'a-1', status: one } },
    })),
    subject,
  )
  const rows = events.map(({ id, rank, envelope: { type, subType, data } }) => ({
    id,
    rank,
    type,
    subType,
    status: data?.get('status'),
  }))
  expect(decidingEventView(rows)).toMatchObject({ id: status.eventId, status: state })
})
