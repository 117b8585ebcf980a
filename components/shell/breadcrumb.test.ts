import { PathnameContext } from 'next/dist/shared/lib/hooks-client-context.shared-runtime.js'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { Breadcrumb } from './breadcrumb.tsx'

/** Its links as [address, name], in the order in which they stand. */
function linksAt(path: string, isCompany = false) {
  const html = renderToStaticMarkup(
    createElement(PathnameContext.Provider, { value: path }, createElement(Breadcrumb)),
  )
  return [...html.matchAll(/<a class="([^"]*)" href="([^"]*)">([^<]*)/g)].flatMap(
    ([, look = '', to, name]) => {
      const looks = look.split(' ')
      const mark = looks.find((each) => each.startsWith('group-has-data-company/page:'))
      const shown = isCompany && mark ? mark.endsWith(':block') : !looks.includes('hidden')
      return shown ? [[to, name]] : []
    },
  )
}

const uuid = '2046967a-0000-4000-8000-000000000001'

it('leads back to the list of what is open', () => {
  expect(linksAt('/users')).toEqual([])
  expect(linksAt(`/users/${uuid}`)).toEqual([['/users', 'People']])
  expect(linksAt(`/accounts/${uuid}`)).toEqual([['/accounts', 'Accounts']])
})

it('of a company to that of companies, whose address is that of a person', () => {
  expect(linksAt(`/users/${uuid}`, true)).toEqual([['/companies', 'Companies']])
})
