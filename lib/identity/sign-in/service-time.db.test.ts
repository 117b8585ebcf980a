import { afterAll, beforeAll, expect, it } from 'vitest'
import { newBrowser } from '../../../test/callers.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { newWallet, proveInBrowser } from '../../../test/wallets.ts'
import { issueChallenge, signInWithWallet } from './sign-in-with-wallet.ts'
import { createThrowAwayAccount } from './sign-up.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const tenDays = 10 * 24 * 3600

it('messages are made in the service’s time, and a clock that has moved since is not called a wrong wallet', async () => {
  const [wallet, browser] = [newWallet(), newBrowser()]
  await createThrowAwayAccount({ wallet: await proveInBrowser(wallet, browser) }, browser)
  const challenge = () => issueChallenge({ address: wallet.address, chainId: 1 }, browser)
  const signIn = async (message: string) =>
    signInWithWallet({ message, signature: await wallet.signMessage({ message }) }, browser)
  const before = await challenge()
  expect(Math.abs(before.clockOffsetSeconds)).toBeLessThan(5)

  await service.control('/clock/advance', { seconds: tenDays })
  expect(await signIn(before.message)).toEqual({ kind: 'refused', why: 'clocks-differ' })

  const after = await challenge()
  expect(Math.abs(after.clockOffsetSeconds - tenDays)).toBeLessThan(60)
  expect(await signIn(after.message)).toMatchObject({ kind: 'signed-in' })
})

it('another wallet’s signature is called that, whatever the clocks say', async () => {
  const browser = newBrowser()
  const { message } = await issueChallenge({ address: newWallet().address, chainId: 1 }, browser)
  const signature = await newWallet().signMessage({ message })
  expect(await signInWithWallet({ message, signature }, browser)).toEqual({
    kind: 'refused',
    why: 'wallet-refused',
  })
})
