import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

// docs/security.md names these tests. Each excludes a kind of attack by what no source contains.

const root = path.dirname(import.meta.dirname)
const sources = ['app', 'components', 'lib', 'bin'].flatMap((folder) =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(m?ts|tsx|mjs)$/.test(file) && !/\.test\.ts$|^db\/generated\//.test(file))
    .map((file) => `${folder}/${file}`),
)
const texts = new Map(
  [...sources, 'server.ts', 'live.ts', 'projector.ts'].map((file) => [
    file,
    fs.readFileSync(path.join(root, file), 'utf8'),
  ]),
)

const rules: [what: string, pattern: RegExp, examples: readonly string[]][] = [
  [
    'code that is made of text',
    /\beval\(|\bnew Function\(|from 'node:vm'/,
    ["eval('1')", "new Function('return 1')", "import vm from 'node:vm'"],
  ],
  [
    'markup that is made of text',
    /dangerouslySetInnerHTML|\b(inner|outer)HTML\b|insertAdjacentHTML|document\.write/,
    ['<p dangerouslySetInnerHTML={{ __html: text }} />', 'node.innerHTML = text', 'document.writeln(text)'],
  ],
  [
    'a shell',
    /\bexec(Sync)?\b[^\n]*'node:child_process'|\bshell: (?!false)|spawn\w*\(\s*'(ba|da|z)?sh'/,
    [
      "import { exec } from 'node:child_process'",
      'spawn(program, { shell: true })',
      "spawnSync('sh', ['-c'])",
    ],
  ],
  [
    'a digest but SHA-256',
    /\b(createHash|createHmac|hkdf(Sync)?|pbkdf2(Sync)?)\(\s*'(?!sha256')/,
    ["createHash('md5')", "createHash(\n'sha1'", "crypto.createHmac('sha1', key)", "hkdfSync('sha512', key)"],
  ],
  [
    'a cipher but AES-256-GCM',
    /\bcreate(C|Dec)ipher(iv)?\(\s*'(?!aes-256-gcm')/,
    ["createCipheriv('aes-256-cbc', key, iv)", "createDecipheriv('des3', key, iv)"],
  ],
  ['chance that can be foreseen', /\bMath\.random\b/, ['Math.random()']],
  [
    'a certificate that is not checked',
    /rejectUnauthorized: false|NODE_TLS_REJECT_UNAUTHORIZED['"\]]*\s*(:|\?\?=|=(?!=))/,
    [
      '{ rejectUnauthorized: false }',
      "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'",
      "process.env['NODE_TLS_REJECT_UNAUTHORIZED'] ??= '0'",
      "{ NODE_TLS_REJECT_UNAUTHORIZED: '0' }",
      'NODE_TLS_REJECT_UNAUTHORIZED=0 npm start',
    ],
  ],
  [
    'leave for the pages of another origin',
    /access-control-allow/i,
    ["'Access-Control-Allow-Origin': '*'", "headers.set('access-control-allow-origin', origin)"],
  ],
  [
    'messages of other windows',
    /\b(window|globalThis|self)\.(onmessage|addEventListener\('message')/,
    ["window.addEventListener('message', take)", 'window.onmessage = take'],
  ],
]

test.each(rules)('no source has %s', (_what, pattern) => {
  expect(texts.size).toBeGreaterThan(500)
  expect([...texts].filter(([, text]) => pattern.test(text)).map(([file]) => file)).toEqual([])
})

test.each(rules)('would be seen: %s', (_what, pattern, examples) => {
  expect(examples.filter((text) => !pattern.test(text))).toEqual([])
})
