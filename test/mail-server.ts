import { once } from 'node:events'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface TestMail {
  readonly to: readonly string[]
  /** The text holds headers and body as they were sent. */
  readonly text: string
}

/**
 * A real mail server on this machine keeps the mails that it accepts. It knows no mailbox whose name begins with `nobody`,
 * and defers mail for a name that begins with `later`.
 */
export async function startMailServer(
  options: SMTPServerOptions = { disabledCommands: ['STARTTLS'] },
  port = 0,
) {
  const received: TestMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    ...options,
    onRcptTo({ address }, _session, done) {
      const code = address.startsWith('nobody') ? 550 : address.startsWith('later') ? 450 : null
      done(code === null ? null : Object.assign(new Error('not this mailbox'), { responseCode: code }))
    },
    async onData(stream, { envelope }, done) {
      let text = ''
      try {
        for await (const chunk of stream) text += chunk
      } catch (error) {
        // The client went away before the end of the text.
        return done(error instanceof Error ? error : new Error(String(error)))
      }
      received.push({ to: envelope.rcptTo.map(({ address }) => address), text: text.replaceAll('=\r\n', '') })
      done()
    },
  })
  server.on('error', () => {})
  const listening = server.listen(port, '127.0.0.1')
  await once(listening, 'listening')
  const address = listening.address()
  return {
    received,
    url: `smtp://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
