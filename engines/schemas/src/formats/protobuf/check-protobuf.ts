/**
 * Checks Protobuf compatibility on the wire, like Confluent's and Karapace's registries. Compares fields by number, types by their wire
 * type, and messages by their fields. A reserved number must not be reused.
 */
import type { CompatibilityIssue } from '@slipway/foundation/ports/schema.ts';
import type { Judged } from '../schema-format.ts';
import { Budget, schemaLimits } from '../schema-limits.ts';
import type { FieldType, ProtoType } from './link-proto.ts';
import type { ProtoEnum, ProtoField, ProtoMessage, ProtoScalar } from './proto-file.ts';
import { ProtoIssues } from './proto-issues.ts';
import type { ProtobufSchema } from './protobuf-schema.ts';

export const checkProtobuf = (reader: ProtobufSchema, writer: ProtobufSchema, judged: Judged): CompatibilityIssue[] =>
  new ProtoChecker(reader, writer, judged).all().slice(0, schemaLimits.listed);

/** A container of types: a file or a message. */
type Declares = Pick<ProtoMessage, 'messages' | 'enums'>;

type Kind = 'varint' | 'zigzag' | 'fixed32' | 'fixed64' | 'float' | 'double' | 'bytes' | 'message' | 'group' | 'map';

const scalarKinds: Readonly<Record<ProtoScalar, Kind>> = {
  double: 'double',
  float: 'float',
  int64: 'varint',
  uint64: 'varint',
  int32: 'varint',
  fixed64: 'fixed64',
  fixed32: 'fixed32',
  bool: 'varint',
  string: 'bytes',
  bytes: 'bytes',
  uint32: 'varint',
  sfixed32: 'fixed32',
  sfixed64: 'fixed64',
  sint32: 'zigzag',
  sint64: 'zigzag',
};

/** Not all bytes are text: what a reader makes of other bytes differs between languages. */
const isTextOfBytes = (reader: FieldType, writer: FieldType): boolean => reader === 'string' && writer === 'bytes';

const kindOfType = (type: FieldType): Kind => (typeof type === 'string' ? scalarKinds[type] : type.kind === 'enum' ? 'varint' : 'message');

class ProtoChecker {
  readonly #reader: ProtobufSchema;
  readonly #writer: ProtobufSchema;
  readonly #judged: Judged;
  readonly #issues: ProtoIssues;
  readonly #budget = new Budget(schemaLimits.steps, 'pairs of fields to compare');
  readonly #seen = new Map<ProtoMessage, Set<ProtoMessage>>();
  readonly #found = new Map<string, CompatibilityIssue>();

  constructor(reader: ProtobufSchema, writer: ProtobufSchema, judged: Judged) {
    this.#reader = reader;
    this.#writer = writer;
    this.#judged = judged;
    this.#issues = new ProtoIssues(judged, judged === 'reader' ? reader : writer);
  }

  all(): CompatibilityIssue[] {
    this.#types(this.#reader.file, this.#writer.file, undefined);
    return [...this.#found.values()];
  }

  #report(issue: CompatibilityIssue): void {
    this.#found.set(`${issue.code} ${issue.from} ${issue.title}`, issue);
  }

  /**
   * Checks the types of a file or message. Each of the writer's messages must still exist, because encoded messages refer to their type by
   * its index.
   */
  #types(reader: Declares, writer: Declares, around: ProtoMessage | undefined): void {
    const byName = new Map<string, ProtoType>([...reader.enums, ...reader.messages].map((type) => [type.name, type]));
    for (const message of writer.messages) {
      this.#budget.spend();
      const type = byName.get(message.name);
      if (type?.kind === 'message') this.#messages(type, message);
      else this.#report(this.#issues.messageRemoved(message, around));
    }
    for (const found of writer.enums) {
      const type = byName.get(found.name);
      if (type?.kind === 'enum') this.#enums(type, found);
    }
  }

  /** Values may be added and removed, since readers keep unknown numbers. A value must not change its number. */
  #enums(reader: ProtoEnum, writer: ProtoEnum): void {
    const known = new Map(reader.values.map((value) => [value.name, value]));
    for (const value of writer.values) {
      this.#budget.spend();
      const own = known.get(value.name);
      if (own !== undefined && own.number !== value.number) this.#report(this.#issues.enumNumberChanged(own, value, reader, writer));
    }
  }

  #messages(reader: ProtoMessage, writer: ProtoMessage): void {
    const pairs = this.#seen.get(reader) ?? new Set();
    this.#seen.set(reader, pairs);
    if (pairs.has(writer)) return;
    pairs.add(writer);
    this.#fields(reader, writer);
    this.#oneofs(reader, writer);
    this.#types(reader, writer, this.#judged === 'reader' ? reader : writer);
  }

  #fields(reader: ProtoMessage, writer: ProtoMessage): void {
    const written = new Map(writer.fields.map((field) => [field.number, field]));
    const byName = new Map(writer.fields.map((field) => [field.name, field]));
    for (const field of reader.fields) {
      this.#budget.spend(1 + (this.#judged === 'reader' ? writer : reader).reserved.length);
      const other = written.get(field.number);
      const namesake = byName.get(field.name);
      if (namesake !== undefined && namesake.number !== field.number)
        this.#report(this.#issues.numberChanged(field, namesake, reader, writer));
      if (field.label === 'required' && other?.label !== 'required') this.#report(this.#issues.requiredAdded(field, other, reader, writer));
      if (other !== undefined) this.#field(field, other, reader, writer);
    }
    const [judged, former] = this.#judged === 'reader' ? [reader, writer] : [writer, reader];
    for (const field of judged.fields) {
      if (former.reserved.some(({ first, last }) => field.number >= first && field.number <= last))
        this.#report(this.#issues.reservedReused(field, judged));
    }
  }

  #field(reader: ProtoField, writer: ProtoField, inReader: ProtoMessage, inWriter: ProtoMessage): void {
    const [own, other] = [this.#reader.linker.typeOf(reader), this.#writer.linker.typeOf(writer)];
    if (own === undefined || other === undefined) return;
    const kind = kindOf(reader, own);
    if (kind !== kindOf(writer, other) || isTextOfBytes(own, other))
      return this.#report(this.#issues.kindChanged(reader, writer, inReader, inWriter));
    if (kind === 'map') {
      const [ownKey, otherKey] = [this.#reader.linker.keyOf(reader), this.#writer.linker.keyOf(writer)];
      const isSame =
        ownKey !== undefined &&
        otherKey !== undefined &&
        kindOfType(ownKey) === kindOfType(otherKey) &&
        kindOfType(own) === kindOfType(other);
      if (!isSame) return this.#report(this.#issues.kindChanged(reader, writer, inReader, inWriter));
    }
    // A single string, bytes or message may become a list and back: the last element counts. Lists of numbers are packed.
    const isNumber = kind !== 'bytes' && kind !== 'message' && kind !== 'map' && kind !== 'group';
    if (isNumber && (reader.label === 'repeated') !== (writer.label === 'repeated'))
      this.#report(this.#issues.labelChanged(reader, writer, inReader, inWriter));
    if (reader.label === 'required' && this.#isClosedTo(own, other))
      this.#report(this.#issues.requiredEnumNarrowed(reader, writer, inReader, inWriter));
    if (typeof own === 'object' && typeof other === 'object' && own.kind === 'message' && other.kind === 'message')
      this.#messages(own, other);
  }

  /** Enums of proto2 are closed: readers keep numbers without a value among unknown fields, as if the field were not set. */
  #isClosedTo(reader: FieldType, writer: FieldType): boolean {
    if (typeof reader === 'string' || reader.kind !== 'enum' || this.#reader.linker.homeOf(reader)?.syntax === 'proto3') return false;
    if (typeof writer === 'string' || writer.kind !== 'enum') return true;
    const known = new Set(reader.values.map(({ number }) => number));
    return this.#writer.linker.homeOf(writer)?.syntax === 'proto3' || writer.values.some(({ number }) => !known.has(number));
  }

  #oneofs(reader: ProtoMessage, writer: ProtoMessage): void {
    for (const { name } of reader.oneofs) {
      const own = new Map(reader.fields.filter(({ oneof }) => oneof === name).map((field) => [field.number, field]));
      const written = writer.fields.filter((field) => own.has(field.number));
      // A writer sets one field per oneof, and any of the other fields. If two such fields share a oneof of the reader, the reader drops
      // one.
      const [kept = '', ...others] = new Set(written.map((field) => field.oneof ?? field));
      if (others.length > 0) {
        const moved = written.filter((field) => (field.oneof ?? field) !== kept);
        this.#report(this.#issues.movedToOneof(name, moved, reader, writer));
      }
      for (const field of writer.fields) {
        if (field.oneof === name && !own.has(field.number)) this.#report(this.#issues.oneofFieldRemoved(field, name, reader, writer));
      }
    }
  }
}

const kindOf = (field: ProtoField, type: FieldType): Kind =>
  field.keyType !== undefined ? 'map' : field.isGroup === true ? 'group' : kindOfType(type);
