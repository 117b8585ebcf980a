import { Callout } from '#components/ui/callout.tsx'
import { OnceShown } from '#components/ui/form/once-shown.tsx'

/** A secret that is shown this once. */
export function SigningSecret({ secret, name }: { readonly secret: string; readonly name: string }) {
  return (
    <div className="grid gap-3">
      <Callout kind="warning" title="Copy it now: it is shown this once and not kept here.">
        Deliveries to “{name}” carry it as <span className="mono">Authorization: API-Key …</span>. If it is
        lost, rotate it.
      </Callout>
      <OnceShown
        secret={secret}
        name="Signing secret"
        copy="Copy secret"
        lost="If it is lost, only a rotation makes another."
      />
    </div>
  )
}
