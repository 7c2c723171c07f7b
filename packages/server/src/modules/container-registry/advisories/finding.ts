/** A vulnerability that was found in an image, as it stands in its row. */
import { Severity } from '@slipway/contract/registry/severity.ts';
import { z } from 'zod';

const text = z.string().nullable();
export const Finding = z.object({
  id: z.string(),
  aliases: z.array(z.string()),
  severity: Severity,
  score: z.number().nullable(),
  vector: text,
  title: z.string(),
  url: text,
  ecosystem: z.string(),
  package: z.string(),
  installed: z.string(),
  fixedIn: text,
  path: text,
  layer: text,
  platforms: z.array(z.string()),
});
export type Finding = z.infer<typeof Finding>;
