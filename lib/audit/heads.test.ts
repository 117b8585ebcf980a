import { expect, it } from 'vitest'
import { jsonLine } from '#lib/platform/log/create-log.ts'
import { headMessage, readHeads, signHead } from './heads.ts'

const key = (id: string, byte: number) => ({ id, bytes: Buffer.alloc(32, byte) })
const keys = [key('k1', 1)] as const
const head = { position: 7n, digest: Buffer.alloc(32, 0xab), at: '2026-11-22T08:00:00.000Z' }

it('finds the heads in a log among its other lines, whole after what the log takes out of them', () => {
  const log = [
    jsonLine({ level: 'info', message: 'Something else', signature: 'no head' }),
    jsonLine({ level: 'info', component: 'audit', head: signHead(keys, head), message: headMessage }),
    'a line that was cut off {"head":{"signature":"',
  ].join('')
  expect(readHeads(keys, log.split('\n'))).toEqual({ heads: [head], forged: 0, unchecked: 0 })
})

it('finds heads that were posted, behind whatever their receiver puts before them', () => {
  const line = `2026-11-22 08:00:01 POST ${JSON.stringify(signHead(keys, head))}`
  expect(readHeads(keys, [line]).heads).toEqual([head])
})

it('passes over a head that nobody signed, and takes one whose key is not at hand', () => {
  const forged = { ...signHead(keys, head), position: '3' }
  const lines = [JSON.stringify(forged), JSON.stringify(signHead([key('k9', 9)], head))]
  expect(readHeads(keys, lines)).toEqual({ heads: [head], forged: 1, unchecked: 1 })
})
