import { describe, expect, it } from 'vitest'
import { configure } from '../../../test/service.ts'
import { browserCookie, cookie, sessionCookie } from './session-cookie.ts'

const all = () => [sessionCookie(), browserCookie(), cookie('csrf'), cookie('callback')]

describe('a cookie', () => {
  it('is bound to its host, comes back by TLS alone and with no other site, and is read by no script', () => {
    configure({ PUBLIC_URL: 'https://dash.example.com' })
    for (const { name, options } of all()) {
      expect(name).toMatch(/^__Host-rampart\./)
      expect(options).toEqual({ httpOnly: true, sameSite: 'lax', path: '/', secure: true })
    }
  })

  it('has no name that a browser refuses where this machine serves itself alone', () => {
    configure({ PUBLIC_URL: 'http://localhost:3000' })
    for (const { name, options } of all()) {
      expect(name).toMatch(/^rampart\./)
      expect(options).toEqual({ httpOnly: true, sameSite: 'lax', path: '/', secure: false })
    }
  })
})
