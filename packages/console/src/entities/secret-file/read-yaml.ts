/**
 * Reads flat YAML: each key has one scalar. Lists, maps, aliases, anchors, tags and invalid YAML are errors with their line. Values stay
 * as written: `1.10` is not a number and `yes` is not true.
 */
import {
  Composer,
  isMap,
  isScalar,
  Lexer,
  LineCounter,
  Parser,
  type CST,
  type Document,
  type Node,
  type Pair,
  type ParsedNode,
} from 'yaml';
import { lineError, type Found, type FoundError } from './found.ts';

const options = {
  version: '1.2',
  schema: 'failsafe',
  merge: false,
  // The parser compares each key with every other one; this is done later in linear time.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;
/** The values may have 1 MiB in total; escapes take extra space. */
const MAX_LENGTH = 4 * 1024 * 1024;
/** Maximum nesting of maps and lists: parsing cost is quadratic in the depth. */
const MAX_DEPTH = 40;
/** Parser errors where a nested or reserved construct begins. */
const NOT_FLAT: ReadonlySet<string> = new Set(['BLOCK_AS_IMPLICIT_KEY', 'BAD_SCALAR_START', 'BAD_ALIAS', 'TAG_RESOLVE_FAILED']);

class TooDeep extends Error {
  override readonly name = 'TooDeep';
}

class FlatYaml {
  readonly #lines = new LineCounter();
  readonly #parser = new Parser(this.#lines.addNewLine);
  readonly #entries: Found['entries'] = [];
  /** Only the first error per line: the others follow from it. */
  readonly #errors = new Map<number, FoundError>();

  read(text: string): Found {
    this.#lines.addNewLine(0);
    const composer = new Composer<ParsedNode>({ ...options, lineCounter: this.#lines });
    try {
      for (const document of composer.compose(this.#tokens(text), true, text.length)) this.#document(document);
    } catch (error) {
      if (!(error instanceof TooDeep)) throw error;
      this.#fail(this.#parser.offset, 'SecretFileNotFlat');
    }
    return { entries: this.#entries.filter(({ line }) => !this.#errors.has(line)), errors: [...this.#errors.values()] };
  }

  *#tokens(text: string): Generator<CST.Token> {
    for (const piece of new Lexer().lex(text)) {
      yield* this.#parser.next(piece);
      if (this.#parser.stack.length > MAX_DEPTH) throw new TooDeep();
    }
    yield* this.#parser.end();
  }

  #document({ contents, errors, warnings }: Document.Parsed): void {
    /** Ends of values without a closing quote. */
    const unclosed = new Set(errors.filter(({ code }) => code === 'MISSING_CHAR').map(({ pos }) => pos[0]));
    const closed = (node: Node): boolean => !unclosed.delete(node.range?.[1] ?? -1);
    if (isMap<ParsedNode, ParsedNode | null>(contents)) for (const pair of contents.items) this.#pair(pair, closed);
    else if (contents && !(isScalar(contents) && contents.value === ''))
      this.#fail(contents.range[0], isScalar(contents) ? 'SecretFileLineInvalid' : 'SecretFileNotFlat');
    for (const { code, pos } of [...errors, ...warnings]) {
      if (code === 'MISSING_CHAR' && !unclosed.has(pos[0])) continue;
      this.#fail(pos[0], NOT_FLAT.has(code) ? 'SecretFileNotFlat' : 'SecretFileLineInvalid');
    }
  }

  #pair({ key, value }: Pair<ParsedNode, ParsedNode | null>, closed: (node: Node) => boolean): void {
    if (!isScalar(key) || isMarked(key)) return this.#fail(key.range[0], 'SecretFileNotFlat');
    const context = { key: String(key.value) };
    if (value && (!isScalar(value) || isMarked(value))) return this.#fail(value.range[0], 'SecretFileNotFlat', context);
    if (value?.type?.startsWith('QUOTE') && !closed(value)) return this.#fail(key.range[0], 'SecretFileUnclosed', context);
    const text = typeof value?.value === 'string' ? value.value : '';
    // YAML has no text here; like the other formats, an empty value is an empty string.
    const isNull = value?.type === 'PLAIN' && (text === '~' || text === 'null');
    this.#entries.push({ ...context, value: isNull ? '' : text, line: this.#lineAt(key.range[0]) });
  }

  #fail(offset: number, code: string, context: Readonly<Record<string, string>> = {}): void {
    const line = this.#lineAt(offset);
    if (!this.#errors.has(line)) this.#errors.set(line, lineError(line, code, context));
  }
  #lineAt(offset: number): number {
    return this.#lines.linePos(offset).line || 1;
  }
}

const isMarked = ({ anchor, tag }: { anchor?: string; tag?: string }): boolean => anchor !== undefined || tag !== undefined;

export const readYaml = (text: string): Found => {
  if (text.length > MAX_LENGTH) return { entries: [], errors: [lineError(1, 'SecretFileInvalid', { format: 'YAML' })] };
  return new FlatYaml().read(text);
};
