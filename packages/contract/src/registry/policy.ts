/** Policy of a registry project: visibility, vulnerable images, allowed CVEs, retention. */
import * as z from 'zod/mini';
import { Instant, isKept, RequiredText, numberCodes } from '../kernel/fields.ts';

/**
 * Images with a vulnerability of this severity or worse are refused. `none` refuses every image with any vulnerability (specification §9).
 */
export const vulnerabilitySeverities = ['none', 'low', 'medium', 'high', 'critical'] as const;
export const VulnerabilitySeverity = z.enum(vulnerabilitySeverities, { error: 'InvalidValue' });
export type VulnerabilitySeverity = z.infer<typeof VulnerabilitySeverity>;
/** True if the severity is at or above `from`, the project's threshold. */
export const countsFrom = (severity: VulnerabilitySeverity, from: VulnerabilitySeverity): boolean =>
  vulnerabilitySeverities.indexOf(severity) >= vulnerabilitySeverities.indexOf(from);

/** Maximum days until an exception ends, so that every exception is reviewed regularly. */
export const maxAllowedCveDays = 90;
const maxAllowedCves = 200;
const cve = {
  /** `CVE-2026-30255`, or an id from another list: `GHSA-…`. */
  cveId: z
    .string({ error: 'Required' })
    .check(
      z.trim(),
      z.minLength(1, { error: 'Required', abort: true }),
      z.regex(/^[A-Z][A-Z0-9]{1,15}-[A-Za-z0-9][A-Za-z0-9:-]{2,60}$/, { error: 'DoesNotMatchPattern' }),
    ),
  reason: RequiredText,
  /** Allowed until the end of this day, UTC. */
  expiresAt: z
    .string({ error: 'Required' })
    .check(z.regex(/^\d{4}-\d{2}-\d{2}$/, { error: 'DoesNotMatchPattern', abort: true }), z.refine(isKept, { error: 'InvalidValue' })),
};
export const AllowedCve = z.object({
  ...cve,
  author: z.object({ id: z.string(), displayName: z.string() }),
  createdAt: Instant,
  isExpired: z.boolean(),
});
export type AllowedCve = z.infer<typeof AllowedCve>;
export const isCveExpired = ({ expiresAt }: Pick<AllowedCve, 'expiresAt'>, now: Date): boolean =>
  Date.parse(`${expiresAt}T00:00:00Z`) + 86_400_000 <= now.getTime();

const wholeNumber = (min: number, max: number) =>
  z
    .number({ error: 'NotANumber' })
    .check(z.int({ error: 'NotAnInteger' }), z.minimum(min, { error: 'Minimum' }), z.maximum(max, { error: 'Maximum' }));
/** A tag is kept if any of these rules matches. Tags that a revision runs or may be rolled back to are always kept. */
export const Retention = z.object({
  /** Number of newest tags to keep per repository. */
  keepNewest: wholeNumber(1, 1000),
  /** Keep tags pushed within this number of days. */
  keepDays: z.nullable(wholeNumber(1, 3650)),
  /** Keep tags that fully match this regular expression. */
  keepPattern: z.nullable(z.string().check(z.minLength(1, { error: 'Required' }), z.maxLength(200, { error: 'ExceedsMaximumLength' }))),
});
export type Retention = z.infer<typeof Retention>;

const shared = {
  /** Anyone may pull without signing in. */
  isPublic: z.boolean({ error: 'Required' }),
  preventVulnerableImages: z.boolean({ error: 'Required' }),
  severity: VulnerabilitySeverity,
  /** Null: no automatic deletion. */
  retention: z.nullable(Retention),
};
export const RegistryPolicy = z.object({ ...shared, allowedCves: z.array(AllowedCve) });
export type RegistryPolicy = z.infer<typeof RegistryPolicy>;
export const RegistryPolicyUpdate = z.object({
  ...shared,
  /** The server sets author and time of new and changed entries. */
  allowedCves: z.array(z.object(cve)).check(z.maxLength(maxAllowedCves, { error: 'Maximum' })),
});
export type RegistryPolicyUpdate = z.infer<typeof RegistryPolicyUpdate>;
export const policyCodes = [
  ...numberCodes,
  'Required',
  'InvalidValue',
  'DoesNotMatchPattern',
  'ExceedsMaximumLength',
  'NotARegularExpression',
  'DuplicateCve',
  'CveExpiry',
] as const;
