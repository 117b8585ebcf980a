import http from 'node:http'

/** The time is that of a body's first arrival, by the machine's clock. */
export type ReceivedBody = readonly [body: string, at: number]

// The receiver answers every delivery at once, and reports on request what has arrived since the last request.
const arrivals = new Map<string, number>()

const server = http.createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  if (!arrivals.has(body)) arrivals.set(body, Date.now())
  response.writeHead(200, { 'content-length': 2 }).end('{}')
})

process.on('message', (wanted) => {
  process.send?.(wanted === 'count' ? arrivals.size : [...arrivals])
  if (wanted !== 'count') arrivals.clear()
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' && address ? address.port : 0)
})
