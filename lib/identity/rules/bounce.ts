import { parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import { textField } from '#lib/deliveries/rules/text-field.ts'

/**
 * A mail bounced at the time that the event gives (§6.6), because a delivery of an old bounce may come late. Without a
 * readable time, or with one after its receipt, it bounced when it was received.
 */
export function bouncedAt(body: Uint8Array | null, receivedAt: Date): Date {
  const reading = body && parseEnvelope(body)
  const said = textField(reading?.kind === 'envelope' ? reading.envelope.data : null, 'timestamp') ?? ''
  // Without its zone, a time may be hours off.
  const at = /T.*(?:Z|[+-]\d\d:?\d\d)$/i.test(said) ? new Date(said) : receivedAt
  return at < receivedAt ? at : receivedAt
}

/**
 * The clocks of the service and of ours may differ by so many milliseconds. A code is asked for at most every 30 s, so the
 * bounce of the code before it is seldom taken for its own.
 */
export const bounceToleranceMs = 20_000
