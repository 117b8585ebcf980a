import 'server-only'
import crypto from 'node:crypto'
import { walletConnectSources } from '#lib/identity/rules/wallets.ts'
import { env } from '../env.ts'

type Headers = Readonly<Record<string, string>>

let answers: Headers | undefined

/**
 * These headers are for answers that no browser shows as a page: deliveries, probes and refusals. A cache may keep a 404
 * that says nothing about that.
 */
export function answerHeaders(): Headers {
  answers ??= Object.freeze({
    ...sharedHeaders(),
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  })
  return answers
}

/** These headers are for pages and all other answers of Next. Scripts in a page carry the nonce. */
export function pageHeaders(nonce: string): Headers {
  return { ...sharedHeaders(), 'content-security-policy': pagePolicy(nonce) }
}

export const newNonce = () => crypto.randomBytes(16).toString('base64')

function sharedHeaders(): Headers {
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    // Paths contain ids. With no-referrer, a form would send `Origin: null`.
    'referrer-policy': 'same-origin',
    'permissions-policy': permissions,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    ...(isHttps() ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
}

const isHttps = () => env().publicUrl.protocol === 'https:'

const permissions = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'usb',
]
  .map((feature) => `${feature}=()`)
  .concat('publickey-credentials-get=(self)', 'publickey-credentials-create=(self)', 'clipboard-write=(self)')
  .join(', ')

const nowhere = { connect: [], frame: [] } as const

/**
 * Only scripts that this server sent can run. They may connect to this server and, if it is set up, to WalletConnect. React
 * needs `eval` to explain errors in development.
 */
function pagePolicy(nonce: string): string {
  const { dev, walletConnectProjectId } = env()
  const { connect, frame } = walletConnectProjectId === null ? nowhere : walletConnectSources
  return [
    "default-src 'self'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'${dev ? " 'unsafe-eval'" : ''}`,
    // Next's overlay in development has no nonce.
    dev ? "style-src 'self' 'unsafe-inline'" : `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    `connect-src ${["'self'", ...(dev ? ['ws:'] : []), ...connect].join(' ')}`,
    "object-src 'none'",
    `frame-src ${frame.join(' ') || "'none'"}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    ...(isHttps() ? ['upgrade-insecure-requests'] : []),
  ].join('; ')
}
