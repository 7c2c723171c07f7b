/** Request bodies. Unknown fields are ignored, except rules, which the registry would have to apply. */
import { z } from 'zod';
import { compatibilityLevels, schemaTypes, type CompatibilityLevel } from '@slipway/foundation/ports/schema.ts';
import type { SchemaText } from '@slipway/foundation/ports/schema-registry.ts';
import { requireSubject } from '../grammar.ts';
import { errors } from '../registry-error.ts';
import { modes, type RegistryMode } from '../registry.sql.ts';

const MOST_REFERENCES = 100;
const number = z
  .number()
  .int()
  .min(-1)
  .max(2 ** 31 - 1);
const Schema = z.object({
  schema: z.string(),
  schemaType: z.enum(schemaTypes).nullish(),
  references: z
    .array(z.object({ name: z.string().min(1).max(1000), subject: z.string(), version: number }))
    .max(MOST_REFERENCES)
    .nullish(),
  id: number.nullish(),
  version: number.nullish(),
  metadata: z.unknown().optional(),
  ruleSet: z.unknown().optional(),
});

export interface AskedSchema {
  readonly text: SchemaText;
  readonly id: number | undefined;
  readonly version: number | undefined;
}

const given = (value: number | null | undefined): number | undefined =>
  value === null || value === undefined || value < 1 ? undefined : value;

export const schemaOf = (body: unknown): AskedSchema => {
  const read = Schema.safeParse(body);
  if (!read.success) {
    const [issue] = read.error.issues;
    if (issue?.path[0] === 'schemaType') throw errors.invalidSchema(`the type is not one of ${schemaTypes.join(', ')}`);
    throw errors.invalidBody(`${issue?.path.join('.') || 'The body'}: ${issue?.message}`);
  }
  const { schema, schemaType, references, id, version, metadata, ruleSet } = read.data;
  if ((metadata ?? null) !== null || (ruleSet ?? null) !== null) throw errors.invalidRules();
  for (const reference of references ?? []) requireSubject(reference.subject);
  const text = { type: schemaType ?? 'AVRO', content: schema, references: references ?? [] };
  return { text, id: given(id), version: given(version) };
};

const Level = z.object({ compatibility: z.string() });
export const levelOf = (body: unknown): CompatibilityLevel => {
  const asked = Level.safeParse(body).data?.compatibility.toUpperCase();
  const level = compatibilityLevels.find((one) => one === asked);
  if (!level) throw errors.invalidLevel();
  return level;
};

const Mode = z.object({ mode: z.string() });
export const modeOf = (body: unknown): RegistryMode => {
  const asked = Mode.safeParse(body).data?.mode.toUpperCase();
  const mode = modes.find((one) => one === asked);
  if (!mode) throw errors.invalidMode();
  return mode;
};
