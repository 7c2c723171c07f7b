/**
 * Random .proto files and slightly changed copies, with their descriptors for another implementation. Each file has the message M, the
 * messages N and O that it uses, and the enums E and F.
 */
import { create, createFileRegistry, type DescMessage } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
  type FieldDescriptorProto,
  type FieldDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { RandomSource } from '../random-source.fixture.ts';

export const scalarTypes = {
  int32: FieldDescriptorProto_Type.INT32,
  int64: FieldDescriptorProto_Type.INT64,
  uint32: FieldDescriptorProto_Type.UINT32,
  uint64: FieldDescriptorProto_Type.UINT64,
  sint32: FieldDescriptorProto_Type.SINT32,
  sint64: FieldDescriptorProto_Type.SINT64,
  fixed32: FieldDescriptorProto_Type.FIXED32,
  fixed64: FieldDescriptorProto_Type.FIXED64,
  sfixed32: FieldDescriptorProto_Type.SFIXED32,
  sfixed64: FieldDescriptorProto_Type.SFIXED64,
  float: FieldDescriptorProto_Type.FLOAT,
  double: FieldDescriptorProto_Type.DOUBLE,
  bool: FieldDescriptorProto_Type.BOOL,
  string: FieldDescriptorProto_Type.STRING,
  bytes: FieldDescriptorProto_Type.BYTES,
} as const;
type Scalar = keyof typeof scalarTypes;
type MessageName = 'N' | 'O';
type EnumName = 'E' | 'F';
type TypeName = Scalar | MessageName | EnumName;

/** Types that share a wire type, or nearly do. Changes stay within a list most of the time, so that many pairs are accepted. */
const related: readonly (readonly [TypeName, ...TypeName[]])[] = [
  ['int32', 'int64', 'uint32', 'uint64', 'bool', 'E', 'F'],
  ['sint32', 'sint64'],
  ['fixed32', 'sfixed32', 'float'],
  ['fixed64', 'sfixed64', 'double'],
  ['string', 'bytes'],
  ['N', 'O'],
];
const keyTypes = ['int32', 'int64', 'uint32', 'sint32', 'fixed32', 'bool', 'string'] as const;

type Label = 'none' | 'optional' | 'required' | 'repeated';
interface RandomField {
  readonly number: number;
  readonly name: string;
  readonly type: TypeName;
  readonly label: Label;
  readonly key?: (typeof keyTypes)[number];
  /** Fields of a group. The type is ignored then. */
  readonly group?: readonly RandomField[];
  readonly isPacked?: boolean;
  readonly oneof?: 'x' | 'y';
}
interface RandomMessage {
  readonly name: 'M' | MessageName;
  readonly fields: readonly RandomField[];
  readonly reserved: readonly number[];
}
export interface RandomProto {
  readonly syntax: 'proto2' | 'proto3';
  readonly messages: readonly RandomMessage[];
  readonly enums: readonly { readonly name: EnumName; readonly values: readonly number[] }[];
}

const leaves = related.slice(0, 5);
const numbers = [1, 2, 3, 4, 5] as const;

class ProtoMaker {
  readonly #random: RandomSource;
  readonly #syntax: RandomProto['syntax'];

  constructor(random: RandomSource, syntax: RandomProto['syntax']) {
    this.#random = random;
    this.#syntax = syntax;
  }

  proto(): RandomProto {
    const messages = [this.#message('M', related), this.#message('N', leaves), this.#message('O', leaves)];
    return { syntax: this.#syntax, messages, enums: [this.#enum('E'), this.#enum('F')] };
  }

  #enum(name: EnumName) {
    return { name, values: [0, ...[1, 2, 3].filter(() => !this.#random.isOneIn(3))] };
  }

  #message(name: RandomMessage['name'], types: typeof related): RandomMessage {
    const random = this.#random;
    const used = numbers.filter(() => !random.isOneIn(4));
    return { name, fields: used.map((number) => this.field(number, types)), reserved: random.isOneIn(4) ? [9] : [] };
  }

  type(types: typeof related = related): TypeName {
    return this.#random.one(types[this.#random.below(types.length)] ?? ['int32']);
  }

  field(number: number, types: typeof related): RandomField {
    const random = this.#random;
    const plain = { number, name: `f${number}`, type: this.type(types) };
    const kind = random.below(10);
    if (kind < 3) return { ...plain, label: 'none', oneof: random.one(['x', 'x', 'y']) };
    if (kind === 3) return { ...plain, label: 'none', key: random.one(keyTypes) };
    if (kind < 6) return { ...plain, label: 'repeated', isPacked: random.isOneIn(2) };
    if (kind === 6 && this.#syntax === 'proto2' && types === related)
      return { ...plain, label: random.one(['optional', 'repeated']), group: [1, 2].map((inner) => this.field(inner, leaves)) };
    return { ...plain, label: random.one(['none', 'optional', this.#syntax === 'proto2' ? 'required' : 'none']) };
  }

  changedField(field: RandomField, types: typeof related): RandomField[] {
    const random = this.#random;
    switch (random.below(9)) {
      case 0:
        return [];
      case 1:
        return [{ ...field, name: random.one([`g${field.number}`, field.name]) }];
      case 2:
        return [this.field(field.number, types)];
      case 3:
        return [{ ...field, isPacked: !field.isPacked }];
      case 4:
        return [{ ...field, group: field.group && this.changedFields(field.group, leaves) }].map(withoutUndefined);
      case 5: {
        const { oneof: _, key: __, ...alone } = field;
        return [{ ...alone, label: random.one(['none', 'optional', 'repeated']) }];
      }
      case 6: {
        const { key: _, ...alone } = field;
        return [field.group ? field : { ...alone, label: 'none', oneof: random.one(['x', 'y']) }];
      }
      default: {
        const same = related.find((list) => list.includes(field.type)) ?? related[0];
        return [{ ...field, type: same && !random.isOneIn(5) ? random.one(same) : this.type(types) }];
      }
    }
  }

  changedFields(fields: readonly RandomField[], types: typeof related): RandomField[] {
    return fields.flatMap((field) => (this.#random.isOneIn(4) ? this.changedField(field, types) : [field]));
  }

  changedEnum(values: readonly number[]): number[] {
    return [0, ...[1, 2, 3].filter((value) => values.includes(value) !== this.#random.isOneIn(6))];
  }
}

const withoutUndefined = ({ group, ...field }: Omit<RandomField, 'group'> & { group: RandomField['group'] | undefined }): RandomField =>
  group ? { ...field, group } : field;

/** Makes labels and groups valid for the syntax. */
const fitted = (proto: RandomProto): RandomProto => {
  const fit = (field: RandomField): RandomField[] => {
    const { group, ...plain } = field;
    if (group && proto.syntax === 'proto3') return [];
    const isFree = field.oneof !== undefined || field.key !== undefined;
    const label: Label =
      proto.syntax === 'proto3' && plain.label === 'required'
        ? 'none'
        : proto.syntax === 'proto2' && plain.label === 'none' && !isFree
          ? 'optional'
          : plain.label;
    return [{ ...plain, label, ...(group ? { group: group.flatMap(fit) } : {}) }];
  };
  return { ...proto, messages: proto.messages.map((message) => ({ ...message, fields: message.fields.flatMap(fit) })) };
};

export const randomProto = (random: RandomSource): RandomProto =>
  fitted(new ProtoMaker(random, random.isOneIn(3) ? 'proto2' : 'proto3').proto());

export const changedProto = (random: RandomSource, proto: RandomProto): RandomProto => {
  const other = proto.syntax === 'proto2' ? 'proto3' : 'proto2';
  const syntax = random.isOneIn(24) ? other : proto.syntax;
  const maker = new ProtoMaker(random, syntax);
  const messages = proto.messages.map((message) => ({
    ...message,
    fields: maker.changedFields(message.fields, message.name === 'M' ? related : leaves),
    reserved: random.isOneIn(6) ? [random.one(numbers) + 5] : message.reserved,
  }));
  return fitted({ syntax, messages, enums: proto.enums.map(({ name, values }) => ({ name, values: maker.changedEnum(values) })) });
};

const oneofsOf = (fields: readonly RandomField[]) => (['x', 'y'] as const).filter((name) => fields.some(({ oneof }) => oneof === name));

const canPack = ({ type }: RandomField): boolean => !['string', 'bytes', 'N', 'O'].includes(type);

const fieldText = (field: RandomField, syntax: RandomProto['syntax']): string => {
  const { number, name, type, label, key, group, isPacked = false } = field;
  if (key) return `map<${key}, ${type}> ${name} = ${number};`;
  const before = label === 'none' || field.oneof ? '' : `${label} `;
  if (group) return `${before}group G${number} = ${number} { ${fieldsText(group, syntax)} }`;
  const option = label === 'repeated' && canPack(field) ? ` [packed = ${isPacked}]` : '';
  return `${before}${type} ${name} = ${number}${option};`;
};
const fieldsText = (fields: readonly RandomField[], syntax: RandomProto['syntax']): string => {
  const text = (some: readonly RandomField[]): string => some.map((field) => fieldText(field, syntax)).join(' ');
  const oneofs = oneofsOf(fields).map((name) => `oneof ${name} { ${text(fields.filter(({ oneof }) => oneof === name))} }`);
  return [text(fields.filter(({ oneof }) => oneof === undefined)), ...oneofs].join(' ');
};
export const protoText = ({ syntax, messages, enums }: RandomProto): string =>
  [
    `syntax = "${syntax}";`,
    ...messages.map(({ name, fields, reserved }) => {
      const free = reserved.filter((number) => !fields.some((field) => field.number === number));
      return `message ${name} { ${free.map((number) => `reserved ${number}; `).join('')}${fieldsText(fields, syntax)} }`;
    }),
    ...enums.map(({ name, values }) => `enum ${name} { ${values.map((value) => `${name}_${value} = ${value};`).join(' ')} }`),
  ].join('\n');

type FieldInit = Exclude<MessageInitShape<typeof FieldDescriptorProtoSchema>, FieldDescriptorProto>;
const typeInit = (type: TypeName): FieldInit => {
  if (type === 'N' || type === 'O') return { type: FieldDescriptorProto_Type.MESSAGE, typeName: `.${type}` };
  if (type === 'E' || type === 'F') return { type: FieldDescriptorProto_Type.ENUM, typeName: `.${type}` };
  return { type: scalarTypes[type] };
};
const { OPTIONAL, REQUIRED, REPEATED } = FieldDescriptorProto_Label;
const labels = { none: OPTIONAL, optional: OPTIONAL, required: REQUIRED, repeated: REPEATED };

const messageInit = (path: string, name: string, fields: readonly RandomField[], syntax: RandomProto['syntax']) => {
  const fullName = `${path}.${name}`;
  const oneofs: string[] = oneofsOf(fields);
  const field = fields.map((one): FieldInit => {
    const common = { name: one.group ? `g${one.number}` : one.name, number: one.number, jsonName: one.name };
    if (one.key)
      return { ...common, label: REPEATED, type: FieldDescriptorProto_Type.MESSAGE, typeName: `${fullName}.F${one.number}Entry` };
    const type = one.group ? { type: FieldDescriptorProto_Type.GROUP, typeName: `${fullName}.G${one.number}` } : typeInit(one.type);
    const packed = one.label === 'repeated' && canPack(one) && !one.group ? { options: { packed: one.isPacked ?? false } } : {};
    if (one.oneof) return { ...common, ...type, label: OPTIONAL, oneofIndex: oneofs.indexOf(one.oneof) };
    if (syntax === 'proto3' && one.label === 'optional')
      return { ...common, ...type, label: OPTIONAL, proto3Optional: true, oneofIndex: oneofs.push(`_${one.name}`) - 1 };
    return { ...common, ...type, ...packed, label: labels[one.label] };
  });
  const entries = fields.flatMap(({ number, key, type }) =>
    key
      ? {
          name: `F${number}Entry`,
          options: { mapEntry: true },
          field: [
            { name: 'key', number: 1, jsonName: 'key', label: OPTIONAL, ...typeInit(key) },
            { name: 'value', number: 2, jsonName: 'value', label: OPTIONAL, ...typeInit(type) },
          ],
        }
      : [],
  );
  const groups = fields.flatMap(({ number, group }): object[] => (group ? [messageInit(fullName, `G${number}`, group, syntax)] : []));
  return { name, field, oneofDecl: oneofs.map((oneof) => ({ name: oneof })), nestedType: [...entries, ...groups] };
};

/** Descriptor of M, made without our parser. */
export const protoDescriptor = ({ syntax, messages, enums }: RandomProto): DescMessage => {
  const file = create(FileDescriptorProtoSchema, {
    name: 'm.proto',
    syntax,
    messageType: messages.map(({ name, fields }) => messageInit('', name, fields, syntax)),
    enumType: enums.map(({ name, values }) => ({ name, value: values.map((number) => ({ name: `${name}_${number}`, number })) })),
  });
  const found = createFileRegistry(file, () => undefined).getMessage('M');
  if (!found) throw new Error('there is no message');
  return found;
};
