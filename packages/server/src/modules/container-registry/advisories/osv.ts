/** Reads advisories in the OSV format and converts each record into one entry per affected package. */
import { z } from 'zod';
import { isText } from '#kernel/http/is-text.ts';
import { ratingOf, severityOfWord } from './cvss.ts';
import { isKnownEcosystem } from './versions/compare-versions.ts';

const TITLE = 300;
const version = z.string().max(256);
const Severities = z.array(z.object({ type: z.string().max(32), score: z.string() })).max(20);
const Event = z.object({
  introduced: version.optional(),
  fixed: version.optional(),
  last_affected: version.optional(),
  limit: version.optional(),
});
/** Severity words that databases add outside the standard. */
const Own = z.object({ severity: z.unknown().optional(), urgency: z.unknown().optional() }).nullish().catch(undefined);

const Record = z.object({
  id: z.string().min(1).max(256),
  modified: z.iso.datetime({ offset: true }),
  withdrawn: z.string().nullish(),
  aliases: z.array(z.string().max(256)).max(200).nullish(),
  upstream: z.array(z.string().max(256)).max(1000).nullish(),
  summary: z.string().nullish(),
  details: z.string().nullish(),
  severity: Severities.nullish(),
  affected: z
    .array(
      z.object({
        package: z.object({ ecosystem: z.string().max(100), name: z.string().min(1).max(512) }).nullish(),
        severity: Severities.nullish(),
        ranges: z
          .array(z.object({ type: z.string(), events: z.array(Event).max(10_000) }))
          .max(1000)
          .nullish(),
        versions: z.array(version).max(100_000).nullish(),
        ecosystem_specific: Own,
        database_specific: Own,
      }),
    )
    .max(20_000)
    .nullish(),
  references: z
    .array(z.object({ type: z.string(), url: z.string() }))
    .max(2000)
    .nullish(),
  database_specific: Own,
});
type Record = z.infer<typeof Record>;

export interface VersionRange {
  readonly events: readonly z.infer<typeof Event>[];
}
/** Stored part of an advisory, for one package. */
export const AdvisoryEntry = z.object({
  aliases: z.array(z.string()),
  severity: z.string(),
  score: z.number().nullable(),
  vector: z.string().nullable(),
  title: z.string(),
  url: z.string(),
  ranges: z.array(z.object({ events: z.array(Event) })),
  versions: z.array(z.string()),
});
export interface AdvisoryEntry {
  /** Includes the id itself. */
  readonly aliases: readonly string[];
  readonly severity: string;
  readonly score: number | null;
  readonly vector: string | null;
  readonly title: string;
  readonly url: string;
  readonly ranges: readonly VersionRange[];
  readonly versions: readonly string[];
}
export interface Advisory {
  readonly id: string;
  readonly modified: Date;
  readonly isWithdrawn: boolean;
  /** Contains only packages of known ecosystems. */
  readonly packages: readonly { readonly ecosystem: string; readonly name: string; readonly entry: AdvisoryEntry }[];
}

/** Returns the package's normalized name. PyPI accepts several spellings of one name. */
export const advisoryName = (ecosystem: string, name: string): string =>
  ecosystem === 'PyPI' ? name.replace(/[-_.]+/g, '-').toLowerCase() : name;

const isWeb = (url: string): boolean => url.length <= 2000 && URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
const urlOf = ({ id, references }: Record): string => {
  const own = references?.find(({ type, url }) => type === 'ADVISORY' && isWeb(url))?.url;
  return own ?? `https://osv.dev/vulnerability/${encodeURIComponent(id)}`;
};

/** Returns the id and its aliases. Includes the upstream advisory of a distribution's advisory if there is exactly one. */
const aliasesOf = ({ id, aliases, upstream }: Record): string[] => [
  ...new Set([id, ...(aliases ?? []), ...(upstream?.length === 1 ? upstream : [])]),
];

type Affected = NonNullable<Record['affected']>[number];
const wordOf = (record: Record, { ecosystem_specific: own, database_specific: database }: Affected): unknown =>
  [own?.severity, own?.urgency, database?.severity, record.database_specific?.severity].find((word) => severityOfWord(word) !== 'unknown');

const entryOf = (record: Record, affected: Affected): AdvisoryEntry => {
  const severities = affected.severity?.length ? affected.severity : (record.severity ?? []);
  const title = (record.summary || record.details?.split('\n', 1)[0] || record.id).slice(0, TITLE).toWellFormed();
  return {
    aliases: aliasesOf(record),
    ...ratingOf(severities, wordOf(record, affected)),
    title,
    url: urlOf(record),
    // Git ranges contain commits instead of versions.
    ranges: (affected.ranges ?? []).filter(({ type }) => type !== 'GIT').map(({ events }) => ({ events })),
    versions: affected.versions ?? [],
  };
};

/** Merges the entries of one package, because a record may list a package several times with different ranges. */
const joined = (entries: readonly AdvisoryEntry[]): AdvisoryEntry[] => {
  const [first, ...others] = entries;
  if (!first) return [];
  return [{ ...first, ranges: entries.flatMap(({ ranges }) => ranges), versions: [first, ...others].flatMap(({ versions }) => versions) }];
};

/** Returns the parsed advisory, or a short reason if the value is not valid. */
export const readAdvisory = (value: unknown): Advisory | string => {
  const { data: record, error } = Record.safeParse(value);
  if (!record) {
    const [issue] = error.issues;
    return `${issue?.path.join('.') || 'the record'}: ${issue?.message ?? 'invalid'}`.slice(0, TITLE);
  }
  const known = (record.affected ?? []).flatMap((affected) => {
    const { ecosystem, name } = affected.package ?? { ecosystem: '', name: '' };
    return isKnownEcosystem(ecosystem) ? [{ ecosystem, name: advisoryName(ecosystem, name), affected }] : [];
  });
  const packages = [...Map.groupBy(known, ({ ecosystem, name }) => `${ecosystem}\n${name}`).values()].flatMap((same) =>
    joined(same.map(({ affected }) => entryOf(record, affected))).flatMap((entry) =>
      same[0] ? [{ ecosystem: same[0].ecosystem, name: same[0].name, entry }] : [],
    ),
  );
  if (!isText(packages) || !isText(record.id)) return 'it holds characters that no text has';
  return { id: record.id, modified: new Date(record.modified), isWithdrawn: Boolean(record.withdrawn), packages };
};
