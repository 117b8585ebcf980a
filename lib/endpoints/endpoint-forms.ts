import 'server-only'
import { z } from 'zod'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { isAllowedScheme, receiverIdOf } from '#lib/platform/addresses/receiver-url.ts'
import { uuidField, WebAddressSchema } from '#lib/platform/forms/fields.ts'

export const EndpointUuidSchema = uuidField('This is not the id of an endpoint.')

/** When the secret that a page speaks of was shown, as `EndpointView.shownAt`. */
export const SeenSecretSchema = z.iso.datetime().optional()

/** §2.3: at most 255 characters. */
export const DescriptionSchema = z
  .string('Describe what this endpoint is for.')
  .trim()
  .min(1, 'Describe what this endpoint is for.')
  .max(255, 'At most 255 characters.')

/** One type or several; none reads as null, which is every type, and which only a new endpoint can be given (§2.3). */
export const SubscribedEventsSchema = z
  .preprocess(
    (given) => (typeof given === 'string' ? [given] : (given ?? [])),
    z.array(z.enum(eventTypes, 'The service has no such event type.')),
  )
  .transform((list) => (list.length === 0 ? null : [...new Set(list)]))

/** A url elsewhere: HTTPS (§8), except on this machine with the sandbox. */
export const UrlElsewhereSchema = WebAddressSchema.refine(
  (text) => isAllowedScheme(new URL(text)),
  'The address must start with https://.',
).refine(
  (text) => receiverIdOf(text) === null,
  'This is an address of this dashboard: choose “this dashboard” instead.',
)
