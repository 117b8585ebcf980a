import { once } from 'node:events'
import net from 'node:net'
import type { TestMail } from './mail-server.ts'

/** The script answers one line of a client. Null closes the connection, and undefined answers as a healthy mail server. */
export type Script = (
  line: string,
  socket: net.Socket,
) => string | null | undefined | Promise<string | null | undefined>

/** The mail server answers what a test wants. The script gets `CONNECT` first, and `.` at the end of a text. */
export async function startScriptedMailServer(port = 0) {
  const received: TestMail[] = []
  const lines: string[] = []
  const sockets = new Set<net.Socket>()
  let script: Script = () => undefined
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
    // Tests check clients that disconnect in the middle.
    talk(socket).catch(() => undefined)
  })

  async function say(line: string, socket: net.Socket): Promise<boolean> {
    lines.push(line)
    const said = await script(line, socket)
    const answer = said === undefined ? usual(line) : said
    if (answer === null) socket.destroy()
    else if (!socket.destroyed) socket.write(`${answer}\r\n`)
    return answer?.startsWith('354') ?? false
  }

  async function talk(socket: net.Socket) {
    await say('CONNECT', socket)
    let to: string[] = []
    let text: string[] | null = null
    let rest = ''
    for await (const chunk of socket) {
      const given = (rest + chunk).split('\r\n')
      rest = given.pop() ?? ''
      for (const line of given) {
        if (text !== null && line !== '.') {
          text.push(line)
        } else if (text !== null) {
          received.push({ to, text: text.join('\r\n').replaceAll('=\r\n', '') })
          text = null
          await say('.', socket)
        } else {
          if (line.startsWith('MAIL')) to = []
          const recipient = /^RCPT TO:<(.*)>/.exec(line)?.[1]
          if (recipient !== undefined) to.push(recipient)
          if (await say(line, socket)) text = []
        }
      }
    }
  }

  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    received,
    /** The lines are everything that clients sent, without texts. */
    lines,
    url: `smtp://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    play(next: Script = () => undefined) {
      script = next
      received.splice(0)
      lines.splice(0)
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function usual(line: string): string {
  if (line === 'CONNECT') return '220 test'
  if (line.startsWith('EHLO')) return '250-test\r\n250 AUTH PLAIN'
  if (line.startsWith('AUTH')) return '235 come in'
  if (line === 'DATA') return '354 go on'
  return line === 'QUIT' ? '221 bye' : '250 fine'
}
