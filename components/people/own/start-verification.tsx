import { UserRoundX } from 'lucide-react'
import type { ReactNode } from 'react'
import { buttonClass } from '#components/ui/button.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import { SupportContact } from '#components/ui/shared/merchant.tsx'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import type { OwnTransactionDetailsView } from '#lib/people/own/own-transactions.ts'
import type { Settings } from '#lib/platform/settings/settings.ts'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'

type Start = Pick<Settings, 'verificationUrl' | 'merchantName' | 'supportContact'> & {
  readonly words: CustomerWords
}

/** Sentences that name the merchant's support get its name and its contact from here. */
export const supportOf = (merchant: string, contact: string | null) => ({
  merchant,
  support: (words: ReactNode) => (
    <SupportContact key="support" contact={contact}>
      {words}
    </SupportContact>
  ),
})

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

/** A hold for verification says so to the owner, and how to end it when it is their turn. Other holds show nothing. */
export const EndOwnHold = ({
  step,
  reason,
  turn,
  ...start
}: Start & Pick<OwnTransactionDetailsView, 'step' | 'reason' | 'turn'>) =>
  step === 'ON_HOLD' && reason === 'ON_HOLD_KYC' ? (
    <div className="mt-2 grid justify-items-start gap-2 text-table print:hidden">
      <p>{start.words('steps.verificationHold')}</p>
      {turn === 'customer' && <StartVerification {...start} />}
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

/** A member of staff sees this when their way to sign in is not enough for staff. */
export const StaffCallout = ({ words, role }: { readonly words: CustomerWords; readonly role: Role }) => (
  <Callout
    kind="warning"
    title={words('account.staffTitle', { role: roleLabels[role] })}
    actions={<ButtonLink href="/sign-in?again=1&next=/">{words('account.staffSignIn')}</ButtonLink>}
  >
    {words('account.staffNext')}
  </Callout>
)
