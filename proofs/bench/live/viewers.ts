import net from 'node:net'
import { z } from 'zod'

/** The result is what arrived at the viewers during the measurement. Times are in ms since 1970. */
export interface ViewerResult {
  /** One viewer received this many messages on average. */
  readonly messages: number
  /** Each subject has the times at which its first message arrived at the sampled viewers. */
  readonly arrivals: readonly (readonly [subjectId: string, arrivals: readonly number[]])[]
}

// The program holds this many open streams and reads the messages of every fiftieth. The message `count` begins a
// measurement, and `end` asks for its result.
const [port = '', ...cookies] = process.argv.slice(2)
const sampled = 50
const DataSchema = z.object({ subjects: z.array(z.string()).nullable() })
/** The data of a message that names subjects begins like this. */
const changed = 'data: {"kind":"changed"'
let messages = 0
let arrivals = new Map<string, number[]>()

await Promise.all(cookies.map((cookie, index) => open(cookie, index % sampled === 0)))
process.send?.('open')
process.on('message', (word) => {
  if (word === 'end') {
    const result: ViewerResult = { messages: messages / cookies.length, arrivals: [...arrivals] }
    process.send?.(JSON.stringify(result))
  }
  messages = 0
  arrivals = new Map()
})

/**
 * A bare socket reads each message in one piece, because 1,000 HTTP parsers would take processor time from the measured
 * server.
 */
function open(cookie: string, isSampled: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), 'localhost')
    socket.write(`GET /api/live HTTP/1.1\r\nHost: localhost:${port}\r\nCookie: ${cookie}\r\n\r\n`)
    socket.once('data', (chunk) => {
      if (chunk.toString().startsWith('HTTP/1.1 200')) resolve()
      else reject(new Error(`A viewer was answered ${chunk.toString().slice(0, 80)}`))
    })
    socket.on('data', (chunk) => {
      if (chunk.includes(changed)) messages += 1
      if (isSampled) note(chunk.toString())
    })
    socket.once('close', () => reject(new Error('A stream ended')))
    socket.once('error', reject)
  })
}

function note(text: string) {
  const now = performance.timeOrigin + performance.now()
  for (const [, data = ''] of text.matchAll(/^data: (\{"kind":"changed".+)$/gm)) {
    for (const subject of DataSchema.parse(JSON.parse(data)).subjects ?? []) {
      const known = arrivals.get(subject)
      if (known) known.push(now)
      else arrivals.set(subject, [now])
    }
  }
}
