import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { z } from 'zod'
import type { ActionContext } from '#lib/access/caller.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env } from '#lib/platform/env.ts'
import { EmailAddressSchema, PersonNameSchema } from '#lib/platform/forms/fields.ts'
import { refuseBeyondLimit } from '#lib/platform/limits/limits.ts'
import { logOf } from '#lib/platform/log.ts'
import { InvalidInput, Refused } from '#lib/platform/refusals.ts'
import { readSettings } from '#lib/platform/settings/settings.ts'
import type { ServiceClient } from '#lib/service/client.ts'
import { refuseWithServiceMessage, ServiceError, surelyNotDone } from '#lib/service/errors.ts'
import { createUser, listSupportedCountries } from '#lib/service/operations.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { fieldCode } from '#lib/words/labels/refusals.ts'
import { recordRefusal } from '../sessions/denied-requests.ts'
import { saveToDirectory } from '../users/directory.ts'
import { inEvenTime } from './code-limits.ts'
import { proveWallet, WalletProofFieldSchema, WalletProofSchema } from './sign-in-with-wallet.ts'
import {
  noteSignUpBrowser,
  recordSignUp,
  recordSignUpAttempt,
  removeSignUpAttempt,
  type WalletState,
} from './sign-up-record.ts'

const log = logOf('sign-in')

export const SignUpSchema = z.object({
  email: EmailAddressSchema,
  firstName: PersonNameSchema,
  lastName: PersonNameSchema,
  country: z.string(fieldCode('choose-country')).regex(/^[A-Z]{2}$/, fieldCode('choose-country')),
  /** The wallet is optional: without it the account can sign in only by e-mail code. */
  wallet: WalletProofFieldSchema,
})

/** The result is the same for a new and for a known address: next, a code is needed. */
export interface SignedUp {
  readonly email: string
  /** A wallet address was given, so that the page can offer to sign in by wallet. */
  readonly wallet: boolean
}

/** The user is created at the service (§4.3) and entered into the directory. Throws `Refused` and `InvalidInput`. */
export async function signUp(form: z.output<typeof SignUpSchema>, context: ActionContext): Promise<SignedUp> {
  if (!(await readSettings()).publicSignUp) throw new Refused('sign-up-closed')
  await refuseBeyondLimit('account-per-ip', context.ip, 'too-many-accounts')
  const countries = await listCountries()
  if (!countries.some(({ code }) => code === form.country)) {
    throw new InvalidInput({ country: 'country-not-supported' })
  }
  const targetAddress = form.wallet && (await proveWallet(form.wallet, context))
  await noteSignUpBrowser(form.email, context.browserId)
  await inEvenTime(createAccount({ ...form, targetAddress }, context))
  return { email: form.email, wallet: targetAddress !== undefined }
}

interface NewAccount {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly country: string
  /** The address needs a signature by its key. */
  readonly targetAddress?: string | undefined
}

/**
 * The user is created, unless the service has one with this e-mail address, which only a reader of its mail may
 * learn. A user outside the directory gets no code, because the service finds users only by uuid (§4.1, §4.3);
 * the page tells everybody so. `walletState`: by default the wallet waits for a proof. Throws `Refused`.
 */
export async function createAccount(
  { email, firstName, lastName, country, targetAddress }: NewAccount,
  context: ActionContext,
  walletState: WalletState = 'waiting',
): Promise<void> {
  const waits = targetAddress !== undefined && walletState === 'waiting'
  const attempt = waits ? await recordSignUpAttempt(context.browserId, targetAddress) : null
  const account = { email, firstName, lastName, country, targetAddress }
  const answer = await createUser(serviceClient(), account).catch(serviceErrorOf)
  if (answer instanceof ServiceError) return refuseAccount(answer, attempt, context)
  const target = answer.userUuid.toLowerCase()
  const wallet = targetAddress ?? null
  try {
    await patiently(async (tx) => {
      const user = { ...account, userUuid: target, status: answer.status, targetAddress: wallet }
      await saveToDirectory(tx, user, 'sign-up')
      const { browserId } = context
      await recordSignUp(tx, { userUuid: target, browserId, targetAddress: wallet, walletState })
      await removeSignUpAttempt(tx, attempt)
      await recordAudit(tx, { actor: null, action: 'user.sign-up', target, outcome: 'done' }, context)
    })
  } catch (error) {
    log.error({ userUuid: target, err: error }, 'The service made a user who could not be stored: import it')
    throw error
  }
}

function serviceErrorOf(error: unknown): ServiceError {
  if (!(error instanceof ServiceError)) throw error
  return error
}

/** The refusal is recorded. An address that somebody has is answered like a new one. */
async function refuseAccount(error: ServiceError, attempt: string | null, context: ActionContext) {
  if (surelyNotDone(error)) await patiently((tx) => removeSignUpAttempt(tx, attempt))
  const outcome = error.mayHaveTakenEffect ? 'unsure' : 'refused'
  const details = { why: error.code }
  await recordRefusal({ action: 'user.sign-up', outcome, details }, `sign-up: ${error.code}`, context)
  if (error.code !== 'conflict') refuseWithServiceMessage('create-user')(error)
}

/**
 * The service has answered and would not answer the same again, so some seconds without a database are waited out, whatever
 * the answer was. `work` may be repeated: at worst the audit has two entries.
 */
async function patiently(work: (tx: Transaction) => Promise<void>): Promise<void> {
  for (let left = 10; ; left--) {
    try {
      return await inTransaction(pool(), work)
    } catch (error) {
      if (left === 0 || !mayPass(error)) throw error
      await pause(500)
    }
  }
}

/** The connection, the server or another transaction is at fault, and no statement of ours. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof pg.DatabaseError) || /^(08|40|53|55|57|58|XX)/.test(error.code ?? '')

export const ThrowAwayAccountSchema = z.object({ wallet: WalletProofSchema })

/**
 * The browser made the wallet itself and gets a user for it, if it has none yet. This works only with the
 * sandbox. Throws `Refused`.
 */
export async function createThrowAwayAccount(
  { wallet }: z.output<typeof ThrowAwayAccountSchema>,
  context: ActionContext,
): Promise<{ readonly address: string; readonly name: string }> {
  if (env().sandboxUrl === null) throw new Refused('sandbox-only')
  const address = await proveWallet(wallet, context)
  const lastName = address.slice(2, 6).toUpperCase()
  const name = `Throw-away ${lastName}`
  if (await prisma().person.findFirst({ where: { targetAddress: address } })) return { address, name }
  await refuseBeyondLimit('account-per-ip', context.ip, 'too-many-accounts')
  const [country] = await listCountries()
  if (!country) throw new Refused('no-country')
  const email = `${address.slice(2, 14).toLowerCase()}@throwaway.demo.test`
  const user = { email, firstName: 'Throw-away', lastName, country: country.code, targetAddress: address }
  // The address is made from the wallet's and is nobody's mailbox, so there is no mail to prove.
  await createAccount(user, context, 'usable')
  return { address, name }
}

interface Country {
  /** ISO 3166-1 alpha-2. */
  readonly code: string
  /** The name is in English. */
  readonly name: string
}

const known = new WeakMap<ServiceClient, { readonly countries: readonly Country[]; readonly until: number }>()

/**
 * Private persons can sign up from these countries, sorted by name; they are read from the service at most
 * every ten minutes. Throws `Refused`.
 */
export async function listCountries(): Promise<readonly Country[]> {
  const service = serviceClient()
  const kept = known.get(service)
  if (kept && kept.until > Date.now()) return kept.countries
  const supported = await listSupportedCountries(service).catch(
    refuseWithServiceMessage('list-supported-countries'),
  )
  const countries = supported
    .filter(({ code, individuals }) => /^[A-Z]{2}$/.test(code) && individuals !== false)
    .map(({ code, name }) => ({ code, name: name ?? english.of(code) ?? code }))
    .sort((one, other) => one.name.localeCompare(other.name, 'en'))
  known.set(service, { countries, until: Date.now() + 600_000 })
  return countries
}

const english = new Intl.DisplayNames('en', { type: 'region' })
