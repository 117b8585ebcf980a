import type { BrowserContext } from '@playwright/test'
import { signIn } from '../../bench/installation/open-browser.ts'
import type { BrowserStage } from './browse.ts'
import { newContext } from './browse.ts'
import { type Address, ask } from './exchange.ts'

const people = ['ana@demo.test', 'cleo@demo.test'] as const

/** Two customers and a stranger open the same pages by turns: nobody sees what is another's, whatever a cache keeps. */
export async function nobodysElse(stage: BrowserStage, address: Address): Promise<string> {
  const contexts = await Promise.all(people.map(() => newContext(stage)))
  const cookies: string[] = []
  for (const [index, context] of contexts.entries()) {
    await signIn(context, stage, people[index] ?? '')
    cookies.push(await cookieOf(context))
    await context.close()
  }
  let seen = 0
  for (const path of ['/account', '/account?_rsc=1', '/account/sign-ins', '/api/session', '/'])
    for (let turn = 0; turn < 3; turn++) {
      for (const [index, cookie] of cookies.entries()) {
        const { status, text } = await ask(address, { path, headers: { cookie } })
        const other = people[1 - index] ?? ''
        if (status >= 500 || status === 0) throw new Error(`${path} was answered ${status}`)
        if (text.includes(other)) throw new Error(`${path} shows ${other} to ${people[index]}`)
        if (text.includes(people[index] ?? '')) seen += 1
      }
      const { text, headers } = await ask(address, { path })
      if (people.some((email) => text.includes(email)))
        throw new Error(`${path} shows a customer to a stranger`)
      if (
        headers['set-cookie']?.some((one) =>
          cookies.some((cookie) => cookie.includes(one.split(';')[0] ?? one)),
        )
      )
        throw new Error(`${path} gives a customer's cookie to a stranger`)
    }
  if (seen < 6) throw new Error('Customers do not see their own pages: this proves nothing')
  return `${seen} pages of two people, each seen by whose they are alone`
}

export async function cookieOf(context: BrowserContext): Promise<string> {
  return (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
}
