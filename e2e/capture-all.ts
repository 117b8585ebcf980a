import type { Page } from '@playwright/test'

/** Every text that the browser receives: answers of every kind, and each message of the live stream. */
export async function captureAll(page: Page) {
  const bodies: Promise<string>[] = []
  const messages: string[] = []
  page.on('response', (response) => {
    const type = response.headers()['content-type'] ?? ''
    if (/event-stream|image|font/.test(type)) return
    bodies.push(
      response.body().then(
        (body) => `${response.url()}\n${body.toString('utf8')}`,
        // Redirects have none, and pages that were left take theirs along.
        () => '',
      ),
    )
  })
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  devtools.on('Network.eventSourceMessageReceived', ({ data }) => messages.push(data))
  return {
    text: async () => [...(await Promise.all(bodies)), ...messages].join('\n'),
    streamed: () => messages.join('\n'),
  }
}
