import { transaction } from '../database/transaction.ts'
import { emitAll } from '../deliveries/emit.ts'
import { followKyc } from '../scenarios/play.ts'
import type { Envelope } from '../state/event-types.ts'
import type { Sandbox } from '../state/sandbox.ts'

/** Sends events as a play would, many at once. Answers the number of deliveries. */
export const sendAll = ({ pool, clock, ids }: Sandbox, envelopes: Envelope[]): Promise<number> =>
  transaction(pool, async (database) => {
    for (const envelope of envelopes) await followKyc(database, envelope)
    const events = envelopes.map((envelope) => ({ id: ids.uuid('load event'), envelope }))
    return emitAll(database, clock, events)
  })
