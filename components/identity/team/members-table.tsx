import type { ReactNode } from 'react'
import { Link } from '#components/ui/link.tsx'
import { Pill, Tag } from '#components/ui/pill.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import type { MemberView } from '#lib/identity/members/list-members.ts'
import { waysToSignIn } from './ways-to-sign-in.ts'

/** Members come first, then removed ones. A narrow page shows the facts of each below the name. */
export function MembersTable({ members }: { readonly members: readonly MemberView[] }) {
  return (
    <Table>
      <thead className="max-md:sr-only">
        <tr>
          <Th>Name</Th>
          <Th>Role</Th>
          <Th>Last seen</Th>
          <Th>Sign-in method</Th>
          <Th numeric>Active sessions</Th>
        </tr>
      </thead>
      <tbody>
        {members.map((member) => (
          <Row key={member.id} member={member} />
        ))}
      </tbody>
    </Table>
  )
}

function Row({ member }: { readonly member: MemberView }) {
  const { id, name, email, role, you, lastSeenAt, sessions, removedAt } = member
  return (
    <Tr className="relative transition-colors hover:bg-hover max-md:block max-md:px-3 max-md:py-3">
      <Td className="h-auto whitespace-normal! py-2.5 max-md:block max-md:px-0! max-md:pt-0 max-md:pb-2">
        <Link href={`/team/${id}`} data-row className="break-words font-strong row-link">
          {name}
        </Link>{' '}
        {you && <Tag>You</Tag>}
        {email && <span className="block break-all text-muted text-sm">{email}</span>}
      </Td>
      <Td className={cell}>
        {removedAt ? <Pill tone="back">Removed</Pill> : role ? roleLabels[role] : 'Unknown role'}
      </Td>
      <Td className={cell}>
        <Label>Last seen: </Label>
        {lastSeenAt ? <Time at={lastSeenAt} /> : 'Never'}
      </Td>
      <Td className={cell}>
        <Label>Sign-in method: </Label>
        {removedAt ? '–' : waysToSignIn(member)}
      </Td>
      <Td numeric className={cell}>
        <Label>Active sessions: </Label>
        {sessions === 0 ? '–' : sessions}
      </Td>
    </Tr>
  )
}

/** A narrow page shows the heading of a column here. */
const Label = ({ children }: { readonly children: ReactNode }) => (
  <span className="text-muted md:hidden">{children}</span>
)

const cell = 'max-md:mr-4 max-md:inline-block max-md:h-auto max-md:px-0! max-md:text-sm'
