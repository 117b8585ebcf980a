import { happenedDays } from '#lib/domain/overview/look-kinds.ts'
import type { UnknownType } from '#lib/overview/count-unknown-types.ts'
import { Callout } from '../ui/callout.tsx'
import { Link } from '../ui/link.tsx'
import { Time } from '../ui/time.tsx'

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
