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
  [['ACTIVE', 'FROZEN'], 'FROZEN', 86_400],
])(
  'an account with the states %j has the status %s on its page, as in the list',
  (statuses, state, apart = 60) => {
    const { events, status } = foldSamples(
      statuses.map((one, at) => ({
        at: at * apart,
        body: { type: 'unblockBankAccount', subType: 'statusUpdate', data: { uuid: 'a-1', status: one } },
      })),
      subject,
    )
    const rows = events.map(({ id, rank, firstReceivedAt, envelope: { type, subType, data } }) => ({
      id,
      rank,
      firstReceivedAt: new Date(firstReceivedAt).toISOString(),
      type,
      subType,
      status: data?.get('status'),
    }))
    expect(decidingEventView(rows)).toMatchObject({ id: status.eventId, status: state })
  },
)
