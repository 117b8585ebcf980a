import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accountNumberKey } from '#lib/domain/delivery/identifier.ts'
import { shortId } from '#lib/labels/short-id.ts'
import { type Probe, readQuery } from './read-query.ts'

const id = '2046967a-e17d-45b7-9cc9-a4c1b2ad1329'
const hash = `0x${'371fa7c5'.repeat(8)}`
const wallet = '0x26d0bfaa7de6f4d5a8f06bd2c7b0f35b3d708932'
const iban = 'es9121000418450200051332'

describe('readQuery', () => {
  it.each([
    ['a whole id', id, id, `Id ${id}`],
    ['an id in capitals, quotes and blanks', ` "${id.toUpperCase()}" `, id, `Id ${id}`],
    ['an id in a link', `https://example.com/transactions/${id}?tab=1`, id, `Id ${id}`],
    ['an id in a line of a mail', `Where is my payment ${id}?`, id, `Id ${id}`],
    ['an id without its dashes', id.replaceAll('-', ''), id, `Id ${id}`],
    ['a hash', hash.toUpperCase().replace('0X', '0x'), hash, `Transaction hash ${hash}`],
    ['a wallet in a link', `https://example.com/address/${wallet}`, wallet, `Wallet ${wallet}`],
  ])('understands %s', (_, text, value, words) => {
    const reading = readQuery(text)
    expect(reading.explanation).toBe(words)
    expect(reading.probes[0]).toMatchObject({ prefix: value, suffix: null, exact: true })
  })

  it.each([
    ['an e-mail', ' Ana.B+x@Demo.test\n', 'Ana.B+x@Demo.test'],
    ['an e-mail with its name', 'Ana B <ana@demo.test>', 'ana@demo.test'],
    ['an e-mail in a sentence', 'Where is the money of ana@demo.test?', 'ana@demo.test'],
  ])('understands %s', (_, text, email) => {
    expect(readQuery(text)).toEqual({ probes: [], email, explanation: `E-mail ${email}` })
  })

  it.each([
    ['the beginning of an id', '2046', id],
    ['a beginning that ends in a dash', '2046967a-', id],
    ['a beginning without dashes', '2046967ae17d4', id],
    ['the end of an id', 'd1329', id],
    ['an end with dashes', '9cc9-a4c1b2ad1329', id],
    ['an end without dashes', '45b79cc9a4c1b2ad1329', id],
    ['an end just past the last dash', '9a4c1b2ad1329', id],
    ['head and tail as we print them', '2046967a…d1329', id],
    ['head and tail with dots', '2046967a...d1329', id],
    ['a tail alone', '…d1329', id],
    ['a head alone', '2046967a…', id],
    ['a hash as we print it', shortId(hash), hash],
    ['the beginning of a hash', '0x371f', hash],
    ['the beginning of a hash without its 0x', '371fa7c5', hash],
    ['a wallet as we print it', '0x26D0…8932', wallet],
  ])('finds %s', (_, text, value) => {
    expect(readQuery(text).probes.some((probe) => finds(probe, value))).toBe(true)
  })

  it.each([
    ['an IBAN with blanks', 'ES91 2100 0418 4502 0005 1332', iban, 'IBAN ES9121000418450200051332'],
    [
      'an IBAN between the marks that it is kept with',
      '=ES9121000418450200051332=',
      iban,
      'IBAN ES9121000418450200051332',
    ],
    [
      'an account number',
      '3192 6819',
      '31926819',
      'Id beginning or ending with 31926819, or an account number',
    ],
  ])('understands %s, whole', (_, text, accountNumber, explanation) => {
    expect(readQuery(text)).toMatchObject({ accountNumber, explanation })
  })

  it('finds no account number by any part of it, whatever is typed', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        fc.integer({ min: 1, max: 24 }),
        (text, length) => {
          const kept = accountNumberKey(iban)
          for (const typed of [
            text,
            `=${iban.slice(0, length)}`,
            `${iban.slice(-length)}=`,
            `=${iban.slice(0, length)}…${iban.slice(-4)}=`,
          ])
            expect(readQuery(typed).probes.some((probe) => finds(probe, kept))).toBe(false)
        },
      ),
    )
  })

  it.each([
    ['', 'Paste an id, a hash, a wallet, an IBAN or an e-mail'],
    ['  ""', 'Paste an id, a hash, a wallet, an IBAN or an e-mail'],
    ['204', 'Type at least 4 characters'],
    ['0x37', 'Type at least 4 characters'],
    ['…', 'Type at least 4 characters of its beginning or its end'],
    ['20…29', 'Type at least 4 characters of its beginning or its end'],
  ])('looks nothing up for %j and says why', (text, words) => {
    expect(readQuery(text)).toEqual({ probes: [], explanation: words })
  })

  it('finds any id by any beginning or end of 4 characters and more, and as it is printed', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 5, max: 36 }), (value, length) => {
        for (const text of [value.slice(0, length), value.slice(-length), shortId(value)]) {
          expect(readQuery(text).probes.some((probe) => finds(probe, value))).toBe(true)
        }
        const bare = value.replaceAll('-', '')
        for (const text of [bare.slice(0, length), bare.slice(-length)]) {
          expect(readQuery(text).probes.some((probe) => finds(probe, value))).toBe(true)
        }
      }),
    )
  })

  it('survives anything, and never looks for fewer than 4 characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 700 }), (text) => {
        for (const probe of readQuery(text).probes) {
          expect(Math.max(probe.prefix?.length ?? 0, probe.suffix?.length ?? 0)).toBeGreaterThanOrEqual(4)
        }
      }),
    )
  })
})

/** What the database does with a probe. */
const finds = ({ prefix, suffix, exact }: Probe, value: string) =>
  exact ? value === prefix : value.startsWith(prefix ?? '') && value.endsWith(suffix ?? '')
