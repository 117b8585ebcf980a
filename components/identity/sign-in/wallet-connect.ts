import { SignClient } from '@walletconnect/sign-client'
import { stringToHex } from 'viem'
import type { Signer } from './signing.tsx'

/** A wallet elsewhere may accept this connection. */
export interface Pairing {
  /** The wallet gets the uri as a QR code or in a link. */
  readonly uri: string
  /** The promise settles once somebody has agreed or refused in a wallet, or after five minutes. */
  readonly signer: Promise<ConnectedSigner>
}

export interface ConnectedSigner extends Signer {
  /** `disconnect` makes the wallet forget this page. */
  readonly disconnect: () => Promise<void>
}

/** This begins a WalletConnect connection that may only sign messages. Load it on demand, because it is large. */
export async function openPairing(projectId: string, merchant: string): Promise<Pairing> {
  const client = await SignClient.init({
    projectId,
    telemetryEnabled: false,
    metadata: { name: merchant, description: 'Sign in', url: window.location.origin, icons: [] },
  })
  const { uri, approval } = await client.connect({
    optionalNamespaces: { eip155: { chains: ['eip155:1'], methods: ['personal_sign'], events: [] } },
  })
  if (!uri) throw new Error('WalletConnect gave no address')
  return { uri, signer: approval().then((session) => signerOf(client, session)) }
}

type Client = Awaited<ReturnType<typeof SignClient.init>>
type Session = Awaited<ReturnType<Awaited<ReturnType<Client['connect']>>['approval']>>

/** The account is the first that the wallet shares, written `eip155:1:0x…`. */
function signerOf(client: Client, { topic, namespaces, peer }: Session): ConnectedSigner {
  const [, chain = '', address = ''] = namespaces.eip155?.accounts[0]?.split(':') ?? []
  if (address === '') throw new Error('The wallet shared no address')
  return {
    kind: 'wallet',
    name: peer.metadata.name,
    address,
    chainId: Number(chain),
    sign: (message) =>
      client.request<string>({
        topic,
        chainId: `eip155:${chain}`,
        request: { method: 'personal_sign', params: [stringToHex(message), address] },
      }),
    disconnect: () => client.disconnect({ topic, reason: { code: 6000, message: 'Signed in or left' } }),
  }
}
