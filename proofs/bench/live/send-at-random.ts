import crypto from 'node:crypto'
import http from 'node:http'

/** Deliveries are sent at random moments, this many a second on average, whether the earlier ones are answered or not. */
export async function sendAtRandom(
  port: number,
  receiver: { readonly path: string; readonly secret: string },
  perSecond: number,
  seconds: number,
) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 20 })
  const began = performance.now()
  const underWay: Promise<void>[] = []
  let due = began
  while (due < began + seconds * 1000) {
    await sleep(Math.max(0, due - performance.now()))
    underWay.push(send(port, receiver, agent))
    due -= (Math.log(1 - Math.random()) / perSecond) * 1000
  }
  await Promise.all(underWay)
  agent.destroy()
}

function send(port: number, receiver: { path: string; secret: string }, agent: http.Agent): Promise<void> {
  const body = JSON.stringify({
    type: 'fiatToCrypto',
    subType: 'PENDING',
    uuid: crypto.randomUUID(),
    data: { status: 'PENDING', transactionUuid: crypto.randomUUID(), amountFiat: 4.76, currencyFiat: 'EUR' },
  })
  const headers = {
    'content-type': 'application/json',
    authorization: `API-Key ${receiver.secret}`,
    'content-length': Buffer.byteLength(body),
  }
  return new Promise((resolve, reject) => {
    const request = http.request({ port, agent, method: 'POST', path: receiver.path, headers }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`A delivery was answered ${answer.statusCode}`))
      answer.resume().once('close', resolve)
    })
    request.once('error', reject)
    request.end(body)
  })
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
