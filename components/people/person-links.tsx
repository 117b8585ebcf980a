import { personPath, subjectPath } from '#components/ui/browser/paths.ts'
import { Card } from '#components/ui/card.tsx'
import { Link } from '#components/ui/link.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import type { PersonDetailsView } from '#lib/people/get-person.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { shortId } from '#lib/words/labels/formats.ts'

/** The bank accounts, companies and people are links. */
export function PersonLinks({
  details: { accounts, companies, people },
}: {
  readonly details: PersonDetailsView
}) {
  return (
    <>
      {accounts.length > 0 && (
        <Card title="Bank accounts">
          <ul className="grid gap-2.5">
            {accounts.map((account) => (
              <li key={account.subjectId} className="flex flex-wrap items-center gap-x-2 gap-y-1 text-table">
                <Link href={subjectPath(account.subjectId)} className="mono underline underline-offset-2">
                  {shortId(parseSubjectId(account.subjectId)?.id ?? account.subjectId)}
                </Link>
                {'latest' in account && (
                  <>
                    <Pill tone={eventLabel(account.latest).tone}>{eventLabel(account.latest).label}</Pill>
                    <span className="text-muted text-xs">{eventTypeLabel(account.latest.type).label}</span>
                  </>
                )}
              </li>
            ))}
          </ul>
        </Card>
      )}
      {companies.length > 0 && (
        <Card title={companies.length === 1 ? 'Company' : 'Companies'}>
          <ul className="grid gap-2">
            {companies.map((uuid) => (
              <li key={uuid}>
                <Link href={personPath(uuid, true)} className="mono text-table underline underline-offset-2">
                  {shortId(uuid)}
                </Link>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {people.length > 0 && (
        <Card title="Its people">
          <ul className="grid gap-2">
            {people.map(({ userUuid, name, email }) => (
              <li key={userUuid}>
                <Link href={`/users/${userUuid}`} className="text-table underline underline-offset-2">
                  {name ?? email ?? shortId(userUuid)}
                </Link>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  )
}
