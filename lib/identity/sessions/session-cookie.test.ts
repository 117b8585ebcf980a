import { describe, expect, it, vi } from 'vitest'
import { keepCookie } from '#components/ui/browser/keep-cookie.ts'
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
      expect(name).toMatch(/^rampart-3000\./)
      expect(options).toEqual({ httpOnly: true, sameSite: 'lax', path: '/', secure: false })
    }
  })

  it.each([
    ['http://localhost:3000', 'http://localhost:3001'],
    ['https://dash.example.com', 'https://dash.example.com:8443'],
  ])('has another name for each of two installations on one host: %s and %s', (one, other) => {
    const names = [one, other].flatMap((publicUrl) => {
      configure({ PUBLIC_URL: publicUrl })
      return all().map(({ name }) => name)
    })
    expect(new Set(names).size).toBe(2 * all().length)
  })

  it('has the name that scripts of the page give it', () => {
    for (const publicUrl of [
      'http://localhost:3000',
      'https://dash.example.com',
      'https://dash.example.com:8443',
    ]) {
      configure({ PUBLIC_URL: publicUrl })
      const set = vi.fn()
      vi.stubGlobal('location', new URL(publicUrl))
      vi.stubGlobal('document', {
        set cookie(text: string) {
          set(text)
        },
      })
      keepCookie('theme', 'dark')
      vi.unstubAllGlobals()
      expect(set).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(`^${cookie('theme').name}=dark;`))
    }
  })
})
