/** Preview of what retention would delete before its rule is saved, and immediate deletion. */
import * as z from 'zod/mini';
import { Instant, numberCodes } from '../kernel/fields.ts';
import { route } from '../kernel/kernel.ts';
import { registryCodes, registryPath, registryTag } from './registry-routes.ts';

export const RetentionPreview = z.object({
  tags: z.number(),
  /** Space that the deletion frees. Layers shared with remaining images do not count. */
  sizeBytes: z.number(),
  /** True if there are more: counting stops at a thousand tags. */
  isAtLeast: z.boolean(),
  /** Oldest first, at most a hundred. */
  content: z.array(z.object({ repository: z.string(), tag: z.string(), digest: z.string(), sizeBytes: z.number(), pushedAt: Instant })),
});
export type RetentionPreview = z.infer<typeof RetentionPreview>;

const number = (min: number, max: number) =>
  z.optional(
    z.coerce
      .number({ error: 'NotANumber' })
      .check(z.int({ error: 'NotAnInteger' }), z.minimum(min, { error: 'Minimum' }), z.maximum(max, { error: 'Maximum' })),
  );
/** Uses the saved rule, or the rule in the query if `keepNewest` is given. */
export const retentionPreview = route('retentionPreview', `GET ${registryPath}/retention-preview`, {
  summary: 'What a rule would delete now; the rule in force, unless `keepNewest` names another',
  tag: registryTag,
  access: 'appMemberHidden',
  query: z.object({
    keepNewest: number(1, 1000),
    keepDays: number(1, 3650),
    keepPattern: z.optional(z.string().check(z.maxLength(200, { error: 'ExceedsMaximumLength' }))),
  }),
  response: RetentionPreview,
  codes: [...numberCodes, ...registryCodes, 'InvalidValue', 'ExceedsMaximumLength', 'NotARegularExpression'],
});
