import 'server-only'
import { z } from 'zod'
import type { ActionContext } from '#lib/access/request-context.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env } from '#lib/platform/env.ts'
import { refuseBeyondLimit } from '#lib/platform/limits/refuse-beyond-limit.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { listCountries } from './list-countries.ts'
import { proveWallet, WalletProofSchema } from './prove-wallet.ts'
import { createAccount } from './sign-up.ts'

export const ThrowAwayAccountSchema = z.object({ wallet: WalletProofSchema })

/** Makes a user for a wallet that the browser made itself, if it has none yet. Only with the sandbox. Throws `Refused`. */
export async function createThrowAwayAccount(
  { wallet }: z.output<typeof ThrowAwayAccountSchema>,
  context: ActionContext,
): Promise<{ readonly address: string; readonly name: string }> {
  if (env().sandboxUrl === null) throw new Refused(onlySandbox)
  const address = await proveWallet(wallet, context)
  const lastName = address.slice(2, 6).toUpperCase()
  const name = `Throw-away ${lastName}`
  if (await prisma().person.findFirst({ where: { targetAddress: address } })) return { address, name }
  await refuseBeyondLimit('account-per-ip', context.ip, 'Too many accounts were asked for.')
  const [country] = await listCountries()
  if (!country) throw new Refused(noCountry)
  const email = `${address.slice(2, 14).toLowerCase()}@throwaway.demo.test`
  const user = { email, firstName: 'Throw-away', lastName, country: country.code, targetAddress: address }
  // Its address is made of the wallet's, and nobody's mailbox: there is no mail to prove.
  await createAccount(user, context, 'usable')
  return { address, name }
}

const onlySandbox = {
  title: 'Throw-away wallets exist only with the sandbox.',
  next: 'Sign in with your own wallet, or with an e-mail code.',
}

const noCountry = {
  title: 'The account was not opened.',
  next: 'The service names no country that it supports. Try again in a minute.',
}
