/** JSON Schema of the configuration file, for editors: `slipway config schema`. */
import { fileShape, isLeaf, type Branch, type Leaf } from './file-shape.ts';
import type { Form } from './value-kinds.ts';

type Schema = Readonly<Record<string, unknown>>;

const text = { type: 'string', minLength: 1 };
const only = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...(required.length > 0 && { required }),
});
/** References to a secret. */
const reference: Schema = {
  oneOf: [only({ file: text }, ['file']), only({ env: text }, ['env'])],
};
const schemaOf = (form: Form): Schema => {
  if (form.kind === 'number' || form.kind === 'share')
    return { type: form.kind === 'number' ? 'integer' : 'number', minimum: form.least, maximum: form.most };
  if (form.kind === 'choice') return { enum: form.values };
  return plain[form.kind];
};
const plain: Readonly<Record<Exclude<Form['kind'], 'number' | 'share' | 'choice'>, Schema>> = {
  text,
  path: text,
  list: { type: 'array', items: text },
  switch: { enum: ['on', 'off', true, false] },
  consent: { type: 'boolean' },
  map: { type: 'object', additionalProperties: { type: ['string', 'number'] } },
  secret: { $ref: '#/definitions/secret' },
};

/** Links of docs/configuration.md lead nowhere in an editor. */
const withoutLinks = (markdown: string): string => markdown.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');

const leafSchema = ({ name, setting: { about, fallback, form } }: Leaf): Schema => ({
  ...schemaOf(form),
  description: `${withoutLinks(about)} (${name})`,
  ...(fallback !== undefined && (form.kind === 'text' || form.kind === 'choice') && { default: fallback }),
  ...(fallback !== undefined && (form.kind === 'number' || form.kind === 'share') && { default: Number(fallback) }),
});
const branchSchema = (branch: Branch): Schema =>
  only(Object.fromEntries([...branch].map(([key, node]) => [key, isLeaf(node) ? leafSchema(node) : branchSchema(node)])));

export const fileSchema = (): Schema => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'slipway.config.yaml',
  ...branchSchema(fileShape),
  definitions: { secret: reference },
});
