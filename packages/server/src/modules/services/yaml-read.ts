/**
 * Reads service.yaml onto settings: what it leaves out stays, and whatever is wrong is told with its line. Nothing of YAML is taken
 * that a settings file does not need: no aliases, no tags, no second document.
 */
import {
  isAlias,
  isMap as isMapNode,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Node,
  type Pair,
} from 'yaml';
import { environmentOf } from '@slipway/contract/fields.ts';
import type { FieldError } from '@slipway/contract/errors.ts';
import { fieldErrors } from '@slipway/contract/issues.ts';
import { ServiceSettings } from '@slipway/contract/service-settings.ts';
import { isText } from '#kernel/http/is-text.ts';
import { Problem } from '#kernel/problem.ts';
import type { ServiceKey } from './services.sql.ts';
import { fileShape, isMap, yamlHead, type Shape } from './yaml-shape.ts';

export interface SettingsFile {
  readonly settings: ServiceSettings;
  /** The line of a field, from 1; undefined for one that the file leaves out. */
  lineOf(path: string): number | undefined;
}

const MAX_PROBLEMS = 50;
const field = 'yaml';
const invalid = (line: number, reason: string): FieldError => ({ field, code: 'YamlInvalid', context: { line: String(line), reason } });

class Reader {
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;
  readonly errors: FieldError[] = [];
  readonly lines = new Map<string, number>();

  constructor(text: string) {
    this.#document = parseDocument(text, {
      version: '1.2',
      schema: 'core',
      resolveKnownTags: false,
      merge: false,
      strict: true,
      // The parser compares each key with every other one: looked at below, in one go.
      uniqueKeys: false,
      stringKeys: true,
      prettyErrors: false,
      logLevel: 'error',
      lineCounter: this.#lines,
    });
    // A tag that nobody knows is a warning to the parser.
    for (const { message, pos } of [...this.#document.errors, ...this.#document.warnings]) this.#invalid(this.#lineAt(pos[0]), message);
    visit(this.#document, {
      Node: (_, node) => {
        if (isAlias(node)) this.#invalid(this.#line(node), 'Aliases are not read; write the value out');
        else if (node.tag !== undefined && !node.tag.startsWith('tag:yaml.org,2002:'))
          this.#invalid(this.#line(node), `The tag ${node.tag} is not read`);
      },
    });
  }

  /** What the parser says of one line after its first word follows from it. A file of nothing but mistakes ends at the last that is told. */
  #invalid(line: number, reason: string): void {
    if (this.errors.length >= MAX_PROBLEMS || this.errors.some(({ context }) => context?.['line'] === String(line))) return;
    this.errors.push(invalid(line, reason));
  }
  #lineAt(offset: number): number {
    return this.#lines.linePos(offset).line || 1;
  }
  #line(node: unknown): number {
    return isNode(node) && node.range ? this.#lineAt(node.range[0]) : 1;
  }

  read(): Record<string, unknown> {
    const root = this.#document.contents;
    if (!isMapNode(root)) {
      this.#invalid(1, 'The file is no map of settings');
      return {};
    }
    return this.#value(root, fileShape, '') as Record<string, unknown>;
  }

  /** Undefined where it is left out: a map without anything in it says nothing. */
  #value(node: Node | null, shape: Shape, path: string): unknown {
    if (shape === null) return this.#plain(node, path);
    if (node === null || (isScalar(node) && node.value === null)) return undefined;
    if (isMap(shape) && isMapNode(node)) {
      const found = node.items.flatMap((pair) => this.#entry(pair as Pair<Node, Node | null>, shape, path));
      return Object.fromEntries(found.filter(([, value]) => value !== undefined));
    }
    if (!isMap(shape) && isSeq(node)) return node.items.map((item, index) => this.#item(item as Node, shape[0], `${path}.${index}`));
    this.#invalid(this.#line(node), `${path} is ${isMap(shape) ? 'a map' : 'a list'}`);
    return undefined;
  }

  #item(node: Node, shape: Shape, path: string): unknown {
    this.lines.set(path, this.#line(node));
    return this.#value(node, shape, path) ?? {};
  }

  #entry({ key, value }: Pair<Node, Node | null>, shape: { readonly [key: string]: Shape }, parent: string): [string, unknown][] {
    const name = isScalar(key) ? String(key.value) : '';
    const path = parent === '' ? name : `${parent}.${name}`;
    const line = this.#line(key);
    if (!Object.hasOwn(shape, name)) {
      if (this.errors.length < MAX_PROBLEMS)
        this.errors.push({ field, code: 'YamlUnknownField', context: { line: String(line), name: path } });
      return [];
    }
    if (this.lines.has(path)) this.#invalid(line, `${path} stands here for the second time`);
    this.lines.set(path, line);
    return [[name, this.#value(value, shape[name] ?? null, path)]];
  }

  /** `value: 8080` of a variable is the text 8080: the environment holds nothing else. */
  #plain(node: Node | null, path: string): unknown {
    if (isScalar(node) && typeof node.value !== 'string' && node.value !== null && /\.envVars\.\d+\.value$/.test(path)) return node.source;
    const value = node === null ? null : (node.toJS(this.#document, { maxAliasCount: 0 }) as unknown);
    if (!isText(value)) this.#invalid(this.#line(node), `${path} holds a NUL, or half a character`);
    return value;
  }
}

/** Maps are joined key by key; lists and values are taken as they are. */
const onto = (base: unknown, read: unknown, shape: Shape): unknown => {
  if (read === undefined) return base;
  if (shape === null || !isMap(shape)) return read;
  const [from, to] = [base as Record<string, unknown>, read as Record<string, unknown>];
  return { ...from, ...Object.fromEntries(Object.keys(to).map((key) => [key, onto(from[key], to[key], shape[key] ?? null)])) };
};

const headErrors = (file: Record<string, unknown>, key: ServiceKey, lines: ReadonlyMap<string, number>): FieldError[] => {
  const lineOf = (path: string) => lines.get(path) ?? 1;
  const metadata = (file['metadata'] ?? {}) as Record<string, unknown>;
  const { app = key.app, environment = key.environment, name = key.service } = metadata;
  const isOther = app !== key.app || environmentOf(String(environment)) !== key.environment || name !== key.service;
  const { apiVersion = yamlHead.apiVersion, kind = yamlHead.kind } = file;
  return [
    ...(apiVersion === yamlHead.apiVersion ? [] : [invalid(lineOf('apiVersion'), `apiVersion is ${yamlHead.apiVersion}`)]),
    ...(kind === yamlHead.kind ? [] : [invalid(lineOf('kind'), `kind is ${yamlHead.kind}`)]),
    ...(isOther
      ? [
          {
            field,
            code: 'YamlOtherService',
            context: { name: `${String(app)}/${String(environment)}/${String(name)}`, line: String(lineOf('metadata')) },
          },
        ]
      : []),
  ];
};

/** The error with the line of its field, or of the nearest thing around it that the file holds. */
export const withLine = (error: FieldError, lineOf: SettingsFile['lineOf']): FieldError => {
  for (let path = error.field ?? ''; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('.')))) {
    const line = lineOf(path);
    if (line !== undefined) return { ...error, context: { ...error.context, line: String(line) } };
  }
  return error;
};

/** What the file wants on top of `current`. Throws everything that is wrong with it, each with its line. */
export const readYaml = (text: string, key: ServiceKey, current: ServiceSettings): SettingsFile => {
  const { file, lines } = readFile(text, key);
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...wanted } = file;
  const parsed = ServiceSettings.safeParse(onto(current, wanted, fileShape), { reportInput: true });
  const lineOf = (path: string) => lines.get(path);
  if (!parsed.success) throw Problem.fields(fieldErrors(parsed.error).map((error) => withLine(error, lineOf)));
  return { settings: parsed.data, lineOf };
};

const readFile = (text: string, key: ServiceKey): { file: Record<string, unknown>; lines: ReadonlyMap<string, number> } => {
  try {
    const reader = new Reader(text);
    const file = reader.errors.length > 0 ? {} : reader.read();
    const errors = [...reader.errors, ...headErrors(file, key, reader.lines)];
    if (errors.length > 0) throw Problem.fields(errors.slice(0, MAX_PROBLEMS));
    return { file, lines: reader.lines };
  } catch (error) {
    // Thousands of brackets inside each other exhaust the parser's stack.
    if (error instanceof RangeError) throw Problem.fields([invalid(1, 'The file is nested too deeply')]);
    throw error;
  }
};
