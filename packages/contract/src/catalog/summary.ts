/** Monthly summaries of platforms, and the risk summary of platforms and portfolios. */
import * as z from 'zod/mini';
import { Instant } from '../kernel/fields.ts';
import { routesIn } from '../kernel/kernel.ts';
import { catalogPath, catalogTag as tag } from './entry.ts';

const Listed = z.object({ id: z.string(), name: z.string(), requestId: z.nullable(z.string()), at: z.nullable(Instant) });
export const MonthlySummary = z.object({
  platformId: z.string(),
  platformName: z.string(),
  summaryMonth: z.string(),
  onboarded: z.number(),
  active: z.number(),
  deleted: z.number(),
  rejected: z.number(),
  verified: z.number(),
  unverified: z.number(),
  /** Requests to move applications in or out. */
  changeRequest: z.number(),
  dataIssue: z.number(),
  movedIn: z.number(),
  movedOut: z.number(),
  putBack: z.number(),
  /** Active applications at the start of the month. */
  activeAtStart: z.number(),
  from: Instant,
  to: Instant,
  generatedAt: Instant,
  /** True once the month is over and the summary no longer changes. */
  frozen: z.boolean(),
  applicationsOnboarded: z.array(Listed),
  platformChangeRequests: z.array(Listed),
  reportedDataIssues: z.array(Listed),
  unverifiedApplications: z.array(Listed),
});
export type MonthlySummary = z.infer<typeof MonthlySummary>;

const month = z.string({ error: 'Required' }).check(z.regex(/^\d{4}-(0[1-9]|1[0-2])$/, { error: 'InvalidValue' }));
const route = routesIn({ tag, access: 'signedIn' });
export const catalogMonthlySummary = route('catalogMonthlySummary', `GET ${catalogPath}/monthly-summary/platforms`, {
  summary: 'What changed on a platform in a month (UTC)',
  query: z.object({ platformId: z.string({ error: 'Required' }), summaryMonth: month }),
  response: MonthlySummary,
  codes: ['Required', 'InvalidValue', 'EntryDoesNotExist', 'SummaryInFuture'],
});
export const catalogSummaryPlatforms = route('catalogSummaryPlatforms', `GET ${catalogPath}/monthly-summary/user/platforms`, {
  summary: "The caller's platforms, with the months that have a summary",
  response: z.array(z.object({ platformId: z.string(), platformName: z.string(), months: z.array(z.string()) })),
  codes: [],
});

export const riskColumns = ['verified', 'unverified', 'withoutOwner', 'datePassed', 'openIssue'] as const;
export const catalogRiskView = route('catalogRiskView', `GET ${catalogPath}/risk-summary`, {
  summary: 'Active applications of a platform or portfolio by criticality and risk',
  query: z.object({ platformId: z.optional(z.string()), portfolioId: z.optional(z.string()) }),
  response: z.object({
    rows: z.array(
      z.object({
        /** Null for applications without a criticality. */
        criticalityId: z.nullable(z.string()),
        total: z.number(),
        counts: z.record(z.string(), z.number()),
      }),
    ),
  }),
  codes: ['EntryDoesNotExist', 'InvalidValue'],
});
