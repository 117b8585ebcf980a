import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { LeftBehindCard } from '#components/endpoints/left-behind.tsx'
import { MemberActionButtons, MemberSessions } from '#components/identity/team/member-actions.tsx'
import { decodePathPart } from '#components/ui/browser/paths.ts'
import { Callout } from '#components/ui/callout.tsx'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Time } from '#components/ui/time.tsx'
import { roleLabels, roleMeanings } from '#lib/access/labels/role-labels.ts'
import { listLeftBehind } from '#lib/endpoints/list-left-behind.ts'
import { waysToSignIn } from '#lib/identity/labels/sign-in-labels.ts'
import { findMember, type MemberView } from '#lib/identity/members/list-members.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { rotateSecretAction } from '../../endpoints/actions.ts'
import { changeRoleAction, endMemberSessionsAction, removeMemberAction } from '../actions.ts'

export const metadata: Metadata = { title: 'Member' }

interface Props {
  readonly params: Promise<{ readonly id: string }>
}

export default async function MemberPage({ params }: Props) {
  const id = decodePathPart((await params).id)
  const caller = await requirePage('manage-team', `/team/${encodeURIComponent(id)}`)
  const found = await findMember(caller, id)
  if (!found) notFound()
  const { member, sessions } = found
  const left = await listLeftBehind(caller, member.id)
  const { name, fixed, removedAt } = member
  return (
    <div className="max-w-[46rem]">
      <PageHeader
        title={name}
        actions={
          !removedAt &&
          !fixed && (
            <MemberActionButtons
              member={member}
              actions={{ changeRole: changeRoleAction, remove: removeMemberAction }}
            />
          )
        }
      >
        {meaningOf(member.role)}
      </PageHeader>
      <div className="mt-5 grid gap-5">
        {removedAt && (
          <Removed
            removedAt={removedAt}
            secrets={left.endpoints.length + left.shareTokens.length + (left.apiKeyGivenAt === null ? 0 : 1)}
          />
        )}
        {fixed && (
          <Callout title="RAMPART_ADMINS makes this person an admin">
            Only the operator of the server can change that.
          </Callout>
        )}
        <MemberFacts member={member} />
        {!removedAt && (
          <MemberSessions memberId={member.id} sessions={sessions} end={endMemberSessionsAction} />
        )}
        <LeftBehindCard left={left} removed={removedAt !== null} rotate={rotateSecretAction} />
      </div>
    </div>
  )
}

function meaningOf(role: MemberView['role']): string {
  if (role === null) return 'A role that this version does not know'
  return role === 'end-user' ? roleLabels[role] : `${roleLabels[role]}: ${roleMeanings[role]}`
}

function Removed({ removedAt, secrets }: { readonly removedAt: string; readonly secrets: number }) {
  return (
    <Callout kind={secrets > 0 ? 'warning' : 'info'} title="This person is not in the team any more">
      Removed <Time at={removedAt} />: sessions, replays, passkeys and links have ended.{' '}
      {secrets > 0 && 'The secrets that they know still work: see below what to do.'}
    </Callout>
  )
}

function MemberFacts({ member }: { readonly member: MemberView }) {
  const { email, since, lastSeenAt, removedAt } = member
  return (
    <Card title="About">
      <Facts>
        <Fact name="E-mail">{email ?? 'Not known'}</Fact>
        <Fact name="Sign-in method">{removedAt ? 'None' : waysToSignIn(member)}</Fact>
        <Fact name="Last seen">{lastSeenAt ? <Time at={lastSeenAt} /> : 'Never'}</Fact>
        <Fact name="Member since">
          <Time at={since} style="minute" />
        </Fact>
      </Facts>
    </Card>
  )
}
