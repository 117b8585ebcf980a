import { once } from 'node:events'
import http from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { Envelope } from './shapes.ts'

/** A request that arrived; `envelope` is undefined when its body is none (§2.4). */
export type Received = {
  method: string
  path: string
  headers: http.IncomingHttpHeaders
  body: string
  envelope: Envelope | undefined
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** A receiver on this machine that answers whatever `answer` says at the time. */
export async function startReceiver(answer: () => number = () => 200) {
  const received: Received[] = []
  const server = http.createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url: path = '', headers } = request
    received.push({ method, path, headers, body, envelope: readEnvelope(body) })
    response.writeHead(answer(), { Location: '/elsewhere' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  /** What arrived about one user or entity. */
  const about = (uuid: string) => received.filter(({ envelope }) => envelope?.uuid === uuid)
  return {
    url: `http://127.0.0.1:${port}/hook`,
    about,
    /** Waits until `count` requests about `uuid` have arrived, and answers them. */
    async receive(uuid: string, count = 1): Promise<[Received, ...Received[]]> {
      const deadline = Date.now() + PATIENCE_MS
      while (about(uuid).length < count && Date.now() < deadline) await setTimeout(5)
      const [first, ...others] = about(uuid)
      if (first && others.length + 1 >= count) return [first, ...others]
      throw new Error(`waited for ${count} deliveries, ${about(uuid).length} came`)
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const PATIENCE_MS = 10_000

function readEnvelope(body: string): Envelope | undefined {
  try {
    return Envelope.safeParse(JSON.parse(body)).data
  } catch {
    return undefined
  }
}
