/** Parses declarations without fields: enums and services. */
import type { ProtoEnum, ProtoEnumValue, ProtoMethod, ProtoOption, ProtoService } from './proto-file.ts';
import type { ProtoToken } from './proto-tokens.ts';
import type { ProtoWords, Reserved } from './proto-words.ts';

export const within = (scope: string, name: string): string => (scope === '' ? name : `${scope}.${name}`);
/** Joins the comments before a declaration and on its last line. */
export const docOf = ({ doc }: ProtoToken, { trailing }: { readonly trailing?: string } = {}): { doc?: string } => {
  const text = [doc, trailing].filter((part) => part !== undefined && part !== '').join('\n');
  return text === '' ? {} : { doc: text };
};

export const parseEnum = (words: ProtoWords, start: ProtoToken, scope: string): ProtoEnum => {
  const name = words.name();
  const fullName = within(scope, name.text);
  const values: ProtoEnumValue[] = [];
  const body: Reserved & { readonly options: ProtoOption[] } = { options: [], reserved: [], reservedNames: [] };
  words.want('{');
  while (!words.takes('}')) {
    if (words.takes(';')) continue;
    if (words.isRange('reserved')) words.reserved(fullName, body, 0x7fffffff);
    else if (words.peek().text === 'option' && words.peek(1).text !== '=') {
      words.next();
      body.options.push(words.optionStatement(fullName));
    } else values.push(enumValueOf(words, fullName));
  }
  return {
    kind: 'enum',
    name: name.text,
    fullName,
    ...docOf(start),
    nameSpan: words.spanOf(fullName, name),
    span: { path: fullName, from: start.from, to: words.last().to },
    values,
    ...body,
  };
};

const enumValueOf = (words: ProtoWords, scope: string): ProtoEnumValue => {
  const name = words.name();
  words.want('=');
  const number = words.integer(0x7fffffff);
  if (words.takes('[')) words.optionList(`${scope}.${name.text}`);
  const end = words.want(';');
  return { name: name.text, number, span: { path: `${scope}.${name.text}`, from: name.from, to: end.to } };
};

export const parseService = (words: ProtoWords, scope: string): ProtoService => {
  const name = words.name();
  const methods: ProtoMethod[] = [];
  words.want('{');
  while (!words.takes('}')) {
    if (words.takes(';')) continue;
    if (words.takes('option')) words.optionStatement(scope);
    else methods.push(methodOf(words, within(scope, name.text)));
  }
  return { name: name.text, nameSpan: words.spanOf(within(scope, name.text), name), methods };
};

const methodOf = (words: ProtoWords, scope: string): ProtoMethod => {
  const start = words.want('rpc');
  const name = words.name();
  const input = methodTypeOf(words);
  words.want('returns');
  const output = methodTypeOf(words);
  if (words.takes('{')) {
    while (!words.takes('}')) {
      if (words.takes(';')) continue;
      words.want('option');
      words.optionStatement(scope);
    }
  } else words.want(';');
  return { name: name.text, input, output, span: { path: `${scope}.${name.text}`, from: start.from, to: words.last().to } };
};

const methodTypeOf = (words: ProtoWords): string => {
  words.want('(');
  if (words.peek().text === 'stream' && words.peek(1).text !== ')' && words.peek(1).text !== '.') words.next();
  const type = words.dotted(true);
  words.want(')');
  return type;
};
