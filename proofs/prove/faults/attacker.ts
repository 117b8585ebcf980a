import net from 'node:net'

// The attacker sends wrong secrets as fast as they are refused, on 30 connections that stay open, until it gets the message
// to stop.
const [port = '', receiverId = ''] = process.argv.slice(2)
const connections = 30
let refused = 0
let others = 0
let stopping = false

process.once('message', () => {
  stopping = true
})
await Promise.all(Array.from({ length: connections }, guessUntilStopped))
process.send?.({ refused, others })
process.disconnect()

async function guessUntilStopped() {
  const socket = net.connect(Number(port), '127.0.0.1').setNoDelay(true)
  while (!stopping) {
    const status = await guess(socket)
    if (status === '401') refused += 1
    else others += 1
  }
  socket.destroy()
}

function guess(socket: net.Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let read = ''
    const take = (chunk: Buffer) => {
      read += chunk.toString('latin1')
      const head = read.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(read)?.[1] ?? 0)
      if (head < 0 || read.length < head + 4 + length) return
      socket.off('data', take)
      socket.off('close', close)
      resolve(read.slice(9, 12))
    }
    const close = () => reject(new Error('The server closed a connection'))
    socket.on('data', take)
    socket.once('close', close)
    socket.write(
      `POST /api/webhooks/${receiverId} HTTP/1.1\r\nHost: x\r\nAuthorization: API-Key ${Math.random()}\r\nContent-Length: 2\r\n\r\n{}`,
    )
  })
}
