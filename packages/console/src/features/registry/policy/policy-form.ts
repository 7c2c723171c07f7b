/** Values of the policy form, the request built from them, and the changed fields. */
import { RegistryPolicyUpdate, vulnerabilitySeverities, type AllowedCve, type RegistryPolicy } from '@slipway/contract/registry/policy.ts';
import * as z from 'zod/mini';

export type AllowedDraft = Pick<AllowedCve, 'cveId' | 'reason' | 'expiresAt'>;
export interface PolicyValues {
  isPublic: boolean;
  preventVulnerableImages: boolean;
  severity: RegistryPolicy['severity'];
  allowedCves: AllowedDraft[];
  deletes: boolean;
  keepNewest: number | null;
  /** Null or empty means that the criterion is not used. */
  keepDays: number | null;
  keepPattern: string;
}

const usualTags = 10;
const usualDays = 90;
export const valuesOf = ({ isPublic, preventVulnerableImages, severity, allowedCves, retention }: RegistryPolicyUpdate): PolicyValues => ({
  isPublic,
  preventVulnerableImages,
  severity,
  allowedCves: allowedCves.map(({ cveId, reason, expiresAt }) => ({ cveId, reason, expiresAt })),
  deletes: retention !== null,
  keepNewest: retention?.keepNewest ?? usualTags,
  keepDays: retention ? retention.keepDays : usualDays,
  keepPattern: retention?.keepPattern ?? '',
});

const whole = (min: number, max: number) =>
  z
    .number({ error: 'NotANumber' })
    .check(z.int({ error: 'NotAnInteger' }), z.minimum(min, { error: 'Minimum' }), z.maximum(max, { error: 'Maximum' }));
export const isPattern = (text: string): boolean => {
  try {
    return new RegExp(text, 'v') instanceof RegExp;
  } catch {
    return false;
  }
};
const anything = { keepNewest: z.nullable(z.number()), keepDays: z.nullable(z.number()), keepPattern: z.string() };
const rule = {
  keepNewest: z.nullable(whole(1, 1000)).check(z.refine((value) => value !== null, { error: 'Required' })),
  keepDays: z.nullable(whole(1, 3650)),
  keepPattern: z
    .string()
    .check(z.trim(), z.maxLength(200, { error: 'ExceedsMaximumLength' }), z.refine(isPattern, { error: 'NotARegularExpression' })),
};
/** The retention rule is validated only if one is set. */
export const policySchema = (deletes: boolean): z.ZodMiniType<PolicyValues, PolicyValues> =>
  z.object({
    isPublic: z.boolean(),
    preventVulnerableImages: z.boolean(),
    severity: z.enum(vulnerabilitySeverities),
    allowedCves: z.array(z.object({ cveId: z.string(), reason: z.string(), expiresAt: z.string() })),
    deletes: z.boolean(),
    ...(deletes ? rule : anything),
  });

export const bodyOf = (values: PolicyValues): z.input<typeof RegistryPolicyUpdate> => {
  const { isPublic, preventVulnerableImages, severity, allowedCves, deletes, keepNewest, keepDays, keepPattern } = values;
  return {
    isPublic,
    preventVulnerableImages,
    severity,
    allowedCves,
    retention: deletes ? { keepNewest: keepNewest ?? usualTags, keepDays, keepPattern: keepPattern === '' ? null : keepPattern } : null,
  };
};

export const policyLabels = {
  isPublic: 'Public',
  preventVulnerableImages: 'Prevent vulnerable images from running',
  severity: 'From this severity on',
  allowedCves: 'Allowed vulnerabilities',
  keepNewest: 'Keep the newest',
  keepDays: 'And what was pushed in',
  keepPattern: 'And tags that match',
  'retention.keepNewest': 'Keep the newest',
  'retention.keepDays': 'And what was pushed in',
  'retention.keepPattern': 'And tags that match',
};

/** Labels of the changed fields. */
export const policyChanges = (from: PolicyValues, to: PolicyValues): string[] => {
  const isSame = (name: keyof PolicyValues): boolean => JSON.stringify(from[name]) === JSON.stringify(to[name]);
  const rule = ['deletes', ...(to.deletes ? (['keepNewest', 'keepDays', 'keepPattern'] as const) : [])] as const;
  return [
    ...(isSame('isPublic') ? [] : ['public']),
    ...(isSame('preventVulnerableImages') ? [] : ['prevention']),
    ...(isSame('severity') ? [] : ['severity']),
    ...(isSame('allowedCves') ? [] : ['allowed vulnerabilities']),
    ...(rule.every(isSame) ? [] : ['retention']),
  ];
};
