import crypto from 'node:crypto'
import type { startScriptedMailServer } from '../../../test/scripted-mail-server.ts'
import type { Process } from '../faults/process.ts'
import { sleep, type TestBed } from '../faults/test-bed.ts'

export type MailServer = Awaited<ReturnType<typeof startScriptedMailServer>>

/** A row uses this bench: mailers in processes of their own, admins, and a mail server that follows a script. */
export interface Bench {
  readonly stage: TestBed
  readonly server: MailServer
  /** Mailers start as replicas have them, and end with the row. */
  start(count: number, variables?: Readonly<Record<string, string>>): Promise<readonly Process[]>
  /** The function writes a notice, as a use case does. */
  tell(notice?: { readonly name?: string; readonly facts?: object; readonly kind?: string }): Promise<void>
  /** Time is moved until everything waiting is due again. */
  later(): Promise<void>
  states(): Promise<Readonly<Record<string, number>>>
  /** The text is the mailers' log of this row. */
  log(): string
}

export const admins = 10

export const addressOf = (index: number) => `admin${index}@example.com`

export const configuration = (database: string, smtp: string, keys: string) => ({
  DATABASE_URL: database,
  PUBLIC_URL: 'https://dash.example.com',
  SERVICE_BASE_URL: 'http://localhost:1/onboarding',
  SERVICE_API_KEY: 'none',
  NEXTAUTH_SECRET: crypto.randomBytes(32).toString('base64'),
  RAMPART_KEYS: keys,
  SMTP_URL: smtp,
  MAIL_FROM: 'Rampart <rampart@example.com>',
})

export async function tellAll(bench: Bench): Promise<void> {
  await bench.start(2)
  await bench.tell()
  await until(async () => (await bench.states()).sent === admins, 120, 'all are told')
}

export const idOf = ({ text }: { readonly text: string }) => /^Message-ID: (\S+)/im.exec(text)?.[1]

/** The result says how many copies each recipient got, and by how many Message-IDs. */
export function copiesOf({ server }: Bench) {
  const to = Map.groupBy(server.received, (mail) => mail.to.join())
  return [...to.values()].map((mails) => ({ count: mails.length, ids: new Set(mails.map(idOf)).size }))
}

/** The function throws unless each admin got one mail. */
export function reported(bench: Bench): string {
  const copies = copiesOf(bench)
  if (copies.length !== admins || copies.some(({ count }) => count !== 1))
    throw new Error(`Not each was told once: ${JSON.stringify(copies)}`)
  return `each of ${admins} told once`
}

export async function until(holds: () => Promise<boolean>, seconds: number, what: string): Promise<void> {
  const end = performance.now() + seconds * 1_000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Not within ${seconds} s: ${what}`)
    await sleep(200)
  }
}
