import type { Metadata } from 'next'
import { ReceivingForm } from '#components/operations/alerts/receiving-form.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { Card } from '#components/ui/card.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { readAlertReceiving } from '#lib/operations/alerts/alert-members.ts'
import { changeAlertReceivingAction } from '../actions.ts'

export const metadata: Metadata = { title: 'What you receive' }

/** A member chooses here which alerts they get by e-mail. */
export default async function OwnAlertsPage() {
  const caller = await requirePage('see-alerts', '/alerts/mine')
  const receiving = await readAlertReceiving(caller)
  const { address, isMailSet } = receiving
  return (
    <>
      <PageHeader title="What you receive">Your own e-mails about alerts.</PageHeader>
      <div className="mt-5 grid max-w-[46rem] gap-5">
        {!isMailSet ? (
          <Callout kind="warning" title="No mail server is set.">
            You receive no e-mails until SMTP_URL is set. Alerts appear on the page Alerts.
          </Callout>
        ) : (
          address === null && (
            <Callout kind="warning" title="You have no e-mail address here.">
              An invitation or single sign-on gives one. Ask an admin to invite you again with it.
            </Callout>
          )
        )}
        <Card title={address === null ? 'E-mails' : `E-mails to ${address}`}>
          <ReceivingForm receiving={receiving} change={changeAlertReceivingAction} />
        </Card>
      </div>
    </>
  )
}
