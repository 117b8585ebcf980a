import { sandboxUrl } from './addresses.ts'

/** The newest code in a person's mailbox that came after `since`; null when none comes within 5 s. */
export async function newestCode(email: string, since: Date): Promise<string | null> {
  for (let tries = 0; tries < 50; tries++) {
    const mails = await ask<{ code: string; sent_at: string }[]>(`mailbox?email=${encodeURIComponent(email)}`)
    const newest = mails.at(-1)
    if (newest && new Date(newest.sent_at) >= since) return newest.code
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return null
}

/** Plays a scenario and answers the transaction that it is about. */
export async function playScenario(name: string, userUuid: string, speed = 1_000): Promise<string> {
  const { transaction_uuid } = await ask<{ transaction_uuid: string }>('scenarios', {
    name,
    user_uuid: userUuid,
    speed,
  })
  return transaction_uuid
}

/** Something goes wrong at the service, as its README says; `next`: so many times. */
export const strike = (fault: { kind: string; method?: string; path?: string; next: number }) =>
  ask<unknown>('faults', fault)

/** Every mail there is, oldest first. */
export const listMail = () => ask<{ code: string }[]>('mailbox')

const listUsers = () => ask<{ uuid: string; email: string }[]>('users')

async function ask<T>(path: string, body?: unknown): Promise<T> {
  const init = body
    ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    : {}
  const answer = await fetch(`${sandboxUrl}/_sandbox/${path}`, init)
  if (!answer.ok) throw new Error(`/_sandbox/${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

export async function userUuidOf(email: string): Promise<string> {
  const user = (await listUsers()).find((one) => one.email === email)
  if (!user) throw new Error(`The sandbox does not know ${email}`)
  return user.uuid
}
