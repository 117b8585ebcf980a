import { expect, it } from 'vitest'
import { AddressRefused, findPublicAddresses, type Resolve } from './public-address.ts'

const answering =
  (...addresses: readonly string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

const hostOf = (url: string) => new URL(url).hostname

it.each([
  ['loopback', 'https://127.0.0.1'],
  ['loopback by its last number', 'https://127.255.255.254'],
  ['loopback in hexadecimal', 'https://0x7f.1'],
  ['loopback as one number', 'https://2130706433'],
  ['nobody', 'https://0.0.0.0'],
  ['private 10', 'https://10.1.2.3'],
  ['private 172', 'https://172.31.255.255'],
  ['private 192', 'https://192.168.0.1'],
  ['the metadata of a cloud', 'https://169.254.169.254'],
  ['a carrier', 'https://100.64.0.1'],
  ['multicast', 'https://224.0.0.1'],
  ['broadcast', 'https://255.255.255.255'],
  ['IPv6 loopback', 'https://[::1]'],
  ['IPv6 nobody', 'https://[::]'],
  ['mapped loopback', 'https://[::ffff:127.0.0.1]'],
  ['a mapped public address', 'https://[::ffff:8.8.8.8]'],
  ['link-local', 'https://[fe80::1]'],
  ['unique local', 'https://[fd12:3456::1]'],
  ['metadata by IPv6', 'https://[fd00:ec2::254]'],
  ['translated', 'https://[64:ff9b::7f00:1]'],
  ['6to4', 'https://[2002:7f00:1::]'],
  ['IPv6 multicast', 'https://[ff02::1]'],
])('refuses %s', async (_name, url) => {
  await expect(findPublicAddresses(hostOf(url))).rejects.toMatchObject({ why: 'internal' })
})

it.each([
  ['https://8.8.8.8', '8.8.8.8'],
  ['https://172.32.0.1', '172.32.0.1'],
  ['https://100.128.0.1', '100.128.0.1'],
  ['https://[2606:4700::1111]', '2606:4700::1111'],
])('takes %s', async (url, address) => {
  await expect(findPublicAddresses(hostOf(url))).resolves.toMatchObject([{ address }])
})

it('accepts the address of a name, and refuses the name when one of several addresses is internal', async () => {
  const find = (...addresses: string[]) =>
    findPublicAddresses('example.com', { resolve: answering(...addresses) })
  await expect(find('93.184.216.34', '2606:4700::1111')).resolves.toEqual([
    { address: '93.184.216.34', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ])
  await expect(find('93.184.216.34', '10.0.0.1')).rejects.toMatchObject({ why: 'internal' })
  await expect(find()).rejects.toMatchObject({ why: 'unknown-host' })
})

it('says that a name is unknown', async () => {
  const resolve = () => Promise.reject(new Error('ENOTFOUND'))
  await expect(findPublicAddresses('nowhere.example', { resolve })).rejects.toThrow(AddressRefused)
})

it('accepts loopback when that is allowed, and no other internal address', async () => {
  await expect(findPublicAddresses('127.0.0.1', { loopback: true })).resolves.toMatchObject([{ family: 4 }])
  await expect(findPublicAddresses('[::1]', { loopback: true })).resolves.toMatchObject([{ address: '::1' }])
  await expect(findPublicAddresses('10.0.0.1', { loopback: true })).rejects.toThrow(AddressRefused)
})
