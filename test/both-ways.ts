import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import * as route from '#app/api/webhooks/[receiver]/route.ts'
import { startIngestServer } from './ingest.ts'

/** The answer leaves out what belongs to the server alone: its date, and how it keeps connections. */
export interface Answered {
  readonly status: number
  /** Header lines are in lower case and sorted. */
  readonly headers: readonly string[]
  readonly body: string
}

/** Two real servers share one ingest: our own server, and the handlers that Next calls. */
export async function startBothWays(url: string, given: Parameters<typeof startIngestServer>[1] = {}) {
  const server = await startIngestServer(url, given)
  const before = globalThis.rampartIngest
  globalThis.rampartIngest = server.ingest
  const handlers = new Map(
    Object.entries(route).flatMap(([name, value]) => (typeof value === 'function' ? [[name, value]] : [])),
  )
  const bridge = getRequestListener(
    (request) => {
      const receiver = new URL(request.url).pathname.split('/').at(-1) ?? ''
      const handle = handlers.get(request.method) ?? route.POST
      return handle(request, { params: Promise.resolve({ receiver }) })
    },
    { overrideGlobalObjects: false },
  )
  const routeServer = http.createServer(bridge)
  await new Promise<void>((resolve) => routeServer.listen(0, '127.0.0.1', resolve))
  const { port } = routeServer.address() as AddressInfo
  return {
    ...server,
    ports: { 'the fast way': server.port, 'the API route': port },
    async stop() {
      globalThis.rampartIngest = before
      routeServer.closeAllConnections()
      await new Promise((resolve) => routeServer.close(resolve))
      await server.stop()
    },
  }
}

/**
 * The function sends `parts` unchanged, `pause` ms apart, on a new connection. It answers the response, or null when there
 * is none.
 */
export function exchange(
  port: number,
  parts: readonly (string | Buffer)[],
  pause = 0,
): Promise<Answered | null> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    let heard = ''
    let ended = false
    const end = (answer: Answered | null) => {
      ended = true
      socket.destroy()
      resolve(answer)
    }
    socket.setNoDelay(true)
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1')
      const answer = parseAnswer(heard, !String(parts[0]).startsWith('HEAD'))
      if (answer) end(answer)
    })
    // A server may close the connection before it has read everything.
    socket.on('error', () => undefined)
    socket.on('close', () => end(parseAnswer(heard, false)))
    socket.once('connect', async () => {
      for (const part of parts) {
        if (ended) return
        socket.write(part)
        if (pause > 0) await new Promise((next) => setTimeout(next, pause))
      }
    })
  })
}

function parseAnswer(heard: string, withBody: boolean): Answered | null {
  const end = heard.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [first = '', ...lines] = heard.slice(0, end).split('\r\n')
  const body = heard.slice(end + 4)
  const length = Number(/^content-length: (\d+)$/im.exec(heard.slice(0, end))?.[1] ?? 0)
  if (withBody && body.length < length) return null
  const headers = lines
    .map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()))
    .filter((line) => !/^(date|connection|keep-alive):/.test(line))
  return { status: Number(first.split(' ')[1]), headers: headers.toSorted(), body }
}
