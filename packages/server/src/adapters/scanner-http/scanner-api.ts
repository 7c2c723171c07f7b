/** Schemas for the used parts of Harbor's pluggable scanner API 1.x. Other fields are ignored, and the length of each value is limited. */
import { z } from 'zod';

export const mediaTypes = {
  request: 'application/vnd.scanner.adapter.scan.request+json; version=1.0',
  response: 'application/vnd.scanner.adapter.scan.response+json; version=1.0',
  metadata: 'application/vnd.scanner.adapter.metadata+json; version=1.1, application/vnd.scanner.adapter.metadata+json; version=1.0',
  /** In order of preference. Both formats have the same shape. */
  reports: [
    'application/vnd.security.vulnerability.report; version=1.1',
    'application/vnd.scanner.adapter.vuln.report.harbor+json; version=1.0',
  ],
} as const;

const short = z.string().max(256);
export const Metadata = z.object({
  scanner: z.object({ name: short.optional(), vendor: short.optional(), version: short.optional() }),
  capabilities: z
    .array(
      z.object({
        type: z.string().optional(),
        consumes_mime_types: z.array(z.string()),
        produces_mime_types: z.array(z.string()),
      }),
    )
    .max(100),
});
export type Metadata = z.infer<typeof Metadata>;

/** The id becomes part of a path. */
export const Accepted = z.object({ id: z.string().min(1).max(256) });

const nullish = <Shape extends z.ZodType>(shape: Shape) => shape.nullish();
export const Item = z.object({
  id: z.string().min(1).max(256),
  package: z.string().max(256),
  version: nullish(z.string().max(256)),
  fix_version: nullish(z.string().max(1024)),
  severity: nullish(z.string().max(32)),
  description: nullish(z.string()),
  links: nullish(z.array(z.string()).max(1000)),
  preferred_cvss: nullish(z.object({ score_v3: nullish(z.number()), vector_v3: nullish(z.string().max(256)) })),
});
export type Item = z.infer<typeof Item>;
export const Report = z.object({ vulnerabilities: nullish(z.array(Item).max(100_000)) });
export const Failure = z.object({ error: z.object({ message: z.string() }) });

/** Normalizes the spelling of a media type with parameters. */
export const plain = (mediaType: string): string => mediaType.toLowerCase().replaceAll(/\s+/g, '');
