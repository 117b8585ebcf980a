import { type AllEvents, openCheckContext, type ServiceUnderTest } from './kit/check-context.ts'
import type { Patience } from './kit/receiver.ts'
import type { Envelope } from './kit/shapes.ts'

/** Plays each scenario once, all at the same time, and waits for every event of them. */
export async function playAllScenarios(host: ServiceUnderTest, patience: Patience): Promise<AllEvents> {
  const { world, close } = openCheckContext(host, undefined, undefined, patience)
  try {
    const { control } = world
    const person = await world.createPerson()
    const receiver = await world.startReceiver()
    await world.createEndpoint({ url: receiver.url })
    const plays = await Promise.all(
      (await control.scenarios()).map(({ name }) => control.play(name, person.uuid)),
    )
    const count = plays.reduce((sum, { events }) => sum + events, 0)
    // Those about the person's company carry its uuid; those of other checks are about strangers, or marked.
    const isPlayed = ({ type, uuid, data }: Envelope) =>
      uuid === person.uuid || (type !== 'otpNotification' && !('conformance' in data))
    const envelopes = await receiver.collect(isPlayed, count)
    return {
      person,
      transactions: plays.flatMap((play) => play.transaction_uuid ?? []),
      envelopes,
      of: (type, subType) =>
        envelopes.filter((one) => one.type === type && (subType === undefined || one.subType === subType)),
    }
  } finally {
    await close()
  }
}
