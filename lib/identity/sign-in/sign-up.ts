import 'server-only'
import { z } from 'zod'
import type { ActionContext } from '#lib/access/request-context.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { EmailAddressSchema } from '#lib/platform/forms/email-address.ts'
import { PersonNameSchema } from '#lib/platform/forms/person-name.ts'
import { refuseBeyondLimit } from '#lib/platform/limits/refuse-beyond-limit.ts'
import { InvalidInput, Refused } from '#lib/platform/refusals.ts'
import { readSettings } from '#lib/platform/settings/read-settings.ts'
import { ServiceError, surelyNotDone } from '#lib/service/errors.ts'
import { refuseWithServiceMessage } from '#lib/service/refuse-with-service-message.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { createUser } from '#lib/service/users.ts'
import { recordRefusal } from '../sessions/record-refusal.ts'
import { saveToDirectory } from '../users/save-to-directory.ts'
import { inEvenTime } from './even-time.ts'
import { listCountries } from './list-countries.ts'
import { proveWallet, WalletProofFieldSchema } from './prove-wallet.ts'
import { recordSignUpAttempt, removeSignUpAttempt } from './sign-up-attempt.ts'
import { noteSignUpBrowser } from './sign-up-browser.ts'
import { recordSignUp, type WalletState } from './sign-up-record.ts'

export const SignUpSchema = z.object({
  email: EmailAddressSchema,
  firstName: PersonNameSchema,
  lastName: PersonNameSchema,
  country: z.string('Choose a country.').regex(/^[A-Z]{2}$/, 'Choose a country.'),
  /** Optional: without it the account can sign in by e-mail code only. */
  wallet: WalletProofFieldSchema,
})

/** The same whether the address was new or not: next, a code is asked for. */
export interface SignedUp {
  readonly email: string
  /** Whether a wallet address was given, so that signing in by wallet can be offered. */
  readonly wallet: boolean
}

/** Creates a user at the service (§4.3) and enters it into the directory. Throws `Refused` and `InvalidInput`. */
export async function signUp(form: z.output<typeof SignUpSchema>, context: ActionContext): Promise<SignedUp> {
  if (!(await readSettings()).publicSignUp) throw new Refused(closed)
  await refuseBeyondLimit('account-per-ip', context.ip, 'Too many accounts were asked for.')
  const countries = await listCountries()
  if (!countries.some(({ code }) => code === form.country)) {
    throw new InvalidInput({ country: 'The service does not support this country.' })
  }
  const targetAddress = form.wallet && (await proveWallet(form.wallet, context))
  await noteSignUpBrowser(form.email, context.browserId)
  await inEvenTime(createAccount({ ...form, targetAddress }, context))
  return { email: form.email, wallet: targetAddress !== undefined }
}

export interface NewAccount {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly country: string
  /** Only with a signature by it. */
  readonly targetAddress?: string | undefined
}

/**
 * Makes the user, unless the service has one with this e-mail address: only whoever reads its mail may learn that. One whom
 * the directory does not know gets no code, since the service finds users by uuid alone (§4.1, §4.3); the page says so
 * to everybody.
 * Throws `Refused`.
 * @param walletState whether the wallet may sign in at once; unless we know better it waits for a proof of the address
 */
export async function createAccount(
  { email, firstName, lastName, country, targetAddress }: NewAccount,
  context: ActionContext,
  walletState: WalletState = 'waiting',
): Promise<void> {
  const waits = targetAddress !== undefined && walletState === 'waiting'
  const attempt = waits ? await recordSignUpAttempt(context.browserId, targetAddress) : null
  try {
    const account = { email, firstName, lastName, country, targetAddress }
    const { userUuid, status } = await createUser(serviceClient(), account)
    const target = userUuid.toLowerCase()
    const wallet = targetAddress ?? null
    await inTransaction(pool(), async (tx) => {
      await saveToDirectory(tx, { ...account, userUuid: target, status, targetAddress: wallet }, 'sign-up')
      const { browserId } = context
      await recordSignUp(tx, { userUuid: target, browserId, targetAddress: wallet, walletState })
      await removeSignUpAttempt(tx, attempt)
      await recordAudit(tx, { actor: null, action: 'user.sign-up', target, outcome: 'done' }, context)
    })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (surelyNotDone(error)) await inTransaction(pool(), (tx) => removeSignUpAttempt(tx, attempt))
    const outcome = error.mayHaveTakenEffect ? 'unsure' : 'refused'
    const details = { why: error.code }
    await recordRefusal({ action: 'user.sign-up', outcome, details }, `sign-up: ${error.code}`, context)
    if (error.code !== 'conflict') refuseWithServiceMessage('create-user')(error)
  }
}

const closed = {
  title: 'Accounts are not opened here.',
  next: 'Ask support how to get one, or sign in if you have one already.',
}
