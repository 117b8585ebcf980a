import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

// The bare loop is the least that sends: the same bodies at the same pace to the same receiver, without storage and retries.
const [port = '', perSecond = ''] = process.argv.slice(2)
const agent = new http.Agent({ keepAlive: true })
const gap = 1000 / Number(perSecond)

process.on('message', async (bodies: string[]) => {
  const created: [body: string, at: number][] = []
  const started = performance.now()
  while (created.length < bodies.length) {
    const due = Math.min(bodies.length, Math.floor((performance.now() - started) / gap) + 1)
    const sending = bodies.slice(created.length, due).map((body) => {
      created.push([body, Date.now()])
      return send(body)
    })
    await Promise.all([sleep(20), ...sending])
  }
  process.send?.(created)
})
process.send?.('ready')

function send(body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      Accept: 'application/json',
      'Content-type': 'application/json',
      Authorization: 'API-Key bench',
      'Content-Length': Buffer.byteLength(body),
    }
    const request = http.request({ host: '127.0.0.1', port, path: '/hook', method: 'POST', agent, headers })
    request.on('error', reject)
    request.on('response', (response) => response.resume().on('end', resolve))
    request.end(body)
  })
}
