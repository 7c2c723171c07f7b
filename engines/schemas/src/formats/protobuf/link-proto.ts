/**
 * Resolves the names in .proto files and reports what protoc would refuse: duplicate names and numbers, missing types, and violations of
 * each syntax's rules.
 */
import type { SchemaProblem } from '@slipway/foundation/ports/schema.ts';
import { Budget, schemaLimits } from '../schema-limits.ts';
import type { SourceText, Span } from '../text/source-text.ts';
import { isProtoScalar } from './proto-file.ts';
import { checkEnum, checkJsonNames, checkNumbers, isIn } from './proto-rules.ts';
import type { Report } from './proto-rules.ts';
import type { ProtoEnum, ProtoExtend, ProtoField, ProtoFile, ProtoMessage, ProtoScalar } from './proto-file.ts';

export type ProtoType = ProtoMessage | ProtoEnum;
/** A field's type: a scalar, or the type that its name resolves to. */
export type FieldType = ProtoScalar | ProtoType;

/** A schema with its resolved names. */
export interface LinkedSchema {
  readonly file: ProtoFile;
  readonly linker: ProtoLinker;
  readonly source: SourceText;
}

/** Links the files of a schema, by their import paths. */
export class ProtoLinker {
  readonly problems: SchemaProblem[] = [];
  /** Types by full name. */
  readonly types = new Map<string, ProtoType>();
  readonly #files: ReadonlyMap<string, ProtoFile>;
  /** Names in use, including packages. */
  readonly #names = new Map<string, 'package' | 'other'>();
  readonly #fieldTypes = new Map<ProtoField, FieldType>();
  readonly #keyTypes = new Map<ProtoField, ProtoScalar>();
  readonly #homes = new Map<ProtoType, ProtoFile>();
  readonly #budget = new Budget(schemaLimits.types, 'messages, fields and values');

  readonly #report: Report = {
    problem: (file, span, message) => this.#problem(file, span, message),
    spend: (steps) => this.#budget.spend(steps),
  };

  constructor(files: ReadonlyMap<string, ProtoFile>) {
    this.#files = files;
    for (const file of files.values()) this.#declare(file);
    for (const file of files.values()) this.#link(file);
  }

  typeOf(field: ProtoField): FieldType | undefined {
    return this.#fieldTypes.get(field);
  }

  homeOf(type: ProtoType): ProtoFile | undefined {
    return this.#homes.get(type);
  }

  /** Returns the key type of a map. */
  keyOf(field: ProtoField): ProtoScalar | undefined {
    return this.#keyTypes.get(field);
  }

  #problem(file: ProtoFile, span: Span, message: string): void {
    if (this.problems.length < schemaLimits.listed) this.problems.push({ ...file.source.place(span), message });
  }

  // -- declarations

  #declare(file: ProtoFile): void {
    const parts = file.package === '' ? [] : file.package.split('.');
    for (const [index] of parts.entries()) {
      const name = parts.slice(0, index + 1).join('.');
      if (this.#names.get(name) === 'other')
        this.#problem(file, startOf(file), `“${name}” is a package here, and something else elsewhere.`);
      else this.#names.set(name, 'package');
    }
    for (const message of file.messages) this.#declareMessage(message, file);
    for (const found of file.enums) this.#declareEnum(found, file);
    for (const service of file.services) {
      this.#take(service.nameSpan, file);
      for (const { span } of service.methods) this.#take(span, file);
    }
    for (const extend of file.extends)
      for (const field of extend.fields) this.#take({ ...field.nameSpan, path: joined(file.package, field.name) }, file);
  }

  #take(span: Span, file: ProtoFile): void {
    this.#budget.spend();
    if (this.#names.has(span.path)) this.#problem(file, span, `“${span.path}” is defined twice.`);
    this.#names.set(span.path, 'other');
  }

  #declareMessage(message: ProtoMessage, file: ProtoFile): void {
    this.#take(message.nameSpan, file);
    this.types.set(message.fullName, message);
    this.#homes.set(message, file);
    for (const field of message.fields) this.#take(field.nameSpan, file);
    for (const oneof of message.oneofs) this.#take(oneof.nameSpan, file);
    for (const inner of message.messages) this.#declareMessage(inner, file);
    for (const inner of message.enums) this.#declareEnum(inner, file);
    for (const extend of message.extends)
      for (const field of extend.fields) this.#take({ ...field.nameSpan, path: joined(message.fullName, field.name) }, file);
  }

  /** The values of an enum are in its parent scope, not in the enum. */
  #declareEnum(found: ProtoEnum, file: ProtoFile): void {
    this.#take(found.nameSpan, file);
    this.types.set(found.fullName, found);
    this.#homes.set(found, file);
    const scope = found.fullName.split('.').slice(0, -1).join('.');
    for (const value of found.values) this.#take({ ...value.span, path: joined(scope, value.name) }, file);
  }

  // -- references

  #link(file: ProtoFile): void {
    const seen = new Set<string>();
    for (const { path, span } of file.imports) {
      if (!this.#files.has(path)) this.#problem(file, span, `“${path}” is not there: give it as a reference.`);
      else if (this.#files.get(path) === file) this.#problem(file, span, 'A file cannot import itself.');
      else if (seen.has(path)) this.#problem(file, span, `“${path}” is imported twice.`);
      seen.add(path);
    }
    const visible = this.#visibleFrom(file);
    for (const message of file.messages) this.#linkMessage(message, file, visible);
    for (const found of file.enums) checkEnum(found, file, this.#report);
    for (const extend of file.extends) this.#linkExtend(extend, file.package, file, visible);
    for (const service of file.services) {
      for (const method of service.methods) {
        for (const name of [method.input, method.output]) {
          const type = this.#resolve(name, joined(file.package, service.name), visible);
          if (type?.kind !== 'message') this.#problem(file, method.span, `There is no message “${name}”.`);
        }
      }
    }
  }

  /** Returns the files that a file imports, and their public imports. */
  #visibleFrom(file: ProtoFile): ReadonlySet<ProtoFile> {
    const visible = new Set([file]);
    const waiting = file.imports.map(({ path }) => path);
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const imported = this.#files.get(path);
      if (imported === undefined || visible.has(imported)) continue;
      visible.add(imported);
      waiting.push(...imported.imports.filter(({ isPublic }) => isPublic).map((inner) => inner.path));
    }
    return visible;
  }

  /** Resolves a name as in C++: the innermost scope that contains the first part must contain the whole name. */
  #resolve(name: string, scope: string, visible: ReadonlySet<ProtoFile>): ProtoType | undefined {
    const isVisible = (type: ProtoType | undefined) => {
      const home = type === undefined ? undefined : this.#homes.get(type);
      return home !== undefined && visible.has(home) ? type : undefined;
    };
    if (name.startsWith('.')) return isVisible(this.types.get(name.slice(1)));
    const [first = ''] = name.split('.', 1);
    const parts = scope === '' ? [] : scope.split('.');
    for (let length = parts.length; length >= 0; length--) {
      this.#budget.spend(0.1);
      const outer = parts.slice(0, length).join('.');
      const type = isVisible(this.types.get(joined(outer, name)));
      if (type !== undefined) return type;
      // A single name that is not a type here may be a type in an outer scope, since a field may have the same name as its type.
      if (first !== name && this.types.has(joined(outer, first))) return undefined;
    }
    return undefined;
  }

  #linkMessage(message: ProtoMessage, file: ProtoFile, visible: ReadonlySet<ProtoFile>): void {
    for (const field of message.fields) this.#linkField(field, message.fullName, file, visible);
    checkNumbers(message, file, this.#report);
    checkJsonNames(message, file, this.#report);
    if (file.syntax === 'proto3')
      for (const range of message.extensions) this.#problem(file, range.span, 'proto3 has no extension ranges.');
    for (const inner of message.messages) this.#linkMessage(inner, file, visible);
    for (const inner of message.enums) checkEnum(inner, file, this.#report);
    for (const extend of message.extends) this.#linkExtend(extend, message.fullName, file, visible);
  }

  #linkField(field: ProtoField, scope: string, file: ProtoFile, visible: ReadonlySet<ProtoFile>): void {
    this.#budget.spend();
    const type = isProtoScalar(field.typeName) ? field.typeName : this.#resolve(field.typeName, scope, visible);
    if (type === undefined) return this.#problem(file, field.typeSpan, `There is no type “${field.typeName}” here. Is an import missing?`);
    this.#fieldTypes.set(field, type);
    if (field.keyType !== undefined) {
      if (isProtoScalar(field.keyType) && !['float', 'double', 'bytes'].includes(field.keyType)) this.#keyTypes.set(field, field.keyType);
      else this.#problem(file, field.typeSpan, 'The keys of a map are whole numbers, texts or bools.');
    }
    this.#checkSyntax(field, type, file);
  }

  #checkSyntax(field: ProtoField, type: FieldType, file: ProtoFile): void {
    const isPlain = field.oneof === undefined && field.keyType === undefined;
    if (file.syntax === 'proto2') {
      if (isPlain && field.label === undefined) this.#problem(file, field.typeSpan, 'proto2 needs optional, required or repeated here.');
    } else {
      if (field.label === 'required') this.#problem(file, field.labelSpan ?? field.span, 'proto3 has no required fields.');
      if (field.isGroup === true) this.#problem(file, field.span, 'proto3 has no groups.');
      const fallback = field.options.find(({ name }) => name === 'default');
      if (fallback !== undefined) this.#problem(file, fallback.span, 'proto3 has no defaults of its own.');
    }
    const packed = field.options.find(({ name }) => name === 'packed');
    const canPack =
      field.label === 'repeated' && type !== 'string' && type !== 'bytes' && (typeof type === 'string' || type.kind === 'enum');
    if (packed !== undefined && packed.value === 'true' && !canPack)
      this.#problem(file, packed.span, 'Only repeated numbers, bools and enums are packed.');
    const fallback = field.options.find(({ name }) => name === 'default');
    if (fallback !== undefined && (field.label === 'repeated' || (typeof type !== 'string' && type.kind === 'message')))
      this.#problem(file, fallback.span, 'Lists and messages have no default.');
    else if (
      fallback !== undefined &&
      typeof type !== 'string' &&
      type.kind === 'enum' &&
      !type.values.some(({ name }) => name === fallback.value)
    )
      this.#problem(file, fallback.span, `“${fallback.value}” is no value of ${type.name}.`);
  }

  #linkExtend(extend: ProtoExtend, scope: string, file: ProtoFile, visible: ReadonlySet<ProtoFile>): void {
    const extended = this.#resolve(extend.typeName, scope, visible);
    if (extended?.kind !== 'message')
      return this.#problem(file, extend.span, `There is no message “${extend.typeName}” here. Is an import missing?`);
    if (file.syntax === 'proto3' && !/^google\.protobuf\.\w+Options$/.test(extended.fullName))
      this.#problem(file, extend.span, 'proto3 extends options alone.');
    for (const field of extend.fields) {
      this.#linkField(field, scope, file, visible);
      if (!extended.extensions.some((range) => isIn(range, field.number)))
        this.#problem(file, field.numberSpan, `${extended.name} has no extension range with ${field.number}.`);
    }
  }
}

const joined = (scope: string, name: string): string => (scope === '' ? name : `${scope}.${name}`);
const startOf = (file: ProtoFile): Span => ({ path: file.package, from: 0, to: 0 });
