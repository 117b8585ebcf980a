import { permissionOfPage } from '#lib/access/rules/pages.ts'
import { may, type Role } from '#lib/access/rules/roles.ts'
import type { AlertView } from '#lib/operations/alerts/alerts.ts'
import { alertSubjectLabel, plainNumber } from '#lib/operations/labels/alert-labels.ts'
import { conditionOf } from '#lib/operations/rules/alert-conditions.ts'

/** The title of an alert names its subject, where a condition has several. */
export function alertTitle({ condition, subject, title }: AlertView): string {
  const about = alertSubjectLabel(condition, subject)
  return about === '' ? title : `${title}: ${about}`
}

/** The sentence says how many messages about the alert were sent, wait or failed. */
export function messagesLabel({ waiting, sent, failed }: AlertView['messages']): string {
  const parts = [
    ...(sent > 0 ? [`${counted(sent)} sent`] : []),
    ...(waiting > 0 ? [`${counted(waiting)} waiting`] : []),
    ...(failed > 0 ? [`${counted(failed)} not sent`] : []),
  ]
  return parts.length === 0 ? 'Nobody was notified' : parts.join(', ')
}

const counted = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'message' : 'messages'}`

/** The text has the worst value and the threshold: "up to 12 minutes, threshold 5". */
export function worstLabel({ condition, worst, threshold, unit }: AlertView): string {
  const way = conditionOf(condition).fires === 'at-least' ? 'up to' : 'down to'
  return `${way} ${plainNumber(worst)} ${unit}, threshold ${plainNumber(threshold)}`
}

/** The page of an alert, where this role may open it; null otherwise. */
export function openPageOf(role: Role, { page }: AlertView): string | null {
  const permission = permissionOfPage(page.split('?', 1).join(''))
  return page !== '/alerts' && permission !== null && may(role, permission) ? page : null
}
