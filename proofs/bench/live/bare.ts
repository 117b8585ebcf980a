import http from 'node:http'

// The baseline writes a message of the same length to every open connection. For a number n it writes n messages, ten a
// second, and reports the processor time per message in ms.
const pause = 100
const message = Buffer.from(
  `id: m3xk2p9f.123\ndata: ${JSON.stringify({ kind: 'changed', subjects: [`transaction:${'0'.repeat(36)}`], at: new Date() })}\n\n`,
)
const open = new Set<http.ServerResponse>()
const server = http.createServer((_request, response) => {
  response.removeHeader('transfer-encoding')
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('retry: 2000\n\n')
  open.add(response)
})
process.on('message', async (messages) => {
  const before = process.cpuUsage()
  for (let count = 0; count < Number(messages); count++) {
    for (const response of open) response.write(message)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
  const { user, system } = process.cpuUsage(before)
  process.send?.((user + system) / 1000 / Number(messages))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' && address ? address.port : 0)
})
