import path from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '..')

/** The keys in these files are names of the program: environment variables and columns. */
const keysOfOurs = ['lib/platform/env', 'lib/timeline/tables/', 'lib/platform/rules/names.ts']

test('no text is a key of a plain object, in which `toString`, `constructor` and `__proto__` find something', () => {
  expect(textsAsKeys()).toEqual([])
})

/** The list holds each `object[text]` and `text in object` whose text can be any, unless `Object.hasOwn` is asked first. */
function textsAsKeys(): string[] {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const program = ts.createProgram(fileNames.filter(isOurs), options, hostOfFew(options))
  const types = program.getTypeChecker()
  return program
    .getSourceFiles()
    .filter(({ fileName }) => isOurs(fileName) && !keysOfOurs.some((one) => nameOf(fileName).startsWith(one)))
    .flatMap((file) => accessesIn(file, types))
}

/** The types of these packages are needed: reading those of all takes as long again. Others are any, and so would be a finding. */
const packagesRead = /\/node_modules\/(typescript|@types|zod|pg|react|openid-client|oauth4webapi)\b/

function hostOfFew(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options)
  const isRead = (fileName: string) =>
    !fileName.includes('/generated/') && (!fileName.includes('/node_modules/') || packagesRead.test(fileName))
  return {
    ...host,
    getSourceFile: (fileName, language, ...rest) =>
      isRead(fileName)
        ? host.getSourceFile(fileName, language, ...rest)
        : ts.createSourceFile(fileName, 'export {}', language),
  }
}

const nameOf = (fileName: string) => path.relative(root, fileName).split(path.sep).join('/')

const isOurs = (fileName: string) =>
  /^(app|components|lib)\//.test(nameOf(fileName)) && !/\.test\.tsx?$|\/generated\//.test(fileName)

function accessesIn(file: ts.SourceFile, types: ts.TypeChecker): string[] {
  const found: string[] = []
  const isAnyText = (node: ts.Node) => {
    const type = types.getTypeAtLocation(node)
    return (type.isUnion() ? type.types : [type]).some(
      ({ flags }) => flags & (ts.TypeFlags.String | ts.TypeFlags.Any),
    )
  }
  const visit = (node: ts.Node): void => {
    const key = keyOf(node)
    if (key && !ts.isLiteralExpression(key.name) && isAnyText(key.name) && !isAskedFirst(node, key)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file))
      found.push(`${nameOf(file.fileName)}:${line + 1} ${node.getText(file)}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

interface Key {
  readonly object: ts.Expression
  readonly name: ts.Expression
}

function keyOf(node: ts.Node): Key | null {
  if (ts.isElementAccessExpression(node)) return { object: node.expression, name: node.argumentExpression }
  const isIn = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword
  return isIn && !ts.isStringLiteral(node.left) ? { object: node.right, name: node.left } : null
}

function isAskedFirst(node: ts.Node, { object, name }: Key): boolean {
  const asked = `Object.hasOwn(${object.getText()}, ${name.getText()})`
  return ts.findAncestor(node, (one) => ts.isStatement(one) && one.getText().includes(asked)) !== undefined
}
