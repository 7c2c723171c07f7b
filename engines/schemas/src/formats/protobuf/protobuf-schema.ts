/** Implements ParsedSchema for Protobuf. Test messages use the first message of the file. */
import { create, createFileRegistry, fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import type { DescMessage, FileRegistry } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import type { JsonValue, ParsedSchema, ParseResult, SchemaField, SchemaProblem } from '@slipway/foundation/ports/schema.ts';
import { MessageError } from '../schema-format.ts';
import type { SchemaReference } from '../schema-format.ts';
import { sampleWithinLimits } from '../message-limits.ts';
import { referenceList } from '../reference-list.ts';
import { ByteReader } from '../text/byte-reader.ts';
import { fingerprintOf } from '../text/digest.ts';
import { SourceText } from '../text/source-text.ts';
import { canonicalProto } from './canonical-proto.ts';
import { ProtoLinker } from './link-proto.ts';
import { parseProto } from './parse-proto.ts';
import { descriptorOf } from './proto-descriptor.ts';
import { protoFields, protoSample } from './proto-fields.ts';
import type { ProtoFile, ProtoMessage } from './proto-file.ts';
import { ProtoSyntaxError } from './proto-tokens.ts';
import { wellKnownFile } from './well-known.ts';

/** The path of the schema itself among its imports. Nothing can import it. */
const ownPath = '';

interface Parts {
  readonly source: SourceText;
  readonly file: ProtoFile;
  readonly files: ReadonlyMap<string, ProtoFile>;
  readonly linker: ProtoLinker;
  readonly canonical: string;
}

export class ProtobufSchema implements ParsedSchema {
  readonly type = 'PROTOBUF';
  readonly content: string;
  readonly canonical: string;
  readonly fingerprint: string;
  readonly name: string | undefined;
  readonly referenceNames: readonly string[];
  readonly file: ProtoFile;
  readonly linker: ProtoLinker;
  readonly source: SourceText;
  readonly #files: ReadonlyMap<string, ProtoFile>;
  #registry: FileRegistry | undefined;

  constructor({ source, file, files, linker, canonical }: Parts) {
    this.content = source.text;
    this.source = source;
    this.file = file;
    this.linker = linker;
    this.canonical = canonical;
    this.fingerprint = fingerprintOf(canonical);
    this.name = file.messages[0]?.fullName;
    this.referenceNames = [...files.keys()].filter((path) => path !== ownPath && wellKnownFile(path) === undefined);
    this.#files = files;
  }

  fields(): readonly SchemaField[] {
    return protoFields(this);
  }

  sample(): JsonValue {
    return sampleWithinLimits(() => protoSample(this));
  }

  /** The body begins with the indexes of the message in the file: a count, then each. A single zero means the first message. */
  decode(body: Uint8Array): JsonValue {
    const reader = new ByteReader(body);
    const count = Number(reader.zigzag());
    if (count < 0 || count > 100) throw new MessageError('', 'The message names no type of the schema.');
    const indexes = count === 0 ? [0] : Array.from({ length: count }, () => Number(reader.zigzag()));
    const descriptor = this.#descriptor(this.#messageAt(indexes));
    try {
      const value: JsonValue = toJson(descriptor, fromBinary(descriptor, reader.take(reader.left), { readUnknownFields: false }), {
        registry: this.#fileRegistry(),
        alwaysEmitImplicit: true,
      });
      return value;
    } catch (error) {
      throw new MessageError('', `The message is no ${descriptor.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  encode(value: JsonValue): Uint8Array {
    const descriptor = this.#descriptor(this.#messageAt([0]));
    try {
      const message = toBinary(descriptor, fromJson(descriptor, value, { registry: this.#fileRegistry() }));
      const body = new Uint8Array(1 + message.length);
      body.set(message, 1);
      return body;
    } catch (error) {
      const at = fieldOfError(error);
      throw new MessageError(at, error instanceof Error ? error.message : String(error));
    }
  }

  #messageAt(indexes: readonly number[]): ProtoMessage {
    const [first = 0, ...rest] = indexes;
    const found = rest.reduce((message: ProtoMessage | undefined, index) => message?.messages[index], this.file.messages[first]);
    if (found === undefined) throw new MessageError('', 'The message names no type of the schema.');
    return found;
  }

  #descriptor(message: ProtoMessage): DescMessage {
    const descriptor = this.#fileRegistry().getMessage(message.fullName);
    if (descriptor === undefined) throw new MessageError('', `There is no message ${message.fullName}.`);
    return descriptor;
  }

  #fileRegistry(): FileRegistry {
    if (this.#registry !== undefined) return this.#registry;
    const file = inOrder(this.#files).map(
      ([path, found]) => wellKnownFile(path)?.descriptor.proto ?? descriptorOf(nameOf(path), found, this.linker),
    );
    this.#registry = createFileRegistry(create(FileDescriptorSetSchema, { file }));
    return this.#registry;
  }
}

const nameOf = (path: string): string => (path === ownPath ? 'slipway.schema.proto' : path);

/** Returns the name of the field in an error of @bufbuild/protobuf. */
const fieldOfError = (error: unknown): string => {
  if (!(error instanceof Error) || !('field' in error) || typeof error.field !== 'function') return '';
  const field: unknown = error.field();
  return typeof field === 'object' && field !== null && 'name' in field && typeof field.name === 'string' ? field.name : '';
};

/** Sorts files so that imports come first. */
const inOrder = (files: ReadonlyMap<string, ProtoFile>): [string, ProtoFile][] => {
  const done = new Map<string, ProtoFile>();
  const visit = (path: string): void => {
    const file = files.get(path);
    if (file === undefined || done.has(path)) return;
    for (const { path: imported } of file.imports) visit(imported);
    done.set(path, file);
  };
  for (const path of files.keys()) visit(path);
  return [...done];
};

export const parseProtobuf = (content: string, references: readonly SchemaReference[]): ParseResult => {
  const source = new SourceText(content);
  const own = parsed(source);
  if ('problem' in own) return { ok: false, problems: [own.problem] };
  const files = new Map<string, ProtoFile>([[ownPath, own.file]]);
  const declared = own.file.messages.length + own.file.enums.length + own.file.services.length + own.file.extends.length;
  const start = source.place({ path: '', from: 0, to: 0 });
  if (declared === 0) return { ok: false, problems: [{ ...start, message: 'The schema declares nothing: it needs a message.' }] };
  for (const reference of referenceList(references)) {
    const read = parsed(new SourceText(reference.content));
    if ('problem' in read)
      return { ok: false, problems: [{ ...start, message: `The reference “${reference.name}” is not valid: ${read.problem.message}` }] };
    files.set(reference.name, read.file);
  }
  addWellKnown(files);
  const cycle = cycleIn(files);
  if (cycle !== undefined) return { ok: false, problems: [{ ...start, message: `“${cycle}” imports itself, by way of others.` }] };
  const linker = new ProtoLinker(files);
  if (linker.problems.length > 0) return { ok: false, problems: [...linker.problems].sort((a, b) => a.from - b.from) };
  const canonical = [...files]
    .filter(([path]) => wellKnownFile(path) === undefined)
    .map(([path, file]) => `${path}\n${canonicalProto(file)}`);
  return { ok: true, schema: new ProtobufSchema({ source, file: own.file, files, linker, canonical: canonical.join('\n') }) };
};

const parsed = (source: SourceText): { readonly file: ProtoFile } | { readonly problem: SchemaProblem } => {
  try {
    return { file: parseProto(source) };
  } catch (error) {
    if (!(error instanceof ProtoSyntaxError)) throw error;
    return { problem: { ...source.place({ path: '', from: error.from, to: error.to }), message: error.message } };
  }
};

const addWellKnown = (files: Map<string, ProtoFile>): void => {
  const waiting = [...files.values()].flatMap(({ imports }) => imports);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const known = files.has(next.path) ? undefined : wellKnownFile(next.path);
    if (known === undefined) continue;
    files.set(next.path, known.file);
    waiting.push(...known.file.imports);
  }
};

const cycleIn = (files: ReadonlyMap<string, ProtoFile>): string | undefined => {
  const done = new Set<string>();
  const open = new Set<string>();
  const visit = (path: string): string | undefined => {
    if (open.has(path)) return path;
    if (done.has(path)) return undefined;
    open.add(path);
    const found = (files.get(path)?.imports ?? []).map((inner) => visit(inner.path)).find((cycle) => cycle !== undefined);
    open.delete(path);
    done.add(path);
    return found;
  };
  return [...files.keys()].map(visit).find((cycle) => cycle !== undefined);
};
