/** Parses the grammar of a .proto file (proto2 or proto3). link-proto.ts resolves names and reports what is not allowed. */
import { LimitError, schemaLimits } from '../schema-limits.ts';
import type { SourceText } from '../text/source-text.ts';
import { docOf, parseEnum, parseService, within } from './parse-declarations.ts';
import type {
  NumberRange,
  ProtoEnum,
  ProtoExtend,
  ProtoField,
  ProtoFile,
  ProtoImport,
  ProtoLabel,
  ProtoMessage,
  ProtoOneof,
  ProtoOption,
  ProtoService,
} from './proto-file.ts';
import { ProtoSyntaxError } from './proto-tokens.ts';
import type { ProtoToken } from './proto-tokens.ts';
import { ProtoWords } from './proto-words.ts';
import type { Reserved } from './proto-words.ts';

export const maxFieldNumber = 536_870_911;

/** Throws ProtoSyntaxError. */
export const parseProto = (source: SourceText): ProtoFile => new ProtoParser(source).file();

/** Collects the content of a message body. */
interface MessageBody extends Reserved {
  readonly fields: ProtoField[];
  readonly oneofs: ProtoOneof[];
  readonly messages: ProtoMessage[];
  readonly enums: ProtoEnum[];
  readonly extensions: NumberRange[];
  readonly extends: ProtoExtend[];
  readonly options: ProtoOption[];
}

class ProtoParser {
  readonly #source: SourceText;
  readonly #words: ProtoWords;
  #syntax: ProtoFile['syntax'] = 'proto2';
  #depth = 0;
  /** Groups are messages that a field declares. */
  #groups: ProtoMessage[] = [];

  constructor(source: SourceText) {
    this.#source = source;
    this.#words = new ProtoWords(source);
  }

  file(): ProtoFile {
    this.#readSyntax();
    let packageName = '';
    const imports: ProtoImport[] = [];
    const messages: ProtoMessage[] = [];
    const enums: ProtoEnum[] = [];
    const services: ProtoService[] = [];
    const extensions: ProtoExtend[] = [];
    while (this.#words.peek().kind !== 'end') {
      const token = this.#words.peek();
      if (this.#words.takes(';')) continue;
      if (this.#words.takes('import')) imports.push(this.#import(token));
      else if (this.#words.takes('package')) {
        if (packageName !== '') throw this.#words.error('A file has one package.', token);
        packageName = this.#words.dotted();
        this.#words.want(';');
      } else if (this.#words.takes('option')) this.#words.optionStatement('');
      else if (this.#words.takes('message')) messages.push(this.#message(token, packageName));
      else if (this.#words.takes('enum')) enums.push(parseEnum(this.#words, token, packageName));
      else if (this.#words.takes('service')) services.push(parseService(this.#words, packageName));
      else if (this.#words.takes('extend')) extensions.push(this.#extend(packageName, messages));
      else throw this.#words.error('message, enum, service, extend, import, option or package is expected here.', token);
    }
    return { syntax: this.#syntax, package: packageName, imports, messages, enums, services, extends: extensions, source: this.#source };
  }

  #readSyntax(): void {
    const token = this.#words.peek();
    if (token.kind === 'word' && token.text === 'edition')
      throw this.#words.error('Editions are not supported: use syntax = "proto3".', token);
    if (!this.#words.takes('syntax')) return;
    this.#words.want('=');
    const { text: value, from, to } = this.#words.text();
    if (value !== 'proto2' && value !== 'proto3') throw new ProtoSyntaxError(`There is no syntax “${value}”: proto2 or proto3.`, from, to);
    this.#syntax = value;
    this.#words.want(';');
  }

  #import(start: ProtoToken): ProtoImport {
    const isPublic = this.#words.takes('public');
    if (!isPublic) this.#words.takes('weak');
    const { text: path } = this.#words.text();
    const end = this.#words.want(';');
    return { path, isPublic, span: { path, from: start.from, to: end.to } };
  }

  #message(start: ProtoToken, scope: string): ProtoMessage {
    const name = this.#words.name();
    const fullName = within(scope, name.text);
    const span = this.#words.spanOf(fullName, name);
    const body = this.#messageBody(fullName);
    return {
      kind: 'message',
      name: name.text,
      fullName,
      ...docOf(start),
      nameSpan: span,
      span: { path: fullName, from: start.from, to: this.#words.last().to },
      ...body,
    };
  }

  #messageBody(scope: string): MessageBody {
    if (++this.#depth > schemaLimits.depth) throw new LimitError(`messages that are nested more than ${schemaLimits.depth} deep`);
    const outer = this.#groups;
    this.#groups = [];
    const body: MessageBody = {
      fields: [],
      oneofs: [],
      messages: [],
      enums: [],
      extensions: [],
      extends: [],
      options: [],
      reserved: [],
      reservedNames: [],
    };
    this.#words.want('{');
    while (!this.#words.takes('}')) {
      const token = this.#words.peek();
      if (this.#words.takes(';')) continue;
      // A field's type may have the name of a keyword. The following token decides.
      if (this.#isDeclaration('message')) body.messages.push(this.#message(token, scope));
      else if (this.#isDeclaration('enum')) body.enums.push(parseEnum(this.#words, token, scope));
      else if (this.#isDeclaration('oneof')) body.fields.push(...this.#oneof(scope, body.oneofs));
      else if (this.#words.isRange('extensions')) body.extensions.push(...this.#words.ranges(scope, maxFieldNumber, true));
      else if (this.#words.isRange('reserved')) this.#words.reserved(scope, body, maxFieldNumber);
      else if (this.#isOption()) body.options.push(this.#words.optionStatement(scope));
      else if (this.#isExtend()) body.extends.push(this.#extend(scope, body.messages));
      else body.fields.push(this.#field(scope));
    }
    body.messages.push(...this.#groups);
    this.#groups = outer;
    this.#depth--;
    return body;
  }

  #isDeclaration(keyword: string): boolean {
    return (
      this.#words.peek().text === keyword &&
      this.#words.peek(1).kind === 'word' &&
      this.#words.peek(2).text === '{' &&
      this.#words.takes(keyword)
    );
  }

  #isOption(): boolean {
    const isValue = this.#words.peek(1).text === '(' || this.#words.peek(2).text === '=' || this.#words.peek(2).text === '.';
    return this.#words.peek().text === 'option' && isValue && this.#words.takes('option');
  }

  #isExtend(): boolean {
    if (this.#words.peek().text !== 'extend') return false;
    let ahead = 1;
    while (this.#words.peek(ahead).kind === 'word' || this.#words.peek(ahead).text === '.') ahead++;
    return this.#words.peek(ahead).text === '{' && this.#words.takes('extend');
  }

  #field(scope: string, oneof?: string): ProtoField {
    const start = this.#words.peek();
    const label = this.#label();
    if (label !== undefined && oneof !== undefined) throw this.#words.error('A field of a oneof has no label.', start);
    const typeToken = this.#words.peek();
    const isMap = typeToken.text === 'map' && this.#words.peek(1).text === '<';
    if (isMap && oneof !== undefined) throw this.#words.error('A oneof cannot hold a map.', typeToken);
    if (isMap && label !== undefined) throw this.#words.error('A map has no label.', start);
    const isGroup =
      typeToken.text === 'group' &&
      this.#words.peek(1).kind === 'word' &&
      this.#words.peek(2).text === '=' &&
      this.#words.peek(4).text !== ';' &&
      this.#words.peek(4).text !== '[';
    const types = isMap ? this.#mapTypes() : { typeName: this.#words.dotted(true) };
    const typeEnd = this.#words.last();
    const name = this.#words.name();
    const path = `${scope}.${isGroup ? name.text.toLowerCase() : name.text}`;
    this.#words.want('=');
    const numberToken = this.#words.peek();
    const number = this.#fieldNumber();
    const options = this.#words.takes('[') ? this.#words.optionList(path) : [];
    if (isGroup) this.#group(name, scope, start);
    else this.#words.want(';');
    return {
      name: isGroup ? name.text.toLowerCase() : name.text,
      number,
      ...(label === undefined ? {} : { label }),
      ...types,
      ...(isGroup ? { isGroup, typeName: name.text } : {}),
      ...(oneof === undefined ? {} : { oneof }),
      options,
      ...docOf(start, this.#words.last()),
      span: { path, from: start.from, to: this.#words.last().to },
      nameSpan: this.#words.spanOf(path, name),
      typeSpan: { path, from: typeToken.from, to: typeEnd.to },
      numberSpan: this.#words.spanOf(path, numberToken),
      ...(label === undefined ? {} : { labelSpan: this.#words.spanOf(path, start) }),
    };
  }

  #label(): ProtoLabel | undefined {
    const { text } = this.#words.peek();
    if (text !== 'optional' && text !== 'required' && text !== 'repeated') return undefined;
    // `optional = 1` would be a field without a type. Only a name after the word makes it a label.
    if (this.#words.peek(1).kind !== 'word' && this.#words.peek(1).text !== '.') return undefined;
    this.#words.next();
    return text;
  }

  #mapTypes(): { keyType: string; typeName: string } {
    this.#words.want('map');
    this.#words.want('<');
    const keyType = this.#words.dotted(true);
    this.#words.want(',');
    const typeName = this.#words.dotted(true);
    this.#words.want('>');
    return { keyType, typeName };
  }

  #group(name: ProtoToken, scope: string, start: ProtoToken): void {
    if (!/^[A-Z]/.test(name.text)) throw this.#words.error('The name of a group begins with a capital letter.', name);
    const fullName = within(scope, name.text);
    const body = this.#messageBody(fullName);
    this.#groups.push({
      kind: 'message',
      name: name.text,
      fullName,
      nameSpan: this.#words.spanOf(fullName, name),
      span: { path: fullName, from: start.from, to: this.#words.last().to },
      ...body,
    });
  }

  #oneof(scope: string, oneofs: ProtoOneof[]): ProtoField[] {
    const name = this.#words.name();
    oneofs.push({ name: name.text, nameSpan: this.#words.spanOf(`${scope}.${name.text}`, name) });
    this.#words.want('{');
    const fields: ProtoField[] = [];
    while (!this.#words.takes('}')) {
      if (this.#words.takes(';')) continue;
      if (this.#isOption()) this.#words.optionStatement(scope);
      else fields.push(this.#field(scope, name.text));
    }
    if (fields.length === 0) throw this.#words.error('A oneof needs a field.', name);
    return fields;
  }

  #extend(scope: string, messages: ProtoMessage[]): ProtoExtend {
    const start = this.#words.peek();
    const typeName = this.#words.dotted(true);
    const end = this.#words.last();
    const fields: ProtoField[] = [];
    const outer = this.#groups;
    this.#groups = [];
    this.#words.want('{');
    while (!this.#words.takes('}')) if (!this.#words.takes(';')) fields.push(this.#field(scope === '' ? typeName : scope));
    messages.push(...this.#groups);
    this.#groups = outer;
    if (fields.length === 0) throw this.#words.error('An extend needs a field.', start);
    return { typeName, fields, span: { path: typeName, from: start.from, to: end.to } };
  }

  #fieldNumber(): number {
    const token = this.#words.peek();
    const number = this.#words.integer(Number.MAX_SAFE_INTEGER);
    if (number < 1 || number > maxFieldNumber) throw this.#words.error(`The number of a field is between 1 and ${maxFieldNumber}.`, token);
    if (number >= 19_000 && number <= 19_999) throw this.#words.error('The numbers 19000 to 19999 belong to Protobuf itself.', token);
    return number;
  }
}
