/** What is read of the answers of Harbor's pluggable scanner API 1.x: the rest is ignored, and nothing is taken for longer than it may be. */
import { z } from 'zod';

export const mediaTypes = {
  request: 'application/vnd.scanner.adapter.scan.request+json; version=1.0',
  response: 'application/vnd.scanner.adapter.scan.response+json; version=1.0',
  metadata: 'application/vnd.scanner.adapter.metadata+json; version=1.1, application/vnd.scanner.adapter.metadata+json; version=1.0',
  /** The first that the scanner makes. Both have the same shape. */
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

/** It becomes a part of a path. */
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

/** A media type with its parameters in one spelling. */
export const plain = (mediaType: string): string => mediaType.toLowerCase().replaceAll(/\s+/g, '');
