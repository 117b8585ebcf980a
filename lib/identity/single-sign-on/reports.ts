import 'server-only'
import { z } from 'zod'
import { type ActionContext, type Caller, isFreshlySignedIn, requirePermission } from '#lib/access/caller.ts'
import { type ClaimSet, findClaim, roleOfClaims } from '#lib/access/rules/role-of-claims.ts'
import { staffRoles } from '#lib/access/rules/roles.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { jsonParameter } from '#lib/platform/db/statements.ts'
import { logOf } from '#lib/platform/log.ts'
import { type SignInRefusal, signInRefusals } from '../rules/sign-in.ts'
import { beginSingleSignOn } from './begin-single-sign-on.ts'
import type { Answer } from './claims.ts'
import { requireSingleSignOn } from './provider.ts'

const log = logOf('single-sign-on')

const ReportSchema = z.object({
  /** Nobody was, or would have been, signed in for this reason; null when nothing prevents it. */
  why: z.enum(signInRefusals).nullable(),
  /** The list has the names of the claims that came; nested ones are written with a dot. */
  identityToken: z.array(z.string()),
  userInfo: z.array(z.string()),
  /** Null when no claim gives the role. */
  role: z
    .object({
      claim: z.string(),
      said: z.enum(['role', 'none', 'not-sent', 'unreadable']),
      role: z.enum(staffRoles).nullable(),
      /** The value is shortened JSON; null when the claim was not sent. */
      value: z.string().nullable(),
    })
    .nullable(),
  /** Rampart reads these other claims; null except in a test. */
  read: z
    .object({
      issuer: z.string(),
      subject: z.string(),
      name: z.string().nullable(),
      email: z.string().nullable(),
      emailVerified: z.boolean().nullable(),
    })
    .nullable(),
  /** The person proved who they are at this time, by this server's clock; ISO 8601. */
  provedAt: z.string().nullable(),
  /** True when the proof was fresh as the answer came. */
  isFresh: z.boolean(),
  /** The seconds are as in `Proof`. */
  clockDifference: z.number(),
})

type Report = z.output<typeof ReportSchema>

/** The report shows claims as they came, and their meaning here. */
export interface ReportView extends Report {
  /** ISO 8601. */
  readonly at: string
  /** This member was refused; null in a test, and for a person who is no member. */
  readonly member: { readonly id: string; readonly name: string } | null
}

/**
 * The admin goes to the provider and back to see its claims about them; nobody is signed in. Throws
 * `NotAllowed` and `Refused`.
 */
export function testSingleSignOn(
  caller: Caller,
  _form: Record<string, never>,
  context: ActionContext,
): Promise<{ readonly url: string }> {
  requirePermission(caller, 'manage-settings')
  return beginSingleSignOn({}, context, caller.id)
}

/**
 * The reports are the caller's last test, and the last sign-in that was refused because of its claims. Throws `NotAllowed`.
 */
export async function readReports(
  caller: Caller,
): Promise<{ readonly test: ReportView | null; readonly refused: ReportView | null }> {
  requirePermission(caller, 'manage-settings')
  const { rows } = await pool().query<Row>(READ, [[testOf(caller.id), refusedSlot]])
  const viewOf = (wanted: string) => {
    const row = rows.find(({ slot }) => slot === wanted)
    // A report of another version is not shown.
    const report = ReportSchema.safeParse(row?.report).data
    if (!row || !report) return null
    const member = row.id === null ? null : { id: row.id, name: row.name ?? '' }
    return { ...report, at: row.at.toISOString(), member: wanted === refusedSlot ? member : null }
  }
  return { test: viewOf(testOf(caller.id)), refused: viewOf(refusedSlot) }
}

/** The result of a test is stored; `answer` may be the reason why nothing came. */
export async function reportTest(testedBy: string, answer: Answer | SignInRefusal): Promise<void> {
  const report = typeof answer === 'string' ? { ...nothing, why: answer } : reportOf(answer, whyOf(answer))
  const read = typeof answer === 'string' ? null : readOf(answer)
  await save(testOf(testedBy), testedBy, { ...report, read })
}

/** The claims of a refused sign-in are stored and logged by name. */
export async function reportRefusal(
  answer: Answer,
  { why, memberId }: { readonly why: SignInRefusal; readonly memberId: string | null },
): Promise<void> {
  if (!forClaims.has(why)) return
  const report = reportOf(answer, why)
  const { role, identityToken, userInfo } = report
  log.warn(
    {
      why,
      issuer: answer.claims.iss,
      claim: role?.claim,
      value: role?.value,
      came: claimNames(answer.sets),
      identityToken,
      userInfo,
    },
    'Single sign-on refused somebody for the claims that came',
  )
  await save(refusedSlot, memberId, report)
}

const forClaims: ReadonlySet<SignInRefusal> = new Set([
  'sso-no-role',
  'sso-role-not-sent',
  'sso-role-unreadable',
  'sso-last-admin',
  'sso-issuer-moved',
])

/** Each name of a claim occurs once. */
export const claimNames = (sets: Answer['sets']): string[] => [
  ...new Set(sets.flatMap((set) => namesIn(set))),
]

/** Nested claims are included, named as in `OIDC_ROLE_CLAIM`. */
function namesIn(set: ClaimSet, depth = 1): string[] {
  const names = Object.entries(set).flatMap(([name, value]) =>
    depth < 4 && isSet(value) && Object.keys(value).length > 0
      ? namesIn(value, depth + 1).map((inner) => `${name}.${inner}`)
      : name,
  )
  return names.map((name) => name.slice(0, 200)).slice(0, 100)
}

const isSet = (value: unknown): value is ClaimSet =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function reportOf({ sets, proof }: Answer, why: SignInRefusal | null): Report {
  const { roleClaim } = requireSingleSignOn()
  const said = roleClaim && roleOfClaims(sets, roleClaim)
  const value = roleClaim && findClaim(sets, roleClaim.claim)
  const [identityToken, userInfo] = sets
  return {
    why,
    identityToken: namesIn(identityToken),
    userInfo: namesIn(userInfo),
    role: roleClaim &&
      said && {
        claim: roleClaim.claim,
        said: said.kind,
        role: said.kind === 'role' ? said.role : null,
        value: value === undefined ? null : JSON.stringify(value).slice(0, 2_000),
      },
    read: null,
    provedAt: proof.at?.toISOString() ?? null,
    isFresh: proof.at !== null && isFreshlySignedIn({ signedInAt: proof.at.toISOString() }),
    clockDifference: proof.clockDifference,
  }
}

const nothing: Report = {
  why: null,
  identityToken: [],
  userInfo: [],
  role: null,
  read: null,
  provedAt: null,
  isFresh: false,
  clockDifference: 0,
}

/** The claims alone may refuse a sign-in for this reason. */
function whyOf({ sets }: Answer): SignInRefusal | null {
  const { roleClaim } = requireSingleSignOn()
  if (roleClaim === null) return null
  const whys = {
    role: null,
    none: 'sso-no-role',
    'not-sent': 'sso-role-not-sent',
    unreadable: 'sso-role-unreadable',
  } as const
  return whys[roleOfClaims(sets, roleClaim).kind]
}

const readOf = ({ claims: { iss, sub, name, email, email_verified } }: Answer): Report['read'] => ({
  issuer: iss,
  subject: sub,
  name: name ?? null,
  email: email ?? null,
  emailVerified: email_verified ?? null,
})

const refusedSlot = 'refused'
const testOf = (callerId: string) => `test of ${callerId}`

const save = (slot: string, person: string | null, report: Report) =>
  pool().query(SAVE, [slot, person, jsonParameter(report)])

const SAVE = `
  INSERT INTO sso_report (slot, at, person, report) VALUES ($1, now(), $2, $3)
  ON CONFLICT (slot) DO UPDATE SET at = EXCLUDED.at, person = EXCLUDED.person, report = EXCLUDED.report`

interface Row {
  readonly slot: string
  readonly at: Date
  readonly report: unknown
  readonly id: string | null
  readonly name: string | null
}

const READ = `
  SELECT slot, at, report, member.id, member.name
  FROM sso_report LEFT JOIN member ON member.id::text = sso_report.person WHERE slot = ANY($1::text[])`
