import { endSession } from '#lib/identity/sessions/end-session.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'

// A process of its own in which somebody signs out.
const [token = ''] = process.argv.slice(2)
await endSession(token, 'signed-out', { ip: null, userAgent: null })
process.send?.(Date.now())
await prisma().$disconnect()
await pool().end()
