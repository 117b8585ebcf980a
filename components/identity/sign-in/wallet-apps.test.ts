import { expect, it } from 'vitest'
import { pairingLink, walletApps } from './wallet-app-links.tsx'

const page = 'https://dash.example.com/sign-in?next=%2Ftransactions%3Fq%3D1&x=2'
const linkOf = (name: string) => walletApps.find((app) => app.name === name)?.openPage?.(page) ?? ''

it('every link with the page as a parameter keeps the whole page', () => {
  expect(new URL(linkOf('Coinbase Wallet')).searchParams.get('cb_url')).toBe(page)
  expect(new URL(linkOf('Trust Wallet')).searchParams.get('url')).toBe(page)
})

it('MetaMask gets the address without its scheme, as the rest of the path', () => {
  expect(linkOf('MetaMask')).toBe(`https://link.metamask.io/dapp/${page.slice('https://'.length)}`)
})

it('a connection is passed on whole', () => {
  const uri = 'wc:7f6e@2?relay-protocol=irn&symKey=ab%20c'
  const links = walletApps.flatMap(({ connectAt }) => (connectAt ? pairingLink(connectAt, uri) : []))
  expect(links.length).toBeGreaterThan(2)
  for (const link of links) expect(new URL(link).searchParams.get('uri')).toBe(uri)
})
