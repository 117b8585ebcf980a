import { isPseudonym } from '#lib/deliveries/rules/erase-envelope.ts'
import { shortId } from '#lib/words/labels/short-id.ts'
import { CopyButton } from '../copy-button.tsx'
import { Link } from '../link.tsx'

/** The page of a person or company, by the uuid, which can be copied. */
export function PersonLink({ userUuid }: { readonly userUuid: string }) {
  if (isPseudonym(userUuid)) return <span className="mono">{userUuid}</span>
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <Link
        href={`/users/${encodeURIComponent(userUuid)}`}
        title={userUuid}
        className="mono inline-block max-w-full break-words underline underline-offset-2"
      >
        {shortId(userUuid)}
      </Link>
      <CopyButton text={userUuid} label={`Copy ${userUuid}`} />
    </span>
  )
}
