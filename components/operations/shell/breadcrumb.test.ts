import { PathnameContext } from 'next/dist/shared/lib/hooks-client-context.shared-runtime.js'
import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { Breadcrumb } from './breadcrumb.tsx'
import { NavLink } from './navigation.tsx'
import { placeGroups } from './places.ts'

const markup = (path: string, shown: ReactNode) =>
  renderToStaticMarkup(createElement(PathnameContext.Provider, { value: path }, shown))

/** The links come as [address, name], in their order. */
const linksAt = (path: string) =>
  [...markup(path, createElement(Breadcrumb)).matchAll(/<a [^>]*href="([^"]*)">([^<]*)/g)].map(
    ([, to, name]) => [to, name],
  )

/** The sidebar marks these places. */
const markedAt = (path: string) =>
  placeGroups.flatMap(({ places }) =>
    places.flatMap(({ href, name: children }) => {
      const link = markup(path, createElement(NavLink, { href, icon: null, children }))
      return link.includes('aria-current="true"') ? [children] : []
    }),
  )

const uuid = '2046967a-0000-4000-8000-000000000001'

/** The name of an address is below its list, or alone. */
const currentAt = (path: string) =>
  /aria-current="page">([^<]*)/.exec(markup(path, createElement(Breadcrumb)))?.[1]

it('names a page that is no thing of a list', () => {
  const paths = ['/endpoints/new', '/users/import', '/profile', '/go', '/notices']
  expect(paths.map(currentAt)).toEqual(['New', 'Import', 'Your sign-ins', 'Find', 'Notices'])
  expect(currentAt(`/users/${uuid}`)).toBe('2046967a…00001')
})

it('links to the list of the open thing, which the sidebar marks', () => {
  expect([linksAt('/users'), markedAt('/users')]).toEqual([[], []])
  for (const [href, name] of [
    ['/users', 'People'],
    ['/companies', 'Companies'],
    ['/accounts', 'Accounts'],
  ] as const) {
    expect(linksAt(`${href}/${uuid}`)).toEqual([[href, name]])
    expect(markedAt(`${href}/${uuid}`)).toEqual([name])
  }
})
