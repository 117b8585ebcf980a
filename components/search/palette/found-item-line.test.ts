import { Command } from 'cmdk'
import { type ComponentProps, createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { FoundItemLine } from './found-item-line.tsx'

function shown(item: ComponentProps<typeof FoundItemLine>['item']): string {
  const line = createElement(FoundItemLine, { item, why: {}, go: () => undefined })
  const list = createElement(Command.List, null, line)
  return renderToStaticMarkup(createElement(Command, { shouldFilter: false }, list))
}

it.each([
  ['wrong', 'one character differs'],
  ['missing', 'one character more'],
  ['too-many', 'one character less'],
  ['swapped', 'two characters swapped'],
  [null, 'digits for letters'],
] as const)('says in which way an id is close to what was typed: %s', (kind, words) => {
  const near = { subjectId: 'transaction:1', value: '2046967a', slip: kind && { kind, at: 2 } }
  expect(shown({ kind: 'near', value: 'near', near })).toContain(words)
})

it('names the status of an endpoint, and one that was added later as it is', () => {
  const endpoint = (status: string) =>
    shown({ kind: 'endpoint', value: 'shop', endpoint: { endpointUuid: '1', name: 'Shop', status } })
  expect(endpoint('auto_disabled')).toContain('Endpoint · Auto-disabled')
  expect(endpoint('on_holiday')).toContain('Endpoint · on_holiday')
})
