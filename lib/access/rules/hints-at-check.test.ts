import { describe, expect, it } from 'vitest'
import type { Language } from '#lib/platform/rules/language.ts'
import { hintsAtCheck } from './hints-at-check.ts'

const hints = {
  en: [
    'Held for AML',
    'We check for money laundering.',
    'Your transfer is under sanctions review.',
    'This is suspicious.',
    'Your transfer is in security screening.',
    'Your payment is being screened.',
    'It waits for a security check.',
    'The sender’s name does not match.',
    'Name mismatch',
    'We could not match your name.',
    'We were unable to match the account holder’s name.',
    'The names differ.',
    'The sender differs.',
    'The payment came from a different sender name.',
    'The name on the account is not the same.',
    'The name is different from yours.',
    'It came under another name.',
  ],
  de: [
    'Verdacht auf Geldwäsche',
    'Ihre Zahlung ist in einer Sicherheitsprüfung.',
    'Das Screening läuft.',
    'Der Name des Absenders weicht ab.',
    'Der Name des Absenders weicht ab, der Name stimmt nicht.',
    'Leider weicht der Name des Absenders von Ihrem ab.',
    'Die Namen weichen voneinander ab.',
    'Der Absendername weicht ab.',
    'Der Absender hat einen abweichenden Namen.',
    'Die Namen stimmen nicht überein.',
    'Es stimmt der Name auf dem Konto nicht.',
    'Der Name, den die Bank nannte, passt nicht.',
    'Nicht übereinstimmende Namen',
    'Die Namen unterscheiden sich.',
    'Das Geld kam unter einem anderen Namen.',
    'Wir konnten den Namen nicht zuordnen.',
    'Eine Namensabweichung hält sie auf.',
    'Es kam unter verschiedenen Namen.',
    'Es kam mit unterschiedlichem Namen.',
  ],
  es: [
    'Prevención de blanqueo',
    'Está en un control de seguridad.',
    'El nombre no coincide.',
    'Los nombres no coinciden.',
    'No coinciden los nombres.',
    'El nombre del remitente difiere del suyo.',
    'Los nombres no concuerdan.',
    'Llegó con un nombre distinto.',
    'El nombre de la cuenta es diferente.',
    'No pudimos hacer coincidir su nombre.',
    'Llegó con otro nombre.',
  ],
  fr: [
    'Soupçon de blanchiment',
    'Un contrôle de sécurité est en cours.',
    'Le filtrage est en cours.',
    'Le nom ne correspond pas.',
    'Le virement porte un différent nom.',
    'Les noms ne correspondent pas.',
    'Les noms diffèrent.',
    'Le nom de l’expéditeur diffère du vôtre.',
    'Nous n’avons pas pu faire correspondre votre nom.',
    'Le paiement est arrivé sous un autre nom.',
    'Les noms sont différents.',
  ],
  pt: [
    'Suspeita de fraude',
    'Está numa triagem.',
    'Há uma verificação de segurança em curso.',
    'O nome não coincide.',
    'Os nomes não coincidem.',
    'Não coincidem os nomes.',
    'O nome do remetente difere do seu.',
    'O nome não confere.',
    'Os nomes são diferentes.',
    'Não foi possível fazer corresponder o seu nome.',
    'Chegou com um nome diferente.',
    'Chegou sob outro nome.',
  ],
} as const satisfies Record<Language, readonly string[]>

const harmless = {
  en: [
    'This is paused. You will see here when it goes on.',
    'Enter a name.',
    'We have your name. The rate differs from yesterday’s.',
    'Your screen shows when it goes on.',
    'Enter your name in a different browser.',
    'So that we can match your payment, give your name and the reference.',
    'Pay from an account in your own name.',
    'Please check your name and your account number.',
    'It refused since the message names another site than the page.',
    'Our security team answers within a day.',
  ],
  de: [
    'Der Vorgang ist angehalten, bis Ihre Verifizierung abgeschlossen ist.',
    'Bitte geben Sie Ihren Namen ein und stimmen Sie den Bedingungen zu.',
    'Bitte prüfen Sie, ob Ihr Name stimmt.',
    'Ihr Bankkonto wurde geprüft.',
    'Nutzen Sie ein anderes Konto, das auf Ihren Namen läuft.',
    'Die Gebühren weichen je nach Netzwerk ab.',
    'Zu Ihrer Sicherheit zeigen wir nur die letzten vier Ziffern.',
  ],
  es: [
    'Escriba un nombre.',
    'Escriba su nombre en el campo correspondiente.',
    'Puede pagar desde diferentes cuentas que estén a su nombre.',
    'Su cuenta muestra cuándo continúa.',
    'Hemos comprobado su cuenta bancaria.',
  ],
  fr: [
    'Votre paiement est arrivé et son traitement a commencé.',
    'Saisissez votre nom dans le champ correspondant.',
    'Votre nombre de jours restants est affiché.',
    'Votre compte bancaire a été vérifié.',
  ],
  pt: [
    'O seu pagamento chegou e o processamento começou.',
    'Escreva o seu nome no campo correspondente.',
    'Confira o seu nome e o número da conta.',
    'A sua conta bancária foi verificada.',
    'Falta isto: o nome.',
    'Olá, o nome está certo.',
  ],
} as const satisfies Record<Language, readonly string[]>

describe.each(Object.entries(hints))('in %s', (_, texts) => {
  it.each(texts)('hears a hint in “%s”', (text) => expect(hintsAtCheck(text)).not.toBeNull())
})

describe.each(Object.entries(harmless))('in %s', (_, texts) => {
  it.each(texts)('hears none in “%s”', (text) => expect(hintsAtCheck(text)).toBeNull())
})
