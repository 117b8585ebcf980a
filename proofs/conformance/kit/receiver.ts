import { once } from 'node:events'
import http from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { type Envelope, EnvelopeSchema } from './shapes.ts'

/** A delivery arrived: a request whose body is an envelope (§2.4). */
export interface ReceivedEnvelope {
  readonly method: string
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
  readonly envelope: Envelope
}

export type CheckReceiver = Awaited<ReturnType<typeof startCheckReceiver>>

/** Receivers wait this long for a delivery. All receivers of a run share it. */
export interface Patience {
  /** The time is in milliseconds. */
  now(): number
  /** A wait is over. */
  note(came: boolean): void
}

/** When no awaited delivery has ever come, none will, so the other waits are short. */
export function createPatience(): Patience {
  let [came, missed] = [0, 0]
  return {
    now: () => (came === 0 && missed > 0 ? 500 : 15_000),
    note(arrived) {
      if (arrived) came++
      else missed++
    },
  }
}

/** A receiver on this machine answers whatever `answer` says at the time. */
export async function startCheckReceiver(answer: () => number = () => 200, patience = createPatience()) {
  const received: ReceivedEnvelope[] = []
  const unreadable: string[] = []
  const server = http.createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url: path = '', headers } = request
    const envelope = readEnvelope(body)
    if (typeof envelope === 'string') unreadable.push(envelope)
    else received.push({ method, path, headers, body, envelope })
    response.writeHead(answer(), { Location: '/elsewhere' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0

  async function collect(
    wanted: (envelope: Envelope) => boolean,
    count: number,
  ): Promise<ReceivedEnvelope[]> {
    const start = Date.now()
    for (;;) {
      const some = received.filter(({ envelope }) => wanted(envelope))
      const came = some.length >= count
      if (came || unreadable.length > 0 || Date.now() > start + patience.now()) patience.note(came)
      else {
        await setTimeout(5)
        continue
      }
      if (came) return some
      const [reason] = unreadable
      if (reason) throw new Error(`a delivery came whose body is no envelope: ${reason}`)
      const others = received.length - some.length
      throw new Error(
        `waited for ${count} deliveries, ${some.length} came${others > 0 ? `, and ${others} others` : ''}`,
      )
    }
  }
  return {
    url: `http://127.0.0.1:${port}/hook`,
    /** The list has what has arrived about one user or entity. */
    about: (uuid: string) => received.filter(({ envelope }) => envelope.uuid === uuid),
    /** The promise settles when `count` wanted deliveries have arrived, with their envelopes. */
    collect: async (wanted: (envelope: Envelope) => boolean, count: number) =>
      (await collect(wanted, count)).map(({ envelope }) => envelope),
    /** The promise settles with the first delivery of an event. */
    async receive({ uuid }: Pick<Envelope, 'uuid'>): Promise<ReceivedEnvelope> {
      const [first] = await collect((envelope) => envelope.uuid === uuid, 1)
      if (!first) throw new Error('nothing came')
      return first
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The result is the envelope with all its fields, or the reason why it is none. */
function readEnvelope(body: string): Envelope | string {
  try {
    const parsed = z.looseObject(EnvelopeSchema.shape).safeParse(JSON.parse(body))
    if (parsed.success) return parsed.data
    const [issue] = parsed.error.issues
    return `at "${issue?.path.join('.')}": ${issue?.message}`
  } catch {
    return 'it is no JSON'
  }
}
