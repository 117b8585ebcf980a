import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { z } from 'zod'
import type { Certified } from '../../../test/certificates.ts'
import type { TestMail } from '../../../test/mail-server.ts'

/** Alerts come by these channels. A dead man's switch gets calls, and no alerts. */
export const channels = ['mail', 'slack', 'teams', 'webhook'] as const
export type Channel = (typeof channels)[number]

/** The query of a sink's address is the kind of its channel. */
export const hookKinds = ['slack', 'teams', 'webhook', 'heartbeat'] as const
export type HookKind = (typeof hookKinds)[number]

interface TakenHook {
  readonly kind: HookKind
  readonly body: string
  /** The signed webhook was checked when it came, since a signature is valid for minutes. */
  readonly alerts: readonly ReportedAlert[]
}

export interface HookSink {
  readonly port: number
  readonly taken: TakenHook[]
  /** Signed webhooks are checked with this secret by the library. One with a wrong signature is answered 401. */
  trust(secret: string): void
  /** While `answers` is false, the sink takes requests and never answers them. */
  answer(answers: boolean): void
  stop(): Promise<void>
}

/**
 * One HTTP server plays Slack, Teams, a program and a monitoring service.
 * @param certified with a certificate it speaks TLS, at every address of this machine
 */
export async function startHookSink(certified: Certified | null): Promise<HookSink> {
  const taken: TakenHook[] = []
  let answers = true
  let library: Webhook | null = null
  const take = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    let body = ''
    for await (const piece of request) body += piece
    const kind = hookKinds.find((one) => request.url === `/receiver?${one}`)
    if (!kind) return void response.writeHead(404).end()
    try {
      taken.push({
        kind,
        body,
        alerts: kind === 'webhook' ? readWebhook(library, request.headers, body) : [],
      })
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error
      return void response.writeHead(401).end()
    }
    if (answers) response.writeHead(200).end()
  }
  const server = certified ? https.createServer(certified, take) : http.createServer(take)
  server.listen(0, certified ? undefined : '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    taken,
    trust(secret) {
      library = new Webhook(secret)
    },
    answer(given) {
      answers = given
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** The signed webhook says this of one alert. */
export interface ReportedAlert {
  readonly messageId: string
  readonly id: string
  readonly condition: string
  readonly subject: string
  readonly change: 'fired' | 'repeated' | 'resolved'
  readonly summary: string
  readonly whatToDo: string
  readonly url: string
}

const BodySchema = z.object({
  type: z.enum(['alerts.changed', 'alerts.test']),
  data: z.object({
    alerts: z.array(
      z.object({
        id: z.uuid(),
        condition: z.string(),
        subject: z.string(),
        change: z.enum(['fired', 'repeated', 'resolved']),
        summary: z.string(),
        whatToDo: z.string(),
        url: z.url(),
      }),
    ),
  }),
})

/** Throws `WebhookVerificationError`. */
function readWebhook(
  library: Webhook | null,
  headers: http.IncomingHttpHeaders,
  body: string,
): ReportedAlert[] {
  if (library === null) throw new Error('A webhook came before its secret was known')
  const signed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  const { data } = BodySchema.parse(library.verify(body, signed))
  return data.alerts.map((alert) => ({ ...alert, messageId: signed['webhook-id'] ?? '' }))
}

const SlackSchema = z.object({ text: z.string() })
const TeamsSchema = z.object({
  attachments: z.tuple([z.object({ content: z.object({ body: z.array(z.object({ text: z.string() })) }) })]),
})

/** The messages of a channel as people read them: a paragraph a line. */
export function readTexts(
  channel: Channel,
  { taken, mails }: { readonly taken: readonly TakenHook[]; readonly mails: readonly TestMail[] },
): string[] {
  switch (channel) {
    case 'mail':
      // Notices go to the same mailbox, and have no link to the choice of alerts.
      return mails.map(({ text }) => decodeMail(text)).filter((text) => text.includes('/alerts/mine'))
    case 'slack':
      return taken.flatMap(({ kind, body }) =>
        kind === channel ? [SlackSchema.parse(JSON.parse(body)).text] : [],
      )
    case 'teams':
      return taken.flatMap(({ kind, body }) =>
        kind === channel
          ? [
              TeamsSchema.parse(JSON.parse(body))
                .attachments[0].content.body.map(({ text }) => text)
                .join('\n'),
            ]
          : [],
      )
    case 'webhook':
      return taken.flatMap(({ kind, body }) => (kind === channel ? [body] : []))
  }
}

/** The subject repeats a headline, so only the text counts. */
function decodeMail(mail: string): string {
  const [head = '', ...rest] = mail.split('\r\n\r\n')
  const body = rest.join('\n\n')
  if (!/^Content-Transfer-Encoding: quoted-printable/im.test(head)) return body
  const bytes = body
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
