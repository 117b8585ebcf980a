import { Callout } from '#components/ui/callout.tsx'
import { Link } from '#components/ui/link.tsx'
import { Time } from '#components/ui/time.tsx'
import type { UnknownType } from '#lib/operations/overview/count-unknown-types.ts'
import { happenedDays } from '#lib/operations/rules/look-kinds.ts'

/** Events that this version has no words for: they are kept and shown as they came. */
export function UnknownTypes({ types }: { readonly types: readonly UnknownType[] }) {
  if (types.length === 0) return null
  return (
    <Callout title={`Of types without words here, in the last ${happenedDays} days`}>
      They are kept and shown as they came.
      <ul className="mt-1">
        {types.map(({ type, total, latestAt }) => (
          <li key={type ?? ''} className="break-words">
            <span className="num">
              {total.count.toLocaleString('en')}
              {!total.exact && '+'}
            </span>{' '}
            {type === null ? (
              'of no type, or not to be read'
            ) : (
              <Link
                href={`/timeline?type=${encodeURIComponent(type)}`}
                className="mono wrap-anywhere underline underline-offset-2"
              >
                {type}
              </Link>
            )}
            , the last <Time at={latestAt} />
          </li>
        ))}
      </ul>
    </Callout>
  )
}
