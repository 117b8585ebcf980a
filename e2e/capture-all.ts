import type { Page } from '@playwright/test'

/** The capture holds every text that the browser receives: answers of every kind, and each message of the live stream. */
export async function captureAll(page: Page) {
  const bodies: Promise<{ readonly isScript: boolean; readonly text: string }>[] = []
  const messages: string[] = []
  /** The bodies of these answers were lost, so the test could not read them. */
  const unread: string[] = []
  page.on('response', (response) => {
    const type = response.headers()['content-type'] ?? ''
    if (/event-stream|image|font/.test(type)) return
    const isScript = type.includes('javascript')
    const read = response.body().then(
      (body) => `${response.url()}\n${body.toString('utf8')}`,
      async (error: unknown) => {
        // Redirects and 204 have no body, and an aborted answer was not received.
        const request = response.request()
        const hasNone = response.status() === 204 || (response.status() >= 300 && response.status() < 400)
        if (hasNone || request.failure()) return ''
        // A page that was left loses its answers, so the test asks for them again.
        if (request.method() === 'GET') {
          const headers = await request.allHeaders()
          const wire = Object.entries(headers).filter(([name]) => !name.startsWith(':'))
          const again = await page.request.get(response.url(), { headers: Object.fromEntries(wire) })
          if (again.status() === response.status()) return `${response.url()}\n${await again.text()}`
        }
        unread.push(`${response.url()}: ${error}`)
        return ''
      },
    )
    bodies.push(read.then((text) => ({ isScript, text })))
  })
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  devtools.on('Network.eventSourceMessageReceived', ({ data }) => messages.push(data))
  // A script that several pages load is searched once.
  const textOf = async (isScript: boolean) => {
    const texts = (await Promise.all(bodies)).filter((body) => body.isScript === isScript)
    return [...new Set(texts.map(({ text }) => text))].join('\n')
  }
  return {
    text: async () => [await textOf(false), ...messages].join('\n'),
    scripts: () => textOf(true),
    streamed: () => messages.join('\n'),
    unread: async () => {
      await Promise.all(bodies)
      return unread
    },
  }
}
