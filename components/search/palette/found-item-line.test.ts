import { Command } from 'cmdk'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { FoundItemLine } from './found-item-line.tsx'

const nowhere = () => undefined

it.each([
  ['wrong', 'one character differs'],
  ['missing', 'one character more'],
  ['too-many', 'one character less'],
  ['swapped', 'two characters swapped'],
  [null, 'digits for letters'],
] as const)('says in which way an id is close to what was typed: %s', (kind, words) => {
  const near = { subjectId: 'transaction:1', value: '2046967a', slip: kind && { kind, at: 2 } }
  const line = createElement(FoundItemLine, {
    item: { kind: 'near', value: 'near', near },
    why: {},
    go: nowhere,
  })
  const list = createElement(Command.List, null, line)
  expect(renderToStaticMarkup(createElement(Command, { shouldFilter: false }, list))).toContain(words)
})
