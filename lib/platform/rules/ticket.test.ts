import { describe, expect, it } from 'vitest'
import { isTicketAddress, readTicket, ticketName } from './ticket.ts'

const desk = 'https://help.example/tickets/{ticket}?open'

describe('the link of a ticket', () => {
  it.each([
    ['HELP-12', 'https://help.example/tickets/HELP-12?open'],
    ['#48213', 'https://help.example/tickets/48213?open'],
    ['https://help.example/tickets/HELP-12?open', 'https://help.example/tickets/HELP-12?open'],
    ['https://evil.example/tickets/HELP-12?open', null],
    ['https://help.example/tickets/a/b?open', null],
    ['https://help.example/tickets/?open', null],
    ['https://help.example/tickets/HELP-12', null],
    ['two words', null],
  ])('where the merchant says where tickets are: %s is %s', (text, link) => {
    expect(readTicket(text, desk)).toBe(link)
  })

  it.each([
    ['https://help.example/12', 'https://help.example/12'],
    ['http://help.example/12', null],
    ['javascript:alert(1)', null],
    ['https://somebody@help.example/12', null],
    ['HELP-12', null],
  ])('where nothing is said, is any address with https: %s is %s', (text, link) => {
    expect(readTicket(text, null)).toBe(link)
  })

  it('reads as what names the ticket, or as where it leads', () => {
    expect(ticketName('https://help.example/tickets/HELP-12?open', desk)).toBe('HELP-12')
    expect(ticketName('https://other.example/12', desk)).toBe('other.example/12')
    expect(ticketName('https://other.example/12', null)).toBe('other.example/12')
  })
})

it.each([
  [desk, true],
  ['https://help.example/{ticket}', true],
  ['https://{ticket}.example/', false],
  ['https://help.example/', false],
  ['https://help.example/{ticket}/{ticket}', false],
  ['http://help.example/{ticket}', false],
  ['{ticket}', false],
])('an address of tickets has a place for one, past its host: %s is %s', (address, fits) => {
  expect(isTicketAddress(address)).toBe(fits)
})
