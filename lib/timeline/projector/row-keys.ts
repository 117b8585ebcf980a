import 'server-only'
import { eventTable } from '../tables/event.ts'
import { eventDeliveryTable } from '../tables/event-delivery.ts'
import { rowText } from '../tables/row-text.ts'
import { type GivenOf, only, type RowOf, toNewRow, toWrittenRow } from '../tables/table.ts'

// What can change in a row that a fold wrote: the rest follows from its key and its fingerprint. A fold compares every
// row of its subject, so it compares no more than this; a rebuild, which trusts no row, compares whole rows.

const changing = {
  event: only(
    eventTable,
    'fingerprint',
    'position',
    'rank',
    'deliveries',
    'lastReceivedAt',
    'placedBefore',
    'cameAgainId',
    'cameAgainAt',
    'flags',
  ),
  delivery: only(eventDeliveryTable, 'eventId', 'answer', 'reason', 'others', 'evidence'),
}

export const eventKey = (given: GivenOf<typeof changing.event>) => rowText(toNewRow(changing.event, given))
export const eventRowKey = (row: RowOf<typeof changing.event>) => rowText(toWrittenRow(changing.event, row))

export const deliveryKey = (given: GivenOf<typeof changing.delivery>) =>
  rowText(toNewRow(changing.delivery, given))
export const deliveryRowKey = (row: RowOf<typeof changing.delivery>) =>
  rowText(toWrittenRow(changing.delivery, row))
