import type { LookupFunction } from 'node:net'
import { expect, it } from 'vitest'
import { shareLookups } from './send.ts'

it('concurrent lookups of a name share one query; a later lookup starts another', async () => {
  const asked: string[] = []
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const slowly: LookupFunction = (hostname, _options, callback) => {
    asked.push(hostname)
    released.then(() => callback(null, `address of ${hostname}`, 4))
  }
  const lookup = shareLookups(slowly)
  const ask = (hostname: string, all = false) =>
    new Promise((resolve) => lookup(hostname, { all }, (_error, address) => resolve(address)))

  const answers = [ask('dead'), ask('dead'), ask('other'), ask('dead', true)]
  expect(asked).toEqual(['dead', 'other', 'dead'])
  release()
  expect(await Promise.all(answers)).toEqual([
    'address of dead',
    'address of dead',
    'address of other',
    'address of dead',
  ])
  await ask('dead')
  expect(asked).toEqual(['dead', 'other', 'dead', 'dead'])
})
