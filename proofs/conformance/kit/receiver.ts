import { once } from 'node:events'
import http from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { type Envelope, EnvelopeSchema } from './shapes.ts'

/** A delivery that arrived: a request whose body is an envelope (§2.4). */
export interface ReceivedEnvelope {
  readonly method: string
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
  readonly envelope: Envelope
}

export type CheckReceiver = Awaited<ReturnType<typeof startCheckReceiver>>

/** A receiver on this machine that answers whatever `answer` says at the time. */
export async function startCheckReceiver(answer: () => number = () => 200) {
  const received: ReceivedEnvelope[] = []
  const server = http.createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url: path = '', headers } = request
    const envelope = readEnvelope(body)
    if (envelope) received.push({ method, path, headers, body, envelope })
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
    const deadline = Date.now() + patienceMs
    for (;;) {
      const some = received.filter(({ envelope }) => wanted(envelope))
      if (some.length >= count) return some
      if (Date.now() > deadline) throw new Error(`waited for ${count} deliveries, ${some.length} came`)
      await setTimeout(5)
    }
  }
  return {
    url: `http://127.0.0.1:${port}/hook`,
    /** What has arrived about one user or entity. */
    about: (uuid: string) => received.filter(({ envelope }) => envelope.uuid === uuid),
    /** Waits until `count` deliveries have arrived that are wanted, and answers their envelopes. */
    collect: async (wanted: (envelope: Envelope) => boolean, count: number) =>
      (await collect(wanted, count)).map(({ envelope }) => envelope),
    /** Waits for the first delivery of an event. */
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

const patienceMs = 15_000

function readEnvelope(body: string): Envelope | undefined {
  try {
    return EnvelopeSchema.safeParse(JSON.parse(body)).data
  } catch {
    return undefined
  }
}
