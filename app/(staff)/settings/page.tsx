import type { Metadata } from 'next'
import type { ReactElement } from 'react'
import { mailAlerts, proxyAlerts } from '#components/operations/settings/installation-alerts.tsx'
import { RulesButton } from '#components/operations/settings/rules-button.tsx'
import { serviceAlerts } from '#components/operations/settings/service-alert.tsx'
import {
  ApiKeyButton,
  BrandButton,
  LogMonthsButton,
  RetentionButton,
  ShareTokenButton,
} from '#components/operations/settings/settings-buttons.tsx'
import { MailCard, SingleSignOnCard } from '#components/operations/settings/settings-cards.tsx'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { Skeleton } from '#components/ui/empty-state.tsx'
import { Link } from '#components/ui/link.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { AlertSlot } from '#components/ui/shared/alert-slot.tsx'
import { MerchantMark } from '#components/ui/shared/merchant.tsx'
import { ServiceAnswer } from '#components/ui/shared/service-answer.tsx'
import { Time } from '#components/ui/time.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { eventTypes, otherEvents } from '#lib/deliveries/rules/event-types.ts'
import { readConfiguration, readConnection, readCountries } from '#lib/endpoints/service-key/service-state.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { readReports } from '#lib/identity/single-sign-on/reports.ts'
import { type AlertChannelView, listAlertChannels } from '#lib/operations/alerts/alert-channels.ts'
import { type DiskUse, measureDisk } from '#lib/operations/retention/measure-disk.ts'
import { readMail } from '#lib/operations/settings/read-mail-health.ts'
import { brandNames, ruleNames, seenOf } from '#lib/operations/settings/settings-forms.ts'
import { readStoredSettings, type Settings } from '#lib/platform/settings/settings.ts'
import { eventTypeLabels, otherEventsLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { counted, formatBytes } from '#lib/words/labels/formats.ts'
import {
  changeApiKeyAction,
  saveBrandAction,
  saveLogMonthsAction,
  saveRetentionAction,
  saveRulesAction,
  sendTestMailAction,
  shareVerificationAction,
  testSingleSignOnAction,
} from './actions.ts'
import { AsServiceGives } from './as-service-gives.tsx'

export const metadata: Metadata = { title: 'Settings' }

/** The page has the merchant's settings, and how the service is reached. */
export default async function SettingsPage() {
  const caller = await requirePage('manage-settings', '/settings')
  const [settings, connection, disk, reports, mail, channels] = await Promise.all([
    readStoredSettings(),
    readConnection(caller),
    measureDisk(caller),
    readReports(caller),
    readMail(caller),
    listAlertChannels(caller),
  ])
  const countries = readCountries(caller)
  const { baseUrl, publicUrl, keyFingerprint, keyGivenHere, state, proxyFault, singleSignOn } = connection
  return (
    <>
      <PageHeader title="Settings">
        Changes are recorded in the{' '}
        <a href="/audit?action=settings." className="underline">
          audit log
        </a>
        .
      </PageHeader>
      <AlertSlot
        alerts={[
          ...serviceAlerts({ state, unwatchedSince: connection.unwatchedSince }),
          ...proxyAlerts(proxyFault),
          ...mailAlerts(mail.health),
        ]}
        className="mt-4"
      />
      <div className="mt-5 grid gap-5">
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 @min-[60rem]/main:grid-cols-2">
          <div className="grid min-w-0 gap-5">
            <Card id="service" title="Provider" aside={<ApiKeyButton change={changeApiKeyAction} />}>
              <Facts>
                <Fact name="Status">
                  <ServiceAnswer
                    render={() => renderAnswering(countries)}
                    standIn={<Skeleton className="h-5 w-40" />}
                  />
                </Fact>
                <Fact name="Address">
                  <span className="mono break-all">{baseUrl}</span>
                </Fact>
                <Fact name="API key">
                  fingerprint <span className="mono">{keyFingerprint}</span>
                  <span className="text-muted text-sm">
                    , {keyGivenHere ? 'set under Settings' : 'from SERVICE_API_KEY'}
                  </span>
                </Fact>
                <Fact name="Endpoints last read">
                  {state?.seenAt ? <Time at={state.seenAt} /> : 'Not yet'}
                </Fact>
                <Fact name="This dashboard">
                  <span className="mono break-all">{publicUrl}</span>
                </Fact>
                <Fact name="Version">
                  <span className="mono break-all">{connection.release}</span>
                </Fact>
              </Facts>
            </Card>
            <MailCard mail={mail} to={caller.email} sendTest={sendTestMailAction} />
            <SingleSignOnCard connection={singleSignOn} reports={reports} test={testSingleSignOnAction} />
            <Card
              title="What customers see"
              aside={
                <Link href="/settings/words" className="text-sm underline hover:text-text">
                  Customer messages
                </Link>
              }
            >
              <Brand settings={settings} />
            </Card>
            <Card title="Raw provider settings">
              <ServiceAnswer
                render={() => renderConfiguration(caller, countries)}
                standIn={<Skeleton className="h-40" />}
              />
            </Card>
          </div>
          <div className="grid min-w-0 gap-5">
            <Card title="Accounts and personal data">
              <Rules settings={settings} />
              {settings.kycShareToken && (
                <div className="mt-4 border-t pt-4">
                  <ShareTokenButton share={shareVerificationAction} />
                </div>
              )}
            </Card>
            <Card
              title="Alerts"
              aside={
                <Link href="/settings/alerts" className="text-sm underline hover:text-text">
                  Rules and channels
                </Link>
              }
            >
              <p className="text-table">{notifiedBy(channels)}</p>
            </Card>
            <Card title="Retention of personal data">
              <Retention settings={settings} />
            </Card>
            <Card title="Retention of log and events">
              <LogMonths settings={settings} disk={disk} />
            </Card>
          </div>
        </div>
      </div>
    </>
  )
}

function notifiedBy(channels: readonly AlertChannelView[]): string {
  // A dead man's switch is called while everything works, and notifies nobody of an alert.
  const names = channels.filter(({ notifies }) => notifies).map(({ name }) => name)
  return names.length === 0
    ? 'Nobody is notified: no channel reaches anybody.'
    : `Notified by: ${names.join(', ')}.`
}

function Brand({ settings }: { readonly settings: Settings }) {
  const { merchantName: name, mark, legalName, supportContact: contact } = settings
  return (
    <div className="grid gap-4">
      <Facts>
        <Fact name="Name and mark">
          <MerchantMark name={name} mark={mark} />
        </Fact>
        <Fact name="Legal name and address">{legalName ?? 'None: receipts show only the name'}</Fact>
        <Fact name="Support contact">{contact ?? 'None: customers see no contact'}</Fact>
      </Facts>
      <div>
        <BrandButton
          name={name}
          mark={mark}
          legalName={legalName}
          contact={contact}
          seen={seenOf(settings, brandNames)}
          save={saveBrandAction}
        />
      </div>
    </div>
  )
}

function Rules({ settings }: { readonly settings: Settings }) {
  const { publicSignUp, revealTicketPattern, ticketAddress, kycShareToken, verificationUrl } = settings
  const rules = { publicSignUp, revealTicketPattern, ticketAddress, kycShareToken, verificationUrl }
  return (
    <div className="grid gap-4">
      <Facts>
        <Fact name="Public sign-up">
          {publicSignUp ? 'On: anybody can sign up' : 'Off: only staff add people'}
        </Fact>
        <Fact name="Reason for reveals">
          {revealTicketPattern === null ? (
            'Free text'
          ) : (
            <span className="mono break-all">{revealTicketPattern}</span>
          )}
        </Fact>
        <Fact name="Ticket links">
          {ticketAddress === null ? (
            'Any https address'
          ) : (
            <span className="mono break-all">{ticketAddress}</span>
          )}
        </Fact>
        <Fact name="Verification link">
          {verificationUrl === null ? (
            'None: customers are told to ask support'
          ) : (
            <span className="mono break-all">{verificationUrl}</span>
          )}
        </Fact>
        <Fact name="KYC share tokens">{kycShareToken ? 'On' : 'Off'}</Fact>
      </Facts>
      <div>
        <RulesButton {...rules} seen={seenOf(settings, ruleNames)} save={saveRulesAction} />
      </div>
    </div>
  )
}

function Retention({ settings }: { readonly settings: Settings }) {
  const days = settings.retentionDays
  const kinds = [
    ...eventTypes.map((type) => [type, eventTypeLabels[type].label] as const),
    [otherEvents, otherEventsLabel] as const,
  ]
  const rules = kinds.flatMap(([type, label]) => {
    const most = days[type]
    return most === undefined ? [] : [[label, most] as const]
  })
  return (
    <div className="grid gap-4">
      {rules.length > 0 && (
        <Facts>
          {rules.map(([label, most]) => (
            <Fact key={label} name={label}>
              {most.toLocaleString('en')} {most === 1 ? 'day' : 'days'}
            </Fact>
          ))}
        </Facts>
      )}
      {rules.length < kinds.length && (
        <p className="text-muted text-sm">
          Personal data of {rules.length > 0 ? 'all other events' : 'events'} is kept for good.
        </p>
      )}
      <div>
        <RetentionButton days={days} seen={seenOf(settings, ['retentionDays'])} save={saveRetentionAction} />
      </div>
    </div>
  )
}

function LogMonths({ settings, disk }: { readonly settings: Settings; readonly disk: DiskUse }) {
  const { bodies, events } = settings.logMonths
  const kept = (months: number | undefined) =>
    months === undefined ? 'For good' : `${months.toLocaleString('en')} ${months === 1 ? 'month' : 'months'}`
  const { aYear, perDelivery, deliveriesPerDay, days, isAssumed, now } = disk
  return (
    <div className="grid gap-4">
      <Facts>
        <Fact name="Bodies">{kept(bodies)}</Fact>
        <Fact name="Events, once finished">{kept(events)}</Fact>
        <Fact name="On the disk now">
          {formatBytes(now.log)} for the log, {formatBytes(now.events)} for events
        </Fact>
        <Fact name="A year needs about">
          {formatBytes(aYear.log + aYear.events)}
          <span className="text-muted text-sm">
            : {formatBytes(aYear.log)} for the log, {formatBytes(aYear.events)} for events
          </span>
        </Fact>
      </Facts>
      <p className="text-muted text-sm">
        Estimated from {counted(Math.round(deliveriesPerDay), 'delivery', 'deliveries')} a day, the average of
        the last{' '}
        {days < 2 ? counted(Math.max(1, Math.round(days * 24)), 'hour', 'hours') : `${Math.round(days)} days`}
        . Each takes {formatBytes(perDelivery.log)} in the log and {formatBytes(perDelivery.events)} for
        events
        {isAssumed
          ? '. That is assumed: fewer than 1,000 deliveries were measured.'
          : ', as measured now with indexes.'}{' '}
        Write-ahead log, backups and audit log are not included.
      </p>
      <div>
        <LogMonthsButton
          months={settings.logMonths}
          seen={seenOf(settings, ['logMonths'])}
          save={saveLogMonthsAction}
        />
      </div>
    </div>
  )
}

type Countries = ReturnType<typeof readCountries>

/** The service is asked while the page is made, so the text is about the present. */
async function renderAnswering(countries: Countries): Promise<ReactElement> {
  const answer = await countries
  return answer.kind === 'answered' ? (
    <>
      <Pill tone="done">Connected</Pill>{' '}
      <span className="text-muted text-sm">({answer.ms} ms), key accepted</span>
    </>
  ) : (
    <>
      <Pill tone="fail">Not answering properly</Pill>{' '}
      <span className="text-muted text-sm">{answer.next}</span>
    </>
  )
}

async function renderConfiguration(caller: Caller, countries: Countries): Promise<ReactElement> {
  const [configuration, supported] = await Promise.all([readConfiguration(caller), countries])
  return <AsServiceGives configuration={configuration} countries={supported} />
}
