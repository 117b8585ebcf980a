import { z } from '@hono/zod-openapi'

/** The values are those of subscribed_events and of an envelope's type (§2.3). Any other spelling is refused. */
export const eventTypes = [
  'fiatToCrypto',
  'cryptoToFiat',
  'KYC',
  'KYB',
  'AML',
  'unblockBankAccount',
  'entityStatusUpdate',
  'walletCreated',
  'linkedBankAccountProfile',
  'linkBankAccount',
  'duplicateUser',
  'senderNameMismatch',
  'otpNotification',
] as const

export const EventTypeSchema = z.enum(eventTypes).openapi('EventType', { description: '§2.3. Exact values.' })

/** A delivery carries this envelope (§2.4). */
export const EnvelopeSchema = z
  .object({
    type: EventTypeSchema,
    subType: z.string().min(1).max(255).openapi({ example: 'PENDING' }),
    // An event is shown as it is sent, capitals too.
    uuid: z.guid('Invalid UUID'),
    data: z.record(z.string(), z.unknown()).openapi({ example: { status: 'PENDING' } }),
  })
  .openapi('Envelope', { description: '§2.4. An event with whatever type, subType and data.' })

export type Envelope = z.output<typeof EnvelopeSchema>
