import { TextField } from '#components/ui/field.tsx'
import { Link } from '#components/ui/link.tsx'

/** The secret of a receiver is typed each time and stored nowhere. */
export function SecretField({
  endpointUuid = null,
  error,
}: {
  /** The secret belongs to this endpoint; null when that is unknown. */
  readonly endpointUuid?: string | null
  readonly error: string | undefined
}) {
  return (
    <TextField
      label="Secret"
      name="secret"
      type="password"
      autoComplete="off"
      spellCheck={false}
      mono
      required
      hint="Sent as “Authorization: API-Key …”. It is not stored: after a restart you enter it again."
      aside={
        <Link
          href={endpointUuid === null ? '/endpoints' : `/endpoints/${endpointUuid}`}
          className="underline hover:text-text"
        >
          Lost it? Rotate first
        </Link>
      }
      error={error}
    />
  )
}
