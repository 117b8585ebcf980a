'use client'

import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import { permissionOfPage } from '#lib/access/rules/pages.ts'
import { may, type Role, roles } from '#lib/access/rules/roles.ts'
import { useWords } from '../browser/words.tsx'
import { Card } from '../card.tsx'
import { CopyButton } from '../copy-button.tsx'
import { ButtonLink } from '../link.tsx'

/** The reader's role may not see this page. The text says which role may, and has a request for it to copy. */
export function NoAccess({
  role,
  name,
  origin,
}: {
  readonly role: Role
  readonly name: string
  readonly origin: string
}) {
  const path = usePathname()
  const words = useWords()
  const permission = permissionOfPage(path)
  const allowed = permission ? roles.filter((each) => may(each, permission)) : []
  const needed = listOf(allowed.map((each) => roleLabels[each]))
  if (role === 'end-user')
    return (
      <Frame title={words('ui.notForCustomers.title')}>
        <p>{words('ui.notForCustomers.body')}</p>
        <ButtonLink variant="primary" href="/account" className="mt-5">
          {words('ui.notForCustomers.go')}
        </ButtonLink>
      </Frame>
    )
  return (
    <Frame title={needed === '' ? 'Your role does not allow this' : `This page needs the role ${needed}`}>
      <p>
        You are signed in as {name}, with the role {roleLabels[role]}. An admin of your team can give you
        another one.
      </p>
      <div className="mt-5 flex flex-wrap justify-center gap-2">
        <CopyButton text={requestText({ path: `${origin}${path}`, name, role, needed })}>
          Copy a request for an admin
        </CopyButton>
        <ButtonLink href="/">Go to your first page</ButtonLink>
      </div>
    </Frame>
  )
}

const Frame = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <Card className="mx-auto max-w-lg p-7 text-center">
    <h1 className="font-heading text-lg">{title}</h1>
    <div className="mt-2 text-muted text-table">{children}</div>
  </Card>
)

function requestText({
  path,
  name,
  role,
  needed,
}: {
  readonly path: string
  readonly name: string
  readonly role: Role
  readonly needed: string
}): string {
  const wanted = needed === '' ? 'another role' : `the role ${needed}`
  return `I would like to use ${path}, which needs ${wanted}. I am ${name}, with the role ${roleLabels[role]}. Why I need it: `
}

/** The text is `Support, Auditor or Admin`. */
const listOf = (words: readonly string[]) => new Intl.ListFormat('en', { type: 'disjunction' }).format(words)
