import 'server-only'
import { z } from 'zod'
import type { OnBehalfOf, ServiceClient } from './client.ts'
import { headerValueSchema, listOf, optionalTextSchema, uuidSchema } from './errors.ts'

interface NewUser {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  /** ISO 3166-1 alpha-2. */
  readonly country: string
  /** A wallet sign-in must be signed by this address (§2.1). */
  readonly targetAddress?: string | undefined
}

export interface ServiceUser {
  readonly userUuid: string
  readonly email: string | null
  readonly targetAddress: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly country: string | null
  /** The service's own value, such as `FULL_USER`, is one of an open set. */
  readonly status: string | null
  /** The service writes the date in ISO 8601. */
  readonly dateOfBirth: string | null
  /** These are the lines of the postal address, without the country. */
  readonly address: readonly string[]
  /** The service links these companies to the user. */
  readonly linkedCorporates: readonly string[]
}

/** The created user can sign in (§4.3). `conflict`: the e-mail address is taken. */
export function createUser(
  service: ServiceClient,
  user: NewUser,
): Promise<{ userUuid: string; status: string | null }> {
  // ASSUMED: the names of the fields; the contract shows no body for POST /user.
  const body = {
    email: user.email,
    first_name: user.firstName,
    last_name: user.lastName,
    country: user.country,
    target_address: user.targetAddress,
  }
  return service.request({ method: 'POST', path: '/user', body }, CreatedUserSchema)
}

/**
 * This reads a user (§4.3). `unauthorized`: the session has ended or the API key is refused;
 * `explainUnauthorized` finds out which. A response about another user than `userUuid` is `nonsense`.
 */
export function getUser(service: ServiceClient, onBehalfOf: OnBehalfOf): Promise<ServiceUser> {
  const asked = 'userUuid' in onBehalfOf ? onBehalfOf.userUuid.toLowerCase() : null
  const answer = UserSchema.refine(({ userUuid }) => asked === null || userUuid.toLowerCase() === asked, {
    path: ['user_uuid'],
  })
  return service.request({ method: 'GET', path: '/user', onBehalfOf }, answer)
}

// ASSUMED: the identifier is `user_uuid`, as everywhere in the contract, or `uuid`, as in recorded responses.
const IdentifiedSchema = z.union([
  z.object({ user_uuid: uuidSchema }).transform((wire) => wire.user_uuid),
  z.object({ uuid: uuidSchema }).transform((wire) => wire.uuid),
])

const CreatedUserSchema = z
  .object({ status: optionalTextSchema })
  .and(IdentifiedSchema.transform((userUuid) => ({ userUuid })))
  .transform(({ userUuid, status }) => ({ userUuid, status }))

// ASSUMED: the names of the fields beyond `email` and `target_address`; each may be absent.
const UserFieldsSchema = z.object({
  email: optionalTextSchema,
  target_address: optionalTextSchema,
  first_name: optionalTextSchema,
  last_name: optionalTextSchema,
  country: optionalTextSchema,
  date_of_birth: optionalTextSchema,
  address: z
    .object({
      address_line_1: optionalTextSchema,
      address_line_2: optionalTextSchema,
      post_code: optionalTextSchema,
      city: optionalTextSchema,
      country: optionalTextSchema,
    })
    .nullish()
    .catch(null),
  linked_corporates_uuid: z
    .array(z.unknown())
    .catch([])
    .transform((given) => given.flatMap((one) => uuidSchema.toLowerCase().safeParse(one).data ?? [])),
  status: optionalTextSchema,
})

const UserSchema = UserFieldsSchema.and(IdentifiedSchema.transform((userUuid) => ({ userUuid }))).transform(
  (wire) => ({
    userUuid: wire.userUuid,
    email: wire.email,
    targetAddress: wire.target_address,
    firstName: wire.first_name,
    lastName: wire.last_name,
    country: wire.country ?? wire.address?.country ?? null,
    status: wire.status,
    dateOfBirth: wire.date_of_birth,
    address: linesOf(wire.address ?? null),
    linkedCorporates: wire.linked_corporates_uuid,
  }),
)

type WireAddress = NonNullable<z.output<typeof UserFieldsSchema>['address']>

function linesOf(address: WireAddress | null): string[] {
  const { address_line_1, address_line_2, post_code, city } = address ?? {}
  const place = [post_code, city].filter(Boolean).join(' ')
  return [address_line_1, address_line_2, place].flatMap((line) => line || [])
}

/** With this token another party takes over a user's verification (§4.3); the user is named by uuid (§5.1). */
export function createShareToken(service: ServiceClient, userUuid: string): Promise<string> {
  return service.request(
    { method: 'POST', path: '/user/kyc/applicant/share-token', body: {}, onBehalfOf: { userUuid } },
    ShareTokenSchema,
  )
}

// ASSUMED: the contract shows no response.
const ShareTokenSchema = z
  .object({ share_token: z.string().min(1).optional(), token: z.string().min(1).optional() })
  .transform((wire, context) => {
    const token = wire.share_token ?? wire.token
    if (token !== undefined) return token
    context.addIssue({ code: 'custom', path: ['share_token'] })
    return z.NEVER
  })

/**
 * The service describes the merchant here (§4.3). ASSUMED: at this path; the contract names `GET /merchant/*`
 * without a shape, so the answer is shown as it comes.
 */
export function getMerchantConfiguration(service: ServiceClient): Promise<unknown> {
  return service.request({ method: 'GET', path: '/merchant/configuration' }, z.unknown())
}

interface SupportedCountry {
  /** The service writes the code in upper case, normally ISO 3166-1 alpha-2. */
  readonly code: string
  readonly name: string | null
  /** Private persons can be users when true; null when the service does not say. */
  readonly individuals: boolean | null
}

/** Users of the service may come from these countries (§4.3). The call needs only the API key (§5.1). */
export function listSupportedCountries(service: ServiceClient): Promise<SupportedCountry[]> {
  return service.request({ method: 'GET', path: '/supported/countries' }, listOf(CountrySchema))
}

// ASSUMED: `country_code` and `is_individual_supported` as documented in public, `code` and `name` beside them,
// or a bare code; the contract shows no shape.
const CountrySchema = z.union([
  z
    .string()
    .min(1)
    .transform((code) => ({ code: code.toUpperCase(), name: null, individuals: null })),
  z
    .object({
      country_code: optionalTextSchema,
      code: optionalTextSchema,
      country_name: optionalTextSchema,
      name: optionalTextSchema,
      is_individual_supported: z.boolean().nullish().catch(null),
    })
    .transform((wire, context) => {
      const code = wire.country_code ?? wire.code
      if (code === null) {
        context.addIssue({ code: 'custom', path: ['country_code'] })
        return z.NEVER
      }
      return {
        code: code.toUpperCase(),
        name: wire.country_name ?? wire.name,
        individuals: wire.is_individual_supported ?? null,
      }
    }),
])

/** A session at the service (§2.2) is opaque and short-lived; only time ends it (§5.4). */
export interface ServiceSession {
  readonly serviceSessionId: string
  readonly userUuid: string
}

/**
 * The wallet's signature and the EIP-4361 message, exactly as it was signed, sign the person in (§4.1, §5.2).
 * `unauthorized`: the signature does not fit, or its address is not the user's. `not-found`: unknown user.
 */
export function loginWithWallet(
  service: ServiceClient,
  { message, signature }: { readonly message: string; readonly signature: string },
): Promise<ServiceSession> {
  const body = { message, signature }
  return service.request({ method: 'POST', path: '/auth/login', body, secrets: [signature] }, SessionSchema)
}

/**
 * The service mails a new one-time password to the user; every call sends another (§4.1). `not-found`: unknown
 * user. `too-many`: asked too often (§7).
 */
export function sendOneTimePassword(service: ServiceClient, userUuid: string): Promise<void> {
  return service.send({ method: 'POST', path: '/auth/login', body: { user_uuid: userUuid } }, 204)
}

/** The code from the e-mail signs the person in (§4.1, §5.3). `unauthorized`: wrong or expired code. */
export function exchangeOneTimePassword(
  service: ServiceClient,
  { userUuid, oneTimePassword }: { readonly userUuid: string; readonly oneTimePassword: string },
): Promise<ServiceSession> {
  const body = { user_uuid: userUuid, one_time_password: oneTimePassword }
  return service.request(
    { method: 'POST', path: '/auth/otp/', body, secrets: [oneTimePassword] },
    SessionSchema,
  )
}

const SessionSchema = z
  .object({ service_session_id: headerValueSchema, user_uuid: uuidSchema })
  .transform((wire) => ({ serviceSessionId: wire.service_session_id, userUuid: wire.user_uuid }))
