/** A token stream of a .proto file, with parsers for common parts: names, numbers, ranges, options. */
import type { SourceText, Span } from '../text/source-text.ts';
import type { NumberRange, ProtoOption } from './proto-file.ts';
import { ProtoSyntaxError, protoTokens } from './proto-tokens.ts';
import type { ProtoToken } from './proto-tokens.ts';

/** Reserved numbers and names of a message or an enum. */
export interface Reserved {
  readonly reserved: NumberRange[];
  readonly reservedNames: { readonly name: string; readonly span: Span }[];
}

export class ProtoWords {
  readonly #source: SourceText;
  readonly #tokens: readonly ProtoToken[];
  #at = 0;

  constructor(source: SourceText) {
    this.#source = source;
    this.#tokens = protoTokens(source.text);
  }

  peek(ahead = 0): ProtoToken {
    return this.#tokens[this.#at + ahead] ?? this.#tokens.at(-1) ?? { kind: 'end', text: '', from: 0, to: 0 };
  }

  next(): ProtoToken {
    const token = this.peek();
    this.#at++;
    return token;
  }

  last(): ProtoToken {
    return this.peek(-1);
  }

  takes(text: string): boolean {
    const token = this.peek();
    if (token.kind === 'text' || token.text !== text || token.kind === 'end') return false;
    this.#at++;
    return true;
  }

  want(text: string): ProtoToken {
    const token = this.peek();
    if (!this.takes(text)) throw this.error(`“${text}” is expected here.`, token);
    return token;
  }

  name(): ProtoToken {
    const token = this.next();
    if (token.kind !== 'word') throw this.error('A name is expected here.', token);
    return token;
  }

  text(): ProtoToken {
    const first = this.next();
    if (first.kind !== 'text') throw this.error('A text in quotes is expected here.', first);
    let [text, to] = [first.text, first.to];
    while (this.peek().kind === 'text') {
      const more = this.next();
      text += more.text;
      to = more.to;
    }
    return { ...first, text, to };
  }

  dotted(mayLeadWithDot = false): string {
    let name = mayLeadWithDot && this.takes('.') ? '.' : '';
    name += this.name().text;
    while (this.peek().text === '.' && this.peek().kind === 'sign') {
      this.#at++;
      name += `.${this.name().text}`;
    }
    return name;
  }

  integer(most: number): number {
    const isNegative = this.takes('-');
    const token = this.next();
    const written =
      token.kind !== 'number'
        ? undefined
        : /^0[xX]/.test(token.text)
          ? Number(token.text)
          : /^0[0-7]+$/.test(token.text)
            ? parseInt(token.text, 8)
            : /^(0|[1-9]\d*)$/.test(token.text)
              ? Number(token.text)
              : undefined;
    if (written === undefined) throw this.error('A whole number is expected here.', token);
    const number = isNegative ? -written : written;
    if (number > most || number < -0x80000000) throw this.error('This number is too large.', token);
    return number;
  }

  spanOf(path: string, { from, to }: ProtoToken): Span {
    return { path, from, to };
  }

  error(message: string, { from, to }: ProtoToken): ProtoSyntaxError {
    return new ProtoSyntaxError(message, from, to);
  }

  optionStatement(path: string): ProtoOption {
    const option = this.option(path);
    this.want(';');
    return option;
  }

  /** Parses options after the opening bracket. */
  optionList(path: string): ProtoOption[] {
    const options: ProtoOption[] = [];
    do options.push(this.option(path));
    while (this.takes(','));
    this.want(']');
    return options;
  }

  option(path: string): ProtoOption {
    const start = this.peek();
    let name = '';
    do {
      if (this.takes('(')) {
        name += `${name === '' ? '' : '.'}(${this.dotted(true)})`;
        this.want(')');
      } else name += `${name === '' ? '' : '.'}${this.name().text}`;
    } while (this.takes('.'));
    this.want('=');
    const from = this.peek().from;
    const texts = this.#constant();
    const { to } = this.last();
    return { name, value: texts.value ?? this.#source.text.slice(from, to), texts: texts.texts, span: { path, from: start.from, to } };
  }

  #constant(): { value?: string; texts: string[] } {
    const token = this.peek();
    if (token.text === '{' && token.kind === 'sign') return { texts: this.#braced() };
    if (token.kind === 'text') {
      const { text } = this.text();
      return { value: text, texts: [text] };
    }
    if (!this.takes('-')) this.takes('+');
    if (this.peek().kind === 'number') this.#at++;
    else this.dotted();
    return { texts: [] };
  }

  /** Skips a value in braces, which is another language. Its brackets must match, and its strings are kept. */
  #braced(): string[] {
    const texts: string[] = [];
    const open: string[] = [];
    const ends: Readonly<Record<string, string>> = { '{': '}', '[': ']', '<': '>' };
    do {
      const token = this.next();
      if (token.kind === 'end') throw this.error('A } is missing.', token);
      if (token.kind === 'text') texts.push(token.text);
      if (token.kind !== 'sign') continue;
      const end = ends[token.text];
      if (end !== undefined) open.push(end);
      else if ('}]>'.includes(token.text) && open.pop() !== token.text) throw this.error('The brackets do not match.', token);
    } while (open.length > 0);
    return texts;
  }

  ranges(scope: string, most: number, mayHaveOptions: boolean): NumberRange[] {
    const ranges: NumberRange[] = [];
    do {
      const start = this.peek();
      const first = this.integer(most);
      const last = this.takes('to') ? (this.takes('max') ? most : this.integer(most)) : first;
      if (last < first) throw this.error('The end of a range is not before its start.', start);
      ranges.push({ first, last, span: { path: scope, from: start.from, to: this.last().to } });
    } while (this.takes(','));
    if (mayHaveOptions && this.takes('[')) this.optionList(scope);
    this.want(';');
    return ranges;
  }

  reserved(scope: string, body: Reserved, most: number): void {
    if (this.peek().kind !== 'text') {
      body.reserved.push(...this.ranges(scope, most, false));
      return;
    }
    do {
      const token = this.text();
      body.reservedNames.push({ name: token.text, span: this.spanOf(scope, token) });
    } while (this.takes(','));
    this.want(';');
  }

  isRange(keyword: string): boolean {
    const next = this.peek(1);
    return this.peek().text === keyword && (next.kind === 'number' || next.kind === 'text' || next.text === '-') && this.takes(keyword);
  }
}
