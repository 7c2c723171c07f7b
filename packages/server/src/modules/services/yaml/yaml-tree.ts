/**
 * Parses service.yaml into keys and values, each with its line. Accepts only the YAML features that a settings file needs: no aliases,
 * tags, second document or excessive nesting. Runs in a worker thread (yaml-worker.ts), because the text is untrusted and can be slow to
 * parse.
 */
import {
  Composer,
  isAlias,
  isMap as isMapNode,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  visit,
  type CST,
  type Document,
  type Node,
  type Pair,
  type ParsedNode,
} from 'yaml';
import type { FieldError } from '@slipway/contract/kernel/errors.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { isText } from '#kernel/http/is-text.ts';
import { fileShape, isMap, type MapShape, type Shape } from './yaml-shape.ts';

/** Message from the worker thread. */
export interface SettingsTree {
  readonly file: Record<string, unknown>;
  readonly lines: ReadonlyMap<string, number>;
  readonly errors: readonly FieldError[];
  /** Number of tokens processed. */
  readonly steps: number;
}

export const MAX_PROBLEMS = 50;
/** Maximum nesting of maps and lists. Settings need six levels. */
const MAX_DEPTH = 40;
const field = 'yaml';
export const invalid = (line: number, reason: string): FieldError => ({
  field,
  code: 'YamlInvalid',
  context: { line: String(line), reason },
});

const options = {
  version: '1.2',
  schema: 'core',
  resolveKnownTags: false,
  merge: false,
  strict: true,
  // The parser compares each key with every other key. Duplicates are checked below in linear time.
  uniqueKeys: false,
  stringKeys: true,
  prettyErrors: false,
  logLevel: 'error',
} as const;

class TooDeep extends Error {
  override readonly name = 'TooDeep';
}

class Reader {
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed | undefined;
  readonly errors: FieldError[] = [];
  readonly lines = new Map<string, number>();
  steps = 0;

  constructor(text: string) {
    this.#document = this.#compose(text);
    if (!this.#document) return;
    // The parser reports unknown tags as warnings.
    for (const { message, pos } of [...this.#document.errors, ...this.#document.warnings]) this.#invalid(this.#lineAt(pos[0]), message);
    visit(this.#document, {
      Node: (_, node) => {
        if (isAlias(node)) this.#invalid(this.#line(node), 'Aliases are not read; write the value out');
        else if (node.tag !== undefined && !node.tag.startsWith('tag:yaml.org,2002:'))
          this.#invalid(this.#line(node), `The tag ${node.tag} is not read`);
      },
    });
  }

  /** Checks the depth after each token, since parsing time grows with the square of the depth. */
  *#tokens(text: string): Generator<CST.Token> {
    const parser = new Parser(this.#lines.addNewLine);
    this.#lines.addNewLine(0);
    for (const piece of new Lexer().lex(text)) {
      this.steps += 1;
      yield* parser.next(piece);
      if (parser.stack.length > MAX_DEPTH) {
        this.#invalid(this.#lineAt(parser.offset), 'The file is nested too deeply');
        throw new TooDeep();
      }
    }
    yield* parser.end();
  }

  #compose(text: string): Document.Parsed | undefined {
    const composer = new Composer<ParsedNode>({ ...options, lineCounter: this.#lines });
    try {
      const [first, second] = composer.compose(this.#tokens(text), true, text.length);
      if (second) this.#invalid(this.#lineAt(second.range[0]), 'The file holds more than one document');
      return first;
    } catch (error) {
      if (error instanceof TooDeep) return undefined;
      throw error;
    }
  }

  /** Keeps only the first error of each line, because later ones follow from it, and stops after MAX_PROBLEMS. */
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
    const root = this.#document?.contents;
    if (!isMapNode<Node, Node | null>(root)) {
      this.#invalid(1, 'The file is no map of settings');
      return {};
    }
    const file = this.#value(root, fileShape, '');
    return isRecord(file) ? file : {};
  }

  /** Returns undefined for omitted values. An empty map counts as omitted. */
  #value(node: Node | null, shape: Shape, path: string): unknown {
    if (shape === null) return this.#plain(node, path);
    if (node === null || (isScalar(node) && node.value === null)) return undefined;
    if (isMap(shape) && isMapNode<Node, Node | null>(node)) {
      const found = node.items.flatMap((pair) => this.#entry(pair, shape, path));
      return Object.fromEntries(found.filter(([, value]) => value !== undefined));
    }
    if (!isMap(shape) && isSeq<Node>(node)) return node.items.map((item, index) => this.#item(item, shape[0], `${path}.${index}`));
    this.#invalid(this.#line(node), `${path} is ${isMap(shape) ? 'a map' : 'a list'}`);
    return undefined;
  }

  #item(node: Node, shape: Shape, path: string): unknown {
    this.lines.set(path, this.#line(node));
    return this.#value(node, shape, path) ?? {};
  }

  #entry({ key, value }: Pair<Node, Node | null>, shape: MapShape, parent: string): [string, unknown][] {
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

  /** Reads `value: 8080` of a variable as the text "8080", since environment variables are strings. */
  #plain(node: Node | null, path: string): unknown {
    if (isScalar(node) && typeof node.value !== 'string' && node.value !== null && /\.envVars\.\d+\.value$/.test(path)) return node.source;
    const value: unknown = node === null ? null : node.toJS(this.#document as Document, { maxAliasCount: 0 });
    if (!isText(value)) this.#invalid(this.#line(node), `${path} holds a NUL, or half a character`);
    return value;
  }
}

export const settingsTree = (text: string): SettingsTree => {
  const reader = new Reader(text);
  const file = reader.errors.length > 0 ? {} : reader.read();
  return { file, lines: reader.lines, errors: reader.errors, steps: reader.steps };
};
