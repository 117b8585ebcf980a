import { expect, it } from 'vitest'
import { hintsAtCheck } from './hints-at-check.ts'

it.each([
  'Held for AML',
  'We check for money laundering.',
  'Your transfer is under sanctions review.',
  'This is suspicious.',
  'The sender’s name does not match.',
  'Name mismatch',
  'Verdacht auf Geldwäsche',
  'Der Name des Absenders weicht ab, der Name stimmt nicht.',
  'Der Absender hat einen abweichenden Namen.',
  'Prevención de blanqueo',
  'El nombre no coincide.',
  'Le nom ne correspond pas.',
  'Soupçon de blanchiment',
  'O nome não coincide.',
  'Suspeita de fraude',
])('hears a hint in “%s”', (text) => expect(hintsAtCheck(text)).not.toBeNull())

it.each([
  'This is paused. You will see here when it goes on.',
  'Der Vorgang ist angehalten, bis Ihre Verifizierung abgeschlossen ist.',
  'Enter a name.',
  'Escriba un nombre.',
  'Votre paiement est arrivé et son traitement a commencé.',
])('hears none in “%s”', (text) => expect(hintsAtCheck(text)).toBeNull())
