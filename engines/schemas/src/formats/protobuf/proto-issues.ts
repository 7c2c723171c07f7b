/** Describes incompatibilities of Protobuf schemas: their names, their effects, and the fixes that are certain. */
import type { CompatibilityIssue, SchemaFix } from '@slipway/foundation/ports/schema.ts';
import type { Judged } from '../schema-format.ts';
import type { Span } from '../text/source-text.ts';
import { replaced } from '../text/text-edit.ts';
import { isProtoScalar } from './proto-file.ts';
import type { ProtoEnum, ProtoEnumValue, ProtoField, ProtoMessage } from './proto-file.ts';
import type { ProtobufSchema } from './protobuf-schema.ts';

export class ProtoIssues {
  readonly #judged: Judged;
  readonly #schema: ProtobufSchema;

  constructor(judged: Judged, schema: ProtobufSchema) {
    this.#judged = judged;
    this.#schema = schema;
  }

  messageRemoved(message: ProtoMessage, around: ProtoMessage | undefined): CompatibilityIssue {
    if (!this.#isReader)
      return this.#issue('MESSAGE_REMOVED', message, message.nameSpan, {
        title: `${message.name} is new`,
        message: `Readers of the earlier version do not know ${message.name}: they cannot read messages of it.`,
      });
    return this.#issue('MESSAGE_REMOVED', around, around?.nameSpan, {
      title: `${message.name} was removed`,
      message: `Old messages may be a ${message.name}; a reader of the new version no longer knows it.`,
    });
  }

  numberChanged(reader: ProtoField, writer: ProtoField, inReader: ProtoMessage, inWriter: ProtoMessage): CompatibilityIssue {
    const [before, after, home] = this.#isReader ? [writer, reader, inReader] : [reader, writer, inWriter];
    const isFree = !home.fields.some(({ number }) => number === before.number);
    return this.#issue('FIELD_NUMBER_CHANGED', home, after.numberSpan, {
      title: `${after.name}: number ${before.number} became ${after.number}`,
      message: `A field is known by its number: what was written as ${writer.number} is not found as ${reader.number}. Keep the number, or choose a new name.`,
      ...this.#fix(home, isFree, `Keep the number ${before.number}`, () => [replaced(after.numberSpan, String(before.number))]),
    });
  }

  kindChanged(reader: ProtoField, writer: ProtoField, inReader: ProtoMessage, inWriter: ProtoMessage): CompatibilityIssue {
    const [before, after, home] = this.#isReader ? [writer, reader, inReader] : [reader, writer, inWriter];
    const isPlain = isProtoScalar(before.typeName) && before.keyType === undefined && after.isGroup !== true;
    return this.#issue('FIELD_KIND_CHANGED', home, after.typeSpan, {
      title: `${after.name}: ${typeOf(before)} became ${typeOf(after)}`,
      message: `Bytes that were written as ${typeOf(writer)} cannot be read as ${typeOf(reader)}.${this.#isReader ? '' : ' Readers of the earlier version stop at new messages.'}`,
      ...this.#fix(home, isPlain, `Keep ${after.name} as ${before.typeName}`, () => [replaced(after.typeSpan, before.typeName)]),
    });
  }

  enumNumberChanged(reader: ProtoEnumValue, writer: ProtoEnumValue, inReader: ProtoEnum, inWriter: ProtoEnum): CompatibilityIssue {
    const [before, after, home] = this.#isReader ? [writer, reader, inReader] : [reader, writer, inWriter];
    return this.#issue('ENUM_VALUE_NUMBER_CHANGED', home, after.span, {
      title: `${home.name}.${after.name}: number ${before.number} became ${after.number}`,
      message: `A value is written as its number: what was written as ${writer.name} is no longer read as it.`,
    });
  }

  labelChanged(reader: ProtoField, writer: ProtoField, inReader: ProtoMessage, inWriter: ProtoMessage): CompatibilityIssue {
    const [after, home] = this.#isReader ? [reader, inReader] : [writer, inWriter];
    const isList = after.label === 'repeated';
    return this.#issue('FIELD_NUMERIC_LABEL_CHANGED', home, after.labelSpan ?? after.typeSpan, {
      title: `${after.name} is ${isList ? 'a list now' : 'no longer a list'}`,
      message: 'A list of numbers is written as one block of bytes, a single number is not: one cannot be read as the other.',
    });
  }

  requiredAdded(reader: ProtoField, writer: ProtoField | undefined, inReader: ProtoMessage, inWriter: ProtoMessage): CompatibilityIssue {
    if (!this.#isReader)
      return this.#issue('REQUIRED_FIELD_ADDED', inWriter, writer?.labelSpan ?? writer?.span ?? inWriter.nameSpan, {
        title: `${reader.name} is no longer required`,
        message: 'Readers of the earlier version require it, and stop at a message without it.',
      });
    return this.#issue('REQUIRED_FIELD_ADDED', inReader, reader.labelSpan ?? reader.span, {
      title: `${reader.name} is required now`,
      message: 'Old messages may lack it; a reader of the new version stops at the first one.',
      ...this.#fix(inReader, reader.labelSpan !== undefined, `Make ${reader.name} optional`, () => [
        replaced(reader.labelSpan ?? reader.span, 'optional'),
      ]),
    });
  }

  requiredEnumNarrowed(reader: ProtoField, writer: ProtoField, inReader: ProtoMessage, inWriter: ProtoMessage): CompatibilityIssue {
    const [field, home] = this.#isReader ? [reader, inReader] : [writer, inWriter];
    return this.#issue('REQUIRED_ENUM_NARROWED', home, field.typeSpan, {
      title: `${field.name} may hold a value that readers do not know`,
      message: `A reader whose ${reader.typeName} lacks the value takes ${reader.name} for missing, and stops because it is required.`,
    });
  }

  reservedReused(field: ProtoField, home: ProtoMessage): CompatibilityIssue {
    return this.#issue('RESERVED_NUMBER_REUSED', home, field.numberSpan, {
      title: `${field.name} takes the reserved number ${field.number}`,
      message:
        'The earlier version reserved this number: old messages may hold another field under it. Choose a number that was never used.',
    });
  }

  movedToOneof(oneof: string, fields: readonly ProtoField[], inReader: ProtoMessage, inWriter: ProtoMessage): CompatibilityIssue {
    const names = fields.map(({ name }) => name).join(', ');
    const [home, span] = this.#isReader
      ? [inReader, inReader.oneofs.find(({ name }) => name === oneof)?.nameSpan]
      : [inWriter, fields[0]?.span];
    return this.#issue('MULTIPLE_FIELDS_MOVED_TO_ONEOF', home, span ?? home.nameSpan, {
      title: this.#isReader ? `${names} moved into ${oneof}` : `${names} left ${oneof}`,
      message:
        'A message may hold several fields that this oneof holds one of. A reader with the oneof keeps the last one and drops the others.',
    });
  }

  oneofFieldRemoved(field: ProtoField, oneof: string, inReader: ProtoMessage, inWriter: ProtoMessage): CompatibilityIssue {
    const [home, span] = this.#isReader ? [inReader, inReader.oneofs.find(({ name }) => name === oneof)?.nameSpan] : [inWriter, field.span];
    return this.#issue('ONEOF_FIELD_REMOVED', home, span ?? home.nameSpan, {
      title: this.#isReader ? `${field.name} was removed from ${oneof}` : `${field.name} is new in ${oneof}`,
      message: `A reader without it sees an empty ${oneof}, as if nothing had been chosen.`,
    });
  }

  get #isReader(): boolean {
    return this.#judged === 'reader';
  }

  #isOwn(home: ProtoMessage | ProtoEnum | undefined): boolean {
    return home !== undefined && this.#schema.linker.homeOf(home) === this.#schema.file;
  }

  /** Issues in a reference are placed at the start of the judged text. */
  #issue(
    code: string,
    home: ProtoMessage | ProtoEnum | undefined,
    span: Span | undefined,
    words: Pick<CompatibilityIssue, 'title' | 'message' | 'fix'>,
  ): CompatibilityIssue {
    const at = span !== undefined && this.#isOwn(home) ? span : { path: span?.path ?? '', from: 0, to: 0 };
    return { code, ...this.#schema.source.place(at), ...words };
  }

  #fix(home: ProtoMessage, isCertain: boolean, label: string, edits: () => SchemaFix['edits']): { fix?: SchemaFix } {
    return isCertain && this.#isOwn(home) ? { fix: { label, edits: edits() } } : {};
  }
}

const typeOf = (field: ProtoField): string =>
  field.keyType !== undefined
    ? `map of ${field.keyType} to ${field.typeName}`
    : `${field.label === 'repeated' ? 'list of ' : ''}${field.typeName}`;
