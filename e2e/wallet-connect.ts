import { type BrowserContext, expect, type Page, type WebSocketRoute } from '@playwright/test'
import type { Hex, PrivateKeyAccount } from 'viem'

/**
 * The relay replaces WalletConnect's for the pages of these contexts. It passes sealed messages on by topic, and keeps those
 * that come before their reader. No other host outside this machine is reached.
 */
export async function startRelay(...contexts: BrowserContext[]) {
  const readers = new Map<string, Map<WebSocketRoute, string>>()
  const waiting = new Map<string, Published[]>()
  let ids = Date.now()
  const deliver = (socket: WebSocketRoute, id: string, published: Published) => {
    const params = { id, data: { ...published, publishedAt: Date.now() } }
    socket.send(JSON.stringify({ id: ids++, jsonrpc: '2.0', method: 'irn_subscription', params }))
  }
  const subscribe = (socket: WebSocketRoute, topic: string): string => {
    const id = crypto.randomUUID()
    const known = readers.get(topic) ?? new Map<WebSocketRoute, string>()
    readers.set(topic, known.set(socket, id))
    for (const published of waiting.get(topic) ?? []) setTimeout(() => deliver(socket, id, published))
    waiting.delete(topic)
    return id
  }
  const publish = (from: WebSocketRoute, published: Published) => {
    const others = [...(readers.get(published.topic) ?? [])].filter(([socket]) => socket !== from)
    for (const [socket, id] of others) deliver(socket, id, published)
    if (others.length === 0)
      waiting.set(published.topic, [...(waiting.get(published.topic) ?? []), published])
    return true
  }
  const answers: Record<string, (socket: WebSocketRoute, params: RelayParams) => unknown> = {
    irn_publish: publish,
    irn_subscribe: (socket, { topic }) => subscribe(socket, topic),
    irn_batchSubscribe: (socket, { topics }) => topics.map((topic) => subscribe(socket, topic)),
    irn_fetchMessages: () => ({ messages: [], hasMore: false }),
    irn_batchFetchMessages: () => ({ messages: [], hasMore: false }),
    irn_unsubscribe: () => true,
  }
  for (const context of contexts) {
    await context.route(/^https:\/\/[^/]*walletconnect\./, (route) => route.abort())
    await context.routeWebSocket(/^wss:\/\/relay\.walletconnect\./, (socket) => {
      socket.onMessage((text) => {
        const { id, method, params } = JSON.parse(String(text)) as RelayRequest
        const answer = method === undefined ? undefined : answers[method]
        if (answer) socket.send(JSON.stringify({ id, jsonrpc: '2.0', result: answer(socket, params) }))
      })
    })
  }
}

interface Published {
  readonly topic: string
  readonly message: string
  readonly tag: number
}

interface RelayParams extends Published {
  readonly topics: readonly string[]
}

interface RelayRequest {
  readonly id: number
  readonly method?: string
  readonly params: RelayParams
}

/** A wallet in the page `phone` agrees to the connection that `page` shows. */
export async function agreeOnPhone(page: Page, phone: Page, account: PrivateKeyAccount): Promise<void> {
  await page.getByRole('button', { name: 'Copy the connection' }).click()
  const uri = await page.evaluate(() => navigator.clipboard.readText())
  expect(uri).toMatch(/^wc:/)
  await agreeInWallet(phone, account, uri)
}

/** The wallet runs in a page of its own. It agrees to whoever connects by `uri`, and signs every request. */
async function agreeInWallet(page: Page, account: PrivateKeyAccount, uri: string): Promise<void> {
  await page.exposeFunction('signWithTestWallet', (raw: Hex) => account.signMessage({ message: { raw } }))
  await page.goto('/robots.txt')
  await page.addScriptTag({ path: 'node_modules/@walletconnect/sign-client/dist/index.umd.js' })
  await page.evaluate(runWallet, { address: account.address, uri })
}

interface WalletClient {
  on(event: 'session_proposal', listener: (proposal: { readonly id: number }) => void): void
  on(event: 'session_request', listener: (request: SigningRequest) => void): void
  approve(answer: object): Promise<unknown>
  respond(answer: object): Promise<unknown>
  pair(given: { readonly uri: string }): Promise<unknown>
}

interface SigningRequest {
  readonly id: number
  readonly topic: string
  readonly params: { readonly request: { readonly params: readonly string[] } }
}

/** The function runs in the browser. */
async function runWallet({ address, uri }: { address: string; uri: string }) {
  const sign: (message: string) => Promise<string> = Reflect.get(window, 'signWithTestWallet')
  const { SignClient } = Reflect.get(window, '@walletconnect/sign-client') as {
    SignClient: { init(options: object): Promise<WalletClient> }
  }
  const metadata = { name: 'Phone Wallet', description: '', url: 'https://wallet.example', icons: [] }
  const client = await SignClient.init({ projectId: '0'.repeat(32), telemetryEnabled: false, metadata })
  const eip155 = {
    chains: ['eip155:1'],
    accounts: [`eip155:1:${address}`],
    methods: ['personal_sign'],
    events: [],
  }
  client.on('session_proposal', ({ id }) => void client.approve({ id, namespaces: { eip155 } }))
  client.on('session_request', async ({ id, topic, params }) => {
    const result = await sign(params.request.params[0] ?? '')
    await client.respond({ topic, response: { id, jsonrpc: '2.0', result } })
  })
  await client.pair({ uri })
}
