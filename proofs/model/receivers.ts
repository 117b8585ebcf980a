import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a receiver does with an attempt: a status, no answer at all, or a connection closed without one. */
export type ScriptedAnswer = 200 | 204 | 302 | 404 | 500 | 'none' | 'hang up'

/** The path of a receiver that answers the attempts at each event in this order; the last answer is repeated. */
export const receiverPath = (endpoint: string, script: readonly ScriptedAnswer[]) =>
  `/${endpoint}/${script.join(',')}`.replaceAll(' ', '-')

/** What the receiver at `path` does with attempt `number` (from 1) at an event. */
export function scriptedAnswer(path: string, number: number): ScriptedAnswer {
  const script = (path.split('/')[2] ?? '').replaceAll('-', ' ').split(',')
  const wanted = script[Math.min(number, script.length) - 1]
  const answer = scriptableAnswers.find((known) => String(known) === wanted)
  if (answer === undefined) throw new Error(`No answer is written in ${path}`)
  return answer
}

export const scriptableAnswers: readonly ScriptedAnswer[] = [200, 204, 302, 404, 500, 'none', 'hang up']

export interface ModelReceived {
  readonly path: string
  readonly authorization: string
  readonly body: string
}

export interface ModelReceivers {
  readonly origin: string
  /** What arrived since it was last emptied, in order of arrival. */
  readonly received: ModelReceived[]
  stop(): Promise<void>
}

/** One real server that is every receiver of a sandbox; where a request goes says how it is answered. */
export async function startReceivers(): Promise<ModelReceivers> {
  const received: ModelReceived[] = []
  const server = http.createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const path = request.url ?? ''
    const sameEvent = ({ path: other, body: text }: ModelReceived) =>
      text === body && other.split('/')[1] === path.split('/')[1]
    const number = received.filter(sameEvent).length + 1
    received.push({ path, authorization: request.headers.authorization ?? '', body })
    const answer = scriptedAnswer(path, number)
    if (answer === 'none') return
    // On a connection that was used before, one that closes is sent once more.
    response.setHeader('Connection', 'close')
    if (answer === 'hang up') request.socket.destroy()
    else response.writeHead(answer, answer === 302 ? { Location: '/elsewhere/200' } : {}).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    received,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
