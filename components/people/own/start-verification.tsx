import { UserRoundX } from 'lucide-react'
import { buttonClass } from '#components/ui/button-class.ts'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import type { Settings } from '#lib/platform/settings/settings.ts'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'
import { supportOf } from './support-of.tsx'

type Start = Pick<Settings, 'verificationUrl' | 'merchantName' | 'supportContact'> & {
  readonly words: CustomerWords
}

/** No call of the contract starts a verification (§4.3): the merchant says where it is done, or support does it. */
export const StartVerification = ({ words, verificationUrl, merchantName, supportContact }: Start) =>
  verificationUrl ? (
    <a
      href={verificationUrl}
      target="_blank"
      rel="noreferrer"
      className={buttonClass({ variant: 'primary', size: 'sm' })}
    >
      {words('verification.start')}
    </a>
  ) : (
    <p>{words.rich('verification.startBySupport', supportOf(merchantName, supportContact))}</p>
  )

/** Only the owner can end this hold of the transaction, so they see how. Other holds show nothing. */
export const EndOwnHold = ({
  step,
  reason,
  ...start
}: Start & { readonly step: string | null; readonly reason: string | null }) =>
  step === 'ON_HOLD' && reason === 'ON_HOLD_KYC' ? (
    <div className="mt-2 grid justify-items-start gap-2 text-table print:hidden">
      <p>{start.words('steps.verificationHold')}</p>
      <StartVerification {...start} />
    </div>
  ) : null

/** A member of staff without an account at the service sees this instead of a customer's account. */
export const NoAccount = ({ words, name }: { readonly words: CustomerWords; readonly name: string }) => (
  <Card>
    <EmptyState
      icon={UserRoundX}
      title={words('account.noAccount')}
      action={
        <ButtonLink variant="primary" href="/">
          {words('account.toFirstPage')}
        </ButtonLink>
      }
    >
      {words('account.noAccountNext', { name })}
    </EmptyState>
  </Card>
)
