/** The fields that the platform reads from answers of Confluent's registry API. Other fields are ignored, and all values are validated. */
import { z } from 'zod';
import { compatibilityLevels, schemaTypes } from '#ports/schema.ts';

const id = z
  .number()
  .int()
  .min(1)
  .max(2 ** 31 - 1);
const name = z.string().min(1).max(1024);
export const Names = z.array(name).max(1_000_000);
export const Numbers = z.array(id).max(1_000_000);
const described = {
  schema: z.string(),
  schemaType: z.enum(schemaTypes).nullish(),
  references: z
    .array(z.object({ name: z.string(), subject: name, version: id }))
    .max(1000)
    .nullish(),
};
export const Content = z.object(described);
export const Version = z.object({ subject: name, version: id, id, ...described });
export type Version = z.infer<typeof Version>;
export const Places = z.array(z.object({ subject: name, version: id })).max(1_000_000);
/** Newer registries also return the version. */
export const Made = z.object({ id, version: id.nullish() });
export const Level = z.object({ compatibilityLevel: z.enum(compatibilityLevels) });
export const Verdict = z.object({ is_compatible: z.boolean(), messages: z.array(z.string()).nullish() });
export const Failure = z.object({ error_code: z.number(), message: z.string() });
/** For answers that are not read. */
export const Anything = z.unknown().transform(() => true);
