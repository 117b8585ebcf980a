import 'server-only'
import { z } from 'zod'

const base64url = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[A-Za-z0-9_-]*$/)

const shared = {
  id: base64url(2_000),
  rawId: base64url(2_000),
  type: z.literal('public-key'),
  // Nothing here decides by what extensions say.
  clientExtensionResults: z.unknown().transform(() => ({})),
}

/** The text of a form's field as JSON; undefined, which no schema takes, where it is none. */
const jsonSchema = z
  .string()
  .max(20_000)
  .transform((text): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      return undefined
    }
  })

/** What the browser answers after a passkey was made. */
export const RegistrationAnswerSchema = jsonSchema.pipe(
  z.object({
    ...shared,
    response: z
      .object({
        clientDataJSON: base64url(4_000),
        attestationObject: base64url(15_000),
        transports: z.array(z.string().max(30)).max(10).default([]),
      })
      .strip(),
  }),
)

/** What the browser answers after a passkey has signed. */
export const SignatureAnswerSchema = jsonSchema.pipe(
  z.object({
    ...shared,
    response: z
      .object({
        clientDataJSON: base64url(4_000),
        authenticatorData: base64url(4_000),
        signature: base64url(4_000),
      })
      .strip(),
  }),
)

export type RegistrationAnswer = z.output<typeof RegistrationAnswerSchema>
export type SignatureAnswer = z.output<typeof SignatureAnswerSchema>

const ClientDataSchema = z.object({ challenge: z.string(), origin: z.string() })

/** Which challenge an answer says it is for, and where it was made; null for nonsense. */
export function readClientData(clientDataJson: string): z.output<typeof ClientDataSchema> | null {
  const text = Buffer.from(clientDataJson, 'base64url').toString()
  const read = jsonSchema.pipe(ClientDataSchema).safeParse(text)
  return read.success ? read.data : null
}
